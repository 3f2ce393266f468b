// SPDX-License-Identifier: MIT
// Sizes of formats, and checks of formats: CheckDeviceFormat and its like from the driver's FORMATOP list.
#pragma once

#include "testbed/d3d9-runtime/base/windows_headers.h"
#include "testbed/d3d9-runtime/driver/driver_adapter.h"

namespace aerogpu::runtime {

struct FormatLayout {
  UINT blockWidth = 1, blockHeight = 1, blockBytes = 0;
};

/// Returns the layout of a format. That of a FOURCC of the driver is a pixel of PrivateFormatBitCount bits; without
/// that number it counts as 8 bits, for sums of memory only. False for other unknown numbers.
bool formatLayout(const DriverAdapter &adapter, D3DFORMAT format, FormatLayout &layout);
/// True if a format is a FOURCC of the driver that the API has no name for.
bool isDriverFormat(D3DFORMAT format);
/// True if the runtime can have memory for surfaces of a format: it knows the format, or the driver told the size of a
/// pixel (page "FORMATOP", FORMATOP_PIXELSIZE).
bool hasRuntimeMemory(const DriverAdapter &adapter, D3DFORMAT format);
bool isDepthFormat(D3DFORMAT format);
/// Returns the bytes of a row of blocks, without gaps.
UINT rowBytes(const FormatLayout &layout, UINT width);
UINT rowCount(const FormatLayout &layout, UINT height);
/// Returns the bytes that memory of a format needs; 64-bit.
UINT64 imageBytes(const FormatLayout &layout, UINT width, UINT height, UINT depth);

HRESULT checkDeviceType(const DriverAdapter &adapter, D3DFORMAT display, D3DFORMAT backBuffer, bool windowed);
HRESULT checkDeviceFormat(const DriverAdapter &adapter, D3DFORMAT display, DWORD usage, D3DRESOURCETYPE type,
                          D3DFORMAT format);
HRESULT checkDepthStencilMatch(const DriverAdapter &adapter, D3DFORMAT display, D3DFORMAT target, D3DFORMAT depth);
HRESULT checkConversion(const DriverAdapter &adapter, D3DFORMAT from, D3DFORMAT to);
HRESULT checkMultisample(const DriverAdapter &adapter, D3DFORMAT format, bool windowed, D3DMULTISAMPLE_TYPE type,
                         DWORD *levels);

}  // namespace aerogpu::runtime
