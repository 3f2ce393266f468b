// SPDX-License-Identifier: MIT
#include "renderer/vulkan/device/staging.h"

#include <algorithm>

namespace aerogpu::vk {

Staging::~Staging() {
  if (m_current) m_pool.giveBack(m_current->range);
  for (const Chunk& chunk : m_busy) m_pool.giveBack(chunk.range);
  for (const Chunk& chunk : m_spare) m_pool.giveBack(chunk.range);
}

std::optional<MemoryRange> Staging::cut(uint64_t size) {
  if (!m_current || m_current->range.size - m_current->used < size) return {};
  const MemoryRange range{m_current->range.block, m_current->range.offset + m_current->used, size};
  m_current->used += size;
  return range;
}

Result<MemoryRange> Staging::cutAnother(uint64_t size, uint64_t batch) {
  Chunk chunk;
  if (size <= kChunkBytes && !m_spare.empty()) {
    chunk = m_spare.back();
    m_spare.pop_back();
  } else {
    auto range = m_pool.allocate(std::max(size, kChunkBytes), 256);
    if (!range) return range.error();
    chunk.range = *range;
  }
  m_bytes += chunk.range.size;
  chunk.used = size;
  chunk.batch = batch;
  const MemoryRange out{chunk.range.block, chunk.range.offset, size};
  if (chunk.range.size > kChunkBytes) {
    m_busy.push_back(chunk);
    return out;
  }
  batchEnds(batch);
  m_current = chunk;
  return out;
}

void Staging::batchEnds(uint64_t batch) {
  if (!m_current) return;
  m_current->batch = batch;
  m_busy.push_back(*m_current);
  m_current.reset();
}

void Staging::collect(uint64_t done) {
  while (!m_busy.empty() && m_busy.front().batch <= done) {
    const Chunk chunk = m_busy.front();
    m_busy.pop_front();
    m_bytes -= chunk.range.size;
    if (chunk.range.size == kChunkBytes && m_spare.size() < kSpareChunks)
      m_spare.push_back(chunk);
    else
      m_pool.giveBack(chunk.range);
  }
}

}  // namespace aerogpu::vk
