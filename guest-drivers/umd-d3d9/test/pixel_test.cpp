// SPDX-License-Identifier: MIT
// Runs the driver's packets through the renderer, pixel by pixel: a program's calls, as the runtime hands them on,
// against the pages of Direct3D 9.
#include "guest-drivers/umd-d3d9/test/umd_pixels.h"

namespace aero::test {
namespace {

TEST_F(UmdPixels, ATriangleAndAClear) {
  HANDLE target = p->bindTarget(16, 8);
  p->clear(kBlue);
  drawQuad(quad(2, 1, 10, 5, 16, 8, kRed));
  const std::vector<uint32_t> seen = opaque(p->read(target, 16, 8));
  for (uint32_t y = 0; y < 8; y++)
    for (uint32_t x = 0; x < 16; x++)
      EXPECT_EQ(seen[y * 16 + x], x >= 2 && x < 10 && y >= 1 && y < 5 ? kRed : kBlue) << x << ' ' << y;
}

TEST_F(UmdPixels, ClearTakesItsRectanglesAndViewportAndScissorBoundThem) {
  HANDLE target = p->bindTarget(16, 16);
  p->clear(kBlack);
  // Rectangles that the runtime has clipped are used as they are, whatever the viewport.
  p->viewport(4, 4, 8, 8);
  p->clear(kRed, 1, {{0, 0, 3, 3}, {14, 14, 16, 16}});
  // COMPUTERECTS: within viewport and scissor.
  p->state(174, 1);
  const RECT scissor = {0, 0, 8, 16};
  p->fn.pfnSetScissorRect(p->dev(), &scissor);
  p->clear(kGreen, 1 | 8, {{2, 2, 16, 6}});
  p->clear(kBlue, 1 | 8, {{5, 7, 6, 8}});
  const std::vector<uint32_t> seen = opaque(p->read(target, 16, 16));
  for (uint32_t y = 0; y < 16; y++)
    for (uint32_t x = 0; x < 16; x++) {
      uint32_t want = (x < 3 && y < 3) || (x >= 14 && y >= 14) ? kRed : kBlack;
      if (x >= 4 && x < 8 && y >= 4 && y < 6) want = kGreen;
      if (x == 5 && y == 7) want = kBlue;
      EXPECT_EQ(seen[y * 16 + x], want) << x << ' ' << y;
    }
}

// One rectangle is a CLEAR, several are an EXT_FILL of each surface: states affect both in the same way.
TEST_F(UmdPixels, SeveralRectanglesAreClearedAsOneAfterTheOther) {
  HANDLE target = p->bindTarget(16, 16);
  const std::vector<RECT> rects = {{0, 0, 5, 5}, {6, 6, 6, 9}, {-3, 7, 4, 9}, {10, 9, 40, 13}, {9, 8, 11, 12}};
  for (const uint32_t flags : {1u, 1u | 8u})
    for (const uint32_t srgb : {0u, 1u}) {
      SCOPED_TRACE(testing::Message() << "flags " << flags << ", sRGB " << srgb);
      std::vector<uint32_t> seen[2];
      for (const bool atOnce : {false, true}) {
        p->viewport(0, 0, 16, 16);
        p->state(194, 0);  // SRGBWRITEENABLE
        p->clear(kBlack);
        p->state(194, srgb);
        p->state(168, 1);  // COLORWRITEENABLE, which clears ignore
        p->viewport(2, 2, 11, 9);
        if (atOnce)
          p->clear(0xFF406080, flags, rects);
        else
          for (const RECT &rect : rects) p->clear(0xFF406080, flags, {rect});
        seen[atOnce] = p->read(target, 16, 16);
      }
      EXPECT_EQ(seen[0], seen[1]);
      EXPECT_NE(seen[1][3 * 16 + 3] & 0xFFFFFF, 0u);
      EXPECT_EQ(seen[1][0] & 0xFFFFFF, flags & 8 ? 0u : seen[1][3 * 16 + 3] & 0xFFFFFF);
      EXPECT_EQ(seen[1][6 * 16 + 6] & 0xFFFFFF, 0u);
    }
}

TEST_F(UmdPixels, TexturesOfAllUploadPathsReadTheSame) {
  for (const uint32_t size : {40u, 160u}) {  // without guest memory, and with
    const auto edge = static_cast<LONG>(size);
    const auto side = static_cast<float>(size);
    std::vector<uint32_t> picture(size_t{size} * size);
    for (uint32_t i = 0; i < picture.size(); i++) picture[i] = 0xFF000000u | i * 2654435761u >> 8;
    HANDLE target = p->bindTarget(size, size);
    p->fn.pfnSetPixelShader(p->dev(), textured);
    D3DDDI_LOCKFLAGS discard = {};
    discard.Discard = 1;
    for (const bool small : {false, true})
      for (int path = 0; path < 5; path++) {
        SCOPED_TRACE(testing::Message() << "path " << path << (small ? " small" : ""));
        HANDLE texture = p->resource(D3DDDIFMT_A8R8G8B8, size, size,
                                     Program::texture() | (path == 1 || path == 2 ? Program::dynamic() : 0));
        std::vector<uint32_t> content = picture;
        std::rotate(content.begin(), content.begin() + std::ptrdiff_t{path} * 7 + small, content.end());
        if (path < 3) {
          if (path == 2)  // its memory is in use: another texture takes the bytes
            for (auto &[handle, allocation] : kernel->allocations)
              if (allocation.bytes == size_t{size} * size * 4) rt->busy.insert(handle);
          p->write(texture, 0, size, size, content, path ? discard.Value : 0);
          rt->busy.clear();
        } else {
          HANDLE memory = p->resource(D3DDDIFMT_A8R8G8B8, size, size, Program::texture(), D3DDDIPOOL_SYSTEMMEM, 1, 1,
                                      content.data(), size * 4);
          const LONG step = small ? 20 : edge;
          for (LONG y = 0; y < edge; y += step)
            for (LONG x = 0; x < edge; x += step) {
              const RECT part = {x, y, x + step, y + step};
              if (path == 3) {
                EXPECT_EQ(p->blt(memory, part, texture, part), 0);
              } else {
                D3DDDIARG_TEXBLT args = {};
                args.hSrcResource = memory;
                args.hDstResource = texture;
                args.SrcRect = part;
                args.DstPoint = {x, y};
                EXPECT_EQ(p->fn.pfnTexBlt(p->dev(), &args), 0);
              }
            }
          p->destroy(memory);
        }
        p->clear(kBlack);
        EXPECT_EQ(p->fn.pfnSetTexture(p->dev(), 0, texture), 0);
        drawQuad(quad(0, 0, side, side, side, side, kWhite));
        EXPECT_EQ(opaque(p->read(target, size, size)), opaque(content));
        // A second lock returns the written content, from wherever it has to come.
        D3DDDIARG_LOCK lock = {};
        lock.hResource = texture;
        lock.Flags.ReadOnly = 1;
        lock.Flags.AreaValid = 1;
        lock.Area = {3, 5, 30, 33};
        ASSERT_EQ(p->fn.pfnLock(p->dev(), &lock), 0);
        uint32_t word;
        memcpy(&word, static_cast<uint8_t *>(lock.pSurfData) + size_t{2} * lock.Pitch + 4, 4);
        EXPECT_EQ(word, content[7 * size + 4]);
        p->unlock(texture);
        p->fn.pfnSetTexture(p->dev(), 0, nullptr);
        p->destroy(texture);
      }
  }
}

TEST_F(UmdPixels, ALockedTargetShowsWhatWasDrawnAndTakesWhatIsWritten) {
  HANDLE target = p->bindTarget(8, 8);
  p->clear(kGreen);
  D3DDDIARG_LOCK lock = {};
  lock.hResource = target;
  lock.Flags.AreaValid = 1;
  lock.Area = {2, 3, 5, 6};
  ASSERT_EQ(p->fn.pfnLock(p->dev(), &lock), 0);
  uint32_t word;
  memcpy(&word, lock.pSurfData, 4);
  EXPECT_EQ(word | 0xFF000000, kGreen);
  memcpy(lock.pSurfData, &kRed, 4);
  p->unlock(target);
  const auto seen = opaque(p->read(target, 8, 8));
  for (uint32_t i = 0; i < 64; i++) EXPECT_EQ(seen[i], i == 3 * 8 + 2 ? kRed : kGreen) << i;
}

TEST_F(UmdPixels, UserPointersAreTakenBeforeTheDrawReturns) {
  HANDLE target = p->bindTarget(8, 8);
  p->clear(kBlack);
  std::vector<Vertex> vertices = quad(1, 1, 4, 4, 8, 8, kRed);
  const D3DDDIARG_SETSTREAMSOURCEUM um = {0, sizeof(Vertex)};
  p->fn.pfnSetStreamSourceUm(p->dev(), &um, vertices.data());
  EXPECT_EQ(p->draw(D3DPT_TRIANGLELIST, 2), 0);
  vertices = quad(4, 4, 8, 8, 8, 8, kGreen);  // later content does not count
  const uint16_t indices[] = {0, 1, 2, 2, 1, 5};
  p->fn.pfnSetStreamSourceUm(p->dev(), &um, vertices.data());
  p->fn.pfnSetIndicesUm(p->dev(), 2, indices);
  const D3DDDIARG_DRAWINDEXEDPRIMITIVE args = {D3DPT_TRIANGLELIST, 0, 0, 6, 0, 2};
  EXPECT_EQ(p->fn.pfnDrawIndexedPrimitive(p->dev(), &args), 0);
  std::fill(vertices.begin(), vertices.end(), Vertex{});
  const auto seen = opaque(p->read(target, 8, 8));
  for (uint32_t y = 0; y < 8; y++)
    for (uint32_t x = 0; x < 8; x++) {
      const uint32_t want = x >= 1 && x < 4 && y >= 1 && y < 4 ? kRed : x >= 4 && y >= 4 ? kGreen : kBlack;
      EXPECT_EQ(seen[y * 8 + x], want) << x << ' ' << y;
    }
}

TEST_F(UmdPixels, OffsetsInBytesFindTheirVertices) {
  HANDLE target = p->bindTarget(12, 4);
  p->clear(kBlack);
  std::vector<Vertex> all;
  for (const auto &[left, color] : {std::pair{0.0f, kRed}, {4.0f, kGreen}, {8.0f, kBlue}})
    for (const Vertex &vertex : quad(left, 0, left + 4, 4, 12, 4, color)) all.push_back(vertex);
  // A copy from the runtime's memory fills the buffer.
  HANDLE memory = p->resource(D3DDDIFMT_VERTEXDATA, static_cast<uint32_t>(all.size() * sizeof(Vertex)), 1,
                              Program::vertices(), D3DDDIPOOL_SYSTEMMEM, 1, 1, all.data());
  HANDLE buffer = p->buffer(static_cast<uint32_t>(all.size() * sizeof(Vertex)), nullptr);
  D3DDDIARG_BUFFERBLT copy = {};
  copy.hSrcResource = memory;
  copy.hDstResource = buffer;
  copy.SrcRange = {0, static_cast<UINT>(all.size() * sizeof(Vertex))};
  EXPECT_EQ(p->fn.pfnBufBlt(p->dev(), &copy), 0);
  p->stream(buffer, sizeof(Vertex));
  const D3DDDIARG_DRAWPRIMITIVE2 second = {D3DPT_TRIANGLELIST, 6 * sizeof(Vertex), 2};
  EXPECT_EQ(p->fn.pfnDrawPrimitive2(p->dev(), &second), 0);
  // The base is negative: only with the smallest index does it lie in the buffer.
  const uint16_t indices[] = {99, 20, 21, 22, 23, 24, 25};
  const D3DDDIARG_DRAWINDEXEDPRIMITIVE2 third = {
      D3DPT_TRIANGLELIST, -8 * static_cast<INT>(sizeof(Vertex)), 20, 6, 2, 2};
  EXPECT_EQ(p->fn.pfnDrawIndexedPrimitive2(p->dev(), &third, 2, indices, nullptr), 0);
  // And a draw straight from the runtime's memory, which may change afterwards.
  p->stream(memory, sizeof(Vertex));
  EXPECT_EQ(p->draw(D3DPT_TRIANGLELIST, 2), 0);
  std::fill(all.begin(), all.end(), Vertex{});
  const auto seen = opaque(p->read(target, 12, 4));
  for (uint32_t i = 0; i < 48; i++) EXPECT_EQ(seen[i], i % 12 < 4 ? kRed : i % 12 < 8 ? kGreen : kBlue) << i;
}

TEST_F(UmdPixels, VerticesInScreenSpaceNeedNoShader) {
  HANDLE target = p->bindTarget(16, 16);
  p->clear(kBlack);
  p->viewport(4, 2, 12, 14);  // positions are in pixels of the target anyway
  p->fn.pfnSetVertexShaderFunc(p->dev(), nullptr);
  HANDLE transformed = p->vertexDeclaration(true);
  p->fn.pfnSetVertexShaderDecl(p->dev(), transformed);
  // 1 / w varies, and moves nothing.
  const Vertex corners[] = {{4.5f, 3.5f, 0, 1, kRed, 0, 0},
                            {9.5f, 3.5f, 0, 0.25f, kRed, 0, 0},
                            {4.5f, 8.5f, 0, 4, kRed, 0, 0},
                            {9.5f, 8.5f, 0, 0, kRed, 0, 0}};
  HANDLE buffer = p->buffer(sizeof corners, corners);
  p->stream(buffer, sizeof(Vertex));
  EXPECT_EQ(p->draw(D3DPT_TRIANGLESTRIP, 2), 0);
  const auto seen = opaque(p->read(target, 16, 16));
  for (uint32_t y = 0; y < 16; y++)
    for (uint32_t x = 0; x < 16; x++)
      EXPECT_EQ(seen[y * 16 + x], x >= 5 && x < 10 && y >= 4 && y < 9 ? kRed : kBlack) << x << ' ' << y;
  // Afterwards the program's constants are in effect again.
  p->fn.pfnSetVertexShaderDecl(p->dev(), declaration);
  HANDLE colored = p->shader(true, assemble("vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oD0, c254\n").tokens);
  p->fn.pfnSetVertexShaderFunc(p->dev(), colored);
  const float green[] = {0, 1, 0, 1};
  const D3DDDIARG_SETVERTEXSHADERCONST constant = {254, 1};
  p->fn.pfnSetVertexShaderConst(p->dev(), &constant, green);
  p->viewport(0, 0, 16, 16);
  drawQuad(quad(0, 0, 16, 16, 16, 16, kRed));
  EXPECT_EQ(opaque(p->read(target, 16, 16)), std::vector<uint32_t>(256, kGreen));
}

TEST_F(UmdPixels, CopiesStretchMirrorConvertAndOverlap) {
  std::vector<uint32_t> small = {kRed, kGreen, kBlue, kWhite};
  HANDLE from = p->resource(D3DDDIFMT_X8R8G8B8, 2, 2, 0);
  p->write(from, 0, 2, 2, small);
  HANDLE to = p->resource(D3DDDIFMT_A8R8G8B8, 8, 8, Program::target());
  p->setTarget(to, 8, 8);
  p->clear(0);
  D3DDDI_BLTFLAGS flags = {};
  EXPECT_EQ(p->blt(from, {0, 0, 2, 2}, to, {2, 1, 6, 7}, flags.Value), 0);
  auto seen = p->read(to, 8, 8, D3DDDIFMT_A8R8G8B8);
  for (uint32_t y = 0; y < 8; y++)
    for (uint32_t x = 0; x < 8; x++) {
      const bool in = x >= 2 && x < 6 && y >= 1 && y < 7;
      EXPECT_EQ(seen[y * 8 + x], in ? small[(y - 1) / 3 * 2 + (x - 2) / 2] : 0) << x << ' ' << y;  // X reads as one
    }
  flags.MirrorLeftRight = 1;
  EXPECT_EQ(p->blt(from, {0, 0, 2, 2}, to, {0, 0, 2, 2}, flags.Value), 0);
  seen = p->read(to, 8, 8, D3DDDIFMT_A8R8G8B8);
  EXPECT_EQ(seen[0], kGreen);
  EXPECT_EQ(seen[1], kRed);
  EXPECT_EQ(seen[8], kWhite);
  // A copy onto itself, one pixel to the right.
  const auto before = seen;
  EXPECT_EQ(p->blt(to, {0, 0, 7, 8}, to, {1, 0, 8, 8}), 0);
  seen = p->read(to, 8, 8, D3DDDIFMT_A8R8G8B8);
  for (uint32_t y = 0; y < 8; y++)
    for (uint32_t x = 0; x < 8; x++) EXPECT_EQ(seen[y * 8 + x], before[y * 8 + (x ? x - 1 : 0)]) << x << ' ' << y;
  // A fill, and a format with fewer bits.
  D3DDDIARG_COLORFILL fill = {};
  fill.hResource = to;
  fill.DstRect = {3, 3, 5, 5};
  fill.Color = 0x12345678;
  EXPECT_EQ(p->fn.pfnColorFill(p->dev(), &fill), 0);
  seen = p->read(to, 8, 8, D3DDDIFMT_A8R8G8B8);
  EXPECT_EQ(seen[3 * 8 + 3], 0x12345678u);
  EXPECT_NE(seen[3 * 8 + 5], 0x12345678u);
}

// Every announced pair of StretchRect: a colour keeps its value, as far as the narrower format has it.
TEST_F(UmdPixels, FormatsOfTheGroupAreConvertedToEachOther) {
  UINT count = 0;
  D3DDDIARG_GETCAPS args = {D3DDDICAPS_GETFORMATCOUNT, nullptr, &count, sizeof count};
  ASSERT_EQ(rt->adapterFunctions.pfnGetCaps(rt->adapter, &args), 0);
  std::vector<FORMATOP> formats(count);
  args = {D3DDDICAPS_GETFORMATDATA, nullptr, formats.data(), static_cast<UINT>(count * sizeof formats[0])};
  ASSERT_EQ(rt->adapterFunctions.pfnGetCaps(rt->adapter, &args), 0);
  constexpr uint32_t kColor = 0xFF3478C8;
  const RECT all = {0, 0, 4, 4}, half = {0, 0, 2, 4};
  HANDLE seen = p->resource(D3DDDIFMT_X8R8G8B8, 4, 4, Program::target());
  uint32_t members = 0;
  for (const FORMATOP &source : formats) {
    // Those with a FourCC have tests of their own.
    if (!(source.Operations & FORMATOP_CONVERT_TO_ARGB) || static_cast<uint32_t>(source.Format) > 0xFFFF) continue;
    EXPECT_TRUE(source.Operations & FORMATOP_MEMBEROFGROUP_ARGB) << source.Format;
    members++;
    HANDLE from = p->resource(source.Format, 4, 4, Program::target());
    D3DDDIARG_COLORFILL fill = {};
    fill.hResource = from;
    fill.DstRect = all;
    fill.Color = kColor;
    ASSERT_EQ(p->fn.pfnColorFill(p->dev(), &fill), 0);
    for (const FORMATOP &destination : formats) {
      if (!(destination.Operations & FORMATOP_MEMBEROFGROUP_ARGB)) continue;
      SCOPED_TRACE(testing::Message() << source.Format << " to " << destination.Format);
      HANDLE to = p->resource(destination.Format, 4, 4, Program::target());
      ASSERT_EQ(p->blt(from, half, to, all), 0);
      ASSERT_EQ(p->blt(to, all, seen, all), 0);
      for (const uint32_t pixel : p->read(seen, 4, 4))
        for (const int shift : {0, 8, 16})  // half a step of 5 bits, for each of two formats, and rounding
          EXPECT_NEAR(static_cast<int>(pixel >> shift & 255), static_cast<int>(kColor >> shift & 255), 6);
      p->destroy(to);
    }
    p->destroy(from);
  }
  // D3D9On12's list and VirtualBox' X8B8G8R8, as far as the device has the formats.
  EXPECT_EQ(members, kernel->block.empty() ? 6u : 11u);
  p->destroy(seen);
}

TEST_F(UmdPixels, LevelsAndFacesAreTargetsAndSourcesOfTheirOwn) {
  HANDLE cube =
      p->resource(D3DDDIFMT_X8R8G8B8, 8, 8, Program::cube() | Program::target(), D3DDDIPOOL_VIDEOMEMORY, 4, 6);
  for (uint32_t face = 0; face < 6; face++)
    for (uint32_t level = 0; level < 4; level++) {
      p->setTarget(cube, 8 >> level, 8 >> level, face * 4 + level);
      p->clear(0xFF000000u | face << 16 | level << 8 | 0x40);
    }
  for (uint32_t face = 0; face < 6; face++)
    for (uint32_t level = 0; level < 4; level++)
      EXPECT_EQ(
          opaque(p->read(cube, 8 >> level, 8 >> level, D3DDDIFMT_X8R8G8B8, face * 4 + level)),
          std::vector<uint32_t>(size_t{8u >> level} * (8u >> level), 0xFF000000u | face << 16 | level << 8 | 0x40));
}

TEST_F(UmdPixels, UpdateTextureFillsAllLevelsAndTextureMayBeginLower) {
  std::vector<std::vector<uint32_t>> levels;
  std::vector<D3DDDI_SURFACEINFO> surfaces;
  for (uint32_t level = 0; level < 4; level++) {
    const uint32_t size = 8 >> level;
    levels.emplace_back(size * size, 0xFF000000u | (level + 1) * 0x102030);
  }
  for (uint32_t level = 0; level < 4; level++)
    surfaces.push_back({8u >> level, 8u >> level, 1, levels[level].data(), (8u >> level) * 4, 0});
  D3DDDIARG_CREATERESOURCE args = {};
  args.Format = D3DDDIFMT_A8R8G8B8;
  args.Pool = D3DDDIPOOL_SYSTEMMEM;
  args.pSurfList = surfaces.data();
  args.SurfCount = args.MipLevels = 4;
  args.Flags.Texture = 1;
  ASSERT_EQ(p->fn.pfnCreateResource(p->dev(), &args), 0);
  for (uint32_t skipped = 0; skipped < 3; skipped++) {
    HANDLE texture = p->resource(D3DDDIFMT_A8R8G8B8, 8 >> skipped, 8 >> skipped, Program::texture(),
                                 D3DDDIPOOL_VIDEOMEMORY, 4 - skipped);
    D3DDDIARG_TEXBLT blt = {};
    blt.hSrcResource = args.hResource;
    blt.hDstResource = texture;
    blt.SrcRect = {0, 0, 8, 8};
    EXPECT_EQ(p->fn.pfnTexBlt(p->dev(), &blt), 0);
    for (uint32_t level = skipped; level < 4; level++)
      EXPECT_EQ(p->read(texture, 8 >> level, 8 >> level, D3DDDIFMT_A8R8G8B8, level - skipped), levels[level]);
  }
}

TEST_F(UmdPixels, APartOfALevelIsWrittenWhereItLies) {
  HANDLE texture = p->resource(D3DDDIFMT_A8R8G8B8, 16, 16, Program::texture(), D3DDDIPOOL_VIDEOMEMORY, 3);
  std::vector<uint32_t> want(64, kBlue);
  p->write(texture, 1, 8, 8, want);
  D3DDDIARG_LOCK lock = {};
  lock.hResource = texture;
  lock.SubResourceIndex = 1;
  lock.Flags.AreaValid = 1;
  lock.Area = {2, 3, 6, 5};
  ASSERT_EQ(p->fn.pfnLock(p->dev(), &lock), 0);
  for (uint32_t y = 0; y < 2; y++)
    for (uint32_t x = 0; x < 4; x++) {
      memcpy(static_cast<uint8_t *>(lock.pSurfData) + size_t{y} * lock.Pitch + size_t{x} * 4, &kRed, 4);
      want[(y + 3) * 8 + x + 2] = kRed;
    }
  p->unlock(texture, 1);
  EXPECT_EQ(p->read(texture, 8, 8, D3DDDIFMT_A8R8G8B8, 1), want);
  EXPECT_EQ(p->read(texture, 16, 16, D3DDDIFMT_A8R8G8B8, 0), std::vector<uint32_t>(256, 0));
}

TEST_F(UmdPixels, DynamicBuffersKeepWhatEarlierDrawsRead) {
  HANDLE target = p->bindTarget(16, 1);
  p->clear(kBlack);
  HANDLE buffer = p->buffer(6 * sizeof(Vertex), nullptr, Program::vertices() | Program::dynamic());
  p->stream(buffer, sizeof(Vertex));
  D3DDDI_LOCKFLAGS discard = {};
  discard.Discard = 1;
  for (uint32_t i = 0; i < 16; i++) {
    const auto vertices = quad(static_cast<float>(i), 0, static_cast<float>(i) + 1, 1, 16, 1, 0xFF000000u | i * 16);
    p->fill(buffer, 0, 6 * sizeof(Vertex), vertices.data(), discard.Value);
    EXPECT_EQ(p->draw(D3DPT_TRIANGLELIST, 2), 0);
  }
  const auto seen = opaque(p->read(target, 16, 1));
  for (uint32_t i = 0; i < 16; i++) EXPECT_EQ(seen[i], 0xFF000000u | i * 16) << i;
}

TEST_F(UmdPixels, InstancesStepTheirStreams) {
  HANDLE target = p->bindTarget(4, 1);
  p->clear(kBlack);
  constexpr BYTE kFloat2 = 1, kFloat4 = 3, kColor = 4, kPosition = 0, kCoordinates = 5, kDiffuse = 10;
  HANDLE instanced = p->declaration(
      {{0, 0, kFloat2, 0, kPosition, 0}, {1, 0, kFloat4, 0, kCoordinates, 0}, {1, 16, kColor, 0, kDiffuse, 0}});
  HANDLE shader = p->shader(true, assemble("vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_color v2\ndcl_position o0\n"
                                           "dcl_color o1\nadd o0, v0, v1\nmov o1, v2\n")
                                      .tokens);
  HANDLE pixel = p->shader(false, assemble("ps_3_0\ndcl_color v0\nmov oC0, v0\n").tokens);
  p->fn.pfnSetVertexShaderDecl(p->dev(), instanced);
  p->fn.pfnSetVertexShaderFunc(p->dev(), shader);
  p->fn.pfnSetPixelShader(p->dev(), pixel);
  // One pixel of four, at the left edge; pixel centres are whole numbers.
  const float shape[] = {-1.25f, 2, -0.75f, 2, -1.25f, -2, -0.75f, -2};
  const uint16_t order[] = {0, 1, 2, 2, 1, 3};
  struct Instance {
    float x, y, z, w;
    uint32_t color;
  } const instances[4] = {{0, 0, 0, 0, kRed}, {0.5f, 0, 0, 0, kGreen}, {1, 0, 0, 0, kBlue}, {1.5f, 0, 0, 0, kWhite}};
  p->stream(p->buffer(sizeof shape, shape), 8);
  p->stream(p->buffer(sizeof instances, instances), sizeof(Instance), 0, 1);
  D3DDDIARG_SETINDICES indices = {};
  indices.hIndexBuffer = p->buffer(sizeof order, order, Program::indices(), D3DDDIFMT_INDEX16);
  indices.Stride = 2;
  p->fn.pfnSetIndices(p->dev(), &indices);
  D3DDDIARG_SETSTREAMSOURCEFREQ frequency = {0, 1u << 30 | 4};
  p->fn.pfnSetStreamSourceFreq(p->dev(), &frequency);
  frequency = {1, 1u << 31 | 1};
  p->fn.pfnSetStreamSourceFreq(p->dev(), &frequency);
  const D3DDDIARG_DRAWINDEXEDPRIMITIVE args = {D3DPT_TRIANGLELIST, 0, 0, 4, 0, 2};
  EXPECT_EQ(p->fn.pfnDrawIndexedPrimitive(p->dev(), &args), 0);
  EXPECT_EQ(opaque(p->read(target, 4, 1)), (std::vector<uint32_t>{kRed, kGreen, kBlue, kWhite}));
  // Each instance twice.
  frequency = {1, 1u << 31 | 2};
  p->fn.pfnSetStreamSourceFreq(p->dev(), &frequency);
  p->clear(kBlack);
  EXPECT_EQ(p->fn.pfnDrawIndexedPrimitive(p->dev(), &args), 0);
  EXPECT_EQ(opaque(p->read(target, 4, 1)), (std::vector<uint32_t>{kRed, kGreen, kBlack, kBlack}));
}

TEST_F(UmdPixels, ASharedTargetIsOneForTwoDevices) {
  FakeRuntime other(*kernel);
  other.open();
  Program q(other);
  HANDLE mine = p->resource(D3DDDIFMT_A8R8G8B8, 8, 8, Program::target() | Program::texture() | Program::shared());
  auto &allocation = kernel->allocations.rbegin()->second;
  D3DDDI_OPENALLOCATIONINFO info = {};
  info.hAllocation = kernel->allocations.rbegin()->first;
  info.pPrivateDriverData = allocation.priv.data();
  info.PrivateDriverDataSize = static_cast<UINT>(allocation.priv.size());
  D3DDDIARG_OPENRESOURCE open = {};
  open.NumAllocations = 1;
  open.pOpenAllocationInfo = &info;
  open.hResource = reinterpret_cast<HANDLE>(uintptr_t{0x77});
  ASSERT_EQ(q.fn.pfnOpenResource(q.dev(), &open), 0);
  p->setTarget(mine, 8, 8);
  p->clear(0x80FF0000);
  p->flush();
  // A batch that draws to it lists it as written, so that the kernel makes readers wait.
  ASSERT_FALSE(rt->submissions.empty());
  bool written = false;
  for (const auto &entry : rt->submissions.back().allocations)
    written |= entry.hAllocation == info.hAllocation && entry.WriteOperation;
  EXPECT_TRUE(written);
  EXPECT_EQ(q.read(open.hResource, 8, 8, D3DDDIFMT_A8R8G8B8), std::vector<uint32_t>(64, 0x80FF0000));
  q.destroy(open.hResource);
  EXPECT_EQ(p->read(mine, 8, 8, D3DDDIFMT_A8R8G8B8), std::vector<uint32_t>(64, 0x80FF0000));
  other.close();
}

TEST_F(UmdPixels, DepthAndStencilAreClearedApartAndTested) {
  HANDLE target = p->bindTarget(8, 8);
  HANDLE depth = p->resource(D3DDDIFMT_D24S8, 8, 8, Program::depth());
  const D3DDDIARG_SETDEPTHSTENCIL bind = {depth};
  p->fn.pfnSetDepthStencil(p->dev(), &bind);
  p->clear(kBlack, 7, {}, 0.25f, 3);
  p->clear(0, 2, {{0, 0, 4, 8}}, 1.0f);  // depth of the left half; the stencil stays
  p->state(7, 1);                        // ZENABLE
  p->state(52, 1);                       // STENCILENABLE
  p->state(56, 3);                       // STENCILFUNC equal
  p->state(57, 3);                       // STENCILREF
  drawQuad(quad(0, 0, 8, 8, 8, 8, kRed));
  const auto seen = opaque(p->read(target, 8, 8));
  for (uint32_t i = 0; i < 64; i++) EXPECT_EQ(seen[i], i % 8 < 4 ? kRed : kBlack) << i;
  p->fn.pfnSetDepthStencil(p->dev(), std::array{D3DDDIARG_SETDEPTHSTENCIL{}}.data());
}

}  // namespace
}  // namespace aero::test
