// SPDX-License-Identifier: MIT
// The cost of DXBC programs. Source: d3d11TokenizedProgramFormat.hpp of the Windows SDK.
#include "renderer/shader/dxbc/dxbc.h"
#include "renderer/shader/dxbc/token_walk.h"

namespace aerogpu::shader {
namespace {

// Opcodes.
constexpr uint32_t kEndLoop = 0x16, kLd = 0x2D, kLdMs = 0x2E, kLoop = 0x30;
constexpr uint32_t kSample = 0x45, kSampleB = 0x4A, kGather4 = 0x6D, kGather4PoC = 0x80;
/// The assumed number of a loop's iterations, which the tokens do not tell. A loop that runs too long is
/// stopped when its time is over.
constexpr uint64_t kRounds = 16;

bool reads(uint32_t opcode) {
  return opcode == kLd || opcode == kLdMs || (opcode >= kSample && opcode <= kSampleB) ||
         opcode == kGather4 || (opcode >= kGather4PoC - 2 && opcode <= kGather4PoC);
}

/// Calls `use` with the opcode of each instruction, those inside of blocks included, but not declarations and
/// data.
template <class Use>
void eachInstruction(const Dxbc& container, Use use) {
  const DxbcChunk* code = programOf(container);
  if (!code) return;
  eachToken(ProgramWords(code->payload), [&](uint32_t opcode, size_t, size_t) {
    if (opcode < kFirstDeclaration || opcode > kLastDeclaration) use(opcode);
  });
}

}  // namespace

ShaderCost costOf(const Dxbc& container) {
  ShaderCost cost;
  uint64_t times = 1;
  eachInstruction(container, [&](uint32_t opcode) {
    if (opcode == kLoop)
      times = std::min(times * kRounds, ShaderCost::kMost);
    else if (opcode == kEndLoop)
      times = std::max<uint64_t>(times / kRounds, 1);
    else
      cost.add({1, reads(opcode)}, times);
  });
  return cost;
}

uint64_t instructionsOf(const Dxbc& container) {
  uint64_t count = 0;
  eachInstruction(container, [&](uint32_t) { ++count; });
  return count;
}

}  // namespace aerogpu::shader
