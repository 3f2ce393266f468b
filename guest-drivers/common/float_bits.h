// SPDX-License-Identifier: MIT
// float_bits.h: builds IEEE 754 single-precision values for packets from integers, because kernel code on x86
// must not touch the FPU. Any IRQL.
#pragma once

#include <stdint.h>

namespace aero {

/** Returns the bits of the single nearest to num / den (ties to even). |num| < 2^40, 0 < den < 2^40. */
uint32_t floatRatio(int64_t num, int64_t den);

/** Returns the bits of `value`; exact up to 2^24. */
inline uint32_t floatInt(int64_t value) {
  return floatRatio(value, 1);
}

constexpr uint32_t kFloatOne = 0x3F800000u;

}  // namespace aero
