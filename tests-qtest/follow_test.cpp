// SPDX-License-Identifier: MIT
// Tests a screen that follows its texture: what is drawn without a present is there when the screen is drawn
// next, with one copy of the picture for each such drawing, and with none more where presents show
// everything.
#include <gtest/gtest.h>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 32, kHeight = 16, kPitch = kWidth * 4;
constexpr uint64_t kFrameBytes = uint64_t{kPitch} * kHeight, kOtherGpa = kSurfaceGpa + 0x10000;

/// Two textures, of which the first is on the screen.
class Screen {
public:
  explicit Screen(const std::string& backend) : dev("renderer=" + backend) {
    const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x1000, 0}, {2, 0, kOtherGpa, 0x1000, 0}};
    m_table = AeroGpuDev::allocTable(entries);
    dev.startRing();
    dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kPitch});
    CommandWriter w;
    for (const uint32_t i : {1, 2}) packets::createShown(w, i, kWidth, kHeight, i);
    submit(w);
  }
  void follow(uint32_t value = 1) { dev.setReg(AEROGPU_EXT_REG_SCANOUT0_FOLLOW, value); }
  void submit(const CommandWriter& w) {
    dev.waitFence(dev.submit(w, {.table = m_table}));
    EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  }
  /// Fills a texture with red `value` / 255.
  void draw(uint32_t texture, uint32_t value, bool present = false) {
    CommandWriter w;
    packets::setTarget(w, texture);
    packets::clearColor(w, {static_cast<float>(value) / 255});
    if (present) packets::present(w);
    submit(w);
  }
  void flip(uint64_t gpa) { dev.setReg64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, gpa); }
  /// Draws the screen and returns its red.
  uint32_t shown() {
    const uint32_t pixel = dev.qemu.screendump().at(kWidth / 2, kHeight / 2);
    EXPECT_EQ(pixel & 0xFFFF, 0u);
    return pixel >> 16;
  }
  /// Returns how many copies of a picture the host has made.
  uint64_t copies() { return static_cast<uint64_t>(dev.qemu.property("readback-bytes")) / kFrameBytes; }

  AeroGpuDev dev;

private:
  std::vector<uint8_t> m_table;
};

void follows(const std::string& backend) {
  Screen screen(backend);
  screen.draw(1, 10, true);
  EXPECT_EQ(screen.shown(), 10u);
  screen.draw(1, 20);
  EXPECT_EQ(screen.shown(), 10u) << "PRES-3: nobody asked for more";
  screen.follow();
  EXPECT_EQ(screen.shown(), 20u) << "what was drawn before is shown too";
  for (uint32_t value = 30; value < 60; ++value) {
    screen.draw(1, value);
    ASSERT_EQ(screen.shown(), value);
  }
  screen.follow(0);
  screen.draw(1, 70);
  EXPECT_EQ(screen.shown(), 59u);
  screen.draw(1, 80, true);
  EXPECT_EQ(screen.shown(), 80u);
}

// PRES-11
TEST(Follow, WhatIsDrawnIsShownWithoutAPresent) {
  follows("null");
}
TEST(Follow, WhatIsDrawnIsShownWithoutAPresentOnVulkan) {
  follows("vulkan");
}

// PRES-11: a DirectDraw program that never presents.
TEST(Follow, TheFirstPictureNeedsNoPresentEither) {
  Screen screen("null");
  screen.follow();
  EXPECT_EQ(screen.shown(), 0u) << "the memory: nothing was drawn to the texture";
  EXPECT_EQ(screen.copies(), 0u);
  screen.draw(1, 33);
  EXPECT_EQ(screen.shown(), 33u);
  // A flip shows the other texture at once; draws to one that is not shown change nothing.
  screen.draw(2, 44);
  EXPECT_EQ(screen.shown(), 33u);
  screen.flip(kOtherGpa);
  EXPECT_EQ(screen.shown(), 44u);
  screen.draw(1, 55);
  EXPECT_EQ(screen.shown(), 44u);
  screen.draw(2, 66);
  EXPECT_EQ(screen.shown(), 66u);
}

// PRES-12
TEST(Follow, ADrawingOfTheScreenCostsOneCopyAtMost) {
  Screen screen("null");
  screen.follow();
  for (uint32_t i = 1; i <= 5; ++i) {
    screen.draw(1, i, true);
    EXPECT_EQ(screen.shown(), i);
    EXPECT_EQ(screen.shown(), i);
  }
  EXPECT_EQ(screen.copies(), 5u) << "presents show everything: no copy beside theirs";
  for (uint32_t i = 10; i < 30; ++i) screen.draw(1, i);
  EXPECT_EQ(screen.copies(), 5u) << "nobody looks";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(screen.shown(), 29u);
  EXPECT_EQ(screen.copies(), 6u) << "one for twenty submissions and three looks";
  // A program that flips: one copy for each flip, none for its draws.
  for (uint32_t i = 0; i < 4; ++i) {
    screen.draw(2 - i % 2, 100 + i);
    EXPECT_EQ(screen.shown(), i ? 99 + i : 29);
    screen.flip(i % 2 ? kSurfaceGpa : kOtherGpa);
    EXPECT_EQ(screen.shown(), 100 + i);
  }
  EXPECT_EQ(screen.copies(), 10u);
}

// PRES-11, PRES-13
TEST(Follow, TheRegisterKeepsOneBitUntilAReset) {
  AeroGpuDev dev;
  EXPECT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_FOLLOW);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_SCANOUT0_FOLLOW), 0u);
  dev.setReg(AEROGPU_EXT_REG_SCANOUT0_FOLLOW, ~0u);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_SCANOUT0_FOLLOW), 1u);
  dev.startRing();
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  dev.setScanout({}, false);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_SCANOUT0_FOLLOW), 1u);
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_SCANOUT0_FOLLOW), 0u);
}

// PRES-11: a ring reset drops the picture that was asked for; the next one is asked for again.
TEST(Follow, ResetsOfTheRingDoNotEndIt) {
  Screen screen("null");
  screen.follow();
  screen.draw(1, 10);
  EXPECT_EQ(screen.shown(), 10u);
  screen.dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  EXPECT_EQ(screen.shown(), 10u);
  screen.draw(1, 20);
  EXPECT_EQ(screen.shown(), 20u);
  // The texture ends: the last picture stays until something else is shown.
  CommandWriter w;
  packets::destroyResource(w, 1);
  screen.submit(w);
  EXPECT_EQ(screen.shown(), 20u);
}

}  // namespace
