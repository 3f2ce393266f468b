// SPDX-License-Identifier: MIT
// The modules of blit.h. In GLSL:
//
//   ivec2 t = ivec2(gl_FragCoord.xy) - to.xy;
//   t += mirror * (to.zw - 1 - 2 * t);
//   color = texelFetch(image, from.xy + t, 0);               // Same
//
//   ivec2 u = (2 * t + 1) * from.zw;                         // by 1 / (2 * to.zw)
//   color = texelFetch(image, from.xy + u / (2 * to.zw), 0); // Point
//
//   ivec2 right = u + to.zw, second = right / (2 * to.zw);   // Linear: the texel whose center comes next
//   vec2 weight = vec2(right % (2 * to.zw)) / vec2(2 * to.zw);
//   ivec2 first = from.xy + max(second, 1) - 1;
//   second = from.xy + min(second, from.zw - 1);
//   color = mix of the four around, by weight
//
// Where the target is not a color's own, what is written are the channels that it wants, rounded to its
// steps. A texel that is the color key is discarded, and one of a target that is not the target's key stays.
// What is YUV becomes a color where it is fetched.
//
// Whole numbers are divided as floats, and the quotient, off by one at most, is put right: lavapipe divides
// whole numbers one by one.
#include "renderer/shader/spirv/blit.h"

#include <iterator>

#include "renderer/shader/spirv/spirv_builder.h"

namespace aerogpu::shader {
namespace {

using enum spv::Op;

// ITU-R BT.601: what V (Cr) and U (Cb), as -0.5 to 0.5, add to a channel or take from it.
constexpr float kYuvRedOfV = 1.402f, kYuvGreenOfU = 0.344136f, kYuvGreenOfV = 0.714136f, kYuvBlueOfU = 1.772f;

class Main {
public:
  explicit Main(SpirvBuilder& b) : m_b(b), m_entry(b.newId()) {
    b.code(OpFunction, b.types().voidType, m_entry, spv::FunctionControlMask::MaskNone, b.types().function);
    b.label(b.newId());
  }
  Words finish(spv::ExecutionModel model) {
    m_b.code(OpReturn);
    m_b.code(OpFunctionEnd);
    return m_b.finish(model, m_entry);
  }

private:
  SpirvBuilder& m_b;
  const Id m_entry;
};

/// BT.601 for 16 to 235 as black to white: what red, green and blue get of V and U, which lie around 128.
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

/// Ends the invocation if the texel is the color key; or, `unless`, if it is not.
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

/// What the target's texel gets of a color.
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
    const Id number = b.glsl(GLSLstd450Trunc, t.float1,
                             b.value(OpFAdd, t.float1, b.value(OpFMul, t.float1, limited, steps), away));
    parts[i] = b.value(OpFDiv, t.float1, number, steps);
  }
  return b.composite(t.float4, {parts[0], parts[1], parts[2], parts[3]});
}

}  // namespace

std::vector<uint32_t> blitVertexModule() {
  SpirvBuilder b;
  const SpirvTypes& t = b.types();
  const Id index = b.variable(spv::StorageClass::Input, t.int1);
  b.decorate(index, spv::Decoration::BuiltIn, spv::BuiltIn::VertexIndex);
  const Id position = b.variable(spv::StorageClass::Output, t.float4);
  b.decorate(position, spv::Decoration::BuiltIn, spv::BuiltIn::Position);
  Main main(b);
  // (-1, -1), (3, -1), (-1, 3)
  const Id i = b.load(t.int1, index);
  const auto coordinate = [&](Id bit) {
    const Id far = b.value(OpConvertSToF, t.float1, bit);
    return b.value(OpFSub, t.float1, b.value(OpFMul, t.float1, far, b.constantFloat(4)), b.constantFloat(1));
  };
  const Id x = coordinate(b.value(OpBitwiseAnd, t.int1, i, b.constantInt(1)));
  const Id y = coordinate(b.value(OpShiftRightArithmetic, t.int1, i, b.constantInt(1)));
  b.store(position, b.composite(t.float4, {x, y, b.constantFloat(0), b.constantFloat(1)}));
  return main.finish(spv::ExecutionModel::Vertex);
}

std::vector<uint32_t> blitFragmentModule(const BlitShader& shader) {
  const BlitSampling sampling = shader.sampling;
  const bool volume = shader.volume;
  SpirvBuilder b;
  const SpirvTypes& t = b.types();
  const Id int2 = b.vectorType(t.int1, 2), int3 = b.vectorType(t.int1, 3);
  const Id imageType = b.imageType(volume ? spv::Dim::Dim3D : spv::Dim::Dim2D);
  const Id members[] = {t.int4, t.int4, t.int4, t.float4, t.float4, t.float4, t.float4};
  const Id block = b.structType(members);
  b.decorate(block, spv::Decoration::Block);
  for (uint32_t i = 0; i < std::size(members); ++i)
    b.decorateMember(block, i, spv::Decoration::Offset, i * 16);
  const Id constants = b.variable(spv::StorageClass::PushConstant, block);
  const auto bound = [&](Id type, uint32_t binding) {
    const Id variable = b.variable(spv::StorageClass::UniformConstant, type);
    b.decorate(variable, spv::Decoration::DescriptorSet, 0u);
    b.decorate(variable, spv::Decoration::Binding, binding);
    return variable;
  };
  const Id image = bound(imageType, 0);
  const Id flatType = volume && shader.targetKey ? b.imageType(spv::Dim::Dim2D) : imageType;
  const Id kept = shader.targetKey ? bound(flatType, 1) : 0;
  const Id place = b.variable(spv::StorageClass::Input, t.float4);
  b.decorate(place, spv::Decoration::BuiltIn, spv::BuiltIn::FragCoord);
  const Id color = b.variable(spv::StorageClass::Output, t.float4);
  b.decorate(color, spv::Decoration::Location, 0u);
  b.executionMode(spv::ExecutionMode::OriginUpperLeft);
  const Id member = b.pointerType(spv::StorageClass::PushConstant, t.int4);

  Main main(b);
  const auto two = [&](int32_t value) {
    const Id c = b.constantInt(value);
    return b.composite(int2, {c, c});
  };
  const auto constant = [&](int32_t index) {
    return b.load(t.int4, b.value(OpAccessChain, member, constants, b.constantInt(index)));
  };
  const auto part = [&](Id vector, Id type, uint32_t first) {
    return b.value(OpVectorShuffle, type, vector, vector, first, first + 1);
  };
  const auto binary = [&](spv::Op op, Id x, Id y) { return b.value(op, int2, x, y); };
  const Id to = constant(0), from = constant(1), others = constant(2);
  const Id size = part(to, int2, 2), srcOrigin = part(from, int2, 0), srcSize = part(from, int2, 2);
  const Id whole = binary(OpIMul, size, two(2));

  const Id pixel = b.value(OpConvertFToS, int2, part(b.load(t.float4, place), t.float2, 0));
  const Id straight = binary(OpISub, pixel, part(to, int2, 0));
  const Id twice = binary(OpIMul, straight, two(2));
  const Id turned = binary(OpISub, binary(OpISub, size, two(1)), twice);
  const Id at = binary(OpIAdd, straight, binary(OpIMul, part(others, int2, 0), turned));
  const Id source = b.load(imageType, image);
  const auto fetchTexel = [&](Id texel) {
    const Id where =
        volume ? b.composite(int3, {texel, b.value(OpCompositeExtract, t.int1, others, 2u)}) : texel;
    return b.value(OpImageFetch, t.float4, source, where, spv::ImageOperandsMask::Lod, b.constantInt(0));
  };
  const auto fetch = [&](Id texel) {
    if (shader.yuv == BlitYuv::None) return fetchTexel(texel);
    const auto number = [&](spv::Op op, Id left, Id right) { return b.value(op, t.int1, left, right); };
    const Id x = b.value(OpCompositeExtract, t.int1, texel, 0u),
             y = b.value(OpCompositeExtract, t.int1, texel, 1u);
    const Id luma = b.value(OpCompositeExtract, t.float1, fetchTexel(texel), 0u), one = b.constantInt(1);
    const auto channel = [&](Id column, Id row, uint32_t index) {
      return b.value(OpCompositeExtract, t.float1, fetchTexel(b.composite(int2, {column, row})), index);
    };
    const Id even = number(OpBitwiseAnd, x, b.constantInt(~1)), odd = number(OpBitwiseOr, x, one);
    if (shader.yuv == BlitYuv::Pairs) return colorOfYuv(b, luma, channel(even, y, 1), channel(odd, y, 1));
    const Id width = b.value(OpCompositeExtract, t.int1, others, 2u),
             rows = b.value(OpCompositeExtract, t.int1, others, 3u);
    const auto half = [&](Id value) { return number(OpShiftRightArithmetic, value, one); };
    const Id pair = half(y);
    if (shader.yuv == BlitYuv::TwoPlanes) {
      const Id row = number(OpIAdd, rows, pair);
      return colorOfYuv(b, luma, channel(even, row, 0), channel(odd, row, 0));
    }
    // A row of the image holds two lines of a plane.
    const auto chroma = [&](Id line) {
      const Id second = number(OpIMul, number(OpBitwiseAnd, line, one), half(width));
      return channel(number(OpIAdd, half(x), second), number(OpIAdd, rows, half(line)), 0);
    };
    return colorOfYuv(b, luma, chroma(number(OpIAdd, half(rows), pair)), chroma(pair));
  };
  const auto finish = [&](Id value) {
    const Id floats = b.pointerType(spv::StorageClass::PushConstant, t.float4);
    const auto limit = [&](int32_t index) {
      return b.load(t.float4, b.value(OpAccessChain, floats, constants, b.constantInt(index)));
    };
    if (shader.colorKey) discardKey(b, value, limit(3), limit(4), false);
    if (shader.targetKey) {
      const Id texel = b.value(OpImageFetch, t.float4, b.load(flatType, kept), straight,
                               spv::ImageOperandsMask::Lod, b.constantInt(0));
      discardKey(b, texel, limit(5), limit(6), true);
    }
    b.store(color, written(b, shader.output, value));
    return main.finish(spv::ExecutionModel::Fragment);
  };
  if (sampling == BlitSampling::Same) return finish(fetch(binary(OpIAdd, srcOrigin, at)));
  const Id floats = b.value(OpConvertSToF, t.float2, whole);
  const auto divide = [&](Id number) {
    const Id quotient = b.value(OpFDiv, t.float2, b.value(OpConvertSToF, t.float2, number), floats);
    const Id near = b.value(OpConvertFToS, int2, quotient);
    const Id rest = binary(OpISub, number, binary(OpIMul, near, whole));
    const Id low = binary(OpShiftRightArithmetic, rest, two(31));  // -1 if the rest is negative
    const Id high =
        binary(OpShiftRightArithmetic, binary(OpISub, binary(OpISub, whole, two(1)), rest), two(31));
    return binary(OpISub, binary(OpIAdd, near, low), high);
  };
  const Id odd = binary(OpIAdd, binary(OpIMul, at, two(2)), two(1));
  const Id u = binary(OpIMul, odd, srcSize);

  if (sampling == BlitSampling::Point) return finish(fetch(binary(OpIAdd, srcOrigin, divide(u))));
  const Id right = binary(OpIAdd, u, size);
  const Id next = divide(right);
  const Id rest = binary(OpISub, right, binary(OpIMul, next, whole));
  const Id weight = b.value(OpFDiv, t.float2, b.value(OpConvertSToF, t.float2, rest), floats);
  const Id before = binary(OpISub, b.glsl(GLSLstd450SMax, int2, next, two(1)), two(1));
  const Id after = b.glsl(GLSLstd450SMin, int2, next, binary(OpISub, srcSize, two(1)));
  const Id corners[2] = {binary(OpIAdd, srcOrigin, before), binary(OpIAdd, srcOrigin, after)};
  const auto axis = [&](Id vector, Id type, uint32_t index) {
    return b.value(OpCompositeExtract, type, vector, index);
  };
  const auto mix = [&](Id x, Id y, uint32_t index) {
    const Id w = axis(weight, t.float1, index);
    return b.glsl(GLSLstd450FMix, t.float4, x, y, b.composite(t.float4, {w, w, w, w}));
  };
  const auto row = [&](Id corner) {
    const Id y = axis(corner, t.int1, 1);
    const Id left = fetch(b.composite(int2, {axis(corners[0], t.int1, 0), y}));
    return mix(left, fetch(b.composite(int2, {axis(corners[1], t.int1, 0), y})), 0);
  };
  const Id above = row(corners[0]);
  return finish(mix(above, row(corners[1]), 1));
}

}  // namespace aerogpu::shader
