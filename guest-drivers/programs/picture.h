// SPDX-License-Identifier: MIT
// picture.h: pictures as programs expect and read them, and their comparison, pixel by pixel. It includes no Windows
// header: the tests compile it on Linux too.
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

namespace programs {

/** Packs channels of 0..255 as Direct3D 9's A8R8G8B8 has them in a 32-bit word. */
constexpr uint32_t argb(uint32_t a, uint32_t r, uint32_t g, uint32_t b) {
  return a << 24 | r << 16 | g << 8 | b;
}

/** Returns the nearest of 256 steps to a value of 0..1; outside, the nearer end (Direct3D's conversion to UNORM). */
uint32_t unorm8(double value);

/** Pixels in A8R8G8B8, row by row from the top. */
struct Picture {
  Picture() = default;
  Picture(uint32_t width, uint32_t height, uint32_t fill = 0)
      : width(width), height(height), pixels(size_t{width} * height, fill) {}
  uint32_t at(uint32_t x, uint32_t y) const { return pixels[size_t{y} * width + x]; }
  uint32_t &at(uint32_t x, uint32_t y) { return pixels[size_t{y} * width + x]; }

  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint32_t> pixels;
};

/** Compares all pixels. Each of the four channels (three without `alpha`) may differ by `tolerance` of its 255 steps.
 * Prints one line, `what: N of M pixels differ ...`, with the first ones, if some do. */
bool samePicture(const char *what, const Picture &got, const Picture &expected, uint32_t tolerance, bool alpha);

/** Writes a binary PPM (Netpbm "P6", 8 bits) without alpha. Prints an error line when that fails. */
bool writePpm(const char *path, const Picture &picture);

}  // namespace programs
