// SPDX-License-Identifier: MIT
// points.h: what the points of level9.exe share, and those of other files than level9.cpp.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "testbed/d3d9-runtime/level9/front.h"

namespace aerogpu::level9 {

inline constexpr UINT kSize = 64;  // size of most targets
inline constexpr uint32_t kOpaque = 0xFF000000;

inline RECT box(UINT width, UINT height) {
  return {0, 0, static_cast<LONG>(width), static_cast<LONG>(height)};
}

/** Compares all pixels with `colour(x, y)`; channels under `mask` may each differ by `tolerance`. */
template <class Colour>
bool same(const char *what, const Pixels &got, uint32_t mask, uint32_t tolerance, Colour &&colour) {
  for (UINT y = 0; y < got.height; ++y)
    for (UINT x = 0; x < got.width; ++x) {
      const uint32_t expected = colour(x, y);
      for (int shift = 0; shift < 32; shift += 8) {
        if (!(mask >> shift & 255)) continue;
        const int difference =
            static_cast<int>(got.at(x, y) >> shift & 255) - static_cast<int>(expected >> shift & 255);
        if (static_cast<uint32_t>(std::abs(difference)) > tolerance)
          return fail("%s: (%u,%u) is %08x, not %08x", what, x, y, got.at(x, y), expected);
      }
    }
  return true;
}

inline uint32_t pattern(UINT x, UINT y, uint32_t round) {
  return (x * 5 + round * 31) % 256 << 16 | (y * 7 + round * 11) % 256 << 8 | (x * y + round) % 256 | kOpaque;
}

/** Writes system memory as an application does, without notice. */
template <class Colour> void write(const DriverResource &texture, UINT width, UINT height, Colour &&colour) {
  for (UINT y = 0; y < height; ++y)
    for (UINT x = 0; x < width; ++x) {
      const uint32_t value = colour(x, y);
      std::memcpy(texture.memory(0).bytes + size_t{y} * texture.memory(0).pitch + size_t{x} * 4, &value, 4);
    }
}

/// Asks the test what the device's screen shows: `what` is "X,Y=RRGGBB ..." and may begin with "size=WxH". Waits for
/// the answer.
bool look(const char *what);

// adapters.cpp
bool levelTables(const Front &front);
bool interfaces();
bool twoThreads();
bool unknownStates(Front &front);
// screens.cpp
bool sharedPrimary(Front &front);
bool lostScreen(Front &front);
// desktop.cpp
bool desktop(Front &front, const char *producer);

}  // namespace aerogpu::level9
