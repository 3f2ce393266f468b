// SPDX-License-Identifier: MIT
// formats.h: the table of D3DFORMATs on a device: the device's format for each, and what Direct3D may do with it. A
// format is in the table only if resources of it can be made and all of its operations work. Read-only once it is made;
// any thread.
#pragma once

#include "aerogpu/aerogpu_format.h"
#include "guest-drivers/umd-common/base/ddi.h"
#include "guest-drivers/umd-common/base/device_block.h"

namespace aero {

struct FormatRow {
  D3DDDIFORMAT d3d;
  uint32_t device;      // enum aerogpu_format
  uint32_t operations;  // FORMATOP_*
  uint32_t samples;     // bit n: targets of it can have 2^n samples a pixel
  bool depth, stencil;
  uint8_t block;  // edge of a block, pixels
  uint8_t blockBytes;
  // ATI1 and ATI2: the runtime and programs count a byte a pixel, and store the blocks without gaps in those bytes.
  bool isTight;
  bool isPlanar;      // NV12 and YV12: rows of luma, then half as many rows of colours, each for two rows (FMT-15)
  uint8_t pixelBits;  // FORMATOP::PrivateFormatBitCount; 0: the runtime knows the format, or is to have none of it

  bool isTarget() const { return operations & FORMATOP_OFFSCREEN_RENDERTARGET; }
  bool isNull() const { return device == AEROGPU_FORMAT_INVALID; }  // a target whose colours are dropped
  /** True for video formats, in which pairs of pixels share their colours. Such surfaces are only copied, or converted
   * to RGB formats (FMT-14). */
  bool isYuv() const { return device == AEROGPU_FORMAT_D3D9_UYVY || device == AEROGPU_FORMAT_D3D9_YUY2 || isPlanar; }
  /** True if the kernel driver can tell the size of a surface from its D3DFORMAT. It treats other formats as plain
   * bytes. */
  bool isOfKernel() const { return !isTight && !isPlanar; }
};

/** The largest number of samples a pixel is 2^4. Counts that are no powers of two are not offered; no GPU has them. */
constexpr uint32_t kMaxSamplesLog2 = 4;

/** The dimensions of the largest textures, pixels. */
struct TextureLimits {
  uint32_t edge = 8192, cubeEdge = 8192, volumeEdge = 0;
};

class FormatTable {
public:
  static constexpr uint32_t kMaxRows = 64;

  /** `featuresHigh`: AEROGPU_EXT_FEATURE_HI_*. Without the extensions, or without a block, the table has ABI 1.4's
   * formats. `interfaceNumber`: that of the runtime (Adapter::interfaceNumber()). */
  FormatTable(uint32_t featuresHigh, const DeviceBlock &block, uint32_t interfaceNumber);

  uint32_t count() const { return m_count; }
  const FormatRow &row(uint32_t index) const { return m_rows[index]; }
  /** Returns the row of a D3DFORMAT, null for formats that are not offered. */
  const FormatRow *find(uint32_t d3d) const;
  /** Returns the row for a surface whose texture the kernel driver makes; its device format may differ from that of
   * find(). Null if the kernel driver makes no texture of this D3DFORMAT. */
  const FormatRow *findShared(uint32_t d3d) const;
  const TextureLimits &limits() const { return m_limits; }

private:
  FormatRow m_rows[kMaxRows];
  FormatRow m_shared[4];  // rows whose device format differs for shared surfaces
  uint32_t m_count = 0, m_sharedCount = 0;
  TextureLimits m_limits;
};

}  // namespace aero
