// SPDX-License-Identifier: MIT
// parse() of translate.h: tokens, parameter tokens, the walk over the stream. Source: "Direct3D Shader
// Codes".
#include "renderer/shader/d3d9/parser.h"

#include <algorithm>

namespace aerogpu::shader {

using d3d9::Opcode;
using d3d9::RegisterType;
using d3d9::Stage;

Result<Program, ShaderError> Parser::run() {
  if (version() && stream() && endOfStream() && callGraph() && fitsSlots()) {
    finishInfo();
    if (m_info.loops || !m_code->subroutines.empty()) m_info.cost = costOf(*m_code);
    return Program(std::move(m_code));
  }
  return std::move(m_error);
}

bool Parser::fitsSlots() {
  m_name = {};
  m_info.cost = slotsOf(*m_code);
  const uint64_t slots = m_info.cost.instructions;
  return slots <= kMaxSlots ||
         fail(std::to_string(slots) + " instruction slots, " + std::to_string(kMaxSlots) + " are possible");
}

bool Parser::fail(std::string what) {
  if (!m_error.message.empty()) return false;
  m_error.tokenOffset = m_at;
  m_error.message = m_name.empty() ? std::move(what) : std::string(m_name) + ": " + what;
  return false;
}

bool Parser::version() {
  if (m_in.empty()) return fail("empty stream");
  const uint32_t tag = m_in[0] & 0xFFFF0000u;
  if (tag != d3d9::kVertexVersionTag && tag != d3d9::kPixelVersionTag) return fail("not a D3D9 token stream");
  m_version = {tag == d3d9::kVertexVersionTag ? Stage::Vertex : Stage::Pixel,
               static_cast<uint8_t>(m_in[0] >> 8), static_cast<uint8_t>(m_in[0])};
  // Direct3D 8's first models have nothing that the next ones lack (d3d8types.h: D3DVS_VERSION,
  // D3DPS_VERSION).
  if (m_version.model() == 0x0100) m_version.minor = 1;
  m_info.version = m_version;
  const uint32_t model = m_version.model();
  const bool known = model == 0x200 || model == 0x201 || model == 0x300 ||
                     (m_version.major == 1 && m_version.minor <= (m_version.stage == Stage::Pixel ? 4 : 1));
  if (!known)
    return fail(std::string("shader model ") + (m_version.stage == Stage::Vertex ? "vs_" : "ps_") +
                std::to_string(m_version.major) + "_" + std::to_string(m_version.minor) +
                " is not supported");
  if (isPixel1()) implicitInputs();
  m_pos = 1;
  m_code->code.reserve(std::min<size_t>(m_in.size() / 3, 1024));
  return true;
}

bool Parser::stream() {
  while (m_pos < m_in.size()) {
    m_at = static_cast<uint32_t>(m_pos);
    m_name = {};
    if (m_pos >= kMaxTokens) return fail("more than " + std::to_string(kMaxTokens) + " tokens");
    const uint32_t token = m_in[m_pos++];
    if (token == d3d9::kEndToken) {
      return true;
    }
    const uint32_t opcode = token & d3d9::kOpcodeMask;
    if (opcode == static_cast<uint32_t>(Opcode::Comment)) {
      const size_t length = (token & d3d9::kCommentLengthMask) >> d3d9::kCommentLengthShift;
      if (length > m_in.size() - m_pos) return fail("comment runs past the end");
      m_pos += length;
      continue;
    }
    const d3d9::OpcodeInfo* info = d3d9::findOpcode(opcode);
    if (!info) return fail("unknown opcode " + std::to_string(opcode));
    m_name = info->name;
    if (!info->inModel(m_version) || info->opcode == Opcode::End) return fail("not in this shader model");
    if (!statement(token, *info)) return false;
  }
  return fail("stream has no end token");
}

bool Parser::statement(uint32_t token, const d3d9::OpcodeInfo& info) {
  // The operands are [m_pos, m_end). Model 1 has no length in the token; there each instruction has a fixed
  // number of operands.
  m_end = m_in.size();
  if (m_version.major >= 2) {
    const size_t length = (token & d3d9::kLengthMask) >> d3d9::kLengthShift;
    if (length > m_in.size() - m_pos) return fail("runs past the end");
    m_end = m_pos + length;
  }
  bool ok;
  switch (info.opcode) {
    case Opcode::Nop:
    case Opcode::Phase:
      ok = true;
      break;
    case Opcode::Dcl:
      ok = declaration();
      break;
    case Opcode::Def:
      ok = floatDefinition();
      break;
    case Opcode::DefI:
      ok = intDefinition();
      break;
    case Opcode::DefB:
      ok = boolDefinition();
      break;
    default:
      ok = instruction(token, info);
      break;
  }
  if (!ok) return false;
  if (m_version.major >= 2 && m_pos != m_end) return fail("has operands left over");
  return true;
}

bool Parser::next(uint32_t& token) {
  if (m_pos >= m_end) return fail("operand is missing");
  token = m_in[m_pos++];
  return true;
}

bool Parser::parameter(uint32_t& token) {
  if (!next(token)) return false;
  return (token & d3d9::kParameterBit) || fail("operand is missing");
}

/// Reads type, number and index register of a parameter token.
bool Parser::registerOf(uint32_t token, Operand& out, const RegisterFile*& file) {
  const uint32_t type = d3d9::registerTypeOf(token);
  file = findRegisterFile(type, m_version);
  if (!file) return fail("register type " + std::to_string(type) + " is not in this shader model");
  out.type = file->type;
  out.number = static_cast<uint16_t>(token & d3d9::kRegisterNumberMask);
  if (out.number >= file->count)
    return fail(std::string("register ") + file->name + std::to_string(out.number) + " is out of range");
  if (!(token & d3d9::kRelativeBit)) return true;
  if (!(file->flags & kIndexable)) return fail(std::string(file->name) + " cannot be indexed");
  out.relative = true;
  if (m_version.major == 1) return true;  // a0.x
  uint32_t index = 0;
  if (!parameter(index)) return false;
  const uint32_t indexType = d3d9::registerTypeOf(index);
  const RegisterFile* by = findRegisterFile(indexType, m_version);
  const bool address =
      indexType == static_cast<uint32_t>(RegisterType::AddressOrTexture) && m_version.stage == Stage::Vertex;
  if (!by || (!address && indexType != static_cast<uint32_t>(RegisterType::Loop)) ||
      (index & d3d9::kRegisterNumberMask) != 0 || (index & d3d9::kRelativeBit))
    return fail("bad index register");
  out.indexType = by->type;
  out.indexComponent = address ? index >> d3d9::kSwizzleShift & 3u : 0;
  if (!address && !m_loopDepth && !m_inSubroutine) return fail("aL outside of a loop");
  return true;
}

bool Parser::destinationOperand(Operand& out, const RegisterFile*& file) {
  uint32_t token = 0;
  if (!parameter(token)) return false;
  out.mask = static_cast<uint8_t>((token & d3d9::kWriteMaskMask) >> d3d9::kWriteMaskShift);
  out.resultModifiers =
      static_cast<uint8_t>((token & d3d9::kResultModifierMask) >> d3d9::kResultModifierShift);
  if (!out.mask) return fail("empty write mask");
  const uint32_t shift = (token & d3d9::kResultShiftMask) >> d3d9::kResultShiftShift;
  if (shift && !isPixel1()) return fail("result shift is not in this shader model");
  out.shift = static_cast<int8_t>(shift >= 8 ? static_cast<int>(shift) - 16 : static_cast<int>(shift));
  if (out.shift < -3 || out.shift > 3) return fail("unknown result shift");
  return registerOf(token, out, file);
}

bool Parser::sourceOperand(Operand& out, const RegisterFile*& file) {
  uint32_t token = 0;
  if (!parameter(token)) return false;
  out.swizzle = static_cast<uint8_t>((token & d3d9::kSwizzleMask) >> d3d9::kSwizzleShift);
  const uint32_t modifier = (token & d3d9::kSourceModifierMask) >> d3d9::kSourceModifierShift;
  if (modifier >= d3d9::kSourceModifierCount) return fail("unknown source modifier");
  out.modifier = static_cast<d3d9::SourceModifier>(modifier);
  return registerOf(token, out, file);
}

const ShaderInfo& Program::info() const {
  return m_code->info;
}

Result<Program, ShaderError> parse(std::span<const uint32_t> tokens) {
  return Parser(tokens).run();
}

}  // namespace aerogpu::shader
