// SPDX-License-Identifier: MIT
// copy.h: copies between resources.
#pragma once

#include "guest-drivers/umd-d3d10/resources/resource.h"

namespace aero {

/** Copies all of a resource to one of the same size and format family. */
HRESULT copyResource(DeviceObjects &objects, Resource &target, Resource &source);
/** Copies a box of a subresource, or all of it; of a buffer it counts bytes. */
HRESULT copyRegion(DeviceObjects &objects, Resource &target, uint32_t targetSubresource, uint32_t x, uint32_t y,
                   uint32_t z, Resource &source, uint32_t sourceSubresource, const D3D10_DDI_BOX *box);
/** Fills a subresource of one sample from one of several. */
HRESULT resolveSubresource(DeviceObjects &objects, Resource &target, uint32_t targetSubresource, Resource &source,
                           uint32_t sourceSubresource, bool isSrgb);
/** Copies a whole subresource to a rectangle of another: scales, converts and resolves. */
HRESULT blitSubresource(DeviceObjects &objects, Resource &target, uint32_t targetSubresource, const Rect &rect,
                        Resource &source, uint32_t sourceSubresource, uint32_t flags);

}  // namespace aero
