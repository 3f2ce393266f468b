// SPDX-License-Identifier: MIT
// Tests formats and textures that need work before or instead of a plain draw: blocks that the runtime counts as bytes,
// targets without memory, textures in the runtime's memory, levels that the driver makes, and fills that the device
// cannot do.
#include "guest-drivers/umd-d3d9/test/umd_pixels.h"

namespace aero::test {
namespace {

constexpr D3DDDIFORMAT fourCc(const char (&name)[5]) {
  return static_cast<D3DDDIFORMAT>(static_cast<uint32_t>(name[0]) | static_cast<uint32_t>(name[1]) << 8 |
                                   static_cast<uint32_t>(name[2]) << 16 | static_cast<uint32_t>(name[3]) << 24);
}

class UmdFormats : public UmdPixels {
protected:
  bool offers(D3DDDIFORMAT format, uint32_t operation) {
    UINT count = 0;
    D3DDDIARG_GETCAPS args = {D3DDDICAPS_GETFORMATCOUNT, nullptr, &count, sizeof count};
    rt->adapterFunctions.pfnGetCaps(rt->adapter, &args);
    std::vector<FORMATOP> list(count);
    args = {D3DDDICAPS_GETFORMATDATA, nullptr, list.data(), static_cast<UINT>(count * sizeof list[0])};
    rt->adapterFunctions.pfnGetCaps(rt->adapter, &args);
    for (const FORMATOP &op : list)
      if (op.Format == format) return (op.Operations & operation) == operation;
    return false;
  }
  /** Returns the colours of a texture whose texels map to the pixels of a target. */
  std::vector<uint32_t> sampled(HANDLE texture, uint32_t width, uint32_t height) {
    HANDLE target = p->bindTarget(width, height, D3DDDIFMT_A8R8G8B8);
    p->fn.pfnSetPixelShader(p->dev(), textured);
    p->fn.pfnSetTexture(p->dev(), 0, texture);
    drawQuad(quad(0, 0, static_cast<float>(width), static_cast<float>(height), static_cast<float>(width),
                  static_cast<float>(height), kWhite));
    std::vector<uint32_t> seen = p->read(target, width, height, D3DDDIFMT_A8R8G8B8);
    p->fn.pfnSetTexture(p->dev(), 0, nullptr);
    p->destroy(target);
    return seen;
  }
};

// "3Dc": the first block of ATI2 is green, the second red (docs/abi/formats.md, FMT-16). In the runtime's memory the
// blocks follow each other without gaps, whatever the pitch, and also under a lock, whose pitch is a byte a pixel.
TEST_F(UmdFormats, BlocksOfATextureThatTheRuntimeCountsAsBytes) {
  const D3DDDIFORMAT ati2 = fourCc("ATI2");
  if (!offers(ati2, FORMATOP_TEXTURE)) return;
  constexpr uint32_t kEdge = 8;
  std::vector<uint8_t> memory(size_t{kEdge} * kEdge);
  const auto block = [&](uint32_t index, uint8_t green, uint8_t red) {
    uint8_t *at = &memory[size_t{index} * 16];
    memset(at, 0, 16);
    at[0] = at[1] = green;
    at[8] = at[9] = red;
  };
  const uint8_t greens[] = {10, 60, 110, 160}, reds[] = {250, 200, 150, 100};
  for (uint32_t i = 0; i < 4; i++) block(i, greens[i], reds[i]);
  for (const bool locked : {false, true}) {
    SCOPED_TRACE(locked);
    HANDLE texture = p->resource(ati2, kEdge, kEdge, Program::texture());
    if (locked) {
      D3DDDIARG_LOCK lock = {};
      lock.hResource = texture;
      ASSERT_EQ(p->fn.pfnLock(p->dev(), &lock), 0);
      EXPECT_EQ(lock.Pitch, kEdge);
      memcpy(lock.pSurfData, memory.data(), memory.size());
      p->unlock(texture);
      lock.Flags.AreaValid = 1;
      lock.Area = {0, 2, 4, 4};
      EXPECT_EQ(p->fn.pfnLock(p->dev(), &lock), kNotAvailable) << "half a block";
      lock.Area = {4, 4, 8, 8};
      ASSERT_EQ(p->fn.pfnLock(p->dev(), &lock), 0);
      EXPECT_EQ(memcmp(lock.pSurfData, &memory[48], 16), 0) << "the fourth block";
      p->unlock(texture);
    } else {
      HANDLE system =
          p->resource(ati2, kEdge, kEdge, Program::texture(), D3DDDIPOOL_SYSTEMMEM, 1, 1, memory.data(), kEdge);
      D3DDDIARG_TEXBLT blt = {};
      blt.hSrcResource = system;
      blt.hDstResource = texture;
      blt.SrcRect = {0, 0, kEdge, kEdge};
      ASSERT_EQ(p->fn.pfnTexBlt(p->dev(), &blt), 0);
      p->destroy(system);
    }
    const std::vector<uint32_t> seen = sampled(texture, kEdge, kEdge);
    for (uint32_t y = 0; y < kEdge; y++)
      for (uint32_t x = 0; x < kEdge; x++) {
        const uint32_t of = y / 4 * 2 + x / 4;
        EXPECT_EQ(seen[y * kEdge + x], 0xFF0000FFu | reds[of] << 16 | greens[of] << 8) << x << ' ' << y;
      }
    p->destroy(texture);
  }
  // A level of 2 by 2 is a block of 16 bytes, of which the runtime has 8: the driver reads no more of them.
  std::vector<uint8_t> small(8);
  small[0] = small[1] = 77;
  HANDLE texture = p->resource(ati2, 2, 2, Program::texture());
  HANDLE system = p->resource(ati2, 2, 2, Program::texture(), D3DDDIPOOL_SYSTEMMEM, 1, 1, small.data(), 4);
  D3DDDIARG_TEXBLT blt = {};
  blt.hSrcResource = system;
  blt.hDstResource = texture;
  blt.SrcRect = {0, 0, 2, 2};
  ASSERT_EQ(p->fn.pfnTexBlt(p->dev(), &blt), 0);
  for (const uint32_t pixel : sampled(texture, 2, 2)) EXPECT_EQ(pixel, 0xFF0000FFu | 77u << 8);
  p->destroy(system);
  p->destroy(texture);
}

// A draw to a target of 'NULL' changes depth alone, within the depth surface, and takes no memory.
TEST_F(UmdFormats, ATargetThatKeepsNothingLeavesDepthBehind) {
  constexpr uint32_t kDepth = 16;
  HANDLE depth = p->resource(D3DDDIFMT_D24S8, kDepth, kDepth, Program::depth());
  const D3DDDIARG_SETDEPTHSTENCIL bind = {depth};
  p->fn.pfnSetDepthStencil(p->dev(), &bind);
  const size_t allocations = kernel->allocations.size();
  HANDLE nothing = p->resource(fourCc("NULL"), 8, 8, Program::target());
  EXPECT_EQ(kernel->allocations.size(), allocations);
  p->setTarget(nothing, kDepth, kDepth);
  p->state(7, 1);   // ZENABLE
  p->state(14, 1);  // ZWRITEENABLE
  p->state(23, 8);  // ZFUNC: always
  p->clear(kRed, 1 | 2, {}, 1);
  drawQuad(quad(2, 3, 14, 12, kDepth, kDepth, kRed));  // depth 0.5
  EXPECT_EQ(p->blt(nothing, {0, 0, 8, 8}, nothing, {0, 0, 8, 8}), 0);
  // Draws a picture of where depth is less than one.
  HANDLE target = p->bindTarget(kDepth, kDepth);
  p->clear(kBlack);
  p->state(14, 0);
  p->state(23, 3);  // ZFUNC: equal
  drawQuad(quad(0, 0, kDepth, kDepth, kDepth, kDepth, kGreen));
  const std::vector<uint32_t> seen = opaque(p->read(target, kDepth, kDepth));
  for (uint32_t y = 0; y < kDepth; y++)
    for (uint32_t x = 0; x < kDepth; x++)
      EXPECT_EQ(seen[y * kDepth + x], x >= 2 && x < 14 && y >= 3 && y < 12 ? kGreen : kBlack) << x << ' ' << y;
  // A lock returns a pointer without meaning.
  D3DDDIARG_LOCK lock = {};
  lock.hResource = nothing;
  ASSERT_EQ(p->fn.pfnLock(p->dev(), &lock), 0);
  ASSERT_NE(lock.pSurfData, nullptr);
  EXPECT_GE(lock.Pitch, 8u);
  memset(lock.pSurfData, 0xFF, size_t{lock.Pitch} * 8);
  p->unlock(nothing);
  p->destroy(nothing);
}

// "DF24" has no stencil, and gives one depth in red, or with Fetch4 four (Wine, dlls/d3d9/tests/visual.c, test_fetch4:
// the texel of a point in alpha, its right neighbour in red, the lower one in green, the one between in blue).
TEST_F(UmdFormats, DepthIsSampledOneTexelOrFourAtATime) {
  const D3DDDIFORMAT df24 = fourCc("DF24");
  if (!offers(df24, FORMATOP_ZSTENCIL | FORMATOP_TEXTURE)) return;
  constexpr uint32_t kEdge = 8, kGet4 = 0x34544547, kGet1 = 0x31544547;
  HANDLE depth = p->resource(df24, kEdge, kEdge, Program::depth() | Program::texture());
  const D3DDDIARG_SETDEPTHSTENCIL bind = {depth}, none = {};
  p->fn.pfnSetDepthStencil(p->dev(), &bind);
  HANDLE target = p->bindTarget(kEdge, kEdge);
  p->state(7, 1);   // ZENABLE
  p->state(14, 1);  // ZWRITEENABLE
  p->state(23, 8);  // ZFUNC: always
  p->state(52, 1);  // STENCILENABLE
  p->state(56, 1);  // STENCILFUNC: never
  p->clear(kBlack, 7, {}, 1, 9);
  drawQuad(quad(2, 3, 6, 5, kEdge, kEdge, kRed));  // depth 0.5
  p->state(52, 0);
  p->state(7, 0);
  p->fn.pfnSetDepthStencil(p->dev(), &none);
  const auto isInside = [](uint32_t x, uint32_t y) { return x >= 2 && x < 6 && y >= 3 && y < 5; };
  const std::vector<uint32_t> drawn = opaque(p->read(target, kEdge, kEdge));
  for (uint32_t i = 0; i < kEdge * kEdge; i++)
    EXPECT_EQ(drawn[i], isInside(i % kEdge, i / kEdge) ? kRed : kBlack) << "a stencil, at " << i;
  const auto depthAt = [&](uint32_t x, uint32_t y) { return isInside(x % kEdge, y % kEdge) ? 127.5 : 255.0; };
  for (const bool four : {false, true}) {
    p->stage(0, D3DDDITSS_MIPMAPLODBIAS, four ? kGet4 : kGet1);
    const std::vector<uint32_t> seen = sampled(depth, kEdge, kEdge);
    for (uint32_t y = 0; y < kEdge; y++)
      for (uint32_t x = 0; x < kEdge; x++) {
        const uint32_t pixel = seen[y * kEdge + x];
        const auto channel = [&](int shift) { return static_cast<double>(pixel >> shift & 255); };
        EXPECT_NEAR(channel(16), depthAt(four ? x + 1 : x, y), 1) << x << ' ' << y;
        EXPECT_NEAR(channel(8), four ? depthAt(x, y + 1) : 0, 1) << x << ' ' << y;
        EXPECT_NEAR(channel(0), four ? depthAt(x + 1, y + 1) : 0, 1) << x << ' ' << y;
        EXPECT_NEAR(channel(24), four ? depthAt(x, y) : 255, 1) << x << ' ' << y;
      }
  }
  p->stage(0, D3DDDITSS_MIPMAPLODBIAS, 0);
  p->destroy(depth);
  p->destroy(target);
}

// Page "Clear": the targets and the depth buffer are cleared within the viewport, each to its own size.
TEST_F(UmdFormats, AClearReachesTheEndOfEachSurface) {
  HANDLE small = p->resource(D3DDDIFMT_A8R8G8B8, 4, 4, Program::target());
  HANDLE tall = p->resource(D3DDDIFMT_A8R8G8B8, 4, 8, Program::target());
  HANDLE depth = p->resource(D3DDDIFMT_D24S8, 16, 16, Program::depth());
  const auto bindSecond = [&](HANDLE target) {
    D3DDDIARG_SETRENDERTARGET args = {};
    args.RenderTargetIndex = 1;
    args.hRenderTarget = target;
    EXPECT_EQ(p->fn.pfnSetRenderTarget(p->dev(), &args), 0);
  };
  for (HANDLE each : {small, tall}) {
    p->setTarget(each, 4, 8);
    p->clear(kBlack);
  }
  p->setTarget(small, 16, 16);
  bindSecond(tall);
  const D3DDDIARG_SETDEPTHSTENCIL bind = {depth};
  p->fn.pfnSetDepthStencil(p->dev(), &bind);
  p->clear(kRed, 1 | 2, {}, 0.25f);
  for (const uint32_t pixel : p->read(small, 4, 4, D3DDDIFMT_A8R8G8B8)) EXPECT_EQ(pixel, kRed);
  for (const uint32_t pixel : p->read(tall, 4, 8, D3DDDIFMT_A8R8G8B8)) EXPECT_EQ(pixel, kRed);
  // A rectangle, of which each surface has another part.
  p->clear(kBlue, 1, {{2, 3, 4, 6}});
  const std::vector<uint32_t> a = p->read(small, 4, 4, D3DDDIFMT_A8R8G8B8), b = p->read(tall, 4, 8, D3DDDIFMT_A8R8G8B8);
  for (uint32_t i = 0; i < 32; i++) {
    const uint32_t want = i % 4 >= 2 && i / 4 >= 3 && i / 4 < 6 ? kBlue : kRed;
    if (i < 16) {
      EXPECT_EQ(a[i], want) << i;
    }
    EXPECT_EQ(b[i], want) << i;
  }
  // Several rectangles.
  p->clear(kGreen, 1, {{0, 2, 1, 6}, {3, 0, 9, 1}});
  const std::vector<uint32_t> c = p->read(small, 4, 4, D3DDDIFMT_A8R8G8B8), d = p->read(tall, 4, 8, D3DDDIFMT_A8R8G8B8);
  for (uint32_t i = 0; i < 32; i++) {
    const uint32_t want = i == 3 || (i % 4 == 0 && i / 4 >= 2 && i / 4 < 6) ? kGreen : b[i];
    if (i < 16) {
      EXPECT_EQ(c[i], want) << i;
    }
    EXPECT_EQ(d[i], want) << i;
  }
  bindSecond(nullptr);
  HANDLE target = p->bindTarget(16, 16);
  p->clear(kBlack);
  p->state(7, 1);
  p->state(23, 5);  // ZFUNC: greater, so a draw at 0.5 shows where depth is 0.25
  drawQuad(quad(0, 0, 16, 16, 16, 16, kGreen));
  for (const uint32_t pixel : opaque(p->read(target, 16, 16))) EXPECT_EQ(pixel, kGreen);
}

// Each draw reads a texture in the runtime's memory as it is then, with or without notice of a change.
TEST_F(UmdFormats, TexturesInMemoryOfTheRuntimesAreReadAtTheDraw) {
  constexpr uint32_t kEdge = 4;
  std::vector<uint32_t> memory(size_t{kEdge} * kEdge, kRed);
  HANDLE texture = p->resource(D3DDDIFMT_A8R8G8B8, kEdge, kEdge, Program::texture(), D3DDDIPOOL_SYSTEMMEM, 1, 1,
                               memory.data(), kEdge * 4);
  HANDLE target = p->bindTarget(8, kEdge, D3DDDIFMT_A8R8G8B8);
  p->fn.pfnSetPixelShader(p->dev(), textured);
  p->fn.pfnSetTexture(p->dev(), 0, texture);
  drawQuad(quad(0, 0, 4, 4, 8, 4, kWhite));
  memory[5] = kBlue;  // without notice
  drawQuad(quad(4, 0, 8, 4, 8, 4, kWhite));
  const std::vector<uint32_t> seen = p->read(target, 8, kEdge, D3DDDIFMT_A8R8G8B8);
  for (uint32_t y = 0; y < kEdge; y++)
    for (uint32_t x = 0; x < 8; x++) EXPECT_EQ(seen[y * 8 + x], x == 5 && y == 1 ? kBlue : kRed) << x << ' ' << y;
  // The texture is still bound when it is destroyed; afterwards nothing is bound there.
  p->destroy(texture);
  drawQuad(quad(0, 0, 8, 4, 8, 4, kWhite));
  for (const uint32_t pixel : p->read(target, 8, kEdge)) EXPECT_EQ(pixel & 0xFFFFFF, 0u);
}

// Page "D3DUSAGE": the levels of AUTOGENMIPMAP are up to date after a lock, a copy and a draw, without another call.
TEST_F(UmdFormats, LevelsFollowWhatWasWritten) {
  if (!offers(D3DDDIFMT_A8R8G8B8, FORMATOP_AUTOGENMIPMAP)) return;
  constexpr uint32_t kEdge = 8;
  HANDLE texture = nullptr;
  ASSERT_EQ(p->tryKind(D3DDDIFMT_A8R8G8B8, {kEdge, kEdge}, Program::texture() | Program::target() | Program::autogen(),
                       texture),
            0);
  p->stage(0, D3DDDITSS_MIPFILTER, 1);
  const auto lowest = [&] {  // drawn at an eighth of its size, a texture shows its last level
    HANDLE target = p->bindTarget(1, 1, D3DDDIFMT_A8R8G8B8);
    p->fn.pfnSetPixelShader(p->dev(), textured);
    p->fn.pfnSetTexture(p->dev(), 0, texture);
    drawQuad(quad(0, 0, 1, 1, 1, 1, kWhite));
    const uint32_t pixel = p->read(target, 1, 1, D3DDDIFMT_A8R8G8B8)[0];
    p->fn.pfnSetTexture(p->dev(), 0, nullptr);
    p->destroy(target);
    return pixel;
  };
  p->write(texture, 0, kEdge, kEdge, std::vector<uint32_t>(size_t{kEdge} * kEdge, kGreen));
  EXPECT_EQ(lowest(), kGreen) << "locked";
  HANDLE other = p->resource(D3DDDIFMT_A8R8G8B8, kEdge, kEdge, Program::target());
  p->setTarget(other, kEdge, kEdge);
  p->clear(kBlue);
  EXPECT_EQ(p->blt(other, {0, 0, kEdge, kEdge}, texture, {0, 0, kEdge, kEdge}), 0);
  EXPECT_EQ(lowest(), kBlue) << "copied";
  p->setTarget(texture, kEdge, kEdge);
  p->clear(kRed);
  EXPECT_EQ(lowest(), kRed) << "drawn to";
  p->stage(0, D3DDDITSS_MIPFILTER, 0);
  p->destroy(texture);
  p->destroy(other);
}

// Page "Compressed Texture Formats": a block with two equal end colours has that colour, in 5, 6 and 5 bits.
TEST_F(UmdFormats, BlocksAndIndicesAreFilled) {
  for (const D3DDDIFORMAT format : {D3DDDIFMT_DXT1, D3DDDIFMT_DXT3, D3DDDIFMT_DXT5}) {
    SCOPED_TRACE(format);
    HANDLE texture = p->resource(format, 12, 8, Program::texture());
    D3DDDIARG_COLORFILL fill = {};
    fill.hResource = texture;
    fill.DstRect = {0, 0, 12, 8};
    fill.Color = 0xFF00FF00;
    ASSERT_EQ(p->fn.pfnColorFill(p->dev(), &fill), 0);
    fill.DstRect = {4, 0, 12, 4};
    fill.Color = 0x66FF0084;  // 0x84 is the 16th of 31 steps
    ASSERT_EQ(p->fn.pfnColorFill(p->dev(), &fill), 0);
    const std::vector<uint32_t> seen = sampled(texture, 12, 8);
    const uint32_t inner = format == D3DDDIFMT_DXT1 ? 0xFFFF0084 : 0x66FF0084;
    for (uint32_t y = 0; y < 8; y++)
      for (uint32_t x = 0; x < 12; x++) EXPECT_EQ(seen[y * 12 + x], x >= 4 && y < 4 ? inner : kGreen) << x << ' ' << y;
    p->destroy(texture);
  }
  if (!offers(D3DDDIFMT_P8, FORMATOP_OFFSCREENPLAIN)) return;
  HANDLE indices = p->resource(D3DDDIFMT_P8, 8, 4, 0);
  D3DDDIARG_COLORFILL fill = {};
  fill.hResource = indices;
  fill.DstRect = {0, 0, 8, 4};
  fill.Color = 0xDEADBEEF;
  ASSERT_EQ(p->fn.pfnColorFill(p->dev(), &fill), 0);
  D3DDDIARG_LOCK lock = {};
  lock.hResource = indices;
  lock.Flags.ReadOnly = 1;
  ASSERT_EQ(p->fn.pfnLock(p->dev(), &lock), 0);
  for (uint32_t y = 0; y < 4; y++)
    for (uint32_t x = 0; x < 8; x++) EXPECT_EQ(static_cast<uint8_t *>(lock.pSurfData)[y * lock.Pitch + x], 0xEF);
  p->unlock(indices);
  p->destroy(indices);
}

// D3DPMISCCAPS_CLIPTLVERTS: with a depth test, pixels outside the depth range are not drawn, whatever CLIPPING is.
TEST_F(UmdFormats, VerticesInScreenSpaceAreClippedInDepth) {
  HANDLE depth = p->resource(D3DDDIFMT_D24S8, 8, 8, Program::depth());
  const D3DDDIARG_SETDEPTHSTENCIL bind = {depth};
  p->fn.pfnSetDepthStencil(p->dev(), &bind);
  HANDLE target = p->bindTarget(8, 8);
  p->state(7, 1);   // ZENABLE
  p->state(23, 8);  // ZFUNC: always
  HANDLE screen = p->vertexDeclaration(true);
  p->fn.pfnSetVertexShaderDecl(p->dev(), screen);
  for (const uint32_t clipping : {1u, 0u})
    for (const float z : {-1.0f, 0.5f, 5.0f}) {
      p->state(136, clipping);
      p->clear(kBlack);
      std::vector<Vertex> vertices;
      for (const auto &[x, y] :
           {std::pair{-0.5f, -0.5f}, {7.5f, -0.5f}, {-0.5f, 7.5f}, {-0.5f, 7.5f}, {7.5f, -0.5f}, {7.5f, 7.5f}})
        vertices.push_back({x, y, z, 1, kRed, 0, 0});
      drawQuad(vertices);
      for (const uint32_t pixel : opaque(p->read(target, 8, 8)))
        EXPECT_EQ(pixel, z == 0.5f ? kRed : kBlack) << "z " << z << ", clipping " << clipping;
    }
  p->state(136, 1);
  p->fn.pfnSetVertexShaderDecl(p->dev(), declaration);
}

}  // namespace
}  // namespace aero::test
