// SPDX-License-Identifier: MIT
// Executor: values that are written to guest memory when work is done. VALUE-1 to VALUE-7.
#include <string>

#include "renderer/core/executor.h"

namespace aerogpu::core {

Result<void> Executor::run(const aerogpu_cmd_ext_write_value& c) {
  ++m_neutralPackets;
  const auto found = m_guest.writableEntry(c.alloc_id, c.offset_bytes, sizeof c.value);
  if (!found) return found.error();
  const AllocTable::Entry* entry = *found;
  if (!entry->scattered && (entry->gpa + c.offset_bytes) % sizeof c.value != 0)
    return refused(ErrorCode::CmdDecode, "value is not aligned in memory",
                   {{"offset_bytes", c.offset_bytes}, {"gpa", entry->gpa}, {"bytes", sizeof c.value}});
  if (m_values == kMaxValues)
    return refused(ErrorCode::Backend, "too many values in one submission", {{"limit", kMaxValues}});
  auto runs = m_guest.runsToWrite(*entry, {c.offset_bytes, sizeof c.value, sizeof c.value, 1});
  if (!runs) return runs.error();
  ++m_values;
  m_guest.addPending(*runs);
  m_env.stats.readbackBytes.add(sizeof c.value);
  return m_env.backend.writeValue({&m_guest.memory(), (*runs)->runs[0].gpa, c.value});
}

}  // namespace aerogpu::core
