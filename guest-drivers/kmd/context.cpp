// SPDX-License-Identifier: MIT
#include "context.h"

namespace aero {

void ContextIds::start() {
  ExInitializeFastMutex(&m_mutex);
  RtlZeroMemory(m_taken, sizeof m_taken);
}

uint32_t ContextIds::take() {
  uint32_t id = 0;
  ExAcquireFastMutex(&m_mutex);
  for (uint32_t i = 1; i <= kLastContext && !id; i++)
    if (!(m_taken[i / 32] & 1u << i % 32)) {
      m_taken[i / 32] |= 1u << i % 32;
      id = i;
    }
  ExReleaseFastMutex(&m_mutex);
  return id;
}

void ContextIds::give(uint32_t id) {
  ExAcquireFastMutex(&m_mutex);
  m_taken[id / 32] &= ~(1u << id % 32);
  ExReleaseFastMutex(&m_mutex);
}

}  // namespace aero
