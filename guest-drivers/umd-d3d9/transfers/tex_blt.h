// SPDX-License-Identifier: MIT
// tex_blt.h: copies whole textures and volumes, level by level, for IDirect3DDevice9::UpdateTexture and managed
// textures; and generates levels from the first one on the device.
#pragma once

#include "guest-drivers/umd-d3d9/resources/resource.h"

namespace aero {

/** Copies a face of a texture to another one with all levels that both have, beginning at the source's level that is
 * as large as the destination's first. The source is mostly in the runtime's memory, whose bytes are read before
 * this returns. */
HRESULT texBlt(DeviceObjects &objects, const D3DDDIARG_TEXBLT &args);
/** Copies a volume to another one with all levels that both have. */
HRESULT volBlt(DeviceObjects &objects, const D3DDDIARG_VOLUMEBLT &args);
/** Generates all levels after the first, for a resource with AutogenMipmap. */
HRESULT generateMips(DeviceObjects &objects, const D3DDDIARG_GENERATEMIPSUBLEVELS &args);

}  // namespace aero
