// SPDX-License-Identifier: MIT
// Tests pictures of palette indices: what the screen shows of memory and of textures, and that a change of
// the palette alone reaches it. docs/abi/present.md, PAL.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;
namespace packets = aerogpu::packets;

constexpr uint32_t kWidth = 48, kHeight = 20, kPitch = 64;
constexpr uint64_t kBytes = uint64_t{kPitch} * kHeight;

using Palette = std::array<uint32_t, AEROGPU_EXT_PALETTE_ENTRIES>;

uint32_t entryRegister(uint32_t entry) {
  return AEROGPU_EXT_REG_PALETTE + 4 * entry;
}

/// Returns 256 different colours.
Palette colors(uint32_t seed) {
  Palette palette;
  for (uint32_t i = 0; i < palette.size(); ++i) palette[i] = (i * 0x010305 + seed * 0x1234567) & 0xFFFFFF;
  return palette;
}

void setPalette(AeroGpuDev& dev, const Palette& palette) {
  for (uint32_t i = 0; i < palette.size(); ++i) dev.setReg(entryRegister(i), palette[i]);
}

void setIndexed(AeroGpuDev& dev, uint64_t gpa = kSurfaceGpa) {
  dev.setScanout(
      {.format = AEROGPU_EXT_SCANOUT_P8, .width = kWidth, .height = kHeight, .pitch = kPitch, .gpa = gpa});
}

void expectPicture(const Picture& picture, const std::vector<uint8_t>& bytes, const Palette& palette) {
  ASSERT_EQ(picture.width, kWidth);
  ASSERT_EQ(picture.height, kHeight);
  uint32_t wrong = 0;
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x) {
      const uint32_t want = palette[bytes[size_t{y} * kPitch + x]];
      if (picture.at(x, y) == want) continue;
      if (!wrong++)
        ADD_FAILURE() << x << ',' << y << ": " << std::hex << picture.at(x, y) << ", not " << want;
    }
  EXPECT_EQ(wrong, 0u);
}

// PAL-1, PAL-3, SCAN-6
TEST(Palette, MemoryIsShownInItsColours) {
  AeroGpuDev dev;
  for (const uint64_t gpa : {kSurfaceGpa, AeroGpuDev::kBar1 + 0x100000}) {
    auto bytes = pattern(kBytes, static_cast<uint32_t>(gpa >> 20));
    Palette palette = colors(static_cast<uint32_t>(gpa >> 24));
    dev.qemu.write(gpa, bytes);
    setPalette(dev, palette);
    setIndexed(dev, gpa);
    expectPicture(dev.qemu.screendump(), bytes, palette);
    // One colour changes, and nothing else.
    palette[bytes[5]] = 0xABCDEF;
    dev.setReg(entryRegister(bytes[5]), 0xABCDEF);
    expectPicture(dev.qemu.screendump(), bytes, palette);
    // And one pixel.
    bytes[kPitch + 3] ^= 0xFF;
    dev.qemu.writeb(gpa + kPitch + 3, bytes[kPitch + 3]);
    expectPicture(dev.qemu.screendump(), bytes, palette);
  }
  // Back to colours, and to the palette again, which has stayed.
  const auto pixels = pattern(size_t{256} * kHeight, 9);
  dev.qemu.write(kSurfaceGpa, pixels);
  dev.setScanout({.width = kWidth, .height = kHeight, .pitch = 256});
  const uint32_t first = pixels[0] | pixels[1] << 8 | pixels[2] << 16;
  EXPECT_EQ(dev.qemu.screendump().at(0, 0), first & 0xFFFFFF);
  setIndexed(dev);
  EXPECT_EQ(dev.qemu.screendump().at(0, 0), dev.reg(entryRegister(pixels[0])));
}

// PAL-2
TEST(Palette, AnEntryHas24BitsUntilAReset) {
  AeroGpuDev dev;
  EXPECT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_PALETTE);
  for (uint32_t i = 0; i < AEROGPU_EXT_PALETTE_ENTRIES; ++i) EXPECT_EQ(dev.reg(entryRegister(i)), 0u) << i;
  for (uint32_t i = 0; i < AEROGPU_EXT_PALETTE_ENTRIES; ++i)
    dev.setReg(entryRegister(i), 0xFF000000 | i * 0x10101);
  for (uint32_t i = 0; i < AEROGPU_EXT_PALETTE_ENTRIES; ++i)
    EXPECT_EQ(dev.reg(entryRegister(i)), i * 0x10101) << i;
  // Accesses that are no aligned word, and the words beside the palette.
  const uint64_t entry7 = AeroGpuDev::kBar0 + entryRegister(7);
  dev.qemu.writew(entry7, 0xFFFF);
  dev.qemu.writeb(entry7 + 1, 0xFF);
  EXPECT_EQ(dev.reg(entryRegister(7)), 0x70707u);
  EXPECT_EQ(dev.qemu.readw(entry7), 0u);
  dev.setReg(AEROGPU_EXT_REG_PALETTE - 4, 0x123456);
  dev.setReg(entryRegister(AEROGPU_EXT_PALETTE_ENTRIES), 0x123456);
  EXPECT_EQ(dev.reg(AEROGPU_EXT_REG_PALETTE - 4), 0u);
  EXPECT_EQ(dev.reg(entryRegister(AEROGPU_EXT_PALETTE_ENTRIES)), 0u);
  dev.startRing();
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE | AEROGPU_RING_CONTROL_RESET);
  dev.setReg(AEROGPU_EXT_REG_VGA, 1);
  EXPECT_EQ(dev.reg(entryRegister(255)), 0xFFFFFFu);
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  for (uint32_t i = 0; i < AEROGPU_EXT_PALETTE_ENTRIES; ++i) EXPECT_EQ(dev.reg(entryRegister(i)), 0u) << i;
}

// PAL-1, SCAN-4
TEST(Palette, ConfigurationsThatCannotBeAreRefused) {
  AeroGpuDev dev;
  dev.qemu.write(kSurfaceGpa, std::vector<uint8_t>(kBytes, 1));
  dev.setReg(entryRegister(1), 0x112233);
  setIndexed(dev);
  EXPECT_EQ(dev.qemu.screendump().at(kWidth - 1, kHeight - 1), 0x112233u);
  const auto refused = [&](const AeroGpuDev::Scanout& scanout, const char* what) {
    dev.setScanout(scanout);
    const Picture picture = dev.qemu.screendump();
    EXPECT_EQ(picture.width, kWidth) << what;
    EXPECT_EQ(picture.at(0, 0), 0x112233u) << what;
    setIndexed(dev);
  };
  refused({.format = AEROGPU_EXT_SCANOUT_P8, .width = 64, .height = 8, .pitch = 63}, "a pitch below a row");
  refused({.format = AEROGPU_FORMAT_D3D9_L8, .width = 64, .height = 8, .pitch = 64}, "a format of textures");
  refused({.format = AEROGPU_EXT_SCANOUT_P8, .width = 64, .height = 8, .pitch = 64, .gpa = 0x3FFFFC0},
          "a picture that ends behind the memory");
  // A row needs no more than its bytes.
  dev.setScanout({.format = AEROGPU_EXT_SCANOUT_P8, .width = 64, .height = 1, .pitch = 64, .gpa = 0x3FFFFC0});
  EXPECT_EQ(dev.qemu.screendump().width, 64u);
}

/// Two textures over one memory, of indices and of colours.
void textures(const std::string& backend) {
  AeroGpuDev dev("renderer=" + backend);
  dev.startRing();
  const aerogpu_alloc_entry entry{1, 0, kSurfaceGpa, 0x2000, 0};
  const auto table = AeroGpuDev::allocTable({&entry, 1});
  const auto submit = [&](const CommandWriter& w) {
    dev.waitFence(dev.submit(w, {.table = table}));
    EXPECT_EQ(dev.errorCount(), 0u) << dev.qemu.output();
  };
  const Palette palette = colors(3);
  setPalette(dev, palette);
  const auto memory = pattern(0x2000, 7), indices = pattern(kBytes, 8);
  dev.qemu.write(kSurfaceGpa, memory);
  setIndexed(dev);
  expectPicture(dev.qemu.screendump(), memory, palette);
  CommandWriter w;
  packets::createTexture(w, {.handle = 1,
                             .format = AEROGPU_FORMAT_D3D9_L8,
                             .width = kWidth,
                             .height = kHeight,
                             .usage = packets::kShown,
                             .rowPitch = kPitch,
                             .allocId = 1});
  packets::upload(w, 1, 0, indices);
  packets::present(w);
  submit(w);
  expectPicture(dev.qemu.screendump(), indices, palette);
  dev.setReg(entryRegister(indices[0]), 0x00FF00);
  EXPECT_EQ(dev.qemu.screendump().at(0, 0), 0x00FF00u) << "without a present or a flip";
  dev.setReg(entryRegister(indices[0]), palette[indices[0]]);

  // A newer texture of colours is not taken for indices, and that of indices is not taken for colours.
  w.reset();
  packets::createShown(w, 2, 16, kHeight, 1);
  packets::setTarget(w, 2);
  packets::clearColor(w, {1, 0, 1});
  packets::present(w);
  submit(w);
  expectPicture(dev.qemu.screendump(), indices, palette);
  dev.setScanout({.width = 16, .height = kHeight, .pitch = kPitch});
  EXPECT_EQ(dev.qemu.screendump().at(0, 0), 0xFF00FFu);
  w.reset();
  packets::destroyResource(w, 2);
  packets::present(w);
  submit(w);
  const uint32_t word = memory[0] | memory[1] << 8 | memory[2] << 16;
  EXPECT_EQ(dev.qemu.screendump().at(0, 0), word & 0xFFFFFF) << "the memory";

  // What is drawn without a present (PRES-11): a fill with the index 0x33.
  setIndexed(dev);
  expectPicture(dev.qemu.screendump(), indices, palette);
  dev.setReg(AEROGPU_EXT_REG_SCANOUT0_FOLLOW, 1);
  w.reset();
  packets::setTarget(w, 1);
  packets::clearColor(w, {0x33 / 255.0f});
  submit(w);
  expectPicture(dev.qemu.screendump(), std::vector<uint8_t>(kBytes, 0x33), palette);
}

// PAL-3, PAL-4
TEST(Palette, TexturesOfIndicesAreShown) {
  textures("null");
}
TEST(Palette, TexturesOfIndicesAreShownOnVulkan) {
  textures("vulkan");
}

// PAL-5
TEST(Palette, TheCursorHasItsOwnColours) {
  AeroGpuDev dev;
  constexpr uint64_t kCursorGpa = kSurfaceGpa + 0x10000;
  dev.qemu.write(kSurfaceGpa, std::vector<uint8_t>(kBytes, 1));
  dev.setReg(entryRegister(1), 0x112233);
  setIndexed(dev);
  dev.qemu.write(kCursorGpa, std::vector<uint8_t>(4 * 4 * 4, 0xC0));
  const auto show = [&](uint32_t format) {
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_WIDTH, 4);
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_HEIGHT, 4);
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, 16);
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_FORMAT, format);
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_X, 20);
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_Y, 10);
    dev.setReg64(AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, kCursorGpa);
    dev.setReg(AEROGPU_MMIO_REG_CURSOR_ENABLE, 1);
    return dev.qemu.screendump();
  };
  const Picture picture = show(AEROGPU_FORMAT_B8G8R8X8_UNORM);
  EXPECT_EQ(picture.at(21, 11), 0xC0C0C0u);
  EXPECT_EQ(picture.at(19, 11), 0x112233u);
  EXPECT_EQ(show(AEROGPU_EXT_SCANOUT_P8).at(21, 11), 0x112233u) << "no shape has indices";
}

}  // namespace
