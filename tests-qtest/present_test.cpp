// SPDX-License-Identifier: MIT
// Tests presents of an unchanged texture: the picture stays, and no copy of it is made. Tests presents with
// damage.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4;
constexpr uint64_t kFrameBytes = uint64_t{kPitch} * kHeight;

void unchangedTextures(const std::string& backend) {
  AeroGpuDev dev("renderer=" + backend);
  dev.startRing();
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0},
                                         {2, 0, kSurfaceGpa + 0x10000, 0x1000, 0}};
  const auto table = AeroGpuDev::allocTable(entries);
  dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  const auto submit = [&](const CommandWriter& w) {
    dev.waitFence(dev.submit(w, {.flags = AEROGPU_SUBMIT_FLAG_PRESENT, .table = table}));
    EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  };
  const auto present = [&](float red, uint32_t texture) {
    CommandWriter w;
    if (texture) {
      packets::setTarget(w, texture);
      packets::clearColor(w, {red});
    }
    packets::present(w);
    submit(w);
  };
  const auto shown = [&] { return dev.qemu.screendump().at(kWidth / 2, kHeight / 2); };
  const auto copied = [&] {
    return static_cast<uint64_t>(dev.qemu.property("readback-bytes")) / kFrameBytes;
  };

  CommandWriter make;
  for (const uint32_t i : {1, 2}) packets::createShown(make, i, kWidth, kHeight, i);
  submit(make);
  present(1.0f, 1);
  EXPECT_EQ(shown(), 0xFF0000u);
  EXPECT_EQ(copied(), 1u);
  for (int i = 0; i < 3; ++i) present(0, 0);
  EXPECT_EQ(shown(), 0xFF0000u);
  EXPECT_EQ(copied(), 1u);
  EXPECT_EQ(dev.qemu.property("frames-unchanged"), 3);
  present(0.2f, 1);
  EXPECT_EQ(shown(), 0x330000u);
  EXPECT_EQ(copied(), 2u);

  // A page-flipping driver: draws into the other texture, flips, presents. The flip shows the frame.
  const auto flip = [&](uint32_t texture) {
    dev.setReg64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, entries[texture - 1].gpa);
    (void)shown();  // waits for it
  };
  present(0.4f, 2);
  EXPECT_EQ(shown(), 0x330000u) << "2 is not on the screen";
  flip(2);
  EXPECT_EQ(shown(), 0x660000u);
  const uint64_t before = copied();
  present(0, 0);
  EXPECT_EQ(shown(), 0x660000u);
  EXPECT_EQ(copied(), before);

  // A copy that a ring reset drops is made again.
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  present(0, 0);
  EXPECT_EQ(shown(), 0x660000u);
  EXPECT_EQ(copied(), before + 1);
}

TEST(Present, AnUnchangedTextureStaysWithoutACopy) {
  unchangedTextures("null");
}
TEST(Present, AnUnchangedTextureStaysWithoutACopyOnVulkan) {
  unchangedTextures("vulkan");
}

// PRES-9, PRES-10: displays learn of the damage alone, however much of the picture differs.
TEST(Present, DisplaysAreToldOfTheDamageAlone) {
  AeroGpuDev dev("renderer=null");
  dev.startRing();
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0},
                                         {2, 0, kSurfaceGpa + 0x10000, 0x1000, 0}};
  const auto table = AeroGpuDev::allocTable(entries);
  dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
  const auto submit = [&](const CommandWriter& w) {
    dev.waitFence(dev.submit(w, {.flags = AEROGPU_SUBMIT_FLAG_PRESENT, .table = table}));
    EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  };
  CommandWriter make;
  for (const uint32_t i : {1, 2}) packets::createShown(make, i, kWidth, kHeight, i);
  submit(make);
  using Rect = std::array<uint32_t, 4>;
  const auto present = [&](float red, const std::vector<Rect>& rects) {
    CommandWriter w;
    packets::setTarget(w, 1);
    packets::clearColor(w, {red});
    std::vector<aerogpu_ext_rect> all;
    for (const Rect& r : rects) all.push_back({r[0], r[1], r[2], r[3]});
    w.packet(aerogpu_cmd_ext_present_rects{.rect_count = static_cast<uint32_t>(all.size())}, all.data(),
             all.size());
    submit(w);
  };
  int64_t before = 0;
  const auto told = [&] {
    const int64_t now = dev.qemu.property("updated-pixels"), pixels = now - before;
    before = now;
    return pixels;
  };
  constexpr int64_t kAll = int64_t{kWidth} * kHeight;
  present(0.2f, {});
  EXPECT_EQ(dev.qemu.screendump().at(1, 1), 0x330000u);
  told();
  (void)dev.qemu.screendump();
  EXPECT_EQ(told(), 0) << "the same frame again";

  // Two rectangles, one of which reaches over the edge; in fact all of the picture differs.
  present(0.4f, {{2, 3, 7, 5}, {kWidth - 1, kHeight - 4, kWidth + 50, kHeight + 50}});
  Picture picture = dev.qemu.screendump();
  EXPECT_EQ(told(), 5 * 2 + 1 * 4);
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x) {
      const bool in = (x >= 2 && x < 7 && y >= 3 && y < 5) || (x == kWidth - 1 && y >= kHeight - 4);
      ASSERT_EQ(picture.at(x, y), in ? 0x660000u : 0x330000u) << x << "," << y;
    }

  // Several presents before a display reads: all of their damage, and no unchanged pixels.
  present(0.6f, {{0, 0, 2, 2}});
  present(0.8f, {{4, 8, 6, 9}});
  picture = dev.qemu.screendump();
  EXPECT_EQ(told(), 4 + 2);
  EXPECT_EQ(picture.at(1, 1), 0xCC0000u);
  EXPECT_EQ(picture.at(5, 8), 0xCC0000u);
  EXPECT_EQ(picture.at(2, 3), 0x660000u);
  present(0.8f, {{0, 0, 2, 2}});
  (void)dev.qemu.screendump();
  EXPECT_EQ(told(), 0);

  // Without rectangles, or from another address, everything is damaged.
  present(1.0f, {});
  EXPECT_EQ(dev.qemu.screendump().at(20, 10), 0xFF0000u);
  EXPECT_EQ(told(), kAll);
  dev.setReg64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, entries[1].gpa);
  EXPECT_EQ(dev.qemu.screendump().at(20, 10), 0u);
  EXPECT_EQ(told(), kAll);
  dev.setReg64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, entries[0].gpa);
  (void)dev.qemu.screendump();
  told();
  present(0.2f, {{0, 0, 1, 1}});
  EXPECT_EQ(dev.qemu.screendump().at(0, 0), 0x330000u);
  EXPECT_EQ(told(), 1) << "the flip took a frame of it";

  // Many rectangles in one present, without overlaps: exactly their number of pixels.
  std::vector<Rect> many;
  for (uint32_t i = 0; i < 12; ++i) many.push_back({i * 2, i, i * 2 + 2, i + 1});
  present(0.4f, many);
  (void)dev.qemu.screendump();
  EXPECT_EQ(told(), 24);
}

}  // namespace
