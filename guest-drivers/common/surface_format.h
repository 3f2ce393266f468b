// SPDX-License-Identifier: MIT
// surface_format.h: the formats in the private data of allocations: D3DFORMATs, or DXGI_FORMATs where the
// data says so. Gives their sizes, and the D3DFORMAT that matches a DXGI_FORMAT. Source: pages "D3DFORMAT"
// and "DXGI_FORMAT". Any IRQL.
#pragma once

#include <stdint.h>

#include "aerogpu/d3d9/formats.h"

namespace aero {

/** Pixels that are stored together; 0 bytes: the size is unknown. */
struct FormatBlock {
  uint32_t width = 1, height = 1, bytes = 0;
};

namespace detail {

/** A range of DXGI_FORMATs with the same block. */
struct DxgiRange {
  uint8_t first, last;
  FormatBlock block;
};

inline constexpr DxgiRange kDxgiRanges[] = {
    {1, 4, {1, 1, 16}},    // R32G32B32A32
    {5, 8, {1, 1, 12}},    // R32G32B32
    {9, 22, {1, 1, 8}},    // R16G16B16A16, R32G32, R32G8X24
    {23, 47, {1, 1, 4}},   // R10G10B10A2, R11G11B10, R8G8B8A8, R16G16, R32, R24G8
    {48, 59, {1, 1, 2}},   // R8G8, R16
    {60, 65, {1, 1, 1}},   // R8, A8
    {66, 66, {8, 1, 1}},   // R1
    {67, 67, {1, 1, 4}},   // R9G9B9E5
    {68, 69, {2, 1, 4}},   // R8G8_B8G8, G8R8_G8B8
    {70, 72, {4, 4, 8}},   // BC1
    {73, 78, {4, 4, 16}},  // BC2, BC3
    {79, 81, {4, 4, 8}},   // BC4
    {82, 84, {4, 4, 16}},  // BC5
    {85, 86, {1, 1, 2}},   // B5G6R5, B5G5R5A1
    {87, 93, {1, 1, 4}},   // B8G8R8A8, B8G8R8X8, R10G10B10_XR_BIAS_A2
    {94, 99, {4, 4, 16}},  // BC6H, BC7
    {115, 115, {1, 1, 2}}  // B4G4R4A4
};

struct DxgiPair {
  uint8_t dxgi;
  aerogpu::d3d9::Format d3d;
};

/** Both formats of a pair have the same layout; sRGB is part of a DXGI format but a state in Direct3D 9. */
inline constexpr DxgiPair kDxgiPairs[] = {
    {2, aerogpu::d3d9::Format::A32B32G32R32F},
    {10, aerogpu::d3d9::Format::A16B16G16R16F},
    {11, aerogpu::d3d9::Format::A16B16G16R16},
    {13, aerogpu::d3d9::Format::Q16W16V16U16},
    {16, aerogpu::d3d9::Format::G32R32F},
    {24, aerogpu::d3d9::Format::A2B10G10R10},
    {28, aerogpu::d3d9::Format::A8B8G8R8},
    {29, aerogpu::d3d9::Format::A8B8G8R8},
    {34, aerogpu::d3d9::Format::G16R16F},
    {35, aerogpu::d3d9::Format::G16R16},
    {40, aerogpu::d3d9::Format::D32F_LOCKABLE},
    {41, aerogpu::d3d9::Format::R32F},
    {45, aerogpu::d3d9::Format::D24S8},
    {54, aerogpu::d3d9::Format::R16F},
    {55, aerogpu::d3d9::Format::D16},
    {56, aerogpu::d3d9::Format::L16},
    {61, aerogpu::d3d9::Format::L8},
    {65, aerogpu::d3d9::Format::A8},
    {71, aerogpu::d3d9::Format::DXT1},
    {72, aerogpu::d3d9::Format::DXT1},
    {74, aerogpu::d3d9::Format::DXT3},
    {75, aerogpu::d3d9::Format::DXT3},
    {77, aerogpu::d3d9::Format::DXT5},
    {78, aerogpu::d3d9::Format::DXT5},
    {85, aerogpu::d3d9::Format::R5G6B5},
    {86, aerogpu::d3d9::Format::A1R5G5B5},
    {87, aerogpu::d3d9::Format::A8R8G8B8},
    {88, aerogpu::d3d9::Format::X8R8G8B8},
    {91, aerogpu::d3d9::Format::A8R8G8B8},
    {93, aerogpu::d3d9::Format::X8R8G8B8},
    {115, aerogpu::d3d9::Format::A4R4G4B4},
};

}  // namespace detail

/** Returns the D3DFORMAT of a DXGI_FORMAT, D3DFMT_UNKNOWN (0) if Direct3D 9 has none. */
constexpr uint32_t d3dFormatOfDxgi(uint32_t dxgi) {
  for (const detail::DxgiPair &row : detail::kDxgiPairs)
    if (row.dxgi == dxgi) return static_cast<uint32_t>(row.d3d);
  return static_cast<uint32_t>(aerogpu::d3d9::Format::UNKNOWN);
}

/** Returns the block in which a format is stored. */
constexpr FormatBlock formatBlock(uint32_t format, bool isDxgi) {
  if (isDxgi) {
    for (const detail::DxgiRange &row : detail::kDxgiRanges)
      if (format >= row.first && format <= row.last) return row.block;
    return {};
  }
  const aerogpu::d3d9::FormatInfo *info = aerogpu::d3d9::findFormat(format);
  return info ? FormatBlock{info->blockWidth, info->blockHeight, info->blockBytes} : FormatBlock{};
}

}  // namespace aero
