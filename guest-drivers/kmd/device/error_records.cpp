// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/device/error_records.h"

#include "aerogpu/aerogpu_error_records.h"
#include "guest-drivers/kmd/device/registers.h"

namespace aero {

static_assert(ErrorRecords::kMost == AEROGPU_EXT_ERROR_RECORDS);

void ErrorRecords::start(bool there) {
  m_there = there;
  for (uint32_t i = 0; there && i < kMost && take().more; i++) {}
}

ErrorRecord ErrorRecords::take() const {
  m_registers.write(AEROGPU_EXT_REG_ERROR_NEXT, 1);
  const uint32_t taken = m_registers.read(AEROGPU_EXT_REG_ERROR_TAKEN);
  ErrorRecord record = {};
  if (taken == ~0u) return record;  // gone from the bus
  record.code = taken & AEROGPU_EXT_ERROR_CODE;
  record.more = taken & AEROGPU_EXT_ERROR_MORE;
  record.lost = taken & AEROGPU_EXT_ERROR_LOST_INTERNAL;
  if (record.code) record.fence = m_registers.read64(AEROGPU_EXT_REG_ERROR_TAKEN_FENCE_LO);
  if (record.code == AEROGPU_ERROR_INTERNAL)
    record.whose = {m_registers.read(AEROGPU_EXT_REG_ERROR_TAKEN_SPACE),
                    m_registers.read(AEROGPU_EXT_REG_ERROR_TAKEN_CONTEXT)};
  return record;
}

}  // namespace aero
