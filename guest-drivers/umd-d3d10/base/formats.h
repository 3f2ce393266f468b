// SPDX-License-Identifier: MIT
// formats.h: the DXGI_FORMATs that the driver has: the device's format for each, and what Direct3D may do with it. A
// texture always has its family's format without sRGB, so that copies within a family are copies of bytes; a view says
// whether texels are sRGB. Read-only once it is made; any thread.
#pragma once

#include "guest-drivers/umd-common/base/device_block.h"
#include "guest-drivers/umd-d3d10/base/ddi.h"

namespace aero {

struct FormatRow {
  uint8_t dxgi;      // DXGI_FORMAT
  uint32_t texture;  // enum aerogpu_format of textures
  uint32_t view;     // of views; differs in sRGB alone
  uint8_t block;     // edge of a block, pixels
  uint8_t blockBytes;
  bool isTypeless, isDepth, hasStencil;
  bool isSampled;  // the device samples it as Direct3D 10 does
  bool isSrgb() const { return view != texture; }
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
  /** Returns D3D10_DDI_FORMAT_SUPPORT_*. */
  UINT support(DXGI_FORMAT format) const;
  /** Returns the number of qualities with that many samples a pixel: 0 or 1. */
  UINT qualities(DXGI_FORMAT format, UINT samples) const;

private:
  aerogpu_format_caps caps(const FormatRow &row) const { return m_block.format(row.texture); }

  DeviceBlock m_block;
};

}  // namespace aero
