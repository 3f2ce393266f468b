// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/tools/trace_writer.h"

namespace aerogpu::guest {

Status TraceWriter::open(const char* path) {
  if (!m_file.open(path, R"({"emulator_version":"aerogpu-demo-trace","command_abi_version":"1.4"})"))
    return Status::systemFailure("cannot write %s", path);
  return {};
}

void TraceWriter::memory(uint32_t allocId, std::span<const uint8_t> bytes) {
  m_memory.push_back({allocId, m_file.blob(AEROGPU_TRACE_BLOB_ALLOC_MEMORY, bytes)});
}

void TraceWriter::submission(std::span<const uint8_t> commands, const AllocTable& table, uint64_t fence) {
  aerogpu_trace_submission header{};
  header.version = AEROGPU_TRACE_SUBMISSION_VERSION;
  header.fixed_size = sizeof header;
  header.signal_fence = fence;
  header.command_blob = m_file.blob(AEROGPU_TRACE_BLOB_COMMAND_STREAM, commands);
  std::vector<uint8_t> tableBytes(table.sizeBytes());
  table.write(tableBytes.data());
  if (!tableBytes.empty()) header.alloc_table_blob = m_file.blob(AEROGPU_TRACE_BLOB_ALLOC_TABLE, tableBytes);
  std::vector<aerogpu_trace_memory_range> ranges;
  for (const aerogpu_alloc_entry& entry : table.entries())
    for (const MemoryBlob& known : m_memory)
      if (known.allocId == entry.alloc_id)
        ranges.push_back({entry.alloc_id, entry.flags, entry.gpa, entry.size_bytes, known.blob});
  header.range_count = static_cast<uint32_t>(ranges.size());
  m_file.submission(header, ranges);
  // Only the first submission refers to the memory: it does not change later, and the reader keeps it.
  m_memory.clear();
}

Status TraceWriter::finish() {
  return m_file.finish() ? Status() : Status::systemFailure("writing the trace failed");
}

}  // namespace aerogpu::guest
