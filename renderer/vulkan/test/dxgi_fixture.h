// SPDX-License-Identifier: MIT
// Test support: Direct3D 10's formats, and shaders of model 4 that load from textures and draw constants.
#pragma once

#include <random>
#include <span>
#include <string>

#include "renderer/test/token_shaders.h"
#include "renderer/vulkan/test/texel_model.h"

namespace aerogpu::test {

#define SPEC(NAME, BYTES, FIELDS, READS) \
  { AEROGPU_FORMAT_DXGI_##NAME, #NAME, BYTES, FIELDS, READS }
#define SPECS_8(SUFFIX, KIND)                                                                    \
  SPEC(R8_##SUFFIX, 1, "R8" KIND, "R001"), SPEC(R8G8_##SUFFIX, 2, "G8" KIND " R8" KIND, "RG01"), \
      SPEC(R8G8B8A8_##SUFFIX, 4, "A8" KIND " B8" KIND " G8" KIND " R8" KIND, "RGBA")
#define SPECS_16(SUFFIX, KIND)                                                                         \
  SPEC(R16_##SUFFIX, 2, "R16" KIND, "R001"), SPEC(R16G16_##SUFFIX, 4, "G16" KIND " R16" KIND, "RG01"), \
      SPEC(R16G16B16A16_##SUFFIX, 8, "A16" KIND " B16" KIND " G16" KIND " R16" KIND, "RGBA")
#define SPECS_32(SUFFIX, KIND)                                                                         \
  SPEC(R32_##SUFFIX, 4, "R32" KIND, "R001"), SPEC(R32G32_##SUFFIX, 8, "G32" KIND " R32" KIND, "RG01"), \
      SPEC(R32G32B32A32_##SUFFIX, 16, "A32" KIND " B32" KIND " G32" KIND " R32" KIND, "RGBA")
/// All formats whose texels are channels. A channel that is missing is 0, alpha 1.
inline constexpr Spec kDxgiSpecs[] = {
    SPECS_8(UNORM, "u"),
    SPECS_8(SNORM, "s"),
    SPECS_8(UINT, "n"),
    SPECS_8(SINT, "i"),
    SPECS_16(FLOAT, "f"),
    SPECS_16(UNORM, "u"),
    SPECS_16(SNORM, "s"),
    SPECS_16(UINT, "n"),
    SPECS_16(SINT, "i"),
    SPECS_32(FLOAT, "f"),
    SPECS_32(UINT, "n"),
    SPECS_32(SINT, "i"),
    SPEC(R10G10B10A2_UNORM, 4, "A2u B10u G10u R10u", "RGBA"),
    SPEC(R10G10B10A2_UINT, 4, "A2n B10n G10n R10n", "RGBA"),
    SPEC(R11G11B10_FLOAT, 4, "B10f G11f R11f", "RGB1"),
    SPEC(A8_UNORM, 1, "A8u", "000A"),
    SPEC(B5G6R5_UNORM, 2, "R5u G6u B5u", "RGB1"),
    SPEC(B5G5R5A1_UNORM, 2, "A1u R5u G5u B5u", "RGBA"),
    SPEC(B8G8R8A8_UNORM, 4, "A8u R8u G8u B8u", "RGBA"),
    SPEC(B8G8R8X8_UNORM, 4, "X8u R8u G8u B8u", "RGB1"),
};
#undef SPEC
#undef SPECS_8
#undef SPECS_16
#undef SPECS_32

/// The numbers that a shader reads or writes; as in a resource's declaration (D3D10_SB_RESOURCE_RETURN_TYPE).
enum class Numbers : uint32_t { Sint = 3, Uint = 4, Float = 5 };

inline Numbers numbersOf(const Spec& spec) {
  const char kind = fieldsOf(spec)[0].kind;
  return kind == 'n' ? Numbers::Uint : kind == 'i' ? Numbers::Sint : Numbers::Float;
}

/// GPUs may widen a channel of few bits to eight, Vulkan's least precision of such formats.
inline double tolerance(const Spec& spec) {
  const Field f = fieldsOf(spec).back();
  if (f.kind == 'n' || f.kind == 'i') return 0;
  return f.kind == 'f' ? 1e-6 : f.bits < 8 ? 1.0 / 255 : 1.0 / 40000;
}

/// Random texels; floats are finite, and normal numbers.
inline Bytes dxgiTexels(const Spec& spec, uint32_t texels, std::mt19937& random) {
  Bytes out(size_t{texels} * spec.bytes);
  for (uint8_t& b : out) b = static_cast<uint8_t>(random());
  for (const Field& f : fieldsOf(spec)) {
    if (f.kind != 'f') continue;
    // The exponent is one of the middle: its highest bit differs from the two after it.
    const uint32_t top = f.first + f.bits - (f.bits < 16 ? 1 : 2);
    for (uint32_t i = 0; i < texels; ++i) {
      uint8_t* texel = out.data() + size_t{i} * spec.bytes;
      const auto set = [&](uint32_t bit, bool on) {
        const auto mask = static_cast<uint8_t>(1u << bit % 8);
        texel[bit / 8] = static_cast<uint8_t>(on ? texel[bit / 8] | mask : texel[bit / 8] & ~mask);
      };
      set(top, false);
      set(top - 1, true);
      set(top - 2, true);
      if (f.bits == 32) set(top - 3, true);
    }
  }
  return out;
}

class DxgiTest : public FloatTargetTest {
protected:
  bool can(aerogpu_format format, uint32_t caps) const { return (capsOf(format) & caps) == caps; }

  void fill(CommandWriter& w, uint32_t what, const std::array<float, 4>& color) {
    aerogpu_cmd_ext_fill c{};
    c.texture = what;
    c.flags = AEROGPU_EXT_FILL_COLOR;
    for (size_t i = 0; i < 4; ++i) c.color_rgba_f32[i] = std::bit_cast<uint32_t>(color[i]);
    w.packet(c);
  }
  uint32_t view(CommandWriter& w, uint32_t texture, aerogpu_format format, uint32_t mip = 0,
                uint32_t mips = 1, uint32_t layer = 0, uint32_t layers = 1) {
    aerogpu_cmd_create_texture_view c{};
    c.view_handle = gpu().handle();
    c.texture_handle = texture;
    c.format = format;
    c.base_mip_level = mip;
    c.mip_level_count = mips;
    c.base_array_layer = layer;
    c.array_layer_count = layers;
    w.packet(c);
    return c.view_handle;
  }
  /// Draws over all of the target, of kSide.
  void cover(CommandWriter& w, const dxbc::TokenShader& pixels) {
    const uint32_t v = gpu().handle(), p = gpu().handle(), l = gpu().handle();
    dxbc::createShader(w, v, AEROGPU_SHADER_STAGE_VERTEX, dxbc::vertexTokens());
    dxbc::createShader(w, p, AEROGPU_SHADER_STAGE_PIXEL, pixels);
    dxbc::createLayout(w, l, {{0, 0, 6, 0, 0, 0}});  // R32G32B32_FLOAT
    bindShaders(w, v, p);
    w.packet(aerogpu_cmd_set_input_layout{{}, l, 0});
    states(w);
    using Position = std::array<float, 3>;
    stream(w, 0, vertexBuffer<Position>(w, {{-1, 3, 0.5f}, {3, -1, 0.5f}, {-1, -1, 0.5f}}), sizeof(Position));
    topology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
    draw(w, 3);
  }
  /// Writes one color.
  static dxbc::TokenShader constantPixels(Numbers numbers, const Color& color) {
    using namespace dxbc;
    Tokens values = {0x4002};
    for (const double c : color)
      values.push_back(numbers == Numbers::Float ? std::bit_cast<uint32_t>(static_cast<float>(c))
                                                 : static_cast<uint32_t>(static_cast<int64_t>(c)));
    Tokens t;
    op(t, 0x65, {dst(kOutput, 0, 15)});
    op(t, kMov, {dst(kOutput, 0, 15), values});
    op(t, kRet, {});
    return {program(kPs40, t), {{1, 0, 15}}, {{0, 0, 15}}, {}};
  }
  /// Loads the texel of t0 under the pixel, of a resource of that dimension (D3D10_SB_RESOURCE_DIMENSION).
  static dxbc::TokenShader loadingPixels(Numbers numbers, uint32_t dimension, uint32_t layer, uint32_t mip) {
    using namespace dxbc;
    Tokens t;
    op(t, 0x58 | dimension << 11, {handle(kResource, 0), {0x1111 * static_cast<uint32_t>(numbers)}});
    op(t, 0x64 | 4u << 11, {dst(kInput, 0, 3), {1}});  // the position, without perspective
    op(t, 0x65, {dst(kOutput, 0, 15)});
    op(t, 0x68, {{1}});
    op(t, 0x1B, {dst(kTemp, 0, 3), src(kInput, 0)});  // ftoi
    op(t, kMov, {dst(kTemp, 0, 12), {0x4002, 0, 0, layer, mip}});
    op(t, 0x2D, {dst(kOutput, 0, 15), src(kTemp, 0), src(kResource, 0)});  // ld
    op(t, kRet, {});
    return {program(kPs40, t), {{1, 0, 15}}, {{0, 0, 15}}, {}};
  }
  static constexpr uint32_t kTexture2d = 3, kTexture2dArray = 8;
  /// Returns what a shader loads from each of the first kSide by kSide texels of a texture or view.
  std::vector<Color> loaded(uint32_t t, Numbers numbers, uint32_t dimension = kTexture2d, uint32_t layer = 0,
                            uint32_t mip = 0) {
    CommandWriter w;
    const aerogpu_format format = numbers == Numbers::Float  ? AEROGPU_FORMAT_DXGI_R32G32B32A32_FLOAT
                                  : numbers == Numbers::Uint ? AEROGPU_FORMAT_DXGI_R32G32B32A32_UINT
                                                             : AEROGPU_FORMAT_DXGI_R32G32B32A32_SINT;
    const uint32_t out = texture(w, format, kSide, kSide);
    target(w, out);
    setTexture(w, 0, t);
    cover(w, loadingPixels(numbers, dimension, layer, mip));
    run(w);
    const Bytes bytes = read(out, format, kSide, kSide);
    std::vector<Color> colors;
    for (size_t i = 0; i + 16 <= bytes.size(); i += 16) {
      Color color{};
      for (size_t c = 0; c < 4; ++c) {
        uint32_t bits;
        std::memcpy(&bits, bytes.data() + i + c * 4, 4);
        color[c] = numbers == Numbers::Float  ? static_cast<double>(std::bit_cast<float>(bits))
                   : numbers == Numbers::Uint ? static_cast<double>(bits)
                                              : static_cast<double>(static_cast<int32_t>(bits));
      }
      colors.push_back(color);
    }
    return colors;
  }
  /// Returns a sample of t at (x, 0.5), filtered.
  Color filtered(uint32_t t, float x) {
    using namespace dxbc;
    Tokens tokens;
    op(tokens, 0x5A, {handle(kSampler, 0)});
    op(tokens, 0x58 | kTexture2d << 11, {handle(kResource, 0), {0x5555}});
    op(tokens, 0x65, {dst(kOutput, 0, 15)});
    const uint32_t at = std::bit_cast<uint32_t>(x), half = std::bit_cast<uint32_t>(0.5f);
    op(tokens, kSample,
       {dst(kOutput, 0, 15), {0x4002, at, half, 0, 0}, src(kResource, 0), handle(kSampler, 0)});
    op(tokens, kRet, {});
    CommandWriter w;
    const uint32_t out = texture(w, kFloats, kSide, kSide);
    target(w, out);
    setTexture(w, 0, t);
    samplerState(w, 0, kMagFilter, 2);
    samplerState(w, 0, kMinFilter, 2);
    cover(w, {program(kPs40, tokens), {{1, 0, 15}}, {{0, 0, 15}}, {}});
    run(w);
    return floats(out)[0];
  }
  /// Compares a texel with what it holds of a color.
  static void expectTexel(const Spec& spec, const Bytes& got, size_t at, const Color& color,
                          const char* what) {
    for (const Field& f : fieldsOf(spec)) {
      const size_t c = std::string("RGBA").find(f.letter);
      if (c > 3) continue;
      const uint8_t* texel = got.data() + at * spec.bytes;
      if (f.kind == 'n' || f.kind == 'i')
        EXPECT_EQ(valueOf(f, texel), color[c]) << spec.name << " " << f.letter << " " << what;
      else if (f.kind == 'f')
        EXPECT_NEAR(valueOf(f, texel), color[c], f.bits < 16 ? 1.0 / 64 : 1.0 / 1024)
            << spec.name << " " << f.letter << " " << what;
      else
        EXPECT_LE(std::abs(static_cast<int64_t>(bitsAt(texel, f.first, f.bits)) - encoded(f, color[c])), 1)
            << spec.name << " " << f.letter << " " << what;
    }
  }
};

}  // namespace aerogpu::test
