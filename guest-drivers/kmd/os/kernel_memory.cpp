// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/os/kernel_memory.h"

namespace aero {

bool Contiguous::allocate(SIZE_T bytes) {
  PHYSICAL_ADDRESS lowest = {}, highest = {}, boundary = {};
  highest.QuadPart = -1;
  m_data = MmAllocateContiguousMemorySpecifyCache(bytes, lowest, highest, boundary, MmCached);
  if (!m_data) return false;
  RtlZeroMemory(m_data, bytes);
  m_gpa = static_cast<uint64_t>(MmGetPhysicalAddress(m_data).QuadPart);
  m_bytes = bytes;
  return true;
}

void Contiguous::free() {
  if (m_data) MmFreeContiguousMemorySpecifyCache(m_data, m_bytes, MmCached);
  *this = {};
}

void *poolAllocate(SIZE_T bytes) {
  void *memory = ExAllocatePoolWithTag(NonPagedPool, bytes, kTag);
  if (memory) RtlZeroMemory(memory, bytes);
  return memory;
}

void poolFree(void *memory) {
  if (memory) ExFreePoolWithTag(memory, kTag);
}

}  // namespace aero
