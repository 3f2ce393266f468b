// SPDX-License-Identifier: MIT
#include "renderer/snapshot/steps.h"

#include <cstring>

namespace aerogpu::snapshot {

using trace::BlobKind;

namespace {

std::vector<uint8_t> tableOf(std::span<const core::AllocTable::Entry> entries) {
  aerogpu_alloc_table_header header{};
  header.magic = AEROGPU_ALLOC_TABLE_MAGIC;
  header.abi_version = AEROGPU_ABI_VERSION_U32;
  header.entry_count = static_cast<uint32_t>(entries.size());
  header.entry_stride_bytes = sizeof(aerogpu_alloc_entry);
  header.size_bytes = static_cast<uint32_t>(sizeof header + entries.size() * sizeof(aerogpu_alloc_entry));
  std::vector<uint8_t> table(header.size_bytes);
  std::memcpy(table.data(), &header, sizeof header);
  size_t at = sizeof header;
  for (const core::AllocTable::Entry& entry : entries) {
    const aerogpu_alloc_entry one{entry.id, entry.scattered ? AEROGPU_ALLOC_FLAG_EXT_SCATTER : 0u, entry.gpa,
                                  entry.size, 0};
    std::memcpy(table.data() + at, &one, sizeof one);
    at += sizeof one;
  }
  return table;
}

}  // namespace

void Steps::put(trace::LoadRecord& record) {
  record.fixed_size = sizeof record;
  if (!packets.empty())
    record.command_blob = m_file.blob(BlobKind::CommandStream, {packets.data(), packets.size()});
  if (!allocations.empty()) record.alloc_table_blob = m_file.blob(BlobKind::AllocTable, tableOf(allocations));
  m_file.load(record);
  packets.reset();
  allocations.clear();
}

void Steps::write(std::span<const uint8_t> memory) {
  if (packets.empty() && allocations.empty()) return;
  trace::LoadRecord record{};
  if (!memory.empty()) record.memory_blob = m_file.blob(BlobKind::AllocMemory, memory);
  put(record);
}

void Steps::writeAhead(uint64_t key) {
  trace::LoadRecord record{};
  record.flags = AEROGPU_TRACE_LOAD_AHEAD;
  record.memory_blob = key;
  put(record);
}

}  // namespace aerogpu::snapshot
