// SPDX-License-Identifier: MIT
// capability_block.h: what the device says of its drawing (feature bit 36). Its content is user mode's business: the
// driver hands it on. PASSIVE_LEVEL.
#pragma once

#include "registers.h"

namespace aero {

class CapabilityBlock {
public:
  /** `featuresHigh`: FEATURES_HI. */
  CapabilityBlock(const Registers &registers, uint32_t featuresHigh);

  /** 0: the device has none, or one that is longer than its room. */
  uint32_t bytes() const { return m_bytes; }
  /** Copies the first bytes, at most `room`; returns how many. */
  uint32_t copy(uint8_t *out, uint32_t room) const;

private:
  const Registers &m_registers;
  uint32_t m_bytes = 0;
};

}  // namespace aero
