// SPDX-License-Identifier: MIT
// capability_block.h: what the device says of its drawing (feature bit 36). Its content is user mode's business: the
// driver hands it on. Of its formats the driver knows whether textures can be made of them, since it makes those that
// programs share. It is read once for each start and power-up: every program that opens the adapter asks for it, and
// each word of it would be an exit of the virtual machine. PASSIVE_LEVEL.
#pragma once

#include "guest-drivers/kmd/device/registers.h"
#include "guest-drivers/kmd/logic/format_set.h"

namespace aero {

class CapabilityBlock {
public:
  /** Reads the device's; `featuresHigh`: FEATURES_HI. Nobody else looks at it meanwhile. Fails for want of memory. */
  NTSTATUS read(const Registers &registers, uint32_t featuresHigh);
  void free();

  /** 0: the device has none, or one that is longer than its room. */
  uint32_t bytes() const { return m_bytes; }
  /** Copies the first bytes, at most `room`; returns how many. */
  uint32_t copy(uint8_t *out, uint32_t room) const;
  /** The name of the host's GPU, of ASCII ('?' for anything else), cut where `room` ends; empty without a block. */
  void deviceName(wchar_t *out, uint32_t room) const;
  /** The formats beyond ABI 1.4 that textures can be made of (FMT-5); none without feature bit 37. */
  FormatSet formats() const;

private:
  uint32_t word(uint32_t offset) const;
  /** Whether there is a block that we know, with the first `bytes` of aerogpu_caps. */
  bool knows(uint32_t bytes) const;

  uint8_t *m_data = nullptr;  // pool; AEROGPU_EXT_REG_CAPS_BYTES, of which m_bytes are the block's and the rest is 0
  uint32_t m_bytes = 0;
  bool m_hasFormats = false;
};

}  // namespace aero
