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

  /// Return a view to sample, of any kind but 1D, with its image ready in `layout`: opaque black, as Direct3D
  /// 9 reads; zeros of the kind that shaders read from a format of R32, as Direct3D 10 does.
  Result<CachedView> opaqueBlack(VkImageViewType type, VkImageLayout& layout) {
    return image(m_opaque, type, layout);
  }
  Result<CachedView> zero(VkFormat numbers, VkImageViewType type, VkImageLayout& layout);
  /// Returns zeroed buffer memory, as large as a constant buffer can be.
  const MemoryRange& zeros() const { return m_zeros; }
  /// Returns zero texels of R32, as float, uint or sint.
  VkBufferView texels(VkFormat format) const;

private:
  static size_t numberOf(VkFormat numbers);
  Gpu& m_gpu;
  /// One black texel a layer.
  struct Images {
    std::unique_ptr<core::GpuTexture> layers, volume;
    std::unique_ptr<core::GpuTexture> row;  ///< made when it is first needed
  };
  Result<Images> make(aerogpu_format format);
  Result<CachedView> image(const Images& images, VkImageViewType type, VkImageLayout& layout);
  Images m_opaque, m_zero[3];  ///< zeros of integers are made when a shader first reads some
  MemoryRange m_zeros;
  VkBufferView m_texels[3] = {};
};

}  // namespace aerogpu::vk
