// SPDX-License-Identifier: MIT
// Emitter: texture instructions (texld, texldp, texldb, texldd, texldl) and depth comparison.
#include "renderer/shader/spirv/emitter.h"
#include "renderer/shader/spirv/spirv_limits.h"

namespace aerogpu::shader {

using d3d9::Opcode;
using d3d9::SamplerType;

namespace {

spv::Dim dimensionOf(SamplerType type) {
  return type == SamplerType::TextureCube     ? spv::Dim::Cube
         : type == SamplerType::TextureVolume ? spv::Dim::Dim3D
                                              : spv::Dim::Dim2D;
}

}  // namespace

SamplerType Emitter::samplerType(uint32_t number) const {
  const SamplerType given = m_options.samplerTypes[number];
  return given != SamplerType::Unknown ? given : m_code.info.samplerTypes[number];
}

/// Returns a sample with implicit derivatives, as the texture instructions of ps_1_x take it.
Id Emitter::sampleAt(uint32_t number, Id coordinate) {
  const SamplerType type = samplerType(number);
  const bool plane = type == SamplerType::Texture2D;
  const Id position = positionOf(coordinate, type);
  const Id image = sampler(number);
  if (m_options.shadowSamplers >> number & 1 && type != SamplerType::TextureVolume)
    return splat(m_b.value(Op::OpImageSampleDrefImplicitLod, m_t.float1, image, position,
                           extract(coordinate, plane ? 2 : 3)));
  if (isGathered(number)) return gathered(number, position);
  return decoded(number, m_b.value(Op::OpImageSampleImplicitLod, m_t.float4, image, position));
}

/// Decodes sRGB as in IEC 61966-2-1, 5.2, for numbers from 0 to 1; alpha is linear.
Id Emitter::decoded(uint32_t number, Id texel) {
  if (!(m_options.decodedSamplers >> number & 1)) return texel;
  Id parts[4] = {};
  for (uint32_t i = 0; i < 3; ++i) {
    const Id encoded = extract(texel, i);
    const Id low = m_b.value(Op::OpFDiv, m_t.float1, encoded, m_b.constantFloat(12.92f));
    const Id base = m_b.value(Op::OpFDiv, m_t.float1,
                              m_b.value(Op::OpFAdd, m_t.float1, encoded, m_b.constantFloat(0.055f)),
                              m_b.constantFloat(1.055f));
    const Id high = m_b.glsl(GLSLstd450Pow, m_t.float1, base, m_b.constantFloat(2.4f));
    const Id isLow = m_b.value(Op::OpFOrdLessThanEqual, m_t.boolean, encoded, m_b.constantFloat(0.04045f));
    parts[i] = m_b.value(Op::OpSelect, m_t.float1, isLow, low, high);
  }
  return m_b.composite(m_t.float4, {parts[0], parts[1], parts[2], extract(texel, 3)});
}

bool Emitter::isGathered(uint32_t number) const {
  return m_options.gatheredSamplers >> number & 1 && samplerType(number) == SamplerType::Texture2D;
}

/// Returns one channel of four texels, as Fetch4 orders them: alpha is that of the texel at `position`, red
/// of the one to the right of it, green of the one below it, blue of the one below that to the right.
/// (Source: Wine, dlls/d3d9/tests/visual.c, test_fetch4, where the order is that of AMD's drivers.)
Id Emitter::gathered(uint32_t number, Id position) {
  m_b.queriesImages();
  const Id image = sampler(number);
  const Id size =
      m_b.value(Op::OpConvertSToF, m_t.float2,
                m_b.value(Op::OpImageQuerySizeLod, m_b.vectorType(m_t.int1, 2),
                          m_b.value(Op::OpImage, m_b.imageType(spv::Dim::Dim2D), image), m_b.constantInt(0)));
  // The four texels meet in the lower right corner of the first one, which no rounding moves to others.
  const Id first = m_b.glsl(GLSLstd450Floor, m_t.float2, m_b.value(Op::OpFMul, m_t.float2, position, size));
  const Id one = m_b.constantFloat(1);
  const Id corner =
      m_b.value(Op::OpFDiv, m_t.float2,
                m_b.value(Op::OpFAdd, m_t.float2, first, m_b.composite(m_t.float2, {one, one})), size);
  const bool alpha = m_options.gatheredSamplers >> (kGatheredAlpha + number) & 1;
  const Id texels = m_b.value(Op::OpImageGather, m_t.float4, image, corner, m_b.constantInt(alpha ? 3 : 0));
  // OpImageGather begins below on the left, and goes round by way of the right.
  return m_b.value(Op::OpVectorShuffle, m_t.float4, texels, texels, 2, 0, 1, 3);
}

Id Emitter::sampler(uint32_t number) {
  const SamplerType type = samplerType(number);
  const bool compare = m_options.shadowSamplers >> number & 1 && type != SamplerType::TextureVolume;
  const Id imageType = m_b.sampledImageType(dimensionOf(type), compare);
  Id& variable = m_samplers[number];
  if (!variable) {
    variable = m_b.variable(spv::StorageClass::UniformConstant, imageType);
    m_b.decorate(variable, spv::Decoration::DescriptorSet, kTextureSet);
    m_b.decorate(variable, spv::Decoration::Binding,
                 (isVertex() ? kVsSamplerBinding : kPsSamplerBinding) + number);
  }
  return m_b.load(imageType, variable);
}

/// Limits floats (spirv_limits.h); GPUs differ in what they make of infinity, NaN and 1e30, and their
/// compilers fold constants.
Id Emitter::limited(Id value, uint32_t count, float most) {
  const Id type = count == 1 ? m_t.float1 : count == 2 ? m_t.float2 : m_t.float3;
  const auto all = [&](float one) {
    const Id c = m_b.constantFloat(one);
    return count == 1 ? c : count == 2 ? m_b.composite(type, {c, c}) : m_b.composite(type, {c, c, c});
  };
  return m_b.glsl(GLSLstd450NClamp, type, value, all(-most), all(most));
}

/// Returns the coordinates of a sample. They are limited too: lavapipe 22.3 reads beyond a texture's memory
/// where a constant one is NaN.
Id Emitter::positionOf(Id coordinate, SamplerType type) {
  const bool plane = type == SamplerType::Texture2D;
  return limited(plane ? xy(coordinate) : xyz(coordinate), plane ? 2 : 3,
                 type == SamplerType::TextureCube ? kMostDirection : kMostCoordinate);
}

void Emitter::texture(const Instruction& in) {
  using Mask = spv::ImageOperandsMask;
  const Operand& s = in.sources[1];
  const SamplerType type = samplerType(s.number);
  const bool plane = type == SamplerType::Texture2D;
  const bool compare = m_options.shadowSamplers >> s.number & 1 && type != SamplerType::TextureVolume;
  Id coordinate = source4(in.sources[0]);
  const Id w = extract(coordinate, 3);
  if (in.opcode == Opcode::Tex && in.control == d3d9::kTexldProject)
    coordinate = m_b.value(Op::OpFDiv, m_t.float4, coordinate, splat(w));
  const Id position = positionOf(coordinate, type);

  // Operands beyond image and coordinate, and explicit levels.
  bool explicitLod = in.opcode != Opcode::Tex;
  Mask mask = Mask::MaskNone;
  Id operands[2] = {};
  if (in.opcode == Opcode::TexLdl) {
    mask = Mask::Lod;
    operands[0] = limited(w, 1, kMostLevel);
  } else if (in.opcode == Opcode::TexLdd) {
    mask = Mask::Grad;
    for (int i = 0; i < 2; ++i)
      operands[i] = limited(source(in.sources[2 + i], plane ? 2 : 3), plane ? 2 : 3, kMostDirection);
  } else if (in.control == d3d9::kTexldBias) {
    mask = Mask::Bias;
    operands[0] = limited(w, 1, kMostLevel);
  }

  const Id image = sampler(s.number);
  const auto sample = [&](Op op, Id resultType, auto... reference) {
    if (mask == Mask::MaskNone) return m_b.value(op, resultType, image, position, reference...);
    if (mask == Mask::Grad)
      return m_b.value(op, resultType, image, position, reference..., mask, operands[0], operands[1]);
    return m_b.value(op, resultType, image, position, reference..., mask, operands[0]);
  };
  Id result;
  if (compare) {
    // A depth texture compares its content with the third coordinate (the fourth for cube maps), and all
    // components get the share that passed.
    const Id reference = plane ? extract(coordinate, 2) : w;
    const Op op = explicitLod ? Op::OpImageSampleDrefExplicitLod : Op::OpImageSampleDrefImplicitLod;
    result = splat(sample(op, m_t.float1, reference));
  } else if (isGathered(s.number)) {
    result = gathered(s.number, position);  // whatever level or bias the instruction has
  } else {
    result = decoded(
        s.number,
        sample(explicitLod ? Op::OpImageSampleExplicitLod : Op::OpImageSampleImplicitLod, m_t.float4));
  }
  if (s.swizzle != d3d9::kIdentitySwizzle)
    result = m_b.value(Op::OpVectorShuffle, m_t.float4, result, result, s.component(0), s.component(1),
                       s.component(2), s.component(3));
  writeResult(in, result);
}

}  // namespace aerogpu::shader
