// SPDX-License-Identifier: MIT
// Uniform data of D3D9 draws: slices of long-lived chunks, each with the one descriptor set that addresses it by
// dynamic offsets. Render thread only.
#pragma once

#include <deque>
#include <vector>

#include "renderer/vulkan/gpu.h"

namespace aerogpu::vk {

class ConstantRing {
 public:
  explicit ConstantRing(Gpu& gpu) : m_gpu(gpu) {}
  ~ConstantRing();
  Result<void> create();

  /// Makes room for `bytes` in this batch; may hand the batch over and wait (then a new one is open).
  Result<void> reserve(uint32_t bytes);
  /// A slice; reserve() came first. `offset` is the dynamic offset.
  uint8_t* take(uint32_t bytes, uint32_t& offset) {
    offset = m_used;
    m_used += (bytes + m_align - 1) & ~(m_align - 1);
    return m_mapped + offset;
  }
  /// The set for the slices since the last reserve().
  VkDescriptorSet set() const { return m_current.set; }
  VkDescriptorSetLayout layout() const { return m_layout; }

  static constexpr uint32_t kMaxStageBytes = (256 + 16 + 6) * 16;  ///< the largest ConstantLayout

 private:
  static constexpr uint32_t kChunkBytes = 1u << 20;
  static constexpr uint32_t kMaxChunks = 64;
  struct Chunk {
    MemoryRange range;
    VkDescriptorSet set = VK_NULL_HANDLE;
    uint64_t batch = 0;
  };
  Result<Chunk> newChunk();

  Gpu& m_gpu;
  VkDescriptorSetLayout m_layout = VK_NULL_HANDLE;
  VkDescriptorPool m_pool = VK_NULL_HANDLE;
  Chunk m_current;
  uint8_t* m_mapped = nullptr;
  uint32_t m_used = 0, m_align = 256;
  std::deque<Chunk> m_busy;  // oldest first
  std::vector<Chunk> m_spare;
  uint32_t m_count = 0;
};

}  // namespace aerogpu::vk
