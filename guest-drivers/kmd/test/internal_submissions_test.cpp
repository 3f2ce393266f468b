// SPDX-License-Identifier: MIT
// Tests the driver's own submissions (internal_queue.h): small buffers in the OS' ring, without interrupt and fence.
#include "aerogpu/aerogpu_cmd_resource.h"
#include "aerogpu/aerogpu_ring_extension.h"
#include "guest-drivers/kmd/test/scheduler_fixture.h"

namespace aero::test {
namespace {

class InternalSubmissions : public SchedulerTest {
protected:
  const aerogpu_cmd_hdr m_nop = {AEROGPU_CMD_NOP, sizeof m_nop};
  NTSTATUS submitNop() { return m_internal.submit(&m_nop, sizeof m_nop); }
  /** Uses all buffers of the queue. */
  void fill() {
    for (uint32_t i = 0; i < InternalQueue::kSlots; i++) ASSERT_EQ(submitNop(), STATUS_SUCCESS);
  }
  /** Submits a packet that the test can recognise. */
  bool end(uint32_t handle, uint32_t context = kInternalContext) {
    const aerogpu_cmd_destroy_resource packet = {{AEROGPU_CMD_DESTROY_RESOURCE, sizeof packet}, handle, 0};
    return m_internal.submitEnd(&packet, sizeof packet, {0, context});
  }
  /** Returns the handles that the queued submissions from `first` on end, in order. */
  std::vector<uint32_t> ends(size_t first) const {
    std::vector<uint32_t> handles;
    for (size_t i = first; i < m_device.queue.size(); i++) {
      const aerogpu_submit_desc &desc = m_device.queue[i];
      const auto *at = static_cast<const uint8_t *>(m_kernel.memoryAt(desc.cmd_gpa, desc.cmd_size_bytes));
      for (size_t offset = sizeof(aerogpu_cmd_stream_header);
           offset + sizeof(aerogpu_cmd_destroy_resource) <= desc.cmd_size_bytes;
           offset += sizeof(aerogpu_cmd_destroy_resource)) {
        aerogpu_cmd_destroy_resource packet;
        memcpy(&packet, at + offset, sizeof packet);
        if (packet.hdr.opcode == AEROGPU_CMD_DESTROY_RESOURCE) handles.push_back(packet.resource_handle);
      }
    }
    return handles;
  }
};

TEST_F(InternalSubmissions, RunInOrderWithoutAnInterruptAndSayNothingNew) {
  start();
  submitAll({1});
  EXPECT_EQ(m_internal.submit(&m_nop, sizeof m_nop, {0, 0x1FF}), STATUS_SUCCESS);
  ASSERT_EQ(m_device.queue.size(), 2u);
  const aerogpu_submit_desc &desc = m_device.queue[1];
  EXPECT_EQ(desc.flags, uint32_t{AEROGPU_SUBMIT_FLAG_NO_IRQ});
  EXPECT_EQ(desc.context_id, 0x1FFu);
  EXPECT_EQ(desc.signal_fence, 0x100000000u) << "from before the first submission of the OS";
  EXPECT_EQ(desc.alloc_table_size_bytes, 0u);
  struct Stream {
    aerogpu_cmd_stream_header header;
    aerogpu_cmd_hdr packet;
  };
  ASSERT_EQ(desc.cmd_size_bytes, sizeof(Stream));
  const auto *stream = static_cast<const Stream *>(m_kernel.memoryAt(desc.cmd_gpa, sizeof(Stream)));
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->header.magic, AEROGPU_CMD_STREAM_MAGIC);
  EXPECT_EQ(stream->header.size_bytes, sizeof(Stream));
  EXPECT_EQ(stream->packet.opcode, AEROGPU_CMD_NOP);
  EXPECT_EQ(stream->packet.size_bytes, sizeof m_nop);
  EXPECT_EQ(m_counters.internalSubmissions, 1u);
  m_device.complete(2);
  interrupt();
  EXPECT_EQ(m_kernel.take(), (Told{"completed 1", "dpc"}));
}

TEST_F(InternalSubmissions, KeepTheirMemoryUntilTheyHaveRun) {
  start();
  std::vector<uint64_t> places;
  for (uint32_t i = 0; i < InternalQueue::kSlots; i++) {
    ASSERT_EQ(submitNop(), STATUS_SUCCESS);
    for (const uint64_t place : places) EXPECT_NE(newest().cmd_gpa, place);
    places.push_back(newest().cmd_gpa);
  }
  // The next submission waits until the first one has left the ring.
  const uint64_t before = m_kernel.now();
  m_kernel.whenWaited = [&] {
    if (m_kernel.now() - before >= 5000000 && m_device.queue.size() == InternalQueue::kSlots) m_device.complete();
  };
  EXPECT_EQ(submitNop(), STATUS_SUCCESS);
  EXPECT_GE(m_kernel.now() - before, 5000000u);
  EXPECT_EQ(newest().cmd_gpa, places[0]);
}

TEST_F(InternalSubmissions, AreGivenUpWithoutRoomAndThenAtOnce) {
  start();
  fill();
  uint64_t before = m_kernel.now();
  EXPECT_EQ(submitNop(), STATUS_IO_TIMEOUT);
  EXPECT_GE(m_kernel.now() - before, 200000000u);
  EXPECT_LT(m_kernel.now() - before, 210000000u);
  EXPECT_EQ(m_device.queue.size(), size_t{InternalQueue::kSlots});
  // The head has not moved since, so this fails at once.
  before = m_kernel.now();
  EXPECT_EQ(submitNop(), STATUS_IO_TIMEOUT);
  EXPECT_LT(m_kernel.now() - before, 2000000u);
  m_device.complete();
  EXPECT_EQ(submitNop(), STATUS_SUCCESS);
}

TEST_F(InternalSubmissions, ThatEndSomethingAreKeptAndGoFirst) {
  start();
  fill();
  const uint64_t before = m_kernel.now();
  for (uint32_t handle = 1; handle <= 5; handle++) EXPECT_TRUE(end(handle));
  EXPECT_TRUE(end(6, 0x1FF));
  EXPECT_TRUE(end(7));
  EXPECT_EQ(m_kernel.now(), before) << "nothing is waited for";
  EXPECT_TRUE(m_internal.owes());
  EXPECT_EQ(m_device.queue.size(), size_t{InternalQueue::kSlots});
  // Three submissions: consecutive ones of the same context are merged.
  m_device.complete(4);
  EXPECT_EQ(submitNop(), STATUS_SUCCESS);
  EXPECT_FALSE(m_internal.owes());
  ASSERT_EQ(m_device.queue.size(), InternalQueue::kSlots - 4 + 4u);
  EXPECT_EQ(ends(InternalQueue::kSlots - 4), (std::vector<uint32_t>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(m_device.queue[InternalQueue::kSlots - 3].context_id, 0x1FFu);
}

TEST_F(InternalSubmissions, ComeAgainAfterAReset) {
  start();
  EXPECT_TRUE(end(1));
  m_device.complete();
  for (uint32_t handle = 2; handle <= 40; handle++) EXPECT_TRUE(end(handle));
  submitAll({1});
  ASSERT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  EXPECT_TRUE(m_device.queue.empty());
  EXPECT_TRUE(end(41)) << "while the system cleans up";
  EXPECT_TRUE(m_device.queue.empty());
  ASSERT_EQ(m_scheduler.restartFromTimeout(), STATUS_SUCCESS);
  // Submissions in the ring may have run (RING-7, RING-10), kept ones have not.
  for (size_t i = 0; i < m_device.queue.size(); i++)
    EXPECT_EQ(m_device.queue[i].flags & AEROGPU_SUBMIT_FLAG_EXT_AGAIN,
              i < InternalQueue::kSlots ? AEROGPU_SUBMIT_FLAG_EXT_AGAIN : 0u)
        << i;
  // Each runs once, in order; the OS' own submissions do not run again.
  m_device.complete(m_device.queue.size() / 2);
  m_internal.sendOwed();
  std::vector<uint32_t> expected;
  for (uint32_t handle = 2; handle <= 41; handle++) expected.push_back(handle);
  std::vector<uint32_t> left = ends(0);
  ASSERT_FALSE(left.empty());
  EXPECT_EQ(left, std::vector<uint32_t>(expected.end() - static_cast<std::ptrdiff_t>(left.size()), expected.end()));
  EXPECT_EQ(left.back(), 41u);
  EXPECT_FALSE(m_internal.owes());
}

TEST_F(InternalSubmissions, AreMarkedWhenTheyComeAgainAndNotBefore) {
  start();
  EXPECT_TRUE(end(1));
  ASSERT_EQ(m_scheduler.resetFromTimeout(), STATUS_SUCCESS);
  ASSERT_EQ(m_scheduler.restartFromTimeout(), STATUS_SUCCESS);
  ASSERT_EQ(m_device.queue.size(), 1u);
  EXPECT_EQ(m_device.queue[0].flags, AEROGPU_SUBMIT_FLAG_NO_IRQ | AEROGPU_SUBMIT_FLAG_EXT_AGAIN);
  m_device.complete();
  EXPECT_TRUE(end(2));
  ASSERT_EQ(m_device.queue.size(), 1u);
  EXPECT_EQ(m_device.queue[0].flags, uint32_t{AEROGPU_SUBMIT_FLAG_NO_IRQ}) << "the same buffer, for the first time";
}

TEST_F(InternalSubmissions, AreOfNoUseToADeviceThatHasForgotten) {
  start();
  submitAll({1});
  m_device.complete();
  EXPECT_TRUE(end(1));
  m_scheduler.suspend();
  EXPECT_TRUE(end(2));
  m_device.resetMachine();
  m_scheduler.resume(true);
  EXPECT_TRUE(m_device.queue.empty());
  EXPECT_FALSE(m_internal.owes());
}

TEST_F(InternalSubmissions, AreWaitedForByTheClockWhateverADelayLasts) {
  start();
  m_kernel.clockTick = 15625000;  // Windows' usual tick: 64 a second
  fill();
  uint64_t before = m_kernel.now();
  EXPECT_EQ(submitNop(), STATUS_IO_TIMEOUT);
  EXPECT_GE(m_kernel.now() - before, 200000000u - m_kernel.clockTick);
  EXPECT_LE(m_kernel.now() - before, 200000000u + 2 * m_kernel.clockTick);
  before = m_kernel.now();
  EXPECT_EQ(m_internal.waitIdle(100), STATUS_IO_TIMEOUT);
  EXPECT_GE(m_kernel.now() - before, 100000000u - m_kernel.clockTick);
  EXPECT_LE(m_kernel.now() - before, 100000000u + 2 * m_kernel.clockTick);
}

TEST_F(InternalSubmissions, LetOthersInWhileTheyWait) {
  start();
  fill();
  bool tried = false;
  m_kernel.whenWaited = [&] {
    if (tried) return;
    tried = true;
    m_device.complete();
    EXPECT_EQ(submitNop(), STATUS_SUCCESS) << "another thread's, between two looks";
    m_device.complete();
  };
  EXPECT_EQ(submitNop(), STATUS_SUCCESS);
  EXPECT_TRUE(tried);
}

TEST_F(InternalSubmissions, ThatAreTooLargeOrComeTooLateAreRefused) {
  start();
  const std::vector<uint8_t> packets(InternalQueue::kBytes);
  constexpr uint32_t largest = InternalQueue::kBytes - sizeof(aerogpu_cmd_stream_header);
  EXPECT_EQ(m_internal.submit(packets.data(), largest), STATUS_SUCCESS);
  EXPECT_EQ(m_internal.submit(packets.data(), largest + 1), STATUS_BUFFER_OVERFLOW);
  m_scheduler.suspend();
  EXPECT_EQ(submitNop(), STATUS_DEVICE_NOT_READY);
  EXPECT_EQ(m_device.queue.size(), 0u);
}

TEST_F(InternalSubmissions, AreWaitedForWithinTheTimeThatIsGiven) {
  start();
  EXPECT_EQ(m_internal.waitIdle(100), STATUS_SUCCESS) << "nothing is queued";
  ASSERT_EQ(submitNop(), STATUS_SUCCESS);
  uint64_t before = m_kernel.now();
  EXPECT_EQ(m_internal.waitIdle(100), STATUS_IO_TIMEOUT);
  EXPECT_GE(m_kernel.now() - before, 100000000u);
  EXPECT_LT(m_kernel.now() - before, 110000000u);
  before = m_kernel.now();
  m_kernel.whenWaited = [&] {
    if (m_kernel.now() - before >= 7000000 && !m_device.queue.empty()) m_device.complete();
  };
  EXPECT_EQ(m_internal.waitIdle(100), STATUS_SUCCESS);
  EXPECT_LT(m_kernel.now() - before, 10000000u);
}

TEST_F(InternalSubmissions, AreFinishedWhenTheDeviceSaysSoAndNotWhenTheyLeaveTheRing) {
  start();
  ASSERT_EQ(submitNop(), STATUS_SUCCESS);
  const uint64_t completed = m_device.completedFence(), before = m_kernel.now();
  EXPECT_EQ(m_internal.finish(100), STATUS_IO_TIMEOUT);
  EXPECT_GE(m_kernel.now() - before, 100000000u);
  ASSERT_EQ(m_device.queue.size(), 2u) << "what was submitted, and the end of it";
  EXPECT_GT(m_device.queue[1].signal_fence, completed);
  EXPECT_EQ(m_device.queue[1].signal_fence >> 32, m_device.queue[0].signal_fence >> 32)
      << "the next start begins above it";
  EXPECT_TRUE(m_device.queue[1].flags & AEROGPU_SUBMIT_FLAG_NO_IRQ);
  m_device.complete();
  EXPECT_EQ(m_internal.finish(100), STATUS_IO_TIMEOUT) << "the end was not reached";
  m_kernel.whenWaited = [&] {
    if (!m_device.queue.empty()) m_device.complete();
  };
  EXPECT_EQ(m_internal.finish(100), STATUS_SUCCESS);
  m_scheduler.suspend();
  EXPECT_EQ(m_internal.finish(100), STATUS_DEVICE_NOT_READY);
}

}  // namespace
}  // namespace aero::test
