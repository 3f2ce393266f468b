// SPDX-License-Identifier: MIT
// surface.h: describes a surface in the device's terms, for allocations, scanout and the driver's own drawing.
#pragma once

#include <stdint.h>

namespace aero {

/** Description of a surface; format 0 (AEROGPU_FORMAT_INVALID) if the allocation is no surface. */
struct Surface {
  uint32_t width = 0;  // pixels
  uint32_t height = 0;
  uint32_t format = 0;  // enum aerogpu_format
  uint32_t pitch = 0;   // bytes
};

}  // namespace aero
