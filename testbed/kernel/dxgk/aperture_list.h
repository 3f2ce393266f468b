// SPDX-License-Identifier: MIT
// The page list of an aperture as the driver keeps it for the device, in memory of its own (docs/abi,
// LIST-1), and as it has to be: what DxgkDdiBuildPagingBuffer was told to map and to unmap is in it when the
// call returns, whatever becomes of paging buffers, ring and GPU. Pages "DxgkDdiBuildPagingBuffer", "Thread
// Synchronization and TDR".
#pragma once

#include <cstdint>
#include <vector>

#include "d3dkmddi.h"

namespace aerogpu::host {

/// Not thread-safe: the video memory manager's lock is held.
class ApertureList {
public:
  /// Finds the list of an aperture of `pages` pages among the driver's contiguous memory. Nothing has been
  /// mapped, or what was when the memory manager stopped. Entries of which nothing is known name no memory.
  void start(UINT segment, uint64_t pages);
  /// The driver has taken the operation: the list must say so. Other operations change nothing.
  void built(const DXGKARG_BUILDPAGINGBUFFER& operation);
  UINT segment() const { return m_segment; }
  /// All of the list is as it must be; `when` is for the broken rule. False after one.
  bool check(const char* when) const;
  /// The address in an entry, as it lies in memory.
  uint64_t entry(uint64_t page) const;

private:
  bool check(uint64_t first, uint64_t count, const char* when) const;

  UINT m_segment = 0;
  const uint8_t* m_at = nullptr;  // null: there is no list that could be looked at
  std::vector<uint64_t> m_expected;
};

}  // namespace aerogpu::host
