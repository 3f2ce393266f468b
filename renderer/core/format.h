// SPDX-License-Identifier: MIT
// What the renderer knows of each aerogpu_format: the size of its blocks and its kind.
#pragma once

#include <cstdint>

#include "aerogpu/aerogpu_format.h"

namespace aerogpu::core {

struct FormatInfo {
  const char* name;
  aerogpu_format format;
  aerogpu_format linearTwin;  ///< the same layout without sRGB; itself if it has none
  uint8_t blockPixels;        ///< side of a block in pixels: 1, or 4 for block-compressed formats
  uint8_t blockBytes;
  bool depth;  ///< usable as depth-stencil target
  bool stencil;
  bool opaque;  ///< X8: alpha is 1 whatever the byte holds
  bool srgb;
};

/// Null for numbers that are no format of ABI 1.4.
const FormatInfo* findFormat(uint32_t format);

/// Whether a view may reinterpret `texture` as `view`: the same, or twins in sRGB or X8 of the same layout.
bool viewCompatible(const FormatInfo& texture, const FormatInfo& view);

/// Whether the scanout and frames can have this format.
bool scanoutFormat(const FormatInfo& format);

}  // namespace aerogpu::core
