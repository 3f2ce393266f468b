// SPDX-License-Identifier: MIT
// The disassembler (disassembler.h). Every read is checked against the tokens that are left.
#include "aerogpu/d3d9/disassembler.h"

#include <bit>
#include <cmath>
#include <cstdio>

#include "aerogpu/d3d9/opcodes.h"
#include "d3d9/registers.h"

namespace aerogpu::d3d9 {
namespace {

constexpr char kComponents[] = "xyzw";

class Disassembler {
public:
  explicit Disassembler(std::span<const uint32_t> tokens) : m_in(tokens) {}

  Disassembly run() {
    uint32_t token = 0;
    if (!next(token) || !version(token)) return finish();
    while (next(token)) {
      if (token == kEndToken) return finish();
      if ((token & kOpcodeMask) == static_cast<uint32_t>(Opcode::Comment)) {
        const uint32_t length = (token & kCommentLengthMask) >> kCommentLengthShift;
        if (length > m_in.size() - m_pos) {
          fail("comment runs past the end");
          return finish();
        }
        m_pos += length;
        continue;
      }
      m_start = m_pos - 1;
      std::string line;
      if (!instruction(token, line)) return finish();
      m_out.text += line;
      m_out.text += '\n';
    }
    return finish();
  }

private:
  Disassembly finish() { return std::move(m_out); }

  bool fail(const char* message) {
    if (m_out.error.empty()) {
      m_out.error = message;
      m_out.errorOffset = static_cast<uint32_t>(m_pos ? m_pos - 1 : 0);
    }
    return false;
  }

  bool next(uint32_t& token) {
    if (m_pos >= m_in.size()) return fail("stream ends early");
    token = m_in[m_pos++];
    return true;
  }

  bool version(uint32_t token) {
    const uint32_t tag = token & 0xFFFF0000u;
    if (tag != kVertexVersionTag && tag != kPixelVersionTag) return fail("not a version token");
    m_version = {tag == kVertexVersionTag ? Stage::Vertex : Stage::Pixel, static_cast<uint8_t>(token >> 8),
                 static_cast<uint8_t>(token)};
    if (m_version.major < 1 || m_version.major > 3) return fail("unknown shader model");
    const std::string minor = m_version.minor == 255 ? "sw"
                              : m_version.major == 2 && m_version.minor == 1
                                  ? "x"
                                  : std::to_string(m_version.minor);
    m_out.text = std::string(m_version.stage == Stage::Vertex ? "vs_" : "ps_") +
                 std::to_string(m_version.major) + "_" + minor + "\n";
    return true;
  }

  const RegisterName* findRegister(uint32_t type, uint32_t number) const {
    for (const RegisterName& row : kRegisterNames)
      if (static_cast<uint32_t>(row.type) == type &&
          (m_version.stage == Stage::Vertex ? row.vertex : row.pixel) && m_version.major >= row.minMajor &&
          m_version.major <= row.maxMajor && (row.number < 0 || static_cast<uint32_t>(row.number) == number))
        return &row;
    return nullptr;
  }

  static std::string swizzleText(uint32_t swizzle) {
    if (swizzle == kIdentitySwizzle) return {};
    std::string text = ".";
    for (int i = 0; i < 4; ++i) text += kComponents[swizzle >> (2 * i) & 3];
    if (text[1] == text[2] && text[2] == text[3] && text[3] == text[4]) text.resize(2);
    return text;
  }

  /// Writes the register of `token`, with its index register.
  bool registerText(uint32_t token, std::string& text) {
    const uint32_t number = token & kRegisterNumberMask;
    const RegisterName* row = findRegister(registerTypeOf(token), number);
    if (!row || !(token & kParameterBit)) return fail("unknown register");
    if (!(token & kRelativeBit)) {
      text += row->name;
      if (row->number < 0) text += std::to_string(number);
      return true;
    }
    if (row->number >= 0) return fail("this register cannot be indexed");
    std::string by = "a0.x";
    if (m_version.major >= 2) {
      uint32_t index = 0;
      if (!next(index)) return false;
      const RegisterName* r = findRegister(registerTypeOf(index), index & kRegisterNumberMask);
      const bool address = r && r->type == RegisterType::AddressOrTexture && m_version.stage == Stage::Vertex;
      if (!r || (!address && r->type != RegisterType::Loop) || (index & kRelativeBit))
        return fail("bad index register");
      const std::string swizzle = swizzleText((index & kSwizzleMask) >> kSwizzleShift);
      if (address && swizzle.size() != 2) return fail("bad index register");
      by =
          std::string(r->name) + (r->number < 0 ? std::to_string(index & kRegisterNumberMask) : "") + swizzle;
    }
    text += row->name;
    text += "[" + by + (number ? " + " + std::to_string(number) : "") + "]";
    return true;
  }

  bool destination(uint32_t token, std::string& text) {
    if (!registerText(token, text)) return false;
    const uint32_t mask = (token & kWriteMaskMask) >> kWriteMaskShift;
    if (!mask) return fail("empty write mask");
    if (mask != 0xF) {
      text += '.';
      for (int i = 0; i < 4; ++i)
        if (mask >> i & 1) text += kComponents[i];
    }
    return true;
  }

  bool source(std::string& text) {
    uint32_t token = 0;
    if (!next(token)) return false;
    const uint32_t modifier = (token & kSourceModifierMask) >> kSourceModifierShift;
    if (modifier >= kSourceModifierCount) return fail("unknown source modifier");
    const SourceModifierText& row = kSourceModifierTexts[modifier];
    text += row.prefix;
    if (!registerText(token, text)) return false;
    text += row.suffix;
    text += swizzleText((token & kSwizzleMask) >> kSwizzleShift);
    return true;
  }

  static std::string resultSuffix(uint32_t token) {
    const uint32_t modifiers = (token & kResultModifierMask) >> kResultModifierShift;
    const uint32_t shift = (token & kResultShiftMask) >> kResultShiftShift;
    std::string text;
    for (const ShiftText& s : kShiftTexts)
      if (s.field == shift) text += s.suffix;
    if (modifiers & kSaturate) text += "_sat";
    if (modifiers & kPartialPrecision) text += "_pp";
    if (modifiers & kCentroid) text += "_centroid";
    return text;
  }

  bool declaration(std::string& line) {
    uint32_t usage = 0, reg = 0;
    if (!next(usage) || !next(reg)) return false;
    line = "dcl";
    if (registerTypeOf(reg) == static_cast<uint32_t>(RegisterType::Sampler)) {
      switch ((usage & kDclSamplerMask) >> kDclSamplerShift) {
        case 2:
          line += "_2d";
          break;
        case 3:
          line += "_cube";
          break;
        case 4:
          line += "_volume";
          break;
        default:
          return fail("unknown sampler type");
      }
    } else if (registerTypeOf(reg) != static_cast<uint32_t>(RegisterType::Misc) &&
               (m_version.stage == Stage::Vertex || m_version.major >= 3)) {
      const auto name = usageName(usage & kDclUsageMask);
      if (name.empty()) return fail("unknown usage");
      line += '_';
      line += name;
      const uint32_t index = (usage & kDclUsageIndexMask) >> kDclUsageIndexShift;
      if (index) line += std::to_string(index);
    }
    line += resultSuffix(reg) + " ";
    return destination(reg, line);
  }

  bool definition(Opcode opcode, std::string_view name, std::string& line) {
    uint32_t reg = 0;
    if (!next(reg)) return false;
    line = std::string(name) + " ";
    if (reg & kRelativeBit) return fail("bad register of a definition");
    if (!registerText(reg, line)) return false;
    for (int i = 0; i < (opcode == Opcode::DefB ? 1 : 4); ++i) {
      uint32_t bits = 0;
      if (!next(bits)) return false;
      char text[32];
      const float value = std::bit_cast<float>(bits);
      if (opcode == Opcode::DefI)
        std::snprintf(text, sizeof text, ", %d", static_cast<int32_t>(bits));
      else if (opcode == Opcode::DefB)
        std::snprintf(text, sizeof text, bits ? ", true" : ", false");
      else if (std::isfinite(value))
        std::snprintf(text, sizeof text, ", %.9g", static_cast<double>(value));
      else
        std::snprintf(text, sizeof text, ", 0x%08x", bits);
      line += text;
    }
    return true;
  }

  bool instruction(uint32_t token, std::string& line) {
    const OpcodeInfo* info = findOpcode(token & kOpcodeMask);
    if (!info || !info->inModel(m_version)) return fail("unknown instruction");
    const size_t body = m_pos;
    if (info->opcode == Opcode::Dcl) {
      if (!declaration(line)) return false;
    } else if (info->flags & kDefinition) {
      if (!definition(info->opcode, info->name, line)) return false;
    } else if (!ordinary(token, *info, line)) {
      return false;
    }
    if (m_version.major >= 2 && ((token & kLengthMask) >> kLengthShift) != m_pos - body)
      return fail("wrong instruction length");
    return true;
  }

  bool ordinary(uint32_t token, const OpcodeInfo& info, std::string& line) {
    const size_t body = m_pos;
    const OpcodeForm form = opcodeForm(info, m_version);
    const uint32_t control = (token & kControlMask) >> kControlShift;
    std::string name(form.name);
    if (info.flags & kCompares) {
      const auto comparison = comparisonName(control);
      if (comparison.empty()) return fail("unknown comparison");
      name += '_';
      name += comparison;
    } else if (info.opcode == Opcode::Tex && m_version.major >= 2) {
      if (control > kTexldBias) return fail("unknown texld variant");
      name += control == kTexldProject ? "p" : control == kTexldBias ? "b" : "";
    }
    std::string operands, predicate, suffix;
    if (info.destinationCount(m_version)) {
      uint32_t dst = 0;
      if (!next(dst) || !destination(dst, operands)) return false;
      suffix = resultSuffix(dst);
      if (token & kPredicatedBit) {
        predicate = "(";
        if (!source(predicate)) return false;
        predicate += ") ";
      }
    } else if (token & kPredicatedBit) {
      return fail("predicate without a result");
    }
    for (uint32_t i = 0; i < form.sources; ++i) {
      if (!operands.empty()) operands += ", ";
      if (!source(operands)) return false;
    }
    const size_t end = body + ((token & kLengthMask) >> kLengthShift);
    for (uint32_t i = 0; (info.flags & kScratch) && i < kScratchSources && m_pos < end; ++i) {
      operands += ", ";
      if (!source(operands)) return false;
    }
    line = (token & kCoissueBit ? "+" : "") + predicate + name + suffix;
    if (!operands.empty()) line += " " + operands;
    return true;
  }

  std::span<const uint32_t> m_in;
  size_t m_pos = 0, m_start = 0;
  Version m_version;
  Disassembly m_out;
};

}  // namespace

Disassembly disassemble(std::span<const uint32_t> tokens) {
  return Disassembler(tokens).run();
}

}  // namespace aerogpu::d3d9
