// SPDX-License-Identifier: MIT
// Tests the screen's gamma ramp: the shown pixels are those of a model of a display's lookup table.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

/// D3DGAMMARAMP: what each value of red, green and blue is shown as, of 65535.
using Ramp = std::array<std::array<uint16_t, AEROGPU_EXT_GAMMA_ENTRIES>, 3>;

Ramp randomRamp(uint32_t seed) {
  std::mt19937 random(seed);
  Ramp ramp;
  for (auto& color : ramp)
    for (uint16_t& number : color) number = static_cast<uint16_t>(random());
  // Numbers in the middle between two values of 8 bits, and at the ends.
  ramp[0][0] = 0;
  ramp[0][1] = 65535;
  ramp[1][2] = 128;
  ramp[1][3] = 129;
  return ramp;
}

void writeRamp(AeroGpuDev& dev, const Ramp& ramp) {
  uint32_t offset = AEROGPU_EXT_REG_GAMMA_RAMP;
  for (const auto& color : ramp)
    for (size_t i = 0; i < color.size(); i += 2, offset += 4)
      dev.setReg(offset, color[i] | uint32_t{color[i + 1]} << 16);
}

/// Returns 0xRRGGBB as the ramp shows it. 65535 is 255, and numbers between go to the nearest.
uint32_t through(const Ramp& ramp, uint32_t pixel) {
  uint32_t out = 0;
  for (const auto& [color, shift] : {std::pair{0, 16}, {1, 8}, {2, 0}}) {
    const double shown = ramp[static_cast<size_t>(color)][pixel >> shift & 255] / 257.0;
    out |= static_cast<uint32_t>(std::lround(shown)) << shift;
  }
  return out;
}

constexpr uint32_t kWidth = 64, kHeight = 40;

class Gamma : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_GAMMA);
    m_screen = pattern(size_t{kWidth} * kHeight * 4, 11);
    for (uint32_t i = 0; i < AEROGPU_EXT_GAMMA_ENTRIES; ++i)  // each value of each color
      for (size_t k = 0; k < 3; ++k) m_screen[i * 4 + k] = static_cast<uint8_t>(i);
    dev.qemu.write(kSurfaceGpa, m_screen);
    dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kWidth * 4});
  }
  uint32_t plain(uint32_t x, uint32_t y) const {
    const uint8_t* p = &m_screen[(size_t{y} * kWidth + x) * 4];
    return uint32_t{p[2]} << 16 | uint32_t{p[1]} << 8 | p[0];
  }
  /// Compares the screen with the picture, through `ramp` if that is not null.
  void expectShown(const Ramp* ramp, const char* when) {
    const Picture picture = dev.qemu.screendump();
    ASSERT_EQ(picture.width, kWidth) << when;
    for (uint32_t y = 0; y < kHeight; ++y)
      for (uint32_t x = 0; x < kWidth; ++x)
        ASSERT_EQ(picture.at(x, y), ramp ? through(*ramp, plain(x, y)) : plain(x, y))
            << when << ", " << x << "," << y << ", of " << std::hex << plain(x, y);
  }
  void enable(bool on) { dev.setReg(AEROGPU_EXT_REG_GAMMA_ENABLE, on); }

  AeroGpuDev dev;
  std::vector<uint8_t> m_screen;
};

// SCAN-12
TEST_F(Gamma, ShowsEachColorAsItsNumber) {
  expectShown(nullptr, "at first");
  for (uint32_t seed = 0; seed < 4; ++seed) {
    const Ramp ramp = randomRamp(seed);
    writeRamp(dev, ramp);
    enable(true);
    expectShown(&ramp, "random numbers");
  }
  Ramp identity;
  for (auto& color : identity)
    for (uint32_t i = 0; i < color.size(); ++i) color[i] = static_cast<uint16_t>(i * 257);
  writeRamp(dev, identity);
  enable(true);
  expectShown(nullptr, "the ramp that changes nothing");
}

// SCAN-11, SCAN-12
TEST_F(Gamma, CountsAsItWasWhenItWasEnabled) {
  const Ramp first = randomRamp(5), second = randomRamp(6);
  writeRamp(dev, first);
  expectShown(nullptr, "written");
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GAMMA_RAMP + 4), first[0][2] | uint32_t{first[0][3]} << 16);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GAMMA_RAMP + AEROGPU_EXT_REG_GAMMA_RAMP_BYTES - 4),
            first[2][254] | uint32_t{first[2][255]} << 16);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GAMMA_RAMP + AEROGPU_EXT_REG_GAMMA_RAMP_BYTES), 0u) << "the end";
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GAMMA_ENABLE), 0u);
  enable(true);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GAMMA_ENABLE), 1u);
  expectShown(&first, "enabled");
  writeRamp(dev, second);
  expectShown(&first, "another one written");
  enable(true);
  expectShown(&second, "enabled again");
  enable(false);
  expectShown(nullptr, "disabled");
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GAMMA_ENABLE), 0u);
  enable(true);
  expectShown(&second, "the ramp stays");
}

// SCAN-11, SCAN-12
TEST_F(Gamma, EndsWithAResetAndWithVga) {
  const Ramp ramp = randomRamp(7);
  writeRamp(dev, ramp);
  enable(true);
  dev.setReg(AEROGPU_EXT_REG_VGA, 1);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GAMMA_ENABLE), 0u);
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
  expectShown(nullptr, "a scanout after VGA");
  enable(true);
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GAMMA_ENABLE), 0u);
  for (const uint32_t offset : {0u, AEROGPU_EXT_REG_GAMMA_RAMP_BYTES - 4})
    EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_GAMMA_RAMP + offset), 0u) << offset;
  dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kWidth * 4});
  expectShown(nullptr, "a scanout after a reset");
}

// SCAN-12
TEST_F(Gamma, IsBehindTheCursor) {
  constexpr uint32_t kSize = 8, kX = 20, kY = 12;
  constexpr uint64_t kCursorGpa = kSurfaceGpa + 0x100000;
  std::vector<uint8_t> shape;
  for (uint32_t i = 0; i < kSize * kSize; ++i) shape.insert(shape.end(), {0x30, 0x70, 0xB0, 0xFF});
  dev.qemu.write(kCursorGpa, shape);
  dev.setReg(AEROGPU_MMIO_REG_CURSOR_WIDTH, kSize);
  dev.setReg(AEROGPU_MMIO_REG_CURSOR_HEIGHT, kSize);
  dev.setReg(AEROGPU_MMIO_REG_CURSOR_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
  dev.setReg(AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, kSize * 4);
  dev.setReg(AEROGPU_MMIO_REG_CURSOR_X, kX);
  dev.setReg(AEROGPU_MMIO_REG_CURSOR_Y, kY);
  dev.setReg64(AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, kCursorGpa);
  dev.setReg(AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
  const Ramp ramp = randomRamp(8);
  writeRamp(dev, ramp);
  enable(true);
  for (uint32_t y = 0; y < kSize; ++y)
    for (uint32_t x = 0; x < kSize; ++x) {
      uint8_t* p = &m_screen[(size_t{kY + y} * kWidth + kX + x) * 4];
      p[0] = 0x30;
      p[1] = 0x70;
      p[2] = 0xB0;
    }
  expectShown(&ramp, "with a cursor");
}

/// Frames of a texture, of which only rectangles are drawn again.
// SCAN-12
TEST_F(Gamma, IsForWhatIsPresented) {
  dev.startRing();
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x10000, 0}};
  const auto table = AeroGpuDev::allocTable(entries);
  CommandWriter w;
  packets::createTexture(
      w, {.handle = 1, .width = kWidth, .height = kHeight, .rowPitch = kWidth * 4, .allocId = 1});
  packets::upload(w, 1, 0, m_screen);
  packets::present(w);
  dev.waitFence(dev.submit(w, {.table = table}));
  expectShown(nullptr, "a present");
  const Ramp ramp = randomRamp(9);
  writeRamp(dev, ramp);
  enable(true);
  expectShown(&ramp, "the ramp alone is new");
  for (uint32_t x = 5; x < 20; ++x) {
    const size_t at = (size_t{7} * kWidth + x) * 4;
    for (size_t k = 0; k < 3; ++k) m_screen[at + k] = static_cast<uint8_t>(m_screen[at + k] ^ 0x5A);
  }
  w.reset();
  packets::upload(w, 1, 0, m_screen);
  const aerogpu_ext_rect rect{5, 7, 20, 8};
  w.packet(aerogpu_cmd_ext_present_rects{.rect_count = 1}, &rect, 1);
  dev.waitFence(dev.submit(w, {.table = table}));
  EXPECT_EQ(dev.errorCount(), 0u);
  expectShown(&ramp, "a rectangle");
}

}  // namespace
