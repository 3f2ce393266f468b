// SPDX-License-Identifier: MIT
// device_features.h: the device's identity and features (docs/abi/pci.md).
#pragma once

#include <stdint.h>

#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/common/device_format.h"
#include "guest-drivers/kmd/logic/format_set.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero {

class CapabilityBlock;
class Registers;

struct Features {
  uint32_t abiVersion = 0;
  uint32_t low = 0;     // AEROGPU_FEATURE_*
  uint32_t high = 0;    // AEROGPU_EXT_FEATURE_HI_*
  uint32_t policy = 0;  // AEROGPU_EXT_POLICY_*: the host's wishes for the driver
  FormatSet formats;    // beyond ABI 1.4: the formats that textures can have
  /** With charges(): the most bytes that the device holds for one process (SPACE-4). */
  uint64_t spaceBytes = 0;

  /** True if the device keeps processes apart (docs/abi/spaces.md). */
  bool spaces() const { return high & AEROGPU_EXT_FEATURE_HI_SPACES; }
  /** True if objects that the driver makes can be charged to a process (SPACE-21). */
  bool charges() const { return spaces() && high & AEROGPU_EXT_FEATURE_HI_CHARGES; }

  /** True if the device counts what spaces make by process (SPACE-22). */
  bool processes() const { return spaces() && high & AEROGPU_EXT_FEATURE_HI_PROCESSES; }

  /** True if the device says of each error whose work caused it (REC). */
  bool errorRecords() const { return high & AEROGPU_EXT_FEATURE_HI_ERROR_RECORDS; }

  /** True if the screen can show what is drawn to it without a present (PRES-11). */
  bool follows() const { return high & AEROGPU_EXT_FEATURE_HI_FOLLOW; }

  /** True if the screen can show indices of a palette, from memory and textures (PAL). */
  bool palette() const { return high & AEROGPU_EXT_FEATURE_HI_PALETTE && formats.has(kIndexTexture); }

  /** True if the device copies and fills guest memory itself, and stops its ring if paging fails
   * (docs/abi/memory.md). */
  bool memory() const { return high & AEROGPU_EXT_FEATURE_HI_MEMORY; }

  /** Reads all features, and `block`; fails if the driver cannot run this device. PASSIVE_LEVEL; no other
   * thread reads the device meanwhile. */
  NTSTATUS read(const Registers &registers, CapabilityBlock &block);
};

}  // namespace aero
