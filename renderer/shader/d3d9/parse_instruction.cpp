// SPDX-License-Identifier: MIT
// Parser: operands of executable instructions, and the registers that each may have. Source: the instruction
// pages of the Direct3D 9 "asm shader reference".
#include <algorithm>

#include "renderer/shader/d3d9/parser.h"

namespace aerogpu::shader {

using d3d9::Opcode;
using d3d9::RegisterType;
using d3d9::SourceModifier;
using d3d9::Stage;

bool Parser::instruction(uint32_t token, const d3d9::OpcodeInfo& info) {
  Instruction in;
  in.opcode = info.opcode;
  in.tokenOffset = m_at;
  in.control = static_cast<uint8_t>((token & d3d9::kControlMask) >> d3d9::kControlShift);
  in.predicated = (token & d3d9::kPredicatedBit) && m_version.major >= 2;
  in.coissued = token & d3d9::kCoissueBit;
  if (in.coissued && !isPixel1()) return fail("co-issue is not in this shader model");
  if ((info.flags & d3d9::kCompares) && (in.control < 1 || in.control > 6))
    return fail("unknown comparison " + std::to_string(in.control));
  if (in.opcode == Opcode::Tex && m_version.major >= 2 && in.control > d3d9::kTexldBias)
    return fail("unknown texld variant " + std::to_string(in.control));
  if (in.predicated && (info.flags & d3d9::kNoPredicate)) return fail("cannot be predicated");
  if (m_afterMain && info.opcode != Opcode::Label) return fail("code outside of a subroutine");
  if (info.destinationCount(m_version) && !result(in)) return false;
  if (in.predicated) {
    const RegisterFile* file = nullptr;
    if (!sourceOperand(in.predicate, file)) return false;
    if (in.predicate.type != RegisterType::Predicate ||
        (in.predicate.modifier != SourceModifier::None && in.predicate.modifier != SourceModifier::Not))
      return fail("bad predicate");
  }
  in.sourceCount = static_cast<uint8_t>(info.sourceCount(m_version));
  for (uint32_t i = 0; i < in.sourceCount; ++i)
    if (!operand(in, i)) return false;
  // Scratch registers are checked like the others, and not used.
  for (uint32_t i = 1; (info.flags & d3d9::kScratch) && i <= d3d9::kScratchSources && m_pos < m_end; ++i)
    if (!operand(in, i)) return false;
  if (isPixel1() && !pixel1(in)) return false;
  return (info.flags & d3d9::kFlow) ? flow(in) : (m_code->code.push_back(in), true);
}

/// Checks the texture instructions of ps_1_x, and records the textures that they sample: the result's
/// register number is the texture's.
bool Parser::pixel1(const Instruction& in) {
  const uint32_t number = in.destination.number;
  d3d9::SamplerType type = d3d9::SamplerType::Texture2D;
  bool samples = false, texture = true;
  switch (in.opcode) {
    case Opcode::Bem:
      if (in.destination.mask & ~3u) return fail("result has only r and g");
      m_info.constants.bumpStageCount = std::max(m_info.constants.bumpStageCount, number + 1);
      break;
    case Opcode::TexBem:
    case Opcode::TexBemL:
      m_info.constants.bumpStageCount = std::max(m_info.constants.bumpStageCount, number + 1);
      samples = true;
      break;
    case Opcode::TexDepth:
      m_info.writesDepth = true;
      break;
    case Opcode::TexM3x2Depth:
      m_info.writesDepth = true;
      if (number < 1) return fail("needs a texm3x2pad before it");
      break;
    case Opcode::TexM3x2Tex:
      samples = true;
      if (number < 1) return fail("needs a texm3x2pad before it");
      break;
    case Opcode::TexM3x3Tex:
    case Opcode::TexM3x3Spec:
    case Opcode::TexM3x3VSpec:
      type = d3d9::SamplerType::TextureCube;
      samples = true;
      [[fallthrough]];
    case Opcode::TexM3x3:
      if (number < 2) return fail("needs two texm3x3pad before it");
      break;
    case Opcode::Tex:
    case Opcode::TexReg2Ar:
    case Opcode::TexReg2Gb:
    case Opcode::TexReg2Rgb:
    case Opcode::TexDp3Tex:
      samples = true;
      break;
    case Opcode::TexCoord:
    case Opcode::TexKill:
    case Opcode::TexM3x2Pad:
    case Opcode::TexM3x3Pad:
    case Opcode::TexDp3:
      break;
    default:
      texture = false;
      break;
  }
  if (texture && in.coissued) return fail("cannot be co-issued");
  if (texture && texturesAreRegisters(m_version) && in.destination.type != RegisterType::AddressOrTexture)
    return fail("needs a t register");
  if (texture && number >= 6) return fail("register is out of range");
  if (samples) {
    m_info.samplerMask |= 1u << number;
    if (m_info.samplerTypes[number] == d3d9::SamplerType::Unknown) m_info.samplerTypes[number] = type;
  }
  return true;
}

bool Parser::result(Instruction& in) {
  const RegisterFile* file = nullptr;
  Operand& d = in.destination;
  if (!destinationOperand(d, file)) return false;
  switch (in.opcode) {
    case Opcode::SetP:
      return d.type == RegisterType::Predicate || fail("result must be a predicate register");
    case Opcode::MovA:
      return (d.type == RegisterType::AddressOrTexture) || fail("result must be an address register");
    case Opcode::TexKill:
      m_info.usesKill = true;
      if (!(file->flags & kValue) || d.type == RegisterType::Const || d.relative) return fail("bad operand");
      return touchSource(d, 1);
    case Opcode::SinCos:
      if (d.mask & ~3u) return fail("result has only x and y");
      break;
    case Opcode::Mov:
      if (d.type == RegisterType::AddressOrTexture && m_version.stage == Stage::Vertex &&
          m_version.major == 1)
        return true;
      break;
    default:
      break;
  }
  if (!(file->flags & kResult)) return fail(std::string("cannot write ") + file->name);
  if (isPixel1() && d.type == RegisterType::AddressOrTexture && !texturesAreRegisters(m_version))
    return fail("cannot write t");
  if (d.type == RegisterType::Temp) return true;
  const uint32_t slot = outputSlot(d, m_version.major);
  if (d.relative)
    m_code->relativeOutputs = true;
  else
    m_code->outputsWritten |= 1u << slot;
  if (d.type == RegisterType::ColorOut) m_info.colorOutputMask |= static_cast<uint8_t>(1u << d.number);
  if (d.type == RegisterType::DepthOut) m_info.writesDepth = true;
  return true;
}

Parser::Kind Parser::kindOf(Opcode op, uint32_t i) const {
  if (isPixel1()) return Kind::Value;
  switch (op) {
    case Opcode::Tex:
    case Opcode::TexLdl:
    case Opcode::TexLdd:
      return i == 1 ? Kind::Sampler : Kind::Value;
    case Opcode::Call:
    case Opcode::Label:
      return Kind::Label;
    case Opcode::CallNz:
      return i == 0 ? Kind::Label : Kind::Condition;
    case Opcode::If:
      return Kind::Condition;
    case Opcode::BreakP:
      return Kind::Predicate;
    case Opcode::Loop:
      return i == 0 ? Kind::Loop : Kind::Int;
    case Opcode::Rep:
      return Kind::Int;
    default:
      return Kind::Value;
  }
}

bool Parser::operand(Instruction& in, uint32_t i) {
  const RegisterFile* file = nullptr;
  Operand& s = in.sources[i];
  if (!sourceOperand(s, file)) return false;
  const Kind kind = kindOf(in.opcode, i);
  if (kind == Kind::Value) {
    if (!(file->flags & kValue)) return fail(std::string("cannot read ") + file->name);
    const bool divided = s.modifier == SourceModifier::DivideZ || s.modifier == SourceModifier::DivideW;
    const bool mayDivide = isPixel1() && (in.opcode == Opcode::Tex || in.opcode == Opcode::TexCoord);
    if (s.modifier == SourceModifier::Not || (divided && !mayDivide))
      return fail("source modifier is not in this shader model");
    const uint32_t rows = i == 1 ? matrixRows(in.opcode) : 0;
    if (rows && s.number + rows > file->count) return fail("matrix runs past the last register");
    return touchSource(s, std::max(rows, 1u));
  }
  const bool plain = s.modifier == SourceModifier::None;
  const bool condition = plain || s.modifier == SourceModifier::Not;
  bool right = false;
  switch (kind) {
    case Kind::Sampler:
      right = s.type == RegisterType::Sampler && plain;
      if (!right) break;
      if (m_info.samplerTypes[s.number] == d3d9::SamplerType::Unknown)
        m_info.samplerTypes[s.number] = d3d9::SamplerType::Texture2D;
      m_info.samplerMask |= 1u << s.number;
      break;
    case Kind::Label:
      right = s.type == RegisterType::Label && plain;
      break;
    case Kind::Condition:
      right = (s.type == RegisterType::ConstBool || s.type == RegisterType::Predicate) && condition;
      if (right && s.type == RegisterType::ConstBool) m_boolsRead |= 1u << s.number;
      break;
    case Kind::Predicate:
      right = s.type == RegisterType::Predicate && condition;
      break;
    case Kind::Int:
      right = s.type == RegisterType::ConstInt && plain;
      if (right) m_intsRead |= 1u << s.number;
      break;
    case Kind::Loop:
      right = s.type == RegisterType::Loop && plain;
      break;
    case Kind::Value:
      break;
  }
  return right || fail("operand " + std::to_string(i + 1) + " is of the wrong kind");
}

/// Records the constants that a readable operand needs, and checks that its inputs are declared. Vertex
/// shaders of Direct3D 8 declare none in their tokens; what the runtime does not add for them is constant.
bool Parser::touchSource(const Operand& s, uint32_t rows) {
  if (s.type == RegisterType::Const) {
    if (s.relative) {
      m_info.constants.relative = true;
    } else {
      for (uint32_t r = 0; r < rows; ++r) {
        const uint32_t n = s.number + r;
        m_floatsRead[n / 64] |= uint64_t{1} << (n % 64);
      }
    }
  } else if (s.type == RegisterType::Input || s.type == RegisterType::AddressOrTexture) {
    if (s.relative) {
      m_code->relativeInputs = true;
      return true;
    }
    if (m_version.stage == d3d9::Stage::Vertex) return true;
    const uint64_t declared = s.type == RegisterType::Input ? m_declaredInputs : m_declaredTextures;
    for (uint32_t r = 0; r < rows; ++r)
      if (!(declared >> (4 * (s.number + r)) & 0xF))
        return fail("input register " + std::to_string(s.number + r) + " is not declared");
  }
  return true;
}

}  // namespace aerogpu::shader
