// SPDX-License-Identifier: MIT
#include "renderer/shader/spirv/copy_module.h"

namespace aerogpu::shader {

using enum spv::Op;

ViewportTriangle::ViewportTriangle(SpirvBuilder& b)
    : m_b(b),
      m_index(b.variable(spv::StorageClass::Input, b.types().int1)),
      m_position(b.variable(spv::StorageClass::Output, b.types().float4)) {
  b.decorate(m_index, spv::Decoration::BuiltIn, spv::BuiltIn::VertexIndex);
  b.decorate(m_position, spv::Decoration::BuiltIn, spv::BuiltIn::Position);
}

Id ViewportTriangle::place() {
  const SpirvTypes& t = m_b.types();
  const Id i = m_b.load(t.int1, m_index), one = m_b.constantInt(1);
  const Id x = m_b.value(OpConvertSToF, t.float1, m_b.value(OpBitwiseAnd, t.int1, i, one));
  const Id y = m_b.value(OpConvertSToF, t.float1, m_b.value(OpShiftRightArithmetic, t.int1, i, one));
  const auto coordinate = [&](Id far) {
    return m_b.value(OpFSub, t.float1, m_b.value(OpFMul, t.float1, far, m_b.constantFloat(4)),
                     m_b.constantFloat(1));
  };
  m_b.store(m_position, m_b.composite(t.float4, {coordinate(x), coordinate(y), m_b.constantFloat(0),
                                                 m_b.constantFloat(1)}));
  return m_b.composite(t.float2, {x, y});
}

Id part(SpirvBuilder& b, Id vector, Id type, uint32_t first) {
  return b.value(OpVectorShuffle, type, vector, vector, first, first + 1);
}

Id rounded(SpirvBuilder& b, Id value, Id steps, Id half) {
  const Id t = b.types().float1;
  const Id number = b.glsl(GLSLstd450Trunc, t, b.value(OpFAdd, t, b.value(OpFMul, t, value, steps), half));
  return b.value(OpFDiv, t, number, steps);
}

Id roundedToSteps(SpirvBuilder& b, Id texel, const std::array<uint8_t, 4>& steps) {
  Id parts[4];
  for (uint32_t i = 0; i < 4; ++i) {
    parts[i] = b.value(OpCompositeExtract, b.types().float1, texel, i);
    if (steps[i] != 0) parts[i] = rounded(b, parts[i], b.constantFloat(steps[i]), b.constantFloat(0.5f));
  }
  return b.composite(b.types().float4, {parts[0], parts[1], parts[2], parts[3]});
}

}  // namespace aerogpu::shader
