// SPDX-License-Identifier: MIT
// The picture that the compositor's benchmarks draw: overlapping windows on a screen, of which one has
// changed and one lies on glass, under which the screen is blurred.
#pragma once

#include <cstdint>
#include <vector>

namespace aerogpu::bench {

inline constexpr uint32_t kWindows = 20, kWindowWidth = 320, kWindowHeight = 240;
inline constexpr uint32_t kWindowBytes = kWindowWidth * kWindowHeight * 4;
inline constexpr uint32_t kChanged = 12, kGlass = 17;  ///< windows; the second lies over the first's edge
inline constexpr uint32_t kBlurScale = 2;              ///< pixels a blurred texel is wide

struct Place {
  uint32_t x, y, width, height;
};
constexpr Place windowPlace(uint32_t window) {
  return {100 + window % 5 * 300, 50 + window / 5 * 200, kWindowWidth, kWindowHeight};
}
constexpr Place thumbnailPlace(uint32_t window) {
  return {window % 5 * (kWindowWidth / 2), window / 5 * (kWindowHeight / 2), kWindowWidth / 2,
          kWindowHeight / 2};
}

/// BGRA texels, tight rows; half as bright as they cover, so that windows below shine through. Two of three
/// texels of a window have one colour, kKeyColor.
inline constexpr uint32_t kKeyColor = 0x80402010;
inline std::vector<uint32_t> windowTexels(uint32_t window) {
  std::vector<uint32_t> out(kWindowBytes / 4);
  for (uint32_t i = 0; i < out.size(); ++i)
    out[i] = (i / 16 + i / kWindowWidth / 16) % 3 ? kKeyColor : 0xC0000000u + window * 0x060A0Cu + i % 16;
  return out;
}

}  // namespace aerogpu::bench
