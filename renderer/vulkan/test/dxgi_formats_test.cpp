// SPDX-License-Identifier: MIT
// Direct3D 10's formats (docs/abi/d3d10-formats.md): what shaders of model 4 read from random texels, draw
// and clear, against a model written from DXGI_FORMAT's reference. Views: dxgi_views_test.cpp.
#include <cmath>
#include <random>

#include "renderer/test/seeds.h"
#include "renderer/vulkan/test/dxgi_fixture.h"

namespace aerogpu::test {
namespace {

class DxgiFormatsTest : public DxgiTest {};

// DXF-1, DXF-2, DXF-3
TEST_F(DxgiFormatsTest, LoadsReadTheChannels) {
  std::mt19937 random(oracleSeed(11));
  uint32_t compared = 0;
  for (const Spec& spec : kDxgiSpecs) {
    if (!can(spec.format, AEROGPU_FORMAT_CAP_SAMPLE)) continue;
    CommandWriter w;
    const uint32_t t = texture(w, spec.format, kSide, kSide);
    const Bytes bytes = dxgiTexels(spec, kSide * kSide, random);
    packets::upload(w, t, 0, bytes);
    run(w);
    EXPECT_EQ(read(t, spec.format, kSide, kSide), bytes) << spec.name;
    const std::vector<Color> got = loaded(t, numbersOf(spec));
    for (uint32_t i = 0; i < kSide * kSide; ++i) {
      const Color want = texelOf(spec, bytes.data() + size_t{i} * spec.bytes);
      for (size_t c = 0; c < 4; ++c)
        ASSERT_NEAR(got[i][c], want[c], tolerance(spec) * std::max(1.0, std::fabs(want[c])))
            << spec.name << " channel " << c << " of texel " << i;
    }
    ++compared;
  }
  EXPECT_GE(compared, deviceIsBare() ? 30u : std::size(kDxgiSpecs));
}

// DXF-2: R9G9B9E5 is three numbers of 9 bits, in steps of 2 to the power of the exponent less 24.
TEST_F(DxgiFormatsTest, SharedExponents) {
  constexpr auto kShared = AEROGPU_FORMAT_DXGI_R9G9B9E5_SHAREDEXP;
  if (!can(kShared, AEROGPU_FORMAT_CAP_SAMPLE)) GTEST_SKIP();
  std::mt19937 random(oracleSeed(12));
  std::vector<uint32_t> words(kSide * kSide);
  for (uint32_t& word : words) word = static_cast<uint32_t>(random());
  CommandWriter w;
  const uint32_t t = texture(w, kShared, kSide, kSide, 1, 1, AEROGPU_RESOURCE_USAGE_TEXTURE);
  Bytes bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  packets::upload(w, t, 0, bytes);
  run(w);
  const std::vector<Color> got = loaded(t, Numbers::Float);
  for (size_t i = 0; i < words.size(); ++i) {
    const int exponent = static_cast<int>(words[i] >> 27) - 24;
    for (uint32_t c = 0; c < 3; ++c)
      ASSERT_EQ(got[i][c], std::ldexp(words[i] >> (9 * c) & 511, exponent)) << i << " channel " << c;
    ASSERT_EQ(got[i][3], 1);
  }
  w.packet(aerogpu_cmd_ext_fill{.texture = t, .flags = AEROGPU_EXT_FILL_COLOR});
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "it is no target, and is not filled";
  gpu().takeErrorLines();
}

// DXF-2: blocks whose texels all use the first end point; of signed ones -128 and -127 are both -1.
TEST_F(DxgiFormatsTest, Blocks) {
  if (deviceIsBare()) GTEST_SKIP() << "needs textureCompressionBC";
  const auto one = [](uint8_t first) { return Bytes{first, 10, 0, 0, 0, 0, 0, 0}; };
  const auto two = [&](uint8_t first, uint8_t second) {
    Bytes out = one(first);
    const Bytes other = one(second);
    out.insert(out.end(), other.begin(), other.end());
    return out;
  };
  const struct {
    aerogpu_format format;
    Bytes block;
    Color color;
  } cases[] = {{AEROGPU_FORMAT_DXGI_BC4_UNORM, one(77), {77 / 255.0, 0, 0, 1}},
               {AEROGPU_FORMAT_DXGI_BC4_SNORM, one(0x81), {-1, 0, 0, 1}},
               {AEROGPU_FORMAT_DXGI_BC4_SNORM, one(100), {100 / 127.0, 0, 0, 1}},
               {AEROGPU_FORMAT_DXGI_BC5_UNORM, two(50, 180), {50 / 255.0, 180 / 255.0, 0, 1}},
               {AEROGPU_FORMAT_DXGI_BC5_SNORM, two(50, 0x9C), {50 / 127.0, -100 / 127.0, 0, 1}}};
  for (const auto& c : cases) {
    CommandWriter w;
    const uint32_t t = texture(w, c.format, kSide, kSide, 1, 1, AEROGPU_RESOURCE_USAGE_TEXTURE);
    Bytes bytes;
    for (uint32_t i = 0; i < kSide * kSide / 16; ++i)
      bytes.insert(bytes.end(), c.block.begin(), c.block.end());
    packets::upload(w, t, 0, bytes);
    run(w);
    for (const Color& got : loaded(t, Numbers::Float))
      for (size_t i = 0; i < 4; ++i)
        ASSERT_NEAR(got[i], c.color[i], 1.0 / 255) << c.format << " channel " << i;
  }
}

// DXF-4, CODE-9: pixel shaders write integers to integer targets, and floats to others.
TEST_F(DxgiFormatsTest, TargetsHoldWhatIsDrawn) {
  uint32_t drawn = 0;
  for (const Spec& spec : kDxgiSpecs) {
    if (!can(spec.format, AEROGPU_FORMAT_CAP_TARGET)) continue;
    const Numbers numbers = numbersOf(spec);
    const Color color = numbers == Numbers::Float  ? Color{0.3, 0.85, 0.15, 0.6}
                        : numbers == Numbers::Uint ? Color{3, 120, 1, 2}
                                                   : Color{-3, 120, -128, 1};
    CommandWriter w;
    const uint32_t t = texture(w, spec.format, kSide, kSide);
    target(w, t);
    cover(w, constantPixels(numbers, color));
    run(w);
    expectTexel(spec, read(t, spec.format, kSide, kSide), 3, color, "drawn");
    ++drawn;
  }
  EXPECT_GE(drawn, 20u);
}

/// Returns what a clear makes of a value for a channel: floats become integers as in a shader.
double cleared(const Field& f, float value) {
  if (f.kind != 'n' && f.kind != 'i') return static_cast<double>(value);
  const double most = std::ldexp(1.0, static_cast<int>(f.bits) - (f.kind == 'i')) - 1;
  if (std::isnan(value)) return 0;
  return std::clamp(std::trunc(static_cast<double>(value)), f.kind == 'i' ? -most - 1 : 0, most);
}

// DXF-5, BLIT-11
TEST_F(DxgiFormatsTest, ClearsConvert) {
  const std::array<float, 4> colors[] = {
      {3.7f, -2.9f, 300.5f, 1.99f}, {-1e9f, 5e9f, NAN, -0.75f}, {65535.f, -40000.f, 127.5f, 3.5f}};
  uint32_t clears = 0;
  for (const Spec& spec : kDxgiSpecs) {
    if (numbersOf(spec) == Numbers::Float || !can(spec.format, AEROGPU_FORMAT_CAP_TARGET)) continue;
    for (const auto& color : colors)
      for (const bool bound : {false, true}) {
        CommandWriter w;
        const uint32_t t = texture(w, spec.format, kSide, kSide);
        if (bound) {
          target(w, t);
          clearColor(w, color[0], color[1], color[2], color[3]);
        } else {
          fill(w, t, color);
        }
        run(w);
        const Bytes got = read(t, spec.format, kSide, kSide);
        for (const Field& f : fieldsOf(spec)) {
          const size_t c = std::string("RGBA").find(f.letter);
          EXPECT_EQ(valueOf(f, got.data() + size_t{7} * spec.bytes), cleared(f, color[c]))
              << spec.name << " " << f.letter << (bound ? ", bound" : ", filled") << " with " << color[c];
        }
        ++clears;
      }
  }
  EXPECT_GE(clears, 60u);
}

// DXF-5: other formats hold the nearest number that they have; small floats the next one towards zero.
TEST_F(DxgiFormatsTest, FillsOfColors) {
  for (const Spec& spec : kDxgiSpecs) {
    if (numbersOf(spec) != Numbers::Float || !can(spec.format, AEROGPU_FORMAT_CAP_SAMPLE)) continue;
    CommandWriter w;
    const uint32_t t = texture(w, spec.format, kSide, kSide);
    fill(w, t, {0.3f, 0.85f, 0.15f, 0.6f});
    run(w);
    expectTexel(spec, read(t, spec.format, kSide, kSide), 5, {0.3, 0.85, 0.15, 0.6}, "filled");
  }
}

// DXF-6: to shaders of Direct3D 9 nothing is bound.
TEST_F(DxgiFormatsTest, ShadersOfDirect3d9ReadNothing) {
  for (const aerogpu_format format : {AEROGPU_FORMAT_DXGI_R8G8B8A8_UNORM, AEROGPU_FORMAT_DXGI_R32_UINT}) {
    CommandWriter w;
    const uint32_t t = texture(w, format, kSide, kSide);
    packets::upload(w, t, 0, Bytes(size_t{kSide} * kSide * 4, 0x77));
    run(w);
    for (const Color& got : sampled(t, {0, 0, 0}, {1, 1, 0}, point()))
      ASSERT_EQ(got, (Color{0, 0, 0, 1})) << format;
  }
}

// DXF-3: a shader that reads other numbers than the texture has reads zeros.
TEST_F(DxgiFormatsTest, OtherNumbersReadZero) {
  for (const aerogpu_format format :
       {AEROGPU_FORMAT_DXGI_R32_UINT, AEROGPU_FORMAT_DXGI_R32_SINT, AEROGPU_FORMAT_DXGI_R32_FLOAT})
    for (const Numbers numbers : {Numbers::Float, Numbers::Uint, Numbers::Sint}) {
      const Numbers own = format == AEROGPU_FORMAT_DXGI_R32_UINT   ? Numbers::Uint
                          : format == AEROGPU_FORMAT_DXGI_R32_SINT ? Numbers::Sint
                                                                   : Numbers::Float;
      CommandWriter w;
      const uint32_t t = texture(w, format, kSide, kSide);
      packets::upload(w, t, 0, Bytes(size_t{kSide} * kSide * 4, 0x11));
      run(w);
      const std::vector<Color> got = loaded(t, numbers);
      if (numbers != own) {
        EXPECT_EQ(got[9], (Color{0, 0, 0, 0})) << format;
      } else {
        EXPECT_NE(got[9][0], 0) << format;
        EXPECT_EQ(got[9][3], 1) << format;
      }
    }
}

// DXF-2: weights of a filter at a quarter of the way between two texels.
TEST_F(DxgiFormatsTest, FiltersWeighWhatLoadsRead) {
  std::mt19937 random(oracleSeed(13));
  for (const Spec& spec : kDxgiSpecs) {
    if (!can(spec.format, AEROGPU_FORMAT_CAP_FILTER)) continue;
    CommandWriter w;
    const uint32_t t = texture(w, spec.format, 2, 1);
    const Bytes bytes = dxgiTexels(spec, 2, random);
    packets::upload(w, t, 0, bytes);
    run(w);
    const Color got = filtered(t, 0.375f);
    const Color a = texelOf(spec, bytes.data()), b = texelOf(spec, bytes.data() + spec.bytes);
    for (size_t c = 0; c < 4; ++c)
      EXPECT_NEAR(got[c], a[c] * 0.75 + b[c] * 0.25, std::max(std::fabs(a[c] - b[c]), 1.0) * 2.5 / 256)
          << spec.name << " channel " << c;
  }
}

// DXF-11, LAYOUT-3
TEST_F(DxgiFormatsTest, EntriesSayWhatVerticesMayHave) {
  for (const aerogpu_format_caps& entry : m_caps) {
    if (entry.format < 0x2000 || !(entry.caps & AEROGPU_FORMAT_CAP_VERTEX)) continue;
    CommandWriter w;
    dxbc::createLayout(w, gpu().handle(), {{0, 0, entry.format - 0x2000, 0, 0, 0}});
    run(w);
  }
  EXPECT_TRUE(can(AEROGPU_FORMAT_DXGI_R16G16B16A16_SINT, AEROGPU_FORMAT_CAP_VERTEX));
  for (const aerogpu_format format : {AEROGPU_FORMAT_DXGI_BC1_UNORM, AEROGPU_FORMAT_DXGI_R8_TYPELESS,
                                      AEROGPU_FORMAT_DXGI_R8G8B8A8_UNORM_SRGB, AEROGPU_FORMAT_DXGI_D32_FLOAT})
    EXPECT_FALSE(can(format, AEROGPU_FORMAT_CAP_VERTEX)) << format;
}

// DXF-1: what only conversions could do is refused.
TEST_F(DxgiFormatsTest, IntegersAreOnlyCopied) {
  CommandWriter w;
  const uint32_t a = texture(w, AEROGPU_FORMAT_DXGI_R8G8B8A8_UINT, 8, 8, 2);
  const uint32_t b = texture(w, AEROGPU_FORMAT_DXGI_R8G8B8A8_UINT, 8, 8);
  Bytes bytes(8 * 8 * 4);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7);
  packets::upload(w, a, 0, bytes);
  aerogpu_cmd_ext_blit blit{};
  blit.dst_texture = b;
  blit.src_texture = a;
  const aerogpu_ext_blit_rect same{{0, 0, 8, 8}, {0, 0, 8, 8}}, half{{0, 0, 4, 4}, {0, 0, 8, 8}};
  blit.rect_count = 1;
  w.packet(blit, &same, 1);
  run(w);
  EXPECT_EQ(read(b, AEROGPU_FORMAT_DXGI_R8G8B8A8_UINT, 8, 8), bytes);
  w.packet(blit, &half, 1);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  w.packet(aerogpu_cmd_ext_generate_mips{.texture = a});
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  gpu().takeErrorLines();
}

}  // namespace
}  // namespace aerogpu::test
