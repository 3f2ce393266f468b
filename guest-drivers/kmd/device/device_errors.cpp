// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/device/device_errors.h"

#include "guest-drivers/kmd/device/registers.h"
#include "guest-drivers/kmd/os/event_log.h"
#include "guest-drivers/package/resources/aerogpu_events.h"

namespace aero {
namespace {

const wchar_t *nameOf(uint32_t code) {
  switch (code) {
  case AEROGPU_ERROR_CMD_DECODE:
    return L"CMD_DECODE: a packet is malformed";
  case AEROGPU_ERROR_OOB:
    return L"OOB: a range or an address is outside";
  case AEROGPU_ERROR_BACKEND:
    return L"BACKEND: the host's GPU failed";
  case AEROGPU_ERROR_INTERNAL:
    return L"INTERNAL: the device itself failed";
  default:
    return L"an unknown one";
  }
}

}  // namespace

void DeviceErrors::start() {
  m_first = m_told = m_registers.read(AEROGPU_MMIO_REG_ERROR_COUNT);
  m_quietEnd = 0;
  InterlockedExchange(&m_pending, 0);
}

void DeviceErrors::report() {
  // Errors of the quiet time are counted with the first one after it.
  if (!m_pending || KeQueryInterruptTime() < m_quietEnd || !InterlockedExchange(&m_pending, 0)) return;
  const uint32_t count = m_registers.read(AEROGPU_MMIO_REG_ERROR_COUNT);
  if (count == ~0u && m_registers.read(AEROGPU_MMIO_REG_MAGIC) != AEROGPU_MMIO_MAGIC) return;  // gone from the bus
  write(count);
  m_quietEnd = KeQueryInterruptTime() + uint64_t{kQuietSeconds} * 10000000;
}

uint32_t DeviceErrors::finish() {
  const uint32_t count = m_registers.read(AEROGPU_MMIO_REG_ERROR_COUNT);
  if (m_registers.read(AEROGPU_MMIO_REG_MAGIC) != AEROGPU_MMIO_MAGIC) return m_told - m_first;
  if (InterlockedExchange(&m_pending, 0) && count != m_told) write(count);
  return count - m_first;
}

void DeviceErrors::write(uint32_t count) {
  const uint32_t code = m_registers.read(AEROGPU_MMIO_REG_ERROR_CODE);
  const uint32_t fence = m_registers.read(AEROGPU_MMIO_REG_ERROR_FENCE_LO);
  logEvent(AEROGPU_EVENT_DEVICE_ERROR, STATUS_IO_DEVICE_ERROR, code, fence, count - m_told, nameOf(code));
  m_told = count;
}

}  // namespace aero
