// SPDX-License-Identifier: MIT
// epochs.h: what a reset or a sleep took away, so that nobody takes a resource that is gone for one that lives.
// PASSIVE_LEVEL; the owner serialises.
#pragma once

#include <stdint.h>

namespace aero {

class Epochs {
public:
  /** A reset dropped the work that was queued; what was executed stays. */
  void workLost() { m_now++; }
  /** A sleep took what was queued; and, when the device was reset in it, all that it had, user mode's too. */
  void slept(bool deviceForgot) {
    m_now++;
    if (!deviceForgot) return;
    m_lastLoss = m_now;
    m_deviceLosses++;
  }

  /** Stamp for what is made now. */
  uint32_t now() const { return m_now; }
  /** Whether what was made at `stamp` is still on the device. A reset may have dropped the submission that makes it,
   *  unless it was `waitedFor`. */
  bool stillThere(uint32_t stamp, bool waitedFor) const { return stamp >= m_lastLoss && (waitedFor || stamp == m_now); }
  /** Whether something that was made at `stamp` may be on the device, and has to be ended there. */
  bool mayLinger(uint32_t stamp) const { return stamp >= m_lastLoss; }
  /** How often user mode lost what it had on the device, see AeroDevice::losses. */
  uint32_t deviceLosses() const { return m_deviceLosses; }

private:
  uint32_t m_now = 1;
  uint32_t m_lastLoss = 1;
  uint32_t m_deviceLosses = 0;
};

}  // namespace aero
