// SPDX-License-Identifier: MIT
// The hardware cursor. docs/abi/present.md, "Cursor".
#pragma once

#include <cstdint>

#include "guest-drivers/linux/device/bar.h"

namespace aerogpu::guest {

class Cursor {
public:
  explicit Cursor(Registers& registers) : m_registers(registers) {}
  /// A picture in guest memory with straight alpha; the hot spot is the pixel that lies at the position.
  void setShape(uint32_t width, uint32_t height, uint32_t hotX, uint32_t hotY, uint32_t format,
                uint32_t pitchBytes, uint64_t gpa);
  /// Where the hot spot is, in pixels; may be outside of the screen.
  void move(int32_t x, int32_t y);
  void show(bool visible);

private:
  Registers& m_registers;
};

}  // namespace aerogpu::guest
