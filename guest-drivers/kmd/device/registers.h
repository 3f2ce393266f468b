// SPDX-License-Identifier: MIT
// registers.h: BAR0 (docs/abi/pci.md). Any IRQL.
#pragma once

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_pci.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero {

class Registers {
public:
  /** `base` is the mapping of BAR0, or null after the device is gone; reads then give all ones, as on the
   * bus. */
  void map(void *base) { m_base = static_cast<volatile uint8_t *>(base); }
  void *base() const { return const_cast<uint8_t *>(m_base); }

  uint32_t read(uint32_t offset) const { return m_base ? load(m_base + offset) : 0xFFFFFFFFu; }
  void write(uint32_t offset, uint32_t value) const {
    if (m_base) store(m_base + offset, value);
  }
  /** For pairs with one reader at a time, or pairs that do not change while they are read. */
  uint64_t read64(uint32_t lo) const {
    const uint32_t low = read(lo);
    return uint64_t{read(lo + 4)} << 32 | low;
  }
  /**
   * For the pairs that the device advances, where reading LO latches HI (completed fence, vblank sequence and
   * time). Any number of readers at once. A reader may see a HI that another reader latched, but values never
   * go back: the two reads of HI enclose the second read of LO, so if they agree, HI belongs to LO.
   */
  uint64_t readAdvancing64(uint32_t lo) const {
    for (;;) {
      read(lo);
      const uint32_t before = read(lo + 4);
      const uint32_t low = read(lo);
      const uint32_t after = read(lo + 4);
      if (before == after) return uint64_t{after} << 32 | low;
    }
  }
  /** HI is written last: writing the HI of SCANOUT0_FB_GPA flips. */
  void write64(uint32_t lo, uint64_t value) const {
    write(lo, static_cast<uint32_t>(value));
    write(lo + 4, static_cast<uint32_t>(value >> 32));
  }

private:
#ifdef _WIN32
  static uint32_t load(const volatile uint8_t *at) {
    return *reinterpret_cast<volatile const uint32_t *>(at);
  }
  static void store(volatile uint8_t *at, uint32_t value) {
    *reinterpret_cast<volatile uint32_t *>(at) = value;
  }
#else
  // In the unit tests a fake device answers (test/fake_device.cpp).
  static uint32_t load(const volatile uint8_t *at);
  static void store(volatile uint8_t *at, uint32_t value);
#endif

  volatile uint8_t *m_base = nullptr;
};

}  // namespace aero
