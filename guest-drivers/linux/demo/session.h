// SPDX-License-Identifier: MIT
// Opens the device of the running system: PCI function, BAR0, UIO interrupt, huge pages, ring.
#pragma once

#include "guest-drivers/linux/device/device.h"
#include "guest-drivers/linux/device/pci.h"

namespace aerogpu::guest {

/// Everything that a task needs, opened once.
class Session {
public:
  /// Opens the device and starts it, with `memoryBytes` of huge pages and `commandBytes` for each of 16
  /// slots.
  Status open(uint64_t memoryBytes, uint32_t commandBytes);
  Device& device() { return m_device; }
  const PciFunction& function() const { return m_function; }

private:
  PciFunction m_function;
  MappedBar m_bar0;
  UioLine m_line;
  HugePageMemory m_memory;
  Interrupts m_interrupts{m_bar0, m_line};
  Device m_device{m_bar0, m_interrupts, m_memory};
};

}  // namespace aerogpu::guest
