// SPDX-License-Identifier: MIT
// Pipeline layouts of both shader families, by the contents of their sets. Render thread only.
#pragma once

#include <array>
#include <map>
#include <unordered_map>

#include "renderer/vulkan/draw/constant_ring.h"
#include "renderer/vulkan/objects/gpu.h"
#include "renderer/vulkan/objects/shader.h"

namespace aerogpu::vk {

struct PipelineLayout {
  VkPipelineLayout handle = VK_NULL_HANDLE;
  VkDescriptorSetLayout textures = VK_NULL_HANDLE;  ///< shader::kTextureSet of D3D9 layouts
  uint64_t serial = 0;
  /// Identifies the layout's contents: pipelines for one layout work with another of equal content (Vulkan
  /// 1.3, "Pipeline Layout Compatibility"). Unique within one shader family and
  /// geometry shader.
  uint64_t content = 0;
  bool stopWord = false;  ///< has the set of StopWords: a shader loops
};

class PipelineLayouts {
public:
  PipelineLayouts(Gpu& gpu, const ConstantRing& constants) : m_gpu(gpu), m_constants(constants) {}
  ~PipelineLayouts();
  Result<void> create();

  /// `samplerMask`: pixel s# in bits 0..15, vertex s# in 16..19.
  Result<PipelineLayout> d3d9(uint32_t samplerMask, bool stopWord);
  /// The shaders of a draw or dispatch by dxbcSetOf(), null where there is none.
  using DxbcStages = std::array<const ShaderCode*, kDxbcSets>;
  Result<PipelineLayout> dxbc(const DxbcStages& stages);
  /// Changes when layouts were dropped: earlier ones are valid only for the batch being recorded.
  uint32_t generation() const { return m_generation; }

private:
  static constexpr size_t kMaxLayouts = 128;  ///< of each family

  /// Makes room in `layouts` for one more.
  template <class Map>
  void makeRoom(Map& layouts);

  Gpu& m_gpu;
  const ConstantRing& m_constants;
  std::unordered_map<uint32_t, PipelineLayout> m_d3d9;  // by sampler mask, bit 31: with stop word
  using DxbcKey = std::array<uint64_t, kDxbcSets>;
  std::map<DxbcKey, PipelineLayout> m_dxbc;  // by serials of the sets
  VkDescriptorSetLayout m_emptySet = VK_NULL_HANDLE;
  uint32_t m_generation = 0;
};

}  // namespace aerogpu::vk
