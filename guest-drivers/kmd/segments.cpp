// SPDX-License-Identifier: MIT
#include "segments.h"

namespace aero {
namespace {

/** Where the aperture lies in the GPU's address space: above everything physical, so that an address names its
 *  segment. The device never sees these addresses. */
constexpr uint64_t kApertureBase = uint64_t{1} << 44;
/** Windows wants 256 MB of graphics memory for large modes; VRAM and aperture count together. */
constexpr uint64_t kMaxAperture = uint64_t{1} << 30;
constexpr uint64_t kMinAperture = uint64_t{64} << 20;
static_assert(kMaxAperture <= Segments::kMaxBytes);

}  // namespace

NTSTATUS Segments::start(const Registers &registers, uint64_t gpa, uint64_t bytes, uint64_t systemMemoryBytes) {
  if (bytes <= kBootBytes + kPageBytes) return STATUS_INSUFFICIENT_RESOURCES;
  m_vramGpa = gpa + kBootBytes;
  m_vramBytes = bytes - kBootBytes < kMaxBytes ? bytes - kBootBytes : kMaxBytes;
  m_aperturePages = 0;
  if (!(registers.read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_SCATTER) || !systemMemoryBytes)
    return STATUS_SUCCESS;
  // At most half of the memory is lent to graphics; 8 bytes of list for each page. Less is fine, none is too.
  uint64_t size = kMaxAperture;
  while (size > systemMemoryBytes / 2 && size > kMinAperture) size /= 2;
  for (; size >= kMinAperture; size /= 2)
    if (m_list.allocate(static_cast<SIZE_T>((size >> kPageShift) * sizeof(uint64_t)))) {
      m_aperturePages = size >> kPageShift;
      break;
    }
  return STATUS_SUCCESS;
}

void Segments::stop() {
  m_list.free();
  m_aperturePages = 0;
}

void Segments::describe(UINT segment, DXGK_SEGMENTDESCRIPTOR &descriptor) const {
  descriptor = {};
  if (segment == kSegmentVram) {
    descriptor.BaseAddress.QuadPart = static_cast<LONGLONG>(m_vramGpa);
    descriptor.CpuTranslatedAddress.QuadPart = static_cast<LONGLONG>(m_vramGpa);
    descriptor.Size = static_cast<SIZE_T>(m_vramBytes);
    descriptor.CommitLimit = static_cast<SIZE_T>(m_vramBytes);
    descriptor.Flags.CpuVisible = 1;
  } else {
    descriptor.BaseAddress.QuadPart = static_cast<LONGLONG>(kApertureBase);
    // The processor reaches an aperture's pages themselves. Visible it must be all the same, at an address that is
    // nobody's (WDK sample render-only, RosKmdAdapter.cpp).
    descriptor.CpuTranslatedAddress = descriptor.BaseAddress;
    descriptor.Size = static_cast<SIZE_T>(apertureBytes());
    descriptor.CommitLimit = static_cast<SIZE_T>(apertureBytes());
    descriptor.Flags.Aperture = 1;
    descriptor.Flags.CpuVisible = 1;
    descriptor.Flags.CacheCoherent = 1;
  }
}

bool Segments::locate(UINT segment, uint64_t address, uint64_t bytes, MemoryRef &ref) const {
  if (segment == kSegmentVram) {
    if (address < m_vramGpa || bytes > m_vramBytes || address - m_vramGpa > m_vramBytes - bytes) return false;
    ref = MemoryRef::linear(address);
    return true;
  }
  if (segment != kSegmentAperture || !m_aperturePages) return false;
  const uint64_t size = apertureBytes();
  if (address < kApertureBase || bytes > size || address - kApertureBase > size - bytes) return false;
  ref = MemoryRef::listed(m_list.gpa() + ((address - kApertureBase) >> kPageShift) * sizeof(uint64_t));
  return true;
}

void Segments::locate(UINT segment, uint64_t address, aerogpu_alloc_entry &entry) const {
  MemoryRef ref = MemoryRef::linear(kNowhere);
  locate(segment, address, entry.size_bytes, ref);
  entry.gpa = ref.gpa;
  entry.flags = ref.kind == MemoryRef::Listed ? entry.flags | AEROGPU_ALLOC_FLAG_EXT_SCATTER
                                              : entry.flags & ~AEROGPU_ALLOC_FLAG_EXT_SCATTER;
}

}  // namespace aero
