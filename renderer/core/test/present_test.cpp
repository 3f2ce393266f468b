// SPDX-License-Identifier: MIT
// Presents (docs/abi/present.md), over the null back end: what is shown, and when the last frame stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

#include "renderer/test/expect.h"

namespace {

using namespace aerogpu;
using test::Allocation;
using test::expectError;
using test::expectGood;
using test::FinishedSubmission;
using test::Harness;
using test::pattern;

constexpr auto kRgba = AEROGPU_FORMAT_R8G8B8A8_UNORM;
constexpr uint32_t kTexture = AEROGPU_RESOURCE_USAGE_TEXTURE;

// PRES-1, PRES-2
TEST(Presents, TheNewestLiveTextureAtTheScanoutAddressIsShown) {
  Harness h;
  const Allocation memory = h.allocate(64);
  h.setScanout(kRgba, 4, 4, 16, memory.gpa);
  CommandWriter w;
  packets::present(w, 0);
  FinishedSubmission finished = h.submit(w);
  expectGood(finished);
  EXPECT_FALSE(finished.hasFrame) << "no texture: the memory is shown";
  EXPECT_FALSE(finished.result.scanout_is_texture);

  const uint32_t older = h.handle(), newer = h.handle();
  const auto bytes = pattern(64);
  w.reset();
  Harness::createTexture(w, older, kRgba, 4, 4, kTexture, 1, 1, memory.id, 16);
  Harness::createTexture(w, newer, kRgba, 4, 4, kTexture, 1, 1, memory.id, 16);
  packets::upload(w, newer, 0, bytes);
  packets::present(w, AEROGPU_PRESENT_FLAG_VSYNC);
  finished = h.submit(w);
  expectGood(finished);
  EXPECT_TRUE(finished.result.present_vsync);
  EXPECT_TRUE(finished.result.scanout_is_texture);
  EXPECT_EQ(finished.result.present_count, 1u);
  auto frames = h.takeFrames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].pixels, bytes);
  const aerogpu_renderer_stats stats = h.stats();
  EXPECT_EQ(stats.readback_bytes, bytes.size()) << "a frame counts once";

  w.reset();
  packets::destroyResource(w, newer);
  packets::present(w, 0);
  expectGood(h.submit(w));
  frames = h.takeFrames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].pixels, std::vector<uint8_t>(64)) << "the older one, zeroed";
  EXPECT_TRUE(h.snapshotScanout().hasFrame);

  w.reset();
  aerogpu_cmd_present bad{};
  bad.scanout_id = 1;
  w.packet(bad);
  expectError(h.submit(w), AEROGPU_ERROR_CMD_DECODE);
}

// PRES-12: what the device asks for when it draws the screen.
TEST(Presents, EachSubmissionTellsWhetherThePictureIsOld) {
  Harness h;
  const Allocation memory = h.allocate(64), other = h.allocate(64);
  h.setScanout(kRgba, 4, 4, 16, memory.gpa);
  const uint32_t shown = h.handle(), hidden = h.handle();
  const auto bytes = pattern(64);
  const auto changed = [&](const std::function<void(CommandWriter&)>& packets) {
    CommandWriter w;
    packets(w);
    const FinishedSubmission finished = h.submit(w);
    expectGood(finished);
    return finished.result.scanout_changed;
  };
  const auto nothing = [](CommandWriter&) {};
  const auto draw = [&](CommandWriter& w) { packets::upload(w, shown, 0, bytes); };
  const auto present = [](CommandWriter& w) { packets::present(w, 0); };
  EXPECT_FALSE(changed([&](CommandWriter& w) {
    Harness::createTexture(w, shown, kRgba, 4, 4, kTexture, 1, 1, memory.id, 16);
    Harness::createTexture(w, hidden, kRgba, 4, 4, kTexture, 1, 1, other.id, 16);
  })) << "nobody has written to the texture";
  EXPECT_TRUE(changed(draw));
  EXPECT_TRUE(changed(nothing)) << "still";
  EXPECT_FALSE(changed(present));
  EXPECT_FALSE(changed([&](CommandWriter& w) { packets::upload(w, hidden, 0, bytes); }))
      << "not on the screen";
  EXPECT_TRUE(changed([&](CommandWriter& w) { packets::dirtyRange(w, shown, 0, 64); }));
  EXPECT_TRUE(h.snapshotScanout().hasFrame);
  EXPECT_FALSE(changed(nothing)) << "a snapshot was taken";
  EXPECT_FALSE(changed([&](CommandWriter& w) {
    draw(w);
    present(w);
  }));
  EXPECT_TRUE(changed([&](CommandWriter& w) {
    present(w);
    draw(w);
  }));
  h.setScanout(kRgba, 4, 4, 16, memory.gpa, false);
  EXPECT_FALSE(changed(draw)) << "the screen is off";
}

/// A possible change of a texture makes the next present bring a frame; without one, the last frame is still
/// right.
// PRES-7, OBJ-7, SCAN-7
TEST(Presents, AnUnchangedTextureIsNotCopiedAgain) {
  Harness h;
  const Allocation memory = h.allocate(64), other = h.allocate(64);
  const uint32_t shown = h.handle(), source = h.handle(), view = h.handle(), second = h.handle();
  h.setScanout(kRgba, 4, 4, 16, memory.gpa);
  CommandWriter w;
  Harness::createTexture(w, shown, kRgba, 4, 4, kTexture, 1, 1, memory.id, 16);
  Harness::createTexture(w, source, kRgba, 4, 4, kTexture);
  Harness::createTexture(w, second, kRgba, 4, 4, kTexture, 1, 1, other.id, 16);
  aerogpu_cmd_create_texture_view makeView{};
  makeView.view_handle = view;
  makeView.texture_handle = shown;
  makeView.format = kRgba;
  makeView.mip_level_count = makeView.array_layer_count = 1;
  w.packet(makeView);
  const uint32_t code[] = {0xFFFE0200, 0x0000FFFF};
  aerogpu_cmd_create_shader_dxbc makeShader{};
  makeShader.shader_handle = h.handle();
  w.packet(makeShader, code, sizeof code);
  aerogpu_cmd_bind_shaders bind{};
  bind.vs = makeShader.shader_handle;
  w.packet(bind);
  expectGood(h.submit(w));

  enum Frame { kNew, kUnchanged };
  const auto presents = [&](const char* what, Frame wanted,
                            const std::function<void(CommandWriter&)>& before = {}) {
    CommandWriter packets;
    if (before) before(packets);
    packets.packet(aerogpu_cmd_present{});
    const FinishedSubmission finished = h.submit(packets);
    expectGood(finished);
    EXPECT_EQ(finished.hasFrame, wanted == kNew) << what;
    EXPECT_EQ(finished.result.frame_unchanged, wanted == kUnchanged) << what;
    EXPECT_TRUE(finished.result.scanout_is_texture) << what;
    EXPECT_EQ(finished.result.present_count, 1u) << what;
    CommandWriter again;
    again.packet(aerogpu_cmd_present_ex{});
    EXPECT_TRUE(h.submit(again).result.frame_unchanged) << "after: " << what;
  };
  const auto bytes = pattern(64);
  presents("the first present", kNew);
  presents("nothing", kUnchanged);
  presents("an upload", kNew, [&](CommandWriter& p) { packets::upload(p, shown, 0, bytes); });
  presents("a dirty range", kNew, [&](CommandWriter& p) { packets::dirtyRange(p, shown, 0, 64); });
  presents("a copy", kNew, [&](CommandWriter& p) {
    aerogpu_cmd_copy_texture2d c{};
    c.dst_texture = shown;
    c.src_texture = source;
    c.width = c.height = 4;
    p.packet(c);
  });
  presents("a copy out of it", kUnchanged, [&](CommandWriter& p) {
    aerogpu_cmd_copy_texture2d c{};
    c.dst_texture = source;
    c.src_texture = shown;
    c.width = c.height = 4;
    p.packet(c);
  });
  presents("writes to others", kUnchanged, [&](CommandWriter& p) {
    packets::upload(p, source, 0, bytes);
    packets::setTargets(p, std::vector<uint32_t>{source});
    Harness::clear(p, AEROGPU_CLEAR_COLOR, 1, 1, 1, 1);
  });
  presents("a clear", kNew, [&](CommandWriter& p) {
    packets::setTargets(p, std::vector<uint32_t>{source, shown});
    Harness::clear(p, AEROGPU_CLEAR_COLOR, 1, 1, 1, 1);
  });
  presents("a draw through a view", kNew, [&](CommandWriter& p) {
    packets::setTargets(p, std::vector<uint32_t>{view});
    aerogpu_cmd_draw c{};
    c.vertex_count = 3;
    c.instance_count = 1;
    p.packet(c);
  });

  // A flip always brings a frame, even of the texture just presented; later presents need none.
  EXPECT_TRUE(h.snapshotScanout().hasFrame);
  EXPECT_TRUE(h.snapshotScanout().hasFrame);
  presents("a snapshot", kUnchanged);
  h.setScanout(kRgba, 4, 4, 16, other.gpa);
  presents("another texture", kNew);
  h.setScanout(kRgba, 4, 4, 16, memory.gpa);
  presents("and back", kNew);
  // With the screen off, nothing of the texture is shown.
  h.setScanout(kRgba, 4, 4, 16, memory.gpa, false);
  CommandWriter off;
  off.packet(aerogpu_cmd_present{});
  EXPECT_FALSE(h.submit(off).result.frame_unchanged);
  h.setScanout(kRgba, 4, 4, 16, memory.gpa);
  presents("the screen was off", kNew);
  // A ring reset may have dropped the last frame.
  aerogpu_renderer_interrupt(h.renderer());
  h.waitIdle();
  aerogpu_renderer_resume(h.renderer());
  presents("a ring reset", kNew);
  // Two presents in one submission: one frame comes out.
  h.takeFrames();
  CommandWriter twice;
  packets::upload(twice, shown, 0, bytes);
  for (int i = 0; i < 2; ++i) twice.packet(aerogpu_cmd_present{});
  const FinishedSubmission finished = h.submit(twice);
  EXPECT_TRUE(finished.hasFrame);
  EXPECT_FALSE(finished.result.frame_unchanged);
  EXPECT_EQ(h.takeFrames().at(0).pixels, bytes);
}

/// The difference that a frame reports to an earlier frame.
// PRES-9, PRES-10
TEST(Presents, DamageCountsFromTheLastFrameThatCameOut) {
  constexpr uint32_t kSide = 64;
  Harness h;
  const Allocation memory = h.allocate(kSide * kSide * 4), other = h.allocate(kSide * kSide * 4);
  const uint32_t shown = h.handle(), second = h.handle();
  CommandWriter w;
  Harness::createTexture(w, shown, kRgba, kSide, kSide, kTexture, 1, 1, memory.id, kSide * 4);
  Harness::createTexture(w, second, kRgba, kSide, kSide, kTexture, 1, 1, other.id, kSide * 4);
  expectGood(h.submit(w));
  h.setScanout(kRgba, kSide, kSide, kSide * 4, memory.gpa);
  using Rects = std::vector<std::array<uint32_t, 4>>;
  uint8_t color = 0;
  const auto change = [&](CommandWriter& p, uint32_t texture) {
    packets::upload(p, texture, 0, std::vector<uint8_t>(4, ++color));
  };
  const auto present = [&](CommandWriter& p, const Rects& rects) {
    std::vector<aerogpu_ext_rect> all;
    for (const auto& r : rects) all.push_back({r[0], r[1], r[2], r[3]});
    p.packet(aerogpu_cmd_ext_present_rects{.rect_count = static_cast<uint32_t>(all.size())}, all.data(),
             all.size());
  };
  const auto frame = [&](CommandWriter& p) {
    expectGood(h.submit(p));
    p.reset();
    auto frames = h.takeFrames();
    EXPECT_EQ(frames.size(), 1u);
    return frames.empty() ? test::Frame{} : frames.back();
  };
  const auto changed = [&](const Rects& rects) {
    CommandWriter p;
    change(p, shown);
    present(p, rects);
    return frame(p);
  };
  test::Frame last = changed({{1, 2, 3, 4}});
  EXPECT_EQ(last.damageSince, 0u) << "the first one";
  test::Frame now = changed({{1, 2, 3, 4}, {10, 10, 20, 20}});
  EXPECT_EQ(now.damageSince, last.sequence);
  EXPECT_EQ(now.damage, (Rects{{1, 2, 3, 4}, {10, 10, 20, 20}}));
  last = now;
  now = changed({{60, 60, 5000, UINT32_MAX}, {64, 0, 70, 8}, {5, 5, 5, 9}, {0, 0, 2, 2}, {0, 0, 3, 3}});
  EXPECT_EQ(now.damageSince, last.sequence);
  EXPECT_EQ(now.damage, (Rects{{60, 60, 64, 64}, {0, 0, 3, 3}})) << "cut, without the empty and the covered";
  EXPECT_EQ(changed({}).damageSince, 0u) << "without rectangles it is all of it";

  // Unchanged: the previous frame stays, and damage still counts from it.
  last = changed({{0, 0, 1, 1}});
  CommandWriter p;
  present(p, {{7, 7, 9, 9}});
  EXPECT_TRUE(h.submit(p).result.frame_unchanged);
  p.reset();
  now = changed({{7, 7, 9, 9}});
  EXPECT_EQ(now.damageSince, last.sequence);

  // Two presents in one submission: the second frame has the damage of both.
  last = now;
  change(p, shown);
  present(p, {{1, 1, 2, 2}});
  change(p, shown);
  present(p, {{3, 3, 4, 4}});
  now = frame(p);
  EXPECT_EQ(now.damageSince, last.sequence);
  EXPECT_EQ(now.damage, (Rects{{1, 1, 2, 2}, {3, 3, 4, 4}}));
  change(p, shown);
  packets::present(p);
  change(p, shown);
  present(p, {{3, 3, 4, 4}});
  EXPECT_EQ(frame(p).damageSince, 0u) << "the first of the two may differ anywhere";

  // Another texture, and back.
  h.setScanout(kRgba, kSide, kSide, kSide * 4, other.gpa);
  change(p, second);
  present(p, {{1, 1, 2, 2}});
  EXPECT_EQ(frame(p).damageSince, 0u);
  h.setScanout(kRgba, kSide, kSide, kSide * 4, memory.gpa);
  EXPECT_EQ(changed({{1, 1, 2, 2}}).damageSince, 0u);

  // More rectangles than there is room for: together they still cover each.
  Rects many;
  for (uint32_t i = 0; i < 40; ++i) many.push_back({i, i % 7 * 8, i + 2, i % 7 * 8 + 3});
  now = changed(many);
  EXPECT_NE(now.damageSince, 0u);
  EXPECT_LE(now.damage.size(), size_t{AEROGPU_FRAME_DAMAGE_MAX});
  for (const auto& r : many)
    EXPECT_TRUE(std::any_of(now.damage.begin(), now.damage.end(), [&](const auto& d) {
      return d[0] <= r[0] && d[1] <= r[1] && d[2] >= r[2] && d[3] >= r[3];
    })) << r[0];

  CommandWriter bad;
  aerogpu_ext_rect rect{2, 0, 1, 1};
  bad.packet(aerogpu_cmd_ext_present_rects{.rect_count = 1}, &rect, 1);
  expectError(h.submit(bad), AEROGPU_ERROR_OOB);
  bad.reset();
  const std::vector<aerogpu_ext_rect> tooMany(1025);
  bad.packet(aerogpu_cmd_ext_present_rects{.rect_count = 1025}, tooMany.data(), tooMany.size());
  expectError(h.submit(bad), AEROGPU_ERROR_OOB);
  bad.reset();
  bad.packet(aerogpu_cmd_ext_present_rects{.scanout_id = 1});
  expectError(h.submit(bad), AEROGPU_ERROR_CMD_DECODE);
}

}  // namespace
