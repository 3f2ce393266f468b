// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/cursor.h"

#include "aerogpu/aerogpu_pci.h"

namespace aerogpu::guest {

void Cursor::setShape(uint32_t width, uint32_t height, uint32_t hotX, uint32_t hotY, uint32_t format,
                      uint32_t pitchBytes, uint64_t gpa) {
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_WIDTH, width);
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_HEIGHT, height);
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_HOT_X, hotX);
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_HOT_Y, hotY);
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_FORMAT, format);
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, pitchBytes);
  m_registers.write64(AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, gpa);
}

void Cursor::move(int32_t x, int32_t y) {
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_X, static_cast<uint32_t>(x));
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_Y, static_cast<uint32_t>(y));
}

void Cursor::show(bool visible) {
  m_registers.write(AEROGPU_MMIO_REG_CURSOR_ENABLE, visible ? 1 : 0);
}

}  // namespace aerogpu::guest
