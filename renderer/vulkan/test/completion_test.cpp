// SPDX-License-Identifier: MIT
// A failure that the completion thread finds after the hand-over of a batch belongs to that batch's
// submission.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "renderer/test/harness.h"
#include "renderer/test/vulkan_double.h"

namespace {

thread_local int yields = 0;
thread_local bool crowded = false;

}  // namespace

/// Replaces the C library's: while the thread's processor is crowded it returns after a millisecond.
extern "C" int sched_yield() noexcept {
  ++yields;
  const auto back = std::chrono::steady_clock::now() + std::chrono::milliseconds(crowded ? 1 : 0);
  do {
    syscall(SYS_sched_yield);
  } while (std::chrono::steady_clock::now() < back);
  return 0;
}

namespace aerogpu::test {
namespace {

/// A write-back to missing memory fails on the completion thread. Meanwhile the submission goes on and ends
/// without more work for the GPU: at first while the thread is busy, then when it is idle again.
// CMD-8
TEST(Completion, AFailedWriteBackIsAnErrorOfItsOwnSubmission) {
  Harness::Options options;
  options.backend = "vulkan";
  options.flags = AEROGPU_RENDERER_VALIDATION;
  Harness gpu(options);
  ASSERT_TRUE(gpu.ok()) << gpu.createError();
  const Allocation nowhere = gpu.name(uint64_t{1} << 40, 4096);
  const Allocation list = gpu.allocateScattered(4096);
  gpu.setScatteredPage(list, 0, 8);  // not the address of a page: the list is refused
  CommandWriter w;
  const uint32_t from = gpu.handle(), to = gpu.handle(), listed = gpu.handle();
  packets::createBuffer(w, from, 4096, 0);
  packets::createBuffer(w, to, 4096, 0, nowhere.id);
  packets::createBuffer(w, listed, 4096, 0, list.id);
  ASSERT_EQ(gpu.submit(w).result.error_count, 0u);
  w.reset();
  aerogpu_cmd_copy_buffer copy{};
  copy.dst_buffer = to;
  copy.src_buffer = from;
  copy.size_bytes = 4096;
  copy.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
  w.packet(copy);
  w.packet(aerogpu_cmd_flush{});
  packets::dirtyRange(w, listed, 0, 4096);
  for (const bool idle : {false, true}) {
    if (idle)
      gpu.onGuestAccess = [&](uint64_t, bool write) {
        if (!write) gpu.waitIdle();
      };
    const FinishedSubmission finished = gpu.submit(w);
    EXPECT_EQ(finished.result.error_count, 2u) << "the list and the write-back; idle " << idle;
    EXPECT_EQ(finished.result.last_error_code, uint32_t{AEROGPU_ERROR_OOB});
    gpu.onGuestAccess = nullptr;
    CommandWriter harmless;
    harmless.packet(aerogpu_cmd_flush{});
    EXPECT_EQ(gpu.submit(harmless).result.error_count, 0u) << "idle " << idle;
  }
}

/// A texture that is read back into guest memory, and the thread that writes there.
class ReadBackTest : public testing::Test {
protected:
  static constexpr uint32_t kSide = 16, kBytes = kSide * kSide * 4;
  static Harness::Options validated() {
    Harness::Options options;
    options.backend = "vulkan";
    options.flags = AEROGPU_RENDERER_VALIDATION;
    return options;
  }

  void SetUp() override {
    ASSERT_TRUE(m_gpu.ok()) << m_gpu.createError();
    m_memory = m_gpu.allocate(kBytes);
    m_texture = m_gpu.handle();
    CommandWriter w;
    Harness::createTexture(w, m_texture, AEROGPU_FORMAT_B8G8R8A8_UNORM, kSide, kSide,
                           AEROGPU_RESOURCE_USAGE_RENDER_TARGET);
    ASSERT_EQ(m_gpu.submit(w).result.error_count, 0u);
    m_gpu.onGuestAccess = [this, submits = std::this_thread::get_id()](uint64_t, bool write) {
      if (write) ++(std::this_thread::get_id() == submits ? m_here : m_there);
    };
  }
  void TearDown() override { m_gpu.onGuestAccess = nullptr; }

  /// Runs `stream`, then reads the texture back to guest memory.
  void read(CommandWriter& stream) {
    stream.packet(aerogpu_cmd_ext_read_texture{.texture = m_texture,
                                               .width = kSide,
                                               .height = kSide,
                                               .depth = 1,
                                               .dst_alloc_id = m_memory.id,
                                               .dst_row_pitch_bytes = kSide * 4});
    EXPECT_EQ(m_gpu.submit(stream).result.error_count, 0u);
  }
  /// Sends new bytes each time, to the texture and back.
  void round() {
    CommandWriter w;
    const auto value = static_cast<uint8_t>(++m_rounds * 7);
    packets::upload(w, m_texture, 0, std::vector<uint8_t>(kBytes, value));
    read(w);
    const auto bytes = m_gpu.bytes(m_memory);
    EXPECT_TRUE(std::all_of(bytes.begin(), bytes.begin() + kBytes, [&](uint8_t b) { return b == value; }));
  }
  /// Repeats rounds until the GPU is quick enough for the thread that submits to bring the bytes.
  void roundsUntilHere() {
    const int there = m_there;
    int rounds = 0;
    for (; rounds < 10000 && m_here == 0; ++rounds) round();
    EXPECT_EQ(m_here, 1);
    EXPECT_EQ(m_there, there + rounds - 1);
  }

  Harness m_gpu{validated()};
  Allocation m_memory;
  uint32_t m_texture = 0;
  int m_rounds = 0;
  std::atomic<int> m_here{0}, m_there{0};  ///< read-backs by the thread that submits, and by another
};

/// The thread that submits brings a few bytes itself, if the GPU is quick and the embedder waits for them. It
/// polls, and does not sleep briefly: the timer of such a sleep costs more than the copy. It never waits for
/// draws' results, since draws may take long.
TEST_F(ReadBackTest, AFewBytesComeBeforeSubmitReturns) {
  shortestSleep();
  roundsUntilHere();
  EXPECT_GE(shortestSleep(), 20'000'000u) << "who sleeps sleeps for 20 ms";
  m_here = m_there = 0;
  for (int i = 0; i < 20; ++i) {
    CommandWriter w;
    packets::setTargets(w, {&m_texture, 1});
    Harness::clear(w, AEROGPU_CLEAR_COLOR, 1, 1, 1, 1);
    read(w);
  }
  EXPECT_EQ(m_here, 0);
  EXPECT_EQ(m_there, 20);
}

/// After a slow GPU the next 16 read-backs are another thread's, so that the thread that submits is not held
/// up.
TEST_F(ReadBackTest, ASlowGpuIsWaitedForByAnotherThread) {
  slowDevices(3);
  round();
  slowDevices({});
  m_here = m_there = 0;
  for (int i = 0; i < 16; ++i) round();
  EXPECT_EQ(m_here, 0);
  EXPECT_EQ(m_there, 16);
  roundsUntilHere();
}

/// After other threads took the processor from the polling thread, it does not poll the next 256 times: it
/// looks once, and sleeps.
TEST_F(ReadBackTest, OnACrowdedProcessorNobodyAsks) {
  constexpr int kMostRounds = 10000;  // some find a slow or busy GPU
  slowDevices(0);
  crowded = true;
  yields = 0;
  for (int i = 0; i < kMostRounds && yields == 0; ++i) round();
  EXPECT_EQ(yields, 1);
  crowded = false;
  yields = 0;
  const int before = looks();
  for (int i = 0; i < kMostRounds && looks() < before + 256; ++i) {
    round();
    ASSERT_EQ(yields, 0) << "after " << looks() - before << " looks";
  }
  EXPECT_EQ(looks(), before + 256);
  for (int i = 0; i < kMostRounds && looks() == before + 256; ++i) round();
  EXPECT_GT(yields, 0);
  slowDevices({});
}

}  // namespace
}  // namespace aerogpu::test
