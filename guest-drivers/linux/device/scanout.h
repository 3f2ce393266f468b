// SPDX-License-Identifier: MIT
// Sets the mode of SCANOUT0 and flips pages. docs/abi/present.md.
#pragma once

#include <cstdint>

#include "guest-drivers/linux/device/bar.h"

namespace aerogpu::guest {

struct Mode {
  uint32_t width = 1280, height = 720;
};

class Scanout {
public:
  explicit Scanout(Registers& registers) : m_registers(registers) {}
  /// Shows `gpa` (enum aerogpu_format `format`, `pitchBytes` a row). Size and address are written before
  /// ENABLE.
  void enable(Mode mode, uint32_t format, uint32_t pitchBytes, uint64_t gpa);
  /// Flips to `gpa`, once: the device takes the address when its second register is written.
  void flip(uint64_t gpa);
  /// Blanks the screen; the vblank clock stops.
  void disable();

  uint64_t vblankSequence();
  uint64_t vblankTimeNs();
  uint32_t vblankPeriodNs();

private:
  Registers& m_registers;
};

}  // namespace aerogpu::guest
