// SPDX-License-Identifier: MIT
// Tests what a display shows: every scanout format, flips, BAR1, textures, the cursor, the hand-over from and
// to VGA.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

/// Spreads a channel of `bits` bits over 8 as displays do: the top bits repeat.
uint32_t spread(uint32_t value, int bits) {
  return value << (8 - bits) | value >> (2 * bits - 8);
}

/// Returns the colour of the pixel `p` in `format` (ALLOC-14: formats name channels from the lowest address
/// up; the 16-bit ones are DXGI's, red in the highest bits).
uint32_t meaning(uint32_t format, const uint8_t* p) {
  const uint32_t word = p[0] | uint32_t{p[1]} << 8;
  switch (format) {
    case AEROGPU_FORMAT_B8G8R8A8_UNORM:
    case AEROGPU_FORMAT_B8G8R8X8_UNORM:
    case AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB:
    case AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB:
      return uint32_t{p[2]} << 16 | uint32_t{p[1]} << 8 | p[0];
    case AEROGPU_FORMAT_B5G6R5_UNORM:
      return spread(word >> 11, 5) << 16 | spread(word >> 5 & 63, 6) << 8 | spread(word & 31, 5);
    case AEROGPU_FORMAT_B5G5R5A1_UNORM:
      return spread(word >> 10 & 31, 5) << 16 | spread(word >> 5 & 31, 5) << 8 | spread(word & 31, 5);
    default:
      return uint32_t{p[0]} << 16 | uint32_t{p[1]} << 8 | p[2];
  }
}

uint32_t bytesPerPixel(uint32_t format) {
  return format == AEROGPU_FORMAT_B5G6R5_UNORM || format == AEROGPU_FORMAT_B5G5R5A1_UNORM ? 2 : 4;
}

void expectPicture(const Picture& picture, uint32_t format, const std::vector<uint8_t>& bytes, uint32_t width,
                   uint32_t height, uint32_t pitch) {
  ASSERT_EQ(picture.width, width);
  ASSERT_EQ(picture.height, height);
  int wrong = 0;
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x) {
      const uint32_t want = meaning(format, bytes.data() + size_t{y} * pitch + x * bytesPerPixel(format));
      const uint32_t got = picture.at(x, y);
      if (want != got && ++wrong == 1)
        ADD_FAILURE() << "format " << format << " at " << x << "," << y << ": " << std::hex << got << ", not "
                      << want;
    }
  EXPECT_EQ(wrong, 0) << "format " << format;
}

// SCAN-10, SCAN-8
TEST(Scanout, EveryFormatFromGuestMemoryAndFromBar1) {
  AeroGpuDev dev;
  for (uint32_t format = AEROGPU_FORMAT_B8G8R8A8_UNORM; format <= AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
       ++format) {
    const uint32_t width = 48, height = 20, pitch = width * bytesPerPixel(format) + 32;
    for (const uint64_t gpa : {kSurfaceGpa, AeroGpuDev::kBar1 + 0x100000}) {
      const auto bytes = pattern(size_t{pitch} * height, format + static_cast<uint32_t>(gpa >> 20));
      dev.qemu.write(gpa, bytes);
      dev.setScanout({.format = format, .width = width, .height = height, .pitch = pitch, .gpa = gpa});
      expectPicture(dev.qemu.screendump(), format, bytes, width, height, pitch);
    }
  }
}

// SCAN-2
TEST(Scanout, FlipsCountFromTheHiWrite) {
  AeroGpuDev dev;
  const auto a = pattern(64 * 4 * 8, 1), b = pattern(64 * 4 * 8, 2);
  dev.qemu.write(kSurfaceGpa, a);
  dev.qemu.write(kSurfaceGpa + 0x10000, b);
  const AeroGpuDev::Scanout s{.width = 64, .height = 8, .pitch = 256};
  dev.setScanout(s);
  expectPicture(dev.qemu.screendump(), s.format, a, 64, 8, 256);
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, kSurfaceGpa + 0x10000);
  expectPicture(dev.qemu.screendump(), s.format, a, 64, 8, 256);
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, 0);
  expectPicture(dev.qemu.screendump(), s.format, b, 64, 8, 256);
}

// SCAN-6
TEST(Scanout, WritesToTheFrameBufferShow) {
  AeroGpuDev dev;
  auto bytes = pattern(64 * 4 * 8, 3);
  dev.qemu.write(kSurfaceGpa, bytes);
  const AeroGpuDev::Scanout s{.width = 64, .height = 8, .pitch = 256};
  dev.setScanout(s);
  dev.qemu.screendump();
  bytes[1000] ^= 0xFF;
  dev.qemu.writeb(kSurfaceGpa + 1000, bytes[1000]);
  expectPicture(dev.qemu.screendump(), s.format, bytes, 64, 8, 256);
}

// SCAN-10
TEST(Scanout, IsUpTo16384PixelsEachWay) {
  AeroGpuDev dev;
  for (const auto& [width, height] : {std::pair{16384u, 1u}, {1u, 16384u}}) {
    dev.setScanout(
        {.format = AEROGPU_FORMAT_B5G6R5_UNORM, .width = width, .height = height, .pitch = width * 2});
    const Picture largest = dev.qemu.screendump();
    EXPECT_EQ(largest.width, width);
    EXPECT_EQ(largest.height, height);
    const bool wide = width > height;
    dev.setScanout({.format = AEROGPU_FORMAT_B5G6R5_UNORM,
                    .width = width + (wide ? 1 : 0),
                    .height = height + (wide ? 0 : 1),
                    .pitch = width * 2 + 2});
    const Picture still = dev.qemu.screendump();
    EXPECT_EQ(still.width, width) << "one more is not valid";
    EXPECT_EQ(still.height, height);
  }
}

/// A guest with much memory cannot make the console's surface arbitrarily large; no other limit covers that
/// surface.
// SCAN-10, SCAN-4
TEST(Scanout, IsUpTo67108864Pixels) {
  // A picture that BAR1 has room for is valid too.
  for (const auto& [bar1, height] : {std::pair{"vgamem_mb=16", 4096u}, {"vgamem_mb=512", 8192u}}) {
    AeroGpuDev dev(std::string("renderer=null,") + bar1, {"-m", "600M", "-d", "guest_errors"});
    const AeroGpuDev::Scanout largest{
        .format = AEROGPU_FORMAT_B5G6R5_UNORM, .width = 16384, .height = height, .pitch = 32768};
    AeroGpuDev::Scanout larger = largest;
    larger.height++;
    dev.setScanout(largest);
    EXPECT_EQ(dev.qemu.output().find("rejected"), std::string::npos) << dev.qemu.output();
    dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    dev.setScanout({.width = 64, .height = 8, .pitch = 256});
    dev.setScanout(larger);
    const Picture still = dev.qemu.screendump();
    EXPECT_EQ(still.width, 64u) << bar1;
    EXPECT_EQ(still.height, 8u) << bar1;
    EXPECT_NE(dev.qemu.output().find("scanout rejected: size (16384x" + std::to_string(height + 1)),
              std::string::npos)
        << dev.qemu.output();
  }
}

// SCAN-10, SCAN-4
TEST(Scanout, InvalidConfigurationsAreRefusedAndHarmless) {
  AeroGpuDev dev;
  const auto bytes = pattern(64 * 4 * 8, 4);
  dev.qemu.write(kSurfaceGpa, bytes);
  const AeroGpuDev::Scanout good{.width = 64, .height = 8, .pitch = 256};
  const AeroGpuDev::Scanout bad[] = {
      {.format = 0, .width = 64, .height = 8, .pitch = 256},
      {.format = AEROGPU_FORMAT_D32_FLOAT, .width = 64, .height = 8, .pitch = 256},
      {.width = 0, .height = 8, .pitch = 256},
      {.width = 64, .height = 8, .pitch = 64},
      {.width = 0xFFFFFFFF, .height = 0xFFFFFFFF, .pitch = 0xFFFFFFFF},
      {.width = 64, .height = 8, .pitch = 256, .gpa = 0xFFFFFFFFFFFFFF00},
      {.width = 64, .height = 8, .pitch = 256, .gpa = AeroGpuDev::kBar0},
  };
  for (const auto& s : bad) {
    dev.setScanout(s);
    dev.qemu.screendump();
  }
  dev.setScanout(good);
  expectPicture(dev.qemu.screendump(), good.format, bytes, 64, 8, 256);
}

/// A screenshot of memory in BAR1 shows all that the CPU has written there, also after an earlier screenshot.
// SCAN-6
TEST(Scanout, WritesToBar1Show) {
  AeroGpuDev dev;
  constexpr uint64_t kGpa = AeroGpuDev::kBar1 + 0x200000;
  auto bytes = pattern(64 * 4 * 8, 13);
  dev.qemu.write(kGpa, bytes);
  const AeroGpuDev::Scanout s{.width = 64, .height = 8, .pitch = 256, .gpa = kGpa};
  dev.setScanout(s);
  expectPicture(dev.qemu.screendump(), s.format, bytes, 64, 8, 256);
  for (const size_t at : {size_t{1}, size_t{1000}, bytes.size() - 2}) {
    bytes[at] ^= 0xFF;
    dev.qemu.writeb(kGpa + at, bytes[at]);
    expectPicture(dev.qemu.screendump(), s.format, bytes, 64, 8, 256);
  }
}

/// The display is VGA's until a configuration is valid; from then on an invalid one leaves the last picture.
/// SCAN-4
TEST(Scanout, AnInvalidConfigurationTakesNothingOver) {
  AeroGpuDev dev;
  const Picture vga = dev.qemu.screendump();
  dev.setScanout({.format = AEROGPU_FORMAT_D32_FLOAT, .width = 64, .height = 8, .pitch = 256});
  EXPECT_EQ(dev.qemu.screendump().width, vga.width);
  EXPECT_NE(vga.width, 64u);
  const auto bytes = pattern(64 * 4 * 8, 14);
  dev.qemu.write(kSurfaceGpa, bytes);
  dev.setScanout({.width = 64, .height = 8, .pitch = 256});
  expectPicture(dev.qemu.screendump(), AEROGPU_FORMAT_B8G8R8X8_UNORM, bytes, 64, 8, 256);
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 8);
  expectPicture(dev.qemu.screendump(), AEROGPU_FORMAT_B8G8R8X8_UNORM, bytes, 64, 8, 256);
}

// SCAN-1
TEST(Scanout, TakesOverFromVgaBlanksWhenDisabledAndGivesBackOnReset) {
  AeroGpuDev dev;
  const Picture vga = dev.qemu.screendump();
  const auto bytes = pattern(64 * 4 * 8, 5);
  dev.qemu.write(kSurfaceGpa, bytes);
  dev.setScanout({.width = 64, .height = 8, .pitch = 256});
  expectPicture(dev.qemu.screendump(), AEROGPU_FORMAT_B8G8R8X8_UNORM, bytes, 64, 8, 256);
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
  const Picture blank = dev.qemu.screendump();
  for (uint32_t y = 0; y < blank.height; ++y)
    for (uint32_t x = 0; x < blank.width; ++x) ASSERT_EQ(blank.at(x, y), 0u);
  dev.qemu.qmp("system_reset");
  const Picture again = dev.qemu.screendump();
  EXPECT_EQ(again.width, vga.width);
  EXPECT_EQ(again.height, vga.height);
}

/// Sets a VGA mode that shows memory as it is: 64x8 at 32 bits from the start of BAR1, through the ports of
/// the Bochs VBE extensions.
void setVbeMode(AeroGpuDev& dev, uint16_t width, uint16_t height) {
  const uint16_t bpp = 32, enabled = 0x01, linear = 0x40, keepMemory = 0x80;
  const std::pair<uint16_t, uint16_t> registers[] = {
      {4, 0}, {1, width}, {2, height}, {3, bpp}, {4, enabled | linear | keepMemory}};
  for (const auto& [index, value] : registers) {
    dev.qemu.outw(0x1CE, index);
    dev.qemu.outw(0x1CF, value);
  }
  (void)dev.qemu.inb(0x3DA);   // the next byte is an index
  dev.qemu.outb(0x3C0, 0x20);  // attribute controller: video on
}

/// Sets VGA's mode 12h, 640x480 in 16 colours, by registers alone, like a system that shows why it stops:
/// without firmware or VBE. The planes are left as they are.
void setPlanarMode(AeroGpuDev& dev) {
  const auto write = [&](uint16_t port, std::span<const uint8_t> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      dev.qemu.outb(port, static_cast<uint8_t>(i));
      dev.qemu.outb(static_cast<uint16_t>(port + 1), values[i]);
    }
  };
  const uint8_t sequencer[] = {0x03, 0x01, 0x0F, 0x00, 0x06};
  const uint8_t crtc[] = {0x5F, 0x4F, 0x50, 0x82, 0x54, 0x80, 0x0B, 0x3E, 0x00, 0x40, 0x00, 0x00, 0x00,
                          0x00, 0x00, 0x00, 0xEA, 0x0C, 0xDF, 0x28, 0x00, 0xE7, 0x04, 0xE3, 0xFF};
  const uint8_t graphics[] = {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x0F, 0xFF};
  dev.qemu.outb(0x3C2, 0xE3);  // miscellaneous output: colour ports, 25 MHz
  write(0x3C4, sequencer);
  dev.qemu.outb(0x3D4, 0x11);  // CRTC registers 0 to 7 unlocked
  dev.qemu.outb(0x3D5, 0x0C);
  write(0x3D4, crtc);
  write(0x3CE, graphics);
  (void)dev.qemu.inb(0x3DA);
  for (uint8_t i = 0; i < 0x15; ++i) {
    const uint8_t palette = i < 0x10 ? i : i == 0x10 ? 0x01 : i == 0x12 ? 0x0F : 0x00;
    dev.qemu.outb(0x3C0, i);
    dev.qemu.outb(0x3C0, palette);
  }
  dev.qemu.outb(0x3C0, 0x20);
  dev.qemu.outb(0x3C6, 0xFF);
  dev.qemu.outb(0x3C8, 0);
  for (int i = 0; i < 16; ++i)
    for (int channel = 0; channel < 3; ++channel) dev.qemu.outb(0x3C9, static_cast<uint8_t>(i * 4));
}

/// Draws for setPlanarMode(): `on` in all planes is colour 15 for each of the eight pixels in a byte, else 0.
void drawPlanar(AeroGpuDev& dev, uint32_t byteOffset, uint8_t on) {
  dev.qemu.writeb(0xA0000 + byteOffset, on);
}
void expectPlanar(const Picture& picture, uint32_t byteOffset, uint8_t on) {
  ASSERT_EQ(picture.width, 640u);
  ASSERT_EQ(picture.height, 480u);
  // Six bits a channel: 60 of 63.
  for (uint32_t x = 0; x < 8; ++x)
    EXPECT_EQ(picture.at(byteOffset % 80 * 8 + x, byteOffset / 80), on & 0x80 >> x ? 0xF0F0F0u : 0u) << x;
}

/// AEROGPU_EXT_REG_VGA also ends VBE's mode: VGA registers that are programmed afterwards take effect.
// EXT-8
TEST(Scanout, TheRegisterEndsVbesMode) {
  AeroGpuDev dev;
  const uint32_t format = AEROGPU_FORMAT_B8G8R8X8_UNORM;
  const auto boot = pattern(64 * 4 * 8, 21), driver = pattern(64 * 4 * 8, 22);
  dev.qemu.write(kSurfaceGpa, driver);
  for (int round = 0; round < 2; ++round) {
    dev.qemu.write(AeroGpuDev::kBar1, boot);
    setVbeMode(dev, 64, 8);
    expectPicture(dev.qemu.screendump(), format, boot, 64, 8, 256);
    // The driver takes over, or stops before that.
    if (!round) {
      dev.setScanout({.width = 64, .height = 8, .pitch = 256});
      expectPicture(dev.qemu.screendump(), format, driver, 64, 8, 256);
    }
    dev.qemu.outw(0x1CE, 2);  // a program was about to read a VBE register
    dev.setReg(AEROGPU_EXT_REG_VGA, 1);
    EXPECT_EQ(dev.qemu.inw(0x1CF), 8u) << "the index is the guest's";
    dev.qemu.outw(0x1CE, 4);
    EXPECT_EQ(dev.qemu.inw(0x1CF) & 1, 0u) << "VBE_DISPI_ENABLED";
    setPlanarMode(dev);
    drawPlanar(dev, 80 * 100 + 7, 0xA5);
    expectPlanar(dev.qemu.screendump(), 80 * 100 + 7, 0xA5);
  }
}

// EXT-8
TEST(Scanout, TheRegisterGivesTheDisplayBackToVga) {
  AeroGpuDev dev;
  ASSERT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_VGA);
  const auto driver = pattern(64 * 4 * 8, 12);
  const uint32_t format = AEROGPU_FORMAT_B8G8R8X8_UNORM;
  constexpr uint32_t kByte = 80 * 47 + 3;
  setPlanarMode(dev);
  drawPlanar(dev, kByte, 0x96);
  expectPlanar(dev.qemu.screendump(), kByte, 0x96);
  dev.setReg(AEROGPU_EXT_REG_VGA, 1);  // VGA has it already
  expectPlanar(dev.qemu.screendump(), kByte, 0x96);

  dev.qemu.write(kSurfaceGpa, driver);
  dev.setReg(AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
  for (int round = 0; round < 2; ++round) {
    dev.setScanout({.width = 64, .height = 8, .pitch = 256});
    expectPicture(dev.qemu.screendump(), format, driver, 64, 8, 256);
    // From the scanout, then from a blank screen.
    if (round) dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    dev.setReg(AEROGPU_EXT_REG_VGA, 0);  // any value
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE), 0u);
    EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_CURSOR_ENABLE), 0u);
    EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_VGA), 0u) << "write-only";
    expectPlanar(dev.qemu.screendump(), kByte, 0x96);
  }
  // The same frame buffer again: only the enable is written.
  dev.setReg(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
  expectPicture(dev.qemu.screendump(), format, driver, 64, 8, 256);
}

/// When the display goes back to VGA, the vblank clock stops with the scanout, and a pending vblank is taken
/// back.
// EXT-6
TEST(Scanout, GivingTheDisplayBackStopsTheVblank) {
  AeroGpuDev dev;
  dev.setReg(AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_SCANOUT_VBLANK);
  dev.setScanout({.width = 64, .height = 8, .pitch = 256});
  dev.qemu.clockStep(20'000'000);  // a period is 16.7 ms
  EXPECT_NE(dev.reg(AEROGPU_MMIO_REG_IRQ_STATUS) & AEROGPU_IRQ_SCANOUT_VBLANK, 0u);
  dev.setReg(AEROGPU_EXT_REG_VGA, 1);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_IRQ_STATUS) & AEROGPU_IRQ_SCANOUT_VBLANK, 0u);
}

/// Presents or flips to a texture over kSurfaceGpa with `bytes`: its GPU copy shows, not the memory.
void textureScanout(bool present) {
  AeroGpuDev dev;
  dev.startRing();
  const uint32_t width = 32, height = 16, pitch = width * 4;
  const auto bytes = pattern(size_t{pitch} * height, 6);
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x10000, 0}};
  const auto table = AeroGpuDev::allocTable(entries);
  dev.setScanout({.width = width, .height = height, .pitch = pitch});
  CommandWriter w;
  packets::createTexture(w, {.handle = 1, .width = width, .height = height, .rowPitch = pitch, .allocId = 1});
  packets::upload(w, 1, 0, bytes);
  if (present) packets::present(w);
  dev.waitFence(dev.submit(w, {.table = table}));
  if (!present) dev.setReg64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, kSurfaceGpa);
  EXPECT_EQ(dev.errorCount(), 0u);
  expectPicture(dev.qemu.screendump(), AEROGPU_FORMAT_B8G8R8X8_UNORM, bytes, width, height, pitch);
}

// PRES-2
TEST(Scanout, APresentShowsTheTexture) {
  textureScanout(true);
}
// SCAN-7
TEST(Scanout, AFlipShowsTheTexture) {
  textureScanout(false);
}

/// The product's back end: a present shows the colour of a cleared target.
TEST(Scanout, VulkanShowsAClearedTarget) {
  AeroGpuDev dev("renderer=vulkan");
  dev.startRing();
  const uint32_t width = 32, height = 16, pitch = width * 4;
  const aerogpu_alloc_entry entries[] = {{1, 0, kSurfaceGpa, 0x10000, 0}};
  const auto table = AeroGpuDev::allocTable(entries);
  dev.setScanout({.width = width, .height = height, .pitch = pitch});
  CommandWriter w;
  packets::createShown(w, 1, width, height, 1);
  packets::setTarget(w, 1);
  packets::clearColor(w, {1.0f, 0.2f, 0.6f});  // 255, 51, 153: exact in UNORM8
  packets::present(w);
  dev.waitFence(dev.submit(w, {.flags = AEROGPU_SUBMIT_FLAG_PRESENT, .table = table}));
  EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  const Picture picture = dev.qemu.screendump();
  ASSERT_EQ(picture.width, width);
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x) ASSERT_EQ(picture.at(x, y), 0xFF3399u) << x << "," << y;
}

class Cursor : public ::testing::Test {
protected:
  static constexpr uint32_t kWidth = 64, kHeight = 48, kSize = 8;
  static constexpr uint64_t kCursorGpa = kSurfaceGpa + 0x100000;

  void SetUp() override {
    m_screen.assign(size_t{kWidth} * kHeight * 4, 0x40);
    m_dev.qemu.write(kSurfaceGpa, m_screen);
    m_dev.setScanout({.width = kWidth, .height = kHeight, .pitch = kWidth * 4});
    // Left half opaque red, right half fully transparent.
    std::vector<uint8_t> shape;
    for (uint32_t y = 0; y < kSize; ++y)
      for (uint32_t x = 0; x < kSize; ++x) {
        const uint8_t pixel[4] = {0, 0, 0xFF, static_cast<uint8_t>(x < kSize / 2 ? 0xFF : 0)};
        shape.insert(shape.end(), pixel, pixel + 4);
      }
    m_dev.qemu.write(kCursorGpa, shape);
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_WIDTH, kSize);
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_HEIGHT, kSize);
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, kSize * 4);
    m_dev.setReg64(AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, kCursorGpa);
  }

  /// Expects the cursor with its upper left corner at left, top; everything else is the screen.
  void expectCursorAt(int left, int top) {
    const Picture picture = m_dev.qemu.screendump();
    ASSERT_EQ(picture.width, kWidth);
    for (int y = 0; y < static_cast<int>(kHeight); ++y)
      for (int x = 0; x < static_cast<int>(kWidth); ++x) {
        const bool red = x >= left && x < left + static_cast<int>(kSize / 2) && y >= top &&
                         y < top + static_cast<int>(kSize);
        ASSERT_EQ(picture.at(static_cast<uint32_t>(x), static_cast<uint32_t>(y)), red ? 0xFF0000u : 0x404040u)
            << x << "," << y;
      }
  }

  void place(int x, int y, uint32_t hotX, uint32_t hotY) {
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_HOT_X, hotX);
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_HOT_Y, hotY);
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_X, static_cast<uint32_t>(x));
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_Y, static_cast<uint32_t>(y));
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
  }

  AeroGpuDev m_dev;
  std::vector<uint8_t> m_screen;
};

// CUR-1, CUR-4
TEST_F(Cursor, HotSpotAlphaAndMoves) {
  place(20, 10, 2, 3);
  expectCursorAt(18, 7);
  m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_X, 40);
  expectCursorAt(38, 7);
  m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_ENABLE, 0);
  expectCursorAt(-1000, -1000);
}

/// Straight alpha: over * a + under * (1 - a), to within one step of rounding.
// CUR-3
TEST_F(Cursor, HalfTransparentPixelsAreMixed) {
  std::vector<uint8_t> shape;
  for (uint32_t i = 0; i < kSize * kSize; ++i) {
    const uint8_t pixel[4] = {0x20, 0x80, 0xF0, static_cast<uint8_t>(i * 4)};
    shape.insert(shape.end(), pixel, pixel + 4);
  }
  m_dev.qemu.write(kCursorGpa, shape);
  place(10, 10, 0, 0);
  const Picture picture = m_dev.qemu.screendump();
  for (uint32_t i = 0; i < kSize * kSize; ++i) {
    const uint32_t pixel = picture.at(10 + i % kSize, 10 + i / kSize), a = i * 4;
    const uint32_t over[3] = {0xF0, 0x80, 0x20};
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(pixel >> (16 - 8 * c) & 0xFF, (over[c] * a + 0x40 * (255 - a)) / 255.0, 1.0)
          << "alpha " << a << " channel " << c;
  }
}

/// Formats with X8 are opaque whatever the byte is.
// CUR-3
TEST_F(Cursor, WithoutAlphaIsOpaque) {
  m_dev.qemu.write(kCursorGpa, std::vector<uint8_t>(kSize * kSize * 4, 0x00));
  m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_FORMAT, AEROGPU_FORMAT_B8G8R8X8_UNORM);
  place(10, 10, 0, 0);
  const Picture picture = m_dev.qemu.screendump();
  EXPECT_EQ(picture.at(10, 10), 0u);
  EXPECT_EQ(picture.at(10 + kSize - 1, 10 + kSize - 1), 0u);
  EXPECT_EQ(picture.at(10 + kSize, 10), 0x404040u);
}

// CUR-2
TEST_F(Cursor, ThatCannotBeReadIsNotShown) {
  place(20, 10, 0, 0);
  expectCursorAt(20, 10);
  for (const uint64_t bad :
       {uint64_t{0x4000000000}, AeroGpuDev::kBar0, (uint64_t{64} << 20) - 16, ~uint64_t{15}}) {
    m_dev.setReg64(AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, bad);
    expectCursorAt(-1000, -1000);
  }
  m_dev.setReg64(AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, kCursorGpa);
  expectCursorAt(20, 10);
}

// CUR-2
TEST_F(Cursor, NeedsAPitchOfARowAndAFormatOfTheScanout) {
  place(20, 10, 0, 0);
  expectCursorAt(20, 10);
  for (const uint32_t pitch : {kSize * 4 - 1, 0u}) {
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, pitch);
    expectCursorAt(-1000, -1000);
  }
  m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, kSize * 4);
  expectCursorAt(20, 10);
  for (const uint32_t format : {uint32_t{AEROGPU_FORMAT_INVALID}, uint32_t{AEROGPU_FORMAT_D32_FLOAT}}) {
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_FORMAT, format);
    expectCursorAt(-1000, -1000);
  }
  m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
  expectCursorAt(20, 10);
}

// CUR-1
TEST_F(Cursor, AHotSpotOutsideIsTheLastPixel) {
  place(20, 20, kSize, 0xFFFFFFFF);
  expectCursorAt(20 - (kSize - 1), 20 - (kSize - 1));
}

/// Only these writes make the device read the cursor's shape; new content of the memory, moves, flips and
/// screenshots do not.
// CUR-4
TEST_F(Cursor, IsReadAgainWhenItsEnableOrAddressIsWritten) {
  const std::vector<uint8_t> gone(kSize * kSize * 4, 0),
      shape = m_dev.qemu.read(kCursorGpa, kSize * kSize * 4);
  place(20, 10, 0, 0);
  expectCursorAt(20, 10);
  m_dev.qemu.write(kCursorGpa, gone);
  expectCursorAt(20, 10);
  m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_X, 24);
  m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_Y, 12);
  expectCursorAt(24, 12);
  m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, static_cast<uint32_t>(kCursorGpa));
  m_dev.setReg64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, kSurfaceGpa);
  expectCursorAt(24, 12);
  m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
  expectCursorAt(-1000, -1000);

  m_dev.qemu.write(kCursorGpa, shape);
  expectCursorAt(-1000, -1000);
  m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI, 0);
  expectCursorAt(24, 12);
}

/// A cursor has 1 to 256 pixels each way, and all of them are visible.
// CUR-2
TEST_F(Cursor, HasUpTo256PixelsEachWay) {
  constexpr uint32_t kSide = 300;
  m_dev.qemu.write(kSurfaceGpa, std::vector<uint8_t>(size_t{kSide} * kSide * 4, 0x40));
  m_dev.setScanout({.width = kSide, .height = kSide, .pitch = kSide * 4});
  m_dev.qemu.write(kCursorGpa, std::vector<uint8_t>(size_t{kSide} * 4 * kSide, 0xFF));
  m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, kSide * 4);
  place(10, 20, 0, 0);
  const std::pair<uint32_t, uint32_t> shown[] = {{1, 1}, {256, 1}, {1, 256}, {256, 256}};
  const std::pair<uint32_t, uint32_t> refused[] = {{257, 1}, {1, 257}, {0, 1},
                                                   {1, 0},   {~0u, 1}, {1, 0x10001}};
  const auto white = [&](uint32_t width, uint32_t height) {
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_WIDTH, width);
    m_dev.setReg(AEROGPU_MMIO_REG_CURSOR_HEIGHT, height);
    const Picture picture = m_dev.qemu.screendump();
    uint32_t right = 0, bottom = 0;
    for (uint32_t y = 0; y < kSide; ++y)
      for (uint32_t x = 0; x < kSide; ++x)
        if (picture.at(x, y) == 0xFFFFFF) right = std::max(right, x + 1), bottom = std::max(bottom, y + 1);
    return std::pair{right, bottom};
  };
  for (const auto& [width, height] : shown)
    EXPECT_EQ(white(width, height), std::pair(10 + width, 20 + height));
  for (const auto& [width, height] : refused)
    EXPECT_EQ(white(width, height), std::pair(0u, 0u)) << width << " x " << height;
}

// CUR-5
TEST_F(Cursor, IsCutAtTheEdges) {
  place(-2, -3, 0, 0);
  expectCursorAt(-2, -3);
  place(static_cast<int>(kWidth) - 2, static_cast<int>(kHeight) - 2, 0, 0);
  expectCursorAt(kWidth - 2, kHeight - 2);
}

}  // namespace
