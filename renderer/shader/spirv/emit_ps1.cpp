// SPDX-License-Identifier: MIT
// Emitter: the texture instructions of ps_1_0 to ps_1_4. Source: their pages in the Direct3D 9 "asm shader
// reference". Such shaders have no flow control.
#include "renderer/shader/spirv/emitter.h"

namespace aerogpu::shader {

using d3d9::Opcode;
using d3d9::SourceModifier;

/// Emits a pair: both instructions read their sources before either writes.
void Emitter::coissue(const Instruction& first, const Instruction& second) {
  const auto before = m_values;
  instruction(first);
  const auto after = m_values;
  m_values = before;
  const Id value = arithmetic(second);
  m_values = after;
  writeResult(second, value);
}

void Emitter::pixel1Depth(Id numerator, Id denominator) {
  const Id isZero = m_b.value(Op::OpFOrdEqual, m_t.boolean, denominator, m_b.constantFloat(0));
  const Id quotient = m_b.value(Op::OpFDiv, m_t.float1, numerator, denominator);
  writeSlot(kSlotOutput + kSlotDepth,
            splat(m_b.value(Op::OpSelect, m_t.float1, isZero, m_b.constantFloat(1), quotient)));
}

/// Returns 2 * (N . E) / (N . N) * N - E, three components in a vec4.
Id Emitter::reflected(Id normal, Id eye) {
  const Id along = dot(normal, eye, 3);
  const Id square = m_b.value(Op::OpDot, m_t.float1, normal, normal);
  const Id factor = m_b.value(Op::OpFMul, m_t.float1, m_b.constantFloat(2),
                              m_b.value(Op::OpFDiv, m_t.float1, along, square));
  const Id scaled = m_b.value(Op::OpVectorTimesScalar, m_t.float3, normal, factor);
  return m_b.composite(m_t.float4, {m_b.value(Op::OpFSub, m_t.float3, scaled, eye), m_b.constantFloat(0)});
}

Id Emitter::projectedCoordinate(uint32_t stage) {
  const Id value = inputRegister(stage, true);
  const uint32_t by = stage < m_options.projectedBy.size() ? m_options.projectedBy[stage] : 0;
  return by ? m_b.value(Op::OpFDiv, m_t.float4, value, splat(extract(value, by))) : value;
}

Id Emitter::bumped(uint32_t stage, Id base, Id perturbation) {
  constantBlock();  // sets m_bumpMember
  const Id matrix = loadConstant(m_bumpMember, m_b.constantInt(static_cast<int32_t>(2 * stage)), m_t.float4);
  const Id by = xy(perturbation);
  // BUMPENVMAT00 and 10 make u, 01 and 11 make v.
  const auto sum = [&](uint32_t i) {
    const Id column = m_b.value(Op::OpVectorShuffle, m_t.float2, matrix, matrix, i, i + 2);
    return m_b.value(Op::OpFAdd, m_t.float1, extract(base, i), dot(column, by, 2));
  };
  const Id u = sum(0), v = sum(1);
  return m_b.composite(m_t.float4, {u, v, extract(base, 2), extract(base, 3)});
}

Id Emitter::pixel1Projected(const Operand& source) {
  const Id zero = m_b.constantFloat(0), one = m_b.constantFloat(1);
  Operand o = source;
  const SourceModifier modifier = o.modifier;
  if (modifier != SourceModifier::DivideZ && modifier != SourceModifier::DivideW) return source4(o);
  o.modifier = SourceModifier::None;
  // The swizzle says which components are read; the divisor is what its third or fourth place selects.
  const Id value = source4(o);
  const Id by = extract(value, modifier == SourceModifier::DivideZ ? 2 : 3);
  const Id quotient = m_b.value(Op::OpFDiv, m_t.float4, value, splat(by));
  const Id isZero = m_b.value(Op::OpFOrdEqual, m_t.boolean, by, zero);
  const auto part = [&](uint32_t i) {  // 1 where the divisor is 0 ("texld and texcrd Modifiers")
    return m_b.value(Op::OpSelect, m_t.float1, isZero, one, extract(quotient, i));
  };
  return m_b.composite(m_t.float4, {part(0), part(1), one, one});
}

void Emitter::pixel1Matrix(const Instruction& in) {
  const uint32_t n = in.destination.number;
  const Id zero = m_b.constantFloat(0), one = m_b.constantFloat(1);
  const auto coordinate = [&](uint32_t stage) { return inputRegister(stage, true); };
  const auto from = [&](std::initializer_list<Id> parts) { return m_b.composite(m_t.float4, parts); };
  // A row of the matrix: this stage's coordinate times the source.
  const auto row = [&] {
    const Id source3 = source(in.sources[0], 3);
    return dot(xyz(coordinate(n)), source3, 3);
  };
  const auto earlierRow = [&](uint32_t i) { return m_matrixRows[i] ? m_matrixRows[i] : zero; };
  const auto lastRow = [&](uint32_t rows) {
    const Id last = row();
    const Id result =
        rows == 2 ? from({earlierRow(0), last, zero, one}) : from({earlierRow(0), earlierRow(1), last, one});
    m_matrixRowCount = 0;
    m_matrixRows = {};
    return result;
  };
  switch (in.opcode) {
    case Opcode::TexDp3:
      return writeResult(in, splat(row()));
    case Opcode::TexDp3Tex:
      return writeResult(in, sampleAt(n, from({row(), zero, zero, one})));
    case Opcode::TexM3x2Pad:
    case Opcode::TexM3x3Pad: {
      const Id value = row();
      if (m_matrixRowCount < m_matrixRows.size()) m_matrixRows[m_matrixRowCount++] = value;
      return;
    }
    case Opcode::TexM3x2Tex:
      return writeResult(in, sampleAt(n, lastRow(2)));
    case Opcode::TexM3x2Depth: {
      const Id v = lastRow(2);
      return pixel1Depth(extract(v, 0), extract(v, 1));
    }
    case Opcode::TexM3x3:
      return writeResult(in, lastRow(3));
    case Opcode::TexM3x3Tex:
      return writeResult(in, sampleAt(n, lastRow(3)));
    case Opcode::TexM3x3Spec: {
      const Id normal = xyz(lastRow(3));
      return writeResult(in, sampleAt(n, reflected(normal, source(in.sources[1], 3))));
    }
    default: {  // texm3x3vspec: the eye vector lies in the fourth coordinates of the three stages
      const Id normal = xyz(lastRow(3));
      const Id eye = m_b.composite(m_t.float3, {extract(coordinate(n - 2), 3), extract(coordinate(n - 1), 3),
                                                extract(coordinate(n), 3)});
      return writeResult(in, sampleAt(n, reflected(normal, eye)));
    }
  }
}

void Emitter::pixel1Texture(const Instruction& in) {
  const uint32_t n = in.destination.number;
  const bool four = m_code.info.version.minor == 4;
  const Id zero = m_b.constantFloat(0), one = m_b.constantFloat(1);
  const auto coordinate = [&](uint32_t stage) { return inputRegister(stage, true); };
  const auto from = [&](std::initializer_list<Id> parts) { return m_b.composite(m_t.float4, parts); };
  switch (in.opcode) {
    case Opcode::Tex:
      return writeResult(in, sampleAt(n, four ? pixel1Projected(in.sources[0]) : projectedCoordinate(n)));
    case Opcode::TexBem:
    case Opcode::TexBemL: {
      const Id by = source4(in.sources[0]);
      const Id texel = sampleAt(n, bumped(n, projectedCoordinate(n), by));
      if (in.opcode == Opcode::TexBem) return writeResult(in, texel);
      const Id luminance =
          loadConstant(m_bumpMember, m_b.constantInt(static_cast<int32_t>(2 * n + 1)), m_t.float4);
      const Id scaled = product(extract(by, 2), extract(luminance, 0), 1);
      const Id factor = m_b.value(Op::OpFAdd, m_t.float1, scaled, extract(luminance, 1));
      return writeResult(in, product(texel, splat(factor), 4));
    }
    case Opcode::Bem:
      return writeResult(in, bumped(n, source4(in.sources[0]), source4(in.sources[1])));
    case Opcode::TexCoord: {
      if (four) return writeResult(in, pixel1Projected(in.sources[0]));
      const Id clamped = m_b.glsl(GLSLstd450NClamp, m_t.float4, coordinate(n), m_b.constantNull(m_t.float4),
                                  m_b.constantSplat(1));
      return writeResult(in, from({xyz(clamped), one}));
    }
    case Opcode::TexReg2Ar:
    case Opcode::TexReg2Gb: {
      const Id s = source4(in.sources[0]);
      const bool ar = in.opcode == Opcode::TexReg2Ar;
      return writeResult(in, sampleAt(n, from({extract(s, ar ? 3 : 1), extract(s, ar ? 0 : 2), zero, one})));
    }
    case Opcode::TexReg2Rgb:
      return writeResult(in, sampleAt(n, source4(in.sources[0])));
    case Opcode::TexDepth: {
      const Id v = readSlot(kSlotTemp + n);
      return pixel1Depth(extract(v, 0), extract(v, 1));
    }
    default:
      return pixel1Matrix(in);
  }
}

}  // namespace aerogpu::shader
