// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/device/gpu_loss.h"

#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/kmd/os/event_log.h"
#include "guest-drivers/package/resources/aerogpu_events.h"

namespace aero {

void GpuLoss::start(bool known) {
  m_known = known;
  m_awaited = false;
  m_gone = false;
  InterlockedExchange(&m_look, 0);
}

bool GpuLoss::lost() const {
  return m_known && m_registers.read(AEROGPU_EXT_REG_GPU_STATE) != AEROGPU_EXT_GPU_WORKS;
}

void GpuLoss::restarts() {
  m_generation = m_registers.read(AEROGPU_EXT_REG_GPU_GENERATION);
  InterlockedExchange(&m_look, 0);  // drops an earlier request
  m_awaited = true;
  if (!m_gone) logEvent(AEROGPU_EVENT_GPU_LOST, STATUS_IO_DEVICE_ERROR, m_generation);
}

void GpuLoss::report() {
  const bool failed = m_known && InterlockedExchange(&m_look, 0);
  if (!failed && !m_awaited && !m_gone) return;
  const uint32_t generation = m_registers.read(AEROGPU_EXT_REG_GPU_GENERATION);
  const uint32_t state = m_registers.read(AEROGPU_EXT_REG_GPU_STATE);
  // LOSS-4, LOSS-10: the generation changes first, the state when the device is done; work completes or fails
  // only after that.
  if (m_awaited && generation == m_generation) return;
  if (state == AEROGPU_EXT_GPU_GONE) {
    if (!failed) return;
    if (!m_gone) logEvent(AEROGPU_EVENT_GPU_GONE, STATUS_DEVICE_DOES_NOT_EXIST, generation);
    m_gone = true;
    m_awaited = false;
  } else if (state == AEROGPU_EXT_GPU_WORKS && (m_awaited || m_gone)) {
    logEvent(AEROGPU_EVENT_GPU_BACK, STATUS_SUCCESS, generation);
    m_gone = false;
    m_awaited = false;
  }
}

}  // namespace aero
