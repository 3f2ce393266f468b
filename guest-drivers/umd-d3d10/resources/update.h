// SPDX-License-Identifier: MIT
// update.h: brings bytes of the program into resources. They are read before a function returns, and take effect in the
// order of the calls.
#pragma once

#include "guest-drivers/umd-d3d10/resources/resource.h"

namespace aero {

/** Copies a level; `source` has rows and slices that far apart. */
void copyLevel(uint8_t *target, const LevelLayout &level, const uint8_t *source, uint32_t rowPitch,
               uint32_t slicePitch);

/** Sends bytes to a buffer. `flags`: AEROGPU_EXT_UPDATE_*. */
HRESULT updateBuffer(DeviceObjects &objects, Resource &buffer, uint32_t offset, const uint8_t *source, uint32_t bytes,
                     uint32_t flags);
/** Sends texels of a box of a texture. */
HRESULT updateTexture(DeviceObjects &objects, Resource &texture, uint32_t subresource, const Box &box,
                      const uint8_t *source, uint32_t rowPitch, uint64_t slicePitch);
/** Sends a part of a subresource, or all of it without a box. The box of a buffer counts bytes. */
HRESULT updateSubresource(DeviceObjects &objects, Resource &resource, uint32_t subresource, const D3D10_DDI_BOX *box,
                          const uint8_t *source, uint32_t rowPitch, uint32_t slicePitch);
/** Writes a whole subresource of a staging resource, which the device does not use yet. */
HRESULT writeMemory(DeviceObjects &objects, Resource &staging, uint32_t subresource, const uint8_t *source,
                    uint32_t rowPitch, uint32_t slicePitch);
/** Tells the device that the CPU has written a staging buffer. */
HRESULT markWritten(DeviceObjects &objects, Resource &staging);

}  // namespace aero
