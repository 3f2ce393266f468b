// SPDX-License-Identifier: MIT
// Additional stacks of a thread, on which the host runs where it would leave marks on the driver's
// (driver_stack.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace aerogpu::host {

/// The additional stacks of a thread: one for its signal handlers, in force while this object lives, and the
/// entry stack.
class SideStacks {
public:
  SideStacks();
  ~SideStacks();
  SideStacks(const SideStacks&) = delete;
  SideStacks& operator=(const SideStacks&) = delete;
  /// Returns the entry stack's highest address, a multiple of 16.
  uint8_t* entryTop() const { return m_memory + kEntryBytes; }

private:
  static constexpr size_t kEntryBytes = 64 << 10, kSignalBytes = 512 << 10;
  uint8_t* m_memory;
};

}  // namespace aerogpu::host
