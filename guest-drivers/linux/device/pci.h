// SPDX-License-Identifier: MIT
// Accesses the PCI function through sysfs: finds it, its configuration space and its driver. docs/abi/pci.md.
#pragma once

#include <cstdint>
#include <string>

#include "guest-drivers/linux/device/status.h"

namespace aerogpu::guest {

/// One function under /sys/bus/pci/devices.
class PciFunction {
public:
  /// Finds the first function with this identity. Tests replace `root`.
  Status find(uint16_t vendor, uint16_t device, const std::string& root = "/sys/bus/pci/devices");

  const std::string& path() const { return m_path; }
  const std::string& address() const { return m_address; }
  std::string resourcePath(unsigned bar) const { return m_path + "/resource" + std::to_string(bar); }

  /// Binds `driver` (module loaded already) to this function.
  Status bindDriver(const char* driver, uint16_t vendor, uint16_t device);
  /// Enables memory decoding and bus mastering.
  Status enable();

private:
  std::string m_path, m_address;
};

}  // namespace aerogpu::guest
