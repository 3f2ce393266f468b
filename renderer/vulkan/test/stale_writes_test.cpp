// SPDX-License-Identifier: MIT
// After a ring reset old work may still run, while the guest gives that work's memory to another program: old
// work must not write there in any way, and the device reports what a GPU may still do.
// docs/develop/architecture.md, "Nothing old writes".
#include <algorithm>

#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

constexpr uint8_t kOld = 0xA5, kOthers = 0x3C;
constexpr uint32_t kSide = 512;  // a texture of 1 MiB, which the GPU copies itself (host_import.h)
constexpr uint64_t kBytes = uint64_t{kSide} * kSide * 4;

class StaleWritesTest : public DrawTest {
protected:
  void SetUp() override {
    DrawTest::SetUp();
    m_memory = gpu().allocate(kBytes);
    fill(kOld);
    CommandWriter w;
    m_from = texture(w, kBgra, kSide, kSide);
    packets::upload(w, m_from, 0, Bytes(kBytes, 0xFF));
    run(w);
  }
  void TearDown() override {
    hangDevices(false);
    hold(false);
    gpu().waitIdle();
    if (aerogpu_renderer_leftovers(gpu().renderer()) != 0) ADD_FAILURE() << "something is left";
    gpu().forget(m_memory);
    EXPECT_EQ(gpu().mappingsHeld(), 0);
    DrawTest::TearDown();
  }
  void fill(uint8_t value) {
    const auto bytes = gpu().bytes(m_memory);
    std::fill(bytes.begin(), bytes.end(), value);
  }
  bool isAll(uint8_t value) {
    const auto bytes = gpu().bytes(m_memory);
    return std::all_of(bytes.begin(), bytes.end(), [&](uint8_t b) { return b == value; });
  }
  uint32_t left() { return aerogpu_renderer_leftovers(gpu().renderer()); }

  void readTexture(CommandWriter& w, uint32_t side, uint64_t offset = 0) {
    w.packet(aerogpu_cmd_ext_read_texture{.texture = m_from,
                                          .width = side,
                                          .height = side,
                                          .depth = 1,
                                          .dst_alloc_id = m_memory.id,
                                          .dst_row_pitch_bytes = side * 4,
                                          .dst_offset_bytes = offset});
  }
  void copyBack(CommandWriter& w, uint32_t side) {
    const uint32_t to = gpu().handle();
    Harness::createTexture(w, to, kBgra, kSide, kSide, AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, m_memory.id,
                           kSide * 4);
    aerogpu_cmd_copy_texture2d c{};
    c.dst_texture = to;
    c.src_texture = m_from;
    c.width = c.height = side;
    c.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    w.packet(c);
    packets::destroyResource(w, to);
  }
  void bufferBack(CommandWriter& w, uint64_t size) {
    const Bytes bytes(size, 0xFF);
    const uint32_t from = buffer(w, bytes.data(), bytes.size(), 0), to = gpu().handle();
    packets::createBuffer(w, to, size, 0, m_memory.id);
    packets::copyBuffer(w, to, from, size);
    packets::destroyResource(w, from);
    packets::destroyResource(w, to);
  }
  void depthBack(CommandWriter& w) {
    w.packet(aerogpu_cmd_ext_read_texture{.texture = m_depth,
                                          .width = kSize,
                                          .height = kSize,
                                          .depth = 1,
                                          .dst_alloc_id = m_memory.id,
                                          .dst_row_pitch_bytes = kSize * 4});
  }
  /// Draws for tenths of a second on a software rasteriser.
  void drawLong(CommandWriter& w) {
    constexpr uint32_t kWide = 1024, kTimes = 200;
    const uint32_t wide = texture(w, kBgra, kWide, kWide);
    target(w, wide);
    viewport(w, 0, 0, kWide, kWide);
    std::vector<Vertex> v;
    for (uint32_t i = 0; i < kTimes; ++i)
      for (const Vertex& one : quad(0, 0, kSize, kSize, 0xFF336699)) v.push_back(one);
    drawVertices(w, v);
    target(w, m_target);
    viewport(w, 0, 0, kSize, kSize);
    packets::destroyResource(w, wide);
  }

  /// While set the GPU ends none of its work.
  void hold(bool on) { aerogpu_renderer_play_faults(gpu().renderer(), on ? AEROGPU_RENDERER_FAULT_HANG : 0); }
  /// Interrupts the renderer, as a ring reset does, and then reuses the memory, as a guest does.
  void giveUp() {
    aerogpu_renderer_interrupt(gpu().renderer());
    fill(kOthers);
  }
  void goOn() {
    gpu().waitIdle();
    aerogpu_renderer_resume(gpu().renderer());
    (void)gpu().takeFinished();
  }
  /// Expects that new work writes.
  void worksAgain() {
    for (const uint32_t side : {16u, kSide}) {
      fill(kOld);
      CommandWriter w;
      readTexture(w, side);
      run(w);
      EXPECT_EQ(gpu().bytes(m_memory)[0], 0xFF) << side;
      EXPECT_EQ(gpu().bytes(m_memory)[uint64_t{side} * side * 4 - 1], 0xFF) << side;
    }
  }

  Allocation m_memory;
  uint32_t m_from = 0;
};

/// Copies by a renderer thread, which come when the GPU has ended.
// RING-6
TEST_F(StaleWritesTest, WhatThreadsOfOursCopyIsDropped) {
  for (int way = 0; way < 4; ++way) {
    SCOPED_TRACE(way);
    CommandWriter w;
    if (way == 0) readTexture(w, 16);
    if (way == 1) copyBack(w, 16);
    if (way == 2) bufferBack(w, 1024);
    if (way == 3) depthBack(w);
    hold(true);
    gpu().submitAsync(w, m_context);
    giveUp();
    EXPECT_EQ(left(), 0u) << "nothing is the GPU's to write";
    hold(false);
    goOn();
    EXPECT_TRUE(isAll(kOthers));
  }
  worksAgain();
}

/// The GPU would copy large read-backs itself: but not if draws come first, in this batch or an earlier one.
// RING-6
TEST_F(StaleWritesTest, NoGpuWritesBehindDraws) {
  for (const bool before : {false, true})
    for (int way = 0; way < 3; ++way) {
      SCOPED_TRACE(way);
      CommandWriter w;
      hold(true);  // the draws must not end before the packets after them are executed
      drawLong(w);
      if (before) {
        gpu().submitAsync(w, m_context);
        w.reset();
      }
      if (way == 0) readTexture(w, kSide);
      if (way == 1) copyBack(w, kSide);
      if (way == 2) bufferBack(w, kBytes);
      gpu().submitAsync(w, m_context);
      giveUp();
      EXPECT_EQ(left() & AEROGPU_RENDERER_LEFT_WRITES, 0u) << "what no reset could wait for";
      hold(false);
      goOn();
      EXPECT_TRUE(isAll(kOthers));
    }
  worksAgain();
}

/// Draws after a read-back that the GPU copies itself go to another batch, so that the copy ends first.
TEST_F(StaleWritesTest, DrawsBehindTheGpusCopyAreAnotherBatch) {
  CommandWriter w;
  readTexture(w, kSide / 2);
  readTexture(w, kSide / 2, kBytes / 2);
  const int before = batchesSubmitted();
  run(w);
  EXPECT_EQ(batchesSubmitted() - before, 1) << "copies are one batch";
  readTexture(w, kSide);
  drawVertices(w, quad(0, 0, kSize, kSize, 0xFF336699));
  run(w);
  EXPECT_EQ(batchesSubmitted() - before, 3);
  EXPECT_EQ(gpu().bytes(m_memory)[kBytes - 1], 0xFF);
  EXPECT_EQ(result(kSize / 2, kSize / 2), (Pixel{0x99, 0x66, 0x33, 0xFF}));
}

/// The GPU's own copies, which a reset waits for, are reported until they have ended; later loans do not
/// count as old.
// RING-6
TEST_F(StaleWritesTest, WhatTheGpuWasLentIsTold) {
  CommandWriter w;
  readTexture(w, kSide);
  hold(true);
  gpu().submitAsync(w, m_context);
  EXPECT_EQ(left(), 0u) << "nothing was interrupted";
  aerogpu_renderer_interrupt(gpu().renderer());
  EXPECT_EQ(left(), AEROGPU_RENDERER_LEFT_WRITES);
  hold(false);
  goOn();
  EXPECT_EQ(left(), 0u);
  fill(kOthers);
  hold(true);
  gpu().submitAsync(w, m_context);
  EXPECT_EQ(left(), 0u);
  hold(false);
  gpu().waitIdle();
  EXPECT_TRUE(isAll(0xFF));

  w.reset();
  const uint32_t to = gpu().handle();
  Harness::createTexture(w, to, kBgra, kSide, kSide, AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, m_memory.id,
                         kSide * 4);
  packets::dirtyRange(w, to, 0, kBytes);
  packets::destroyResource(w, to);
  hold(true);
  gpu().submitAsync(w, m_context);
  aerogpu_renderer_interrupt(gpu().renderer());
  EXPECT_EQ(left(), AEROGPU_RENDERER_LEFT_READS);
  hold(false);
  goOn();
  EXPECT_EQ(left(), 0u);
  worksAgain();
}

/// A GPU that hangs in such a copy may write at any time: that is reported as long as it hangs, even while
/// another GPU works in its place.
// RING-6
TEST_F(StaleWritesTest, AGpuThatHangsIsToldUntilItHasEnded) {
  CommandWriter w;
  readTexture(w, kSide);
  hangDevices(true);
  EXPECT_EQ(gpu().submit(w, m_context).result.last_error_code, uint32_t{AEROGPU_ERROR_BACKEND});
  (void)gpu().takeErrorLines();
  aerogpu_renderer_interrupt(gpu().renderer());
  EXPECT_EQ(left(), AEROGPU_RENDERER_LEFT_WRITES);
  EXPECT_TRUE(aerogpu_renderer_reset(gpu().renderer()));
  EXPECT_EQ(left(), AEROGPU_RENDERER_LEFT_WRITES);
  hangDevices(false);
  gpu().forget(m_memory);
  SetUp();
  EXPECT_EQ(left(), 0u) << "it has ended: whoever works in its place has looked";
  worksAgain();
}

}  // namespace
}  // namespace aerogpu::test
