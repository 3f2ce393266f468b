// SPDX-License-Identifier: MIT
// device_format.h: D3DFORMATs, by which Windows describes surfaces, as the device's formats. Any IRQL.
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

/** Of two D3DFORMATs with one device format the first is the one that d3dFormatOf() gives back. */
inline constexpr DeviceFormat kDeviceFormats[] = {
    {aerogpu::d3d9::Format::X8R8G8B8, AEROGPU_FORMAT_B8G8R8X8_UNORM},
    {aerogpu::d3d9::Format::A8R8G8B8, AEROGPU_FORMAT_B8G8R8A8_UNORM},
    {aerogpu::d3d9::Format::A8B8G8R8, AEROGPU_FORMAT_R8G8B8A8_UNORM},
    {aerogpu::d3d9::Format::X8B8G8R8, AEROGPU_FORMAT_R8G8B8X8_UNORM},
    {aerogpu::d3d9::Format::R5G6B5, AEROGPU_FORMAT_B5G6R5_UNORM},
    {aerogpu::d3d9::Format::A1R5G5B5, AEROGPU_FORMAT_B5G5R5A1_UNORM},
    {aerogpu::d3d9::Format::X1R5G5B5, AEROGPU_FORMAT_B5G5R5A1_UNORM},
};

/** enum aerogpu_format of a D3DFORMAT, INVALID when the device has none. */
constexpr uint32_t deviceFormat(uint32_t d3dFormat) {
  for (const DeviceFormat &row : kDeviceFormats)
    if (static_cast<uint32_t>(row.d3d) == d3dFormat) return row.device;
  return AEROGPU_FORMAT_INVALID;
}

/** Formats of textures beyond those: no colours of the screen or of GDI, but programs share them. The depth formats
 *  without a stencil are kept as 32-bit depth, as the Direct3D 9 driver keeps its own. */
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

/** The number that a device with feature bit 37 would have for a format beyond ABI 1.4 (FMT-1), INVALID when there is
 *  none. Which of them a device has its capability block says. */
constexpr uint32_t extendedFormat(uint32_t d3dFormat) {
  for (const DeviceFormat &row : kFourCcFormats)
    if (static_cast<uint32_t>(row.d3d) == d3dFormat) return row.device;
  constexpr uint32_t kLastNumber = 0xFF;  // D3DFORMATs that are no FourCC
  return d3dFormat && d3dFormat <= kLastNumber ? AEROGPU_EXT_FORMAT_FIRST + d3dFormat
                                               : uint32_t{AEROGPU_FORMAT_INVALID};
}

/** The format of ABI 1.4 of a texture that programs share, INVALID when there is none. */
constexpr uint32_t textureFormat(uint32_t d3dFormat) {
  for (const DeviceFormat &row : kOtherFormats)
    if (static_cast<uint32_t>(row.d3d) == d3dFormat) return row.device;
  return deviceFormat(d3dFormat);
}

/** D3DFORMAT of a device format, D3DFMT_UNKNOWN for others. */
constexpr uint32_t d3dFormatOf(uint32_t deviceFormat) {
  for (const DeviceFormat &row : kDeviceFormats)
    if (row.device == deviceFormat) return static_cast<uint32_t>(row.d3d);
  return static_cast<uint32_t>(aerogpu::d3d9::Format::UNKNOWN);
}

/** Bytes of a pixel; 4 where the D3DFORMAT is unknown or has none of its own (compressed ones). */
constexpr uint32_t bytesPerPixel(uint32_t d3dFormat) {
  const aerogpu::d3d9::FormatInfo *info = aerogpu::d3d9::findFormat(d3dFormat);
  return info && info->blockBytes && info->blockWidth == 1 ? info->blockBytes : 4;
}

}  // namespace aero
