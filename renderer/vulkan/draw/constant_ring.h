// SPDX-License-Identifier: MIT
// Uniform data of D3D9 draws: slices of long-lived chunks, each with the one descriptor set that addresses it
// by dynamic offsets. Render thread only.
#pragma once

#include <deque>
#include <vector>

#include "renderer/vulkan/objects/gpu.h"

namespace aerogpu::vk {

class ConstantRing {
public:
  explicit ConstantRing(Gpu& gpu) : m_gpu(gpu) {}
  ~ConstantRing();
  Result<void> create();

  /// Makes room for `bytes` in this batch; may hand the batch over and wait (then a new one is open).
  Result<void> reserve(uint32_t bytes);
  /// Takes a slice; call reserve() first. `offset` is the dynamic offset.
  uint8_t* take(uint32_t bytes, uint32_t& offset) {
    offset = m_used;
    m_used += (bytes + m_align - 1) & ~(m_align - 1);
    return m_mapped + offset;
  }
  /// Return the sets for slices of the current chunk: of a vertex shader, and of a pixel shader that reads
  /// `bytes`. The pixel shader's descriptor covers no more than the next size class, since llvmpipe copies
  /// all of it for each draw that binds it.
  VkDescriptorSet vertexSet() const { return m_current.vertexSet; }
  VkDescriptorSet pixelSet(uint32_t bytes) const { return m_current.pixelSets[sizeClass(bytes)]; }
  /// Changes with the chunk: slices of the previous chunk cannot be addressed any more.
  uint64_t generation() const { return m_generation; }
  VkDescriptorSetLayout vertexLayout() const { return m_layouts[0]; }
  VkDescriptorSetLayout pixelLayout() const { return m_layouts[1]; }

  static constexpr uint32_t kMaxStageBytes = (256 + 16 + 6) * 16;  ///< the largest ConstantLayout

private:
  static constexpr uint32_t kChunkBytes = 1u << 20;
  static constexpr uint32_t kMaxChunks = 64;
  static constexpr uint32_t kClasses = 3;
  static constexpr uint32_t kClassBytes[kClasses] = {256, 1024, kMaxStageBytes};
  static uint32_t sizeClass(uint32_t bytes) {
    return bytes <= kClassBytes[0] ? 0 : bytes <= kClassBytes[1] ? 1 : 2;
  }
  struct Chunk {
    MemoryRange range;
    VkDescriptorSet vertexSet = VK_NULL_HANDLE, pixelSets[kClasses] = {};
    uint64_t batch = 0;
  };
  Result<Chunk> newChunk();

  Gpu& m_gpu;
  VkDescriptorSetLayout m_layouts[2] = {};  // vertex, pixel
  VkDescriptorPool m_pool = VK_NULL_HANDLE;
  Chunk m_current;
  uint8_t* m_mapped = nullptr;
  uint32_t m_used = 0, m_align = 256;
  std::deque<Chunk> m_busy;  // oldest first
  std::vector<Chunk> m_spare;
  uint32_t m_count = 0;
  uint64_t m_generation = 0;
};

}  // namespace aerogpu::vk
