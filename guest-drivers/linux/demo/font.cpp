// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/demo/font.h"

#include "guest-drivers/linux/font_data.h"

namespace aerogpu::guest {

int Font::width(std::string_view text) const {
  int sum = 0;
  for (const char c : text) sum += glyph(c).advance64;
  return (sum + 63) / 64;
}

const Font& bodyFont() {
  return kBodyFont;
}
const Font& boldFont() {
  return kBoldFont;
}
const Font& titleFont() {
  return kTitleFont;
}

}  // namespace aerogpu::guest
