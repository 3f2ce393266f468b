// SPDX-License-Identifier: MIT
// Tests the pictures of states beyond ABI 1.4 and of large updates, through the renderer. docs/abi/d3d9-states.md,
// updates.md.
#include <array>
#include <cmath>

#include "guest-drivers/umd-d3d9/test/random_calls.h"
#include "guest-drivers/umd-d3d9/test/umd_pixels.h"

namespace aero::test {
namespace {

TEST_F(UmdPixels, PlanesCutWhatIsBehindThem) {  // XSTATE-3
  if (!has(AEROGPU_EXT_FEATURE_HI_STATES)) GTEST_SKIP();
  HANDLE target = p->bindTarget(16, 16);
  p->clear(kBlack);
  const D3DDDIARG_SETCLIPPLANE left = {0, {-1, 0, 0, 0}}, top = {4, {0, 1, 0, 0}};
  p->fn.pfnSetClipPlane(p->dev(), &left);
  p->fn.pfnSetClipPlane(p->dev(), &top);
  p->state(152, 1 | 16);
  drawQuad(quad(-1, -1, 17, 17, 16, 16, kRed));
  p->state(152, 1);
  drawQuad(quad(0, 12, 17, 17, 16, 16, kGreen));
  p->state(152, 0);
  drawQuad(quad(12, 12, 14, 14, 16, 16, kBlue));
  const auto seen = opaque(p->read(target, 16, 16));
  for (uint32_t y = 0; y < 16; y++)
    for (uint32_t x = 0; x < 16; x++) {
      if (x == 8 || y == 8) continue;  // these centres lie on a plane to within half a pixel
      uint32_t want = x < 8 && y < 8 ? kRed : kBlack;
      if (x < 8 && y >= 12) want = kGreen;
      if (x >= 12 && x < 14 && y >= 12 && y < 14) want = kBlue;
      EXPECT_EQ(seen[y * 16 + x], want) << x << ' ' << y;
    }
}

TEST_F(UmdPixels, BumpMatricesMoveCoordinates) {  // XSTATE-5
  if (!has(AEROGPU_EXT_FEATURE_HI_STATES)) GTEST_SKIP();
  HANDLE target = p->bindTarget(8, 8);
  p->clear(kBlack);
  HANDLE bumps = p->resource(D3DDDIFMT_A8R8G8B8, 1, 1, Program::texture()),
         picture = p->resource(D3DDDIFMT_A8R8G8B8, 4, 1, Program::texture());
  p->write(bumps, 0, 1, 1, {0xFFFF0000});  // r 1, g 0
  p->write(picture, 0, 4, 1, {kRed, kGreen, kBlue, kWhite});
  p->fn.pfnSetTexture(p->dev(), 0, bumps);
  p->fn.pfnSetTexture(p->dev(), 1, picture);
  p->fn.pfnSetVertexShaderFunc(
      p->dev(), p->shader(true, assemble("vs_1_1\ndcl_position v0\ndcl_texcoord v2\nmov oPos, v0\nmov oT0, v2\n"
                                         "mov oT1, v2\n")
                                    .tokens));
  p->fn.pfnSetPixelShader(p->dev(), p->shader(false, assemble("ps_1_1\ntex t0\ntexbem t1, t0\nmov r0, t1\n").tokens));
  const auto bits = [](float value) {
    uint32_t out;
    memcpy(&out, &value, sizeof out);
    return out;
  };
  for (const auto &[stage, by] : {std::pair{1u, 0.25f}, {1u, 0.5f}, {0u, 0.75f}}) {
    p->stage(stage, D3DDDITSS_BUMPENVMAT00, bits(by));
    drawQuad(quad(0, 0, 8, 8, 8, 8, 0, 0, 0, 1, 1));
    // Stage 1 receives texbem's result: the matrix of stage 0 does not count.
    const uint32_t shift = by == 0.25f ? 1 : 2;
    const uint32_t colors[] = {kRed, kGreen, kBlue, kWhite};
    const auto seen = opaque(p->read(target, 8, 8));
    for (uint32_t i = 0; i < 64; i++) EXPECT_EQ(seen[i], colors[(i % 8 / 2 + shift) % 4]) << by << ' ' << i;
  }
  p->fn.pfnSetTexture(p->dev(), 0, nullptr);
  p->fn.pfnSetTexture(p->dev(), 1, nullptr);
}

TEST_F(UmdPixels, FogCountsWWhereTheProjectionDoes) {  // XSTATE-8
  if (!has(AEROGPU_EXT_FEATURE_HI_STATES)) GTEST_SKIP();
  HANDLE target = p->bindTarget(4, 4);
  const auto bits = [](float value) {
    uint32_t out;
    memcpy(&out, &value, sizeof out);
    return out;
  };
  p->state(28, 1);           // FOGENABLE
  p->state(34, 0xFF0000FF);  // FOGCOLOR
  p->state(35, 3);           // FOGTABLEMODE linear
  p->state(36, bits(0));
  p->state(37, bits(10));
  auto vertices = quad(0, 0, 4, 4, 4, 4, kRed);
  for (Vertex &vertex : vertices)
    for (float *value : {&vertex.x, &vertex.y, &vertex.z, &vertex.w}) *value *= 5;  // w 5, z / w 0.5
  const auto drawn = [&](D3DDDIARG_WINFO info) {
    p->fn.pfnUpdateWInfo(p->dev(), &info);
    p->clear(kBlack);
    drawQuad(vertices);
    return opaque(p->read(target, 4, 4))[5];
  };
  const auto near = [](uint32_t color, int red, int blue) {
    return std::abs(static_cast<int>(color >> 16 & 255) - red) <= 1 &&
           std::abs(static_cast<int>(color & 255) - blue) <= 1;
  };
  const uint32_t byDepth = drawn({1, 1}), byW = drawn({1, 100});
  EXPECT_TRUE(near(byDepth, 242, 13)) << std::hex << byDepth;  // 0.5 of 10
  EXPECT_TRUE(near(byW, 128, 128)) << std::hex << byW;         // 5 of 10
}

// D3DPMISCCAPS_POSTBLENDSRGBCONVERT: blending is linear, and what it gives is converted.
TEST_F(UmdPixels, BlendingIsBeforeTheConversionToSrgb) {
  HANDLE target = p->bindTarget(4, 4, D3DDDIFMT_A8R8G8B8);
  p->clear(0xFF404040);
  constexpr uint32_t kOne = 2;
  p->state(27, 1);                               // ALPHABLENDENABLE
  p->state(19, kOne);                            // SRCBLEND
  p->state(20, kOne);                            // DESTBLEND
  p->state(194, 1);                              // SRGBWRITEENABLE
  drawQuad(quad(0, 0, 4, 4, 4, 4, 0xFF333333));  // 0.2, linear
  p->state(194, 0);
  p->state(27, 0);
  const auto decode = [](double value) {
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  const auto encode = [](double value) {
    return value <= 0.0031308 ? value * 12.92 : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
  };
  const double want = 255 * encode(decode(0x40 / 255.0) + 0x33 / 255.0);
  EXPECT_NEAR(p->read(target, 4, 4, D3DDDIFMT_A8R8G8B8)[5] & 255, want, 1.5);
}

// Page "D3DDECLUSAGE": a fog factor in the vertices of a screen, and without one the alpha of the specular colour.
TEST_F(UmdPixels, VerticesOfAScreenMayHaveTheirFog) {
  struct Screen {
    float x, y, z, rhw;
    uint32_t diffuse, specular;
    float fog;
  };
  constexpr BYTE kFloat1 = 0, kFloat4 = 3, kColor = 4, kTransformed = 9, kDiffuse = 10, kFog = 11;
  HANDLE declarations[2] = {
      p->declaration(
          {{0, 0, kFloat4, 0, kTransformed, 0}, {0, 16, kColor, 0, kDiffuse, 0}, {0, 20, kColor, 0, kDiffuse, 1}}),
      p->declaration({{0, 0, kFloat4, 0, kTransformed, 0},
                      {0, 16, kColor, 0, kDiffuse, 0},
                      {0, 20, kColor, 0, kDiffuse, 1},
                      {0, 24, kFloat1, 0, kFog, 0}})};
  std::vector<Screen> vertices;
  for (const auto &[x, y] : {std::pair{0.f, 0.f}, {8.f, 0.f}, {0.f, 8.f}})
    vertices.push_back({x - 0.5f, y - 0.5f, 0.5f, 1, kRed, 0xC0000000, 0.25f});
  HANDLE buffer = p->buffer(static_cast<uint32_t>(vertices.size() * sizeof vertices[0]), vertices.data());
  HANDLE target = p->bindTarget(4, 4);
  p->state(28, 1);      // FOGENABLE
  p->state(34, kBlue);  // FOGCOLOR
  p->fn.pfnSetVertexShaderFunc(p->dev(), nullptr);
  p->stream(buffer, sizeof vertices[0]);
  for (const int own : {0, 1}) {
    p->fn.pfnSetVertexShaderDecl(p->dev(), declarations[own]);
    p->clear(kBlack);
    EXPECT_EQ(p->draw(D3DPT_TRIANGLELIST, 1), 0);
    const uint32_t seen = p->read(target, 4, 4)[5];
    const double factor = own ? 0.25 : 0xC0 / 255.0;  // 1 is no fog
    EXPECT_NEAR(seen >> 16 & 255, 255 * factor, 1.5) << own;
    EXPECT_NEAR(seen & 255, 255 * (1 - factor), 1.5) << own;
  }
  p->state(28, 0);
  p->stream(nullptr, 0);
  p->destroy(buffer);
}

// Page "D3DRENDERSTATETYPE" of Direct3D 8: D3DRS_ZBIAS is 0 to 16, and polygons with a higher one appear in front of
// coplanar ones. The step is 1 / 65535, so that it is enough for every depth format.
TEST_F(UmdPixels, ABiasOfDirect3d8BringsPolygonsToTheFront) {
  constexpr uint32_t kZBias = 47, kDepthBias = 195;
  constexpr float kStep = 1.0f / 65535;
  HANDLE target = p->bindTarget(8, 1);
  p->state(7, 1);   // ZENABLE
  p->state(14, 0);  // ZWRITEENABLE
  p->state(23, 2);  // ZFUNC less
  struct Case {
    uint32_t zBias;
    float depthBias;
    int steps;  // by which the polygon moves to the front
  };
  constexpr Case kCases[] = {{0, 0, 0},   {1, 0, 1},          {2, 0, 2},         {16, 0, 16},
                             {40, 0, 16}, {1, -3 * kStep, 4}, {5, 2 * kStep, 3}, {0, -2 * kStep, 2}};
  for (const D3DDDIFORMAT format : {D3DDDIFMT_D16, D3DDDIFMT_D24X8, D3DDDIFMT_D24S8}) {
    HANDLE depth = p->resource(format, 8, 1, Program::depth());
    const D3DDDIARG_SETDEPTHSTENCIL set = {depth};
    p->fn.pfnSetDepthStencil(p->dev(), &set);
    for (const Case &one : kCases) {
      uint32_t bits;
      memcpy(&bits, &one.depthBias, sizeof bits);
      p->clear(kBlack, 3, {}, 16384 * kStep);
      p->state(kZBias, one.zBias);
      p->state(kDepthBias, bits);
      // Pixel x lies half a step, or x times 3 and a half, behind the depth that is there.
      for (uint32_t x = 0; x < 8; x++) {
        const float behind = static_cast<float>(x) * 3 + 0.5f;
        auto vertices = quad(static_cast<float>(x), 0, static_cast<float>(x + 1), 1, 8, 1, kRed);
        for (Vertex &vertex : vertices) vertex.z = (16384 + behind) * kStep;
        drawQuad(vertices);
      }
      const auto seen = opaque(p->read(target, 8, 1));
      for (int x = 0; x < 8; x++) {
        // With 16 bits the depth is rounded to a step, and half steps may go either way.
        if (format == D3DDDIFMT_D16 && std::abs(x * 3 + 0.5f - static_cast<float>(one.steps)) < 1) continue;
        EXPECT_EQ(seen[static_cast<size_t>(x)], x * 3 < one.steps ? kRed : kBlack)
            << format << ' ' << one.zBias << ' ' << one.depthBias << ' ' << x;
      }
    }
    p->fn.pfnSetDepthStencil(p->dev(), std::array{D3DDDIARG_SETDEPTHSTENCIL{}}.data());
  }
}

// Numbers of d3dtypes.h (Direct3D 7): the addressing of the first stage by its old names.
TEST_F(UmdPixels, OldAddressingStatesPlaceTexels) {
  HANDLE texture = p->resource(D3DDDIFMT_A8R8G8B8, 2, 1, Program::texture());
  p->write(texture, 0, 2, 1, {kRed, kGreen});
  p->fn.pfnSetTexture(p->dev(), 0, texture);
  p->fn.pfnSetPixelShader(p->dev(), textured);
  HANDLE target = p->bindTarget(8, 1);
  constexpr uint32_t kWrap = 1, kMirror = 2, kClamp = 3, kBorder = 4;
  p->state(43, kBlue);  // BORDERCOLOR
  // Texel centres from -3 on: texel x - 3 of the two.
  const auto texel = [&](uint32_t address, int at) {
    switch (address) {
    case kWrap:
      return at & 1 ? kGreen : kRed;
    case kMirror:
      return (at < 0 ? -1 - at : at) % 4 == 1 || (at < 0 ? -1 - at : at) % 4 == 2 ? kGreen : kRed;
    case kClamp:
      return at < 1 ? kRed : kGreen;
    default:
      return at == 0 ? kRed : at == 1 ? kGreen : kBlue;
    }
  };
  const auto expect = [&](uint32_t address, const char *by) {
    p->clear(kWhite);
    drawQuad(quad(0, 0, 8, 1, 8, 1, 0, -1.5f, 0, 2.5f, 1));
    const auto seen = opaque(p->read(target, 8, 1));
    for (int x = 0; x < 8; x++)
      EXPECT_EQ(seen[static_cast<size_t>(x)], texel(address, x - 3)) << by << ' ' << address << ' ' << x;
  };
  for (const uint32_t address : {kClamp, kWrap, kMirror, kBorder}) {
    p->state(3, address);
    expect(address, "TEXTUREADDRESS");
    p->state(44, kClamp);
    expect(kClamp, "TEXTUREADDRESSU");
    p->stage(0, static_cast<D3DDDITEXTURESTAGESTATETYPE>(12), address);
    expect(address, "D3DTSS_ADDRESS");
  }
  p->fn.pfnSetTexture(p->dev(), 0, nullptr);
}

// Page "Converting the Direct3D Fixed-Function State": the runtime leaves D3DTSS_TEXCOORDINDEX to the driver where
// vertices come in screen space. Two textures are sampled; each row of the target has another pair of indices.
TEST_F(UmdPixels, StagesReadTheCoordinatesThatTheyName) {
  struct Point {
    float x, y, z, rhw, u[3];  // sets 0, 1 and 2: one number each
  };
  constexpr BYTE kFloat1 = 0, kFloat4 = 3, kTransformed = 9, kCoordinates = 5;
  HANDLE points = p->declaration({{0, 0, kFloat4, 0, kTransformed, 0},
                                  {0, 16, kFloat1, 0, kCoordinates, 0},
                                  {0, 20, kFloat1, 0, kCoordinates, 1},
                                  {0, 24, kFloat1, 0, kCoordinates, 2}});
  p->fn.pfnSetVertexShaderDecl(p->dev(), points);
  HANDLE reds = p->resource(D3DDDIFMT_A8R8G8B8, 4, 1, Program::texture()),
         blues = p->resource(D3DDDIFMT_A8R8G8B8, 4, 1, Program::texture());
  p->write(reds, 0, 4, 1, {0xFF000000, 0xFF400000, 0xFF800000, 0xFFC00000});
  p->write(blues, 0, 4, 1, {0xFF000000, 0xFF000040, 0xFF000080, 0xFF0000C0});
  p->fn.pfnSetTexture(p->dev(), 0, reds);
  p->fn.pfnSetTexture(p->dev(), 1, blues);
  HANDLE two = p->shader(false, assemble("ps_2_0\ndcl t0.xy\ndcl t1.xy\ndcl_2d s0\ndcl_2d s1\ntexld r0, t0, s0\n"
                                         "texld r1, t1, s1\nadd r0, r0, r1\nmov oC0, r0\n")
                                    .tokens),
         three = p->shader(false, assemble("ps_3_0\ndcl_texcoord0 v0.xy\ndcl_texcoord1 v1.xy\ndcl_2d s0\ndcl_2d s1\n"
                                           "texld r0, v0, s0\ntexld r1, v1, s1\nadd r0, r0, r1\nmov oC0, r0\n")
                                      .tokens);
  HANDLE target = p->bindTarget(4, 4);
  // Set n is n + 1 texels from the left: 0.375, 0.625, 0.875.
  const auto corner = [](float x, float y) { return Point{x - 0.5f, y - 0.5f, 0.5f, 1, {0.375f, 0.625f, 0.875f}}; };
  const Point whole[] = {corner(0, 0), corner(4, 0), corner(0, 4), corner(4, 4)};
  HANDLE buffer = p->buffer(sizeof whole, whole);
  p->stream(buffer, sizeof(Point));
  const auto drawn = [&] {
    p->clear(kWhite);
    EXPECT_EQ(p->draw(D3DPT_TRIANGLESTRIP, 2), 0);
    return opaque(p->read(target, 4, 4))[5];
  };
  const auto color = [](uint32_t first, uint32_t second) { return 0xFF000000 | (first + 1) << 22 | (second + 1) << 6; };
  p->fn.pfnSetPixelShader(p->dev(), two);
  EXPECT_EQ(drawn(), color(0, 1)) << "each stage has its own";
  // All pairs, so that shaders are made, found and replaced; the bits above the number do not count.
  for (uint32_t round = 0; round < 2; round++)
    for (uint32_t first = 0; first < 3; first++)
      for (uint32_t second = 0; second < 3; second++) {
        p->stage(0, D3DDDITSS_TEXCOORDINDEX, first | round << 16);
        p->stage(1, D3DDDITSS_TEXCOORDINDEX, second);
        EXPECT_EQ(drawn(), color(first, second)) << first << ' ' << second;
      }
  p->fn.pfnSetPixelShader(p->dev(), three);
  EXPECT_EQ(drawn(), color(0, 1)) << "model 3 names its inputs";
  p->stream(nullptr, 0);
  p->fn.pfnSetTexture(p->dev(), 0, nullptr);
  p->fn.pfnSetTexture(p->dev(), 1, nullptr);
}

// Page "D3DDDIRENDERSTATETYPE", COLORKEYENABLE: with a key, texels of that colour are not drawn. The key is in the
// format of the texture; its alpha counts where the format has one.
TEST_F(DirectDrawPixels, TexelsOfTheKeyAreNotDrawn) {
  constexpr uint32_t kColorKeyEnable = 41;
  HANDLE target = p->bindTarget(4, 1);
  p->fn.pfnSetPixelShader(p->dev(), textured);
  struct Case {
    D3DDDIFORMAT format;
    uint32_t bytes, key;
    uint32_t texels[4];
    uint32_t colors[4];
    bool isDrawn[4];
  };
  constexpr Case kCases[] = {
      {D3DDDIFMT_X8R8G8B8,
       4,
       0x77FF00FF,
       {0x00FF00FF, 0xFFFE00FF, 0xFFFF00FF, 0x0000FF00},
       {0, 0xFFFE00FF, 0, kGreen},
       {false, true, false, true}},
      {D3DDDIFMT_A8R8G8B8,
       4,
       0xFF0000FF,
       {0xFF0000FF, 0xFE0000FF, 0xFF0000FE, 0xFF0100FF},
       {0, kBlue, 0xFF0000FE, 0xFF0100FF},
       {false, true, true, true}},
      {D3DDDIFMT_R5G6B5,
       2,
       0xF81F,
       {0xF81F, 0xF83F, 0xF81E, 0x07E0},
       {0, 0xFFFF04FF, 0xFFFF00F7, kGreen},
       {false, true, true, true}},
  };
  const auto write = [&](HANDLE texture, const Case &one) {
    D3DDDIARG_LOCK lock = {};
    lock.hResource = texture;
    ASSERT_EQ(p->fn.pfnLock(p->dev(), &lock), 0);
    for (uint32_t i = 0; i < 4; i++)
      memcpy(static_cast<uint8_t *>(lock.pSurfData) + size_t{i} * one.bytes, &one.texels[i], one.bytes);
    p->unlock(texture);
  };
  const auto expect = [&](const Case &one, bool keyed, const char *when) {
    p->clear(kWhite);
    drawQuad(quad(0, 0, 4, 1, 4, 1, 0));
    const auto seen = opaque(p->read(target, 4, 1));
    for (uint32_t x = 0; x < 4; x++) {
      if (!keyed && !one.isDrawn[x]) {
        EXPECT_NE(seen[x], kWhite) << when << ' ' << x;
        continue;
      }
      const uint32_t wanted = one.isDrawn[x] ? one.colors[x] : kWhite;
      for (const int shift : {0, 8, 16})
        EXPECT_NEAR(static_cast<int>(seen[x] >> shift & 255), static_cast<int>(wanted >> shift & 255), 1)
            << when << ' ' << x;
    }
  };
  for (const Case &one : kCases) {
    SCOPED_TRACE(one.format);
    HANDLE texture = p->resource(one.format, 4, 1, Program::texture());
    write(texture, one);
    p->fn.pfnSetTexture(p->dev(), 0, texture);
    p->state(kColorKeyEnable, 1);
    p->stage(0, D3DDDITSS_DISABLETEXTURECOLORKEY, 1);
    expect(one, false, "no key");
    p->stage(0, D3DDDITSS_TEXTURECOLORKEYVAL, one.key);
    expect(one, true, "a key");
    p->stage(0, D3DDDITSS_DISABLETEXTURECOLORKEY, 1);
    expect(one, false, "turned off for the stage");
    p->stage(0, D3DDDITSS_DISABLETEXTURECOLORKEY, 0);
    expect(one, true, "and on again");
    p->state(kColorKeyEnable, 0);
    expect(one, false, "turned off for all");
    p->fn.pfnSetTexture(p->dev(), 0, nullptr);
    p->destroy(texture);
  }
}

// Each stage has a key of its own, whatever the shader does with its samples; a shader can be destroyed and replaced.
TEST_F(DirectDrawPixels, StagesHaveKeysOfTheirOwn) {
  HANDLE target = p->bindTarget(4, 4);
  HANDLE columns = p->resource(D3DDDIFMT_X8R8G8B8, 4, 1, Program::texture()),
         rows = p->resource(D3DDDIFMT_R5G6B5, 1, 4, Program::texture());
  p->write(columns, 0, 4, 1, {0x100000, 0x200000, 0x300000, 0x400000});
  const uint16_t greens[] = {0x0040, 0x0080, 0x00C0, 0x0100};  // 2, 4, 6, 8 of 63
  D3DDDIARG_LOCK lock = {};
  lock.hResource = rows;
  ASSERT_EQ(p->fn.pfnLock(p->dev(), &lock), 0);
  for (uint32_t y = 0; y < 4; y++) memcpy(static_cast<uint8_t *>(lock.pSurfData) + y * lock.Pitch, &greens[y], 2);
  p->unlock(rows);
  p->fn.pfnSetTexture(p->dev(), 0, columns);
  p->fn.pfnSetTexture(p->dev(), 3, rows);
  p->state(41, 1);
  for (uint32_t round = 0; round < 20; round++) {  // more shaders than are kept
    HANDLE sum = p->shader(false, assemble("ps_2_0\ndef c31, 0, 0, 0, 1\ndcl t0.xy\ndcl_2d s0\ndcl_2d s3\n"
                                           "texld r0, t0, s0\ntexld r2, t0, s3\nadd r0, r0, r2\nmov r0.w, c31.w\n"
                                           "mov oC0, r0\n")
                                      .tokens);
    p->fn.pfnSetPixelShader(p->dev(), sum);
    const uint32_t column = round % 4, row = round / 4 % 4;
    p->stage(0, D3DDDITSS_TEXTURECOLORKEYVAL, (column + 1) * 0x100000);
    p->stage(3, D3DDDITSS_TEXTURECOLORKEYVAL, greens[row]);
    p->clear(kWhite);
    drawQuad(quad(0, 0, 4, 4, 4, 4, 0));
    const auto seen = opaque(p->read(target, 4, 4));
    for (uint32_t y = 0; y < 4; y++)
      for (uint32_t x = 0; x < 4; x++) {
        const bool isKey = x == column || y == row;
        const uint32_t wanted = isKey ? kWhite : 0xFF000000u | (x + 1) << 20 | (y + 1) * 2 * 255 / 63 << 8;
        for (const int shift : {0, 8, 16})
          EXPECT_NEAR(static_cast<int>(seen[y * 4 + x] >> shift & 255), static_cast<int>(wanted >> shift & 255), 1)
              << round << ": " << x << ' ' << y;
      }
    p->fn.pfnSetPixelShader(p->dev(), nullptr);
    EXPECT_EQ(p->fn.pfnDeletePixelShader(p->dev(), sum), 0);
  }
  p->fn.pfnSetTexture(p->dev(), 0, nullptr);
  p->fn.pfnSetTexture(p->dev(), 3, nullptr);
}

TEST_F(UmdPixels, ABufferThatIsRewrittenWholeIsWhatEachDrawReads) {
  HANDLE target = p->bindTarget(16, 4);
  p->clear(kBlack);
  constexpr uint32_t kVertices = 3000;  // more than packets carry well
  HANDLE buffer = p->buffer(kVertices * sizeof(Vertex), nullptr, Program::vertices() | Program::dynamic());
  p->stream(buffer, sizeof(Vertex));
  D3DDDI_LOCKFLAGS discard = {}, promise = {};
  discard.Discard = 1;
  promise.NoOverwrite = 1;
  const uint32_t colors[] = {kRed, kGreen, kBlue, kWhite};
  for (uint32_t i = 0; i < 4; i++) {
    std::vector<Vertex> all(kVertices);
    const auto corners = quad(static_cast<float>(i * 4), 0, static_cast<float>(i * 4 + 2), 4, 16, 4, colors[i]);
    std::copy(corners.begin(), corners.end(), all.end() - 6);
    p->fill(buffer, 0, static_cast<uint32_t>(all.size() * sizeof(Vertex)), all.data(), discard.Value);
    EXPECT_EQ(p->draw(D3DPT_TRIANGLELIST, 2, kVertices - 6), 0);
    // The rest is written where no draw reads, with D3DLOCK_NOOVERWRITE.
    const auto others = quad(static_cast<float>(i * 4 + 2), 0, static_cast<float>(i * 4 + 4), 2, 16, 4, colors[3 - i]);
    std::vector<Vertex> part(1500);
    std::copy(others.begin(), others.end(), part.begin());
    p->fill(buffer, 0, static_cast<uint32_t>(part.size() * sizeof(Vertex)), part.data(), promise.Value);
    EXPECT_EQ(p->draw(D3DPT_TRIANGLELIST, 2, 0), 0);
    if (i == 1) p->flush();
  }
  const auto seen = opaque(p->read(target, 16, 4));
  for (uint32_t y = 0; y < 4; y++)
    for (uint32_t x = 0; x < 16; x++) {
      const uint32_t want = x % 4 < 2 ? colors[x / 4] : y < 2 ? colors[3 - x / 4] : kBlack;
      EXPECT_EQ(seen[y * 16 + x], want) << x << ' ' << y;
    }
}

TEST_F(UmdPixels, GarbageIsNoErrorOfTheDevices) {
  for (uint32_t seed = 1; seed <= 40; seed++) {
    SCOPED_TRACE(seed);
    callAtRandom(*p, seed, 1500);
    EXPECT_EQ(rt->gpuErrors, 0u);
  }
}

}  // namespace
}  // namespace aero::test
