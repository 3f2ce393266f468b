// SPDX-License-Identifier: MIT
// The caps on the work that one submission may ask for (docs/abi/commands.md, "Limits"), at their edges.
#include <gtest/gtest.h>

#include <bit>

#include "renderer/test/fake_backend.h"
#include "renderer/test/harness.h"

namespace {

using namespace aerogpu;
using core::Work;
using core::WorkBudget;
using test::FakeExecutor;
using test::Harness;

void shader(CommandWriter& w, uint32_t handle, uint32_t stage) {
  const uint32_t code[] = {0xFFFE0200, 0x0000FFFF};
  aerogpu_cmd_create_shader_dxbc create{};
  create.shader_handle = handle;
  create.stage = stage;
  w.packet(create, code, sizeof code);
  aerogpu_cmd_bind_shaders bind{};
  (stage == AEROGPU_SHADER_STAGE_COMPUTE ? bind.cs : bind.vs) = handle;
  w.packet(bind);
}
using packets::draw;
void dispatch(CommandWriter& w, uint32_t x, uint32_t y, uint32_t z) {
  aerogpu_cmd_dispatch c{};
  c.group_count_x = x;
  c.group_count_y = y;
  c.group_count_z = z;
  w.packet(c);
}

// LIM-2
TEST(WorkBudget, TakesUpToTheLimitAndNotMore) {
  for (const Work work : {Work::Vertices, Work::Pixels, Work::Groups, Work::Bytes}) {
    WorkBudget budget;
    const uint64_t limit = WorkBudget::limit(work).submission;
    EXPECT_TRUE(budget.take(work, limit - 1));
    EXPECT_FALSE(budget.take(work, 2));
    EXPECT_FALSE(budget.take(work, UINT64_MAX));
    EXPECT_TRUE(budget.take(work, 1));
    EXPECT_FALSE(budget.take(work, 1));
    EXPECT_TRUE(budget.take(work, 0));
    budget.beginSubmission();
    EXPECT_TRUE(budget.take(work, limit));
  }
}

// LIM-9
TEST(WorkBudget, ASliceGoesOnAcrossSubmissions) {
  WorkBudget budget;
  const uint64_t slice = WorkBudget::limit(Work::Groups).slice;
  EXPECT_TRUE(budget.take(Work::Groups, slice - 1));
  EXPECT_FALSE(budget.sliceFull());
  budget.beginSubmission();
  EXPECT_TRUE(budget.take(Work::Groups, 1));
  EXPECT_TRUE(budget.sliceFull());
  budget.beginSlice();
  EXPECT_FALSE(budget.sliceFull());
}

/// Weights count for slices, plain amounts for the guest's limits.
// LIM-2, LIM-9
TEST(WorkBudget, WeighsForSlicesOnly) {
  WorkBudget budget;
  const auto& limit = WorkBudget::limit(Work::Pixels);
  constexpr uint32_t kWeight = 32;
  EXPECT_TRUE(budget.take(Work::Pixels, limit.slice / kWeight - 1, kWeight));
  EXPECT_FALSE(budget.sliceFull());
  EXPECT_TRUE(budget.take(Work::Pixels, 1, kWeight));
  EXPECT_TRUE(budget.sliceFull());
  budget.beginSubmission();
  EXPECT_TRUE(budget.take(Work::Pixels, limit.submission, 1u << 15));
  budget.beginSlice();
  budget.setShift(3);
  budget.beginSubmission();
  EXPECT_TRUE(budget.take(Work::Pixels, limit.slice / 8 - 1));
  EXPECT_FALSE(budget.sliceFull());
  EXPECT_TRUE(budget.take(Work::Pixels, 1));
  EXPECT_TRUE(budget.sliceFull());
}

/// The weight of an invocation: a plain one is a sample and a dozen instructions.
// LIM-9
TEST(WorkBudget, Weights) {
  EXPECT_EQ(WorkBudget::weight(0, 0, 1), 1u);
  EXPECT_EQ(WorkBudget::weight(12, 1, 1), 1u);
  EXPECT_EQ(WorkBudget::weight(63, 0, 1), 3u);
  EXPECT_EQ(WorkBudget::weight(512, 0, 1), 4 * 32u) << "long: fourfold";
  EXPECT_EQ(WorkBudget::weight(0, 8, 16), 4 * 32u);
  EXPECT_EQ(WorkBudget::weight(uint64_t{1} << 24, uint64_t{1} << 24, 16), 1u << 15);
}

/// However quick a program's slices were: if 2^25 pixels of a plain shader, or the equivalent of a long one,
/// take 0.1 s, as on lavapipe, two slices of a long one take at most half the Windows time-out.
// LIM-9
TEST(WorkBudget, TwoSlicesOfLongShadersAreNoTimeOut) {
  constexpr uint64_t kTimeOutMs = 10'000, kMsOf25 = 100, kPlain = 16, kInstructions = 512;
  const uint64_t pixels = WorkBudget::limit(Work::Pixels).slice / WorkBudget::weight(kInstructions, 0, 1);
  EXPECT_LE(2 * (pixels * (kInstructions / kPlain) >> 25) * kMsOf25, kTimeOutMs / 2);
}

// LIM-9
TEST(SlicePace, SlicesGrowWhileTheyAreQuickAndShrinkForGood) {
  using core::SlicePace;
  SlicePace pace;
  EXPECT_EQ(pace.shift(), SlicePace::kStart);
  pace.waited(SlicePace::kQuickNs, true);  // neither grows nor shrinks
  EXPECT_EQ(pace.shift(), SlicePace::kStart);
  for (uint32_t i = SlicePace::kStart; i > 0; --i) {
    EXPECT_EQ(pace.shift(), i);
    pace.waited(0, i % 2 == 0);
  }
  pace.waited(0, true);
  EXPECT_EQ(pace.shift(), 0u);
  pace.waited(uint64_t{1} << 40, false);
  EXPECT_EQ(pace.shift(), 0u) << "it waited for others";
  pace.waited(8 * SlicePace::kSlowNs, true);
  EXPECT_EQ(pace.shift(), 3u) << "an eighth of it is not slow";
  for (int i = 0; i < 10; ++i) pace.waited(0, true);
  EXPECT_EQ(pace.shift(), 3u) << "what was slow once is not tried again";
  pace.waited(UINT64_MAX, true);
  EXPECT_EQ(pace.shift(), SlicePace::kSmallest);
  for (int i = 0; i < 10; ++i) pace.waited(0, true);
  EXPECT_EQ(pace.shift(), SlicePace::kStart) << "where every space begins, it may come back to";
}

TEST(Interruption, OfACreationEndsTheSubmissionWithoutAnError) {
  FakeExecutor f;
  CommandWriter w;
  w.packet(aerogpu_cmd_flush{});
  const size_t before = w.size();
  shader(w, 1, AEROGPU_SHADER_STAGE_VERTEX);
  draw(w, 3);
  f.backend.interruptShaders = true;
  const core::ExecutionReport report = f.submit(w);
  EXPECT_TRUE(report.dropped);
  EXPECT_EQ(report.executedBytes, before);
  EXPECT_EQ(report.errorCount, 0u);
  EXPECT_EQ(f.backend.draws, 0u);
  EXPECT_EQ(f.logLines, 0u);
}

/// A read of bytes that an earlier packet writes back waits for the write-back; an interruption of that wait
/// is no error.
TEST(Interruption, OfAWaitForAWriteBackEndsTheSubmissionWithoutAnError) {
  FakeExecutor f;
  f.backend.interruptWaits = true;
  CommandWriter w;
  packets::createBuffer(w, 1, 256, 0);
  packets::createBuffer(w, 2, 256, 0, 7);
  aerogpu_cmd_copy_buffer copy{};
  copy.dst_buffer = 2;
  copy.src_buffer = 1;
  copy.size_bytes = 256;
  copy.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
  w.packet(copy);
  const size_t before = w.size();
  packets::dirtyRange(w, 2, 0, 256);
  const core::ExecutionReport report = f.submit(w, FakeExecutor::table(7, 0x1000, 4096));
  EXPECT_TRUE(report.dropped);
  EXPECT_EQ(report.executedBytes, before);
  EXPECT_EQ(report.errorCount, 0u);
  EXPECT_EQ(f.logLines, 0u);
}

// LIM-2, LIM-3, LIM-9
TEST(Limits, VerticesOfASubmission) {
  FakeExecutor f;
  CommandWriter w;
  shader(w, 1, AEROGPU_SHADER_STAGE_VERTEX);
  for (int i = 0; i < 3; ++i) draw(w, 1u << 28);
  draw(w, 1u << 14, 1u << 14);  // instances count
  EXPECT_EQ(f.submit(w).errorCount, 0u);
  draw(w, 1);  // one vertex too many
  draw(w, 1);
  w.packet(aerogpu_cmd_flush{});
  aerogpu_cmd_destroy_shader destroy{};
  destroy.shader_handle = 1;
  w.packet(destroy);  // packets without cost still run
  const core::ExecutionReport report = f.submit(w);
  EXPECT_EQ(report.errorCount, 3u) << "the second creation of shader 1, and two draws";
  EXPECT_EQ(report.lastError, ErrorCode::Backend);
  EXPECT_EQ(f.backend.draws, 8u);
  EXPECT_EQ(f.backend.throttles, 8u) << "each of these draws fills a slice";
  CommandWriter next;
  shader(next, 1, AEROGPU_SHADER_STAGE_VERTEX);
  draw(next, 3);
  EXPECT_EQ(f.submit(next).errorCount, 0u) << "the next submission starts anew";
}

/// The bytes that a draw makes the device copy are known after it: the draw that passes the limit is the
/// last.
// LIM-6, LIM-9
TEST(Limits, WhatADrawMakesTheDeviceCopy) {
  FakeExecutor f;
  f.backend.copies = WorkBudget::limit(Work::Bytes).submission / 4;
  CommandWriter w;
  shader(w, 1, AEROGPU_SHADER_STAGE_VERTEX);
  for (int i = 0; i < 4; ++i) draw(w, 3);
  EXPECT_EQ(f.submit(w).errorCount, 0u);
  EXPECT_EQ(f.backend.throttles, 4u) << "each of these draws fills a slice";
  CommandWriter more;
  for (int i = 0; i < 7; ++i) draw(more, 3);
  const core::ExecutionReport report = f.submit(more);
  EXPECT_EQ(report.errorCount, 2u);
  EXPECT_EQ(report.lastError, ErrorCode::Backend);
  EXPECT_EQ(f.backend.draws, 9u);
}

// CMD-10
TEST(Limits, ASubmissionWhoseWorkWasStoppedEndsThere) {
  FakeExecutor f;
  f.backend.stopsAt = 2;
  CommandWriter w;
  shader(w, 1, AEROGPU_SHADER_STAGE_VERTEX);
  for (int i = 0; i < 5; ++i) draw(w, 1u << 22);  // each fills a slice
  const core::ExecutionReport report = f.submit(w);
  EXPECT_EQ(report.errorCount, 1u);
  EXPECT_EQ(report.lastError, ErrorCode::Backend);
  EXPECT_EQ(f.backend.draws, 2u);
  CommandWriter next;
  draw(next, 3);
  EXPECT_EQ(f.submit(next).errorCount, 0u);
  EXPECT_EQ(f.backend.draws, 3u);
}

// LIM-13
TEST(Limits, PixelsOfASubmission) {
  FakeExecutor f;
  CommandWriter w;
  shader(w, 1, AEROGPU_SHADER_STAGE_VERTEX);
  Harness::createTexture(w, 2, AEROGPU_FORMAT_B8G8R8A8_UNORM, 16384, 16384, 0);
  packets::setTargets(w, std::vector<uint32_t>{2});
  for (int i = 0; i < 4096; ++i) draw(w, 3);  // 2^28 pixels each
  EXPECT_EQ(f.submit(w).errorCount, 0u);
  CommandWriter small;
  aerogpu_cmd_set_viewport viewport{};
  viewport.width_f32 = std::bit_cast<uint32_t>(16.0f);
  viewport.height_f32 = std::bit_cast<uint32_t>(8.0f);
  for (int i = 0; i < 4096; ++i) draw(small, 3);
  draw(small, 3);
  EXPECT_EQ(f.submit(small).lastError, ErrorCode::Backend);
  CommandWriter inside;
  inside.packet(viewport);
  for (int i = 0; i < 5000; ++i) draw(inside, 3);
  EXPECT_EQ(f.submit(inside).errorCount, 0u) << "only the viewport counts";
}

// LAYER-7, LIM-13
TEST(Limits, PixelsOfTheLargestViewport) {
  FakeExecutor f({}, AEROGPU_CAPS_LAYERS);
  CommandWriter w;
  shader(w, 1, AEROGPU_SHADER_STAGE_VERTEX);
  Harness::createTexture(w, 2, AEROGPU_FORMAT_B8G8R8A8_UNORM, 16384, 16384, 0);
  packets::setTargets(w, std::vector<uint32_t>{2});
  const auto viewport = [](float side) {
    const auto bits = std::bit_cast<uint32_t>(side);
    return aerogpu_ext_viewport{0, 0, bits, bits, 0, 0};
  };
  const aerogpu_ext_viewport viewports[] = {viewport(8), viewport(16384), viewport(16)};
  w.packet(aerogpu_cmd_ext_set_viewports{}, viewports, 3);
  for (int i = 0; i < 4096; ++i) draw(w, 3);
  EXPECT_EQ(f.submit(w).errorCount, 0u);
  CommandWriter over;
  for (int i = 0; i < 4097; ++i) draw(over, 3);
  EXPECT_EQ(f.submit(over).lastError, ErrorCode::Backend);
  CommandWriter first;
  first.packet(aerogpu_cmd_ext_set_viewports{}, viewports, 1);
  for (int i = 0; i < 4097; ++i) draw(first, 3);
  EXPECT_EQ(f.submit(first).errorCount, 0u) << "the others are empty";
}

/// A draw whose shader cannot be translated for its layout makes no pipeline.
// LIM-15
TEST(Limits, PacketsThatFailTakeTimeToo) {
  FakeExecutor f({.maxBatchNs = 0, .othersWait = [](void*, const core::Owner&) { return true; }});
  CommandWriter w;
  for (int i = 0; i < 3; ++i) packets::destroyShader(w, 77);
  EXPECT_EQ(f.submit(w).errorCount, 2u) << "the first one, and that the rest does not run";
  CommandWriter good;
  for (int i = 0; i < 3; ++i) good.packet(aerogpu_cmd_flush{});
  EXPECT_EQ(f.submit(good).errorCount, 0u);
}

/// The number of draws of 2^20 pixels that fill the first slice, of 2^25 plain pixels.
// LIM-9
TEST(Limits, SlicesAreWeighedByShadersAndFilters) {
  constexpr uint32_t kTarget = 2, kSide = 1024;
  const auto drawsOfASlice = [](core::ShaderCost cost, uint32_t anisotropy) {
    FakeExecutor f;
    f.backend.cost = cost;
    CommandWriter w;
    const uint32_t code[] = {0xFFFF0300, 0x0000FFFF};
    packets::createShader(w, 9, AEROGPU_SHADER_STAGE_PIXEL, code);
    f.backend.stopsAt = 1;
    Harness::createTexture(w, kTarget, AEROGPU_FORMAT_B8G8R8A8_UNORM, kSide, kSide, 0);
    packets::setTargets(w, std::vector<uint32_t>{kTarget});
    shader(w, 1, AEROGPU_SHADER_STAGE_VERTEX);
    packets::bindShaders(w, 1, 9);
    if (anisotropy > 1) {
      constexpr uint32_t kMinFilter = 6, kMaxAnisotropy = 10, kAnisotropic = 3;  // D3DSAMP_*, D3DTEXF_*
      packets::samplerState(w, 3, kMaxAnisotropy, anisotropy, AEROGPU_SHADER_STAGE_PIXEL);
      packets::samplerState(w, 3, kMinFilter, kAnisotropic, AEROGPU_SHADER_STAGE_PIXEL);
    }
    for (int i = 0; i < 64; ++i) draw(w, 3);
    EXPECT_EQ(f.submit(w).errorCount, 1u) << "the rest does not run";
    return f.backend.draws;
  };
  EXPECT_EQ(drawsOfASlice({}, 1), 32u);
  EXPECT_EQ(drawsOfASlice({12, 1}, 1), 32u) << "a plain shader";
  EXPECT_EQ(drawsOfASlice({63, 0}, 1), 11u);
  EXPECT_EQ(drawsOfASlice({64, 0}, 1), 2u);
  EXPECT_EQ(drawsOfASlice({512, 0}, 1), 1u);
  EXPECT_EQ(drawsOfASlice({0, 4}, 1), 32u);
  EXPECT_EQ(drawsOfASlice({0, 2}, 16), 1u);
}

// BLIT-4
TEST(Limits, PixelsOfBlitsAndMips) {
  constexpr uint32_t kSide = 16384, kLarge = 1, kSmall = 2, kMips = 3;
  FakeExecutor f;
  CommandWriter setUp;
  Harness::createTexture(setUp, kLarge, AEROGPU_FORMAT_B8G8R8A8_UNORM, kSide, kSide, 0);
  Harness::createTexture(setUp, kSmall, AEROGPU_FORMAT_B8G8R8A8_UNORM, 1, 1, 0);
  Harness::createTexture(setUp, kMips, AEROGPU_FORMAT_B8G8R8A8_UNORM, 2, 2, 0, 2);
  ASSERT_EQ(f.submit(setUp).errorCount, 0u);
  const uint64_t throttles = f.backend.throttles;
  // 2^28 pixels each, 2^38 a packet.
  const std::vector<aerogpu_ext_blit_rect> rects(1024, {{0, 0, kSide, kSide}, {0, 0, 1, 1}});
  CommandWriter w;
  for (int i = 0; i < 4; ++i)
    w.packet(aerogpu_cmd_ext_blit{.dst_texture = kLarge, .src_texture = kSmall, .rect_count = 1024},
             rects.data(), rects.size());
  EXPECT_EQ(f.submit(w).errorCount, 0u);
  EXPECT_EQ(f.backend.throttles, throttles + 4) << "each of these packets fills a slice";
  w.packet(aerogpu_cmd_ext_generate_mips{.texture = kMips});  // one pixel
  const core::ExecutionReport report = f.submit(w);
  EXPECT_EQ(report.errorCount, 1u);
  EXPECT_EQ(report.lastError, ErrorCode::Backend);
}

// LIM-5
TEST(Limits, GroupsOfASubmission) {
  FakeExecutor f;
  CommandWriter w;
  shader(w, 1, AEROGPU_SHADER_STAGE_COMPUTE);
  for (int i = 0; i < 4; ++i) dispatch(w, 4096, 4096, 1);
  EXPECT_EQ(f.submit(w).errorCount, 0u);
  CommandWriter over;
  for (int i = 0; i < 4; ++i) dispatch(over, 4096, 4096, 1);
  dispatch(over, 1, 1, 1);
  const core::ExecutionReport report = f.submit(over);
  EXPECT_EQ(report.errorCount, 1u);
  EXPECT_EQ(report.lastError, ErrorCode::Backend);
}

/// Everything that moves or sets bytes counts: 2^32 bytes at a time, 64 times.
// LIM-6, BLIT-4, UPD-10
TEST(Limits, BytesOfASubmission) {
  constexpr uint32_t kSide = 16384, kTexture = 1, kOther = 2, kBuffer = 3, kCopy = 4;
  constexpr auto kFormat = AEROGPU_FORMAT_B8G8R8A8_UNORM;  // 2^30 bytes a texture
  const auto clear = [](CommandWriter& w) { Harness::clear(w, AEROGPU_CLEAR_COLOR, 0, 0, 0, 0); };
  const auto copyTexture = [](CommandWriter& w) {
    aerogpu_cmd_copy_texture2d c{};
    c.dst_texture = kOther;
    c.src_texture = kTexture;
    c.width = c.height = kSide;
    w.packet(c);
  };
  const auto copyBuffer = [](CommandWriter& w) {
    aerogpu_cmd_copy_buffer c{};
    c.dst_buffer = kCopy;
    c.src_buffer = kBuffer;
    c.size_bytes = 1u << 30;
    w.packet(c);
  };
  const auto create = [](CommandWriter& w) {
    Harness::createTexture(w, 99, kFormat, kSide, kSide, 0);
    packets::destroyResource(w, 99);
  };
  const auto blit = [](CommandWriter& w) {
    const aerogpu_ext_blit_rect rect = {{0, 0, kSide, kSide}, {0, 0, kSide, kSide}};
    w.packet(aerogpu_cmd_ext_blit{.dst_texture = kOther, .src_texture = kTexture, .rect_count = 1}, &rect, 1);
  };
  const auto fill = [](CommandWriter& w) {
    w.packet(aerogpu_cmd_ext_fill{.texture = kTexture, .flags = AEROGPU_EXT_FILL_COLOR});
  };
  const auto updateBuffer = [](CommandWriter& w) {
    w.packet(aerogpu_cmd_ext_update_buffer{.buffer = kBuffer, .size_bytes = 1u << 30, .src_alloc_id = 1});
  };
  const auto updateTexture = [](CommandWriter& w) {
    w.packet(aerogpu_cmd_ext_update_texture{.texture = kTexture,
                                            .width = kSide,
                                            .height = kSide,
                                            .depth = 1,
                                            .src_alloc_id = 1,
                                            .src_row_pitch_bytes = kSide * 5});
  };
  const auto readTexture = [](CommandWriter& w) {
    w.packet(aerogpu_cmd_ext_read_texture{.texture = kTexture,
                                          .width = kSide,
                                          .height = kSide,
                                          .depth = 1,
                                          .dst_alloc_id = 1,
                                          .dst_row_pitch_bytes = kSide * 5});
  };
  const std::function<void(CommandWriter&)> kinds[] = {clear, copyTexture,  copyBuffer,    create,     blit,
                                                       fill,  updateBuffer, updateTexture, readTexture};
  const std::vector<uint8_t> table = FakeExecutor::table(1, 0, uint64_t{1} << 31);
  for (const auto& kind : kinds) {
    FakeExecutor f;
    CommandWriter setUp, full, over;
    Harness::createTexture(setUp, kTexture, kFormat, kSide, kSide, 0);
    Harness::createTexture(setUp, kOther, kFormat, kSide, kSide, 0);
    packets::createBuffer(setUp, kBuffer, 1u << 30, 0);
    packets::createBuffer(setUp, kCopy, 1u << 30, 0);
    packets::setTargets(setUp, std::vector<uint32_t>{kTexture});
    ASSERT_EQ(f.submit(setUp).errorCount, 0u);
    for (int i = 0; i < 256; ++i) kind(full);
    EXPECT_EQ(f.submit(full, table).errorCount, 0u);
    for (int i = 0; i < 256; ++i) kind(over);
    clear(over);
    const core::ExecutionReport report = f.submit(over, table);
    EXPECT_EQ(report.errorCount, 1u);
    EXPECT_EQ(report.lastError, ErrorCode::Backend);
    EXPECT_GE(f.backend.throttles, 512u);
  }
}

// LIM-3, LIM-6, UPD-13
TEST(Limits, InlineDrawsCountAsDrawsAndAsBytes) {
  FakeExecutor f;
  const uint32_t code[] = {0xFFFE0200, 0x0000FFFF};
  CommandWriter setUp, w;
  packets::createShader(setUp, 1, AEROGPU_SHADER_STAGE_VERTEX, code);
  packets::bindShaders(setUp, 1, 0);
  ASSERT_EQ(f.submit(setUp).errorCount, 0u);
  const std::vector<uint8_t> bytes(65536);
  const aerogpu_cmd_ext_draw_inline draw{.vertex_count = 65536, .vertex_stride_bytes = 1};
  const uint64_t throttles = f.backend.throttles;
  // A slice is 2^16 vertices at first, and doubles after each quick one: 63 draws fill six.
  for (int i = 0; i < 64; ++i)
    w.packetWithTail(AEROGPU_CMD_EXT_DRAW_INLINE, draw, bytes.data(), bytes.size());
  EXPECT_EQ(f.submit(w).errorCount, 0u);
  EXPECT_EQ(f.backend.throttles, throttles + 6);
  EXPECT_EQ(f.backend.draws, 64u);
}

}  // namespace
