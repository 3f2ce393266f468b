// SPDX-License-Identifier: MIT
// Objects that replace unbound inputs of a shader. Render thread only.
#pragma once

#include <memory>

#include "renderer/vulkan/objects/gpu.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {

class StandIns {
public:
  explicit StandIns(Gpu& gpu) : m_gpu(gpu) {}
  ~StandIns();
  Result<void> create();

  enum class Color : uint8_t {
    OpaqueBlack,  ///< as Direct3D 9 reads
    Zero,         ///< as Direct3D 10 reads
  };
  /// Returns a view to sample, of any kind but 1D, with its image ready in `layout`.
  Result<CachedView> image(Color color, VkImageViewType type, VkImageLayout& layout);
  /// Returns zeroed buffer memory, as large as a constant buffer can be.
  const MemoryRange& zeros() const { return m_zeros; }
  /// Returns zero texels of R32, as float, uint or sint.
  VkBufferView texels(VkFormat format) const;

private:
  Gpu& m_gpu;
  /// One black texel a layer: Direct3D 9's black, and Direct3D 10's.
  struct Images {
    std::unique_ptr<core::GpuTexture> layers, volume;
  } m_opaque, m_zero;
  MemoryRange m_zeros;
  VkBufferView m_texels[3] = {};
};

}  // namespace aerogpu::vk
