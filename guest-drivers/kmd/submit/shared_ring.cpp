// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/submit/shared_ring.h"

namespace aero {

bool SharedRing::allocate(uint32_t entries, bool spaces) {
  KeInitializeSpinLock(&m_lock);
  m_spaces = spaces;
  return m_ring.allocate(entries);
}

void SharedRing::start() {
  const uint64_t completed = m_registers.read64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
  m_base = ((completed >> 32) + 1) << 32;
  m_ring.start(m_registers, m_base, m_spaces);
  m_running = true;
}

void SharedRing::halt() {
  const Lock lock(*this);
  m_running = false;
  m_end = {m_ring.head(), m_ring.tail()};
}

void SharedRing::run() {
  m_ring.start(m_registers, completed(), m_spaces);
  const Lock lock(*this);
  m_running = true;
}

}  // namespace aero
