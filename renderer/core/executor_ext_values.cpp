// SPDX-License-Identifier: MIT
// Executor: values that are written to guest memory when work is done. VALUE-1 to VALUE-7.
#include "renderer/core/executor.h"

namespace aerogpu::core {

Result<void> Executor::run(const aerogpu_cmd_ext_write_value& c) {
  ++m_neutralPackets;
  const AllocTable::Entry* entry = m_allocs.find(c.alloc_id);
  if (!entry) return Error{ErrorCode::CmdDecode, "allocation is not in the submission's table"};
  if (entry->readOnly) return Error{ErrorCode::OutOfBounds, "value for a read-only allocation"};
  if (c.offset_bytes > entry->size || entry->size - c.offset_bytes < sizeof c.value)
    return Error{ErrorCode::OutOfBounds, "value reaches past its allocation"};
  if (!entry->scattered && (entry->gpa + c.offset_bytes) % sizeof c.value != 0)
    return Error{ErrorCode::CmdDecode, "value is not aligned in memory"};
  if (m_values == kMaxValues) return Error{ErrorCode::Backend, "too many values in one submission"};
  auto runs = runsToWrite(*entry, {c.offset_bytes, sizeof c.value, sizeof c.value, 1});
  if (!runs) return runs.error();
  ++m_values;
  m_pendingWrites.add(*runs);
  m_env.stats.readbackBytes.fetch_add(sizeof c.value, std::memory_order_relaxed);
  return m_env.backend.writeValue({&m_env.guest, (*runs)->runs[0].gpa, c.value});
}

}  // namespace aerogpu::core
