// SPDX-License-Identifier: MIT
// The compositor's work in plain Vulkan calls: push constants, descriptor sets made once, one barrier between
// a write and its reads.
#pragma once

#include <cstdint>

#include "renderer/bench/compositor_scene.h"
#include "renderer/bench/direct_device.h"

namespace aerogpu::bench {

class DirectCompositor : public DirectCommands {
public:
  DirectCompositor(uint32_t width, uint32_t height);
  ~DirectCompositor();
  DirectCompositor(const DirectCompositor&) = delete;
  DirectCompositor& operator=(const DirectCompositor&) = delete;

  /// Gives window kChanged these texels, draws its visible part anew, with all that lies there, and copies it
  /// to memory.
  void drawFrame(const uint8_t* texels);
  /// Draw all windows to the screen: half as large, filtered; texel by texel without kKeyColor; from R5G6B5.
  void stretch();
  void keyed();
  void convert();
  /// Returns the copy that drawFrame() made: BGRA, tight rows of windowPlace(kChanged).
  const uint8_t* shown() const { return m_shown.mapped; }

private:
  struct Texture {
    DirectImage image;
    VkDescriptorSet set = VK_NULL_HANDLE;
  };
  Texture createTexture(uint32_t width, uint32_t height, VkImageUsageFlags usage, VkSampler sampler);
  void createPipelines();
  VkSampler createSampler(VkFilter filter);
  /// Copies from the begin of m_staging.
  void copyFromStaging(const DirectImage& image);
  /// Begins a pass that keeps the screen's pixels and may draw `area`.
  void beginPass(const DirectImage& target, const Place& area, bool keeps);
  void quad(VkPipeline pipeline, const Texture& texture, const DirectImage& target, const Place& place,
            const float (&value)[4]);
  void blitAll(const DirectImage* const (&sources)[kWindows], VkFilter filter, bool halves);

  VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  VkDescriptorPool m_descriptors = VK_NULL_HANDLE;
  VkSampler m_nearest = VK_NULL_HANDLE, m_linear = VK_NULL_HANDLE;
  VkPipeline m_plain = VK_NULL_HANDLE, m_blended = VK_NULL_HANDLE, m_blur = VK_NULL_HANDLE,
             m_keyed = VK_NULL_HANDLE;
  DirectBuffer m_quad, m_staging, m_shown;
  DirectImage m_screen;
  Texture m_windows[kWindows], m_glass[2];
  DirectImage m_narrow[kWindows];  ///< R5G6B5
};

}  // namespace aerogpu::bench
