// SPDX-License-Identifier: MIT
// formats.h: the DXGI_FORMATs that the driver has: the device's format for each, and what Direct3D may do with it.
// Textures and views have the device's number of their DXGI_FORMAT, but for textures that others share: these have the
// number that Direct3D 9 has for it, and views show them by the other one. Read-only once it is made; any thread.
#pragma once

#include "aerogpu/aerogpu_format.h"
#include "guest-drivers/umd-common/base/device_block.h"
#include "guest-drivers/umd-d3d10/base/ddi.h"

namespace aero {

/** The device's number of a DXGI_FORMAT is this one more. */
inline constexpr uint32_t kDxgiFirst =
    uint32_t{AEROGPU_FORMAT_DXGI_R32G32B32A32_TYPELESS} - uint32_t{DXGI_FORMAT_R32G32B32A32_TYPELESS};

struct FormatRow {
  uint8_t dxgi;    // DXGI_FORMAT
  uint8_t family;  // the typeless format of its family; itself if there is none
  uint8_t linear;  // without sRGB; of a typeless format, the typed one as which the device stores it
  uint8_t block;   // edge of a block, pixels
  uint8_t blockBytes;
  bool isDepth, hasStencil;
  bool showsDepth;  // shaders read depth or stencil of textures of the family's depth format so
  bool isViewOnly;  // and in no other texture
  bool isTypeless() const { return dxgi == family && dxgi != linear; }
  bool isSrgb() const { return dxgi != family && dxgi != linear; }
  /** Returns enum aerogpu_format of textures that are not shared. */
  uint32_t texture() const { return kDxgiFirst + (isDepth ? linear : dxgi); }
  /** Returns that of views. */
  uint32_t view() const { return kDxgiFirst + dxgi; }
  /** Returns that of shared textures; AEROGPU_FORMAT_INVALID if Direct3D 9 has none. */
  uint32_t shared() const;
};

class FormatTable {
public:
  FormatTable() = default;
  explicit FormatTable(const DeviceBlock &block) : m_block(block) {}

  /** Returns the row of a DXGI_FORMAT, null for formats that the driver or the device lacks. `isDepth`: of a typeless
   * format, the depth format of its family. */
  const FormatRow *find(DXGI_FORMAT format, bool isDepth = false) const;
  /** Returns the row of a surface whose D3DFORMAT is in its private data; null if the driver lacks it. */
  const FormatRow *findD3d(uint32_t d3dFormat) const;
  /** True if volumes can have the format. */
  bool hasVolumes(const FormatRow &row) const { return caps(row).caps & AEROGPU_FORMAT_CAP_VOLUME; }
  /** True if views of buffers can have it, as vertices can. */
  bool hasBuffers(const FormatRow &row) const {
    return !row.isTypeless() && caps(row).caps & AEROGPU_FORMAT_CAP_VERTEX;
  }
  /** True if the device has volumes for shaders of Direct3D 10, 1D textures, views of buffers (DXR-1). */
  bool hasShapes() const { return m_block.limits().flags & AEROGPU_CAPS_D3D10_RESOURCES; }
  /** True if geometry shaders choose layers and viewports (LAYER-1). */
  bool hasLayers() const { return m_block.limits().flags & AEROGPU_CAPS_LAYERS; }
  /** True if the device streams out (SO-1). */
  bool hasStreams() const { return m_block.limits().flags & AEROGPU_CAPS_STREAM_OUTPUT; }
  /** Returns D3D10_DDI_FORMAT_SUPPORT_*. */
  UINT support(DXGI_FORMAT format) const;
  /** Returns the number of qualities with that many samples a pixel: 0 or 1. */
  UINT qualities(DXGI_FORMAT format, UINT samples) const;

private:
  aerogpu_format_caps caps(const FormatRow &row) const { return m_block.format(row.texture()); }

  DeviceBlock m_block;
};

}  // namespace aero
