// SPDX-License-Identifier: MIT
// How much stack the driver uses: what lies below a call into it is painted before, and looked at afterwards
// and at each call that the driver makes of an export, before the host's own code is on that stack. So the
// host runs on other stacks where it would leave marks: signal handlers on the thread's alternate one, the
// entry code of exports (export_entry*.S) on the entry stack.
#pragma once

#include <cstdint>

namespace aerogpu::host {

struct Thread;

/// One call into the driver, of the attached calling thread. Calls may be nested.
class StackWatch {
public:
  explicit StackWatch(Thread& thread);
  ~StackWatch();
  StackWatch(const StackWatch&) = delete;
  StackWatch& operator=(const StackWatch&) = delete;
  /// After the call, from the same function: the bytes that it has used, its return address included.
  uint64_t used();

private:
  Thread& m_thread;
  uintptr_t m_outerBase, m_outerLow;
  uint64_t m_outerDeepest;
};

/// Off: calls that begin from now on are not watched, and use 0 bytes; nothing is painted. For benchmarks.
/// Any thread.
void setStackWatched(bool on);

/// What was used down to the driver's `sp`, and below it to where nobody has written, counts. Runs on another
/// stack.
void lookAtStack(Thread& thread, uintptr_t sp);
/// What lies below the driver's `sp` is nobody's any more, and is painted again. Runs on another stack.
void paintStack(Thread& thread, uintptr_t sp);

}  // namespace aerogpu::host
