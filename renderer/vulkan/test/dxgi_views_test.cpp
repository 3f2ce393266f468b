// SPDX-License-Identifier: MIT
// Views of Direct3D 10's formats (docs/abi/d3d10-formats.md): typeless textures as each format of their
// family, depth and stencil that shaders read, mips and layers; copies within families.
#include <random>

#include "renderer/test/seeds.h"
#include "renderer/vulkan/test/dxgi_fixture.h"

namespace aerogpu::test {
namespace {

struct Family {
  aerogpu_format typeless;
  uint32_t first, last;  ///< DXGI_FORMATs
};
constexpr Family kFamilies[] = {
    {AEROGPU_FORMAT_DXGI_R32G32B32A32_TYPELESS, 2, 4}, {AEROGPU_FORMAT_DXGI_R16G16B16A16_TYPELESS, 10, 14},
    {AEROGPU_FORMAT_DXGI_R32G32_TYPELESS, 16, 18},     {AEROGPU_FORMAT_DXGI_R10G10B10A2_TYPELESS, 24, 25},
    {AEROGPU_FORMAT_DXGI_R8G8B8A8_TYPELESS, 28, 32},   {AEROGPU_FORMAT_DXGI_R16G16_TYPELESS, 34, 38},
    {AEROGPU_FORMAT_DXGI_R32_TYPELESS, 41, 43},        {AEROGPU_FORMAT_DXGI_R8G8_TYPELESS, 49, 52},
    {AEROGPU_FORMAT_DXGI_R16_TYPELESS, 54, 59},        {AEROGPU_FORMAT_DXGI_R8_TYPELESS, 61, 65},
    {AEROGPU_FORMAT_DXGI_B8G8R8A8_TYPELESS, 87, 87},   {AEROGPU_FORMAT_DXGI_B8G8R8X8_TYPELESS, 88, 88}};

const Family* familyOf(const Spec& spec) {
  const uint32_t dxgi = uint32_t{spec.format} - 0x2000;
  for (const Family& family : kFamilies)
    if (dxgi >= family.first && dxgi <= family.last) return &family;
  return nullptr;
}

class DxgiViewsTest : public DxgiTest {
protected:
  void copy(CommandWriter& w, uint32_t to, uint32_t from) {
    aerogpu_cmd_copy_texture2d c{};
    c.dst_texture = to;
    c.src_texture = from;
    c.width = c.height = kSide;
    w.packet(c);
  }
  uint32_t depthTexture(CommandWriter& w, aerogpu_format format) {
    return texture(w, format, kSide, kSide, 1, 1,
                   AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
  }
};

// DXF-7: read, drawn to and filled through a view of each format of the family.
TEST_F(DxgiViewsTest, TypelessTexturesShowTheirFamily) {
  std::mt19937 random(oracleSeed(21));
  uint32_t seen = 0;
  for (const Spec& spec : kDxgiSpecs) {
    const Family* family = familyOf(spec);
    if (!family || !can(family->typeless, AEROGPU_FORMAT_CAP_SAMPLE) ||
        !can(spec.format, AEROGPU_FORMAT_CAP_SAMPLE))
      continue;
    CommandWriter w;
    const uint32_t t = texture(w, family->typeless, kSide, kSide);
    const uint32_t v = view(w, t, spec.format);
    const Bytes bytes = dxgiTexels(spec, kSide * kSide, random);
    packets::upload(w, t, 0, bytes);
    run(w);
    const Numbers numbers = numbersOf(spec);
    const std::vector<Color> got = loaded(v, numbers);
    for (uint32_t i = 0; i < kSide * kSide; ++i) {
      const Color want = texelOf(spec, bytes.data() + size_t{i} * spec.bytes);
      for (size_t c = 0; c < 4; ++c)
        ASSERT_NEAR(got[i][c], want[c], tolerance(spec) * std::max(1.0, std::fabs(want[c])))
            << spec.name << " channel " << c << " of texel " << i;
    }
    const Color color = numbers == Numbers::Float ? Color{0.25, 0.5, 0.75, 1} : Color{1, 100, 7, 2};
    fill(w, v,
         {static_cast<float>(color[0]), static_cast<float>(color[1]), static_cast<float>(color[2]),
          static_cast<float>(color[3])});
    run(w);
    expectTexel(spec, read(t, spec.format, kSide, kSide), 9,
                numbers == Numbers::Sint && fieldsOf(spec)[0].bits == 2 ? got[0] : color, "filled");
    ++seen;
    if (!can(spec.format, AEROGPU_FORMAT_CAP_TARGET)) continue;
    target(w, v);
    const Color other = numbers == Numbers::Float ? Color{0.75, 0.25, 0.5, 0} : Color{2, 3, 4, 1};
    cover(w, constantPixels(numbers, other));
    run(w);
    expectTexel(spec, read(t, spec.format, kSide, kSide), 4, other, "drawn");
  }
  EXPECT_GE(seen, deviceIsBare() ? 24u : 38u);
}

// DXF-7: views of other families, and of typed textures as other formats than their own.
TEST_F(DxgiViewsTest, OtherFormatsAreRefused) {
  CommandWriter w;
  const uint32_t typeless = texture(w, AEROGPU_FORMAT_DXGI_R8G8B8A8_TYPELESS, kSide, kSide);
  const uint32_t typed = texture(w, AEROGPU_FORMAT_DXGI_R8G8B8A8_UNORM, kSide, kSide);
  const uint32_t depth = depthTexture(w, AEROGPU_FORMAT_DXGI_D32_FLOAT);
  run(w);
  const std::pair<uint32_t, aerogpu_format> cases[] = {
      {typeless, AEROGPU_FORMAT_DXGI_R16G16_UNORM},       {typed, AEROGPU_FORMAT_DXGI_R8G8B8A8_UINT},
      {typed, AEROGPU_FORMAT_DXGI_R8G8B8A8_SNORM},        {depth, AEROGPU_FORMAT_DXGI_R32_UINT},
      {depth, AEROGPU_FORMAT_DXGI_R24_UNORM_X8_TYPELESS}, {typed, AEROGPU_FORMAT_DXGI_X24_TYPELESS_G8_UINT}};
  for (const auto& [t, format] : cases) {
    view(w, t, format);
    EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << format;
  }
  texture(w, AEROGPU_FORMAT_DXGI_R24_UNORM_X8_TYPELESS, 4, 4);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "a format that only views have";
  gpu().takeErrorLines();
}

// DXF-9
TEST_F(DxgiViewsTest, CopiesWithinAFamily) {
  std::mt19937 random(oracleSeed(22));
  Bytes bytes(size_t{kSide} * kSide * 4);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  const aerogpu_format formats[] = {
      AEROGPU_FORMAT_DXGI_R8G8B8A8_TYPELESS, AEROGPU_FORMAT_DXGI_R8G8B8A8_UNORM_SRGB,
      AEROGPU_FORMAT_DXGI_R8G8B8A8_SINT, AEROGPU_FORMAT_R8G8B8A8_UNORM, AEROGPU_FORMAT_DXGI_R8G8B8A8_SNORM};
  CommandWriter w;
  for (const aerogpu_format from : formats)
    for (const aerogpu_format to : formats) {
      const uint32_t a = texture(w, from, kSide, kSide), b = texture(w, to, kSide, kSide);
      packets::upload(w, a, 0, bytes);
      copy(w, b, a);
      run(w);
      EXPECT_EQ(read(b, to, kSide, kSide), bytes) << from << " to " << to;
    }
  const uint32_t a = texture(w, AEROGPU_FORMAT_DXGI_R8G8B8A8_UINT, kSide, kSide);
  const uint32_t b = texture(w, AEROGPU_FORMAT_DXGI_R16G16_UINT, kSide, kSide);
  copy(w, b, a);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "another family";
  gpu().takeErrorLines();
}

// DXF-8
TEST_F(DxgiViewsTest, ShadersReadDepthAndStencil) {
  std::mt19937 random(oracleSeed(23));
  const struct {
    aerogpu_format texture, depth, stencil;
    uint32_t bits, bytes;
  } cases[] = {{AEROGPU_FORMAT_DXGI_D32_FLOAT, AEROGPU_FORMAT_DXGI_R32_FLOAT, AEROGPU_FORMAT_INVALID, 32, 4},
               {AEROGPU_FORMAT_DXGI_D16_UNORM, AEROGPU_FORMAT_DXGI_R16_UNORM, AEROGPU_FORMAT_INVALID, 16, 2},
               {AEROGPU_FORMAT_DXGI_D24_UNORM_S8_UINT, AEROGPU_FORMAT_DXGI_R24_UNORM_X8_TYPELESS,
                AEROGPU_FORMAT_DXGI_X24_TYPELESS_G8_UINT, 24, 4}};
  for (const auto& c : cases) {
    if (!can(c.depth, AEROGPU_FORMAT_CAP_SAMPLE)) continue;
    CommandWriter w;
    const uint32_t t = depthTexture(w, c.texture);
    Bytes bytes(size_t{kSide} * kSide * c.bytes);
    std::vector<double> depths;
    for (uint32_t i = 0; i < kSide * kSide; ++i) {
      uint32_t word = static_cast<uint32_t>(random());
      if (c.bits == 32) word = std::bit_cast<uint32_t>(static_cast<float>(word >> 8) / 16777216.0f);
      std::memcpy(bytes.data() + size_t{i} * c.bytes, &word, c.bytes);
      if (c.bits == 32)
        depths.push_back(static_cast<double>(std::bit_cast<float>(word)));
      else
        depths.push_back((word & ((1u << c.bits) - 1)) / (std::ldexp(1.0, static_cast<int>(c.bits)) - 1));
    }
    packets::upload(w, t, 0, bytes);
    const uint32_t v = view(w, t, c.depth);
    const uint32_t s = c.stencil ? view(w, t, c.stencil) : 0;
    run(w);
    const std::vector<Color> got = loaded(v, Numbers::Float);
    for (size_t i = 0; i < depths.size(); ++i) {
      ASSERT_NEAR(got[i][0], depths[i], 1e-7) << c.texture << " texel " << i;
      ASSERT_EQ((Color{0, got[i][1], got[i][2], got[i][3]}), (Color{0, 0, 0, 1}));
    }
    if (s) {
      const std::vector<Color> stencils = loaded(s, Numbers::Uint);
      for (size_t i = 0; i < depths.size(); ++i)
        ASSERT_EQ(stencils[i], (Color{0, static_cast<double>(bytes[i * 4 + 3]), 0, 1})) << i;
    }
    // As a target, then read again.
    aerogpu_cmd_ext_fill fill{};
    fill.texture = view(w, t, c.texture);
    fill.flags = AEROGPU_EXT_FILL_DEPTH | (s ? uint32_t{AEROGPU_EXT_FILL_STENCIL} : 0u);
    fill.depth_f32 = std::bit_cast<uint32_t>(0.5f);
    fill.stencil = 77;
    w.packet(fill);
    run(w);
    ASSERT_NEAR(loaded(v, Numbers::Float)[3][0], 0.5, 1.0 / 65535) << c.texture;
    if (s) {
      EXPECT_EQ(loaded(s, Numbers::Uint)[3][1], 77);
    }
    // Views for shaders are no targets.
    const uint32_t color = texture(w, kFloats, kSide, kSide);
    target(w, color, v);
    EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << c.texture;
    for (const uint32_t one : {v, s}) {
      if (!one) continue;
      target(w, one);
      cover(w, constantPixels(Numbers::Float, {1, 1, 1, 1}));
      EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_BACKEND}) << c.texture;
    }
    gpu().takeErrorLines();
    target(w, color);
    run(w);
  }
}

// DXF-10: a view's mips and layers, of an integer array and of its cube.
TEST_F(DxgiViewsTest, MipsAndLayers) {
  constexpr auto kFormat = AEROGPU_FORMAT_DXGI_R16G16_UINT;
  if (!can(kFormat, AEROGPU_FORMAT_CAP_TARGET)) GTEST_SKIP();
  CommandWriter w;
  const uint32_t t = texture(w, kFormat, kSide * 2, kSide * 2, 2, 6);
  for (uint32_t layer = 0; layer < 6; ++layer)
    for (uint32_t mip = 0; mip < 2; ++mip)
      fill(w, view(w, t, kFormat, mip, 1, layer), {static_cast<float>(100 * mip + layer), 7, 0, 0});
  const uint32_t some = view(w, t, kFormat, 1, 1, 2, 3);
  run(w);
  for (uint32_t layer = 0; layer < 6; ++layer) {
    EXPECT_EQ(loaded(t, Numbers::Uint, kTexture2dArray, layer, 1)[5][0], 100 + layer);
    EXPECT_EQ(loaded(t, Numbers::Uint, kTexture2dArray, layer, 0)[5][0], layer);
  }
  for (uint32_t layer = 0; layer < 3; ++layer)
    EXPECT_EQ(loaded(some, Numbers::Uint, kTexture2dArray, layer, 0)[5], (Color{102.0 + layer, 7, 0, 1}));
  aerogpu_cmd_ext_fill outside{};
  outside.texture = some;
  outside.flags = AEROGPU_EXT_FILL_COLOR;
  outside.mip_level = 1;
  w.packet(outside);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_OOB}) << "a mip that the view does not show";
  outside.mip_level = 0;
  outside.array_layer = 3;
  w.packet(outside);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_OOB}) << "a layer that the view does not show";
  gpu().takeErrorLines();
}

}  // namespace
}  // namespace aerogpu::test
