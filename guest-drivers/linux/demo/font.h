// SPDX-License-Identifier: MIT
// Bitmap fonts with grey levels, printable ASCII. fontgen makes the data at build time.
#pragma once

#include <cstdint>
#include <string_view>

namespace aerogpu::guest {

struct Glyph {
  int16_t advance64;  // 1/64 pixel
  int8_t left, top;   // position of the bitmap from the pen; top counts up from the base line
  uint8_t width, height;
  uint32_t offset;  // offset of its coverage bytes
};

struct Font {
  int ascent, lineHeight;  // pixels
  const Glyph* glyphs;     // characters 32..126
  const uint8_t* bits;

  const Glyph& glyph(char c) const { return glyphs[c >= 32 && c < 127 ? c - 32 : '?' - 32]; }
  /// Returns the width of a line in pixels.
  int width(std::string_view text) const;
};

const Font& bodyFont();
const Font& boldFont();
const Font& titleFont();

}  // namespace aerogpu::guest
