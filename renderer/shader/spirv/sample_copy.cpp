// SPDX-License-Identifier: MIT
// The modules of sample_copy.h. In GLSL:
//
//   ivec2 at = ivec2(gl_FragCoord.xy) + offset;
//   vec4 texel = texelFetch(source, at, sample);            // of one sample: level 0
//   gl_SampleMask[0] = 1 << sample;                         // to several samples
//   color = texel;                                          // Color; Depth of several samples
//   color = vec4(texel.x / 255.0);                          // Stencil of several samples, which are numbers
//   gl_FragDepth = texel.x;                                 // Depth to several samples
//   if ((int(texel.x * 255.0 + 0.5) & bits) != bits) discard;  // Stencil to several samples
//   float number = clamp(roundEven(texel.x * 16777215.0) + bits, 0.0, 16777215.0);  // Compared
//   float other = number * 0x1p-24 + number * 0x1p-48;
//   gl_FragDepth = other; color = vec4(other);
#include "renderer/shader/spirv/sample_copy.h"

#include <algorithm>

#include "renderer/shader/spirv/copy_module.h"

namespace aerogpu::shader {
namespace {

using enum spv::Op;

constexpr float kComparedOne = 0xFFFFFF;  ///< stands for 1 in 24 bits

/// Writes the fragment shader.
class SampleCopier {
public:
  SampleCopier(SpirvBuilder& b, const SampleCopyShader& shader);
  void write();

private:
  bool isStencil() const { return m_shader.plane == SampleCopyPlane::Stencil; }
  bool compares() const { return m_shader.plane == SampleCopyPlane::Compared; }
  bool writesColor() const {
    return m_shader.fromSamples || m_shader.plane == SampleCopyPlane::Color || compares();
  }
  Id constant(uint32_t index, Id type);
  Id fetched();
  void cover();
  Id red(Id texel) { return m_b.value(OpCompositeExtract, m_t.float1, texel, 0u); }
  void discardWithout(Id texel);
  Id beside(Id texel);

  SpirvBuilder& m_b;
  const SpirvTypes& m_t;
  const SampleCopyShader& m_shader;
  const Id m_int2;
  Id m_sourceType = 0, m_source = 0, m_place = 0, m_constants = 0, m_maskType = 0, m_mask = 0;
  Id m_color = 0, m_depth = 0;
};

SampleCopier::SampleCopier(SpirvBuilder& b, const SampleCopyShader& shader)
    : m_b(b), m_t(b.types()), m_shader(shader), m_int2(b.vectorType(m_t.int1, 2)) {
  const Id component = isStencil() ? m_t.uint1 : m_t.float1;
  m_sourceType = shader.fromSamples ? b.samplesType(component) : b.imageType(spv::Dim::Dim2D);
  m_source = b.variable(spv::StorageClass::UniformConstant, m_sourceType);
  b.decorate(m_source, spv::Decoration::DescriptorSet, 0u);
  b.decorate(m_source, spv::Decoration::Binding, 0u);
  m_place = b.variable(spv::StorageClass::Input, m_t.float4);
  b.decorate(m_place, spv::Decoration::BuiltIn, spv::BuiltIn::FragCoord);
  const Id members[] = {m_int2, m_t.int1, m_t.int1};
  const Id block = b.structType(members);
  b.decorate(block, spv::Decoration::Block);
  for (uint32_t i = 0; i < 3; ++i)
    b.decorateMember(block, i, spv::Decoration::Offset, i == 0 ? 0 : 4 + i * 4);
  m_constants = b.variable(spv::StorageClass::PushConstant, block);
  if (!shader.fromSamples) {
    m_maskType = b.arrayType(m_t.int1, 1);
    m_mask = b.variable(spv::StorageClass::Output, m_maskType);
    b.decorate(m_mask, spv::Decoration::BuiltIn, spv::BuiltIn::SampleMask);
  }
  if (writesColor()) {
    m_color = b.variable(spv::StorageClass::Output, m_t.float4);
    b.decorate(m_color, spv::Decoration::Location, 0u);
  }
  if (!shader.fromSamples && (shader.plane == SampleCopyPlane::Depth || compares())) {
    m_depth = b.variable(spv::StorageClass::Output, m_t.float1);
    b.decorate(m_depth, spv::Decoration::BuiltIn, spv::BuiltIn::FragDepth);
    b.executionMode(spv::ExecutionMode::DepthReplacing);
  }
  b.executionMode(spv::ExecutionMode::OriginUpperLeft);
}

Id SampleCopier::constant(uint32_t index, Id type) {
  const Id pointer = m_b.pointerType(spv::StorageClass::PushConstant, type);
  return m_b.load(
      type, m_b.value(OpAccessChain, pointer, m_constants, m_b.constantInt(static_cast<int32_t>(index))));
}

Id SampleCopier::fetched() {
  const Id pixel = m_b.value(OpConvertFToS, m_int2, part(m_b, m_b.load(m_t.float4, m_place), m_t.float2, 0));
  const Id at = m_b.value(OpIAdd, m_int2, pixel, constant(0, m_int2));
  const Id source = m_b.load(m_sourceType, m_source);
  if (!m_shader.fromSamples)
    return m_b.value(OpImageFetch, m_t.float4, source, at, spv::ImageOperandsMask::Lod, m_b.constantInt(0));
  const Id sample = constant(1, m_t.int1);
  if (!isStencil())
    return m_b.value(OpImageFetch, m_t.float4, source, at, spv::ImageOperandsMask::Sample, sample);
  const Id numbers = m_b.value(OpImageFetch, m_b.vectorType(m_t.uint1, 4), source, at,
                               spv::ImageOperandsMask::Sample, sample);
  const Id number =
      m_b.value(OpConvertUToF, m_t.float1, m_b.value(OpCompositeExtract, m_t.uint1, numbers, 0u));
  const Id part = m_b.value(OpFDiv, m_t.float1, number, m_b.constantFloat(255));
  return m_b.composite(m_t.float4, {part, part, part, part});
}

void SampleCopier::cover() {
  const Id pointer = m_b.pointerType(spv::StorageClass::Output, m_t.int1);
  m_b.store(m_b.value(OpAccessChain, pointer, m_mask, m_b.constantInt(0)),
            m_b.value(OpShiftLeftLogical, m_t.int1, m_b.constantInt(1), constant(1, m_t.int1)));
}

void SampleCopier::discardWithout(Id texel) {
  const Id scaled =
      m_b.value(OpFAdd, m_t.float1, m_b.value(OpFMul, m_t.float1, red(texel), m_b.constantFloat(255)),
                m_b.constantFloat(0.5f));
  const Id bits = constant(2, m_t.int1), kill = m_b.newId(), stay = m_b.newId();
  const Id has = m_b.value(OpBitwiseAnd, m_t.int1, m_b.value(OpConvertFToS, m_t.int1, scaled), bits);
  const Id lacks = m_b.value(OpINotEqual, m_t.boolean, has, bits);
  m_b.code(OpSelectionMerge, stay, spv::SelectionControlMask::MaskNone);
  m_b.code(OpBranchConditional, lacks, kill, stay);
  m_b.label(kill);
  m_b.code(OpKill);
  m_b.label(stay);
}

Id SampleCopier::beside(Id texel) {
  const Id one = m_b.constantFloat(kComparedOne);
  const Id near = m_b.glsl(GLSLstd450RoundEven, m_t.float1, m_b.value(OpFMul, m_t.float1, red(texel), one));
  const Id beside =
      m_b.value(OpFAdd, m_t.float1, near, m_b.value(OpConvertSToF, m_t.float1, constant(2, m_t.int1)));
  const Id number = m_b.glsl(GLSLstd450NClamp, m_t.float1, beside, m_b.constantFloat(0), one);
  // number / (2^24 - 1) to the nearest float. A division is inexact, and so is the sum's product with both.
  const auto exact = [&](spv::Op op, Id x, Id y) {
    const Id result = m_b.value(op, m_t.float1, x, y);
    m_b.decorate(result, spv::Decoration::NoContraction);
    return result;
  };
  const Id other = exact(OpFAdd, exact(OpFMul, number, m_b.constantFloat(0x1p-24f)),
                         exact(OpFMul, number, m_b.constantFloat(0x1p-48f)));
  return m_b.composite(m_t.float4, {other, other, other, other});
}

void SampleCopier::write() {
  Id texel = fetched();
  if (!m_shader.fromSamples) cover();
  if (m_shader.narrow != std::array<uint8_t, 4>{}) texel = roundedToSteps(m_b, texel, m_shader.narrow);
  if (compares()) texel = beside(texel);
  if (!m_shader.fromSamples && isStencil()) discardWithout(texel);
  if (m_color) m_b.store(m_color, texel);
  if (m_depth) m_b.store(m_depth, red(texel));
}

}  // namespace

std::vector<uint32_t> sampleCopyVertexModule() {
  SpirvBuilder b;
  ViewportTriangle triangle(b);
  MainFunction main(b);
  triangle.place();
  return main.finish(spv::ExecutionModel::Vertex);
}

std::vector<uint32_t> sampleCopyFragmentModule(const SampleCopyShader& shader) {
  SpirvBuilder b;
  SampleCopier copier(b, shader);
  MainFunction main(b);
  copier.write();
  return main.finish(spv::ExecutionModel::Fragment);
}

}  // namespace aerogpu::shader
