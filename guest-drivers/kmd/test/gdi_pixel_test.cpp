// SPDX-License-Identifier: MIT
// Tests every GDI operation through the renderer, pixel by pixel, against Microsoft's page for it.
#include <cmath>

#include "guest-drivers/kmd/test/gdi_fixture.h"

namespace aero::test {
namespace {

/** wingdi.h's numbering of ternary operations. */
uint32_t rop(uint8_t number, uint32_t p, uint32_t s, uint32_t d) {
  uint32_t out = 0;
  for (int bit = 0; bit < 32; bit++) {
    const uint32_t index = (p >> bit & 1) << 2 | (s >> bit & 1) << 1 | (d >> bit & 1);
    out |= uint32_t{number} >> index << 31 >> (31 - bit);
  }
  return out;
}

/** Page "DXGK_GDIARG_STRETCHBLT", the formula with truncation, in integers. */
int64_t stretched(int64_t dst, int64_t dst0, int64_t dstSize, int64_t src0, int64_t srcSize, bool mirror) {
  const int64_t at = (2 * (dst - dst0) + 1) * srcSize / (2 * dstSize);
  return mirror ? src0 + srcSize - 1 - at : src0 + at;
}

Picture stretchedOver(Picture dst, const Picture &src, const GdiBlit &blit, const std::vector<GdiRect> &rects,
                      const std::function<uint32_t(uint32_t s, uint32_t d)> &combine) {
  const GdiRect &t = blit.dstRect, &f = blit.srcRect;
  for (int64_t y = 0; y < dst.height; y++)
    for (int64_t x = 0; x < dst.width; x++) {
      bool in = x >= t.left && x < t.right && y >= t.top && y < t.bottom, listed = false;
      for (const GdiRect &r : rects) listed |= x >= r.left && x < r.right && y >= r.top && y < r.bottom;
      if (!in || !listed) continue;
      const int64_t sx = stretched(x, t.left, t.right - t.left, f.left, f.right - f.left, blit.mirrorX);
      const int64_t sy = stretched(y, t.top, t.bottom - t.top, f.top, f.bottom - f.top, blit.mirrorY);
      dst.at(x, y) = combine(src.at(sx, sy), dst.at(x, y));
    }
  return dst;
}

uint32_t takeSource(uint32_t s, uint32_t) {
  return s;
}

class GdiPixels : public GdiTest {};

TEST_F(GdiPixels, BitBltCopiesItsRectanglesAndNothingElse) {
  const Picture from = noise(70, 50, 1), to = noise(90, 60, 2);
  const std::vector<GdiRect> rects = {{10, 12, 20, 13}, {30, 20, 60, 45}, {0, 50, 5, 60}, {85, 0, 200, 9}};
  GdiBlit blit;
  blit.src = surface(from);
  blit.dst = surface(to);
  blit.dstRect = {-3, -2, 90, 60};
  blit.srcRect = {1, 4, 94, 66};  // source = destination + 4, + 6
  blit.rects = list(rects);
  draw([&](PacketWriter &p, uint32_t &steps) { return gdiRopBlit(p, kFirstHandle, blit, kRopSrcCopy, steps); });
  Picture want = to;
  for (int64_t y = 0; y < to.height; y++)
    for (int64_t x = 0; x < to.width; x++)
      if (inside(rects, x, y) && x + 4 < from.width && y + 6 < from.height) want.at(x, y) = from.at(x + 4, y + 6);
  expectPicture(result(blit.dst), want);
}

TEST_F(GdiPixels, CopiesConvertBetweenAllFormats) {
  const std::vector<GdiRect> rects = {{3, 2, 17, 15}};
  for (const uint32_t s : {kBgra, kBgrx, kRgba, kRgbx})
    for (const uint32_t d : {kBgra, kBgrx, kRgba, kRgbx}) {
      SCOPED_TRACE(testing::Message() << s << " to " << d);
      const Picture from = noise(20, 20, s), to = noise(20, 20, d + 100);
      GdiBlit blit;
      blit.src = surface(from, s);
      blit.dst = surface(to, d);
      blit.dstRect = blit.srcRect = {0, 0, 20, 20};
      blit.rects = list(rects);
      draw([&](PacketWriter &p, uint32_t &steps) { return gdiCopy(p, kFirstHandle, blit, steps); });
      Picture want = to;
      for (int64_t y = 2; y < 15; y++)
        for (int64_t x = 3; x < 17; x++) want.at(x, y) = from.at(x, y) | (isOpaque(s) && s != d ? 0xFF000000u : 0);
      expectPicture(result(blit.dst), want, d);
    }
}

TEST_F(GdiPixels, EveryRasterOperationOfSourceAndDestination) {
  // Each channel meets all pairs of values.
  Picture from(256, 256), to(256, 256);
  for (uint32_t y = 0; y < 256; y++)
    for (uint32_t x = 0; x < 256; x++) {
      from.at(x, y) = x * 0x01010101u;
      to.at(x, y) = y << 24 | (255 - y) << 16 | (y ^ 0x55) << 8 | ((y + 77) & 0xFF);
    }
  const GdiSurface src = surface(from);
  const std::vector<GdiRect> rects = {{0, 0, 256, 256}};
  for (uint32_t function = 0; function < 16; function++) {
    const auto number = static_cast<uint8_t>(function << 4 | function);
    SCOPED_TRACE(testing::Message() << "operation " << +number);
    GdiBlit blit;
    blit.src = src;
    blit.dst = surface(to);
    blit.dstRect = blit.srcRect = rects[0];
    blit.rects = list(rects);
    draw([&](PacketWriter &p, uint32_t &steps) { return gdiRopBlit(p, kFirstHandle, blit, number, steps); });
    Picture want = to;
    for (size_t i = 0; i < want.argb.size(); i++) want.argb[i] = rop(number, 0, from.argb[i], to.argb[i]);
    expectPicture(result(blit.dst), want);
  }
}

TEST_F(GdiPixels, NamedOperationsAreWhatTheirPagesSay) {
  EXPECT_EQ(rop(kRopSrcInvert, 0, 0b0011, 0b0101) & 0xF, 0b0110u);
  EXPECT_EQ(rop(kRopSrcAnd, 0, 0b0011, 0b0101) & 0xF, 0b0001u);
  EXPECT_EQ(rop(kRopSrcOr, 0, 0b0011, 0b0101) & 0xF, 0b0111u);
  EXPECT_EQ(rop(kRopSrcCopy, 0, 0b0011, 0b0101) & 0xF, 0b0011u);
  EXPECT_EQ(rop(kRopPatCopy, 0b0011, 0, 0b0101) & 0xF, 0b0011u);
  EXPECT_EQ(rop(kRopPatInvert, 0b0011, 0, 0b0101) & 0xF, 0b0110u);
  EXPECT_EQ(rop(kRopPdxn, 0b0011, 0, 0b0101) & 0xF, 0b1001u);
  EXPECT_EQ(rop(kRopDstInvert, 0b0011, 0, 0b0101) & 0xF, 0b1010u);
  EXPECT_EQ(rop(kRopPatAnd, 0b0011, 0, 0b0101) & 0xF, 0b0001u);
  EXPECT_EQ(rop(kRopPatOr, 0b0011, 0, 0b0101) & 0xF, 0b0111u);
}

TEST_F(GdiPixels, EveryRasterOperationOfPatternAndDestination) {
  Picture to(256, 4);
  for (uint32_t y = 0; y < 4; y++)
    for (uint32_t x = 0; x < 256; x++) to.at(x, y) = x << 24 | (x ^ 0xFF) << 16 | (x ^ 0x3C) << 8 | ((x + 99) & 0xFF);
  const std::vector<GdiRect> rects = {{0, 0, 100, 2}, {90, 3, 256, 4}};
  for (const uint32_t color : {0x80402010u, 0x00FF55AAu, 0xFFFFFFFFu, 0x12345678u})
    for (uint32_t high = 0; high < 4; high++)
      for (uint32_t low = 0; low < 4; low++) {
        // The operations that do not depend on the source.
        const auto number = static_cast<uint8_t>(high * 0x50 | low * 0x05);
        SCOPED_TRACE(testing::Message() << "operation " << +number << " colour " << color);
        const GdiSurface dst = surface(to);
        draw([&](PacketWriter &p, uint32_t &steps) {
          return gdiFill(p, kFirstHandle, dst, list(rects), color, number, steps);
        });
        Picture want = to;
        for (int64_t y = 0; y < 4; y++)
          for (int64_t x = 0; x < 256; x++)
            if (inside(rects, x, y)) want.at(x, y) = rop(number, color, 0, to.at(x, y));
        expectPicture(result(dst), want);
      }
}

TEST_F(GdiPixels, FillOfOtherFormats) {
  for (const uint32_t format : {kBgrx, kRgba, kRgbx}) {
    const Picture to = noise(30, 30, format);
    const std::vector<GdiRect> rects = {{0, 0, 9, 9}, {20, 11, 30, 12}};
    for (const uint8_t number : {kRopPatCopy, kRopPatInvert}) {
      const GdiSurface dst = surface(to, format);
      draw([&](PacketWriter &p, uint32_t &steps) {
        return gdiFill(p, kFirstHandle, dst, list(rects), 0x80C04020u, number, steps);
      });
      Picture want = to;
      for (int64_t y = 0; y < 30; y++)
        for (int64_t x = 0; x < 30; x++)
          if (inside(rects, x, y)) want.at(x, y) = rop(number, 0x80C04020u, 0, to.at(x, y));
      expectPicture(result(dst), want, format);
    }
  }
}

TEST_F(GdiPixels, StretchBltTakesThePixelOfTheFormula) {
  struct Case {
    GdiRect dst, src;
    bool mirrorX, mirrorY;
  };
  const Case cases[] = {
      {{0, 0, 64, 48}, {0, 0, 32, 24}, false, false},     {{0, 0, 33, 17}, {3, 5, 100, 80}, false, false},
      {{-10, -7, 97, 61}, {1, 2, 8, 5}, false, false},    {{5, 6, 71, 45}, {10, 20, 109, 99}, true, false},
      {{0, 0, 90, 60}, {0, 0, 90, 60}, true, true},       {{0, 0, 90, 60}, {7, 9, 52, 39}, false, true},
      {{2, 2, 3, 59}, {0, 0, 120, 100}, false, false},    {{0, 0, 90, 60}, {50, 50, 51, 51}, true, true},
      {{10, 10, 20, 20}, {10, 10, 40, 40}, false, false},
  };
  const Picture from = noise(120, 100, 3), to = noise(90, 60, 4);
  const std::vector<GdiRect> rects = checkers(90, 60, 13);
  for (const Case &c : cases) {
    SCOPED_TRACE(testing::Message() << "case " << &c - cases);
    GdiBlit blit;
    blit.src = surface(from);
    blit.dst = surface(to);
    blit.dstRect = c.dst;
    blit.srcRect = c.src;
    blit.mirrorX = c.mirrorX;
    blit.mirrorY = c.mirrorY;
    blit.rects = list(rects);
    draw([&](PacketWriter &p, uint32_t &steps) { return gdiCopy(p, kFirstHandle, blit, steps); });
    expectPicture(result(blit.dst), stretchedOver(to, from, blit, rects, takeSource));
  }
}

TEST_F(GdiPixels, LongStretchesStayExact) {
  struct Case {
    uint32_t src, dst;
  };
  // In the last cases many pixels have an integral position in the source, though no float holds the ratio exactly.
  constexpr Case kCases[] = {{1920, 1366}, {1366, 1920}, {4096, 1023}, {3, 4096},  {4095, 4096},
                             {8191, 8192}, {1000, 300},  {4000, 1200}, {7000, 300}};
  for (const Case c : kCases) {
    SCOPED_TRACE(testing::Message() << c.src << " to " << c.dst);
    Picture from(c.src, 2), to(c.dst, 3);
    for (uint32_t x = 0; x < c.src; x++) from.at(x, 0) = from.at(x, 1) = x * 0x9E3779B1u;
    const std::vector<GdiRect> rects = {{0, 0, static_cast<int32_t>(c.dst), 3}};
    GdiBlit blit;
    blit.src = surface(from);
    blit.dst = surface(to);
    blit.dstRect = rects[0];
    blit.srcRect = {0, 0, static_cast<int32_t>(c.src), 2};
    blit.rects = list(rects);
    draw([&](PacketWriter &p, uint32_t &steps) { return gdiCopy(p, kFirstHandle, blit, steps); });
    expectPicture(result(blit.dst), stretchedOver(to, from, blit, rects, takeSource));
  }
}

TEST_F(GdiPixels, AlphaBlend) {
  // wingdi.h, BLENDFUNCTION: with AC_SRC_ALPHA the source is premultiplied; each source channel is scaled by the
  // constant first, then dst = src + (255 - src alpha) * dst / 255. The GPU rounds once or twice: one step of 255.
  const Picture to = noise(60, 40, 5);
  Picture from = noise(60, 40, 6);
  for (uint32_t &pixel : from.argb) {
    const uint32_t alpha = pixel >> 24;
    pixel = alpha << 24 | eachChannel([&](int i) { return i == 3 ? 0u : channel(pixel, i) * alpha / 255; });
  }
  const std::vector<GdiRect> rects = checkers(60, 40, 7);
  for (const uint32_t format : {kBgra, kRgbx})
    for (const int constant : {255, 128, 3})
      for (const bool sourceAlpha : {true, false})
        for (const bool stretch : {false, true}) {
          SCOPED_TRACE(testing::Message() << format << " " << constant << " " << sourceAlpha << " " << stretch);
          GdiBlit blit;
          blit.src = surface(from);
          blit.dst = surface(to, format);
          blit.dstRect = {0, 0, 60, 40};
          blit.srcRect = stretch ? GdiRect{10, 3, 41, 33} : blit.dstRect;
          blit.rects = list(rects);
          draw([&](PacketWriter &p, uint32_t &steps) {
            return gdiAlphaBlend(p, kFirstHandle, blit, static_cast<uint8_t>(constant), sourceAlpha, steps);
          });
          const auto blend = [&](uint32_t s, uint32_t d) {
            const double scale = constant / 255.0, weight = sourceAlpha ? scale * (s >> 24) / 255 : scale;
            return eachChannel([&](int i) { return channel(s, i) * scale + channel(d, i) * (1 - weight) + 0.5; });
          };
          expectPicture(result(blit.dst), stretchedOver(to, from, blit, rects, blend), format, 1);
        }
}

TEST_F(GdiPixels, TransparentBlt) {
  const uint32_t key = 0x00204060;
  Picture from = noise(40, 40, 7);
  for (uint32_t i = 0; i < from.argb.size(); i++) {
    if (i % 3 == 0) from.argb[i] = (from.argb[i] & 0xFF000000u) | key;
    if (i % 12 == 0) from.argb[i] = key;                                             // equal to the key, alpha included
    if (i % 7 == 0) from.argb[i] = (from.argb[i] & 0xFF000000u) | (key + 0x000001);  // differs by one from the key
    if (i % 11 == 0) from.argb[i] = 0x01000000u | key;                               // differs from the key in alpha
  }
  const Picture to = noise(50, 50, 8);
  const std::vector<GdiRect> rects = checkers(50, 50, 9);
  for (const bool honorAlpha : {false, true})
    for (const bool stretch : {false, true}) {
      SCOPED_TRACE(testing::Message() << honorAlpha << stretch);
      GdiBlit blit;
      blit.src = surface(from);
      blit.dst = surface(to);
      blit.dstRect = stretch ? GdiRect{1, 1, 48, 49} : GdiRect{3, 3, 43, 43};
      blit.srcRect = {0, 0, 40, 40};
      blit.rects = list(rects);
      draw([&](PacketWriter &p, uint32_t &steps) {
        return gdiTransparentBlt(p, kFirstHandle, blit, key, honorAlpha, steps);
      });
      const auto combine = [&](uint32_t s, uint32_t d) { return (honorAlpha ? s : s & 0x00FFFFFF) != key ? s : d; };
      expectPicture(result(blit.dst), stretchedOver(to, from, blit, rects, combine));
    }
}

// ---- Text

/** Returns 16 rows of tables: gamma in bytes 0 to 255, its inverse in 256 to 511. */
std::vector<uint8_t> gammaTables() {
  std::vector<uint8_t> bytes(8192);
  for (int row = 0; row < 16; row++)
    for (int i = 0; i < 256; i++) {
      bytes[row * 512 + i] = static_cast<uint8_t>(std::lround(255 * std::pow(i / 255.0, 1 + row * 0.1)));
      bytes[row * 512 + 256 + i] = static_cast<uint8_t>(std::lround(255 * std::pow(i / 255.0, 1 / (1 + row * 0.1))));
    }
  return bytes;
}

Picture coverage(uint32_t width, uint32_t height) {
  Picture out = noise(width, height, 9);
  for (size_t i = 0; i < out.argb.size(); i++) {
    if (i % 5 == 0) out.argb[i] = 0;
    if (i % 5 == 1) out.argb[i] = 0xFFFFFFFFu;
    if (i % 5 == 2) out.argb[i] &= 0xFF00FFFFu;  // one channel of a pixel at an end
    if (i % 5 == 3) out.argb[i] |= 0x000000FFu;
  }
  return out;
}

TEST_F(GdiPixels, ClearTypeWithGammaThroughTheUploadedTables) {
  const std::vector<uint8_t> tables = gammaTables();
  // Loads the tables as CDD does (page "D3DKMDT_GDISURFACETYPE"): from a CPU-visible A8 staging surface into the
  // look-up table.
  Picture packed(128, 16);
  std::memcpy(packed.argb.data(), tables.data(), tables.size());
  Allocation memory;
  GdiBlit load;
  load.src = staging(packed, memory, 512);
  load.src.bytePixels = true;
  load.dst = surface(Picture(128, 16));
  load.dst.bytePixels = true;
  const std::vector<GdiRect> whole = {{0, 0, 512, 16}};
  load.dstRect = load.srcRect = whole[0];
  load.rects = list(whole);
  load.srcPitch = 512;
  draw([&](PacketWriter &p, uint32_t &steps) { return gdiCopy(p, kFirstHandle, load, steps); });
  expectPicture(result(load.dst), packed);

  const Picture to = noise(64, 40, 10), alpha = coverage(80, 50);
  const std::vector<GdiRect> rects = checkers(64, 40, 11);
  for (const uint32_t row : {0u, 7u, 15u})
    for (const uint32_t color : {0xFF000000u, 0xFFFFFFFFu, 0x80C08040u}) {
      SCOPED_TRACE(testing::Message() << row << " " << color);
      const auto table = [&](uint32_t i) { return uint32_t{tables[row * 512 + i]}; };
      GdiClearType text;
      text.dst = surface(to);
      text.alpha = surface(alpha);
      text.gamma = load.dst;
      text.rects = list(rects);
      text.toAlphaX = 5;
      text.toAlphaY = 3;
      text.color2 = color;
      text.color = (color & 0xFF000000u) | eachChannel([&](int i) { return i == 3 ? 0u : table(channel(color, i)); });
      text.gammaRow = row;
      draw([&](PacketWriter &p, uint32_t &steps) { return gdiClearTypeBlend(p, kFirstHandle, text, steps); });
      Picture want = to;
      for (int64_t y = 0; y < to.height; y++)
        for (int64_t x = 0; x < to.width; x++) {
          if (!inside(rects, x, y)) continue;
          const uint32_t a = alpha.at(x + 5, y + 3), d = to.at(x, y);
          want.at(x, y) = eachChannel([&](int i) -> uint32_t {
            const uint32_t ai = channel(a, i), di = channel(d, i);
            if (i == 3 || ai == 0) return di;
            if (ai == 255) return channel(text.color2, i);
            const double tmp = table(di);
            return table(256 + static_cast<uint32_t>(std::lround(tmp + (channel(text.color, i) - tmp) * ai / 255.0)));
          });
        }
      expectPicture(result(text.dst), want);
    }
}

TEST_F(GdiPixels, ClearTypeWithoutGamma) {
  const Picture to = noise(64, 40, 11), alpha = coverage(64, 40);
  const std::vector<GdiRect> rects = {{1, 2, 60, 30}, {0, 31, 64, 40}};
  for (const uint32_t format : {kBgra, kBgrx})
    for (const uint32_t color : {0xFF000000u, 0xFFFFFFFFu, 0x80C08040u}) {
      GdiClearType text;
      text.dst = surface(to, format);
      text.alpha = surface(alpha);
      text.rects = list(rects);
      text.color = text.color2 = color;
      draw([&](PacketWriter &p, uint32_t &steps) { return gdiClearTypeBlend(p, kFirstHandle, text, steps); });
      Picture want = to;
      for (int64_t y = 0; y < to.height; y++)
        for (int64_t x = 0; x < to.width; x++) {
          if (!inside(rects, x, y)) continue;
          const uint32_t a = alpha.at(x, y), d = to.at(x, y);
          want.at(x, y) = eachChannel([&](int i) -> uint32_t {
            const int di = static_cast<int>(channel(d, i)), ci = static_cast<int>(channel(color, i));
            if (i == 3) return channel(d, i);
            const uint32_t weight = channel(a, ci >= di ? 2 : 1);  // red or green
            return static_cast<uint32_t>(std::lround(di + (ci - di) * (weight / 255.0)));
          });
        }
      expectPicture(result(text.dst), want, format, 1);  // the GPU's blending rounds, as in AlphaBlend
    }
}

}  // namespace
}  // namespace aero::test
