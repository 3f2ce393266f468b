// SPDX-License-Identifier: MIT
// EXT_WRITE_VALUE beside work of the GPU: a value is written when earlier work in the ring is done and in
// guest memory, in the order of the packets, and never for work that a reset drops.
#include <atomic>
#include <cstring>

#include "renderer/vulkan/test/gpu_test.h"

namespace aerogpu::test {
namespace {

constexpr uint64_t kBig = uint64_t{256} << 10;  // the GPU writes them in place (host_import.h)
constexpr uint8_t kOld = 0xA5, kNew = 0x3C;

class WriteValueGpuTest : public GpuTest {
protected:
  void SetUp() override {
    GpuTest::SetUp();
    m_word = allocate(64);
  }
  void TearDown() override {
    gpu().onGuestAccess = nullptr;
    loseDevice(Loss::None);
    for (const Allocation& a : m_allocations) gpu().forget(a);
    GpuTest::TearDown();
  }
  Allocation allocate(uint64_t size) {
    m_allocations.push_back(gpu().allocate(size));
    std::fill(gpu().bytes(m_allocations.back()).begin(), gpu().bytes(m_allocations.back()).end(), kOld);
    return m_allocations.back();
  }
  uint64_t word(uint64_t offset = 0) {
    uint64_t value;
    std::memcpy(&value, gpu().bytes(m_word).data() + offset, sizeof value);
    return value;
  }
  static constexpr uint64_t kOldWord = 0xA5A5A5A5A5A5A5A5;

  /// Writes `size` bytes of kNew back to `memory`, through the GPU.
  void writeBack(CommandWriter& w, const Allocation& memory, uint64_t size) {
    const Bytes bytes(size, kNew);
    const uint32_t from = buffer(w, bytes.data(), bytes.size(), 0), to = gpu().handle();
    packets::createBuffer(w, to, size, 0, memory.id);
    packets::copyBuffer(w, to, from, size);
  }

  Allocation m_word;

private:
  std::vector<Allocation> m_allocations;
};

// VALUE-1
TEST_F(WriteValueGpuTest, WhatIsBeforeItIsInMemoryWhenItIsWritten) {
  for (const uint64_t size : {uint64_t{1024}, kBig}) {
    SCOPED_TRACE(size);
    const Allocation memory = allocate(size);
    CommandWriter w;
    writeBack(w, memory, size);
    packets::writeValue(w, m_word.id, 0, size);
    std::atomic<int> writes{0}, early{0};
    gpu().onGuestAccess = [&](uint64_t gpa, bool write) {
      if (gpa != m_word.gpa || !write) return;
      ++writes;
      for (const uint8_t byte : gpu().bytes(memory))
        if (byte != kNew) ++early;
    };
    run(w);
    gpu().onGuestAccess = nullptr;
    EXPECT_EQ(writes.load(), 1);
    EXPECT_EQ(early.load(), 0) << "bytes that were not there yet";
    EXPECT_EQ(word(), size);
  }
}

// VALUE-1
TEST_F(WriteValueGpuTest, WaitsForEarlierSubmissionsToo) {
  const Allocation memory = allocate(kBig);
  CommandWriter first, second;
  writeBack(first, memory, kBig);
  packets::writeValue(second, m_word.id, 0, 1);
  std::atomic<int> early{0};
  gpu().onGuestAccess = [&](uint64_t gpa, bool write) {
    if (gpa == m_word.gpa && write && gpu().bytes(memory).back() != kNew) ++early;
  };
  gpu().submitAsync(first, m_context);
  run(second);
  gpu().onGuestAccess = nullptr;
  EXPECT_EQ(early.load(), 0);
  EXPECT_EQ(word(), 1u);
}

// VALUE-3
TEST_F(WriteValueGpuTest, TheLastPacketWins) {
  for (const uint64_t size : {uint64_t{1024}, kBig}) {
    SCOPED_TRACE(size);
    const Allocation memory = allocate(size);
    const auto at = [&](uint64_t offset) {
      uint64_t value;
      std::memcpy(&value, gpu().bytes(memory).data() + offset, sizeof value);
      return value;
    };
    CommandWriter w;
    packets::writeValue(w, memory.id, 0, 1);
    writeBack(w, memory, size);
    packets::writeValue(w, memory.id, 8, 2);
    const uint32_t read = gpu().handle();
    packets::createBuffer(w, read, size, 0, memory.id);
    packets::dirtyRange(w, read, 0, size);
    packets::writeValue(w, memory.id, 8, 3);
    run(w);
    EXPECT_EQ(at(0), 0x3C3C3C3C3C3C3C3Cu);
    EXPECT_EQ(at(8), 3u);
    EXPECT_EQ(gpu().readBuffer(read, size)[8], 2) << "as it was at the dirty range";
  }
}

// VALUE-6, RING-6, PCI-7
TEST_F(WriteValueGpuTest, WhatAResetDropsWritesNothing) {
  for (const bool deviceReset : {false, true}) {
    SCOPED_TRACE(deviceReset);
    const Allocation memory = allocate(1024);
    CommandWriter w;
    writeBack(w, memory, 1024);
    packets::writeValue(w, m_word.id, 0, 1);
    std::atomic<bool> interrupted{false};
    gpu().onGuestAccess = [&](uint64_t gpa, bool write) {  // the work is done, its write-back begins
      if (gpa == memory.gpa && write) interrupted.wait(false);
    };
    gpu().submitAsync(w, m_context);
    w.reset();
    packets::writeValue(w, m_word.id, 8, 2);
    gpu().submitAsync(w, m_context);
    aerogpu_renderer_interrupt(gpu().renderer());
    interrupted = true;
    interrupted.notify_all();
    if (deviceReset) {
      ASSERT_TRUE(aerogpu_renderer_reset(gpu().renderer()));
    } else {
      gpu().waitIdle();
      aerogpu_renderer_resume(gpu().renderer());
    }
    gpu().onGuestAccess = nullptr;
    EXPECT_EQ(word(0), kOldWord);
    EXPECT_EQ(word(8), kOldWord);
  }
  CommandWriter w;
  packets::writeValue(w, m_word.id, 0, 5);
  run(w);
  EXPECT_EQ(word(), 5u);
}

// VALUE-5, CMD-9
TEST_F(WriteValueGpuTest, ComesWithTheFenceOfALostGpu) {
  for (const Loss where : {Loss::AtSubmit, Loss::AtWait}) {
    const Allocation memory = allocate(1024);
    CommandWriter w;
    writeBack(w, memory, 1024);
    packets::writeValue(w, m_word.id, 0, 1);
    loseDevice(where);
    EXPECT_GE(gpu().submit(w, m_context).result.error_count, 1u);
    EXPECT_EQ(word(0), 1u);
    EXPECT_EQ(gpu().bytes(memory)[0], kOld) << "nothing is written back";
    w.reset();
    packets::writeValue(w, m_word.id, 0, 2);
    EXPECT_GE(gpu().submit(w, m_context).result.error_count, 1u);
    EXPECT_EQ(word(0), 2u);
    ASSERT_TRUE(aerogpu_renderer_reset(gpu().renderer()));
    (void)gpu().takeErrorLines();
  }
}

// LOSS-3, VALUE-5
TEST_F(WriteValueGpuTest, StaysAwayWhileCompletionsOfALostGpuAreHeld) {
  aerogpu_renderer_hold_values(gpu().renderer(), true);
  for (const Loss where : {Loss::AtSubmit, Loss::AtWait}) {
    const Allocation memory = allocate(1024);
    CommandWriter w;
    packets::writeValue(w, m_word.id, 0, 1);
    run(w);
    writeBack(w, memory, 1024);
    packets::writeValue(w, m_word.id, 0, 2);
    loseDevice(where);
    EXPECT_TRUE(gpu().submit(w, m_context).result.gpu_lost);
    w.reset();
    packets::writeValue(w, m_word.id, 0, 3);
    EXPECT_TRUE(gpu().submit(w, m_context).result.gpu_lost);
    EXPECT_EQ(word(0), 1u);
    ASSERT_TRUE(aerogpu_renderer_reset(gpu().renderer()));
    (void)gpu().takeErrorLines();
    w.reset();
    packets::writeValue(w, m_word.id, 0, 4);
    const FinishedSubmission finished = gpu().submit(w, m_context);
    EXPECT_EQ(finished.result.error_count, 0u);
    EXPECT_FALSE(finished.result.gpu_lost);
    EXPECT_EQ(word(0), 4u);
  }
  aerogpu_renderer_hold_values(gpu().renderer(), false);
}

// VALUE-7
TEST_F(WriteValueGpuTest, MemoryThatHasGoneIsAnErrorOfTheSubmission) {
  const Allocation memory = allocate(1024);
  const Allocation none = gpu().name(gpu().memory().size(), 64);
  CommandWriter w;
  writeBack(w, memory, 1024);
  packets::writeValue(w, none.id, 0, 1);
  packets::writeValue(w, m_word.id, 0, 2);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_OOB});
  EXPECT_EQ(word(), 2u);
  gpu().forget(none);
  (void)gpu().takeErrorLines();
}

}  // namespace
}  // namespace aerogpu::test
