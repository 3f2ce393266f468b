// SPDX-License-Identifier: MIT
// Executor: values that are written to guest memory when work is done. VALUE-1 to VALUE-7.
#include <string>

#include "renderer/core/executor.h"

namespace aerogpu::core {

Result<const AllocTable::Entry*> Executor::writableEntry(uint32_t allocId, uint64_t offset,
                                                         uint64_t size) const {
  const AllocTable::Entry* entry = m_allocs.find(allocId);
  if (!entry)
    return refused(ErrorCode::CmdDecode, "allocation is not in the submission's table",
                   {{"alloc_id", allocId}});
  if (entry->readOnly)
    return refused(ErrorCode::OutOfBounds, "write to a read-only allocation", {{"alloc_id", allocId}});
  if (offset > entry->size || entry->size - offset < size)
    return refused(ErrorCode::OutOfBounds, "write reaches past its allocation",
                   {{"offset_bytes", offset}, {"size", size}, {"limit", entry->size}});
  return entry;
}

Result<void> Executor::run(const aerogpu_cmd_ext_write_value& c) {
  ++m_neutralPackets;
  const auto found = writableEntry(c.alloc_id, c.offset_bytes, sizeof c.value);
  if (!found) return found.error();
  const AllocTable::Entry* entry = *found;
  if (!entry->scattered && (entry->gpa + c.offset_bytes) % sizeof c.value != 0)
    return refused(ErrorCode::CmdDecode, "value is not aligned in memory",
                   {{"offset_bytes", c.offset_bytes}, {"gpa", entry->gpa}, {"bytes", sizeof c.value}});
  if (m_values == kMaxValues)
    return refused(ErrorCode::Backend, "too many values in one submission", {{"limit", kMaxValues}});
  auto runs = runsToWrite(*entry, {c.offset_bytes, sizeof c.value, sizeof c.value, 1});
  if (!runs) return runs.error();
  ++m_values;
  m_pendingWrites.add(*runs);
  m_env.stats.readbackBytes.add(sizeof c.value);
  return m_env.backend.writeValue({&m_env.guest, (*runs)->runs[0].gpa, c.value});
}

}  // namespace aerogpu::core
