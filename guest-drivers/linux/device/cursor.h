// SPDX-License-Identifier: MIT
// The hardware cursor. docs/abi/present.md, "Cursor".
#pragma once

#include <cstdint>

#include "guest-drivers/linux/device/bar.h"

namespace aerogpu::guest {

class Cursor {
public:
  explicit Cursor(Registers& registers) : m_registers(registers) {}
  /// Sets a picture in guest memory with straight alpha; the hot spot is the pixel at the cursor's position.
  void setShape(uint32_t width, uint32_t height, uint32_t hotX, uint32_t hotY, uint32_t format,
                uint32_t pitchBytes, uint64_t gpa);
  /// Moves the hot spot, in pixels; it may be outside the screen.
  void move(int32_t x, int32_t y);
  void show(bool visible);

private:
  Registers& m_registers;
};

}  // namespace aerogpu::guest
