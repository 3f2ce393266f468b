// SPDX-License-Identifier: MIT
// Pipelines and descriptor sets for blits by drawing, for the modules of shader/spirv/blit.h. It sees only
// views of images. Render thread only.
#pragma once

#include <utility>
#include <vector>

#include "renderer/shader/spirv/blit.h"
#include "renderer/vulkan/device/recorder.h"
#include "renderer/vulkan/device/set_pool.h"

namespace aerogpu::vk {

class BlitDraws {
public:
  BlitDraws(Device& device, Recorder& recorder);
  ~BlitDraws();
  BlitDraws(const BlitDraws&) = delete;
  BlitDraws& operator=(const BlitDraws&) = delete;

  struct Kind {
    VkFormat target = VK_FORMAT_UNDEFINED;
    shader::BlitShader shader;
    bool operator==(const Kind&) const = default;
  };
  struct Source {
    VkImageView view = VK_NULL_HANDLE;
    uint64_t serial = 0;  ///< of the view
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
    /// The target's old texels, in the layout of samplers; null if the shader does not read them.
    VkImageView kept = VK_NULL_HANDLE;
    uint64_t keptSerial = 0;
    bool operator==(const Source&) const = default;
  };
  /// The bindings for the draws of one blit. Making them records nothing, so it can be done before the pass
  /// begins.
  struct Bindings {
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
  };
  Result<Bindings> choose(const Kind& kind, const Source& source);
  /// Call in a pass, inside of an interlude (Recorder::beginInterlude).
  void bind(const Bindings& bindings);
  void draw(const shader::BlitConstants& constants);

  /// The pass of the last blit; the next blit may continue it (Recorder::leftOpen).
  struct Pass {
    uint64_t id = 0, target = 0;  ///< numbers of the pass and of the view that it draws to
    VkRect2D area{};
  };
  Pass last;

private:
  Result<void> createLayout();
  Result<void> createSampler();
  Result<VkPipeline> createPipeline(const Kind& kind);
  Result<VkDescriptorSet> createSet(const Source& source);

  Device& m_device;
  Recorder& m_recorder;
  VkSampler m_sampler = VK_NULL_HANDLE;
  VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  std::vector<std::pair<Kind, VkPipeline>> m_pipelines;  // at most a few for each format
  SetPool m_sets;
  Source m_source;  ///< the source that m_set was written for
  VkDescriptorSet m_set = VK_NULL_HANDLE;
};

}  // namespace aerogpu::vk
