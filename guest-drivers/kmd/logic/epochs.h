// SPDX-License-Identifier: MIT
// epochs.h: keeps track of what a reset or a sleep took away, so that the driver does not take a lost
// resource for a live one. PASSIVE_LEVEL; the owner serialises.
#pragma once

#include <stdint.h>

namespace aero {

class Epochs {
public:
  /** A reset dropped the queued work; the effects of executed work stay. */
  void workLost() { m_now++; }
  /** A sleep dropped the queued work; if the device was reset in it, also all its objects, including user
   * mode's. */
  void slept(bool deviceForgot) {
    m_now++;
    if (!deviceForgot) return;
    m_lastLoss = m_now;
    m_deviceLosses++;
  }

  /** Returns the stamp for objects made now. */
  uint32_t now() const { return m_now; }
  /** True if an object made at `stamp` is still on the device. A reset may have dropped the submission
   * that makes it, unless the driver `waitedFor` it. */
  bool stillThere(uint32_t stamp, bool waitedFor) const { return stamp >= m_lastLoss && (waitedFor || stamp == m_now); }
  /** True if an object made at `stamp` may be on the device, so that it has to be ended there. */
  bool mayLinger(uint32_t stamp) const { return stamp >= m_lastLoss; }
  /** Returns how often user mode lost its objects on the device, see AeroDevice::losses. */
  uint32_t deviceLosses() const { return m_deviceLosses; }

private:
  uint32_t m_now = 1;
  uint32_t m_lastLoss = 1;
  uint32_t m_deviceLosses = 0;
};

}  // namespace aero
