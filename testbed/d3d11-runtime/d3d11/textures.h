// SPDX-License-Identifier: MIT
// Creation of 1D and 3D textures.
#pragma once

#include "testbed/d3d11-runtime/d3d11/resources.h"

namespace aerogpu::runtime11 {

HRESULT createTexture1D(Core &core, const D3D11_TEXTURE1D_DESC *description, const D3D11_SUBRESOURCE_DATA *initial,
                        ID3D11Texture1D **out);
HRESULT createTexture3D(Core &core, const D3D11_TEXTURE3D_DESC *description, const D3D11_SUBRESOURCE_DATA *initial,
                        ID3D11Texture3D **out);

}  // namespace aerogpu::runtime11
