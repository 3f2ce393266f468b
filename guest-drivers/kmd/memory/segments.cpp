// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/memory/segments.h"

#include "guest-drivers/kmd/device/words.h"

namespace aero {
namespace {

/** The aperture's place in the GPU's address space: above everything physical, so that an address identifies its
 * segment. The device never sees these addresses. */
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
  // At most half of the memory is lent to graphics; the list takes 8 bytes for each page. A smaller aperture is fine,
  // and so is none.
  uint64_t size = kMaxAperture;
  while (size > systemMemoryBytes / 2 && size > kMinAperture) size /= 2;
  for (; size >= kMinAperture; size /= 2)
    if (m_list.allocate(static_cast<SIZE_T>((size >> kPageShift) * sizeof(uint64_t)))) {
      m_aperturePages = size >> kPageShift;
      break;
    }
  // Until the OS maps something, an entry names no memory: an access to it is OOB (LIST-5), and does not reach the
  // guest's page 0.
  (void)unmap(0, m_aperturePages, kNowhere);
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
    // The processor accesses an aperture's pages directly. The segment must be CPU-visible anyway, so it gets an unused
    // address (WDK sample render-only, RosKmdAdapter.cpp).
    descriptor.CpuTranslatedAddress = descriptor.BaseAddress;
    descriptor.Size = static_cast<SIZE_T>(apertureBytes());
    descriptor.CommitLimit = static_cast<SIZE_T>(apertureBytes());
    descriptor.Flags.Aperture = 1;
    descriptor.Flags.CpuVisible = 1;
    descriptor.Flags.CacheCoherent = 1;
  }
}

bool Segments::inVram(uint64_t address, uint64_t bytes) const {
  return address >= m_vramGpa && bytes <= m_vramBytes && address - m_vramGpa <= m_vramBytes - bytes;
}

bool Segments::inAperture(uint64_t address, uint64_t bytes, uint64_t &first) const {
  const uint64_t size = apertureBytes();
  if (!size || address < kApertureBase || bytes > size || address - kApertureBase > size - bytes) return false;
  first = (address - kApertureBase) >> kPageShift;
  return true;
}

bool Segments::locate(UINT segment, uint64_t address, uint64_t bytes, MemoryRef &ref) const {
  if (segment == kSegmentVram) {
    ref = MemoryRef::linear(address);
    return inVram(address, bytes);
  }
  uint64_t first;
  if (segment != kSegmentAperture || !inAperture(address, bytes, first)) return false;
  const uint64_t *pages = m_list.as<uint64_t>() + first;
  ref = MemoryRef::addresses(pages);
  for (uint64_t i = 0; i << kPageShift < bytes; i++)
    if (pages[i] == kNowhere) return false;
  return true;
}

void Segments::locate(UINT segment, uint64_t address, aerogpu_alloc_entry &entry) const {
  uint64_t first;
  entry.flags &= ~AEROGPU_ALLOC_FLAG_EXT_SCATTER;
  entry.gpa = kNowhere;
  if (segment == kSegmentVram) {
    if (inVram(address, entry.size_bytes)) entry.gpa = address;
  } else if (segment == kSegmentAperture && inAperture(address, entry.size_bytes, first)) {
    entry.gpa = m_list.gpa() + first * sizeof(uint64_t);
    entry.flags |= AEROGPU_ALLOC_FLAG_EXT_SCATTER;
  }
}

bool Segments::map(uint64_t first, uint64_t count, const uintptr_t *frames) {
  if (!hasPages(first, count)) return false;
  uint64_t *entry = m_list.as<uint64_t>() + first;
  for (const uintptr_t *end = frames + count; frames != end; frames++, entry++)
    storeWord(entry, uint64_t{*frames} << kPageShift);
  return true;
}

bool Segments::unmap(uint64_t first, uint64_t count, uint64_t dummyGpa) {
  if (!hasPages(first, count)) return false;
  uint64_t *entry = m_list.as<uint64_t>() + first;
  for (const uint64_t *end = entry + count; entry != end; entry++) storeWord(entry, dummyGpa);
  // The pages get a new owner once the caller returns: no store may still be under way.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return true;
}

}  // namespace aero
