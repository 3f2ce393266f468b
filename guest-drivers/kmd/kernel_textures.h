// SPDX-License-Identifier: MIT
// kernel_textures.h: textures that the driver makes for allocations without memory of the guest's: what only the GPU
// sees. They live on the host; everybody who opens the allocation imports its token. PASSIVE_LEVEL.
#pragma once

#include "allocations.h"
#include "epochs.h"

namespace aero {

class Scheduler;

class KernelTextures {
public:
  /** All three outlive it. */
  KernelTextures(Scheduler &scheduler, AllocationTable &allocations, const Epochs &epochs)
      : m_scheduler(scheduler), m_allocations(allocations), m_epochs(epochs) {}

  /** Makes the texture of an allocation that has a token, and exports it, before anybody can name either. */
  NTSTATUS create(AeroAllocation &allocation);
  /** After a sleep that the device did not survive: makes all of them anew, without their pixels. Nothing else runs. */
  NTSTATUS restore();

private:
  Scheduler &m_scheduler;
  AllocationTable &m_allocations;
  const Epochs &m_epochs;
};

}  // namespace aero
