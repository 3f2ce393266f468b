// SPDX-License-Identifier: MIT
// Arithmetic on operands of instructions, which have 1 to 8 bytes.
#pragma once

#include <cstdint>

namespace aerogpu::host {

/// Returns the lowest `bytes` (1..8) bytes of `value` as a signed number of 64 bits.
inline uint64_t signExtend(uint64_t value, unsigned bytes) {
  const unsigned shift = 64 - 8 * bytes;
  return static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
}

}  // namespace aerogpu::host
