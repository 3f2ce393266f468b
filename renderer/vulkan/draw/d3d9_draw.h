// SPDX-License-Identifier: MIT
// Draws with D3D9 shaders. Render thread only.
#pragma once

#include <array>

#include "renderer/d3d9/draw_area.h"
#include "renderer/vulkan/draw/constant_ring.h"
#include "renderer/vulkan/draw/d3d9_choice.h"
#include "renderer/vulkan/draw/shader_path.h"
#include "renderer/vulkan/draw/target_copies.h"
#include "renderer/vulkan/objects/input_layout.h"

namespace aerogpu::vk {

class D3d9Draw final : public ShaderPath {
public:
  D3d9Draw(const DrawParts& parts, ConstantRing& constants)
      : m_parts(parts), m_constants(constants), m_copies(parts.gpu) {}

  Result<void> begin() override { return m_constants.reserve(2 * ConstantRing::kMaxStageBytes); }
  bool choiceChanges(const core::DrawState& state, const DrawShaders& shaders, uint32_t dirty) const override;
  Result<void> choose(const core::DrawState& state, DrawShaders& shaders) override;
  uint32_t specialization(const core::DrawState& state, const DrawShaders& shaders) const override;
  Result<void> gather(const core::DrawState& state, const DrawShaders& shaders) override;
  void bind(const core::DrawState& state, const DrawShaders& shaders, uint32_t dirty,
            BoundState& bound) override;

  // The results of the last gather().
  /// True if targets are sampled; the way to do that depends on the depth and stencil states too.
  bool samplesTargets() const { return m_copiedBytes != 0 || m_readsDepth; }
  /// True if the depth target is sampled in place (Targets::setDepthReadOnly).
  bool readsDepth() const { return m_readsDepth; }
  /// Sets the scale for the draws that are bound from now on.
  void setPositionScale(const d3d9::PositionScale& scale) { m_positionScale = scale; }
  /// Returns the bytes of targets that were copied for this draw; the next draw needs new copies.
  uint64_t copiedBytes() const { return m_copiedBytes; }
  void reset() { m_copies.reset(); }

private:
  Result<DescriptorWrite> textureWrite(const core::DrawState& state,
                                       const core::ShaderResourceBinding& resource,
                                       const core::SamplerState& sampler, d3d9::SamplerType type,
                                       uint32_t binding);
  /// Returns a view of the bound texture, to be sampled in `layout`; `shown` gets its key.
  Result<CachedView> boundView(const core::DrawState& state, const core::ShaderResourceBinding& resource,
                               const core::SamplerState& sampler, VkImageViewType type, VkImageLayout& layout,
                               ViewKey& shown);
  void bindConstants(const core::DrawState& state, const DrawShaders& shaders, uint32_t dirty,
                     BoundState& bound);
  void pushConstants(const core::DrawState& state, const DrawShaders& shaders, BoundState& bound);

  const DrawParts m_parts;
  ConstantRing& m_constants;

  // Chosen with the shaders.
  D3d9Choice m_choice;
  uint32_t m_samplerMask = 0;  ///< pixel s# in bits 0..15, vertex s# in 16..19

  // Gathered.
  VkDescriptorSet m_textures = VK_NULL_HANDLE;
  std::array<DescriptorWrite, 32> m_writes;  // scratch
  TargetCopies m_copies;
  uint64_t m_copiedBytes = 0;
  bool m_readsDepth = false;

  // What was written last, vertex then pixel where there are two.
  uint64_t m_writtenVs = 0, m_writtenPs = 0;  ///< modules whose constants the slices hold
  uint64_t m_constantGenerations[2] = {};     ///< of the ring, when the offsets were taken
  uint32_t m_constantOffsets[2] = {};
  shader::PushConstants m_push;
  d3d9::PositionScale m_positionScale;
};

}  // namespace aerogpu::vk
