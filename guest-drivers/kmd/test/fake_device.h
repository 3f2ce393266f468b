// SPDX-License-Identifier: MIT
// fake_device.h: simulates BAR0 and the ring (docs/abi/pci.md, ring.md, present.md) to test the driver's parts.
// Submissions complete when the test says so; every register write is recorded.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <ostream>
#include <vector>

#include "aerogpu/aerogpu_pci.h"
#include "aerogpu/aerogpu_ring.h"
#include "aerogpu/aerogpu_spaces.h"
#include "guest-drivers/kmd/test/fake_kernel.h"

namespace aero::test {

struct RegisterWrite {
  uint32_t offset, value;
  bool operator==(const RegisterWrite &) const = default;
};
std::ostream &operator<<(std::ostream &out, const RegisterWrite &write);

/** One exists at a time. */
class FakeDevice {
public:
  explicit FakeDevice(FakeKernel &kernel);
  ~FakeDevice();
  FakeDevice(const FakeDevice &) = delete;
  FakeDevice &operator=(const FakeDevice &) = delete;

  /** Returns the address for Registers::map(). */
  void *bar0() { return m_bar0.data(); }
  /** Read and write a register as over the bus, with side effects. */
  uint32_t read(uint32_t offset);
  void write(uint32_t offset, uint32_t value);

  /** Returns a register's value without side effects. */
  uint32_t value(uint32_t offset) const { return m_registers[offset / 4]; }
  void setValue(uint32_t offset, uint32_t value) { m_registers[offset / 4] = value; }

  std::vector<RegisterWrite> writes;
  std::vector<RegisterWrite> takeWrites();
  /** Counts reads of a register since the start. */
  uint32_t reads(uint32_t offset) const { return m_reads[offset / 4]; }
  /** Called before each read, so that a test can change a value between two reads. */
  std::function<void(uint32_t offset)> beforeRead;

  // The ring.
  /** Submissions that were fetched at the doorbell and are not completed, oldest first. */
  std::deque<aerogpu_submit_desc> queue;
  /** The handle space of the newest submission that was fetched; only while handle spaces are enabled. */
  aerogpu_submit_space newestSpace = {};
  const aerogpu_ring_header *ring() const;
  const aerogpu_fence_page *fencePage() const;
  /** Completes the oldest submissions, in order. */
  void complete(size_t count = 1);
  /** Completes the oldest submission with an error. Once ERROR_NEXT was written, the error also leaves a record (REC);
   * with `lost` the record had no room. */
  void fail(uint32_t code, bool lost = false);
  uint64_t completedFence() const { return m_completed; }
  void setCompletedFence(uint64_t fence) { m_completed = fence; }
  /** The device accepts no RESET and completes nothing any more. */
  bool hangs = false;
  /** The device is off the bus: every read gives all ones. */
  bool gone = false;
  /** Resets the machine: registers, fence, and the queue. */
  void resetMachine();

  // The vblank clock.
  /** Device's clock minus the guest's, nanoseconds. */
  uint64_t clockOffset = 5000000000;
  /** Returns the time of the last tick at the guest's time `now`, on the guest's clock; 0 before the first. */
  uint64_t lastTick() const;
  uint64_t vblankSequence() const;
  void setVblankSequence(uint64_t ticks) { m_ticksBefore = ticks; }

private:
  uint64_t pair(uint32_t lo) const { return uint64_t{value(lo + 4)} << 32 | value(lo); }
  uint64_t advancing(uint32_t lo) const;
  void fetch();
  void writeFencePage();
  void takeErrorRecord();
  aerogpu_ring_header *header();

  FakeKernel &m_kernel;
  std::vector<uint8_t> m_bar0;  // only addresses in it are used
  std::vector<uint32_t> m_registers;
  std::vector<uint32_t> m_reads;
  uint32_t m_fetched = 0;  // index of the next slot
  uint64_t m_completed = 0;
  std::map<uint64_t, uint32_t> m_spaces;  // by fence
  struct ErrorRecord {
    uint64_t fence;
    uint32_t code, space, context;
  };
  std::deque<ErrorRecord> m_errorRecords;
  bool m_errorRecordsWanted = false;
  uint32_t m_errorsLost = 0;
  uint64_t m_enabledAt = 0;
  uint64_t m_ticksBefore = 0;  // ticks before the scanout was enabled
  uint64_t m_tickBefore = 0;   // time of the last of those ticks
};

}  // namespace aero::test
