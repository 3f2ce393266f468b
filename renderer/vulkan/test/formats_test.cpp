// SPDX-License-Identifier: MIT
// Direct3D 9's formats (docs/abi/formats.md): samples of random texels, draws into them, their bytes, against
// a model written from the page D3DFORMAT and its table. Tolerances: a step of the GPU's fixed-point results
// if it has to convert, nothing for floats.
#include <cmath>
#include <cstring>
#include <random>

#include "renderer/core/format.h"
#include "renderer/test/seeds.h"
#include "renderer/vulkan/test/float_target.h"
#include "renderer/vulkan/test/texel_model.h"

namespace aerogpu::test {
namespace {

#define SPEC(NAME, BYTES, FIELDS, READS) \
  { AEROGPU_FORMAT_D3D9_##NAME, #NAME, BYTES, FIELDS, READS }
constexpr Spec kSpecs[] = {
    {AEROGPU_FORMAT_B8G8R8A8_UNORM, "A8R8G8B8", 4, "A8u R8u G8u B8u", "RGBA"},
    {AEROGPU_FORMAT_R8G8B8A8_UNORM, "A8B8G8R8", 4, "A8u B8u G8u R8u", "RGBA"},
    {AEROGPU_FORMAT_R8G8B8X8_UNORM, "X8B8G8R8", 4, "X8u B8u G8u R8u", "RGB1"},
    {AEROGPU_FORMAT_B5G5R5A1_UNORM, "A1R5G5B5", 2, "A1u R5u G5u B5u", "RGBA"},
    {AEROGPU_FORMAT_B8G8R8X8_UNORM, "X8R8G8B8", 4, "X8u R8u G8u B8u", "RGB1"},
    {AEROGPU_FORMAT_B5G6R5_UNORM, "R5G6B5", 2, "R5u G6u B5u", "RGB1"},
    SPEC(R8G8B8, 3, "R8u G8u B8u", "RGB1"),
    SPEC(X1R5G5B5, 2, "X1u R5u G5u B5u", "RGB1"),
    SPEC(A4R4G4B4, 2, "A4u R4u G4u B4u", "RGBA"),
    SPEC(X4R4G4B4, 2, "X4u R4u G4u B4u", "RGB1"),
    SPEC(A8, 1, "A8u", "000A"),
    SPEC(A2B10G10R10, 4, "A2u B10u G10u R10u", "RGBA"),
    SPEC(A2R10G10B10, 4, "A2u R10u G10u B10u", "RGBA"),
    SPEC(G16R16, 4, "G16u R16u", "RG11"),
    SPEC(A16B16G16R16, 8, "A16u B16u G16u R16u", "RGBA"),
    SPEC(L8, 1, "L8u", "LLL1"),
    SPEC(L16, 2, "L16u", "LLL1"),
    SPEC(A8L8, 2, "A8u L8u", "LLLA"),
    SPEC(A4L4, 1, "A4u L4u", "LLLA"),
    SPEC(V8U8, 2, "V8s U8s", "UV11"),
    SPEC(V16U16, 4, "V16s U16s", "UV11"),
    SPEC(L6V5U5, 2, "L6u V5t U5t", "UVL1"),
    SPEC(X8L8V8U8, 4, "X8u L8u V8s U8s", "UVL1"),
    SPEC(Q8W8V8U8, 4, "Q8s W8s V8s U8s", "UVWQ"),
    SPEC(A2W10V10U10, 4, "A2u W10s V10s U10s", "UVWA"),
    SPEC(Q16W16V16U16, 8, "Q16s W16s V16s U16s", "UVWQ"),
    SPEC(R16F, 2, "R16f", "R111"),
    SPEC(G16R16F, 4, "G16f R16f", "RG11"),
    SPEC(A16B16G16R16F, 8, "A16f B16f G16f R16f", "RGBA"),
    SPEC(R32F, 4, "R32f", "R111"),
    SPEC(G32R32F, 8, "G32f R32f", "RG11"),
    SPEC(A32B32G32R32F, 16, "A32f B32f G32f R32f", "RGBA"),
};
#undef SPEC

/// GPUs may widen a channel of few bits to eight, Vulkan's least precision of such formats.
double tolerance(const Spec& spec, size_t channel) {
  for (const Field& f : fieldsOf(spec))
    if (f.letter == spec.reads[channel] && (f.kind == 'f' || f.bits < 8))
      return f.kind == 'f' ? 1e-6 : f.kind == 'u' ? 1.0 / 255 : 1.0 / 40000;
  return 1.0 / 40000;
}

/// Random texels; floats are finite.
Bytes randomTexels(const Spec& spec, uint32_t texels, std::mt19937& random) {
  Bytes out(size_t{texels} * spec.bytes);
  for (uint8_t& b : out) b = static_cast<uint8_t>(random());
  for (const Field& f : fieldsOf(spec))
    for (uint32_t i = 0; f.kind == 'f' && i < texels; ++i) {
      uint8_t* high = out.data() + size_t{i} * spec.bytes + (f.first + f.bits) / 8 - 1;
      // Between 0.5 and 2, of either sign.
      *high = static_cast<uint8_t>(f.bits == 16 ? (*high & 0x83) | 0x38 : (*high & 0x80) | 0x3F);
    }
  // The least signed numbers, and all ones.
  for (uint32_t i = 0; i < std::min<uint32_t>(texels, 2); ++i) {
    bool real = false;
    for (const Field& f : fieldsOf(spec)) real = real || f.kind == 'f';
    for (uint32_t b = 0; !real && b < spec.bytes; ++b) out[size_t{i} * spec.bytes + b] = i ? 0xFF : 0;
    for (const Field& f : fieldsOf(spec))
      if ((f.kind == 's' || f.kind == 't') && i == 0)
        out[(f.first + f.bits - 1) / 8] |= static_cast<uint8_t>(1u << (f.first + f.bits - 1) % 8);
  }
  return out;
}

class FormatsTest : public FloatTargetTest {
protected:
  bool can(const Spec& spec, uint32_t caps) const { return (capsOf(spec.format) & caps) == caps; }
};

// FMT-1, FMT-2
TEST_F(FormatsTest, TexelsKeepTheirBytes) {
  std::mt19937 random(oracleSeed(1));
  for (const Spec& spec : kSpecs) {
    if (!can(spec, AEROGPU_FORMAT_CAP_SAMPLE)) continue;
    CommandWriter w;
    const uint32_t t = texture(w, spec.format, 5, 3, 2);
    Bytes bytes(size_t{5 * 3 + 2} * spec.bytes);
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
    for (const Field& f : fieldsOf(spec))  // a NaN may become another NaN
      for (size_t i = 0; f.kind == 'f' && i < bytes.size(); i += spec.bytes)
        bytes[i + (f.first + f.bits) / 8 - 1] &= 0xBF;
    packets::upload(w, t, 0, bytes);
    run(w);
    const size_t first = size_t{15} * spec.bytes;
    EXPECT_EQ(read(t, spec.format, 5, 3), Bytes(bytes.begin(), bytes.begin() + first)) << spec.name;
    EXPECT_EQ(read(t, spec.format, 2, 1, 1), Bytes(bytes.begin() + first, bytes.end())) << spec.name;
  }
}

// FMT-2, FMT-16
TEST_F(FormatsTest, SamplersReadTheChannels) {
  std::mt19937 random(oracleSeed(2));
  uint32_t compared = 0;
  for (const Spec& spec : kSpecs) {
    if (!can(spec, AEROGPU_FORMAT_CAP_SAMPLE)) continue;
    CommandWriter w;
    const uint32_t t = texture(w, spec.format, kSide, kSide);
    const Bytes bytes = randomTexels(spec, kSide * kSide, random);
    packets::upload(w, t, 0, bytes);
    run(w);
    const std::vector<Color> got = sampled(t, {0, 0, 0}, {1, 1, 0}, point());
    for (uint32_t i = 0; i < kSide * kSide; ++i) {
      const Color want = texelOf(spec, bytes.data() + size_t{i} * spec.bytes);
      for (size_t c = 0; c < 4; ++c)
        ASSERT_NEAR(got[i][c], want[c], tolerance(spec, c) * std::max(1.0, std::fabs(want[c])))
            << spec.name << " channel " << c << " of texel " << i;
    }
    ++compared;
  }
  EXPECT_GE(compared, deviceIsBare() ? 18u : std::size(kSpecs));
}

// FMT-16: blocks whose texels all use the first end point, by the pages of DXT and 3Dc.
TEST_F(FormatsTest, BlocksAreDecoded) {
  if (deviceIsBare()) GTEST_SKIP() << "needs textureCompressionBC";
  const Bytes red = {0x00, 0xF8, 0x1F, 0x00, 0, 0, 0, 0};  // red, blue of 5, 6, 5 bits
  const auto single = [](uint8_t first) { return Bytes{first, 10, 0, 0, 0, 0, 0, 0}; };
  const auto both = [](Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const struct {
    aerogpu_format format;
    Bytes block;
    Color color;
  } cases[] = {{AEROGPU_FORMAT_BC1_RGBA_UNORM, red, {1, 0, 0, 1}},
               {AEROGPU_FORMAT_BC2_RGBA_UNORM, both(Bytes(8, 0x77), red), {1, 0, 0, 7 / 15.0}},
               {AEROGPU_FORMAT_BC3_RGBA_UNORM, both(single(200), red), {1, 0, 0, 200 / 255.0}},
               {AEROGPU_FORMAT_D3D9_ATI1, single(77), {77 / 255.0, 77 / 255.0, 77 / 255.0, 77 / 255.0}},
               {AEROGPU_FORMAT_D3D9_ATI2, both(single(50), single(180)), {180 / 255.0, 50 / 255.0, 1, 1}}};
  for (const auto& c : cases) {
    CommandWriter w;
    const uint32_t t = texture(w, c.format, 4, 4, 1, 1, AEROGPU_RESOURCE_USAGE_TEXTURE);
    packets::upload(w, t, 0, c.block);
    run(w);
    for (const Color& got : sampled(t, {0, 0, 0}, {1, 1, 0}, point()))
      for (size_t i = 0; i < 4; ++i)
        ASSERT_NEAR(got[i], c.color[i], 1.0 / 255) << c.format << " channel " << i;
  }
}

// FMT-16, FMT-6
TEST_F(FormatsTest, LinearFiltersWeighWhatSamplersRead) {
  std::mt19937 random(oracleSeed(3));
  for (const Spec& spec : kSpecs) {
    if (!can(spec, AEROGPU_FORMAT_CAP_SAMPLE)) continue;
    CommandWriter w;
    const uint32_t t = texture(w, spec.format, 2, 1);
    const Bytes bytes = randomTexels(spec, 2, random);
    packets::upload(w, t, 0, bytes);
    run(w);
    // Samples a quarter of the way between both centres at pixel 4, or the nearest of them.
    const float step = 1.0f / 32;
    const std::vector<Color> got =
        sampled(t, {0.25f + 0.125f - 4.5f * step, 0.5f, 0}, {0.25f + 0.125f + 11.5f * step, 0.5f, 0},
                {{kMagFilter, 2}, {kMinFilter, 2}, {kMipFilter, 0}, {kAddressU, 3}, {kAddressV, 3}});
    const Color a = texelOf(spec, bytes.data()), b = texelOf(spec, bytes.data() + spec.bytes);
    const double weight = can(spec, AEROGPU_FORMAT_CAP_FILTER) ? 0.25 : 0;
    for (size_t c = 0; c < 4; ++c) {
      const double want = a[c] * (1 - weight) + b[c] * weight;
      EXPECT_NEAR(got[4][c], want, std::max(std::fabs(a[c] - b[c]), 1.0) * 2.5 / 256)
          << spec.name << " channel " << c;
    }
  }
}

// STATE-20: for 16-bit colours the mean of two texels is decoded, not the mean of their decoded values; alpha
// never is.
TEST_F(FormatsTest, SixteenBitColorsAreDecodedBehindTheFilter) {
  std::mt19937 random(5);
  uint32_t decoded = 0;
  for (const Spec& spec : kSpecs) {
    if (spec.bytes != 2 || std::string(spec.reads).substr(0, 3) != "RGB" ||
        !can(spec, AEROGPU_FORMAT_CAP_SAMPLE))
      continue;
    EXPECT_TRUE(can(spec, AEROGPU_FORMAT_CAP_SRGB_READ)) << spec.name;
    CommandWriter w;
    const uint32_t t = texture(w, spec.format, 2, 1);
    const Bytes bytes = {0, 0, static_cast<uint8_t>(random()), static_cast<uint8_t>(random())};
    packets::upload(w, t, 0, bytes);
    run(w);
    const Color a = texelOf(spec, bytes.data()), b = texelOf(spec, bytes.data() + spec.bytes);
    const States linear = {
        {kMagFilter, 2}, {kMinFilter, 2}, {kMipFilter, 0}, {kAddressU, 3}, {kSrgbTexture, 1}};
    const float step = 1.0f / 32;
    const std::vector<Color> got =
        sampled(t, {0.5f - 4.5f * step, 0.5f, 0}, {0.5f + 11.5f * step, 0.5f, 0}, linear);
    for (size_t c = 0; c < 4; ++c) {
      const double mean = (a[c] + b[c]) / 2;
      const double want = c == 3            ? mean
                          : mean <= 0.04045 ? mean / 12.92
                                            : std::pow((mean + 0.055) / 1.055, 2.4);
      EXPECT_NEAR(got[4][c], want, 2.5 / 256) << spec.name << " channel " << c;
    }
    ++decoded;
  }
  EXPECT_GE(decoded, deviceIsBare() ? 2u : 5u);
}

// FMT-8
TEST_F(FormatsTest, BordersAreSeenThroughTheFormat) {
  std::mt19937 random(oracleSeed(4));
  uint32_t shown = 0;
  for (const Spec& spec : kSpecs) {
    if (!can(spec, AEROGPU_FORMAT_CAP_BORDER)) continue;
    for (const uint32_t border : {0x40C08020u, 0xFF000000u, 0xFFFFFFFFu, 0x00000000u, 0x80FF0000u}) {
      CommandWriter w;
      const uint32_t t = texture(w, spec.format, 4, 4);
      packets::upload(w, t, 0, randomTexels(spec, 16, random));
      run(w);
      const std::vector<Color> got =
          sampled(t, {2, 2, 0}, {3, 3, 0},
                  {{kMagFilter, 1}, {kMinFilter, 1}, {kAddressU, 4}, {kAddressV, 4}, {kBorderColor, border}});
      const auto part = [&](uint32_t shift) { return (border >> shift & 0xFF) / 255.0; };
      for (size_t c = 0; c < 4; ++c) {
        const char letter = spec.reads[c];
        // U, V, W, Q and L of bump formats are red, green, blue and alpha in their order.
        const size_t as = letter == 'A' || letter == 'Q' ? 3 : letter == 'L' && spec.reads[0] == 'L' ? 0 : c;
        constexpr uint32_t kShifts[4] = {16, 8, 0, 24};
        const double want = letter == '0' || letter == '1' ? letter - '0' : part(kShifts[as]);
        EXPECT_NEAR(got[7][c], want, 1.5 / 255)
            << spec.name << " channel " << c << ", border " << std::hex << border;
      }
      ++shown;
    }
  }
  EXPECT_TRUE(deviceLacks("VK_EXT_custom_border_color") || shown > 0);
}

// FMT-17, FMT-6, FMT-7
TEST_F(FormatsTest, TargetsHoldWhatIsDrawn) {
  uint32_t drawn = 0;
  for (const Spec& spec : kSpecs) {
    CommandWriter w;
    if (!capsOf(spec.format)) continue;
    const uint32_t t = texture(w, spec.format, kSide, kSide);
    run(w);
    states(w);
    target(w, t);
    bindShaders(w, shader(w, kVs3), shader(w, "ps_3_0\nmov oC0, c0\n"));
    const Color first = {0.3, 0.85, 0.15, 0.6}, second = {0.25, 0.1, 0.5, 0.3};
    constantsF(w, AEROGPU_SHADER_STAGE_PIXEL, 0,
               {{static_cast<float>(first[0]), static_cast<float>(first[1]), static_cast<float>(first[2]),
                 static_cast<float>(first[3])}});
    drawQuad(w, {0, 0, 0}, {1, 1, 0});
    if (!can(spec, AEROGPU_FORMAT_CAP_TARGET)) {
      EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_BACKEND}) << spec.name;
      gpu().takeErrorLines();
      continue;
    }
    run(w);
    const auto expectColor = [&](const Color& color, const char* what) {
      const Bytes got = read(t, spec.format, kSide, kSide);
      for (const Field& f : fieldsOf(spec)) {
        size_t channel = 4;
        for (size_t c = 4; c-- > 0;)  // a luminance takes red
          if (spec.reads[c] == f.letter) channel = c;
        if (channel == 4) continue;
        const uint8_t* texel = got.data() + size_t{kSide * 5 + 3} * spec.bytes;
        const uint32_t raw = bitsAt(texel, f.first, f.bits);
        if (f.kind == 'f')
          EXPECT_NEAR(valueOf(f, texel), color[channel], 1.0 / 1024) << spec.name << " " << f.letter << what;
        else
          EXPECT_LE(std::abs(static_cast<int64_t>(raw) - encoded(f, color[channel])), f.bits < 8 ? 2 : 1)
              << spec.name << " " << f.letter << what << ": " << raw << ", wanted "
              << encoded(f, color[channel]);
      }
    };
    expectColor(first, "");
    // source * destination alpha + destination
    renderState(w, kAlphaBlendEnable, 1u);
    renderState(w, kSrcBlend, 7u);   // DESTALPHA
    renderState(w, kDestBlend, 2u);  // ONE
    constantsF(w, AEROGPU_SHADER_STAGE_PIXEL, 0,
               {{static_cast<float>(second[0]), static_cast<float>(second[1]), static_cast<float>(second[2]),
                 static_cast<float>(second[3])}});
    drawQuad(w, {0, 0, 0}, {1, 1, 0});
    run(w);
    double alpha = 1;
    for (const Field& f : fieldsOf(spec))
      if (f.letter == spec.reads[3]) {
        const double levels = std::ldexp(1.0, static_cast<int>(f.bits) - (f.kind == 's')) - 1;
        alpha = f.kind == 'f' ? first[3] : std::round(first[3] * levels) / levels;
      }
    Color sum = second;
    if (can(spec, AEROGPU_FORMAT_CAP_BLEND))
      for (size_t c = 0; c < 4; ++c) sum[c] = second[c] * alpha + (c == 3 ? alpha : first[c]);
    expectColor(sum, ", blended");
    renderState(w, kAlphaBlendEnable, 0u);
    run(w);
    ++drawn;
  }
  EXPECT_GE(drawn, deviceIsBare() ? 3u : 14u);
}

// FMT-17
TEST_F(FormatsTest, WhatTheTableLacksIsNotMade) {
  for (const aerogpu_format_caps& entry : m_caps) {
    const auto format = static_cast<aerogpu_format>(entry.format);
    if (core::findFormat(format)->shows != core::FormatInfo::Shows::Texels) continue;  // only views have it
    CommandWriter w;
    const uint32_t t = texture(w, format, 4, 12);  // any format has these
    if (entry.caps) {
      EXPECT_TRUE(entry.caps &
                  (AEROGPU_FORMAT_CAP_SAMPLE | AEROGPU_FORMAT_CAP_DEPTH | AEROGPU_FORMAT_CAP_BLIT_SRC))
          << entry.format;
      packets::destroyResource(w, t);
      run(w);
    } else {
      EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_BACKEND}) << entry.format;
      gpu().takeErrorLines();
    }
  }
}

// FMT-7, BLIT-11, BLIT-12
TEST_F(FormatsTest, FillsHoldWhatTheyAreGiven) {
  const Color color = {0.3, 0.85, 0.15, 0.6};
  for (const Spec& spec : kSpecs) {
    if (!can(spec, AEROGPU_FORMAT_CAP_SAMPLE)) continue;
    for (const bool whole : {true, false}) {
      CommandWriter w;
      const uint32_t t = texture(w, spec.format, 4, 4);
      aerogpu_cmd_ext_fill fill{};
      fill.texture = t;
      fill.flags = AEROGPU_EXT_FILL_COLOR;
      for (size_t c = 0; c < 4; ++c)
        fill.color_rgba_f32[c] = std::bit_cast<uint32_t>(static_cast<float>(color[c]));
      const aerogpu_ext_rect rect{1, 1, 3, 4};
      w.packet(fill, &rect, whole ? 0 : 1);
      run(w);
      const Bytes got = read(t, spec.format, 4, 4);
      for (uint32_t i = 0; i < 16; ++i) {
        const bool filled = whole || (i % 4 >= 1 && i % 4 < 3 && i / 4 >= 1);
        const uint8_t* texel = got.data() + size_t{i} * spec.bytes;
        for (const Field& f : fieldsOf(spec)) {
          size_t channel = 4;
          for (size_t c = 4; c-- > 0;)
            if (spec.reads[c] == f.letter) channel = c;
          if (channel == 4) continue;  // X
          const double want = filled ? color[channel] : 0;
          if (f.kind == 'f') {
            EXPECT_NEAR(valueOf(f, texel), want, 1.0 / 1024) << spec.name << " " << f.letter << " of " << i;
          } else {
            EXPECT_LE(std::abs(static_cast<int64_t>(bitsAt(texel, f.first, f.bits)) - encoded(f, want)), 1)
                << spec.name << " " << f.letter << " of " << i << ", whole " << whole;
          }
        }
      }
    }
  }
}

// FMT-13
TEST_F(FormatsTest, AlphaIsTestedInTheStepsOfTheTarget) {
  struct Case {
    aerogpu_format format;
    double step;  // the step that the test resolves; 0: any difference
  };
  const Case cases[] = {
      {AEROGPU_FORMAT_B8G8R8A8_UNORM, 1.0 / 255},       {AEROGPU_FORMAT_B5G6R5_UNORM, 1.0 / 255},
      {AEROGPU_FORMAT_D3D9_A2B10G10R10, 1.0 / 1023},    {AEROGPU_FORMAT_D3D9_A16B16G16R16, 1.0 / 65535},
      {AEROGPU_FORMAT_D3D9_A16B16G16R16F, 1.0 / 32767}, {AEROGPU_FORMAT_D3D9_R32F, 0}};
  constexpr double kReference = 0x80 / 255.0;
  for (const Case& one : cases) {
    if (!(capsOf(one.format) & AEROGPU_FORMAT_CAP_TARGET)) continue;
    const double step = one.step == 0 ? 1e-5 : one.step;
    for (const auto& [away, equal] : {std::pair{0.3, one.step != 0}, {1.0, false}}) {
      CommandWriter w;
      const uint32_t t = texture(w, one.format, kSide, kSide);
      states(w);
      target(w, t);
      clearColor(w, 0, 0, 0, 0);
      bindShaders(w, shader(w, kVs3), shader(w, "ps_3_0\nmov oC0, c0\n"));
      constantsF(w, AEROGPU_SHADER_STAGE_PIXEL, 0, {{1, 1, 1, static_cast<float>(kReference + away * step)}});
      renderState(w, kAlphaTestEnable, 1u);
      renderState(w, kAlphaFunc, 3u);  // EQUAL
      renderState(w, kAlphaRef, 0x80u);
      drawQuad(w, {0, 0, 0}, {1, 1, 0});
      run(w);
      const Bytes got = read(t, one.format, kSide, kSide);
      const bool drew = std::any_of(got.begin(), got.end(), [](uint8_t b) { return b != 0; });
      EXPECT_EQ(drew, equal) << one.format << ", " << away << " steps away";
    }
  }
}

}  // namespace
}  // namespace aerogpu::test
