// SPDX-License-Identifier: MIT
// kernel_textures.h: textures that the driver makes for allocations. Some are made when the allocation is first opened,
// and everybody who opens it imports its token: those without memory of the guest's, which live on the host, and, with
// handle spaces, those that are shared, presented or scanned out. Others are over memory, for what the driver draws.
// PASSIVE_LEVEL.
#pragma once

#include "guest-drivers/kmd/logic/epochs.h"
#include "guest-drivers/kmd/memory/allocations.h"

namespace aero {

class Display;
class Scheduler;
struct Features;

class KernelTextures {
public:
  /** All five outlive it. */
  KernelTextures(Scheduler &scheduler, AllocationTable &allocations, Display &display, const Epochs &epochs,
                 const Features &features)
      : m_scheduler(scheduler),
        m_allocations(allocations),
        m_display(display),
        m_epochs(epochs),
        m_features(features) {}

  /** Makes the texture, or buffer, of an allocation that lasts(), and exports it, before anybody can name either. It
   *  counts for who has opened the allocation first of those that have it open (SPACE-21). STATUS_NO_MEMORY: what is
   *  made for that one alone leaves no room in its space. */
  NTSTATUS create(AeroAllocation &allocation);
  /**
   * Sees to it that the texture over an allocation's memory is made before whatever is submitted from now on: DMA
   * buffers of several contexts run in another order than they are built in, and some never. The allocation need not be
   * resident: creation looks at its size only (ALLOC-9, OBJ-11), and each submission's table says where it lies. Its
   * content is undefined until somebody draws to it or marks it dirty, but of the shared primary that is on the screen:
   * that begins as what the CPU has drawn. It counts as that of create() does. STATUS_INVALID_PARAMETER: it is no
   * surface. STATUS_NO_MEMORY: whom it is made for has no room.
   */
  NTSTATUS ensure(AeroAllocation &allocation);
  /** After a sleep that the device did not survive: makes all of them anew, without their pixels. Nothing else runs. */
  NTSTATUS restore();

private:
  /** How a texture is made. */
  struct Making {
    uint32_t roomMs = 0;
    uint32_t payer = 0;    // a handle space of who has the costs, 0: the guest
    uint64_t process = 0;  // whose that is
    uint64_t memory = 0;   // where the allocation lies, whose content it begins with, 0: with none
  };
  /** Finds who has the costs. False: it would have more than `limit`. The table is locked. */
  bool charge(AeroAllocation &allocation, uint64_t limit, Making &how);
  /** `limit`: how much may count for whom it is made for. */
  NTSTATUS create(AeroAllocation &allocation, uint64_t limit);
  /** The packets that make it. */
  NTSTATUS submit(const AeroAllocation &allocation, uint32_t texture, const Making &how);
  /** The table is locked. STATUS_IO_TIMEOUT: there is no room in the ring now. */
  NTSTATUS tryEnsure(AeroAllocation &allocation, uint64_t memory);

  Scheduler &m_scheduler;
  AllocationTable &m_allocations;
  Display &m_display;
  const Epochs &m_epochs;
  const Features &m_features;
};

}  // namespace aero
