// SPDX-License-Identifier: MIT
#include "guest-drivers/common/float_bits.h"

namespace aero {

uint32_t floatRatio(int64_t num, int64_t den) {
  if (num == 0 || den <= 0) return 0;
  const uint32_t sign = num < 0 ? 0x80000000u : 0;
  uint64_t n = num < 0 ? 0 - static_cast<uint64_t>(num) : static_cast<uint64_t>(num);
  uint64_t d = static_cast<uint64_t>(den);

  // n / d in [1, 2) times 2^exponent.
  int exponent = 0;
  while (n < d) {
    n <<= 1;
    exponent--;
  }
  while (n >= d << 1) {
    d <<= 1;
    exponent++;
  }
  // 24 bits of the quotient, one by one; n stays below 2 * d.
  uint32_t mantissa = 0;
  for (int bit = 0; bit < 24; bit++) {
    mantissa <<= 1;
    if (n >= d) {
      n -= d;
      mantissa |= 1;
    }
    n <<= 1;
  }
  // n is now twice the remainder, in units of the last bit.
  if (n > d || (n == d && (mantissa & 1))) mantissa++;
  if (mantissa >> 24) {
    mantissa >>= 1;
    exponent++;
  }
  return sign | static_cast<uint32_t>(exponent + 127) << 23 | (mantissa & 0x7FFFFFu);
}

}  // namespace aero
