// SPDX-License-Identifier: MIT
// Tests copies, fills and counts through the renderer, pixel by pixel. docs/abi/blit.md; Microsoft's pages
// "PFND3DDDI_BLT", "PFND3DDDI_DEPTHFILL".
#include <array>
#include <functional>

#include "guest-drivers/umd-d3d9/test/umd_pixels.h"

namespace aero::test {
namespace {

TEST_F(UmdPixels, ACountIsThatOfThePixelsThatWereDrawn) {  // QUERY-3
  if (!has(AEROGPU_EXT_FEATURE_HI_QUERIES)) GTEST_SKIP();
  HANDLE target = p->bindTarget(16, 16);
  D3DDDIARG_CREATEQUERY create = {D3DDDIQUERYTYPE_OCCLUSION, nullptr};
  ASSERT_EQ(p->fn.pfnCreateQuery(p->dev(), &create), 0);
  const auto issue = [&](bool begin) {
    D3DDDIARG_ISSUEQUERY args = {};
    args.hQuery = create.hQuery;
    args.Flags.Begin = begin;
    args.Flags.End = !begin;
    EXPECT_EQ(p->fn.pfnIssueQuery(p->dev(), &args), 0);
  };
  drawQuad(quad(0, 0, 16, 16, 16, 16, kBlue));
  issue(true);
  drawQuad(quad(1, 2, 4, 7, 16, 16, kRed));
  p->clear(kGreen, 1, {{8, 8, 16, 16}});  // counts nothing (QUERY-4), and neither do copies
  EXPECT_EQ(p->blt(target, {0, 0, 2, 2}, target, {8, 0, 16, 8}), 0);
  p->flush();
  drawQuad(quad(14, 14, 20, 20, 16, 16, kRed));  // cut at the edge
  issue(false);
  uint32_t pixels = 0;
  D3DDDIARG_GETQUERYDATA args = {create.hQuery, &pixels};
  EXPECT_EQ(p->fn.pfnGetQueryData(p->dev(), &args), 0);
  EXPECT_EQ(pixels, 3u * 5 + 2 * 2);
}

TEST_F(UmdPixels, MemoryOfTheRuntimesIsScaledAndConvertedOnTheWay) {
  std::vector<uint16_t> small = {0xF800, 0x07E0, 0x001F, 0xFFFF};  // R5G6B5
  HANDLE memory = p->resource(D3DDDIFMT_R5G6B5, 2, 2, 0, D3DDDIPOOL_SYSTEMMEM, 1, 1, small.data(), 4);
  HANDLE to = p->resource(D3DDDIFMT_A8R8G8B8, 8, 8, Program::target());
  p->setTarget(to, 8, 8);
  p->clear(0);
  D3DDDI_BLTFLAGS flags = {};
  flags.Point = flags.MirrorUpDown = 1;
  EXPECT_EQ(p->blt(memory, {0, 0, 2, 2}, to, {1, 2, 5, 8}, flags.Value), 0);
  const uint32_t colors[] = {kBlue, kWhite, kRed, kGreen};  // upside down
  auto seen = p->read(to, 8, 8, D3DDDIFMT_A8R8G8B8);
  for (uint32_t y = 0; y < 8; y++)
    for (uint32_t x = 0; x < 8; x++)
      EXPECT_EQ(seen[y * 8 + x], x >= 1 && x < 5 && y >= 2 ? colors[(y - 2) / 3 * 2 + (x - 1) / 2] : 0)
          << x << ' ' << y;
  // And in the other direction.
  std::vector<uint16_t> result(4 * 2 + 1, 0xCDCD);
  HANDLE back = p->resource(D3DDDIFMT_R5G6B5, 4, 2, 0, D3DDDIPOOL_SYSTEMMEM, 1, 1, result.data(), 8);
  flags = {};
  flags.Point = 1;
  EXPECT_EQ(p->blt(to, {1, 2, 5, 8}, back, {1, 0, 3, 2}, flags.Value), 0);
  EXPECT_EQ(result, (std::vector<uint16_t>{0xCDCD, 0x001F, 0xFFFF, 0xCDCD, 0xCDCD, 0xF800, 0x07E0, 0xCDCD, 0xCDCD}));
}

TEST_F(UmdPixels, ABlitWeighsWhatLiesInItsRectangleOnly) {  // BLIT-7
  HANDLE from = p->resource(D3DDDIFMT_X8R8G8B8, 4, 1, 0);
  p->write(from, 0, 4, 1, {0xFF0000FF, 0xFF000000, 0xFF0000C8, 0xFFFFFFFF});
  HANDLE to = p->resource(D3DDDIFMT_X8R8G8B8, 4, 1, Program::target());
  if (!has(AEROGPU_EXT_FEATURE_HI_BLIT)) GTEST_SKIP();  // draws weigh the neighbours
  D3DDDI_BLTFLAGS flags = {};
  flags.Linear = 1;
  EXPECT_EQ(p->blt(from, {1, 0, 3, 1}, to, {0, 0, 4, 1}, flags.Value), 0);
  const auto seen = opaque(p->read(to, 4, 1));
  // u = (x + 0.5) / 2: 0.25, 0.75, 1.25, 1.75; 0 and 200 are weighed.
  EXPECT_EQ(seen, (std::vector<uint32_t>{0xFF000000, 0xFF000032, 0xFF000096, 0xFF0000C8}));
}

TEST_F(UmdPixels, SamplesAreCountedAsPixelsAndResolved) {  // TEX-9
  HANDLE colors = nullptr, depths = nullptr;
  const Program::Kind kind = {.width = 8, .height = 8, .samples = 4};
  if (p->tryKind(D3DDDIFMT_A8R8G8B8, kind, Program::target(), colors) ||
      p->tryKind(D3DDDIFMT_D24S8, kind, Program::depth(), depths)) {
    EXPECT_FALSE(has(AEROGPU_EXT_FEATURE_HI_CREATE_TEXTURE));
    GTEST_SKIP();
  }
  p->setTarget(colors, 8, 8);
  const D3DDDIARG_SETDEPTHSTENCIL several = {depths};
  p->fn.pfnSetDepthStencil(p->dev(), &several);
  p->clear(kBlack, 7, {}, 0.25f, 0);
  p->clear(0, 2, {{0, 0, 4, 8}}, 1.0f);
  D3DDDIARG_CREATEQUERY create = {D3DDDIQUERYTYPE_OCCLUSION, nullptr};
  ASSERT_EQ(p->fn.pfnCreateQuery(p->dev(), &create), 0);
  D3DDDIARG_ISSUEQUERY issue = {};
  issue.hQuery = create.hQuery;
  issue.Flags.Begin = 1;
  EXPECT_EQ(p->fn.pfnIssueQuery(p->dev(), &issue), 0);
  drawQuad(quad(2, 2, 6, 6, 8, 8, kWhite));
  drawQuad(quad(7.5f, 7, 8, 8, 8, 8, kWhite));  // two of the samples of one
  issue.Flags.Begin = 0;
  issue.Flags.End = 1;
  EXPECT_EQ(p->fn.pfnIssueQuery(p->dev(), &issue), 0);
  uint32_t pixels = 0;
  D3DDDIARG_GETQUERYDATA data = {create.hQuery, &pixels};
  EXPECT_EQ(p->fn.pfnGetQueryData(p->dev(), &data), 0);
  EXPECT_EQ(pixels, 4u * 4 + 1) << "66 samples, four a pixel, rounded up";

  HANDLE depth = p->resource(D3DDDIFMT_D24S8, 8, 8, Program::depth()), target = p->bindTarget(8, 8);
  const RECT all = {0, 0, 8, 8};
  EXPECT_EQ(p->blt(depths, all, depth, all), 0);
  EXPECT_EQ(p->blt(colors, all, target, all), 0);
  auto seen = opaque(p->read(target, 8, 8));
  EXPECT_EQ(seen[3 * 8 + 3], kWhite);
  EXPECT_EQ(seen[0], kBlack);
  EXPECT_NEAR(static_cast<double>(seen[63] & 255), 127.5, 1) << "the mean of four samples";
  const D3DDDIARG_SETDEPTHSTENCIL one = {depth};
  p->fn.pfnSetDepthStencil(p->dev(), &one);
  p->clear(kBlack);
  p->state(7, 1);  // ZENABLE
  drawQuad(quad(0, 0, 8, 8, 8, 8, kRed));
  seen = opaque(p->read(target, 8, 8));
  for (uint32_t i = 0; i < 64; i++) EXPECT_EQ(seen[i], i % 8 < 4 ? kRed : kBlack) << i;
  p->fn.pfnSetDepthStencil(p->dev(), std::array{D3DDDIARG_SETDEPTHSTENCIL{}}.data());
}

TEST_F(UmdPixels, TexelsOfTheKeyStayAway) {                           // BLIT-18
  std::vector<uint32_t> texels = {0x00FF0000, kGreen, kRed, kWhite};  // the X channel does not count
  HANDLE memory = p->resource(D3DDDIFMT_X8R8G8B8, 4, 1, 0, D3DDDIPOOL_SYSTEMMEM, 1, 1, texels.data(), 16);
  HANDLE from = p->resource(D3DDDIFMT_X8R8G8B8, 4, 1, 0);
  p->write(from, 0, 4, 1, texels);
  for (HANDLE source : {from, memory}) {
    HANDLE target = p->bindTarget(4, 1);
    p->clear(kBlue);
    D3DDDIARG_BLT args = {};
    args.hSrcResource = source;
    args.hDstResource = target;
    args.SrcRect = args.DstRect = {0, 0, 4, 1};
    args.ColorKey = 0xFF0000;
    args.Flags.SrcColorKey = args.Flags.Linear = 1;
    const bool has = this->has(AEROGPU_EXT_FEATURE_HI_BLIT);
    EXPECT_EQ(p->fn.pfnBlt(p->dev(), &args), has ? 0 : kNotImplemented);
    if (!has) continue;
    EXPECT_EQ(opaque(p->read(target, 4, 1)), (std::vector<uint32_t>{kBlue, kGreen, kBlue, kWhite}));
  }
}

// Page "D3DDDI_BLTFLAGS": the copy is done where the destination has the key, whatever else is there.
TEST_F(UmdPixels, OnlyTexelsOfTheDestinationsKeyAreWritten) {
  std::vector<uint32_t> texels = {kRed, kGreen, kWhite, kBlack};
  HANDLE memory = p->resource(D3DDDIFMT_X8R8G8B8, 4, 1, 0, D3DDDIPOOL_SYSTEMMEM, 1, 1, texels.data(), 16);
  HANDLE from = p->resource(D3DDDIFMT_X8R8G8B8, 4, 1, 0);
  p->write(from, 0, 4, 1, texels);
  const std::vector<uint32_t> before = {0x00FF00FF, kGreen, 0xFFFF00FF, 0x12FF00FF, kBlue,      0xFFFF00FF,
                                        kWhite,     kRed,   0x00FF00FF, 0xFFFF00FE, 0xFFFF00FF, kBlue};
  constexpr uint32_t kKey = 0xFF00FF;  // the X channel does not count
  const auto isKey = [](uint32_t texel) { return (texel & 0xFFFFFF) == kKey; };
  for (HANDLE source : {from, memory}) {
    HANDLE target = p->resource(D3DDDIFMT_X8R8G8B8, 12, 1, Program::target());
    p->write(target, 0, 12, 1, before);
    D3DDDIARG_BLT args = {};
    args.hSrcResource = source;
    args.hDstResource = target;
    args.SrcRect = {0, 0, 4, 1};
    args.DstRect = {1, 0, 9, 1};  // twice as wide
    args.ColorKey = kKey;
    args.Flags.DstColorKey = args.Flags.Point = 1;
    const bool has = this->has(AEROGPU_EXT_FEATURE_HI_BLIT);
    EXPECT_EQ(p->fn.pfnBlt(p->dev(), &args), has ? 0 : kNotImplemented);
    if (!has) continue;
    const auto seen = opaque(p->read(target, 12, 1));
    for (uint32_t x = 0; x < 12; x++)
      EXPECT_EQ(seen[x], 0xFF000000u | (x >= 1 && x < 9 && isKey(before[x]) ? texels[(x - 1) / 2] : before[x])) << x;
    // Within one surface, from the left end to the right.
    p->write(target, 0, 12, 1, before);
    args.hSrcResource = target;
    args.SrcRect = {1, 0, 4, 1};
    args.DstRect = {8, 0, 11, 1};
    EXPECT_EQ(p->fn.pfnBlt(p->dev(), &args), 0);
    const auto moved = opaque(p->read(target, 12, 1));
    for (uint32_t x = 0; x < 12; x++)
      EXPECT_EQ(moved[x], 0xFF000000u | (x >= 8 && x < 11 && isKey(before[x]) ? before[x - 7] : before[x])) << x;
    // No key of the destination where it is the runtime's memory, or of a format without unsigned channels.
    args.hDstResource = memory;
    args.DstRect = {0, 0, 3, 1};
    EXPECT_EQ(p->fn.pfnBlt(p->dev(), &args), kNotImplemented);
    args.hDstResource = p->resource(D3DDDIFMT_R32F, 4, 1, Program::target());
    EXPECT_EQ(p->fn.pfnBlt(p->dev(), &args), kNotImplemented);
  }
}

TEST_F(UmdPixels, ACopyThatIsADrawOfTheDriversIsNotCut) {
  HANDLE target = p->bindTarget(8, 8);
  const uint32_t block[] = {0xF800F800, 0};  // DXT1, red
  std::vector<uint32_t> blocks = {block[0], block[1], block[0], block[1], block[0], block[1], block[0], block[1]};
  HANDLE memory = p->resource(D3DDDIFMT_DXT1, 8, 8, Program::texture(), D3DDDIPOOL_SYSTEMMEM, 1, 1, blocks.data(), 16);
  HANDLE texture = p->resource(D3DDDIFMT_DXT1, 8, 8, Program::texture());
  D3DDDIARG_TEXBLT update = {};
  update.hSrcResource = memory;
  update.hDstResource = texture;
  update.SrcRect = {0, 0, 8, 8};
  EXPECT_EQ(p->fn.pfnTexBlt(p->dev(), &update), 0);
  const D3DDDIARG_SETCLIPPLANE left = {0, {-1, 0, 0, 0}};
  p->fn.pfnSetClipPlane(p->dev(), &left);
  p->state(152, 1);
  p->state(162, 0);  // MULTISAMPLEMASK
  p->clear(kBlack);
  drawQuad(quad(0, 0, 8, 8, 8, 8, kGreen));
  EXPECT_EQ(p->blt(texture, {0, 0, 8, 8}, target, {0, 0, 8, 8}), 0);
  EXPECT_EQ(opaque(p->read(target, 8, 8)), std::vector<uint32_t>(64, kRed));
}

TEST_F(UmdPixels, ADrawBehindACopyHasItsOwnStates) {
  HANDLE target = p->bindTarget(8, 8), other = p->resource(D3DDDIFMT_X8R8G8B8, 4, 4, Program::target());
  p->state(168, 7);  // COLORWRITEENABLE
  p->clear(kBlack);
  drawQuad(quad(0, 0, 4, 8, 8, 8, kRed));
  D3DDDI_BLTFLAGS flags = {};
  flags.Linear = 1;
  EXPECT_EQ(p->blt(target, {0, 0, 8, 8}, other, {0, 0, 4, 4}, flags.Value), 0);
  D3DDDIARG_COLORFILL fill = {};
  fill.hResource = other;
  fill.DstRect = {-5, 2, 2, 90};
  fill.Color = kGreen;
  EXPECT_EQ(p->fn.pfnColorFill(p->dev(), &fill), 0);
  drawQuad(quad(4, 0, 8, 4, 8, 8, kBlue));
  auto seen = opaque(p->read(target, 8, 8));
  for (uint32_t i = 0; i < 64; i++) EXPECT_EQ(seen[i], i % 8 < 4 ? kRed : i < 32 ? kBlue : kBlack) << i;
  seen = opaque(p->read(other, 4, 4));
  for (uint32_t i = 0; i < 16; i++) EXPECT_EQ(seen[i], i % 4 < 2 ? i < 8 ? kRed : kGreen : kBlack) << i;
}

// "RESZ": the depth that is bound is copied to the texture of stage 0, in the order of the calls. Programs ask for the
// format as a target, then write its number to POINTSIZE.
TEST_F(UmdPixels, DepthIsResolvedToATexture) {
  constexpr auto kIntz = static_cast<D3DDDIFORMAT>('I' | 'N' << 8 | 'T' << 16 | 'Z' << 24);
  constexpr uint32_t kPointSize = 154, kResz = 0x7FA05000;
  if (!has(AEROGPU_EXT_FEATURE_HI_BLIT) || !has(AEROGPU_EXT_FEATURE_HI_FORMATS)) {
    p->state(kPointSize, kResz);  // nothing, and no error
    return;
  }
  HANDLE sampled = p->shader(false, assemble("ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n").tokens);
  for (const uint32_t samples : {1u, 4u}) {
    SCOPED_TRACE(samples);
    const Program::Kind kind = {.width = 8, .height = 8, .samples = samples == 1 ? 0 : samples};
    HANDLE colors = nullptr, depth = nullptr, texture = p->resource(kIntz, 8, 8, Program::depth() | Program::texture());
    if (p->tryKind(D3DDDIFMT_X8R8G8B8, kind, Program::target(), colors) ||
        p->tryKind(D3DDDIFMT_D24S8, kind, Program::depth(), depth))
      GTEST_SKIP() << "no such samples";
    p->setTarget(colors, 8, 8);
    const D3DDDIARG_SETDEPTHSTENCIL set = {depth};
    p->fn.pfnSetDepthStencil(p->dev(), &set);
    p->fn.pfnSetTexture(p->dev(), 0, texture);
    p->clear(kBlack, 7, {}, 1.0f, 0);
    p->state(7, 1);
    p->fn.pfnSetPixelShader(p->dev(), diffuse);
    drawQuad(quad(0, 0, 4, 8, 8, 8, kRed));  // at 0.5
    p->state(kPointSize, kResz);
    drawQuad(quad(0, 0, 8, 8, 8, 8, kRed));  // comes too late
    p->state(7, 0);
    p->fn.pfnSetDepthStencil(p->dev(), std::array{D3DDDIARG_SETDEPTHSTENCIL{}}.data());
    HANDLE target = p->bindTarget(8, 8);
    p->fn.pfnSetPixelShader(p->dev(), sampled);
    drawQuad(quad(0, 0, 8, 8, 8, 8, 0));
    const auto seen = p->read(target, 8, 8);
    for (uint32_t i = 0; i < 64; i++)
      for (const int shift : {0, 8, 16})
        EXPECT_NEAR(static_cast<double>(seen[i] >> shift & 255), i % 8 < 4 ? 127.5 : 255, 1) << i;
    p->fn.pfnSetTexture(p->dev(), 0, nullptr);
    p->destroy(texture);
    p->destroy(depth);
    p->destroy(colors);
  }
  // What does not fit is left alone: no texture, no depth, another size, a texture of colours.
  p->state(kPointSize, kResz);
  HANDLE depth = p->resource(D3DDDIFMT_D24S8, 8, 8, Program::depth());
  const D3DDDIARG_SETDEPTHSTENCIL set = {depth};
  p->fn.pfnSetDepthStencil(p->dev(), &set);
  p->state(kPointSize, kResz);
  for (const uint32_t edge : {4u, 8u}) {
    HANDLE texture = edge == 4 ? p->resource(kIntz, 4, 4, Program::depth() | Program::texture())
                               : p->resource(D3DDDIFMT_A8R8G8B8, 8, 8, Program::texture());
    p->fn.pfnSetTexture(p->dev(), 0, texture);
    p->state(kPointSize, kResz);
    p->fn.pfnSetTexture(p->dev(), 0, nullptr);
    p->destroy(texture);
  }
  p->fn.pfnSetDepthStencil(p->dev(), std::array{D3DDDIARG_SETDEPTHSTENCIL{}}.data());
}

struct DepthTexel {
  D3DDDIFORMAT format;
  uint32_t value;  // a depth of 3/8 and, if there is a stencil, 5
  bool hasStencil;
};

/** Fills half of a depth surface with the texel, and looks what is drawn over both halves. `fills`: the device can. */
void expectDepthFill(Program &p, const DepthTexel &texel, bool fills,
                     const std::function<void(float, float, float, float, uint32_t)> &drawQuad) {
  SCOPED_TRACE(texel.format);
  HANDLE target = p.bindTarget(8, 8), depth = p.resource(texel.format, 8, 8, Program::depth());
  const D3DDDIARG_SETDEPTHSTENCIL bind = {depth};
  p.fn.pfnSetDepthStencil(p.dev(), &bind);
  p.clear(kBlack, texel.hasStencil ? 7 : 3, {}, 1.0f, 0);
  D3DDDIARG_DEPTHFILL fill = {};
  fill.hResource = depth;
  fill.DstRect = {0, 0, 4, 8};
  fill.Depth = texel.value;
  EXPECT_EQ(p.fn.pfnDepthFill(p.dev(), &fill), fills ? 0 : kNotImplemented);
  p.state(7, 1);
  drawQuad(0, 0, 8, 8, kRed);  // at 0.5, which is behind 0.375
  if (texel.hasStencil) {      // the stencil of the texel came with it
    p.state(7, 0);
    p.state(52, 1);  // STENCILENABLE
    p.state(56, 3);  // STENCILFUNC equal
    p.state(57, 5);  // STENCILREF
    drawQuad(0, 0, 8, 4, kBlue);
    p.state(52, 0);
  }
  const auto seen = opaque(p.read(target, 8, 8));
  for (uint32_t i = 0; fills && i < 64; i++) {
    const uint32_t filled = texel.hasStencil && i < 32 ? kBlue : kBlack;
    EXPECT_EQ(seen[i], i % 8 < 4 ? filled : kRed) << i;
  }
  p.state(7, 0);
  p.fn.pfnSetDepthStencil(p.dev(), std::array{D3DDDIARG_SETDEPTHSTENCIL{}}.data());
}

TEST_F(UmdPixels, DepthIsFilledByTheValueOfATexel) {
  const bool fills = has(AEROGPU_EXT_FEATURE_HI_BLIT);
  for (const DepthTexel &texel : {DepthTexel{D3DDDIFMT_D16, 0x6000, false},
                                  {D3DDDIFMT_D24S8, 0x60000005, true},
                                  {D3DDDIFMT_D24X8, 0x600000FF, false}})
    expectDepthFill(*p, texel, fills, [this](float l, float t, float r, float b, uint32_t color) {
      drawQuad(quad(l, t, r, b, 8, 8, color));
    });
}

// DirectDraw has formats of 24 bits of depth in the lowest bits, which Direct3D 9 does not know.
TEST_F(DirectDrawPixels, DepthIsFilledByTheValueOfATexel) {
  const bool fills = has(AEROGPU_EXT_FEATURE_HI_BLIT);
  for (const DepthTexel &texel : {DepthTexel{D3DDDIFMT_D16, 0x6000, false},
                                  {D3DDDIFMT_S8D24, 0x05600000, true},
                                  {D3DDDIFMT_X8D24, 0xFF600000, false}})
    expectDepthFill(*p, texel, fills, [this](float l, float t, float r, float b, uint32_t color) {
      drawQuad(quad(l, t, r, b, 8, 8, color));
    });
}

}  // namespace
}  // namespace aero::test
