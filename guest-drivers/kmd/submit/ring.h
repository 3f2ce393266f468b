// SPDX-License-Identifier: MIT
// ring.h: the submission ring and the fence page (docs/abi/ring.md).
#pragma once

#include "aerogpu/aerogpu_ring.h"
#include "aerogpu/aerogpu_spaces.h"
#include "guest-drivers/kmd/device/registers.h"
#include "guest-drivers/kmd/device/words.h"
#include "guest-drivers/kmd/logic/dma_layout.h"
#include "guest-drivers/kmd/os/kernel_memory.h"

namespace aero {

/** The driver's part of a slot, without the fields that the ring adds. */
struct Submission {
  uint32_t flags;         // enum aerogpu_submit_flags
  DeviceContext context;  // in space 0: the driver wrote every byte
  uint64_t commandGpa;
  uint32_t commandBytes;  // if 0, commandGpa is 0 too: nothing to run, only the fence
  uint64_t tableGpa;
  uint32_t tableBytes;  // if 0, tableGpa is 0 too: no table
  uint64_t fence;
};

/** Pushed under the scheduler's lock; the device moves the head. */
class Ring {
public:
  /** `entries` is rounded up to a power of two. PASSIVE_LEVEL. */
  bool allocate(uint32_t entries);
  void free();

  /** Tells the device where ring and fence page lie, empties both, and enables the ring. `spaces`: with handle
   * spaces, which the device offers (SPACE-1). */
  void start(const Registers &registers, uint64_t completedFence, bool spaces);
  /** Makes the device stop using the memory. */
  void stop(const Registers &registers);
  /** How far a reset stopped the device: its possible accesses to earlier work. */
  enum class Left {
    Nothing,
    Untaken,  // the device did not accept the reset
    Read,     // it may still read memory
    Written,  // it may still read and write memory
  };
  /** Drops the queued work, leaves the ring disabled, and waits for a bounded time until the device touches no
   * memory for it any more (BUSY-1). A device that is gone from the bus, or knows of no ring at this place, runs
   * none of it. PASSIVE_LEVEL. */
  Left reset(const Registers &registers);

  /** Writes the slot and rings the bell; returns false if the ring is full. At most DISPATCH_LEVEL. */
  [[gnu::always_inline]] inline bool push(const Registers &registers, const Submission &submission);

  /** Returns the index of the next submission; counts up without masking. */
  uint32_t nextIndex() const { return m_tail; }
  /** True if the submission with this index has left the ring. */
  bool passed(uint32_t index) const { return static_cast<int32_t>(head() - index) > 0; }
  uint32_t head() const {
    const uint32_t *head = &header()->head;  // aligned, which a packed structure does not tell the compiler
    return __atomic_load_n(head, __ATOMIC_ACQUIRE);
  }
  uint32_t tail() const { return m_tail; }
  uint32_t entries() const { return m_entries; }
  uint32_t bytes() const { return static_cast<uint32_t>(sizeof(aerogpu_ring_header)) + m_entries * m_stride; }
  bool allocated() const { return m_ring.data() != nullptr; }
  const aerogpu_submit_desc &slot(uint32_t index) const;
  /** Returns its handle space; 0 without handle spaces. */
  uint32_t spaceOf(uint32_t index) const;

  /** Returns the highest fence that the device has completed. Any IRQL. */
  uint64_t completedFence() const { return loadWord(&m_page.as<aerogpu_fence_page>()->completed_fence); }

private:
  /** The layout of a slot while handle spaces are enabled (SPACE-5). */
  struct SpaceSlot {
    aerogpu_submit_desc desc;
    aerogpu_submit_space space;
  };
  static_assert(sizeof(SpaceSlot) == 80);

  uint8_t *slotAt(uint32_t index) const {
    return reinterpret_cast<uint8_t *>(header() + 1) + SIZE_T{index & (m_entries - 1)} * m_stride;
  }
  aerogpu_ring_header *header() const { return m_ring.as<aerogpu_ring_header>(); }

  Contiguous m_ring;
  Contiguous m_page;
  uint32_t m_entries = 0;
  uint32_t m_tail = 0;
  uint32_t m_stride = sizeof(aerogpu_submit_desc);
};

inline bool Ring::push(const Registers &registers, const Submission &submission) {
  const uint32_t index = m_tail;
  if (index - head() >= m_entries) return false;
  uint8_t *slot = slotAt(index);
  *reinterpret_cast<aerogpu_submit_desc *>(slot) = {
      m_stride,
      submission.flags,
      submission.context.number,
      AEROGPU_ENGINE_0,
      submission.commandGpa,
      submission.commandBytes,
      0,
      submission.tableGpa,
      submission.tableBytes,
      0,
      submission.fence,
      0,
  };
  if (m_stride == sizeof(SpaceSlot))
    reinterpret_cast<SpaceSlot *>(slot)->space = {submission.context.space,
                                                  submission.context.space ? 0 : AEROGPU_EXT_SPACE_FLAG_KERNEL, 0};
  m_tail = index + 1;
  // The slot is complete before the device can see the tail.
  uint32_t *tail = &header()->tail;
  __atomic_store_n(tail, index + 1, __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  registers.write(AEROGPU_MMIO_REG_DOORBELL, index + 1);
  return true;
}

}  // namespace aero
