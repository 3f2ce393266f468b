// SPDX-License-Identifier: MIT
// The modules of blit.h. In GLSL, with `at` as the box's texel for a pixel, counted from the other side if
// mirrored:
//
//   color = texture(image, place);                           // Same: place is the texel's center
//   color = the four around, a quarter each                  // Halves: by their centers
//
//   ivec2 u = pixel * along.xy + along.zw;                   // (2 * at + 1) * from.zw, by 1 / (2 * to.zw)
//   color = texelFetch(image, from.xy + u / (2 * to.zw), 0); // Point
//
//   ivec2 right = pixel * along.xy + along.zw;               // Linear: u + to.zw
//   ivec2 second = right / (2 * to.zw);                      // the texel whose center comes next
//   vec2 weight = vec2(right % (2 * to.zw)) / vec2(2 * to.zw);
//   ivec2 first = from.xy + max(second, 1) - 1;
//   second = from.xy + min(second, from.zw - 1);
//   color = mix of the four around, by weight
//
// If the target's channels are not a color's, the shader writes the channels that the target needs, rounded
// to its steps. A texel that equals the color key is discarded, and a target texel that differs from the
// target's key stays. YUV texels become colors when they are fetched.
//
// Whole numbers are divided as floats, by the reciprocal, and the quotient, off by one at most, is corrected:
// lavapipe divides whole numbers one by one.
#include "renderer/shader/spirv/blit.h"

#include <iterator>

#include "renderer/shader/spirv/copy_module.h"

namespace aerogpu::shader {
namespace {

using enum spv::Op;

// ITU-R BT.601: the amounts that V (Cr) and U (Cb), as -0.5 to 0.5, add to a channel or take from it.
constexpr float kYuvRedOfV = 1.402f, kYuvGreenOfU = 0.344136f, kYuvGreenOfV = 0.714136f, kYuvBlueOfU = 1.772f;

/// Locations of the values that the vertex shader gives to the fragment shader.
enum Given : uint32_t {
  kPlace,       ///< float2 (Halves: float4): centers of texels as parts of the image
  kDepth,       ///< float: the slice's center as a part of the depth
  kAlong,       ///< int4: factor and summand for a pixel
  kSizes,       ///< int4: 2 * to.zw; from.zw - 1
  kReciprocal,  ///< float2: 1 / (2 * to.zw)
  kStart,       ///< int4: from.xy; BlitConstants::slice, rows
  kKeyLow,
  kKeyHigh,
  kTargetLow,
  kTargetHigh,
  kCorner,  ///< int2: to.xy
};

Id givenVariable(SpirvBuilder& b, spv::StorageClass storage, Given what, Id type) {
  const Id variable = b.variable(storage, type);
  b.decorate(variable, spv::Decoration::Location, static_cast<uint32_t>(what));
  if (storage == spv::StorageClass::Input)
    b.decorate(variable, what == kPlace ? spv::Decoration::NoPerspective : spv::Decoration::Flat);
  return variable;
}

/// Writes the outputs of the vertex shader except the position: the values that the fragment shader needs.
class Giver {
public:
  Giver(SpirvBuilder& b, const BlitShader& shader);
  /// Writes the values of a vertex. `far`: float2, 1 if the vertex lies to the right or below, else 0.
  void give(Id far);

private:
  void giveCenters(Id far);
  void giveNumbers();
  Id member(uint32_t index, Id type);
  void give(Given what, Id type, Id value) {
    m_b.store(givenVariable(m_b, spv::StorageClass::Output, what, type), value);
  }
  Id binary(spv::Op op, Id x, Id y) { return m_b.value(op, m_int2, x, y); }
  Id two(int32_t value) {
    const Id c = m_b.constantInt(value);
    return m_b.composite(m_int2, {c, c});
  }
  Id floats(Id numbers) { return m_b.value(OpConvertSToF, m_t.float2, numbers); }
  Id splat(float value) {
    const Id c = m_b.constantFloat(value);
    return m_b.composite(m_t.float2, {c, c});
  }

  SpirvBuilder& m_b;
  const SpirvTypes& m_t;
  const BlitShader& m_shader;
  const Id m_int2;
  Id m_constants = 0, m_others = 0, m_mirror = 0, m_sign = 0;
  Id m_toOrigin = 0, m_size = 0, m_fromOrigin = 0, m_fromSize = 0;
};

Giver::Giver(SpirvBuilder& b, const BlitShader& shader)
    : m_b(b), m_t(b.types()), m_shader(shader), m_int2(b.vectorType(m_t.int1, 2)) {
  const Id members[] = {m_t.int4,   m_t.int4,   m_t.int4,   m_t.float4,
                        m_t.float4, m_t.float4, m_t.float4, m_t.float4};
  static_assert(sizeof(BlitConstants) == std::size(members) * 16);
  const Id block = b.structType(members);
  b.decorate(block, spv::Decoration::Block);
  for (uint32_t i = 0; i < std::size(members); ++i)
    b.decorateMember(block, i, spv::Decoration::Offset, i * 16);
  m_constants = b.variable(spv::StorageClass::PushConstant, block);
}

Id Giver::member(uint32_t index, Id type) {
  const Id pointer = m_b.pointerType(spv::StorageClass::PushConstant, type);
  return m_b.load(
      type, m_b.value(OpAccessChain, pointer, m_constants, m_b.constantInt(static_cast<int32_t>(index))));
}

void Giver::give(Id far) {
  const Id to = member(0, m_t.int4), from = member(1, m_t.int4);
  m_others = member(2, m_t.int4);
  m_toOrigin = part(m_b, to, m_int2, 0), m_size = part(m_b, to, m_int2, 2);
  m_fromOrigin = part(m_b, from, m_int2, 0), m_fromSize = part(m_b, from, m_int2, 2);
  m_mirror = part(m_b, m_others, m_int2, 0);
  m_sign = binary(OpISub, two(1), binary(OpIMul, m_mirror, two(2)));
  if (m_shader.samples())
    giveCenters(far);
  else
    giveNumbers();
  if (m_shader.colorKey) {
    give(kKeyLow, m_t.float4, member(4, m_t.float4));
    give(kKeyHigh, m_t.float4, member(5, m_t.float4));
  }
  if (m_shader.targetKey) {
    give(kTargetLow, m_t.float4, member(6, m_t.float4));
    give(kTargetHigh, m_t.float4, member(7, m_t.float4));
    give(kCorner, m_int2, m_toOrigin);
  }
}

void Giver::giveCenters(Id far) {
  const Id scale = member(3, m_t.float4), scale2 = part(m_b, scale, m_t.float2, 0);
  const auto add = [&](Id x, Id y) { return m_b.value(OpFAdd, m_t.float2, x, y); };
  const auto times = [&](Id x, Id y) { return m_b.value(OpFMul, m_t.float2, x, y); };
  const Id begin = floats(binary(OpIAdd, m_fromOrigin, binary(OpIMul, m_mirror, m_fromSize)));
  // The triangle's sides are twice as long as the box's.
  const Id along = times(times(far, splat(2)), floats(binary(OpIMul, m_sign, m_fromSize)));
  const Id place = add(begin, along);
  if (m_shader.sampling == BlitSampling::Same) {
    give(kPlace, m_t.float2, times(place, scale2));
  } else {
    // The pixel's center is the common corner of its four texels.
    const Id first = times(add(place, splat(-0.5f)), scale2), second = times(add(place, splat(0.5f)), scale2);
    give(kPlace, m_t.float4, m_b.composite(m_t.float4, {first, second}));
  }
  if (!m_shader.volume) return;
  const Id slice =
      m_b.value(OpConvertSToF, m_t.float1, m_b.value(OpCompositeExtract, m_t.int1, m_others, 2u));
  give(kDepth, m_t.float1,
       m_b.value(OpFMul, m_t.float1, m_b.value(OpFAdd, m_t.float1, slice, m_b.constantFloat(0.5f)),
                 m_b.value(OpCompositeExtract, m_t.float1, scale, 2u)));
}

void Giver::giveNumbers() {
  // The texel of the box for a pixel is the pixel times the sign, plus `base`.
  const Id last = binary(OpISub, binary(OpIAdd, binary(OpIMul, m_toOrigin, two(2)), m_size), two(1));
  const Id base = binary(OpISub, binary(OpIMul, m_mirror, last), m_toOrigin);
  Id times = m_sign, plus = base;
  const BlitSampling sampling = m_shader.sampling;
  if (sampling != BlitSampling::Same) {
    times = binary(OpIMul, binary(OpIMul, m_sign, two(2)), m_fromSize);
    plus = binary(OpIMul, binary(OpIAdd, binary(OpIMul, base, two(2)), two(1)), m_fromSize);
    if (sampling == BlitSampling::Linear) plus = binary(OpIAdd, plus, m_size);
    const Id whole = binary(OpIMul, m_size, two(2));
    give(kSizes, m_t.int4, m_b.composite(m_t.int4, {whole, binary(OpISub, m_fromSize, two(1))}));
    give(kReciprocal, m_t.float2, m_b.value(OpFDiv, m_t.float2, splat(1), floats(whole)));
  }
  give(kAlong, m_t.int4, m_b.composite(m_t.int4, {times, plus}));
  give(kStart, m_t.int4, m_b.composite(m_t.int4, {m_fromOrigin, part(m_b, m_others, m_int2, 2)}));
}

/// Returns the color of YUV bytes by BT.601, in which luma goes from 16 (black) to 235 (white), and U and V
/// lie around 128.
Id colorOfYuv(SpirvBuilder& b, Id luma, Id u, Id v) {
  const SpirvTypes& t = b.types();
  const auto scaled = [&](Id byte, float zero, float whole) {
    return b.value(OpFSub, t.float1, b.value(OpFMul, t.float1, byte, b.constantFloat(255 / whole)),
                   b.constantFloat(zero / whole));
  };
  const Id y = scaled(luma, 16, 219), blue = scaled(u, 128, 224), red = scaled(v, 128, 224);
  const auto times = [&](Id x, float factor) {
    return b.value(OpFMul, t.float1, x, b.constantFloat(factor));
  };
  const Id r = b.value(OpFAdd, t.float1, y, times(red, kYuvRedOfV));
  const Id g = b.value(OpFSub, t.float1, b.value(OpFSub, t.float1, y, times(blue, kYuvGreenOfU)),
                       times(red, kYuvGreenOfV));
  const Id bl = b.value(OpFAdd, t.float1, y, times(blue, kYuvBlueOfU));
  const Id color = b.composite(t.float4, {r, g, bl, b.constantFloat(1)});
  return b.glsl(GLSLstd450NClamp, t.float4, color, b.constantSplat(0), b.constantSplat(1));
}

/// Discards the pixel if the texel is the color key; or, with `unless`, if it is not.
void discardKey(SpirvBuilder& b, Id texel, Id low, Id high, bool unless) {
  const SpirvTypes& t = b.types();
  const Id inside = b.value(OpLogicalAnd, t.bool4, b.value(OpFOrdGreaterThanEqual, t.bool4, texel, low),
                            b.value(OpFOrdLessThanEqual, t.bool4, texel, high));
  const Id isKey = b.value(OpAll, t.boolean, inside), kill = b.newId(), stay = b.newId();
  const Id yes = unless ? stay : kill, no = unless ? kill : stay;
  b.code(OpSelectionMerge, stay, spv::SelectionControlMask::MaskNone);
  b.code(OpBranchConditional, isKey, yes, no);
  b.label(kill);
  b.code(OpKill);
  b.label(stay);
}

/// Returns the target's texel for a color.
Id written(SpirvBuilder& b, const BlitOutput& output, Id color) {
  if (output == BlitOutput{}) return color;
  const SpirvTypes& t = b.types();
  Id parts[4];
  for (uint32_t i = 0; i < 4; ++i) {
    parts[i] = output.from[i] == BlitOutput::kOne
                   ? b.constantFloat(1)
                   : b.value(OpCompositeExtract, t.float1, color, uint32_t{output.from[i]});
    if (output.steps[i] == 0) continue;
    const bool isSigned = output.steps[i] < 0;
    const Id limited =
        b.glsl(GLSLstd450NClamp, t.float1, parts[i], b.constantFloat(isSigned ? -1 : 0), b.constantFloat(1));
    const auto up = static_cast<float>(isSigned ? -output.steps[i] : output.steps[i]);
    Id steps = b.constantFloat(up);
    if (isSigned && output.uneven)
      steps = b.value(OpSelect, t.float1, b.value(OpFOrdLessThan, t.boolean, limited, b.constantFloat(0)),
                      b.constantFloat(up + 1), steps);
    const Id half = b.constantFloat(0.5f);
    const Id away =
        isSigned ? b.value(OpFMul, t.float1, b.glsl(GLSLstd450FSign, t.float1, limited), half) : half;
    parts[i] = rounded(b, limited, steps, away);
  }
  return b.composite(t.float4, {parts[0], parts[1], parts[2], parts[3]});
}

/// Computes the pixel's color from the values that a Giver has written.
class Taker {
public:
  /// Declares inputs, outputs and bindings; the other members are called while the function is written.
  Taker(SpirvBuilder& b, const BlitShader& shader);
  void begin();
  /// Returns the source's color for the pixel.
  Id color() { return m_shader.samples() ? sampled() : fetched(); }
  /// Discards the pixel if a key says so, else writes the channels of `color` that the target needs.
  void write(Id color);

private:
  Id bound(Id type, uint32_t binding);
  Id given(Given what, Id type) {
    return m_b.load(type, givenVariable(m_b, spv::StorageClass::Input, what, type));
  }
  Id binary(spv::Op op, Id x, Id y) { return m_b.value(op, m_int2, x, y); }
  Id two(int32_t value) {
    const Id c = m_b.constantInt(value);
    return m_b.composite(m_int2, {c, c});
  }
  Id fetchPlain(Id from, Id where) {
    return m_b.value(OpImageFetch, m_t.float4, from, where, spv::ImageOperandsMask::Lod, m_b.constantInt(0));
  }
  Id sampled();
  Id fetched();
  /// Returns the mix of the four texels around. `u`, `quotient`: `right` and `second` of the code at the top.
  Id mixed(Id u, Id quotient, Id sizes, Id whole);
  Id fetchTexel(Id texel);
  /// Rounds the channels of a texel to the steps of BlitShader::narrow.
  Id stepped(Id texel);
  Id fetch(Id texel) { return m_shader.yuv == BlitYuv::None ? fetchTexel(texel) : fetchYuv(texel); }
  Id fetchYuv(Id texel);

  SpirvBuilder& m_b;
  const SpirvTypes& m_t;
  const BlitShader& m_shader;
  const Id m_int2, m_int3;
  Id m_sourceType = 0, m_image = 0, m_flatType = 0, m_kept = 0, m_color = 0;
  Id m_source = 0;
  Id m_pixel = 0;      ///< int2
  Id m_start = 0;      ///< kStart
  Id m_srcOrigin = 0;  ///< int2
};

Taker::Taker(SpirvBuilder& b, const BlitShader& shader)
    : m_b(b),
      m_t(b.types()),
      m_shader(shader),
      m_int2(b.vectorType(m_t.int1, 2)),
      m_int3(b.vectorType(m_t.int1, 3)) {
  const spv::Dim dim = shader.volume ? spv::Dim::Dim3D : spv::Dim::Dim2D;
  m_sourceType = shader.samples() ? b.sampledImageType(dim, false) : b.imageType(dim);
  m_image = bound(m_sourceType, 0);
  m_flatType = shader.targetKey ? b.imageType(spv::Dim::Dim2D) : 0;
  m_kept = shader.targetKey ? bound(m_flatType, 1) : 0;
  m_color = b.variable(spv::StorageClass::Output, m_t.float4);
  b.decorate(m_color, spv::Decoration::Location, 0u);
  b.executionMode(spv::ExecutionMode::OriginUpperLeft);
}

Id Taker::bound(Id type, uint32_t binding) {
  const Id variable = m_b.variable(spv::StorageClass::UniformConstant, type);
  m_b.decorate(variable, spv::Decoration::DescriptorSet, 0u);
  m_b.decorate(variable, spv::Decoration::Binding, binding);
  return variable;
}

void Taker::begin() {
  if (!m_shader.samples() || m_shader.targetKey) {
    const Id place = m_b.variable(spv::StorageClass::Input, m_t.float4);
    m_b.decorate(place, spv::Decoration::BuiltIn, spv::BuiltIn::FragCoord);
    m_pixel = m_b.value(OpConvertFToS, m_int2, part(m_b, m_b.load(m_t.float4, place), m_t.float2, 0));
  }
  m_source = m_b.load(m_sourceType, m_image);
}

void Taker::write(Id color) {
  if (m_shader.colorKey)
    discardKey(m_b, color, given(kKeyLow, m_t.float4), given(kKeyHigh, m_t.float4), false);
  if (m_shader.targetKey) {
    const Id where = binary(OpISub, m_pixel, given(kCorner, m_int2));
    discardKey(m_b, fetchPlain(m_b.load(m_flatType, m_kept), where), given(kTargetLow, m_t.float4),
               given(kTargetHigh, m_t.float4), true);
  }
  m_b.store(m_color, written(m_b, m_shader.output, color));
}

Id Taker::sampled() {
  const bool volume = m_shader.volume, same = m_shader.sampling == BlitSampling::Same;
  const Id placeType = same ? m_t.float2 : m_t.float4;
  const Id place = given(kPlace, placeType), depth = volume ? given(kDepth, m_t.float1) : 0;
  const auto at = [&](uint32_t column, uint32_t row) {
    const Id x = m_b.value(OpCompositeExtract, m_t.float1, place, column),
             y = m_b.value(OpCompositeExtract, m_t.float1, place, row);
    const Id where = volume ? m_b.composite(m_t.float3, {x, y, depth}) : m_b.composite(m_t.float2, {x, y});
    return m_b.value(OpImageSampleImplicitLod, m_t.float4, m_source, where);
  };
  if (same) return at(0, 1);
  const auto sum = [&](Id x, Id y) { return m_b.value(OpFAdd, m_t.float4, x, y); };
  const Id above = sum(at(0, 1), at(2, 1)), below = sum(at(0, 3), at(2, 3));
  return m_b.value(OpFMul, m_t.float4, sum(above, below), m_b.constantSplat(0.25f));
}

Id Taker::fetchTexel(Id texel) {
  if (!m_shader.volume) return stepped(fetchPlain(m_source, texel));
  return stepped(fetchPlain(
      m_source, m_b.composite(m_int3, {texel, m_b.value(OpCompositeExtract, m_t.int1, m_start, 2u)})));
}

Id Taker::stepped(Id texel) {
  return m_shader.isNarrow() ? roundedToSteps(m_b, texel, m_shader.narrow) : texel;
}

Id Taker::fetchYuv(Id texel) {
  const auto number = [&](spv::Op op, Id left, Id right) { return m_b.value(op, m_t.int1, left, right); };
  const Id x = m_b.value(OpCompositeExtract, m_t.int1, texel, 0u),
           y = m_b.value(OpCompositeExtract, m_t.int1, texel, 1u);
  const Id luma = m_b.value(OpCompositeExtract, m_t.float1, fetchTexel(texel), 0u), one = m_b.constantInt(1);
  const auto channel = [&](Id column, Id row, uint32_t index) {
    return m_b.value(OpCompositeExtract, m_t.float1, fetchTexel(m_b.composite(m_int2, {column, row})), index);
  };
  const Id even = number(OpBitwiseAnd, x, m_b.constantInt(~1)), odd = number(OpBitwiseOr, x, one);
  if (m_shader.yuv == BlitYuv::Pairs) return colorOfYuv(m_b, luma, channel(even, y, 1), channel(odd, y, 1));
  const Id width = m_b.value(OpCompositeExtract, m_t.int1, m_start, 2u),
           rows = m_b.value(OpCompositeExtract, m_t.int1, m_start, 3u);
  const auto half = [&](Id value) { return number(OpShiftRightArithmetic, value, one); };
  const Id pair = half(y);
  if (m_shader.yuv == BlitYuv::TwoPlanes) {
    const Id row = number(OpIAdd, rows, pair);
    return colorOfYuv(m_b, luma, channel(even, row, 0), channel(odd, row, 0));
  }
  // A row of the image holds two lines of a plane.
  const auto chroma = [&](Id line) {
    const Id second = number(OpIMul, number(OpBitwiseAnd, line, one), half(width));
    return channel(number(OpIAdd, half(x), second), number(OpIAdd, rows, half(line)), 0);
  };
  return colorOfYuv(m_b, luma, chroma(number(OpIAdd, half(rows), pair)), chroma(pair));
}

Id Taker::fetched() {
  const Id along = given(kAlong, m_t.int4);
  m_start = given(kStart, m_t.int4);
  m_srcOrigin = part(m_b, m_start, m_int2, 0);
  const Id u =
      binary(OpIAdd, binary(OpIMul, m_pixel, part(m_b, along, m_int2, 0)), part(m_b, along, m_int2, 2));
  if (m_shader.sampling == BlitSampling::Same) return fetch(binary(OpIAdd, m_srcOrigin, u));
  const Id sizes = given(kSizes, m_t.int4), whole = part(m_b, sizes, m_int2, 0);
  const Id near = m_b.value(
      OpConvertFToS, m_int2,
      m_b.value(OpFMul, m_t.float2, m_b.value(OpConvertSToF, m_t.float2, u), given(kReciprocal, m_t.float2)));
  const Id nearRest = binary(OpISub, u, binary(OpIMul, near, whole));
  const Id low = binary(OpShiftRightArithmetic, nearRest, two(31));  // -1 if the rest is negative
  const Id high =
      binary(OpShiftRightArithmetic, binary(OpISub, binary(OpISub, whole, two(1)), nearRest), two(31));
  const Id quotient = binary(OpISub, binary(OpIAdd, near, low), high);
  if (m_shader.sampling == BlitSampling::Point) return fetch(binary(OpIAdd, m_srcOrigin, quotient));
  return mixed(u, quotient, sizes, whole);
}

Id Taker::mixed(Id u, Id quotient, Id sizes, Id whole) {
  const Id rest = binary(OpISub, u, binary(OpIMul, quotient, whole));
  const Id weight = m_b.value(OpFDiv, m_t.float2, m_b.value(OpConvertSToF, m_t.float2, rest),
                              m_b.value(OpConvertSToF, m_t.float2, whole));
  const Id before = binary(OpISub, m_b.glsl(GLSLstd450SMax, m_int2, quotient, two(1)), two(1));
  const Id after = m_b.glsl(GLSLstd450SMin, m_int2, quotient, part(m_b, sizes, m_int2, 2));
  const Id corners[2] = {binary(OpIAdd, m_srcOrigin, before), binary(OpIAdd, m_srcOrigin, after)};
  const auto axis = [&](Id vector, Id type, uint32_t index) {
    return m_b.value(OpCompositeExtract, type, vector, index);
  };
  const auto mix = [&](Id x, Id y, uint32_t index) {
    const Id w = axis(weight, m_t.float1, index);
    return m_b.glsl(GLSLstd450FMix, m_t.float4, x, y, m_b.composite(m_t.float4, {w, w, w, w}));
  };
  const auto row = [&](Id corner) {
    const Id y = axis(corner, m_t.int1, 1);
    const Id left = fetch(m_b.composite(m_int2, {axis(corners[0], m_t.int1, 0), y}));
    return mix(left, fetch(m_b.composite(m_int2, {axis(corners[1], m_t.int1, 0), y})), 0);
  };
  const Id above = row(corners[0]);
  return mix(above, row(corners[1]), 1);
}

}  // namespace

std::vector<uint32_t> blitVertexModule(const BlitShader& shader) {
  SpirvBuilder b;
  ViewportTriangle triangle(b);
  Giver giver(b, shader);
  MainFunction main(b);
  giver.give(triangle.place());
  return main.finish(spv::ExecutionModel::Vertex);
}

std::vector<uint32_t> blitFragmentModule(const BlitShader& shader) {
  SpirvBuilder b;
  Taker taker(b, shader);
  MainFunction main(b);
  taker.begin();
  taker.write(taker.color());
  return main.finish(spv::ExecutionModel::Fragment);
}

}  // namespace aerogpu::shader
