// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/device/device_features.h"

#include "aerogpu/aerogpu_spaces.h"
#include "guest-drivers/kmd/device/capability_block.h"
#include "guest-drivers/kmd/device/registers.h"

namespace aero {

NTSTATUS Features::read(const Registers &registers, CapabilityBlock &block) {
  if (registers.read(AEROGPU_MMIO_REG_MAGIC) != AEROGPU_MMIO_MAGIC) return STATUS_NO_SUCH_DEVICE;
  abiVersion = registers.read(AEROGPU_MMIO_REG_ABI_VERSION);
  if (abiVersion >> 16 != AEROGPU_ABI_VERSION_U32 >> 16) return STATUS_REVISION_MISMATCH;
  low = registers.read(AEROGPU_MMIO_REG_FEATURES_LO);
  high = registers.read(AEROGPU_MMIO_REG_FEATURES_HI);
  policy = high & AEROGPU_EXT_FEATURE_HI_POLICY ? registers.read(AEROGPU_EXT_REG_POLICY) : 0;
  const NTSTATUS status = block.read(registers, high);
  if (!NT_SUCCESS(status)) return status;
  formats = block.formats();
  spaceBytes = charges() ? uint64_t{registers.read(AEROGPU_EXT_REG_SPACE_MEMORY_MB)} << 20 : 0;
  constexpr uint32_t needed = AEROGPU_FEATURE_FENCE_PAGE | AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_VBLANK;
  return (low & needed) == needed ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED;
}

}  // namespace aero
