// SPDX-License-Identifier: MIT
// The cost of a program (see cost.h). Slots of instructions: the pages "Instructions - vs_3_0" and
// "Instructions - ps_3_0" of the Direct3D 9 "asm shader reference".
#include <array>
#include <vector>

#include "renderer/shader/d3d9/program.h"

namespace aerogpu::shader {
namespace {

using d3d9::Opcode;

constexpr uint64_t kMostRounds = 255;  // of a loop: the limit of i#.x (page "loop - vs")

constexpr uint32_t slotsOf(Opcode op) {
  switch (op) {
    case Opcode::SinCos:
      return 8;
    case Opcode::Nrm:
    case Opcode::Pow:
      return 3;
    case Opcode::Lrp:
    case Opcode::Crs:
      return 2;
    default:
      return std::max(1u, matrixRows(op));
  }
}

/// Costs indexed by opcode: a table, as every program is counted. Larger opcodes take one slot (PHASE).
struct OpcodeCosts {
  std::array<uint8_t, 128> slots{}, samples{};
};
constexpr OpcodeCosts kCosts = [] {
  OpcodeCosts all;
  for (uint32_t i = 0; i < all.slots.size(); ++i) {
    const auto op = static_cast<Opcode>(i);
    all.slots[i] = static_cast<uint8_t>(slotsOf(op));
    all.samples[i] = op == Opcode::Tex || op == Opcode::TexLdd || op == Opcode::TexLdl;
  }
  return all;
}();

ShaderCost costOf(Opcode op) {
  const auto number = static_cast<uint32_t>(op);
  if (number >= kCosts.slots.size()) return {1, 0};
  return {kCosts.slots[number], kCosts.samples[number]};
}

class CostCounter {
public:
  explicit CostCounter(const ProgramCode& program) : m_program(program) {}

  /// Returns the cost of instructions [at, end), blocks and called subroutines included. Branches count as
  /// taken.
  ShaderCost range(uint32_t at, uint32_t end) {
    // A loop's rounds multiply its contents; the rounds of inner loops are bounded together
    // (kMaxInnerIterations).
    std::array<uint64_t, kMaxBlockDepth + 1> rounds{1};
    uint32_t depth = 0;
    ShaderCost cost;
    for (; at < end; ++at) {
      const Instruction& in = m_program.code[at];
      const uint64_t times = rounds[depth];
      switch (in.opcode) {
        case Opcode::Loop:
        case Opcode::Rep:
          if (depth < kMaxBlockDepth) {
            const uint64_t inside = times * roundsOf(in);
            rounds[++depth] = times == 1 ? inside : std::min<uint64_t>(inside, kMaxInnerIterations);
          }
          break;
        case Opcode::EndLoop:
        case Opcode::EndRep:
          if (depth != 0) --depth;
          break;
        case Opcode::Call:
        case Opcode::CallNz:
          cost.add(subroutine(in.sources[0].number), times);
          break;
        default:
          cost.add(costOf(in.opcode), times);
          break;
      }
    }
    return cost;
  }

private:
  uint64_t roundsOf(const Instruction& in) const {
    for (const Operand& source : in.sources)
      if (source.type == d3d9::RegisterType::ConstInt && (m_program.intDefined >> source.number & 1) != 0)
        return static_cast<uint64_t>(
            std::clamp<int64_t>(m_program.intDefinitions[source.number][0], 0, kMostRounds));
    return kMostRounds;
  }
  /// Returns the cost of a subroutine. Calls do not recurse. Each subroutine is computed once for all
  /// callers.
  ShaderCost subroutine(uint16_t label) {
    const auto& all = m_program.subroutines;
    if (m_known.empty()) m_known.resize(all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].label != label) continue;
      if (!m_known[i].second) m_known[i] = {range(all[i].begin, all[i].end), true};
      return m_known[i].first;
    }
    return {};
  }

  const ProgramCode& m_program;
  std::vector<std::pair<ShaderCost, bool>> m_known;
};

}  // namespace

ShaderCost slotsOf(const ProgramCode& program) {
  ShaderCost all;
  for (const Instruction& in : program.code) {
    const ShaderCost one = costOf(in.opcode);
    all.instructions += one.instructions;
    all.samples += one.samples;
  }
  return all;
}

ShaderCost costOf(const ProgramCode& program) {
  return CostCounter(program).range(0, program.mainEnd);
}

}  // namespace aerogpu::shader
