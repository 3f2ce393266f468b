// SPDX-License-Identifier: MIT
// Measures how much stack the driver uses: the memory below a call into it is painted before the call, and
// checked afterwards and at each call that the driver makes of an export, before the host's own code is on
// that stack. So the host uses other stacks where it would leave marks: signal handlers run on the thread's
// alternate one, the entry code of exports (export_entry*.S) on the entry stack.
#pragma once

#include <cstdint>

namespace aerogpu::host {

struct Thread;

/// Measures one call into the driver by the attached calling thread. Calls may be nested.
class StackWatch {
public:
  explicit StackWatch(Thread& thread);
  ~StackWatch();
  StackWatch(const StackWatch&) = delete;
  StackWatch& operator=(const StackWatch&) = delete;
  /// Returns the bytes that the call has used, return address included. Called after it, from the same
  /// function.
  uint64_t used();

private:
  Thread& m_thread;
  uintptr_t m_outerBase, m_outerLow;
  uint64_t m_outerDeepest;
};

/// Counts the stack down to the driver's `sp`, and below it down to the untouched paint. Runs on another
/// stack.
void lookAtStack(Thread& thread, uintptr_t sp);
/// Paints the memory below the driver's `sp`, which is free, once more. Runs on another stack.
void paintStack(Thread& thread, uintptr_t sp);

}  // namespace aerogpu::host
