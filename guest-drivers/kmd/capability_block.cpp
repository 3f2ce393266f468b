// SPDX-License-Identifier: MIT
#include "capability_block.h"

#include "aerogpu/aerogpu_cmd_extension.h"
#include "aerogpu/aerogpu_extension.h"

namespace aero {

CapabilityBlock::CapabilityBlock(const Registers &registers, uint32_t featuresHigh) : m_registers(registers) {
  if (!(featuresHigh & AEROGPU_EXT_FEATURE_HI_CAPS)) return;
  const uint32_t bytes = registers.read(AEROGPU_EXT_REG_CAPS_SIZE);
  if (bytes <= AEROGPU_EXT_REG_CAPS_BYTES) m_bytes = bytes;
}

uint32_t CapabilityBlock::copy(uint8_t *out, uint32_t room) const {
  const uint32_t count = m_bytes < room ? m_bytes : room;
  for (uint32_t at = 0; at < count; at += 4) {
    const uint32_t word = m_registers.read(AEROGPU_EXT_REG_CAPS + at);
    memcpy(out + at, &word, count - at < 4 ? count - at : 4);
  }
  return count;
}

}  // namespace aero
