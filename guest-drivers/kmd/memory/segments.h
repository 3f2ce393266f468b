// SPDX-License-Identifier: MIT
// segments.h: the memory segments that the OS manages: BAR1 after the boot frame buffer, and, on devices that read page
// lists, an aperture over system memory (d3dkmddi page "DXGK_SEGMENTDESCRIPTOR").
#pragma once

#include "aerogpu/aerogpu_ring.h"
#include "guest-drivers/kmd/device/registers.h"
#include "guest-drivers/kmd/logic/paging.h"
#include "guest-drivers/kmd/os/kernel_memory.h"

namespace aero {

/** Segment identifiers count from 1; 0 is system memory. */
constexpr UINT kSegmentSystem = 0;
constexpr UINT kSegmentVram = 1;
constexpr UINT kSegmentAperture = 2;
constexpr UINT segmentBit(UINT segment) {
  return 1u << (segment - 1);
}

/** The address of an allocation that is in no segment: above every physical address, so that a stream that uses it
 * anyway reaches nothing. */
constexpr uint64_t kNowhere = uint64_t{1} << 52;

class Segments {
public:
  /** BAR1 has `bytes` bytes from `gpa` on; the first kBootBytes stay with the boot display. Without an aperture if
   *  `systemMemoryBytes` is 0. PASSIVE_LEVEL. */
  NTSTATUS start(const Registers &registers, uint64_t gpa, uint64_t bytes, uint64_t systemMemoryBytes);
  void stop();

  UINT count() const { return m_aperturePages ? 2 : 1; }
  bool hasAperture() const { return m_aperturePages != 0; }
  uint64_t vramBytes() const { return m_vramBytes; }
  uint64_t apertureBytes() const { return uint64_t{m_aperturePages} << kPageShift; }
  void describe(UINT segment, DXGK_SEGMENTDESCRIPTOR &descriptor) const;

  /** Fills in gpa and flags of a table entry for its bytes at `address` of `segment`: kNowhere if they are in none. */
  void locate(UINT segment, uint64_t address, aerogpu_alloc_entry &entry) const;
  /** Locates the bytes of a paging operation. In the aperture these are the pages mapped now, which the reference
   * names until they change. Returns false if some of the bytes are in no segment, or nothing was ever mapped
   * there. */
  bool locate(UINT segment, uint64_t address, uint64_t bytes, MemoryRef &ref) const;

  /**
   * map() maps page `first` + i of the aperture to the frame frames[i], unmap() each page to the one at `dummyGpa`. The
   * device reads a word of the list when a submission touches its page (LIST-4), and each word is written whole, so
   * neither needs the device, its ring or a paging buffer. Pages "DxgkDdiBuildPagingBuffer" (the processor may
   * configure an aperture; the GPU does not access the range then) and "Thread Synchronization and TDR" (the OS may
   * unmap pages between reset and restart). Return false, and change nothing, if there are no such pages. One caller at
   * a time; any IRQL.
   */
  bool map(uint64_t first, uint64_t count, const uintptr_t *frames);
  bool unmap(uint64_t first, uint64_t count, uint64_t dummyGpa);

  /** No segment is larger. */
  static constexpr uint64_t kMaxBytes = uint64_t{1} << 32;
  /** Bytes of BAR1 that the boot display keeps. */
  static constexpr uint64_t kBootBytes = uint64_t{16} << 20;

private:
  bool hasPages(uint64_t first, uint64_t count) const {
    return count <= m_aperturePages && first <= m_aperturePages - count;
  }
  bool inVram(uint64_t address, uint64_t bytes) const;
  /** Returns the first page of a range of aperture addresses. */
  bool inAperture(uint64_t address, uint64_t bytes, uint64_t &first) const;

  uint64_t m_vramGpa = 0;
  uint64_t m_vramBytes = 0;
  uint64_t m_aperturePages = 0;
  Contiguous m_list;  // the aperture's pages; kNowhere: nothing has been mapped there
};

}  // namespace aero
