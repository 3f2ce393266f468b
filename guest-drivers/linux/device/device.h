// SPDX-License-Identifier: MIT
// Submits work and waits for fences: ring, fence page and error registers in one object. docs/abi/ring.md.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "guest-drivers/linux/device/alloc_table.h"
#include "guest-drivers/linux/device/bar.h"
#include "guest-drivers/linux/device/irq.h"
#include "guest-drivers/linux/device/memory.h"
#include "guest-drivers/linux/device/ring.h"
#include "guest-drivers/linux/device/status.h"

namespace aerogpu::guest {

/// Returns the monotonic time in ns.
int64_t nowNs();

/// ERROR_* registers.
struct DeviceError {
  uint32_t code = 0, count = 0;
  uint64_t fence = 0;
};

/// How waitFence() waits.
enum class WaitMode { PollOnly, PollThenInterrupt, InterruptOnly };

class Device {
public:
  Device(Registers& registers, Interrupts& interrupts, Memory& memory)
      : m_registers(registers), m_interrupts(interrupts), m_memory(memory) {}

  /// Checks identity and revision, lays out ring (`entries`, a power of two), fence page and one command and
  /// table buffer a slot (`commandBytes` each), and enables the ring.
  Status start(uint32_t entries, uint32_t commandBytes);
  /// Disables the ring and the interrupts.
  void stop();

  /// Copies a command stream (may be empty) and a table, queues them and rings the doorbell. Waits for a free
  /// slot (at most `kSlotTimeoutNs`). Sets `fence` to the submission's fence.
  Status submit(std::span<const uint8_t> commands, const AllocTable& table, uint32_t flags, uint64_t& fence);

  /// Returns the highest completed fence, from the fence page.
  uint64_t completedFence() const;
  uint64_t lastFence() const { return m_lastFence; }
  /// Waits for a fence. Fails after `timeoutNs`, with the state of ring and error registers in the text, and
  /// if an interrupt reports a new error.
  Status waitFence(uint64_t fence, int64_t timeoutNs, WaitMode mode = WaitMode::PollThenInterrupt);

  DeviceError error();
  /// Fails if ERROR_COUNT has moved since the last call.
  Status checkError();
  /// Accepts the errors that a test provoked.
  void acceptErrors() { m_errorsSeen = error().count; }

  /// Waits for the next vblank tick (SCANOUT0 is enabled), with the interrupt; `sequence` gets its number.
  Status waitVblank(int64_t timeoutNs, uint64_t& sequence);

  Registers& registers() { return m_registers; }
  Interrupts& interrupts() { return m_interrupts; }
  Memory& memory() { return m_memory; }
  const Ring& ring() const { return m_ring; }
  uint64_t submissions() const { return m_submissions; }
  /// Returns how many fences were found complete although no interrupt had come for 0.2 s. It was lost, or
  /// QEMU's main loop, which delivers it, was busy, for example with a screen dump.
  uint64_t lateInterrupts() const { return m_lateInterrupts; }

  static constexpr int64_t kSlotTimeoutNs = 5'000'000'000;

private:
  Status timeoutStatus(const char* what, uint64_t fence, int64_t timeoutNs);

  Registers& m_registers;
  Interrupts& m_interrupts;
  Memory& m_memory;
  Ring m_ring;
  Block m_ringMemory, m_fencePage, m_slotMemory;
  uint32_t m_commandBytes = 0, m_slotBytes = 0;
  uint64_t m_lastFence = 0, m_submissions = 0, m_lateInterrupts = 0;
  uint32_t m_errorsSeen = 0;
};

/// Bytes of a slot for an allocation table.
inline constexpr uint32_t kTableBytes = kPageBytes;

}  // namespace aerogpu::guest
