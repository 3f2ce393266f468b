// SPDX-License-Identifier: MIT
// surface.h: a surface in the device's terms: what allocations, scanout and the driver's own drawing say of one.
#pragma once

#include <stdint.h>

namespace aero {

/** A surface's description; format 0 (AEROGPU_FORMAT_INVALID) for what is no surface. */
struct Surface {
  uint32_t width = 0;  // pixels
  uint32_t height = 0;
  uint32_t format = 0;  // enum aerogpu_format
  uint32_t pitch = 0;   // bytes
};

}  // namespace aero
