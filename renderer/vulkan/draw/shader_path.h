// SPDX-License-Identifier: MIT
// What the two families of shaders do differently in a draw: which modules and layout it has, what they read
// and how that is bound. A draw is gathered, which may end the render pass or the batch, then bound, which
// may not. Render thread only.
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

/// What both paths work with.
struct DrawParts {
  Gpu& gpu;
  Targets& targets;
  ShaderStore& shaders;
  SamplerCache& samplers;
  DescriptorCache& descriptors;
  PipelineLayouts& layouts;
  StandIns& standIns;
};

/// The shaders of the current draw and what follows from them.
struct DrawShaders {
  core::Ref<core::Shader> vsRef, psRef;  ///< keep the two alive
  ShaderCode* vs = nullptr;
  ShaderCode* ps = nullptr;  ///< null: nothing is written but depth
  const ModuleRef* vsModule = nullptr;
  const ModuleRef* psModule = nullptr;
  PipelineLayout layout;

  uint32_t outputMask() const { return ps ? ps->outputMask : 0; }
};

class ShaderPath {
public:
  virtual ~ShaderPath() = default;

  /// Comes first in every draw; may hand the batch over.
  virtual Result<void> begin() = 0;
  /// Whether what is `dirty` beside the shaders would choose other modules, with `shaders` chosen before.
  virtual bool choiceChanges(const core::DrawState& state, const DrawShaders& shaders,
                             uint32_t dirty) const = 0;
  /// Fills modules and layout of `shaders`, whose programs are set.
  virtual Result<void> choose(const core::DrawState& state, DrawShaders& shaders) = 0;
  /// Bit n: specialisation constant n.
  virtual uint32_t specialization(const core::DrawState& state, const DrawShaders& shaders) const = 0;
  /// Gathers what the shaders read; may end the render pass or hand the batch over.
  virtual Result<void> gather(const core::DrawState& state, const DrawShaders& shaders) = 0;
  /// Binds what was gathered. `dirty`: DirtyBits since the draw before.
  virtual void bind(const core::DrawState& state, const DrawShaders& shaders, uint32_t dirty,
                    BoundState& bound) = 0;
};

/// Binds the word of the batch being recorded, for a layout that has its set.
void bindStopWord(const Gpu& gpu, VkPipelineBindPoint point, VkPipelineLayout layout,
                  core::ShaderFamily family);

}  // namespace aerogpu::vk
