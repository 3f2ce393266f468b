// SPDX-License-Identifier: MIT
// The stacks that a thread has beside its own, on which the host runs where it would leave marks on the
// driver's (driver_stack.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace aerogpu::host {

/// The stacks beside a thread's own: one for its signal handlers, in force while this lives, and the entry
/// stack.
class SideStacks {
public:
  SideStacks();
  ~SideStacks();
  SideStacks(const SideStacks&) = delete;
  SideStacks& operator=(const SideStacks&) = delete;
  /// The entry stack's highest address, a multiple of 16.
  uint8_t* entryTop() const { return m_memory + kEntryBytes; }

private:
  static constexpr size_t kEntryBytes = 64 << 10, kSignalBytes = 512 << 10;
  uint8_t* m_memory;
};

}  // namespace aerogpu::host
