// SPDX-License-Identifier: MIT
#include "renderer/core/alloc_table.h"

#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_base.h"
#include "aerogpu/aerogpu_extension.h"

namespace aerogpu::core {

// PacketReader::open() and parseDxgi() begin alike: each names the fields of a header of its own.
Result<void> AllocTable::load(std::span<const uint8_t> bytes) {
  m_entries.clear();
  if (bytes.empty()) return {};
  const auto refuse = [this](ErrorCode code, const char* what, std::initializer_list<ErrorValue> values) {
    m_entries.clear();
    return refused(code, what, values);
  };
  aerogpu_alloc_table_header header;
  if (bytes.size() < sizeof header)
    return refuse(ErrorCode::CmdDecode, "allocation table shorter than its header",
                  {{"bytes", bytes.size()}, {"limit", sizeof header}});
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != AEROGPU_ALLOC_TABLE_MAGIC)
    return refuse(ErrorCode::CmdDecode, "allocation table has a wrong magic", {{"magic", header.magic}});
  if (header.abi_version >> 16 != AEROGPU_ABI_MAJOR)
    return refuse(ErrorCode::CmdDecode, "allocation table is of another major revision",
                  {{"abi_version", header.abi_version}, {"major", AEROGPU_ABI_MAJOR}});
  if (header.size_bytes < sizeof header || header.size_bytes > bytes.size())
    return refuse(ErrorCode::CmdDecode, "allocation table has a bad size",
                  {{"size_bytes", header.size_bytes}, {"limit", bytes.size()}});
  if (header.entry_stride_bytes < sizeof(aerogpu_alloc_entry))
    return refuse(
        ErrorCode::CmdDecode, "allocation table has too small a stride",
        {{"entry_stride_bytes", header.entry_stride_bytes}, {"limit", sizeof(aerogpu_alloc_entry)}});
  const uint64_t needed = uint64_t{header.entry_count} * header.entry_stride_bytes;
  if (needed > header.size_bytes - sizeof header)
    return refuse(ErrorCode::CmdDecode, "entries run past the allocation table",
                  {{"entry_count", header.entry_count},
                   {"entry_stride_bytes", header.entry_stride_bytes},
                   {"limit", header.size_bytes}});

  m_entries.reserve(header.entry_count);  // bounded by the table's bytes, which are here
  for (uint32_t i = 0; i < header.entry_count; ++i) {
    aerogpu_alloc_entry entry;
    std::memcpy(&entry, bytes.data() + sizeof header + uint64_t{i} * header.entry_stride_bytes, sizeof entry);
    if (entry.alloc_id == 0) return refuse(ErrorCode::CmdDecode, "allocation id is 0", {{"entry", i}});
    if (entry.size_bytes == 0)
      return refuse(ErrorCode::CmdDecode, "allocation is empty",
                    {{"alloc_id", entry.alloc_id}, {"size_bytes", 0u}});
    const bool scattered = (entry.flags & AEROGPU_ALLOC_FLAG_EXT_SCATTER) != 0;
    if (scattered && entry.gpa % AEROGPU_EXT_SCATTER_LIST_ALIGN != 0)
      return refuse(
          ErrorCode::OutOfBounds, "page list is not aligned",
          {{"alloc_id", entry.alloc_id}, {"gpa", entry.gpa}, {"bytes", AEROGPU_EXT_SCATTER_LIST_ALIGN}});
    const uint64_t bytesThere =
        scattered ? ((entry.size_bytes - 1) / kListPageBytes + 1) * sizeof(uint64_t) : entry.size_bytes;
    if (entry.gpa + bytesThere < entry.gpa)
      return refuse(ErrorCode::OutOfBounds, "allocation wraps",
                    {{"alloc_id", entry.alloc_id}, {"gpa", entry.gpa}, {"size_bytes", entry.size_bytes}});
    m_entries.push_back({entry.alloc_id, (entry.flags & AEROGPU_ALLOC_FLAG_READONLY) != 0, scattered,
                         entry.gpa, entry.size_bytes});
  }
  std::sort(m_entries.begin(), m_entries.end(), [](const Entry& a, const Entry& b) { return a.id < b.id; });
  const auto twice = std::adjacent_find(m_entries.begin(), m_entries.end(),
                                        [](const Entry& a, const Entry& b) { return a.id == b.id; });
  if (twice != m_entries.end())
    return refuse(ErrorCode::CmdDecode, "allocation id occurs twice", {{"alloc_id", twice->id}});
  return {};
}

const AllocTable::Entry* AllocTable::find(uint32_t id) const {
  const auto at = std::lower_bound(m_entries.begin(), m_entries.end(), id,
                                   [](const Entry& entry, uint32_t wanted) { return entry.id < wanted; });
  return at != m_entries.end() && at->id == id ? &*at : nullptr;
}

}  // namespace aerogpu::core
