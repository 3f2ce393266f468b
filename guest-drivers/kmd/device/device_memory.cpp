// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/device/device_memory.h"

#include "guest-drivers/kmd/device/registers.h"

namespace aero {

NTSTATUS DeviceMemory::map(const DXGKRNL_INTERFACE &dxgk, const DXGK_DEVICE_INFO &info, Registers &registers) {
  const CM_RESOURCE_LIST *list = info.TranslatedResourceList;
  if (!list || !list->Count) return STATUS_DEVICE_CONFIGURATION_ERROR;
  PHYSICAL_ADDRESS registersGpa = {};
  bool interrupt = false;
  m_vramBytes = 0;
  const CM_PARTIAL_RESOURCE_LIST &resources = list->List[0].PartialResourceList;
  // The ABI tells them apart: BAR0 is 64 KiB, BAR1 is the large one. The VGA ranges that Windows adds for a
  // boot display (memory A0000, ports) are neither.
  for (ULONG i = 0; i < resources.Count; i++) {
    const CM_PARTIAL_RESOURCE_DESCRIPTOR &resource = resources.PartialDescriptors[i];
    if (resource.Type == CmResourceTypeInterrupt) interrupt = true;
    if (resource.Type != CmResourceTypeMemory) continue;
    if (resource.u.Memory.Length == AEROGPU_PCI_BAR0_SIZE_BYTES && resource.u.Memory.Start.QuadPart >= 0x100000)
      registersGpa = resource.u.Memory.Start;
    else if (resource.u.Memory.Length >= AEROGPU_PCI_BAR1_SIZE_BYTES) {
      m_vramGpa = static_cast<uint64_t>(resource.u.Memory.Start.QuadPart);
      m_vramBytes = resource.u.Memory.Length;
    }
  }
  if (!registersGpa.QuadPart || !m_vramBytes || !interrupt) return STATUS_DEVICE_CONFIGURATION_ERROR;
  const NTSTATUS status = dxgk.DxgkCbMapMemory(dxgk.DeviceHandle, registersGpa, AEROGPU_PCI_BAR0_SIZE_BYTES, FALSE,
                                               FALSE, MmNonCached, &m_registersMapping);
  if (NT_SUCCESS(status)) registers.map(m_registersMapping);
  return status;
}

void DeviceMemory::unmap(const DXGKRNL_INTERFACE &dxgk, Registers &registers) {
  registers.map(nullptr);
  if (m_registersMapping) dxgk.DxgkCbUnmapMemory(dxgk.DeviceHandle, m_registersMapping);
  m_registersMapping = nullptr;
}

}  // namespace aero
