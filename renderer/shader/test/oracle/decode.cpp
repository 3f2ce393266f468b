// SPDX-License-Identifier: MIT
// Decodes tokens into the interpreter's instructions (oracle.h). Source: "Direct3D Shader Codes" of the
// Windows display driver documentation.
#include <bit>

#include "renderer/shader/test/oracle/oracle.h"

namespace aerogpu::shader::oracle {
namespace {

using d3d9::Opcode;
using d3d9::RegisterType;

class Decoder {
public:
  explicit Decoder(std::span<const uint32_t> tokens) : m_in(tokens) {}

  Code run() {
    if (m_in.empty()) return failed("empty");
    m_code.version = {m_in[0] >> 16 == 0xFFFF ? d3d9::Stage::Pixel : d3d9::Stage::Vertex,
                      static_cast<uint8_t>(m_in[0] >> 8), static_cast<uint8_t>(m_in[0])};
    m_at = 1;
    while (m_at < m_in.size() && m_in[m_at] != d3d9::kEndToken)
      if (!statement()) return failed("operands are missing");
    if (m_at >= m_in.size()) return failed("no end");
    return blocks() ? std::move(m_code) : failed("blocks do not nest");
  }

private:
  Code failed(const char* why) {
    m_code.error = why;
    return std::move(m_code);
  }
  uint32_t next() { return m_at < m_in.size() ? m_in[m_at++] : (m_bad = true, 0u); }

  Operand parameter(bool destination) {
    const uint32_t token = next();
    Operand o;
    o.type = static_cast<RegisterType>(d3d9::registerTypeOf(token));
    o.number = token & d3d9::kRegisterNumberMask;
    if (destination) {
      o.mask = token >> d3d9::kWriteMaskShift & 0xF;
      o.resultModifiers = token >> d3d9::kResultModifierShift & 0xF;
      const int shift = static_cast<int>(token >> d3d9::kResultShiftShift & 0xF);
      o.shift = shift >= 8 ? shift - 16 : shift;
    } else {
      o.swizzle = static_cast<uint8_t>(token >> d3d9::kSwizzleShift);
      o.modifier = static_cast<d3d9::SourceModifier>(token >> d3d9::kSourceModifierShift & 0xF);
    }
    if (token & d3d9::kRelativeBit) {
      o.relative = true;
      if (m_code.version.major >= 2) {
        const uint32_t by = next();
        o.byLoop = static_cast<RegisterType>(d3d9::registerTypeOf(by)) == RegisterType::Loop;
        o.indexComponent = by >> d3d9::kSwizzleShift & 3;
      }
    }
    return o;
  }

  bool statement() {
    const uint32_t token = next();
    const uint32_t number = token & d3d9::kOpcodeMask;
    if (number == static_cast<uint32_t>(Opcode::Comment)) {
      m_at += token >> d3d9::kCommentLengthShift & 0x7FFF;
      return true;
    }
    const d3d9::OpcodeInfo* info = d3d9::findOpcode(number);
    if (!info) return false;
    const size_t end = m_at + (token >> d3d9::kLengthShift & 0xF);
    Instruction in;
    in.opcode = info->opcode;
    in.control = token >> d3d9::kControlShift & 0xFF;
    in.predicated = token & d3d9::kPredicatedBit;
    in.coissued = token & d3d9::kCoissueBit;
    switch (in.opcode) {
      case Opcode::Dcl: {
        const uint32_t what = next();
        const Operand reg = parameter(true);
        if (reg.type == RegisterType::Sampler)
          m_code.samplers[reg.number & 15] =
              static_cast<d3d9::SamplerType>(what >> d3d9::kDclSamplerShift & 0xF);
        else
          m_code.declarations.push_back({reg.type, reg.number, reg.mask,
                                         static_cast<d3d9::Usage>(what & d3d9::kDclUsageMask),
                                         what >> d3d9::kDclUsageIndexShift & 0xF});
        return !m_bad;
      }
      case Opcode::Def: {
        const Operand reg = parameter(true);
        std::array<float, 4> value;
        for (float& f : value) f = std::bit_cast<float>(next());
        m_code.floats.emplace_back(reg.number, value);
        return !m_bad;
      }
      case Opcode::DefI: {
        const Operand reg = parameter(true);
        std::array<int32_t, 4> value;
        for (int32_t& i : value) i = static_cast<int32_t>(next());
        m_code.ints.emplace_back(reg.number, value);
        return !m_bad;
      }
      case Opcode::DefB: {
        const Operand reg = parameter(true);
        m_code.bools.emplace_back(reg.number, next() != 0);
        return !m_bad;
      }
      default:
        break;
    }
    if (info->destinationCount(m_code.version)) {
      in.hasDestination = true;
      in.destination = parameter(true);
    }
    if (in.predicated) in.predicate = parameter(false);
    for (uint32_t i = 0; i < info->sourceCount(m_code.version); ++i) in.sources.push_back(parameter(false));
    while (m_code.version.major >= 2 && m_at < end) in.sources.push_back(parameter(false));
    m_code.instructions.push_back(std::move(in));
    return !m_bad;
  }

  /// Fills in the jumps: if -> after else or endif, else -> endif, loop -> after its end, end -> after its
  /// loop.
  bool blocks() {
    std::vector<size_t> open;
    auto& code = m_code.instructions;
    for (size_t i = 0; i < code.size(); ++i) {
      switch (code[i].opcode) {
        case Opcode::If:
        case Opcode::IfC:
        case Opcode::Loop:
        case Opcode::Rep:
          open.push_back(i);
          break;
        case Opcode::Else:
          if (open.empty()) return false;
          code[open.back()].jump = i + 1;
          open.back() = i;
          break;
        case Opcode::EndIf:
        case Opcode::EndLoop:
        case Opcode::EndRep:
          if (open.empty()) return false;
          code[open.back()].jump = i + 1;
          code[i].jump = open.back() + 1;
          open.pop_back();
          break;
        default:
          break;
      }
    }
    return open.empty();
  }

  std::span<const uint32_t> m_in;
  size_t m_at = 0;
  bool m_bad = false;
  Code m_code;
};

}  // namespace

Code decode(std::span<const uint32_t> tokens) {
  return Decoder(tokens).run();
}

Constants Code::with(const Constants& application) const {
  Constants c = application;
  for (const auto& [n, value] : floats) c.f[n & 255] = value;
  for (const auto& [n, value] : ints) c.i[n & 15] = value;
  for (const auto& [n, value] : bools) c.b = (c.b & ~(1u << (n & 15))) | uint32_t{value} << (n & 15);
  if (pixel1())  // "ps_1_1 ... Registers", table of ranges: constants hold -1 to +1
    for (auto& f : c.f)
      for (float& x : f) x = std::min(std::max(x, -1.0f), 1.0f);
  return c;
}

}  // namespace aerogpu::shader::oracle
