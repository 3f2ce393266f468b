// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/gdi/gdi_geometry.h"

namespace aero {

int64_t GdiAxis::sourceOf(int64_t dst) const {
  int64_t at = dst - dst0;
  if (scaled()) at = (2 * at + 1) * srcSize / (2 * dstSize);
  return mirror ? src0 + srcSize - 1 - at : src0 + at;
}

// The shader adds a quarter of the smallest step of the formula, 1 / (4 * dstSize), so that no value lies on the border
// of two source pixels. The shader's rounding errors are below 3 * 2^-25 of the source pixels spanned.
int64_t exactSpan(const GdiAxis &axis) {
  constexpr int64_t kFewest = 256;
  if (!axis.scaled()) return kMaxTextureSide;
  const int64_t sourceSpan = maximum((int64_t{1} << 21) / axis.dstSize, 1);
  return minimum(maximum(sourceSpan * axis.dstSize / axis.srcSize, kFewest), kMaxTextureSide);
}

int64_t scratchSpan(const GdiAxis &axis, int64_t scratch) {
  if (!axis.scaled()) return scratch;
  return maximum((scratch - 2) * axis.dstSize / axis.srcSize, 1);
}

}  // namespace aero
