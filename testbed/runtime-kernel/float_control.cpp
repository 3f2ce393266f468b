// SPDX-License-Identifier: MIT
#include "testbed/runtime-kernel/float_control.h"

namespace aerogpu::runtime {

static constexpr unsigned kSseFlags = 0x3F;

FloatControl FloatControl::read() {
  FloatControl now{};
  asm volatile("fnstcw %0" : "=m"(now.x87));
  asm volatile("stmxcsr %0" : "=m"(now.sse));
  now.sse &= ~kSseFlags;
  return now;
}

void FloatControl::write() const {
  asm volatile("fldcw %0" : : "m"(x87));
  asm volatile("ldmxcsr %0" : : "m"(sse));
}

void FloatControl::setSinglePrecision() {
  constexpr unsigned kPrecisionRoundingMasks = 0xF3F, kAllMasked = 0x3F;
  FloatControl control = read();
  control.x87 = static_cast<unsigned short>((control.x87 & ~kPrecisionRoundingMasks) | kAllMasked);
  control.write();
}

}  // namespace aerogpu::runtime
