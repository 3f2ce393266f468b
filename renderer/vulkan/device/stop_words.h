// SPDX-License-Identifier: MIT
// The words by which the host ends shaders that loop (shader/spirv_loops.h): one for each batch, in memory
// that the GPU reads while it works, in a descriptor set whose dynamic offset chooses the batch. Render
// thread only, except for stop().
#pragma once

#include <atomic>

#include "renderer/shader/spirv/spirv_loops.h"
#include "renderer/vulkan/device/memory.h"

namespace aerogpu::vk {

class StopWords {
public:
  /// The numbers of the set in pipeline layouts, after the other sets of D3D9 and of DXBC shaders.
  static constexpr uint32_t kD3d9Set = 3, kDxbcSet = 3;
  static constexpr uint32_t kCount = 128;

  StopWords(Device& device, MemoryPool& memory) : m_device(device), m_memory(memory) {}
  ~StopWords();
  StopWords(const StopWords&) = delete;
  StopWords& operator=(const StopWords&) = delete;
  Result<void> create();

  /// Returns the guard for a shader whose pipelines have the set at `set`.
  static shader::LoopGuard guard(uint32_t set) { return {set, 0, kInterval}; }
  VkDescriptorSetLayout layout() const { return m_layout; }
  VkDescriptorSet set() const { return m_set; }

  /// Returns a word for a batch to keep; `number` counts up from 0 to kCount - 1.
  uint32_t* word(uint32_t number) const;
  /// Returns the word's dynamic offset.
  uint32_t offset(uint32_t number) const { return number * m_stride; }
  /// Lets the loops of a batch run; call before recording it.
  static void allow(uint32_t* word) { std::atomic_ref(*word).store(1, std::memory_order_relaxed); }
  /// Ends the loops of the batch that has the word. Any thread.
  static void stop(uint32_t* word) { std::atomic_ref(*word).store(0, std::memory_order_release); }

private:
  /// Iterations from one read to the next: a GPU reads past its caches each time.
  static constexpr uint32_t kInterval = 64;

  Device& m_device;
  MemoryPool& m_memory;
  MemoryRange m_range;
  uint32_t m_stride = 0;
  VkDescriptorSetLayout m_layout = VK_NULL_HANDLE;
  VkDescriptorPool m_pool = VK_NULL_HANDLE;
  VkDescriptorSet m_set = VK_NULL_HANDLE;
};

}  // namespace aerogpu::vk
