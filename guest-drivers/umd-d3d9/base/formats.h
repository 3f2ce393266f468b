// SPDX-License-Identifier: MIT
// formats.h: which D3DFORMATs there are on a device, what each is there, and what Direct3D may do with it. A format is
// in the table only when resources of it can be made and everything that its operations say works. Read-only once it
// is made; any thread.
#pragma once

#include "aerogpu/aerogpu_format.h"
#include "guest-drivers/umd-d3d9/base/ddi.h"
#include "guest-drivers/umd-d3d9/base/device_block.h"

namespace aero {

struct FormatRow {
  D3DDDIFORMAT d3d;
  uint32_t device;      // enum aerogpu_format
  uint32_t operations;  // FORMATOP_*
  uint32_t samples;     // bit n: targets of it can have 2^n samples a pixel
  bool depth, stencil;
  uint8_t block;  // edge of a block, pixels
  uint8_t blockBytes;
  // ATI1 and ATI2: the runtime and programs count a byte a pixel, and have the blocks without gaps in those bytes.
  bool isTight;
  bool isPlanar;  // NV12 and YV12: rows of luma, then half as many with the colours of two rows each (FMT-15)

  bool isTarget() const { return operations & FORMATOP_OFFSCREEN_RENDERTARGET; }
  /** Two pixels of video that share their colours: copied, and the source of conversions, and nothing else (FMT-14). */
  bool isNull() const { return device == AEROGPU_FORMAT_INVALID; }  // a target of colours that nobody keeps
  bool isYuv() const { return device == AEROGPU_FORMAT_D3D9_UYVY || device == AEROGPU_FORMAT_D3D9_YUY2 || isPlanar; }
  /** What the kernel driver knows the size of by its D3DFORMAT; others are bytes to it. */
  bool isOfKernel() const { return !isTight && !isPlanar; }
};

/** Direct3D 9's sample counts are powers of two here; others no GPU has. */
constexpr uint32_t kMaxSamplesLog2 = 4;

/** What the largest textures have, pixels. */
struct TextureLimits {
  uint32_t edge = 8192, cubeEdge = 8192, volumeEdge = 0;
};

class FormatTable {
public:
  static constexpr uint32_t kMaxRows = 64;

  /** `featuresHigh`: AEROGPU_EXT_FEATURE_HI_*. Without the extensions, or without a block, what ABI 1.4 has. */
  FormatTable(uint32_t featuresHigh, const DeviceBlock &block);

  uint32_t count() const { return m_count; }
  const FormatRow &row(uint32_t index) const { return m_rows[index]; }
  /** The row of a D3DFORMAT, null for formats that are not offered. */
  const FormatRow *find(uint32_t d3d) const;
  /** The row of a surface that the kernel driver has made the texture of, as it makes it: null if it would not. */
  const FormatRow *findShared(uint32_t d3d) const;
  const TextureLimits &limits() const { return m_limits; }

private:
  FormatRow m_rows[kMaxRows];
  FormatRow m_shared[4];  // what is another format on the device when programs share it
  uint32_t m_count = 0, m_sharedCount = 0;
  TextureLimits m_limits;
};

}  // namespace aero
