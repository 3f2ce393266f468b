// SPDX-License-Identifier: MIT
// lock.h: what the CPU reads and writes of resources: Lock and Unlock, and copies between memory of the process and
// surfaces on the device.
#pragma once

#include "resource.h"

namespace aero {

HRESULT lockResource(Wire &wire, Resource &resource, D3DDDIARG_LOCK &args);
HRESULT unlockResource(Wire &wire, Resource &resource, const D3DDDIARG_UNLOCK &args);

/** Writes rows at `source` to `rect` of a surface on the device. The bytes are taken before this returns. */
HRESULT writeSurface(Wire &wire, Surface &surface, const Rect &rect, const uint8_t *source, uint32_t sourcePitch);
/** Reads `rect` of a surface on the device, with everything that was drawn before. Waits for the device. */
HRESULT readSurface(Wire &wire, Surface &surface, const Rect &rect, uint8_t *to, uint32_t toPitch);

/** Copies rows of bytes. */
void copyRows(uint8_t *to, size_t toPitch, const uint8_t *from, size_t fromPitch, size_t bytes, uint32_t rows);

/** `rect` widened to whole blocks of the format, inside of the surface. */
Rect wholeBlocks(const FormatRow &format, const Rect &rect, uint32_t width, uint32_t height);

}  // namespace aero
