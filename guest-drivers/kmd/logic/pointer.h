// SPDX-License-Identifier: MIT
// pointer.h: converts Windows' pointer shapes to the device's 32-bit BGRA ones (d3dkmddi page
// "DXGKARG_SETPOINTERSHAPE"). Any IRQL; reads and writes only its arguments.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace aero {

enum class PointerKind {
  Monochrome,   // two masks of 1 bit a pixel, AND above XOR
  Color,        // 32 bits, straight alpha
  MaskedColor,  // 32 bits; alpha 0: the colour replaces, 0xFF: it is XORed with the screen
};

struct PointerShape {
  PointerKind kind;
  uint32_t width;   // pixels
  uint32_t height;  // lines of the picture (a monochrome shape has twice as many lines of bits)
  uint32_t pitch;   // bytes from line to line of `pixels`
  const uint8_t *pixels;
};

/** Returns the bytes that `shape.pixels` must have. */
constexpr size_t pointerBytes(const PointerShape &shape) {
  return size_t{shape.pitch} * shape.height * (shape.kind == PointerKind::Monochrome ? 2 : 1);
}

/**
 * Writes `height` lines of `width` 32-bit pixels (B, G, R, straight alpha), `outPitch` bytes apart. The device blends
 * and cannot invert the pixels under the pointer: a pixel that Windows wants inverted becomes black, and a transparent
 * neighbour of such a pixel becomes white, so that the shape (a text bar) is visible on any background.
 */
void convertPointer(const PointerShape &shape, uint8_t *out, uint32_t outPitch);

}  // namespace aero
