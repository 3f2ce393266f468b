// SPDX-License-Identifier: MIT
// Emitter: arithmetic. Each instruction follows its page of the Direct3D 9 "asm shader reference"; if the
// page bounds a result (reciprocals and logarithms of zero), so does the code.
#include <cfloat>

#include "renderer/shader/spirv/emitter.h"

namespace aerogpu::shader {

using d3d9::Opcode;

Id Emitter::comparison(uint32_t control, Id a, Id b, Id type) {
  switch (static_cast<d3d9::Comparison>(control)) {
    case d3d9::Comparison::Greater:
      return m_b.value(Op::OpFOrdGreaterThan, type, a, b);
    case d3d9::Comparison::Equal:
      return m_b.value(Op::OpFOrdEqual, type, a, b);
    case d3d9::Comparison::GreaterEqual:
      return m_b.value(Op::OpFOrdGreaterThanEqual, type, a, b);
    case d3d9::Comparison::Less:
      return m_b.value(Op::OpFOrdLessThan, type, a, b);
    case d3d9::Comparison::NotEqual:
      return m_b.value(Op::OpFUnordNotEqual, type, a, b);
    default:
      return m_b.value(Op::OpFOrdLessThanEqual, type, a, b);
  }
}

/// Returns Direct3D 9's product: 0 times anything is 0, also times infinity and NaN. Programs divide by 0 or
/// overflow and mask the result with a 0. Of the possible forms, a selection after the product costs lavapipe
/// least (docs/develop/performance.md).
Id Emitter::product(Id a, Id b, uint32_t components) {
  const Id type = floatType(components), product = m_b.value(Op::OpFMul, type, a, b);
  // 0 times a finite number is 0 anyway, and so is the square of 0.
  const bool lookAtA = a != b && !isFinite(b), lookAtB = a != b && !isFinite(a);
  if (!lookAtA && !lookAtB) return product;
  const Id zero = m_b.constantNull(type), bools = boolType(components);
  Id isZero = m_b.value(Op::OpFOrdEqual, bools, lookAtA ? a : b, zero);
  if (lookAtA && lookAtB)
    isZero = m_b.value(Op::OpLogicalOr, bools, isZero, m_b.value(Op::OpFOrdEqual, bools, b, zero));
  return m_b.value(Op::OpSelect, type, isZero, zero, product);
}

Id Emitter::dot(Id a, Id b, uint32_t components) {
  if (a == b || (isFinite(a) && isFinite(b))) return m_b.value(Op::OpDot, m_t.float1, a, b);
  const Id products = product(a, b, components);
  Id sum = extract(products, 0);
  for (uint32_t i = 1; i < components; ++i)
    sum = m_b.value(Op::OpFAdd, m_t.float1, sum, extract(products, i));
  return sum;
}

/// Returns 2^x. As everywhere, an infinite result becomes FLT_MAX.
Id Emitter::power2(Id x) {
  const Id power = m_b.glsl(GLSLstd450Exp2, m_t.float1, x);
  return m_b.glsl(GLSLstd450NMin, m_t.float1, power, m_b.constantFloat(FLT_MAX));
}

/// Returns log2 |x|, -FLT_MAX for 0.
Id Emitter::logarithm(Id x) {
  const Id abs = m_b.glsl(GLSLstd450FAbs, m_t.float1, x);
  const Id log = m_b.glsl(GLSLstd450Log2, m_t.float1, abs);
  return m_b.glsl(GLSLstd450NMax, m_t.float1, log, m_b.constantFloat(-FLT_MAX));
}

/// Returns 1 / sqrt |x|, FLT_MAX for 0.
Id Emitter::reciprocalRoot(Id x) {
  const Id abs = m_b.glsl(GLSLstd450FAbs, m_t.float1, x);
  const Id root = m_b.glsl(GLSLstd450InverseSqrt, m_t.float1, abs);
  return m_b.glsl(GLSLstd450NMin, m_t.float1, root, m_b.constantFloat(FLT_MAX));
}

Id Emitter::lit(const Operand& s) {
  const Id x = scalar(s, 0), y = scalar(s, 1), w = scalar(s, 3);
  const Id zero = m_b.constantFloat(0), one = m_b.constantFloat(1);
  const Id limit = m_b.constantFloat(127.9961f);
  const Id power = m_b.glsl(GLSLstd450NClamp, m_t.float1, w, m_b.constantFloat(-127.9961f), limit);
  const Id lit = m_b.value(Op::OpFOrdGreaterThan, m_t.boolean, x, zero);
  const Id shiny = m_b.value(Op::OpFOrdGreaterThan, m_t.boolean, y, zero);
  const Id both = m_b.value(Op::OpLogicalAnd, m_t.boolean, lit, shiny);
  const Id exponent = product(power, logarithm(y), 1);
  const Id specular = power2(exponent);
  const Id diffuse = m_b.value(Op::OpSelect, m_t.float1, lit, x, zero);
  return m_b.composite(m_t.float4,
                       {one, diffuse, m_b.value(Op::OpSelect, m_t.float1, both, specular, zero), one});
}

/// Returns the result of expp in vs_1_1: 2^floor(x), fraction, 2^x, 1.
Id Emitter::vertexShader1Exp(const Operand& s) {
  const Id x = scalar(s, 0);
  const Id floor = m_b.glsl(GLSLstd450Floor, m_t.float1, x);
  return m_b.composite(
      m_t.float4, {power2(floor), m_b.glsl(GLSLstd450Fract, m_t.float1, x), power2(x), m_b.constantFloat(1)});
}

Id Emitter::matrix(const Instruction& in) {
  const bool three = in.opcode == Opcode::M3x4 || in.opcode == Opcode::M3x3 || in.opcode == Opcode::M3x2;
  const uint32_t components = three ? 3 : 4;
  const Id vector = source(in.sources[0], components);
  const Id zero = m_b.constantFloat(0);
  Id rows[4] = {zero, zero, zero, zero};
  for (uint32_t r = 0; r < matrixRows(in.opcode); ++r)
    rows[r] = dot(vector, source(in.sources[1], components, r), components);
  return m_b.composite(m_t.float4, {rows[0], rows[1], rows[2], rows[3]});
}

/// Returns the result of an instruction that works on each component alone.
Id Emitter::componentwise(const Instruction& in) {
  const auto& s = in.sources;
  const auto binary = [&](Op op) {
    const Id a = source4(s[0]), b = source4(s[1]);
    return m_b.value(op, m_t.float4, a, b);
  };
  const auto binaryGlsl = [&](GLSLstd450 op) {
    const Id a = source4(s[0]), b = source4(s[1]);
    return m_b.glsl(op, m_t.float4, a, b);
  };
  switch (in.opcode) {
    case Opcode::Add:
      return binary(Op::OpFAdd);
    case Opcode::Sub:
      return binary(Op::OpFSub);
    case Opcode::Mul: {
      const Id a = source4(s[0]), b = source4(s[1]);
      return product(a, b, 4);
    }
    case Opcode::Mad: {
      const Id a = source4(s[0]), b = source4(s[1]);
      return m_b.value(Op::OpFAdd, m_t.float4, product(a, b, 4), source4(s[2]));
    }
    case Opcode::Min:
      return binaryGlsl(GLSLstd450NMin);
    case Opcode::Max:
      return binaryGlsl(GLSLstd450NMax);
    case Opcode::Abs:
      return m_b.glsl(GLSLstd450FAbs, m_t.float4, source4(s[0]));
    case Opcode::Frc:
      return m_b.glsl(GLSLstd450Fract, m_t.float4, source4(s[0]));
    case Opcode::Sgn:
      return m_b.glsl(GLSLstd450FSign, m_t.float4, source4(s[0]));
    case Opcode::Lrp: {
      // dest = src0 * (src1 - src2) + src2
      const Id t = source4(s[0]), a = source4(s[1]), b = source4(s[2]);
      const Id difference = m_b.value(Op::OpFSub, m_t.float4, a, b);
      return m_b.value(Op::OpFAdd, m_t.float4, product(t, difference, 4), b);
    }
    case Opcode::Dsx:
      return m_b.value(Op::OpDPdx, m_t.float4, source4(s[0]));
    case Opcode::Dsy:
      return m_b.value(Op::OpDPdy, m_t.float4, source4(s[0]));
    default:  // mov
      return source4(s[0]);
  }
}

/// Returns the result of an instruction that selects one of two values for each component.
Id Emitter::selection(const Instruction& in) {
  const auto& s = in.sources;
  const Id zero4 = m_b.constantNull(m_t.float4);
  const auto select = [&](Id condition, Id yes, Id no) {
    return m_b.value(Op::OpSelect, m_t.float4, condition, yes, no);
  };
  switch (in.opcode) {
    case Opcode::Slt:
    case Opcode::Sge: {
      const Id a = source4(s[0]), b = source4(s[1]);
      const Op op = in.opcode == Opcode::Slt ? Op::OpFOrdLessThan : Op::OpFOrdGreaterThanEqual;
      return select(m_b.value(op, m_t.bool4, a, b), m_b.constantSplat(1), zero4);
    }
    case Opcode::Cmp: {
      const Id c = source4(s[0]), a = source4(s[1]), b = source4(s[2]);
      return select(m_b.value(Op::OpFOrdGreaterThanEqual, m_t.bool4, c, zero4), a, b);
    }
    default: {  // cnd
      const Id c = source4(s[0]), a = source4(s[1]), b = source4(s[2]);
      return select(m_b.value(Op::OpFOrdGreaterThan, m_t.bool4, c, m_b.constantSplat(0.5f)), a, b);
    }
  }
}

/// Returns the result of an instruction that multiplies vectors, or of nrm.
Id Emitter::vectorProduct(const Instruction& in) {
  const auto& s = in.sources;
  switch (in.opcode) {
    case Opcode::Dp3: {
      const Id a = source(s[0], 3), b = source(s[1], 3);
      return splat(dot(a, b, 3));
    }
    case Opcode::Dp4: {
      const Id a = source4(s[0]), b = source4(s[1]);
      return splat(dot(a, b, 4));
    }
    case Opcode::Dp2Add: {
      const Id a = source(s[0], 2), b = source(s[1], 2);
      return splat(m_b.value(Op::OpFAdd, m_t.float1, dot(a, b, 2), scalar(s[2])));
    }
    case Opcode::Crs: {
      const Id a = source(s[0], 3), b = source(s[1], 3);
      const auto turned = [&](Id v, uint32_t by) {
        return m_b.value(Op::OpVectorShuffle, m_t.float3, v, v, by, (by + 1) % 3, (by + 2) % 3);
      };
      const Id left = product(turned(a, 1), turned(b, 2), 3), right = product(turned(a, 2), turned(b, 1), 3);
      const Id cross = m_b.value(Op::OpFSub, m_t.float3, left, right);
      return m_b.composite(m_t.float4, {cross, m_b.constantFloat(0)});
    }
    case Opcode::Nrm: {
      const Id v = source4(s[0]);
      const Id direction = xyz(v);
      const Id root = reciprocalRoot(m_b.value(Op::OpDot, m_t.float1, direction, direction));
      return m_b.value(Op::OpVectorTimesScalar, m_t.float4, v, root);
    }
    default: {  // dst: (1, y0 * y1, z0, w1)
      const Id a = source4(s[0]), b = source4(s[1]);
      const Id y = product(extract(a, 1), extract(b, 1), 1);
      return m_b.composite(m_t.float4, {m_b.constantFloat(1), y, extract(a, 2), extract(b, 3)});
    }
  }
}

/// Returns the result of an instruction that computes a function of single numbers.
Id Emitter::ofScalars(const Instruction& in) {
  const auto& s = in.sources;
  switch (in.opcode) {
    case Opcode::Rcp: {
      const Id x = scalar(s[0]);
      const Id inverse = m_b.value(Op::OpFDiv, m_t.float1, m_b.constantFloat(1), x);
      // 0 keeps its sign.
      return splat(m_b.glsl(GLSLstd450NClamp, m_t.float1, inverse, m_b.constantFloat(-FLT_MAX),
                            m_b.constantFloat(FLT_MAX)));
    }
    case Opcode::Rsq:
      return splat(reciprocalRoot(scalar(s[0])));
    case Opcode::ExpP:
      if (major() == 1) return vertexShader1Exp(s[0]);
      [[fallthrough]];
    case Opcode::Exp:
      return splat(power2(scalar(s[0])));
    case Opcode::LogP:
      if (major() == 1) return vertexShader1Log(s[0]);
      [[fallthrough]];
    case Opcode::Log:
      return splat(logarithm(scalar(s[0])));
    case Opcode::Pow: {
      const Id base = scalar(s[0]), exponent = scalar(s[1]);
      return splat(power2(product(exponent, logarithm(base), 1)));
    }
    case Opcode::SinCos: {
      const Id angle = scalar(s[0]);
      const Id zero = m_b.constantFloat(0);
      return m_b.composite(m_t.float4, {m_b.glsl(GLSLstd450Cos, m_t.float1, angle),
                                        m_b.glsl(GLSLstd450Sin, m_t.float1, angle), zero, zero});
    }
    default:  // lit
      return lit(s[0]);
  }
}

Id Emitter::arithmetic(const Instruction& in) {
  switch (in.opcode) {
    case Opcode::Slt:
    case Opcode::Sge:
    case Opcode::Cmp:
    case Opcode::Cnd:
      return selection(in);
    case Opcode::Dp3:
    case Opcode::Dp4:
    case Opcode::Dp2Add:
    case Opcode::Crs:
    case Opcode::Nrm:
    case Opcode::Dst:
      return vectorProduct(in);
    case Opcode::Rcp:
    case Opcode::Rsq:
    case Opcode::ExpP:
    case Opcode::Exp:
    case Opcode::LogP:
    case Opcode::Log:
    case Opcode::Pow:
    case Opcode::SinCos:
    case Opcode::Lit:
      return ofScalars(in);
    case Opcode::M4x4:
    case Opcode::M4x3:
    case Opcode::M3x4:
    case Opcode::M3x3:
    case Opcode::M3x2:
      return matrix(in);
    default:
      return componentwise(in);
  }
}

/// Returns the result of logp in vs_1_1: exponent, mantissa in 1..2, log2, 1, all of |x|.
Id Emitter::vertexShader1Log(const Operand& s) {
  const Id x = m_b.glsl(GLSLstd450FAbs, m_t.float1, scalar(s, 0));
  const Id log = logarithm(x);
  const Id exponent = m_b.glsl(GLSLstd450Floor, m_t.float1, log);
  const Id scale = m_b.glsl(GLSLstd450Exp2, m_t.float1, m_b.value(Op::OpFNegate, m_t.float1, exponent));
  const Id one = m_b.constantFloat(1);
  const Id isZero = m_b.value(Op::OpFOrdEqual, m_t.boolean, x, m_b.constantFloat(0));
  const Id mantissa =
      m_b.value(Op::OpSelect, m_t.float1, isZero, one, m_b.value(Op::OpFMul, m_t.float1, x, scale));
  return m_b.composite(m_t.float4, {exponent, mantissa, log, one});
}

void Emitter::kill(const Instruction& in) {
  // Shader model 2 and later test all four components, ps_1_x tests three; before ps_1_4 a t# means the
  // coordinate, whatever the register holds.
  const Operand& d = in.destination;
  const bool coordinate = texturesAreRegisters(m_code.info.version);
  const uint32_t mask = isPixel1() ? d.mask & 7u : d.mask;
  const Id value = coordinate ? inputRegister(d.number, true) : rawSource(d);
  Id less = m_b.value(Op::OpFOrdLessThan, m_t.bool4, value, m_b.constantNull(m_t.float4));
  if (in.predicated) less = m_b.value(Op::OpLogicalAnd, m_t.bool4, less, predicateValue(in.predicate));
  if (mask != 0xF) {
    const auto pick = [&](uint32_t i) { return mask >> i & 1 ? i : 4 + i; };
    less = m_b.value(Op::OpVectorShuffle, m_t.bool4, less, m_b.constantNull(m_t.bool4), pick(0), pick(1),
                     pick(2), pick(3));
  }
  const Id any = m_b.value(Op::OpAny, m_t.boolean, less);
  writeSlot(kSlotKilled, m_b.value(Op::OpLogicalOr, m_t.boolean, readSlot(kSlotKilled), any));
}

void Emitter::instruction(const Instruction& in) {
  switch (in.opcode) {
    case Opcode::Tex:
      if (isPixel1())
        pixel1Texture(in);
      else
        texture(in);
      break;
    case Opcode::TexLdl:
    case Opcode::TexLdd:
      texture(in);
      break;
    case Opcode::TexCoord:
    case Opcode::TexReg2Ar:
    case Opcode::TexReg2Gb:
    case Opcode::TexReg2Rgb:
    case Opcode::TexM3x2Pad:
    case Opcode::TexM3x2Tex:
    case Opcode::TexM3x2Depth:
    case Opcode::TexM3x3Pad:
    case Opcode::TexM3x3Tex:
    case Opcode::TexM3x3Spec:
    case Opcode::TexM3x3VSpec:
    case Opcode::TexM3x3:
    case Opcode::TexDp3Tex:
    case Opcode::TexDp3:
    case Opcode::TexDepth:
    case Opcode::TexBem:
    case Opcode::TexBemL:
    case Opcode::Bem:
      pixel1Texture(in);
      break;
    case Opcode::TexKill:
      kill(in);
      break;
    case Opcode::SetP: {
      const Id a = source4(in.sources[0]), b = source4(in.sources[1]);
      writeBools(in, comparison(in.control, a, b, m_t.bool4));
      break;
    }
    case Opcode::MovA: {
      const Id half = m_b.value(Op::OpFAdd, m_t.float4, source4(in.sources[0]), m_b.constantSplat(0.5f));
      writeAddress(in, m_b.glsl(GLSLstd450Floor, m_t.float4, half));
      break;
    }
    case Opcode::Mov:
      if (in.destination.type == d3d9::RegisterType::AddressOrTexture) {  // vs_1_1
        writeAddress(in, m_b.glsl(GLSLstd450Floor, m_t.float4, source4(in.sources[0])));
        break;
      }
      [[fallthrough]];
    default:
      writeResult(in, arithmetic(in));
      break;
  }
}

void Emitter::instructions(uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; ++i) {
    const Instruction& in = m_code.code[i];
    if (d3d9::findOpcode(static_cast<uint32_t>(in.opcode))->flags & d3d9::kFlow)
      flow(in);
    else if (i + 1 < end && m_code.code[i + 1].coissued)
      coissue(in, m_code.code[++i]);
    else if (!m_dead)
      instruction(in);
  }
}

}  // namespace aerogpu::shader
