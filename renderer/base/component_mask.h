// SPDX-License-Identifier: MIT
// Masks of a register's four components, bit 0 for x. Any thread.
#pragma once

#include <cstdint>

namespace aerogpu {

/// Returns the mask with all components between its first and its last.
constexpr uint32_t withoutGaps(uint32_t mask) {
  for (uint32_t bit = 2; bit <= 4; bit <<= 1)
    if ((mask & (bit - 1)) && mask >= bit) mask |= bit;
  return mask;
}
static_assert(withoutGaps(0b1001) == 0b1111 && withoutGaps(0b0101) == 0b0111 &&
              withoutGaps(0b1010) == 0b1110 && withoutGaps(0b1101) == 0b1111);
static_assert(withoutGaps(0b0110) == 0b0110 && withoutGaps(0b1100) == 0b1100 &&
              withoutGaps(0b0001) == 0b0001 && withoutGaps(0b1000) == 0b1000 && withoutGaps(0) == 0);

}  // namespace aerogpu
