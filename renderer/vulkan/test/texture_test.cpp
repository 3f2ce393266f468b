// SPDX-License-Identifier: MIT
// Sampling: formats, filters, address modes, border, mip levels, sRGB, cube maps, views, render targets.
#include <cmath>

#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

class TextureTest : public DrawTest {
protected:
  void SetUp() override {
    DrawTest::SetUp();
    CommandWriter w;
    const uint32_t vs = shader(w, "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n");
    m_ps2d = shader(w, "ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n");
    m_psCube = shader(w, "ps_2_0\ndcl t0\ndcl_cube s0\ntexld r0, t0, s0\nmov oC0, r0\n");
    m_vsTex = vs;
    bindShaders(w, vs, m_ps2d);
    layout(w, {{0, 0, 2, 0, 0, 0}, {1, 0, 2, 0, 5, 0}});
    samplerState(w, 0, kAddressU, 3);
    samplerState(w, 0, kAddressV, 3);
    stream(w, 0, vertexBuffer(w, quad(0, 0, 8, 8, 0)), sizeof(Vertex));
    run(w);
  }
  /// Draws the whole target with texture coordinates from (u0, v0) to (u1, v1).
  void drawTextured(CommandWriter& w, uint32_t tex, float u0, float v0, float u1, float v1) {
    using C = std::array<float, 3>;
    stream(w, 1,
           vertexBuffer<C>(w, {{u0, v0, 0}, {u1, v0, 0}, {u0, v1, 0}, {u0, v1, 0}, {u1, v0, 0}, {u1, v1, 0}}),
           12);
    setTexture(w, 0, tex);
    draw(w, 6);
  }
  /// Makes a 4x1 texture of four greys, or one of 1x4.
  uint32_t greys(CommandWriter& w, bool down = false) {
    const uint32_t t = down ? texture(w, kBgra, 1, 4) : texture(w, kBgra, 4, 1);
    Bytes data;
    for (const uint8_t v : {uint8_t{0}, uint8_t{80}, uint8_t{160}, uint8_t{240}})
      data.insert(data.end(), {v, v, v, 255});
    packets::upload(w, t, 0, data);
    return t;
  }
  /// Makes a square depth texture that holds `depth` everywhere.
  uint32_t depthTexture(CommandWriter& w, uint32_t size, uint32_t layers, float depth) {
    const uint32_t d = texture(w, AEROGPU_FORMAT_D24_UNORM_S8_UINT, size, size, 1, layers,
                               AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL | AEROGPU_RESOURCE_USAGE_TEXTURE);
    for (uint32_t layer = 0; layer < layers; ++layer) {
      aerogpu_cmd_create_texture_view c{};
      c.view_handle = gpu().handle();
      c.texture_handle = d;
      c.format = AEROGPU_FORMAT_D24_UNORM_S8_UINT;
      c.base_array_layer = layer;
      c.mip_level_count = c.array_layer_count = 1;
      w.packet(c);
      target(w, 0, c.view_handle);
      viewport(w, 0, 0, static_cast<float>(size), static_cast<float>(size));
      Harness::clear(w, AEROGPU_CLEAR_DEPTH, 0, 0, 0, 0, depth);
    }
    target(w, m_target);
    viewport(w, 0, 0, kSize, kSize);
    return d;
  }

  uint32_t m_ps2d = 0, m_psCube = 0, m_vsTex = 0;
};

TEST_F(TextureTest, TexelsMapToPixels) {
  CommandWriter w;
  const uint32_t t = texture(w, kBgra, 8, 8);
  Bytes data(256);
  for (size_t i = 0; i < 256; ++i) data[i] = static_cast<uint8_t>(i * 37 + 11);
  packets::upload(w, t, 0, data);
  samplerState(w, 0, kMagFilter, 2);  // linear: shows an error in the least bit of a coordinate
  samplerState(w, 0, kMinFilter, 2);
  drawTextured(w, t, 0, 0, 1, 1);
  run(w);
  const Bytes got = result();
  for (size_t i = 0; i < 256; ++i) EXPECT_NEAR(got[i], data[i], 1) << i;
}

// ALLOC-14
TEST_F(TextureTest, SixteenBitAndBlockFormats) {
  if (deviceIsBare()) GTEST_SKIP() << "needs textureCompressionBC";
  CommandWriter w;
  const uint32_t c565 = texture(w, AEROGPU_FORMAT_B5G6R5_UNORM, 1, 1);
  const uint8_t bytes565[2] = {0x08, 0xFC};  // 11111 100000 01000: red, green, blue
  packets::upload(w, c565, 0, bytes565);
  drawTextured(w, c565, 0, 0, 1, 1);
  run(w);
  expectNear(result(0, 0), {66, 130, 255, 255}, 1, "565");  // 8/31, 32/63, 31/31
  const uint32_t c1555 = texture(w, AEROGPU_FORMAT_B5G5R5A1_UNORM, 1, 1);
  const uint8_t bytes1555[2] = {0x1F, 0x40};  // 0 10000 00000 11111
  packets::upload(w, c1555, 0, bytes1555);
  drawTextured(w, c1555, 0, 0, 1, 1);
  run(w);
  expectNear(result(0, 0), {255, 0, 132, 0}, 1, "1555");
  // BC1: end points red and blue (565), all texels index 0 but the last, which has index 1.
  const uint32_t bc1 = texture(w, AEROGPU_FORMAT_BC1_RGBA_UNORM, 4, 4, 1, 1, AEROGPU_RESOURCE_USAGE_TEXTURE);
  const uint8_t block[8] = {0x00, 0xF8, 0x1F, 0x00, 0, 0, 0, 0x40};
  packets::upload(w, bc1, 0, block);
  drawTextured(w, bc1, 0, 0, 1, 1);
  run(w);
  EXPECT_EQ(result(0, 0), (Pixel{0, 0, 255, 255}));
  EXPECT_EQ(result(7, 7), (Pixel{255, 0, 0, 255}));
}

// Four texels a pixel across and one down: a level for the four, or, with more samples across, one for the
// one.
TEST_F(TextureTest, AnisotropyTakesAFinerLevel) {
  if (deviceIsBare()) GTEST_SKIP() << "needs samplerAnisotropy";
  CommandWriter w;
  const uint32_t t = texture(w, kBgra, 32, 8, 3);
  Bytes bytes;
  for (const auto& [texels, color] : {std::pair{32 * 8, Pixel{0, 0, 255, 255}},
                                      {16 * 4, Pixel{0, 255, 0, 255}},
                                      {8 * 2, Pixel{255, 0, 0, 255}}})
    for (int i = 0; i < texels; ++i) bytes.insert(bytes.end(), color.begin(), color.end());
  packets::upload(w, t, 0, bytes);
  samplerState(w, 0, kMipFilter, 1);
  for (const auto& [filter, most, want] : {std::tuple{2u, 16u, Pixel{255, 0, 0, 255}},
                                           {3u, 16u, Pixel{0, 0, 255, 255}},
                                           {3u, 1u, Pixel{255, 0, 0, 255}}}) {
    samplerState(w, 0, kMinFilter, filter);
    samplerState(w, 0, kMaxAnisotropy, most);
    drawTextured(w, t, 0, 0, 1, 1);
    run(w);
    EXPECT_EQ(result(3, 3), want) << "D3DSAMP_MINFILTER " << filter << ", D3DSAMP_MAXANISOTROPY " << most;
  }
}

TEST_F(TextureTest, AddressModes) {
  if (deviceLacks("VK_KHR_sampler_mirror_clamp_to_edge") || deviceLacks("VK_EXT_custom_border_color"))
    GTEST_SKIP() << "needs mirrorClampToEdge and custom border colours";
  CommandWriter w;
  // Pixel x samples u = -1 + (x + 0.5) * 3 / 8: texel index floor(u * 4) = -4..7.
  const auto texel = [](uint32_t mode, int i) {
    switch (mode) {
      case 1:
        return ((i % 4) + 4) % 4;
      case 2: {
        const int m = ((i % 8) + 8) % 8;
        return m < 4 ? m : 7 - m;
      }
      case 3:
        return i < 0 ? 0 : i > 3 ? 3 : i;
      case 4:
        return i < 0 || i > 3 ? -1 : i;
      default: {
        const int m = i < 0 ? -1 - i : i;
        return m > 3 ? 3 : m;
      }
    }
  };
  for (const bool down : {false, true}) {
    const uint32_t t = greys(w, down);
    for (uint32_t mode = 1; mode <= 5; ++mode) {
      samplerState(w, 0, kAddressU, down ? 3 : mode);
      samplerState(w, 0, kAddressV, down ? mode : 3);
      samplerState(w, 0, kBorderColor, 0x40FF8000u);
      if (down)
        drawTextured(w, t, 0, -1, 1, 2);
      else
        drawTextured(w, t, -1, 0, 2, 1);
      run(w);
      const Bytes got = result();
      for (uint32_t x = 0; x < kSize; ++x) {
        const int i = texel(mode, static_cast<int>(std::floor((-1 + (x + 0.5) * 3 / 8) * 4)));
        const auto grey = static_cast<uint8_t>(i * 80);
        expectNear(down ? pixel(got, kSize, 4, x) : pixel(got, kSize, x, 4),
                   i < 0 ? Pixel{0, 0x80, 0xFF, 0x40} : Pixel{grey, grey, grey, 255}, 1,
                   std::string(down ? "v" : "u") + ", mode " + std::to_string(mode) + ", pixel " +
                       std::to_string(x));
      }
    }
  }
}

TEST_F(TextureTest, PointAndLinearFilters) {
  CommandWriter w;
  const uint32_t t = greys(w);
  // Each filter follows the other one, in the other direction too.
  for (const uint32_t filter : {1u, 2u, 1u}) {
    samplerState(w, 0, kMagFilter, filter);
    samplerState(w, 0, kMinFilter, 3 - filter);
    drawTextured(w, t, 0, 0, 1, 1);
    run(w);
    const Bytes got = result();
    for (uint32_t x = 0; x < kSize; ++x) {
      const double u = (x + 0.5) / 8 * 4 - 0.5;  // in texels
      const int i = static_cast<int>(std::floor(u));
      const double f = u - i, a = std::max(i, 0) * 80, b = std::min(i + 1, 3) * 80;
      const double want = filter == 1 ? std::floor(u + 0.5) * 80 : a * (1 - f) + b * f;
      EXPECT_NEAR(pixel(got, kSize, x, 0)[0], want, 1) << filter << " " << x;
    }
  }
  samplerState(w, 0, kAddressU, 1);
  for (const uint32_t filter : {1u, 2u, 1u}) {
    samplerState(w, 0, kMagFilter, 3 - filter);
    samplerState(w, 0, kMinFilter, filter);
    drawTextured(w, t, 0, 0, 3, 1);
    run(w);
    const Bytes got = result();
    for (uint32_t x = 0; x < kSize; ++x) {
      const double u = (x + 0.5) / 8 * 12;  // 12 texels on 8 pixels
      const int i = static_cast<int>(std::floor(u - 0.5));
      const double f = u - 0.5 - i, a = (i + 4) % 4 * 80, b = (i + 1) % 4 * 80;
      const double want = filter == 1 ? std::fmod(std::floor(u), 4) * 80 : a * (1 - f) + b * f;
      EXPECT_NEAR(pixel(got, kSize, x, 0)[0], want, 1) << "smaller, " << filter << " " << x;
    }
  }
}

TEST_F(TextureTest, MipLevels) {
  CommandWriter w;
  const uint32_t t = texture(w, kBgra, 32, 32, 6);
  // Level n is grey 40 * (n + 1).
  Bytes data;
  for (uint32_t mip = 0; mip < 6; ++mip)
    data.insert(data.end(), size_t{32u >> mip} * (32u >> mip) * 4, static_cast<uint8_t>(40 * (mip + 1)));
  packets::upload(w, t, 0, data);
  const auto sample = [&](float scale) {
    drawTextured(w, t, 0, 0, scale, scale);
    run(w);
    return +result(4, 4)[0];
  };
  // 32 texels on 8 pixels: level 2.
  samplerState(w, 0, kMipFilter, 0);
  EXPECT_EQ(sample(1), 40);
  samplerState(w, 0, kMaxMipLevel, 3);
  EXPECT_EQ(sample(1), 160);
  samplerState(w, 0, kMaxMipLevel, 0);
  samplerState(w, 0, kMipFilter, 1);
  EXPECT_EQ(sample(1), 120);
  EXPECT_EQ(sample(0.25f), 40);
  samplerState(w, 0, kMaxMipLevel, 1);
  EXPECT_EQ(sample(0.25f), 80);
  samplerState(w, 0, kMaxMipLevel, 0);
  samplerState(w, 0, kMipMapLodBias, std::bit_cast<uint32_t>(1.0f));
  EXPECT_EQ(sample(1), 160);
  samplerState(w, 0, kMipMapLodBias, std::bit_cast<uint32_t>(0.5f));
  samplerState(w, 0, kMipFilter, 2);
  EXPECT_NEAR(sample(1), 140, 2);
  samplerState(w, 0, kMipMapLodBias, 0);
  samplerState(w, 0, kMipFilter, 0);
  EXPECT_EQ(sample(1), 40);
}

/// The page "texldl": the level is the larger one, from the coordinate or D3DSAMP_MAXMIPLEVEL, not their sum.
// STATE-20
TEST_F(TextureTest, ExplicitLevelAndFinestLevel) {
  CommandWriter w;
  const uint32_t t = texture(w, kBgra, 8, 8, 4);
  Bytes data;
  for (uint32_t mip = 0; mip < 4; ++mip)
    data.insert(data.end(), size_t{8u >> mip} * (8u >> mip) * 4, static_cast<uint8_t>(40 * (mip + 1)));
  packets::upload(w, t, 0, data);
  const uint32_t vs = shader(w,
                             "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\n"
                             "mov o0, v0\nmov o1, v1\n");
  const uint32_t ps =
      shader(w,
             "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\nmov r0, v0\nmov r0.w, c0.x\ntexldl r0, r0, s0\n"
             "mov oC0, r0\n");
  bindShaders(w, vs, ps);
  samplerState(w, 0, kMipFilter, 1);
  for (const uint32_t minFilter : {1u, 2u})
    for (uint32_t finest = 0; finest < 4; ++finest)
      for (uint32_t level = 1; level < 4; ++level) {
        samplerState(w, 0, kMinFilter, minFilter);
        samplerState(w, 0, kMaxMipLevel, finest);
        constantsF(w, AEROGPU_SHADER_STAGE_PIXEL, 0, {{static_cast<float>(level), 0, 0, 0}});
        drawTextured(w, t, 0, 0, 1, 1);
        run(w);
        EXPECT_EQ(result(4, 4)[0], 40 * (std::max(level, finest) + 1)) << finest << " " << level;
      }
}

// STATE-20
TEST_F(TextureTest, SrgbRead) {
  CommandWriter w;
  const uint32_t plain = texture(w, kBgra, 1, 1),
                 typed = texture(w, AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, 1, 1);
  const uint8_t texel[4] = {188, 55, 10, 128};
  packets::upload(w, plain, 0, texel);
  packets::upload(w, typed, 0, texel);
  const auto decode = [](uint8_t b) {
    const float s = static_cast<float>(b) / 255;
    return unorm8(s <= 0.04045f ? s / 12.92f : std::pow((s + 0.055f) / 1.055f, 2.4f));
  };
  const Pixel want = {decode(188), decode(55), decode(10), 128};
  drawTextured(w, plain, 0, 0, 1, 1);
  run(w);
  EXPECT_EQ(result(0, 0), (Pixel{188, 55, 10, 128}));
  samplerState(w, 0, kSrgbTexture, 1);
  drawTextured(w, plain, 0, 0, 1, 1);
  run(w);
  expectNear(result(0, 0), want, 1);
  samplerState(w, 0, kSrgbTexture, 0);
  drawTextured(w, typed, 0, 0, 1, 1);
  run(w);
  expectNear(result(0, 0), want, 1);
}

// STATE-20: the shader decodes formats that no GPU has in sRGB, from the first draw after a change of state
// or texture.
TEST_F(TextureTest, SrgbReadBySampler) {
  CommandWriter w;
  const uint32_t t = texture(w, AEROGPU_FORMAT_B5G6R5_UNORM, 1, 1), other = texture(w, kBgra, 1, 1);
  const uint8_t small[2] = {0xF0, 0xAB},
                large[4] = {188, 55, 10, 128};  // 10101 011111 10000: red, green, blue
  packets::upload(w, t, 0, small);
  packets::upload(w, other, 0, large);
  const auto byte = [](double s, bool decode) {
    return static_cast<uint8_t>(std::lround(255 * (!decode        ? s
                                                   : s <= 0.04045 ? s / 12.92
                                                                  : std::pow((s + 0.055) / 1.055, 2.4))));
  };
  const auto expectColor = [&](bool decode, const char* when) {
    drawTextured(w, t, 0, 0, 1, 1);
    run(w);
    expectNear(result(0, 0), {byte(16 / 31.0, decode), byte(31 / 63.0, decode), byte(21 / 31.0, decode), 255},
               1, when);
  };
  expectColor(false, "linear");
  samplerState(w, 0, kSrgbTexture, 1);
  expectColor(true, "the state alone has changed");
  drawTextured(w, other, 0, 0, 1, 1);
  run(w);
  expectNear(result(0, 0), {byte(188 / 255.0, true), byte(55 / 255.0, true), byte(10 / 255.0, true), 128}, 1,
             "a texture that the GPU decodes");
  expectColor(true, "after another texture");
  samplerState(w, 0, kSrgbTexture, 0);
  expectColor(false, "linear again");
}

// DRAW-13
TEST_F(TextureTest, CubeFaces) {
  CommandWriter w;
  const uint32_t t = texture(w, kBgra, 2, 2, 1, 6);
  Bytes data;
  for (uint32_t face = 0; face < 6; ++face)
    data.insert(data.end(), 16, static_cast<uint8_t>(40 * (face + 1)));
  packets::upload(w, t, 0, data);
  bindShaders(w, m_vsTex, m_psCube);
  setTexture(w, 0, t);
  // D3DCUBEMAP_FACES: +x, -x, +y, -y, +z, -z.
  const std::array<float, 3> directions[6] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                              {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  for (uint32_t face = 0; face < 6; ++face) {
    stream(w, 1, vertexBuffer<std::array<float, 3>>(w, std::vector(6, directions[face])), 12);
    draw(w, 6);
    run(w);
    EXPECT_EQ(result(3, 3)[0], 40 * (face + 1)) << face;
  }
}

/// ps_1_x has no dcl: the kind of the bound texture decides what `tex` samples.
// SHADER-14
TEST_F(TextureTest, ModelsWithoutDeclarationsSampleWhatIsBound) {
  CommandWriter w;
  const uint32_t cube = texture(w, kBgra, 2, 2, 1, 6), plane = texture(w, kBgra, 2, 2);
  Bytes data;
  for (uint32_t face = 0; face < 6; ++face)
    data.insert(data.end(), 16, static_cast<uint8_t>(40 * (face + 1)));
  packets::upload(w, cube, 0, data);
  packets::upload(w, plane, 0, Bytes(16, 7));
  bindShaders(w, m_vsTex, shader(w, "ps_1_1\ntex t0\nmov r0, t0\n"));
  const auto sample = [&](uint32_t texture, std::array<float, 3> at) {
    setTexture(w, 0, texture);
    stream(w, 1, vertexBuffer<std::array<float, 3>>(w, std::vector(6, at)), 12);
    draw(w, 6);
    run(w);
    return +result(3, 3)[0];
  };
  EXPECT_EQ(sample(cube, {0, 0, -1}), 240);
  EXPECT_EQ(sample(plane, {0.5f, 0.5f, -1}), 7);
  EXPECT_EQ(sample(cube, {0, 1, 0}), 120) << "behind another kind";
  EXPECT_EQ(sample(0, {0, 1, 0}), 0) << "nothing bound: opaque black";
  EXPECT_EQ(sample(cube, {-1, 0, 0}), 80) << "behind nothing";
}

/// More variants of one shader than are kept: the one in use is never dropped.
TEST_F(TextureTest, VariantsOfAShaderAreBounded) {
  CommandWriter w;
  const uint32_t cube = texture(w, kBgra, 2, 2, 1, 6), plane = texture(w, kBgra, 2, 2);
  packets::upload(w, cube, 0, Bytes(96, 100));
  packets::upload(w, plane, 0, Bytes(16, 50));
  // ps_1_4 samples six textures: 64 combinations of kinds, and some with flat shading.
  std::string source = "ps_1_4\n";
  for (const char c : std::string("012345")) source += std::string("texld r") + c + ", t0\n";
  source += "add r0, r0, r1\nadd r0, r0, r2\nadd r0, r0, r3\nadd r0, r0, r4\nadd r0, r0, r5\n";
  bindShaders(w, m_vsTex, shader(w, source));
  stream(w, 1, vertexBuffer<std::array<float, 3>>(w, std::vector(6, std::array<float, 3>{0.5f, 0.5f, 1})),
         12);
  const std::pair<uint32_t, uint32_t> rounds[] = {{2, 64}, {1, 3}, {2, 3}};  // shading, kinds
  for (const auto& [shade, count] : rounds) {
    renderState(w, kShadeMode, shade);
    for (uint32_t kinds = 0; kinds < count; ++kinds) {
      int sum = 0;
      for (uint32_t slot = 0; slot < 6; ++slot) {
        setTexture(w, slot, kinds >> slot & 1 ? cube : plane);
        sum += kinds >> slot & 1 ? 100 : 50;
      }
      draw(w, 6);
      run(w);
      EXPECT_EQ(+result(3, 3)[0], std::min(sum, 255)) << kinds;
    }
  }
}

// STATE-21
TEST_F(TextureTest, UnboundReadsOpaqueBlack) {
  CommandWriter w;
  drawTextured(w, 0, 0, 0, 1, 1);
  run(w);
  EXPECT_EQ(result(2, 2), (Pixel{0, 0, 0, 255}));
}

// OBJ-9
TEST_F(TextureTest, RenderThenSampleAndMipChainByViews) {
  CommandWriter w;
  const uint32_t t = texture(w, kBgra, 8, 8, 4);
  // Fills level 0, then draws each level from the previous one through views of the same texture.
  target(w, t);
  clearColor(w, 1, 0.4f, 0.2f, 1);
  samplerState(w, 0, kMagFilter, 2);
  samplerState(w, 0, kMinFilter, 2);
  for (uint32_t mip = 1; mip < 4; ++mip) {
    std::array<uint32_t, 2> views;
    for (uint32_t i = 0; i < 2; ++i) {
      aerogpu_cmd_create_texture_view c{};
      c.view_handle = views[i] = gpu().handle();
      c.texture_handle = t;
      c.format = kBgra;
      c.base_mip_level = mip - 1 + i;
      c.mip_level_count = 1;
      c.array_layer_count = 1;
      w.packet(c);
    }
    target(w, views[1]);
    viewport(w, 0, 0, static_cast<float>(8 >> mip), static_cast<float>(8 >> mip));
    drawTextured(w, views[0], 0, 0, 1, 1);
  }
  run(w);
  for (uint32_t mip = 0; mip < 4; ++mip)
    expectNear(pixel(read(t, kBgra, 8 >> mip, 8 >> mip, mip), 8 >> mip, 0, 0), {51, 102, 255, 255}, 1,
               std::to_string(mip));
}

// COPY-7
TEST_F(TextureTest, UploadBetweenDrawsOfOneFrame) {
  CommandWriter w;
  const uint32_t t = texture(w, kBgra, 1, 1);
  for (uint32_t i = 0; i < 4; ++i) {
    const uint8_t texel[4] = {static_cast<uint8_t>(50 * (i + 1)), 0, 0, 255};
    packets::upload(w, t, 0, texel);
    stream(w, 0, vertexBuffer(w, quad(static_cast<float>(i) * 2, 0, static_cast<float>(i) * 2 + 2, 8, 0)),
           sizeof(Vertex));
    drawTextured(w, t, 0, 0, 1, 1);
  }
  run(w);
  const Bytes got = result();
  for (uint32_t x = 0; x < kSize; ++x) EXPECT_EQ(pixel(got, kSize, x, 2)[0], 50 * (x / 2 + 1)) << x;
}

// DRAW-14
TEST_F(TextureTest, DepthTextureCompares) {
  CommandWriter w;
  const uint32_t d = depthTexture(w, 4, 1, 0.5f);
  for (const float z : {0.25f, 0.75f}) {
    stream(w, 1, vertexBuffer<std::array<float, 3>>(w, std::vector(6, std::array<float, 3>{0.5f, 0.5f, z})),
           12);
    setTexture(w, 0, d);
    draw(w, 6);
    run(w);
    // The reference (z) is compared less-or-equal with the stored depth.
    EXPECT_EQ(result(4, 4)[0], z <= 0.5f ? 255 : 0) << z;
  }
}

/// "Hardware Shadow Maps" make no difference between vertex and pixel samplers.
// DRAW-14
TEST_F(TextureTest, DepthTextureComparesInAVertexShader) {
  CommandWriter w;
  const uint32_t d = depthTexture(w, 4, 1, 0.5f), color = texture(w, kBgra, 1, 1);
  packets::upload(w, color, 0, Bytes{10, 20, 30, 40});
  bindShaders(w,
              shader(w,
                     "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_2d s0\ndcl_position o0\ndcl_color o1\n"
                     "mov r0, v1\nmov r0.w, v1.x\nsub r0.w, r0.w, v1.x\nmov o0, v0\ntexldl o1, r0, s0\n"),
              shader(w, "ps_3_0\ndcl_color v0\nmov oC0, v0\n"));
  const auto sample = [&](uint32_t bound, float z) {
    setTexture(w, 0, bound, AEROGPU_SHADER_STAGE_VERTEX);
    stream(w, 1, vertexBuffer<std::array<float, 3>>(w, std::vector(6, std::array<float, 3>{0.5f, 0.5f, z})),
           12);
    draw(w, 6);
    run(w);
    return result(4, 4);
  };
  EXPECT_EQ(sample(d, 0.25f), (Pixel{255, 255, 255, 255}));
  EXPECT_EQ(sample(d, 0.75f), (Pixel{0, 0, 0, 0}));
  EXPECT_EQ(sample(color, 0.75f), (Pixel{10, 20, 30, 40})) << "behind a depth texture";
  EXPECT_EQ(sample(d, 0.25f), (Pixel{255, 255, 255, 255})) << "behind a colour texture";
}

/// A texture of another kind than the declared one is sampled as its own kind, with depth (third coordinate
/// 0) or without.
// STATE-21
TEST_F(TextureTest, ATextureOfAnotherKindIsSampledAsWhatItIs) {
  CommandWriter w;
  const uint32_t depth = depthTexture(w, 4, 1, 1.0f), depthCube = depthTexture(w, 4, 6, 1.0f),
                 color = texture(w, kBgra, 4, 4);
  packets::upload(w, color, 0, Bytes(64, 200));
  const uint32_t psVolume = shader(w, "ps_2_0\ndcl t0\ndcl_volume s0\ntexld r0, t0, s0\nmov oC0, r0\n");
  const auto sample = [&](uint32_t ps, uint32_t bound) {
    bindShaders(w, m_vsTex, ps);
    drawTextured(w, bound, 0, 0, 1, 1);
    run(w);
    return result(4, 4);
  };
  const Pixel black = {0, 0, 0, 255}, white = {255, 255, 255, 255}, bytes = {200, 200, 200, 200};
  EXPECT_EQ(sample(m_psCube, depth), white);
  EXPECT_EQ(sample(m_psCube, depthCube), white);
  EXPECT_EQ(sample(m_ps2d, depth), white);
  EXPECT_EQ(sample(m_psCube, color), bytes);
  EXPECT_EQ(sample(psVolume, 0), black);
  EXPECT_EQ(sample(psVolume, color), bytes);
  EXPECT_EQ(sample(psVolume, depth), white);
}

/// 0/0 as a coordinate, and too large ones: some texel, or the border, and nothing beyond the texture's
/// memory.
TEST_F(TextureTest, CoordinatesThatAreNoNumbers) {
  constexpr uint8_t kTexel = 200, kBorder = 0;
  CommandWriter w;
  const uint32_t plane = texture(w, kBgra, 4, 4), odd = texture(w, kBgra, 5, 3),
                 cube = texture(w, kBgra, 4, 4, 1, 6);
  packets::upload(w, plane, 0, Bytes(4 * 4 * 4, kTexel));
  packets::upload(w, odd, 0, Bytes(5 * 3 * 4, kTexel));
  packets::upload(w, cube, 0, Bytes(6 * 4 * 4 * 4, kTexel));
  const auto projecting = [&](const char* kind) {
    return shader(w, std::string("ps_2_0\ndcl_") + kind +
                         " s0\ndef c0, 0, 0, 0, 0\nmov r0, c0\ntexldp r0, r0, s0\nmov oC0, r0\n");
  };
  const std::pair<uint32_t, uint32_t> cases[] = {{projecting("2d"), plane},
                                                 {projecting("2d"), odd},
                                                 {projecting("cube"), cube},
                                                 {projecting("volume"), plane}};
  for (const auto& [ps, image] : cases) {
    bindShaders(w, m_vsTex, ps);
    for (const uint32_t filter : {1u, 2u}) {
      for (const uint32_t state : {kMagFilter, kMinFilter, kMipFilter}) samplerState(w, 0, state, filter);
      for (uint32_t mode = 1; mode <= 5; ++mode) {
        for (const uint32_t state : {kAddressU, kAddressV, kAddressW}) samplerState(w, 0, state, mode);
        drawTextured(w, image, 0, 0, 1, 1);
        run(w);
        const uint8_t got = result(4, 4)[0];
        EXPECT_TRUE(got == kTexel || (mode == 4 && got == kBorder))
            << +got << ", mode " << mode << ", filter " << filter;
      }
    }
  }
}

}  // namespace
}  // namespace aerogpu::test
