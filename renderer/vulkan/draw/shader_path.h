// SPDX-License-Identifier: MIT
// The parts of a draw in which the two families of shaders differ: its modules and layout, the resources they
// read and the way to bind those. A draw is gathered, which may end the render pass or the batch, then bound,
// which may not. Render thread only.
#pragma once

#include "renderer/core/state.h"
#include "renderer/vulkan/draw/bound_state.h"
#include "renderer/vulkan/draw/descriptor_cache.h"
#include "renderer/vulkan/draw/pipeline_layouts.h"
#include "renderer/vulkan/draw/stand_ins.h"
#include "renderer/vulkan/objects/sampler_cache.h"
#include "renderer/vulkan/objects/shader.h"
#include "renderer/vulkan/objects/targets.h"

namespace aerogpu::vk {

/// The objects that both paths work with.
struct DrawParts {
  Gpu& gpu;
  Targets& targets;
  ShaderStore& shaders;
  SamplerCache& samplers;
  DescriptorCache& descriptors;
  PipelineLayouts& layouts;
  StandIns& standIns;
};

/// The shaders of the current draw and values derived from them.
struct DrawShaders {
  core::Ref<core::Shader> vsRef, gsRef, psRef;  ///< keep the shaders alive
  ShaderCode* vs = nullptr;
  ShaderCode* gs = nullptr;  ///< DXBC; may be null
  ShaderCode* ps = nullptr;  ///< null: only depth is written
  const ModuleRef* vsModule = nullptr;
  const ModuleRef* gsModule = nullptr;
  const ModuleRef* psModule = nullptr;
  shader::RegisterClasses inputClasses = 0, targetClasses = 0;  ///< that the modules are made for; DXBC
  bool dualSource = false;                                      ///< DXBC: o1 is the second source colour
  PipelineLayout layout;

  uint32_t outputMask() const { return ps ? ps->outputMask : 0; }
};

class ShaderPath {
public:
  virtual ~ShaderPath() = default;

  /// Begins each draw; may hand the batch over.
  virtual Result<void> begin() = 0;
  /// True if a `dirty` state other than the shaders would choose other modules than `shaders` has.
  virtual bool choiceChanges(const core::DrawState& state, const DrawShaders& shaders,
                             uint32_t dirty) const = 0;
  /// Fills modules and layout of `shaders`, whose programs are set.
  virtual Result<void> choose(const core::DrawState& state, DrawShaders& shaders) = 0;
  /// Returns bit n for specialisation constant n.
  virtual uint32_t specialization(const core::DrawState& state, const DrawShaders& shaders) const = 0;
  /// Gathers the resources that the shaders read; may end the render pass or hand the batch over.
  virtual Result<void> gather(const core::DrawState& state, const DrawShaders& shaders) = 0;
  /// Binds the gathered resources. `dirty`: DirtyBits since the previous draw.
  virtual void bind(const core::DrawState& state, const DrawShaders& shaders, uint32_t dirty,
                    BoundState& bound) = 0;
};

/// Binds the current batch's stop word, for a layout with its set.
void bindStopWord(const Gpu& gpu, VkPipelineBindPoint point, VkPipelineLayout layout,
                  core::ShaderFamily family);

}  // namespace aerogpu::vk
