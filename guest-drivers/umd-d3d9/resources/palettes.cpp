// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/resources/palettes.h"

#include "guest-drivers/umd-common/base/heap.h"

namespace aero {

void Palette::update(uint32_t first, uint32_t count, const PALETTEENTRY *values) {
  if (first >= kColors) return;
  if (count > kColors - first) count = kColors - first;
  memcpy(colors + first, values, count * sizeof colors[0]);
  changes++;
}

void Palette::setAlpha(bool has) {
  changes += has != hasAlpha;
  hasAlpha = has;
}

/** The members of PALETTEENTRY are the channels, peFlags alpha where the palette has it, as in DDrawCompat
 * (D3dDdi/Device.cpp, pfnUpdatePalette). The page "PFND3DDDI_UPDATEPALETTE" calls the entries ARGB. */
void Palette::copyTo(uint32_t (&argb)[kColors]) const {
  for (uint32_t i = 0; i < kColors; i++) {
    const PALETTEENTRY &color = colors[i];
    const uint32_t alpha = hasAlpha ? color.peFlags : 0xFF;
    argb[i] = alpha << 24 | uint32_t{color.peRed} << 16 | uint32_t{color.peGreen} << 8 | color.peBlue;
  }
}

Palettes::~Palettes() {
  while (Palette *palette = m_first) {
    m_first = palette->next;
    heapDestroy(palette);
  }
}

Palette *Palettes::get(uint32_t number) {
  for (Palette *palette = m_first; palette; palette = palette->next)
    if (palette->number == number) return palette;
  auto *palette = heapCreate<Palette>();
  if (!palette) return nullptr;
  palette->number = number;
  palette->next = m_first;
  return m_first = palette;
}

}  // namespace aero
