// SPDX-License-Identifier: MIT
// Host-visible memory that batches take bytes of. Render thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "renderer/vulkan/device/memory.h"

namespace aerogpu::vk {

/// Chunks of a pool's memory, each cut up for one batch at a time. At its end the GPU must have finished.
class Staging {
public:
  /// Bytes of a chunk; a larger range gets a chunk of its own.
  static constexpr uint64_t kChunkBytes = uint64_t{4} << 20;

  explicit Staging(MemoryPool& pool) : m_pool(pool) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Returns a range of the chunk that is being cut up; nothing if that has less than `size` bytes left.
  std::optional<MemoryRange> cut(uint64_t size);
  /// Returns a range of another chunk, for `batch`, which is being recorded.
  Result<MemoryRange> cutAnother(uint64_t size, uint64_t batch);
  bool hasChunk() const { return m_current.has_value(); }
  /// Ends the chunk that is being cut up: `batch` was handed over.
  void batchEnds(uint64_t batch);
  /// Takes back the chunks of batches up to `done`.
  void collect(uint64_t done);
  /// Returns the bytes of all chunks that batches have.
  uint64_t bytes() const { return m_bytes; }

private:
  struct Chunk {
    MemoryRange range;
    uint64_t used = 0, batch = 0;
  };
  /// Chunks kept for reuse: touching new memory costs more than the copy.
  static constexpr size_t kSpareChunks = 16;

  MemoryPool& m_pool;
  std::deque<Chunk> m_busy;
  std::vector<Chunk> m_spare;
  std::optional<Chunk> m_current;
  uint64_t m_bytes = 0;
};

}  // namespace aerogpu::vk
