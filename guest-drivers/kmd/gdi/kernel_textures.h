// SPDX-License-Identifier: MIT
// kernel_textures.h: textures that the driver makes for allocations. Some are made when the allocation is
// first opened, and every program that opens it imports its token: textures without guest memory, which live
// on the host, and, with handle spaces, those that are shared, presented or scanned out. Others lie over
// memory, for the driver's own drawing. PASSIVE_LEVEL.
#pragma once

#include "guest-drivers/kmd/logic/epochs.h"
#include "guest-drivers/kmd/memory/allocations.h"

namespace aero {

class Display;
class InternalQueue;
struct Features;

class KernelTextures {
public:
  /** All five outlive it. */
  KernelTextures(InternalQueue &internal, AllocationTable &allocations, Display &display, const Epochs &epochs,
                 const Features &features)
      : m_internal(internal), m_allocations(allocations), m_display(display), m_epochs(epochs), m_features(features) {}

  /** Makes the texture, or buffer, of an allocation that lasts(), and exports it before any program can
   * name either. It is charged to the program that has had the allocation open longest (SPACE-21).
   * STATUS_NO_MEMORY: a texture made for that program alone leaves no room in its space. */
  NTSTATUS create(AeroAllocation &allocation);
  /**
   * Makes sure that the texture over an allocation's memory is made before any work submitted from now on:
   * DMA buffers of several contexts run in another order than they are built in, and some never run. The
   * allocation need not be resident: creation checks its size only (ALLOC-9, OBJ-11), and each submission's
   * table says where it lies. The texture's content is undefined until a program draws to it or marks it dirty,
   * except for the shared primary that is on the screen: its texture begins as the picture that the CPU has drawn.
   * It is charged as in create(). STATUS_INVALID_PARAMETER: the allocation is no surface, or lasts() and has lost
   * its texture. STATUS_NO_MEMORY: the program that pays has no room.
   */
  NTSTATUS ensure(AeroAllocation &allocation);
  /** Makes all textures anew, without their pixels, after a sleep that the device did not survive. Nothing
   * else runs. */
  NTSTATUS restore();

private:
  /** How a texture is made. */
  struct Making {
    uint32_t roomMs = 0;
    uint32_t payer = 0;    // a handle space of the program that is charged, 0: the guest
    uint64_t process = 0;  // the process of that space
    uint64_t memory = 0;   // where the allocation lies if the texture begins with its content, else 0
  };
  /** Finds the program to charge. Returns false if that would exceed `limit`. The table is locked. */
  bool charge(AeroAllocation &allocation, uint64_t limit, Making &how);
  /** `limit`: how many bytes the program that pays may have. */
  NTSTATUS create(AeroAllocation &allocation, uint64_t limit);
  /** Submits the packets that make the texture. */
  NTSTATUS submit(const AeroAllocation &allocation, uint32_t texture, const Making &how);
  /** Does ensure() without waiting. The table is locked. STATUS_IO_TIMEOUT: the ring has no room now. */
  NTSTATUS tryEnsure(AeroAllocation &allocation, uint64_t memory);

  InternalQueue &m_internal;
  AllocationTable &m_allocations;
  Display &m_display;
  const Epochs &m_epochs;
  const Features &m_features;
};

}  // namespace aero
