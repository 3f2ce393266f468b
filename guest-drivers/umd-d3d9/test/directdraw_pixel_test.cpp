// SPDX-License-Identifier: MIT
// Scenarios of DirectDraw and Direct3D 7 at the driver's interface, pixel by pixel against a model.
// docs/d3d9/directdraw.md lists them with their sources; no runtime of Windows has run them.
#include <array>

#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "guest-drivers/umd-d3d9/test/umd_pixels.h"

namespace aero::test {
namespace {

/** A surface as a model has it: texels of `bytes` bytes, of which the bits of `mask` count. */
struct Model {
  uint32_t width, height, bytes, mask;
  std::vector<uint32_t> texels = std::vector<uint32_t>(size_t{width} * height);

  uint32_t &at(uint32_t x, uint32_t y) { return texels[size_t{y} * width + x]; }
  void fill(const RECT &area, uint32_t texel) {
    for (LONG y = area.top; y < area.bottom; y++)
      for (LONG x = area.left; x < area.right; x++) at(static_cast<uint32_t>(x), static_cast<uint32_t>(y)) = texel;
  }
};

/** How a Blt of DirectDraw picks texels: the nearest one (BLIT-7), with keys that leave texels out. */
struct Blit {
  RECT from, to;
  D3DDDI_BLTFLAGS flags = {};
  uint32_t key = 0;
};

void blitModel(const Model &source, Model &destination, const Blit &blit) {
  const auto pick = [](LONG at, LONG size, LONG sizeFrom, bool mirror) {
    const LONG halves = 2 * at + 1;  // the middle of the texel; its place is mirrored, not the texel that lies there
    return (mirror ? 2 * size - halves : halves) * sizeFrom / (2 * size);
  };
  const LONG width = blit.to.right - blit.to.left, height = blit.to.bottom - blit.to.top;
  const LONG widthFrom = blit.from.right - blit.from.left, heightFrom = blit.from.bottom - blit.from.top;
  const Model before = source;  // it may be the destination
  const uint32_t key = blit.key & source.mask;
  for (LONG y = 0; y < height; y++)
    for (LONG x = 0; x < width; x++) {
      const auto fromX = static_cast<size_t>(blit.from.left + pick(x, width, widthFrom, blit.flags.MirrorLeftRight));
      const auto fromY = static_cast<size_t>(blit.from.top + pick(y, height, heightFrom, blit.flags.MirrorUpDown));
      const uint32_t texel = before.texels[fromY * before.width + fromX];
      uint32_t &out = destination.at(static_cast<uint32_t>(blit.to.left + x), static_cast<uint32_t>(blit.to.top + y));
      if (blit.flags.SrcColorKey && (texel & source.mask) == key) continue;
      if (blit.flags.DstColorKey && (out & destination.mask) != key) continue;
      out = texel;
    }
}

class DirectDraw : public DirectDrawPixels {
protected:
  /** Writes a model to a surface by Lock. */
  static void write(const Program &program, HANDLE surface, const Model &model, UINT subresource = 0) {
    D3DDDIARG_LOCK lock = {};
    lock.hResource = surface;
    lock.SubResourceIndex = subresource;
    ASSERT_EQ(program.fn.pfnLock(program.dev(), &lock), 0);
    for (uint32_t y = 0; y < model.height; y++)
      for (uint32_t x = 0; x < model.width; x++)
        memcpy(static_cast<uint8_t *>(lock.pSurfData) + size_t{y} * lock.Pitch + size_t{x} * model.bytes,
               &model.texels[size_t{y} * model.width + x], model.bytes);
    unlock(program, surface, subresource);
  }
  static void unlock(const Program &program, HANDLE surface, UINT subresource) {
    D3DDDIARG_UNLOCK args = {};
    args.hResource = surface;
    args.SubResourceIndex = subresource;
    EXPECT_EQ(program.fn.pfnUnlock(program.dev(), &args), 0);
  }
  /** Compares a surface, which is locked for it, with a model. */
  static void expect(const Program &program, HANDLE surface, const Model &model, const char *what,
                     UINT subresource = 0) {
    D3DDDIARG_LOCK lock = {};
    lock.hResource = surface;
    lock.SubResourceIndex = subresource;
    lock.Flags.ReadOnly = 1;
    ASSERT_EQ(program.fn.pfnLock(program.dev(), &lock), 0) << what;
    uint32_t wrong = 0;
    for (uint32_t y = 0; y < model.height; y++)
      for (uint32_t x = 0; x < model.width; x++) {
        uint32_t texel = 0;
        memcpy(&texel, static_cast<uint8_t *>(lock.pSurfData) + size_t{y} * lock.Pitch + size_t{x} * model.bytes,
               model.bytes);
        const uint32_t wanted = model.texels[size_t{y} * model.width + x];
        if ((texel & model.mask) == (wanted & model.mask)) continue;
        if (!wrong++) ADD_FAILURE() << what << ": " << x << ',' << y << std::hex << ' ' << texel << ", not " << wanted;
      }
    EXPECT_EQ(wrong, 0u) << what;
    unlock(program, surface, subresource);
  }
  static HRESULT send(const Program &program, HANDLE from, HANDLE to, const Blit &blit, UINT toSubresource = 0) {
    D3DDDIARG_BLT args = {};
    args.hSrcResource = from;
    args.SrcRect = blit.from;
    args.hDstResource = to;
    args.DstSubResourceIndex = toSubresource;
    args.DstRect = blit.to;
    args.Flags = blit.flags;
    args.ColorKey = blit.key;
    return program.fn.pfnBlt(program.dev(), &args);
  }
  static void colorFill(const Program &program, HANDLE surface, const RECT &area, uint32_t color,
                        UINT subresource = 0) {
    D3DDDIARG_COLORFILL args = {};
    args.hResource = surface;
    args.SubResourceIndex = subresource;
    args.DstRect = area;
    args.Color = color;
    EXPECT_EQ(program.fn.pfnColorFill(program.dev(), &args), 0);
  }
  /** Returns texels that repeat, so that a key meets many of them. */
  static Model sprite(uint32_t width, uint32_t height, uint32_t bytes, uint32_t mask, uint32_t seed) {
    Model model = {width, height, bytes, mask};
    for (uint32_t i = 0; i < model.texels.size(); i++) {
      const uint32_t value = (i + seed) * 2654435761u >> 29;  // one of eight
      model.texels[i] = value * 0x01030507u + seed % 3;
    }
    return model;
  }
  /** Makes a primary with its back buffers. */
  static HANDLE flipChain(Program &program, D3DDDIFORMAT format, uint32_t width, uint32_t height, UINT count) {
    std::vector<D3DDDI_SURFACEINFO> surfaces(count, D3DDDI_SURFACEINFO{width, height, 0, nullptr, 0, 0});
    D3DDDIARG_CREATERESOURCE args = {};
    args.Format = format;
    args.Pool = D3DDDIPOOL_VIDEOMEMORY;
    args.pSurfList = surfaces.data();
    args.SurfCount = count;
    args.hResource = reinterpret_cast<HANDLE>(uintptr_t{0x99});
    args.Flags.Primary = 1;
    EXPECT_EQ(program.fn.pfnCreateResource(program.dev(), &args), 0);
    return args.hResource;
  }
};

// 1. The desktop's primary, which DirectDraw opens with Fullscreen (DDrawCompat, D3dDdi/Device.cpp, pfnOpenResource). A
// program fills it, copies to it and locks it, and presents nothing: each Flush submits what it did, and the
// screen follows (docs/abi/present.md PRES-11).
TEST_F(DirectDraw, TheOpenedPrimaryIsDrawnToWithoutAPresent) {
  constexpr uint32_t kWidth = 32, kHeight = 16;
  HANDLE desktop = p->resource(D3DDDIFMT_X8R8G8B8, kWidth, kHeight, Program::target() | Program::shared());
  p->flush();
  FakeRuntime game(*kernel);
  game.interfaceNumber = 7;
  game.open();
  Program q(game);
  auto &allocation = kernel->allocations.rbegin()->second;
  D3DDDI_OPENALLOCATIONINFO info = {};
  info.hAllocation = kernel->allocations.rbegin()->first;
  info.pPrivateDriverData = allocation.priv.data();
  info.PrivateDriverDataSize = static_cast<UINT>(allocation.priv.size());
  D3DDDIARG_OPENRESOURCE open = {};
  open.NumAllocations = 1;
  open.pOpenAllocationInfo = &info;
  open.hResource = reinterpret_cast<HANDLE>(uintptr_t{0x77});
  open.Flags.Fullscreen = 1;
  ASSERT_EQ(q.fn.pfnOpenResource(q.dev(), &open), 0);
  HANDLE screen = open.hResource;
  Model model = {kWidth, kHeight, 4, 0xFFFFFF};
  size_t taken = 0;
  const auto shown = [&](const char *what, bool drawn = true) {
    q.flush();
    EXPECT_LT(taken, game.submissions.size()) << what;
    bool written = false;
    for (; taken < game.submissions.size(); taken++)
      for (const auto &entry : game.submissions[taken].allocations)
        written |= entry.hAllocation == info.hAllocation && entry.WriteOperation;
    EXPECT_EQ(written, drawn) << what;
    const auto seen = p->read(desktop, kWidth, kHeight);
    for (uint32_t i = 0; i < seen.size(); i++)
      ASSERT_EQ(seen[i] & 0xFFFFFF, model.texels[i] & 0xFFFFFF) << what << ' ' << i % kWidth << ',' << i / kWidth;
  };
  const RECT all = {0, 0, kWidth, kHeight}, part = {5, 3, 20, 9};
  colorFill(q, screen, all, 0xFF336699);
  model.fill(all, 0x336699);
  shown("a fill");
  colorFill(q, screen, part, 0xFF112233);
  model.fill(part, 0x112233);
  shown("a part of it");
  // A sprite, from a surface in video memory.
  const Model picture = sprite(8, 8, 4, 0xFFFFFF, 5);
  HANDLE surface = q.resource(D3DDDIFMT_X8R8G8B8, 8, 8, 0);
  write(q, surface, picture);
  const Blit plain = {{0, 0, 8, 8}, {12, 4, 20, 12}};
  ASSERT_EQ(send(q, surface, screen, plain), 0);
  blitModel(picture, model, plain);
  shown("a copy");
  // The processor draws a part, and the rest stays.
  D3DDDIARG_LOCK lock = {};
  lock.hResource = screen;
  lock.Flags.AreaValid = 1;
  lock.Area = {1, 1, 9, 4};
  ASSERT_EQ(q.fn.pfnLock(q.dev(), &lock), 0);
  for (uint32_t y = 0; y < 3; y++)
    for (uint32_t x = 0; x < 8; x++) {
      const uint32_t texel = 0x800000 | x << 8 | y;
      memcpy(static_cast<uint8_t *>(lock.pSurfData) + size_t{y} * lock.Pitch + size_t{x} * 4, &texel, 4);
      model.at(1 + x, 1 + y) = texel;
    }
  unlock(q, screen, 0);
  shown("a lock", false);
  EXPECT_TRUE(game.presents.empty());
  q.destroy(surface);
  q.destroy(screen);
  game.close();
  EXPECT_EQ(game.gpuErrors, 0u);
}

// 2. A flip chain (page "PFND3DDDI_CREATERESOURCE": the surfaces of a primary are its back buffers): each Present with
// Flip names the allocation of the surface that was drawn, and the other surfaces keep what they have.
TEST_F(DirectDraw, AFlipChainShowsTheSurfaceThatWasDrawn) {
  constexpr uint32_t kWidth = 24, kHeight = 10;
  for (const UINT count : {2u, 3u}) {
    HANDLE chain = flipChain(*p, D3DDDIFMT_R5G6B5, kWidth, kHeight, count);
    std::vector<Model> models(count, Model{kWidth, kHeight, 2, 0xFFFF});
    for (UINT i = 0; i < count; i++) colorFill(*p, chain, {0, 0, kWidth, kHeight}, 0, i);
    std::vector<D3DKMT_HANDLE> shown;
    for (UINT frame = 0; frame < 2 * count; frame++) {
      const UINT back = frame % count;
      const RECT area = {static_cast<LONG>(frame), 2, static_cast<LONG>(frame + 9), 8};
      colorFill(*p, chain, area, 0xFF00FF00, back);
      models[back].fill(area, 0x07E0);
      D3DDDIARG_PRESENT present = {};
      present.hSrcResource = chain;
      present.SrcSubResourceIndex = back;
      present.Flags.Flip = 1;
      ASSERT_EQ(p->fn.pfnPresent(p->dev(), &present), 0);
      const D3DKMT_HANDLE allocation = rt->presents.back().hSrcAllocation;
      if (frame < count)
        shown.push_back(allocation);
      else
        EXPECT_EQ(allocation, shown[back]) << frame;
      EXPECT_TRUE(kernel->allocations[allocation].primary);
    }
    EXPECT_EQ(std::set<D3DKMT_HANDLE>(shown.begin(), shown.end()).size(), count);
    for (UINT i = 0; i < count; i++) expect(*p, chain, models[i], "what each surface holds", i);
    p->destroy(chain);
  }
}

// 3. Sprites: Blt with a source or a destination colour key, scaled and mirrored, between plain surfaces (D3D9On12,
// src/9on12Blit.cpp, CopySubResource: a key makes a copy a stretch; DDrawCompat, D3dDdi/Resource.cpp: mirrors).
TEST_F(DirectDraw, SpritesAreCopiedWithKeysAndMirrors) {
  if (!has(AEROGPU_EXT_FEATURE_HI_BLIT)) GTEST_SKIP() << "the device compares no texels with a key";
  const struct {
    D3DDDIFORMAT format;
    uint32_t bytes, mask;
  } kFormats[] = {{D3DDDIFMT_P8, 1, 0xFF},
                  {D3DDDIFMT_R5G6B5, 2, 0xFFFF},
                  {D3DDDIFMT_X1R5G5B5, 2, 0x7FFF},
                  {D3DDDIFMT_X8R8G8B8, 4, 0xFFFFFF}};
  enum : uint32_t { kSource = 1, kDestination = 2, kLeftRight = 4, kUpDown = 8 };
  const struct {
    RECT from, to;
    uint32_t how;
  } kBlits[] = {
      {{0, 0, 13, 11}, {3, 2, 16, 13}, 0},
      {{0, 0, 13, 11}, {14, 5, 27, 16}, kSource},
      {{2, 1, 9, 8}, {1, 14, 22, 28}, kSource},
      {{0, 0, 13, 11}, {20, 10, 33, 21}, kSource | kLeftRight},
      {{1, 2, 12, 10}, {5, 5, 16, 13}, kUpDown},
      {{0, 0, 13, 11}, {8, 3, 38, 29}, kDestination},
      {{0, 0, 12, 10}, {2, 2, 8, 7}, kDestination | kLeftRight | kUpDown},
      {{0, 0, 13, 11}, {0, 0, 13, 11}, kSource | kDestination},
  };
  for (const auto &format : kFormats) {
    SCOPED_TRACE(format.format);
    const Model picture = sprite(13, 11, format.bytes, format.mask, 7);
    Model screen = sprite(40, 30, format.bytes, format.mask, 4);
    HANDLE from = p->resource(format.format, 13, 11, 0), to = p->resource(format.format, 40, 30, 0);
    write(*p, from, picture);
    write(*p, to, screen);
    for (const auto &row : kBlits) {
      Blit blit = {row.from, row.to};
      blit.flags.SrcColorKey = (row.how & kSource) != 0;
      blit.flags.DstColorKey = (row.how & kDestination) != 0;
      blit.flags.MirrorLeftRight = (row.how & kLeftRight) != 0;
      blit.flags.MirrorUpDown = (row.how & kUpDown) != 0;
      blit.flags.Point = 1;
      blit.key = row.how & kDestination
                     ? screen.at(static_cast<uint32_t>(row.to.left), static_cast<uint32_t>(row.to.top))
                     : picture.texels[5];
      blit.key &= format.mask;
      ASSERT_EQ(send(*p, from, to, blit), 0) << row.how;
      blitModel(picture, screen, blit);
      expect(*p, to, screen, "a sprite");
    }
    // A scroll within one surface.
    const Blit scroll = {{4, 6, 40, 30}, {0, 0, 36, 24}};
    ASSERT_EQ(send(*p, to, to, scroll), 0);
    blitModel(screen, screen, scroll);
    expect(*p, to, screen, "a scroll");
    p->destroy(from);
    p->destroy(to);
  }
}

// 4. A game of 256 colours: full screen in P8 with back buffers, sprites with a key, fills, locks, flips. Indices stay
// indices; their colours are the kernel driver's palette. (VirtualBox's driver lists P8 with DISPLAYMODE, GaWddm.cpp.)
TEST_F(DirectDraw, AGameOf256ColoursDrawsIndices) {
  constexpr uint32_t kWidth = 80, kHeight = 50;
  if (!has(AEROGPU_EXT_FEATURE_HI_FORMATS)) GTEST_SKIP() << "no indices without the device's formats";
  kernel->featuresHigh |= AEROGPU_EXT_FEATURE_HI_PALETTE;
  FakeRuntime game(*kernel);
  game.interfaceNumber = 7;
  game.open();
  Program q(game);
  HANDLE chain = flipChain(q, D3DDDIFMT_P8, kWidth, kHeight, 2);
  const auto &priv =
      *reinterpret_cast<const aerogpu_wddm_alloc_priv_v2 *>(kernel->allocations.rbegin()->second.priv.data());
  EXPECT_EQ(priv.format, static_cast<uint32_t>(D3DDDIFMT_P8));
  EXPECT_TRUE(priv.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRIMARY);
  EXPECT_TRUE(priv.row_pitch_bytes >= kWidth && priv.row_pitch_bytes % 64 == 0);
  const D3DDDIARG_SETDISPLAYMODE mode = {chain, 0};
  EXPECT_EQ(q.fn.pfnSetDisplayMode(q.dev(), &mode), 0);
  Model models[2] = {{kWidth, kHeight, 1, 0xFF}, {kWidth, kHeight, 1, 0xFF}};
  const Model picture = sprite(16, 12, 1, 0xFF, 11);
  HANDLE surface = q.resource(D3DDDIFMT_P8, 16, 12, 0);
  write(q, surface, picture);
  for (UINT frame = 0; frame < 4; frame++) {
    const UINT back = frame % 2;
    const RECT all = {0, 0, kWidth, kHeight};
    colorFill(q, chain, all, 0x20 + frame, back);
    models[back].fill(all, 0x20 + frame);
    Blit blit = {{0, 0, 16, 12}, {static_cast<LONG>(frame) * 7, 9, static_cast<LONG>(frame) * 7 + 16, 21}};
    blit.flags.SrcColorKey = 1;
    blit.key = picture.texels[3] & 0xFF;
    ASSERT_EQ(send(q, surface, chain, blit, back), 0);
    blitModel(picture, models[back], blit);
    D3DDDIARG_PRESENT present = {};
    present.hSrcResource = chain;
    present.SrcSubResourceIndex = back;
    present.Flags.Flip = 1;
    ASSERT_EQ(q.fn.pfnPresent(q.dev(), &present), 0);
    expect(q, chain, models[back], "a frame", back);
  }
  // The whole frame by the processor.
  const Model drawn = sprite(kWidth, kHeight, 1, 0xFF, 29);
  write(q, chain, drawn);
  expect(q, chain, drawn, "what the processor wrote");
  expect(q, chain, models[1], "and nothing beside it", 1);
  q.destroy(surface);
  q.destroy(chain);
  game.close();
  EXPECT_EQ(game.gpuErrors, 0u);
  kernel->featuresHigh &= ~uint32_t{AEROGPU_EXT_FEATURE_HI_PALETTE};
}

// 5. A scene of Direct3D 7: depth of DirectDraw's kind, which a depth fill clears, and a texture with a colour key,
// through whose holes what lies behind it is drawn (D3D9On12, ShaderConverter/ShaderConv/context.cpp,
// EmitColorKeyModifier; DDrawCompat, D3dDdi/Adapter.cpp: X8D24).
TEST_F(DirectDraw, ASceneOfDirect3D7IsDrawn) {
  if (!has(AEROGPU_EXT_FEATURE_HI_BLIT)) GTEST_SKIP() << "the device fills no depth";
  constexpr uint32_t kWidth = 16, kHeight = 16, kColorKeyEnable = 41;
  HANDLE target = p->bindTarget(kWidth, kHeight);
  HANDLE depth = p->resource(D3DDDIFMT_X8D24, kWidth, kHeight, Program::depth());
  const D3DDDIARG_SETDEPTHSTENCIL bind = {depth};
  p->fn.pfnSetDepthStencil(p->dev(), &bind);
  colorFill(*p, target, {0, 0, kWidth, kHeight}, kBlack);
  D3DDDIARG_DEPTHFILL far = {};
  far.hResource = depth;
  far.DstRect = {0, 0, kWidth, kHeight};
  far.Depth = 0xFFFFFF;
  ASSERT_EQ(p->fn.pfnDepthFill(p->dev(), &far), 0);
  far.DstRect = {12, 0, 16, 16};
  far.Depth = 0x800000;  // nothing behind the middle is drawn there
  ASSERT_EQ(p->fn.pfnDepthFill(p->dev(), &far), 0);
  p->state(7, 1);   // ZENABLE
  p->state(14, 1);  // ZWRITEENABLE
  p->state(23, 4);  // ZFUNC: less or equal
  // A checkerboard with holes, in front.
  HANDLE texture = p->resource(D3DDDIFMT_X8R8G8B8, 4, 4, Program::texture());
  std::vector<uint32_t> texels(16);
  for (uint32_t i = 0; i < 16; i++) texels[i] = (i % 4 + i / 4) % 2 ? 0xFF00FF : 0xFFFF00;
  p->write(texture, 0, 4, 4, texels);
  const auto layer = [&](float z, uint32_t color) {
    auto vertices = quad(0, 0, kWidth, kHeight, kWidth, kHeight, color);
    for (Vertex &vertex : vertices) vertex.z = z;
    drawQuad(vertices);
  };
  p->fn.pfnSetTexture(p->dev(), 0, texture);
  p->fn.pfnSetPixelShader(p->dev(), textured);
  p->state(kColorKeyEnable, 1);
  p->stage(0, D3DDDITSS_TEXTURECOLORKEYVAL, 0xFF00FF);
  layer(0.25f, kWhite);
  p->state(kColorKeyEnable, 0);
  p->fn.pfnSetTexture(p->dev(), 0, nullptr);
  p->fn.pfnSetPixelShader(p->dev(), diffuse);
  layer(0.75f, kBlue);  // behind it
  const auto seen = opaque(p->read(target, kWidth, kHeight));
  for (uint32_t y = 0; y < kHeight; y++)
    for (uint32_t x = 0; x < kWidth; x++) {
      const bool hole = (x / 4 + y / 4) % 2;
      const uint32_t wanted = !hole ? 0xFFFFFF00u : x >= 12 ? kBlack : kBlue;
      ASSERT_EQ(seen[y * kWidth + x], wanted) << x << ',' << y;
    }
  p->fn.pfnSetDepthStencil(p->dev(), std::array{D3DDDIARG_SETDEPTHSTENCIL{}}.data());
  p->state(7, 0);
}

// 6. Overlays: the capabilities have none, and DirectDraw that asks all the same gets the documented refusal.
TEST_F(DirectDraw, OverlaysAreRefused) {
  DDRAW_MODE_SPECIFIC_CAPS mode = {};
  D3DDDIARG_GETCAPS args = {};
  args.Type = D3DDDICAPS_DDRAW_MODE_SPECIFIC;
  args.pData = &mode;
  args.DataSize = sizeof mode;
  ASSERT_EQ(rt->adapterFunctions.pfnGetCaps(rt->adapter, &args), 0);
  EXPECT_EQ(mode.MaxVisibleOverlays, 0u);
  D3DDDIARG_CREATEOVERLAY create = {};
  EXPECT_EQ(p->fn.pfnCreateOverlay(p->dev(), &create), kUnsupportedOverlay);
}

}  // namespace
}  // namespace aero::test
