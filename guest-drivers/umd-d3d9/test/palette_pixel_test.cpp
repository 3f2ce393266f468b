// SPDX-License-Identifier: MIT
// Tests textures of indices with a palette, as Direct3D 7 and older use them: pages "PFND3DDDI_UPDATEPALETTE",
// "D3DDDIARG_UPDATEPALETTE", "D3DDDIARG_SETPALETTE"; DDrawCompat (D3dDdi/Device.cpp, pfnUpdatePalette).
#include <array>

#include "guest-drivers/umd-d3d9/test/umd_pixels.h"

namespace aero::test {
namespace {

class PalettePixels : public DirectDrawPixels {
protected:
  bool offers(uint32_t operations) {
    D3DDDIARG_GETCAPS args = {};
    UINT count = 0;
    args.Type = D3DDDICAPS_GETFORMATCOUNT;
    args.pData = &count;
    args.DataSize = sizeof count;
    EXPECT_EQ(rt->adapterFunctions.pfnGetCaps(rt->adapter, &args), 0);
    std::vector<FORMATOP> rows(count);
    args.Type = D3DDDICAPS_GETFORMATDATA;
    args.pData = rows.data();
    args.DataSize = static_cast<UINT>(count * sizeof(FORMATOP));
    EXPECT_EQ(rt->adapterFunctions.pfnGetCaps(rt->adapter, &args), 0);
    for (const FORMATOP &row : rows)
      if (row.Format == D3DDDIFMT_P8) return (row.Operations & operations) == operations;
    return false;
  }

  void update(UINT palette, UINT first, const std::vector<PALETTEENTRY> &colors) {
    const D3DDDIARG_UPDATEPALETTE args = {palette, first, static_cast<UINT>(colors.size())};
    EXPECT_EQ(p->fn.pfnUpdatePalette(p->dev(), &args, colors.data()), 0);
  }
  void set(UINT palette, HANDLE texture, bool alpha = false) {
    const D3DDDIARG_SETPALETTE args = {palette, D3DDDISETPALETTE_256 | (alpha ? D3DDDISETPALETTE_ALPHA : 0u), texture};
    EXPECT_EQ(p->fn.pfnSetPalette(p->dev(), &args), 0);
  }
  /** Returns 256 colours, each with another alpha. */
  static std::vector<PALETTEENTRY> colors(uint32_t seed) {
    std::vector<PALETTEENTRY> out(256);
    for (uint32_t i = 0; i < 256; i++)
      out[i] = {static_cast<BYTE>(i + seed), static_cast<BYTE>(i * 3 + seed), static_cast<BYTE>(255 - i),
                static_cast<BYTE>(i ^ 0x55)};
    return out;
  }
  static uint32_t argb(const PALETTEENTRY &color, bool alpha = false) {
    return (alpha ? color.peFlags : 0xFFu) << 24 | uint32_t{color.peRed} << 16 | uint32_t{color.peGreen} << 8 |
           color.peBlue;
  }
  void writeIndices(HANDLE texture, uint32_t subresource, uint32_t width, uint32_t height,
                    const std::vector<uint8_t> &indices) {
    D3DDDIARG_LOCK lock = {};
    lock.hResource = texture;
    lock.SubResourceIndex = subresource;
    ASSERT_EQ(p->fn.pfnLock(p->dev(), &lock), 0);
    for (uint32_t y = 0; y < height; y++)
      memcpy(static_cast<uint8_t *>(lock.pSurfData) + size_t{y} * lock.Pitch, &indices[size_t{y} * width], width);
    p->unlock(texture, subresource);
  }
  /** Draws level 0 texel by texel, and returns the pixels. */
  std::vector<uint32_t> drawn(HANDLE texture, uint32_t width, uint32_t height) {
    HANDLE target = p->bindTarget(width, height, D3DDDIFMT_A8R8G8B8);
    p->clear(0x12345678);
    p->fn.pfnSetTexture(p->dev(), 0, texture);
    p->fn.pfnSetPixelShader(p->dev(), textured);
    drawQuad(quad(0, 0, static_cast<float>(width), static_cast<float>(height), static_cast<float>(width),
                  static_cast<float>(height), kWhite));
    std::vector<uint32_t> pixels = p->read(target, width, height, D3DDDIFMT_A8R8G8B8);
    p->fn.pfnSetTexture(p->dev(), 0, nullptr);
    p->destroy(target);
    return pixels;
  }
  void expectColors(HANDLE texture, uint32_t width, uint32_t height, const std::vector<uint8_t> &indices,
                    const std::vector<PALETTEENTRY> &palette, bool alpha, const char *what) {
    const std::vector<uint32_t> seen = drawn(texture, width, height);
    for (uint32_t i = 0; i < width * height; i++)
      ASSERT_EQ(seen[i], argb(palette[indices[i]], alpha)) << what << ", texel " << i << ", index " << +indices[i];
  }
  static std::vector<uint8_t> indicesOf(uint32_t count, uint32_t seed) {
    std::vector<uint8_t> out(count);
    for (uint32_t i = 0; i < count; i++) out[i] = static_cast<uint8_t>(i * 7 + seed);
    return out;
  }
};

TEST_F(PalettePixels, ATextureHasTheColoursOfItsPalette) {
  if (!offers(FORMATOP_TEXTURE)) GTEST_SKIP() << "no textures of indices without the device's formats";
  constexpr uint32_t kEdge = 16;
  HANDLE texture = p->resource(D3DDDIFMT_P8, kEdge, kEdge, Program::texture());
  auto indices = indicesOf(kEdge * kEdge, 3);
  writeIndices(texture, 0, kEdge, kEdge, indices);
  auto palette = colors(9);
  set(7, texture);
  update(7, 0, palette);
  expectColors(texture, kEdge, kEdge, indices, palette, false, "a palette");
  // A part of the palette; the first colour of the array goes to StartIndex (DDrawCompat).
  std::vector<PALETTEENTRY> some = colors(100);
  some.resize(20);
  update(7, 30, some);
  std::copy(some.begin(), some.end(), palette.begin() + 30);
  expectColors(texture, kEdge, kEdge, indices, palette, false, "a part of it");
  // Other indices, and the alpha of the entries.
  indices = indicesOf(kEdge * kEdge, 50);
  writeIndices(texture, 0, kEdge, kEdge, indices);
  expectColors(texture, kEdge, kEdge, indices, palette, false, "other indices");
  set(7, texture, true);
  expectColors(texture, kEdge, kEdge, indices, palette, true, "with alpha");
  // Two textures with palettes of their own.
  HANDLE other = p->resource(D3DDDIFMT_P8, kEdge, kEdge, Program::texture());
  const auto otherIndices = indicesOf(kEdge * kEdge, 77);
  writeIndices(other, 0, kEdge, kEdge, otherIndices);
  const auto otherPalette = colors(200);
  update(0x10000, 0, otherPalette);
  set(0x10000, other);
  expectColors(other, kEdge, kEdge, otherIndices, otherPalette, false, "another texture");
  expectColors(texture, kEdge, kEdge, indices, palette, true, "the first one again");
  set(0x10000, texture);
  expectColors(texture, kEdge, kEdge, indices, otherPalette, false, "with the palette of the other");
  // 0 takes it away. What lies beyond the last colour is ignored.
  set(0, texture);
  for (const uint32_t pixel : drawn(texture, kEdge, kEdge)) EXPECT_EQ(pixel, kBlack);
  update(7, 250, colors(1));
  update(7, 256, colors(1));
  p->destroy(texture);
  p->destroy(other);
}

TEST_F(PalettePixels, IndicesThatTheDeviceHasWrittenAreColouredToo) {
  if (!offers(FORMATOP_TEXTURE)) GTEST_SKIP() << "no textures of indices without the device's formats";
  constexpr uint32_t kEdge = 8;
  const auto palette = colors(17);
  update(1, 0, palette);
  HANDLE texture = p->resource(D3DDDIFMT_P8, kEdge, kEdge, Program::texture());
  set(1, texture);
  // From the runtime's memory, as programs load textures.
  auto indices = indicesOf(kEdge * kEdge, 21);
  HANDLE memory =
      p->resource(D3DDDIFMT_P8, kEdge, kEdge, Program::texture(), D3DDDIPOOL_SYSTEMMEM, 1, 1, indices.data(), kEdge);
  D3DDDIARG_TEXBLT load = {};
  load.hSrcResource = memory;
  load.hDstResource = texture;
  load.SrcRect = {0, 0, kEdge, kEdge};
  ASSERT_EQ(p->fn.pfnTexBlt(p->dev(), &load), 0);
  expectColors(texture, kEdge, kEdge, indices, palette, false, "loaded");
  // By a copy on the device, and by a fill.
  HANDLE surface = p->resource(D3DDDIFMT_P8, kEdge, kEdge, 0);
  auto moved = indicesOf(kEdge * kEdge, 90);
  writeIndices(surface, 0, kEdge, kEdge, moved);
  ASSERT_EQ(p->blt(surface, {0, 0, kEdge, kEdge}, texture, {0, 0, kEdge, kEdge}), 0);
  expectColors(texture, kEdge, kEdge, moved, palette, false, "copied");
  D3DDDIARG_COLORFILL fill = {};
  fill.hResource = texture;
  fill.DstRect = {2, 2, 6, 6};
  fill.Color = 0xFF00002A;
  ASSERT_EQ(p->fn.pfnColorFill(p->dev(), &fill), 0);
  for (uint32_t y = 2; y < 6; y++)
    for (uint32_t x = 2; x < 6; x++) moved[y * kEdge + x] = 0x2A;
  expectColors(texture, kEdge, kEdge, moved, palette, false, "filled");
  // The runtime's memory itself can be bound, and changes without a call.
  set(1, memory);
  expectColors(memory, kEdge, kEdge, indices, palette, false, "in the runtime's memory");
  indices[5] ^= 0x3C;
  expectColors(memory, kEdge, kEdge, indices, palette, false, "after a change of it");
  p->destroy(surface);
  p->destroy(memory);
  p->destroy(texture);
}

// A large one has memory of its own, and each level its indices.
TEST_F(PalettePixels, EveryLevelAndSizeIsColoured) {
  if (!offers(FORMATOP_TEXTURE)) GTEST_SKIP() << "no textures of indices without the device's formats";
  constexpr uint32_t kEdge = 256, kLevels = 3;
  const auto palette = colors(33);
  HANDLE texture = p->resource(D3DDDIFMT_P8, kEdge, kEdge, Program::texture(), D3DDDIPOOL_VIDEOMEMORY, kLevels);
  for (uint32_t level = 0; level < kLevels; level++) {
    const uint32_t edge = kEdge >> level;
    writeIndices(texture, level, edge, edge, std::vector<uint8_t>(size_t{edge} * edge, static_cast<uint8_t>(level)));
  }
  set(3, texture);
  update(3, 0, palette);
  p->stage(0, D3DDDITSS_MIPFILTER, 1);
  for (uint32_t level = 0; level < kLevels; level++) {
    const uint32_t edge = kEdge >> level;
    const auto seen = drawn(texture, edge, edge);
    EXPECT_EQ(seen[0], argb(palette[level])) << level;
    EXPECT_EQ(seen[edge * edge - 1], argb(palette[level])) << level;
  }
  p->stage(0, D3DDDITSS_MIPFILTER, 0);
  p->destroy(texture);
}

}  // namespace
}  // namespace aero::test
