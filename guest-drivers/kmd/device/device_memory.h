// SPDX-License-Identifier: MIT
// device_memory.h: the device's two BARs, as the OS assigned them. PASSIVE_LEVEL to map and unmap.
#pragma once

#include <stdint.h>

#include "guest-drivers/kmd/os/nt.h"

namespace aero {

class Registers;

class DeviceMemory {
public:
  /** Finds both BARs and maps BAR0 for `registers`. STATUS_DEVICE_CONFIGURATION_ERROR when one of them or the interrupt
   *  is missing. A failed call leaves nothing mapped. */
  NTSTATUS map(const DXGKRNL_INTERFACE &dxgk, const DXGK_DEVICE_INFO &info, Registers &registers);
  void unmap(const DXGKRNL_INTERFACE &dxgk, Registers &registers);

  uint64_t vramGpa() const { return m_vramGpa; }
  uint64_t vramBytes() const { return m_vramBytes; }
  /** True if this physical memory is VRAM, which the debug escape may show. */
  bool ownsPhysical(uint64_t gpa, uint64_t bytes) const {
    return gpa >= m_vramGpa && bytes <= m_vramBytes && gpa - m_vramGpa <= m_vramBytes - bytes;
  }

private:
  void *m_registersMapping = nullptr;
  uint64_t m_vramGpa = 0;
  uint64_t m_vramBytes = 0;
};

}  // namespace aero
