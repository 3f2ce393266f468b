// SPDX-License-Identifier: MIT
// Which machine the host runs on: the one that somebody has set, or the VM that it runs in.
#pragma once

#include <memory>

#include "testbed/kernel/machine/machine.h"

namespace aerogpu::host {

/// Where an Adapter gets its machine from; set before the first one opens its device.
using MachineFactory = std::unique_ptr<Machine> (*)();
void setMachineFactory(MachineFactory factory);
std::unique_ptr<Machine> makeMachine();

}  // namespace aerogpu::host
