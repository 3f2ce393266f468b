// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/scanout.h"

#include "aerogpu/aerogpu_pci.h"

namespace aerogpu::guest {

void Scanout::enable(Mode mode, uint32_t format, uint32_t pitchBytes, uint64_t gpa) {
  m_registers.write(AEROGPU_MMIO_REG_SCANOUT0_WIDTH, mode.width);
  m_registers.write(AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, mode.height);
  m_registers.write(AEROGPU_MMIO_REG_SCANOUT0_FORMAT, format);
  m_registers.write(AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, pitchBytes);
  flip(gpa);
  m_registers.write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
}

void Scanout::flip(uint64_t gpa) {
  m_registers.write64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, gpa);
}

void Scanout::disable() {
  m_registers.write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
}

uint64_t Scanout::vblankSequence() {
  return m_registers.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
}

uint64_t Scanout::vblankTimeNs() {
  return m_registers.read64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);
}

uint32_t Scanout::vblankPeriodNs() {
  return m_registers.read(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
}

}  // namespace aerogpu::guest
