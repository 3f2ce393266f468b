// SPDX-License-Identifier: MIT
// Copies of targets that a draw samples while it writes them, which Vulkan forbids: the draw reads their
// content from before the draw. Render thread only.
#pragma once

#include <memory>
#include <vector>

#include "renderer/vulkan/objects/gpu.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {

class TargetCopies {
public:
  explicit TargetCopies(Gpu& gpu) : m_gpu(gpu) {}

  /// Begins a draw: the previous draw's copies may be overwritten.
  void begin();
  /// Copies the part of `texture` that `key` shows, ending the render pass; returns a view of the copy, with
  /// its image ready to be sampled in `layout`. Adds the copied bytes to `bytes`.
  Result<CachedView> copy(core::Texture& texture, const ViewKey& key, VkImageLayout& layout, uint64_t& bytes);
  void reset() { m_copies.clear(); }

private:
  static constexpr size_t kMaxKept = 4;
  static constexpr uint64_t kMaxIdleBatches = 64;
  struct Copy {
    std::unique_ptr<core::GpuTexture> image;
    uint64_t batch = 0;  ///< of the last use
    bool used = false;   ///< in the current draw
  };
  Result<TextureObject*> image(const core::TextureDesc& desc);

  Gpu& m_gpu;
  std::vector<Copy> m_copies;
};

}  // namespace aerogpu::vk
