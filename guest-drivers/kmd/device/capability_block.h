// SPDX-License-Identifier: MIT
// capability_block.h: the device's description of its drawing (feature bit 36). User mode interprets it; the
// driver hands it on. The driver itself only reads which formats textures can have, since it makes the
// textures that programs share. It reads the block once per start and power-up: every program that opens the
// adapter asks for it, and each register read is an exit of the virtual machine. PASSIVE_LEVEL.
#pragma once

#include "guest-drivers/kmd/device/registers.h"
#include "guest-drivers/kmd/logic/format_set.h"

namespace aero {

class CapabilityBlock {
public:
  /** Reads the device's block; `featuresHigh`: FEATURES_HI. No other thread uses the object meanwhile.
   * Fails if memory is short. */
  NTSTATUS read(const Registers &registers, uint32_t featuresHigh);
  void free();

  /** 0: the device has no block, or one that does not fit. */
  uint32_t bytes() const { return m_bytes; }
  /** Copies the first bytes, at most `room`; returns how many. */
  uint32_t copy(uint8_t *out, uint32_t room) const;
  /** Returns the host GPU's name in ASCII ('?' for anything else), cut at `room`; empty without a block. */
  void deviceName(wchar_t *out, uint32_t room) const;
  /** Returns the formats beyond ABI 1.4 that textures can have (FMT-17); none without feature bit 37. */
  FormatSet formats() const;

private:
  uint32_t word(uint32_t offset) const;
  /** True if there is a block of a known version that has at least the first `bytes` of aerogpu_caps. */
  bool knows(uint32_t bytes) const;

  uint8_t *m_data = nullptr;  // pool; AEROGPU_EXT_REG_CAPS_BYTES, of which m_bytes are the block's and the rest is 0
  uint32_t m_bytes = 0;
  bool m_hasFormats = false;
};

}  // namespace aero
