// SPDX-License-Identifier: MIT
// Draws and dispatches with DXBC shaders. Render thread only.
#pragma once

#include <array>
#include <vector>

#include "renderer/vulkan/draw/pipeline_cache.h"
#include "renderer/vulkan/draw/shader_path.h"
#include "renderer/vulkan/objects/buffer.h"

namespace aerogpu::vk {

class DxbcDraw final : public ShaderPath {
public:
  DxbcDraw(const DrawParts& parts, PipelineCache& pipelines) : m_parts(parts), m_pipelines(pipelines) {}

  Result<void> begin() override {
    m_uavs.clear();
    return {};
  }
  bool choiceChanges(const core::DrawState& state, const DrawShaders& shaders, uint32_t dirty) const override;
  Result<void> choose(const core::DrawState& state, DrawShaders& shaders) override;
  uint32_t specialization(const core::DrawState&, const DrawShaders&) const override { return 0; }
  Result<void> gather(const core::DrawState& state, const DrawShaders& shaders) override;
  void bind(const core::DrawState& state, const DrawShaders& shaders, uint32_t dirty,
            BoundState& bound) override;
  /// Notes that a draw was recorded: its shaders may write to the gathered buffers.
  void noteDrawn() { noteWrites(VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT); }

  /// Records a dispatch. Groups are within the limits of the ABI; Backend if this GPU has lower ones.
  Result<void> dispatch(const core::DrawState& state, uint32_t x, uint32_t y, uint32_t z);

private:
  Result<void> gatherStage(const core::DrawState& state, const ShaderCode& code, VkDescriptorSet& set);
  void noteWrites(VkPipelineStageFlags2 stages);
  /// Returns the numbers of the targets that the pixel shader writes.
  shader::RegisterClasses targetClassesOf(const ShaderCode& ps) const;
  /// True if o1 of the pixel shader is the second source colour.
  bool isDualSource(const core::DrawState& state) const;

  const DrawParts m_parts;
  PipelineCache& m_pipelines;
  std::array<VkDescriptorSet, kDxbcSets> m_sets{};  ///< gathered, by dxbcSetOf()
  std::vector<BufferObject*> m_uavs;                ///< written by the draw or dispatch being prepared
  std::vector<DescriptorWrite> m_writes;            // scratch
};

}  // namespace aerogpu::vk
