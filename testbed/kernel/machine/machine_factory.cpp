// SPDX-License-Identifier: MIT
#include "testbed/kernel/machine/machine_factory.h"

#include "testbed/kernel/machine/vm_machine.h"

namespace aerogpu::host {

namespace {
MachineFactory s_factory;
}

void setMachineFactory(MachineFactory factory) {
  s_factory = factory;
}

std::unique_ptr<Machine> makeMachine() {
  if (s_factory) return s_factory();
  return std::make_unique<VmMachine>();
}

}  // namespace aerogpu::host
