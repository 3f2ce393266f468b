// SPDX-License-Identifier: MIT
// The words of a SPIR-V module (SPIR-V 1.6, 2.3 "Physical Layout of a SPIR-V Module"), for what rewrites one.
#pragma once

#include <cstdint>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <vector>

namespace aerogpu::shader::spirv_words {

using Id = uint32_t;
using Words = std::vector<uint32_t>;
/// One instruction: its words, the first one included.
using InstructionWords = std::span<const uint32_t>;
using spv::Op;

inline constexpr uint32_t kHeaderWords = 5;
inline constexpr uint32_t kBoundWord = 3;
inline constexpr uint32_t kMaxBound = 0x3FFFFF;  // 2.17 "Universal Limits"

inline Op opcode(InstructionWords in) {
  return static_cast<Op>(in[0] & 0xFFFF);
}

/// Appends an instruction.
template <class... Args>
void put(Words& out, Op op, Args... args) {
  out.push_back(static_cast<uint32_t>((sizeof...(args) + 1) << 16) | static_cast<uint32_t>(op));
  (out.push_back(static_cast<uint32_t>(args)), ...);
}

/// Calls `take` with each instruction, in order. Returns why these are no words of a module, or null.
template <class Take>
const char* forEachInstruction(std::span<const uint32_t> words, Take take) {
  if (words.size() < kHeaderWords || words[0] != spv::MagicNumber) return "no SPIR-V";
  if (words[kBoundWord] == 0 || words[kBoundWord] > kMaxBound) return "bound of ids";
  for (size_t at = kHeaderWords; at < words.size();) {
    const size_t count = words[at] >> 16;
    if (count == 0 || count > words.size() - at) return "an instruction is cut short";
    if (const char* why = take(words.subspan(at, count))) return why;
    at += count;
  }
  return nullptr;
}

}  // namespace aerogpu::shader::spirv_words
