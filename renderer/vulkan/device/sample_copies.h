// SPDX-License-Identifier: MIT
// Pipelines and descriptor sets that copy samples by drawing, for the modules of shader/spirv/sample_copy.h.
// It sees only views of images. Nothing is made before the first copy. Render thread only.
#pragma once

#include <utility>
#include <vector>

#include "renderer/shader/spirv/sample_copy.h"
#include "renderer/vulkan/device/recorder.h"
#include "renderer/vulkan/device/set_pool.h"

namespace aerogpu::vk {

class SampleCopies {
public:
  SampleCopies(Device& device, Recorder& recorder);
  ~SampleCopies();
  SampleCopies(const SampleCopies&) = delete;
  SampleCopies& operator=(const SampleCopies&) = delete;

  struct Kind {
    VkFormat target = VK_FORMAT_UNDEFINED;  ///< of Compared: the depth's, beside R32_SFLOAT at location 0
    uint32_t samples = 1;                   ///< of a texel of the target
    bool hasStencil = false;                ///< of the target's format
    shader::SampleCopyShader shader;
    bool operator==(const Kind&) const = default;
  };
  struct Bindings {
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
  };
  /// Returns a view of one layer of an image, which lives until the open batch is done.
  Result<VkImageView> view(VkImage image, VkFormat format, VkImageAspectFlags aspects, uint32_t layer);
  /// Makes the bindings of the draws of one sample. It records nothing, so it comes before the pass begins.
  Result<Bindings> choose(const Kind& kind, VkImageView source, VkImageLayout layout);
  /// Call in a pass, inside of an interlude (Recorder::beginInterlude).
  void bind(const Bindings& bindings, const VkRect2D& area);
  void draw(const shader::SampleCopyConstants& constants);
  /// The same, of stencil to several samples: sets `bits` of texels that have all of constants.bits.
  void drawStencil(const shader::SampleCopyConstants& constants, uint32_t bits, uint32_t value);

  /// The same, of compared depth.
  void drawCompared(const shader::SampleCopyConstants& constants, VkCompareOp compare);

private:
  Result<void> createLayout();
  Result<VkPipeline> createPipeline(const Kind& kind);
  Result<VkDescriptorSet> createSet(VkImageView source, VkImageLayout layout);

  Device& m_device;
  Recorder& m_recorder;
  VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  std::vector<std::pair<Kind, VkPipeline>>
      m_pipelines;  // at most a few for each format and number of samples
  SetPool m_sets;
};

}  // namespace aerogpu::vk
