// SPDX-License-Identifier: MIT
// surface_copies.h: copies between memory of the process and surfaces on the device.
#pragma once

#include "guest-drivers/umd-d3d9/resources/resource.h"

namespace aero {

/** Writes rows and slices at `source` to `box` of a surface on the device. The bytes are read before this returns. */
HRESULT writeSurface(DeviceObjects &objects, Surface &surface, const Box &box, const uint8_t *source,
                     uint32_t sourcePitch, uint64_t sourceSlicePitch);
inline HRESULT writeSurface(DeviceObjects &objects, Surface &surface, const Rect &rect, const uint8_t *source,
                            uint32_t sourcePitch) {
  return writeSurface(objects, surface, Box{rect, 0, 1}, source, sourcePitch, 0);
}
/** Writes `box` of a surface in the runtime's memory, whose format is `format`, to `area` of a surface on the
 * device. */
HRESULT writeSurface(DeviceObjects &objects, Surface &to, const Box &area, const Surface &from, const FormatRow &format,
                     const Box &box);
/** Reads `box` of a surface on the device, including everything drawn before. Waits for the device. */
HRESULT readSurface(DeviceObjects &objects, Surface &surface, const Box &box, uint8_t *to, uint32_t toPitch,
                    uint64_t toSlicePitch);
inline HRESULT readSurface(DeviceObjects &objects, Surface &surface, const Rect &rect, uint8_t *to, uint32_t toPitch) {
  return readSurface(objects, surface, Box{rect, 0, 1}, to, toPitch, 0);
}

/** Reads `box` of a surface on the device into a surface in the runtime's memory. */
HRESULT readSurface(DeviceObjects &objects, Surface &from, const Box &box, const Surface &to, const FormatRow &format,
                    const Box &area);

/** Returns `rect` widened to whole blocks of the format, within the surface. */
Rect wholeBlocks(const FormatRow &format, const Rect &rect, uint32_t width, uint32_t height);

}  // namespace aero
