// SPDX-License-Identifier: MIT
// Values that are written to guest memory when work is done. VALUE-1 to VALUE-7.
#include "renderer/core/backend.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/guest_access.h"
#include "renderer/core/stats.h"
#include "renderer/core/submission.h"

namespace aerogpu::core {

namespace {

constexpr uint32_t kMaxValues = 1024;  ///< that one submission may have written (VALUE-4)

}  // namespace

Result<void> runExtWriteValue(Submission& s, const aerogpu_cmd_ext_write_value& c) {
  ++s.counts.neutralPackets;
  const auto found = s.guest.writableEntry(c.alloc_id, c.offset_bytes, sizeof c.value);
  if (!found) return found.error();
  const AllocTable::Entry* entry = *found;
  if (!entry->scattered && (entry->gpa + c.offset_bytes) % sizeof c.value != 0)
    return refused(ErrorCode::CmdDecode, "value is not aligned in memory",
                   {{"offset_bytes", c.offset_bytes}, {"gpa", entry->gpa}, {"bytes", sizeof c.value}});
  if (s.counts.values == kMaxValues)
    return refused(ErrorCode::Backend, "too many values in one submission", {{"limit", kMaxValues}});
  auto runs = s.guest.runsToWrite(*entry, {c.offset_bytes, sizeof c.value, sizeof c.value, 1});
  if (!runs) return runs.error();
  ++s.counts.values;
  s.guest.addPending(*runs);
  s.stats.readbackBytes.add(sizeof c.value);
  return s.backend.writeValue({&s.guest.memory(), (*runs)->runs[0].gpa, c.value});
}

}  // namespace aerogpu::core
