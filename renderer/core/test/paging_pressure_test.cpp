// SPDX-License-Identifier: MIT
// The kernel driver's paging while programs have used the host's memory up, and without a GPU; the state
// after the failure of a submission that must not fail; frames of the screen without host memory.
// docs/abi/memory.md.
#include <cstring>

#include "aerogpu/aerogpu_ring_extension.h"
#include "aerogpu/aerogpu_spaces.h"
#include "renderer/test/expect.h"
#include "renderer/test/memory_packets.h"
#include "renderer/test/saving.h"

namespace {

using namespace aerogpu;
using test::Allocation;
using test::copyMemory;
using test::expectError;
using test::expectGood;
using test::fillMemory;
using test::FinishedSubmission;
using test::Harness;

constexpr uint64_t kMax = uint64_t{64} << 20, kLeast = 4, kPage = 4096, kTransfer = uint64_t{8} << 20;
constexpr uint32_t kBackend = AEROGPU_ERROR_BACKEND, kDecode = AEROGPU_ERROR_CMD_DECODE;

class PagingPressureTest : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override { ASSERT_TRUE(h.ok()) << h.createError(); }
  FinishedSubmission in(uint32_t space, uint32_t context = 0) {
    h.space = space == 0 ? Harness::kKernel : Harness::InSpace{space};
    const auto finished = h.submit(w, context);
    w.reset();
    return finished;
  }
  /// Lets three programs take all memory, down to less than an object costs.
  void useAllUp() {
    uint32_t handle = 5000;
    for (const uint32_t space : {1u, 2u, 3u, 0u})  // the last takes what the others leave to it (SPACE-26)
      for (uint64_t size = uint64_t{8} << 20; size >= kLeast; size /= 2)
        for (;;) {
          packets::createBuffer(w, handle++, size);
          if (in(space).result.error_count != 0) break;
        }
  }
  uint64_t word(uint64_t gpa) {
    uint64_t value;
    std::memcpy(&value, &h.memory()[gpa], sizeof value);
    return value;
  }
  /// MAP and UNMAP write a list's words, TRANSFER and FILL the memory of a segment: all of it must be right.
  void expectPaging(uint32_t context = 0) {
    const uint64_t before = h.stats().host_memory_bytes;
    for (uint64_t i = 0; i < kTransfer; i += kPage)
      std::memset(&h.memory()[vram.gpa + i], int(i / kPage % 251), kPage);
    const uint64_t entries[] = {0x201000, 0x202000};
    std::memcpy(&h.memory()[words.gpa], entries, sizeof entries);
    copyMemory(w, list, 8, words, 0, sizeof entries);
    copyMemory(w, system, 0, vram, 0, kTransfer);
    fillMemory(w, vram, 0, 0, kTransfer);
    const FinishedSubmission finished = in(0, context);
    expectGood(finished);
    EXPECT_FALSE(finished.result.gpu_lost);
    EXPECT_EQ(word(list.gpa + 8), entries[0]);
    EXPECT_EQ(word(list.gpa + 16), entries[1]);
    for (uint64_t i = 0; i < kTransfer; i += 509) {
      ASSERT_EQ(h.scatteredByte(system, i), i / kPage % 251) << i;
      ASSERT_EQ(h.memory()[vram.gpa + i], 0) << i;
    }
    EXPECT_EQ(h.stats().host_memory_bytes, before);
  }
  void lose(uint32_t faults) {
    aerogpu_renderer_play_faults(h.renderer(), faults);
    draw();
    EXPECT_TRUE(in(0).result.gpu_lost);
  }
  /// Adds work for the GPU.
  void draw() {
    Harness::createTexture(w, 900, AEROGPU_FORMAT_R8G8B8A8_UNORM, 16, 16,
                           AEROGPU_RESOURCE_USAGE_RENDER_TARGET);
    packets::setTarget(w, 900);
    packets::clearColor(w, {1});
  }
  /// Creates the kernel driver's context.
  void makeContext() {
    packets::clearColor(w, {1});
    (void)in(0);
  }

  Harness h{Harness::Options{.backend = GetParam(), .maxHostmem = kMax, .guestBytes = uint64_t{24} << 20}};
  CommandWriter w;
  const Allocation vram = h.allocate(kTransfer), system = h.allocateScattered(kTransfer),
                   list = h.allocate(kPage), words = h.allocate(kPage);
};

// MEM-8
TEST_P(PagingPressureTest, WithNoHostMemoryLeft) {
  useAllUp();
  EXPECT_GT(h.stats().host_memory_bytes + 1024, kMax);
  // Paging as it was before: a buffer over the source, another over the target, a copy between them.
  packets::createBuffer(w, 1, kPage, 0, words.id);
  packets::createBuffer(w, 2, kPage, 0, list.id);
  packets::dirtyRange(w, 1, 0, kPage);
  w.packet(aerogpu_cmd_copy_buffer{
      .dst_buffer = 2, .src_buffer = 1, .size_bytes = kPage, .flags = AEROGPU_COPY_FLAG_WRITEBACK_DST});
  EXPECT_GT(in(0).result.error_count, 0u);
  expectPaging();
  expectPaging(77);  // a context that does not exist and cannot be made
  packets::createBuffer(w, 3, kPage);
  expectError(in(0, 78), kBackend);
}

/// What fits into max_hostmem to the last bytes fits into it again, in another renderer too.
TEST_P(PagingPressureTest, AnotherRendererHoldsAllOfIt) {
  useAllUp();
  std::vector<uint8_t> bytes;
  ASSERT_EQ(aerogpu::test::save(h.renderer(), bytes), "");
  Harness other{Harness::Options{.backend = GetParam(), .maxHostmem = kMax}};
  ASSERT_EQ(aerogpu::test::load(other.renderer(), bytes), "");
  EXPECT_EQ(other.stats().resources, h.stats().resources);
  EXPECT_EQ(other.stats().host_memory_bytes, h.stats().host_memory_bytes);
}

// MEM-8, LOSS-1, LOSS-2
TEST_P(PagingPressureTest, WithAGpuThatIsLost) {
  useAllUp();
  packets::destroyResource(w, 5000);
  expectGood(in(1));
  makeContext();
  lose(AEROGPU_RENDERER_FAULT_LOSE);
  expectPaging();
  fillMemory(w, words, 0, 1, 8);
  w.packet(AEROGPU_CMD_NOP, aerogpu_cmd_hdr{});
  expectGood(in(0));
  fillMemory(w, words, 0, 2, 8);
  packets::createBuffer(w, 901, 64);
  EXPECT_GT(in(0).result.error_count, 0u) << "it asked for more";
  EXPECT_EQ(h.memory()[words.gpa], 2);
  EXPECT_GT(in(0).result.error_count, 0u) << "an empty one is no paging";
}

// MEM-8, LOSS-6
TEST_P(PagingPressureTest, WithAGpuThatIsGone) {
  lose(AEROGPU_RENDERER_FAULT_LOSE | AEROGPU_RENDERER_FAULT_REFUSE);
  EXPECT_FALSE(aerogpu_renderer_reset(h.renderer()));
  makeContext();
  for (int i = 0; i < 3; ++i) {
    expectPaging();
    packets::createBuffer(w, 902, 64);
    EXPECT_TRUE(in(0).result.gpu_lost);
  }
  aerogpu_renderer_play_faults(h.renderer(), 0);
  EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
  makeContext();
  expectPaging();
}

/// A paging submission that is handed over after lost work, before anyone knows of the loss, still runs.
// MEM-8
TEST_P(PagingPressureTest, BehindTheLoss) {
  (void)h.takeFinished();
  aerogpu_renderer_play_faults(h.renderer(), AEROGPU_RENDERER_FAULT_LOSE);
  h.space = Harness::kKernel;
  draw();
  h.submitAsync(w);
  w.reset();
  fillMemory(w, words, 0, 0x31313131, 64);
  h.submitAsync(w);
  w.reset();
  h.waitIdle();
  const auto finished = h.takeFinished();
  ASSERT_EQ(finished.size(), 2u);
  EXPECT_TRUE(finished[0].result.gpu_lost);
  expectGood(finished[1]);
  EXPECT_EQ(h.memory()[words.gpa], 0x31);
}

// MEM-11, MEM-12, MEM-13
TEST_P(PagingPressureTest, WhatMustNotFailStopsWhatComesBehind) {
  h.submitFlags = AEROGPU_SUBMIT_FLAG_EXT_HOLD;
  fillMemory(w, words, 0, 1, 8);
  expectGood(in(0));
  fillMemory(w, words, 0, 2, 8);
  fillMemory(w, words, kPage, 2, 8);
  fillMemory(w, words, 8, 2, 8);
  packets::writeValue(w, list.id, 0, 99);
  const FinishedSubmission failed = in(0);
  expectError(failed, AEROGPU_ERROR_OOB);
  EXPECT_EQ(h.memory()[words.gpa], 2);
  EXPECT_EQ(h.memory()[words.gpa + 8], 0) << "the rest does not run";
  EXPECT_EQ(word(list.gpa), 0u) << "nor its values";
  for (const uint32_t flags : {0u, uint32_t{AEROGPU_SUBMIT_FLAG_EXT_HOLD}})
    for (const uint32_t space : {0u, 1u}) {
      h.submitFlags = flags;
      fillMemory(w, words, 0, 3, 8);
      packets::writeValue(w, list.id, 0, 99);
      const FinishedSubmission behind = in(space);
      EXPECT_TRUE(behind.result.dropped);
      EXPECT_EQ(behind.result.error_count, 0u);
    }
  EXPECT_EQ(h.memory()[words.gpa], 2);
  EXPECT_EQ(word(list.gpa), 0u);
  aerogpu_renderer_resume(h.renderer());
  expectPaging();
}

// MEM-10, MEM-11, MEM-13, MEM-14
TEST_P(PagingPressureTest, AtEachStageButNotForPrograms) {
  const auto runs = [&] {
    h.submitFlags = 0;
    fillMemory(w, words, 0, 5, 8);
    const bool ran = !in(0).result.dropped;
    EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
    return ran;
  };
  const auto fails = [&](uint32_t space, uint32_t flags = AEROGPU_SUBMIT_FLAG_EXT_HOLD) {
    h.submitFlags = flags;
    packets::destroyResource(w, 4321);
    return in(space);
  };
  expectError(fails(0), kDecode);
  EXPECT_FALSE(runs());
  expectError(fails(1), kDecode);
  EXPECT_TRUE(runs()) << "a program's";
  h.submitFlags = AEROGPU_SUBMIT_FLAG_EXT_HOLD;
  h.space = Harness::InSpace{0};
  packets::destroyResource(w, 4321);
  expectError(h.submit(w), kDecode);
  w.reset();
  EXPECT_TRUE(runs()) << "a program's stream over the kernel driver's objects";
  h.space.reset();
  h.submitFlags = AEROGPU_SUBMIT_FLAG_EXT_HOLD;
  packets::destroyResource(w, 4321);
  expectError(h.submit(w), kDecode);
  w.reset();
  EXPECT_FALSE(runs()) << "without spaces all are the kernel driver's";
  expectGood(fails(0, AEROGPU_SUBMIT_FLAG_EXT_HOLD | AEROGPU_SUBMIT_FLAG_EXT_AGAIN));
  EXPECT_TRUE(runs());
  h.space = Harness::kKernel;
  h.submitFlags = AEROGPU_SUBMIT_FLAG_EXT_HOLD;
  expectError(h.submitRaw({}, {}, 0, kDecode), kDecode);  // the descriptor
  EXPECT_FALSE(runs());
  h.space = Harness::kKernel;
  h.submitFlags = AEROGPU_SUBMIT_FLAG_EXT_HOLD;
  const uint8_t noTable[64] = {};
  expectError(h.submitRaw({}, noTable), kDecode);
  EXPECT_FALSE(runs());
  // Failures of the GPU alone.
  h.submitFlags = AEROGPU_SUBMIT_FLAG_EXT_HOLD;
  lose(AEROGPU_RENDERER_FAULT_LOSE);
  EXPECT_FALSE(runs());
}

/// Presents still bring frames after programs have taken all memory.
// LIM-14
TEST_P(PagingPressureTest, FramesHaveAReserve) {
  constexpr uint32_t kWidth = 1280, kHeight = 800, kFrame = kWidth * kHeight * 4;
  const Allocation shown = h.allocate(kFrame);
  Harness::createTexture(w, 1, AEROGPU_FORMAT_B8G8R8X8_UNORM, kWidth, kHeight,
                         AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1, 1, shown.id, kWidth * 4);
  packets::setTarget(w, 1);
  packets::clearColor(w, {0, 0, 0, 1});  // the target's view is its program's memory
  constexpr uint32_t kRoom = 4999;  // for the view, which a renderer that was made anew has to make again
  packets::createBuffer(w, kRoom, kPage);
  expectGood(in(0));
  h.showAllocation(shown.id);
  useAllUp();
  packets::destroyResource(w, kRoom);
  expectGood(in(0));
  h.takeErrorLines();
  const uint64_t before = h.stats().host_memory_bytes;
  for (uint32_t i = 0; i < 12; ++i) {
    packets::setTarget(w, 1);
    packets::clearColor(w, {i / 12.0f, 0, 0, 1});
    packets::present(w);
    const FinishedSubmission finished = in(0);
    expectGood(finished);
    if (finished.result.error_count != 0)
      for (const std::string& line : h.takeErrorLines()) ADD_FAILURE() << line;
    ASSERT_TRUE(finished.hasFrame) << i;
  }
  EXPECT_LE(h.stats().host_memory_bytes - before, uint64_t{32} << 20);
  EXPECT_EQ(h.takeFrames().size(), 12u);
  // Programs get nothing of the reserve.
  packets::createBuffer(w, 4000, kPage);
  expectError(in(1), kBackend);
}

/// The reserve is limited: an embedder that keeps its frames is refused at some point.
// LIM-14
TEST_P(PagingPressureTest, TheReserveHasAnEnd) {
  constexpr uint32_t kSide = 1024;
  const Allocation shown = h.allocate(uint64_t{kSide} * kSide * 4);
  Harness::createTexture(w, 1, AEROGPU_FORMAT_B8G8R8X8_UNORM, kSide, kSide,
                         AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1, 1, shown.id, kSide * 4);
  Harness::createTexture(w, 2, AEROGPU_FORMAT_B8G8R8X8_UNORM, 2 * kSide, kSide,
                         AEROGPU_RESOURCE_USAGE_RENDER_TARGET);
  // A back end may keep something for a target that was drawn to; that is no part of the reserve.
  packets::setTarget(w, 1);
  packets::clearColor(w, {0, 0, 0, 1});
  expectGood(in(0));
  h.showAllocation(shown.id);
  useAllUp();
  const uint64_t before = h.stats().host_memory_bytes;
  h.holdsFrames = true;
  uint32_t frames = 0;
  for (uint32_t i = 0; i < 20; ++i) {
    packets::setTarget(w, 1);
    packets::clearColor(w, {i / 20.0f, 0, 0, 1});
    packets::present(w);
    frames += in(0).hasFrame;
  }
  EXPECT_EQ(frames, 8u);  // of 4 MiB each in 32
  EXPECT_EQ(h.stats().host_memory_bytes - before, uint64_t{32} << 20);
  h.releaseFrames();
  packets::setTarget(w, 1);
  packets::clearColor(w, {0, 1, 0, 1});
  packets::present(w);
  EXPECT_TRUE(in(0).hasFrame);
}

INSTANTIATE_TEST_SUITE_P(BackEnds, PagingPressureTest, ::testing::Values("null", "vulkan"),
                         [](const auto& backend) { return std::string(backend.param); });

}  // namespace
