// SPDX-License-Identifier: MIT
// Rules: the pages "vs_2_0 Instructions", "vs_2_0 Registers", "ps_2_0 Instructions", "ps_2_0 Registers"
// (slots, read ports), "Source Register Swizzling" and "nrm" of the Direct3D 9 "asm shader reference".
#include "renderer/shader/test/fixed/model_rules.h"

#include <algorithm>
#include <map>
#include <set>

namespace aerogpu::shader::fixed {
namespace {

using d3d9::Opcode;
using d3d9::RegisterType;
using oracle::Instruction;
using oracle::Operand;

const std::map<Opcode, uint32_t> kSlots = {
    {Opcode::Mov, 1},  {Opcode::Add, 1},     {Opcode::Mad, 1}, {Opcode::Mul, 1}, {Opcode::Rcp, 1},
    {Opcode::Rsq, 1},  {Opcode::Dp3, 1},     {Opcode::Dp4, 1}, {Opcode::Min, 1}, {Opcode::Max, 1},
    {Opcode::Slt, 1},  {Opcode::Sge, 1},     {Opcode::Exp, 1}, {Opcode::Dst, 1}, {Opcode::MovA, 1},
    {Opcode::Loop, 3}, {Opcode::EndLoop, 2}, {Opcode::Pow, 3}, {Opcode::Nrm, 3}, {Opcode::Tex, 1}};

/// Returns the components of a source that an instruction reads, before the swizzle.
uint32_t componentsRead(const Instruction& in, size_t source) {
  switch (in.opcode) {
    case Opcode::Dp3:
    case Opcode::Nrm:
      return 7;
    case Opcode::Dp4:
      return 15;
    case Opcode::Dst:
      return source == 0 ? 6 : 10;
    case Opcode::Tex:
      return source == 0 ? 15 : 0;
    case Opcode::Rcp:
    case Opcode::Rsq:
    case Opcode::Exp:
    case Opcode::Pow:
      return 1;
    default:
      return in.destination.mask;
  }
}

bool allowedSwizzle(uint8_t swizzle) {
  const uint32_t c = swizzle & 3;
  return swizzle == 0xE4 || swizzle == c * 0x55 || swizzle == 0xC9 /* yzxw */ || swizzle == 0xD2 /* zxyw */ ||
         swizzle == 0x1B /* wzyx */;
}

class Checker {
public:
  Checker(const oracle::Code& code, const d3d9::FixedShader& info) : m_code(code), m_info(info) {}

  std::string run() {
    for (const Instruction& in : m_code.instructions) instruction(in);
    const uint32_t arithmetic = m_slots - m_reads;
    if (arithmetic != m_info.arithmeticSlots || m_reads != m_info.textureSlots)
      fail("slots are not those it says");
    if (m_code.pixel()) {
      if (m_deepest != m_info.dependentReads && m_reads) fail("dependent reads are not those it says");
      const bool small = arithmetic <= 64 && m_reads <= 32 && m_deepest <= 4;
      if (small != (m_code.version.minor == 0)) fail("not the smallest model");
      if (arithmetic + m_reads > 512) fail("more than ps_2_x has");
    } else if (m_slots > 256) {
      fail("more than 256 slots");
    }
    return m_wrong;
  }

private:
  void fail(const std::string& what) {
    m_wrong += "instruction " + std::to_string(m_at) + ": " + what + "\n";
  }

  void instruction(const Instruction& in) {
    ++m_at;
    const auto slots = kSlots.find(in.opcode);
    if (slots == kSlots.end()) return fail("not expected here");
    m_slots += slots->second;
    m_reads += in.opcode == Opcode::Tex;
    if (in.opcode == Opcode::Loop || in.opcode == Opcode::EndLoop) return;
    std::map<RegisterType, std::set<std::pair<uint32_t, bool>>> ports;
    uint32_t depth = 0;
    for (size_t i = 0; i < in.sources.size(); ++i) {
      const Operand& s = in.sources[i];
      ports[s.type].insert({s.number, s.relative});
      if (m_code.pixel() && s.type != RegisterType::Sampler && !allowedSwizzle(s.swizzle)) fail("swizzle");
      if (s.type == RegisterType::Temp) {
        if (s.number > 11) fail("temporary");
        for (uint32_t c = 0; c < 4; ++c) {
          if (!(componentsRead(in, i) >> c & 1)) continue;
          const uint32_t from = s.swizzle >> (2 * c) & 3;
          if (!(m_written[s.number] >> from & 1)) fail("r" + std::to_string(s.number) + " is read too early");
        }
        depth = std::max(depth, m_depth[s.number]);
        if (in.opcode == Opcode::Nrm && s.number == in.destination.number) fail("nrm in place");
      }
    }
    const size_t inputs = 1, constants = m_code.pixel() ? 2 : 1;
    if (ports[RegisterType::Input].size() > inputs) fail("two v registers");
    if (ports[RegisterType::Const].size() > constants) fail("too many c registers");
    if (ports[RegisterType::AddressOrTexture].size() > 1) fail("two t registers");
    if (in.opcode == Opcode::Tex) {
      if (in.sources[0].swizzle != d3d9::kIdentitySwizzle ||
          in.sources[0].modifier != d3d9::SourceModifier::None)
        fail("texld with a modifier");
      if (in.destination.mask != 15) fail("texld writes all or nothing");
      // A coordinate from registers waits one phase longer than its inputs.
      depth = in.sources[0].type == RegisterType::Temp ? depth + 1 : 0;
      m_deepest = std::max(m_deepest, depth + 1);
    }
    if (in.destination.type == RegisterType::Temp) {
      if (in.destination.number > 11) fail("temporary");
      const bool all = in.destination.mask == 15;
      m_written[in.destination.number & 31] |= in.destination.mask;
      uint32_t& d = m_depth[in.destination.number & 31];
      d = all ? depth : std::max(d, depth);
    }
    if (in.destination.type == RegisterType::ColorOut && in.opcode != Opcode::Mov)
      fail("oC0 takes mov alone");
  }

  const oracle::Code& m_code;
  const d3d9::FixedShader& m_info;
  std::string m_wrong;
  uint32_t m_slots = 0, m_reads = 0, m_deepest = 0, m_at = 0;
  uint32_t m_written[32] = {}, m_depth[32] = {};
};

}  // namespace

std::string brokenRules(const oracle::Code& code, const d3d9::FixedShader& info) {
  return Checker(code, info).run();
}

}  // namespace aerogpu::shader::fixed
