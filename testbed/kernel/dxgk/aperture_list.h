// SPDX-License-Identifier: MIT
// The page list of an aperture as the driver keeps it for the device, in its own memory (docs/abi, LIST-1),
// and the expected list: every page that DxgkDdiBuildPagingBuffer has to map or unmap is in it when the call
// returns, whatever happens to paging buffers, ring and GPU. Pages "DxgkDdiBuildPagingBuffer", "Thread
// Synchronization and TDR".
#pragma once

#include <cstdint>
#include <vector>

#include "d3dkmddi.h"

namespace aerogpu::host {

/// Not thread-safe: the caller holds the video memory manager's lock.
class ApertureList {
public:
  /// Finds the list of an aperture of `pages` pages in the driver's contiguous memory. Either nothing was
  /// ever mapped, or the mappings from when the memory manager stopped remain. Entries whose state is unknown
  /// name no memory.
  void start(UINT segment, uint64_t pages);
  /// Called when the driver has built the operation: if it maps or unmaps pages of the aperture, updates the
  /// expected list and checks that the driver's list shows it.
  void built(const DXGKARG_BUILDPAGINGBUFFER& operation);
  UINT segment() const { return m_segment; }
  /// Checks the whole list; `when` is for the message. Returns false after a broken rule.
  bool check(const char* when) const;
  /// Returns the address in an entry, as it lies in memory.
  uint64_t entry(uint64_t page) const;

private:
  bool check(uint64_t first, uint64_t count, const char* when) const;

  UINT m_segment = 0;
  const uint8_t* m_at = nullptr;  // null: there is no list to check
  std::vector<uint64_t> m_expected;
};

}  // namespace aerogpu::host
