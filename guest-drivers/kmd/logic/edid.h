// SPDX-License-Identifier: MIT
// edid.h: the monitor's EDID (VESA E-EDID 1.4): reads its preferred mode, and builds a block for devices that
// have none. Any IRQL.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace aero {

constexpr size_t kEdidBlock = 128;

struct EdidMode {
  uint32_t width = 0;   // pixels
  uint32_t height = 0;  // lines
};

/** True if `block` (128 bytes) has the header and a correct checksum. */
bool edidValid(const uint8_t *block);

/** Returns the mode of the first detailed timing descriptor, which is the preferred one; width 0 if there
 * is none. */
EdidMode edidPreferred(const uint8_t *block);

/** Writes a 128-byte block of a digital monitor "AeroGPU" whose preferred mode is `mode` (at most 4095 each way) at
 *  60 Hz. */
void edidBuild(uint8_t *block, EdidMode mode);

}  // namespace aero
