// SPDX-License-Identifier: MIT
// gdi_geometry.h: boxes of pixels, the mapping of a stretched axis, and the number of pixels that the shaders'
// arithmetic maps exactly. For gdi_*.cpp only.
#pragma once

#include <stdint.h>

namespace aero {

/** GDI's own coordinates have 27 bits; with larger ones the integer arithmetic here could overflow. */
constexpr int64_t kMaxCoordinate = int64_t{1} << 27;
constexpr int64_t kMaxTextureSide = 16384;

constexpr int64_t minimum(int64_t a, int64_t b) {
  return a < b ? a : b;
}
constexpr int64_t maximum(int64_t a, int64_t b) {
  return a > b ? a : b;
}

constexpr int32_t narrowed(int64_t value) {
  return static_cast<int32_t>(minimum(maximum(value, INT32_MIN), INT32_MAX));
}

/** A half-open box. It is stored in 32 bits because kernel stacks are small; calculations use 64 bits. */
struct GdiBox {
  int32_t left = 0, top = 0, right = 0, bottom = 0;

  static GdiBox of(int64_t left, int64_t top, int64_t right, int64_t bottom) {
    return {narrowed(left), narrowed(top), narrowed(right), narrowed(bottom)};
  }
  bool empty() const { return left >= right || top >= bottom; }
  int64_t width() const { return int64_t{right} - left; }
  int64_t height() const { return int64_t{bottom} - top; }
  GdiBox clipped(const GdiBox &by) const {
    return of(maximum(left, by.left), maximum(top, by.top), minimum(right, by.right), minimum(bottom, by.bottom));
  }
  GdiBox joined(const GdiBox &with) const {
    if (empty()) return with;
    return of(minimum(left, with.left), minimum(top, with.top), maximum(right, with.right),
              maximum(bottom, with.bottom));
  }
  GdiBox moved(int64_t x, int64_t y) const { return of(left + x, top + y, right + x, bottom + y); }
};

inline bool overlap(const GdiBox &a, const GdiBox &b) {
  return !a.clipped(b).empty();
}

/** A box within a surface, in 16 bits, because there are many on the stack. */
struct GdiPiece {
  uint16_t left, top, right, bottom;

  static GdiPiece of(const GdiBox &box) {
    return {static_cast<uint16_t>(box.left), static_cast<uint16_t>(box.top), static_cast<uint16_t>(box.right),
            static_cast<uint16_t>(box.bottom)};
  }
  GdiBox box() const { return GdiBox::of(left, top, right, bottom); }
};
static_assert(kMaxTextureSide <= UINT16_MAX);

/** Maps a coordinate of the destination to one of the source (page "DXGK_GDIARG_STRETCHBLT", second formula). */
struct GdiAxis {
  int64_t dst0 = 0, dstSize = 1;  // pixels
  int64_t src0 = 0, srcSize = 1;
  bool mirror = false;

  bool scaled() const { return dstSize != srcSize; }
  int64_t sourceOf(int64_t dst) const;
};

/** Returns how many pixels one draw may span so that the shader's arithmetic picks the pixels of the exact formula. */
int64_t exactSpan(const GdiAxis &axis);
/** Returns how many pixels one draw may span so that it reads at most `scratch` source pixels. */
int64_t scratchSpan(const GdiAxis &axis, int64_t scratch);

}  // namespace aero
