// SPDX-License-Identifier: MIT
// A walk over the tokens of a program of shader model 4 or 5 that trusts none of them. Source:
// d3d11TokenizedProgramFormat.hpp of the Windows SDK. For the files of this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace aerogpu::shader {

/// The words of a program, wherever they lie.
class ProgramWords {
public:
  explicit ProgramWords(std::span<const uint8_t> bytes) : m_bytes(bytes) {}
  size_t size() const { return m_bytes.size() / 4; }
  uint32_t operator[](size_t i) const {
    uint32_t value;
    std::memcpy(&value, m_bytes.data() + i * 4, 4);
    return value;
  }

private:
  std::span<const uint8_t> m_bytes;
};

inline constexpr uint32_t kFirstDeclaration = 0x58, kLastDeclaration = 0x6A;

/// Calls `use` with the opcode, the place and the length in words of each token with its operands, those
/// inside of blocks included, but not of custom data. Ends where a length is 0, which no compiler writes.
template <class Use>
void eachToken(const ProgramWords& words, Use use) {
  constexpr uint32_t kOpcodeMask = 0x7FF, kLengthShift = 24, kLengthMask = 0x7F, kCustomData = 0x35;
  for (size_t at = 2; at < words.size();) {  // after version and length
    const uint32_t token = words[at], opcode = token & kOpcodeMask;
    size_t length = token >> kLengthShift & kLengthMask;
    if (opcode == kCustomData) length = at + 1 < words.size() ? words[at + 1] : 0;
    length = std::min(length, words.size() - at);
    if (opcode != kCustomData) use(opcode, at, length);
    if (length == 0) break;
    at += length;
  }
}

}  // namespace aerogpu::shader
