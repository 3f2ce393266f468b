// SPDX-License-Identifier: MIT
// tex_blt.h: copies of whole textures and volumes, level by level, as IDirect3DDevice9::UpdateTexture and managed
// textures want them; and levels that the device makes of the first.
#pragma once

#include "guest-drivers/umd-d3d9/resources/resource.h"

namespace aero {

/** A face of a texture to another one with all levels that both have, beginning at the source's level that is as large
 *  as the destination's first. Mostly from memory of the runtime's, whose bytes are taken before this returns. */
HRESULT texBlt(Wire &wire, const D3DDDIARG_TEXBLT &args);
/** The same with volumes. */
HRESULT volBlt(Wire &wire, const D3DDDIARG_VOLUMEBLT &args);
/** All levels behind the first, of a resource with AutogenMipmap. */
HRESULT generateMips(Wire &wire, const D3DDDIARG_GENERATEMIPSUBLEVELS &args);

}  // namespace aero
