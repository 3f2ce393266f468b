// SPDX-License-Identifier: MIT
// device_format.h: translates the D3DFORMATs by which Windows describes surfaces into the device's formats.
// Any IRQL.
#pragma once

#include <stdint.h>

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_format.h"
#include "aerogpu/d3d9/formats.h"

namespace aero {

struct DeviceFormat {
  aerogpu::d3d9::Format d3d;
  aerogpu_format device;
};

/** If two D3DFORMATs share a device format, d3dFormatOf() returns the first one. */
inline constexpr DeviceFormat kDeviceFormats[] = {
    {aerogpu::d3d9::Format::X8R8G8B8, AEROGPU_FORMAT_B8G8R8X8_UNORM},
    {aerogpu::d3d9::Format::A8R8G8B8, AEROGPU_FORMAT_B8G8R8A8_UNORM},
    {aerogpu::d3d9::Format::A8B8G8R8, AEROGPU_FORMAT_R8G8B8A8_UNORM},
    {aerogpu::d3d9::Format::X8B8G8R8, AEROGPU_FORMAT_R8G8B8X8_UNORM},
    {aerogpu::d3d9::Format::R5G6B5, AEROGPU_FORMAT_B5G6R5_UNORM},
    {aerogpu::d3d9::Format::A1R5G5B5, AEROGPU_FORMAT_B5G5R5A1_UNORM},
    {aerogpu::d3d9::Format::X1R5G5B5, AEROGPU_FORMAT_B5G5R5A1_UNORM},
};

/** Returns the enum aerogpu_format of a D3DFORMAT, INVALID if the device has none. */
constexpr uint32_t deviceFormat(uint32_t d3dFormat) {
  for (const DeviceFormat &row : kDeviceFormats)
    if (static_cast<uint32_t>(row.d3d) == d3dFormat) return row.device;
  return AEROGPU_FORMAT_INVALID;
}

/** More texture formats. Neither the screen nor GDI uses them, but programs share textures that have them. Depth
 * formats without a stencil become 32-bit depth, as in the Direct3D 9 driver. */
inline constexpr DeviceFormat kOtherFormats[] = {
    {aerogpu::d3d9::Format::DXT1, AEROGPU_FORMAT_BC1_RGBA_UNORM},
    {aerogpu::d3d9::Format::DXT2, AEROGPU_FORMAT_BC2_RGBA_UNORM},
    {aerogpu::d3d9::Format::DXT3, AEROGPU_FORMAT_BC2_RGBA_UNORM},
    {aerogpu::d3d9::Format::DXT4, AEROGPU_FORMAT_BC3_RGBA_UNORM},
    {aerogpu::d3d9::Format::DXT5, AEROGPU_FORMAT_BC3_RGBA_UNORM},
    {aerogpu::d3d9::Format::D24S8, AEROGPU_FORMAT_D24_UNORM_S8_UINT},
    {aerogpu::d3d9::Format::D24X8, AEROGPU_FORMAT_D32_FLOAT},
    {aerogpu::d3d9::Format::D16, AEROGPU_FORMAT_D32_FLOAT},
    {aerogpu::d3d9::Format::D32F_LOCKABLE, AEROGPU_FORMAT_D32_FLOAT},
};

/** Formats with a FourCC whose surfaces programs share, with the device's numbers (FMT-1). */
inline constexpr DeviceFormat kFourCcFormats[] = {
    {aerogpu::d3d9::Format::UYVY, AEROGPU_FORMAT_D3D9_UYVY},
    {aerogpu::d3d9::Format::YUY2, AEROGPU_FORMAT_D3D9_YUY2},
};

/** D3DDDIFMT_P8: a byte for each pixel, an index of a palette. */
inline constexpr uint32_t kIndexedFormat = static_cast<uint32_t>(aerogpu::d3d9::Format::P8);
/** The device's format of textures of indices (PAL-4), one of feature bit 37. */
inline constexpr uint32_t kIndexTexture = AEROGPU_FORMAT_D3D9_L8;

/** Returns the number that a device with feature bit 37 gives to a format beyond ABI 1.4 (FMT-1), INVALID
 * if it has none. The capability block says which of these formats the device supports. */
constexpr uint32_t extendedFormat(uint32_t d3dFormat) {
  for (const DeviceFormat &row : kFourCcFormats)
    if (static_cast<uint32_t>(row.d3d) == d3dFormat) return row.device;
  if (d3dFormat == kIndexedFormat) return kIndexTexture;
  constexpr uint32_t kLastNumber = 0xFF;  // the last D3DFORMAT that is not a FourCC
  return d3dFormat && d3dFormat <= kLastNumber ? AEROGPU_EXT_FORMAT_FIRST + d3dFormat
                                               : uint32_t{AEROGPU_FORMAT_INVALID};
}

/** Returns the ABI 1.4 format of a texture that programs share, INVALID if there is none. */
constexpr uint32_t textureFormat(uint32_t d3dFormat) {
  for (const DeviceFormat &row : kOtherFormats)
    if (static_cast<uint32_t>(row.d3d) == d3dFormat) return row.device;
  return deviceFormat(d3dFormat);
}

/** Returns the D3DFORMAT of a device format, D3DFMT_UNKNOWN for others. */
constexpr uint32_t d3dFormatOf(uint32_t deviceFormat) {
  for (const DeviceFormat &row : kDeviceFormats)
    if (row.device == deviceFormat) return static_cast<uint32_t>(row.d3d);
  return static_cast<uint32_t>(aerogpu::d3d9::Format::UNKNOWN);
}

/** Returns the bytes of a pixel; 4 if the D3DFORMAT is unknown or has no pixel size (compressed formats). */
constexpr uint32_t bytesPerPixel(uint32_t d3dFormat) {
  const aerogpu::d3d9::FormatInfo *info = aerogpu::d3d9::findFormat(d3dFormat);
  return info && info->blockBytes && info->blockWidth == 1 ? info->blockBytes : 4;
}

}  // namespace aero
