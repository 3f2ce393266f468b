// SPDX-License-Identifier: MIT
// device_features.h: what the device says that it is and can do (docs/abi/pci.md).
#pragma once

#include <stdint.h>

#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/kmd/logic/format_set.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero {

class CapabilityBlock;
class Registers;

struct Features {
  uint32_t abiVersion = 0;
  uint32_t low = 0;     // AEROGPU_FEATURE_*
  uint32_t high = 0;    // AEROGPU_EXT_FEATURE_HI_*
  uint32_t policy = 0;  // AEROGPU_EXT_POLICY_*: what the host wants of the driver
  FormatSet formats;    // beyond ABI 1.4: those that textures can be made of
  /** With charges(): bytes that the device holds for one process at most (SPACE-4). */
  uint64_t spaceBytes = 0;

  /** Whether the device keeps processes apart (docs/abi/spaces.md). */
  bool spaces() const { return high & AEROGPU_EXT_FEATURE_HI_SPACES; }
  /** Whether what the driver makes can count for a process (SPACE-21). */
  bool charges() const { return spaces() && high & AEROGPU_EXT_FEATURE_HI_CHARGES; }

  /** Whether the device counts by process what spaces make (SPACE-22). */
  bool processes() const { return spaces() && high & AEROGPU_EXT_FEATURE_HI_PROCESSES; }

  /** Whether the device says of each error whose it was (REC). */
  bool errorRecords() const { return high & AEROGPU_EXT_FEATURE_HI_ERROR_RECORDS; }

  /** Whether the device copies and fills guest memory itself, and stops its ring when paging fails
   *  (docs/abi/memory.md). */
  bool memory() const { return high & AEROGPU_EXT_FEATURE_HI_MEMORY; }

  /** Reads all of them, and `block`; fails when this is no device that the driver can run. PASSIVE_LEVEL, while nobody
   *  else reads. */
  NTSTATUS read(const Registers &registers, CapabilityBlock &block);
};

}  // namespace aero
