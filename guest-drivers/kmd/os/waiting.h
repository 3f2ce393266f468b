// SPDX-License-Identifier: MIT
// waiting.h: bounded waits. A delay lasts until Windows' clock next ticks, usually 15.6 ms (page
// "KeDelayExecutionThread"), so time is read from the clock and not counted in delays. All waits of one DDI together
// stay below half a second: other calls may queue after it, and TdrDdiDelay is 5 s for all of them.
#pragma once

#include "guest-drivers/kmd/os/nt.h"

namespace aero {

/** At most APC_LEVEL. */
class Deadline {
public:
  explicit Deadline(uint32_t milliseconds) : m_end(KeQueryInterruptTime() + uint64_t{milliseconds} * 10000) {}
  bool passed() const { return KeQueryInterruptTime() >= m_end; }
  /** Returns the milliseconds that are left, rounded up; 0 once it has passed. */
  uint32_t leftMs() const {
    const uint64_t now = KeQueryInterruptTime();
    return now < m_end ? static_cast<uint32_t>((m_end - now + 9999) / 10000) : 0;
  }

private:
  uint64_t m_end;  // in 100 ns
};

/** Gives the processor away for at least this long. PASSIVE_LEVEL. */
inline void sleepMs(uint32_t milliseconds) {
  LARGE_INTEGER time;
  time.QuadPart = -10000ll * milliseconds;
  KeDelayExecutionThread(KernelMode, FALSE, &time);
}

}  // namespace aero
