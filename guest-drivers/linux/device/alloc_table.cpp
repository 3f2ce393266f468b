// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/device/alloc_table.h"

#include <cstring>

namespace aerogpu::guest {

Status AllocTable::add(uint32_t allocId, uint64_t gpa, uint64_t sizeBytes, uint32_t flags) {
  if (allocId == 0) return Status::failure("allocation id 0");
  if (sizeBytes == 0 || gpa > UINT64_MAX - sizeBytes)
    return Status::failure("allocation %u has a bad range", allocId);
  for (const aerogpu_alloc_entry& entry : m_entries)
    if (entry.alloc_id == allocId) return Status::failure("allocation %u is in the table twice", allocId);
  m_entries.push_back({allocId, flags, gpa, sizeBytes, 0});
  return {};
}

uint32_t AllocTable::sizeBytes() const {
  if (m_entries.empty()) return 0;
  return static_cast<uint32_t>(sizeof(aerogpu_alloc_table_header) +
                               m_entries.size() * sizeof(aerogpu_alloc_entry));
}

void AllocTable::write(uint8_t* out) const {
  if (m_entries.empty()) return;
  const aerogpu_alloc_table_header header{AEROGPU_ALLOC_TABLE_MAGIC,
                                          AEROGPU_ABI_VERSION_U32,
                                          sizeBytes(),
                                          static_cast<uint32_t>(m_entries.size()),
                                          sizeof(aerogpu_alloc_entry),
                                          0};
  std::memcpy(out, &header, sizeof header);
  std::memcpy(out + sizeof header, m_entries.data(), m_entries.size() * sizeof(aerogpu_alloc_entry));
}

}  // namespace aerogpu::guest
