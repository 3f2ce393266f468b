// SPDX-License-Identifier: MIT
// palettes.h: palettes of textures of indices (P8), for DirectDraw and Direct3D 7 and older. The palette of a screen is
// the kernel driver's (DxgkDdiSetPalette). Only one call of a device at a time uses this.
#pragma once

#include "guest-drivers/umd-common/base/ddi.h"

namespace aero {

struct Palette {
  static constexpr uint32_t kColors = 256;

  /** Replaces colours; those past the last one are ignored. */
  void update(uint32_t first, uint32_t count, const PALETTEENTRY *values);
  void setAlpha(bool has);
  /** Sets `argb` to the colours as texels of A8R8G8B8. */
  void copyTo(uint32_t (&argb)[kColors]) const;

  uint32_t number = 0;   // the runtime's
  uint32_t changes = 1;  // grows with every change
  bool hasAlpha = false;
  PALETTEENTRY colors[kColors] = {};
  Palette *next = nullptr;
};

/** The palettes of a device. The interface has no end of a palette, so they stay until the device ends. */
class Palettes {
public:
  Palettes() = default;
  ~Palettes();
  Palettes(const Palettes &) = delete;
  Palettes &operator=(const Palettes &) = delete;

  /** Returns the palette of this number, which is black where it is new; null if memory is short. */
  Palette *get(uint32_t number);

private:
  Palette *m_first = nullptr;
};

}  // namespace aero
