// SPDX-License-Identifier: MIT
#include "renderer/core/draw_traits.h"

#include <algorithm>
#include <tuple>

#include "aerogpu/aerogpu_cmd_resource.h"

namespace aerogpu::core {

namespace {

/// Returns a texture of a few texels that can be bound wherever one of `desc` can.
TextureDesc standInOf(const TextureDesc& desc) {
  constexpr uint32_t kSide = 4;   // one block
  constexpr uint32_t kFaces = 6;  // all that a cube needs
  constexpr uint32_t kBound = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET |
                              AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL;
  TextureDesc out = desc;
  out.width = desc.width == desc.height ? kSide : 2 * kSide;  // only squares are cubes
  out.height = kSide;
  out.depth = out.mipLevels = 1;
  out.arrayLayers = std::min(desc.arrayLayers, kFaces);
  out.usage = desc.usage & kBound;
  return out;
}

/// Shaders of Direct3D 9 sample no more of a stage's textures.
constexpr uint8_t kSampledSlots = kMaxSamplers;

}  // namespace

DrawTraits::Image DrawTraits::imageOf(const Texture* texture, const View* view) {
  Image image;
  if (!texture) return image;
  image.desc = standInOf(texture->desc);
  if (!view) return image;
  image.viewed = view->desc.format;
  image.viewedLayers = std::min(view->desc.layerCount, image.desc.arrayLayers);
  return image;
}

DrawTraits::DrawTraits(const DrawState& state)
    : m_colorTargetCount(state.colorTargetCount),
      m_depth(imageOf(state.depthTarget.texture.get(), state.depthTarget.view.get())),
      m_hasLayout(bool{state.inputLayout}),
      m_blend(state.blend),
      m_depthStencil(state.depthStencil),
      m_rasterizer(state.rasterizer),
      m_pixelPipe(state.pixelPipe),
      m_topology(state.topology),
      m_streamOutput(state.streamOutput) {
  for (size_t i = 0; i < kMaxColorTargets; ++i)
    m_colors[i] = imageOf(state.colorTargets[i].texture.get(), state.colorTargets[i].view.get());
  for (const Stage stage : {Stage::Vertex, Stage::Pixel}) {
    const StageBindings& bindings = state.stages[static_cast<size_t>(stage)];
    for (uint8_t slot = 0; slot < kSampledSlots; ++slot) {
      const ShaderResourceBinding& bound = bindings.resources[slot];
      if (bound.texture)
        m_sampled.push_back(
            {stage, slot, imageOf(bound.texture.get(), bound.view.get()), bindings.samplers[slot]});
    }
  }
  if (m_hasLayout) m_elements = state.inputLayout->elements;
  for (size_t i = 0; i < kMaxVertexStreams; ++i) m_steps[i] = state.vertexStreams[i].step;
  for (size_t i = 0; i < kTextureStages; ++i) m_transformFlags[i] = state.textureStages[i].transformFlags;
  m_rasterizer.scissorEnable = false;
}

Ref<Texture> DrawTraits::StandIns::textureOf(const TextureDesc& desc) {
  Ref<Texture>& texture =
      m_textures[{desc.kind, desc.format, desc.width, desc.arrayLayers, desc.samples, desc.usage}];
  if (!texture) {
    texture = makeRef<Texture>();
    texture->desc = desc;
  }
  return texture;
}

template <class Binding>
void DrawTraits::bind(StandIns& standIns, const Image& image, Binding& binding) {
  if (image.desc.format == AEROGPU_FORMAT_INVALID) return;
  binding.texture = standIns.textureOf(image.desc);
  if (image.viewed == AEROGPU_FORMAT_INVALID) return;
  binding.view = makeRef<View>();
  binding.view->texture = binding.texture;
  binding.view->desc.format = image.viewed;
  binding.view->desc.layerCount = image.viewedLayers;
}

std::unique_ptr<DrawState> DrawTraits::StandIns::stateOf(const DrawTraits& traits, const Shaders& shaders) {
  auto state = std::make_unique<DrawState>();
  state->shaders[static_cast<size_t>(Stage::Vertex)] = shaders.vs;
  state->shaders[static_cast<size_t>(Stage::Geometry)] = shaders.gs;
  state->shaders[static_cast<size_t>(Stage::Pixel)] = shaders.ps;
  if (traits.m_hasLayout) {
    auto found = std::ranges::find(
        m_layouts, traits.m_elements,
        [](const Ref<InputLayout>& layout) -> const auto& { return layout->elements; });
    if (found == m_layouts.end()) {
      auto layout = makeRef<InputLayout>();
      layout->elements = traits.m_elements;
      found = m_layouts.insert(m_layouts.end(), std::move(layout));
    }
    state->inputLayout = *found;
  }
  state->colorTargetCount = traits.m_colorTargetCount;
  for (size_t i = 0; i < kMaxColorTargets; ++i) bind(*this, traits.m_colors[i], state->colorTargets[i]);
  bind(*this, traits.m_depth, state->depthTarget);
  for (const Sampled& sampled : traits.m_sampled) {
    StageBindings& bindings = state->stages[static_cast<size_t>(sampled.stage)];
    bind(*this, sampled.image, bindings.resources[sampled.slot]);
    bindings.samplers[sampled.slot] = sampled.sampler;
  }
  for (size_t i = 0; i < kMaxVertexStreams; ++i) state->vertexStreams[i].step = traits.m_steps[i];
  for (size_t i = 0; i < kTextureStages; ++i)
    state->textureStages[i].transformFlags = traits.m_transformFlags[i];
  state->blend = traits.m_blend;
  state->depthStencil = traits.m_depthStencil;
  state->rasterizer = traits.m_rasterizer;
  state->pixelPipe = traits.m_pixelPipe;
  state->topology = traits.m_topology;
  state->streamOutput = traits.m_streamOutput;
  return state;
}

}  // namespace aerogpu::core
