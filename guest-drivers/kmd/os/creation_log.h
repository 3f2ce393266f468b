// SPDX-License-Identifier: MIT
// creation_log.h: keeps the allocations made last, for the DUMP_CREATEALLOCATION escape. PASSIVE_LEVEL.
#pragma once

#include "aerogpu/aerogpu_escape.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero {

class CreationLog {
public:
  void start() {
    ExInitializeFastMutex(&m_mutex);
    m_next = 0;
  }

  /** Adds one allocation of a DxgkDdiCreateAllocation call; fills in seq and call_seq. */
  void add(aerogpu_dbgctl_createallocation_desc entry) {
    ExAcquireFastMutex(&m_mutex);
    if (!entry.alloc_index) m_calls++;
    entry.seq = m_next;
    entry.call_seq = m_calls;
    m_entries[m_next++ % AEROGPU_DBGCTL_MAX_RECENT_ALLOCATIONS] = entry;
    ExReleaseFastMutex(&m_mutex);
  }

  void copyTo(aerogpu_escape_dump_createallocation_inout &out) {
    ExAcquireFastMutex(&m_mutex);
    out.write_index = m_next;
    out.entry_capacity = AEROGPU_DBGCTL_MAX_RECENT_ALLOCATIONS;
    out.entry_count = m_next < out.entry_capacity ? m_next : out.entry_capacity;
    for (uint32_t i = 0; i < out.entry_count; i++)
      out.entries[i] = m_entries[(m_next - out.entry_count + i) % AEROGPU_DBGCTL_MAX_RECENT_ALLOCATIONS];
    ExReleaseFastMutex(&m_mutex);
  }

private:
  FAST_MUTEX m_mutex = {};
  uint32_t m_next = 0;
  uint32_t m_calls = 0;
  aerogpu_dbgctl_createallocation_desc m_entries[AEROGPU_DBGCTL_MAX_RECENT_ALLOCATIONS] = {};
};

}  // namespace aero
