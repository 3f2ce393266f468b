// SPDX-License-Identifier: MIT
// Chooses the machine that the host runs on: the one set by setMachineFactory(), or the VM that it runs in.
#pragma once

#include <memory>

#include "testbed/kernel/machine/machine.h"

namespace aerogpu::host {

/// Makes the machine for an Adapter; set before the first one opens its device.
using MachineFactory = std::unique_ptr<Machine> (*)();
void setMachineFactory(MachineFactory factory);
std::unique_ptr<Machine> makeMachine();

}  // namespace aerogpu::host
