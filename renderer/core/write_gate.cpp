// SPDX-License-Identifier: MIT
#include "renderer/core/write_gate.h"

namespace aerogpu::core {

void WriteGate::shut() {
  m_state.fetch_or(kShut, std::memory_order_acq_rel);
  for (uint32_t now = m_state.load(std::memory_order_acquire); now != kShut;
       now = m_state.load(std::memory_order_acquire)) {
    if ((now & kShut) == 0) return;  // opened meanwhile: that thread has waited for all earlier writes
    m_state.wait(now, std::memory_order_acquire);
  }
  Lock lock(m_mutex);
  ++m_shuts;
  for (int write : {0, 1}) {
    m_old[write].fetch_add(m_lent[write], std::memory_order_release);
    m_lent[write] = 0;
  }
}

uint64_t WriteGate::lend(bool write) {
  Lock lock(m_mutex);
  ++m_lent[write];
  return m_shuts;
}

void WriteGate::giveBack(uint64_t lent, bool write) {
  Lock lock(m_mutex);
  if (lent == m_shuts)
    --m_lent[write];
  else
    m_old[write].fetch_sub(1, std::memory_order_release);
}

}  // namespace aerogpu::core
