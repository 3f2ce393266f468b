// SPDX-License-Identifier: MIT
// The cost of DXBC programs, by a walk over their tokens that trusts none of them. Source:
// d3d11TokenizedProgramFormat.hpp of the Windows SDK.
#include <cstring>

#include "renderer/shader/dxbc/dxbc.h"

namespace aerogpu::shader {
namespace {

// Fields of an opcode token, and opcodes.
constexpr uint32_t kOpcodeMask = 0x7FF, kLengthShift = 24, kLengthMask = 0x7F;
constexpr uint32_t kEndLoop = 0x16, kLd = 0x2D, kLdMs = 0x2E, kLoop = 0x30, kCustomData = 0x35;
constexpr uint32_t kSample = 0x45, kSampleB = 0x4A, kGather4 = 0x6D, kGather4PoC = 0x80;
constexpr uint32_t kFirstDeclaration = 0x58, kLastDeclaration = 0x6A;
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
  const DxbcChunk* code = container.find(fourCc('S', 'H', 'E', 'X'));
  if (!code) code = container.find(fourCc('S', 'H', 'D', 'R'));
  if (!code) return;
  const auto word = [&](size_t i) {
    uint32_t value = 0;
    std::memcpy(&value, code->payload.data() + i * 4, 4);
    return value;
  };
  const size_t words = code->payload.size() / 4;
  for (size_t at = 2; at < words;) {  // after version and length
    const uint32_t token = word(at), opcode = token & kOpcodeMask;
    size_t length = token >> kLengthShift & kLengthMask;
    if (opcode == kCustomData)
      length = at + 1 < words ? word(at + 1) : 0;
    else if (opcode < kFirstDeclaration || opcode > kLastDeclaration)
      use(opcode);
    if (length == 0) break;  // no compiler writes this
    at += std::min(length, words - at);
  }
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
