// SPDX-License-Identifier: MIT
// BAR0 registers. docs/abi/pci.md. The rest of the library uses this interface, so that tests can substitute
// a model of the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "guest-drivers/linux/device/status.h"

namespace aerogpu::guest {

/// 32-bit registers by offset (AEROGPU_MMIO_REG_*).
class Registers {
public:
  virtual ~Registers() = default;
  virtual uint32_t read(uint32_t offset) = 0;
  virtual void write(uint32_t offset, uint32_t value) = 0;

  /// Reads LO first, because that latches HI of the pairs that the device advances.
  uint64_t read64(uint32_t offsetOfLow) {
    const uint64_t low = read(offsetOfLow);
    return low | static_cast<uint64_t>(read(offsetOfLow + 4)) << 32;
  }
  /// Writes LO first, because the pair takes effect when HI is written.
  void write64(uint32_t offsetOfLow, uint64_t value) {
    write(offsetOfLow, static_cast<uint32_t>(value));
    write(offsetOfLow + 4, static_cast<uint32_t>(value >> 32));
  }
};

/// A mapped resourceN file of sysfs.
class MappedBar final : public Registers {
public:
  MappedBar() = default;
  MappedBar(const MappedBar&) = delete;
  MappedBar& operator=(const MappedBar&) = delete;
  ~MappedBar() override;

  /// Maps all of `path`; fails if it is smaller than `minimumBytes`.
  Status map(const std::string& path, size_t minimumBytes);
  uint32_t read(uint32_t offset) override;
  void write(uint32_t offset, uint32_t value) override;
  uint8_t* bytes() const { return m_bytes; }
  size_t size() const { return m_size; }

private:
  uint8_t* m_bytes = nullptr;
  size_t m_size = 0;
};

}  // namespace aerogpu::guest
