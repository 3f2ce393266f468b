// SPDX-License-Identifier: MIT
// State blocks, render states, targets, clip planes, texture stages.
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/announced.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/context_table.h"
#include "renderer/core/d3d10_states.h"
#include "renderer/core/d3d9_states.h"
#include "renderer/core/draw_cost.h"
#include "renderer/core/format.h"
#include "renderer/core/gpu_objects.h"
#include "renderer/core/handle_table.h"
#include "renderer/core/lacking.h"
#include "renderer/core/state.h"
#include "renderer/core/submission.h"

namespace aerogpu::core {

namespace {

/// Returns a colour target or, with `depth`, a depth target; an empty one for handle 0.
Result<TargetBinding> targetOf(Submission& s, uint32_t handle, bool depth) {
  TargetBinding binding;
  if (handle == 0) return binding;
  aerogpu_format format;
  if (Texture* texture = s.handles.get<Texture>(handle)) {
    binding.texture = Ref<Texture>(texture);
    format = texture->desc.format;
  } else if (View* view = s.handles.get<View>(handle)) {
    binding.view = Ref<View>(view);
    binding.texture = view->texture;
    format = view->desc.format;
  } else {
    return refused(ErrorCode::CmdDecode, "render target is neither a texture nor a view",
                   {{depth ? "depth_stencil" : "colors", handle}});
  }
  const FormatInfo& info = *findFormat(format);
  if (info.depth != depth || info.blockPixels != 1)
    return Error{ErrorCode::CmdDecode,
                 depth ? "not a depth-stencil format" : "not a format for a colour target",
                 info.name,
                 {{depth ? "depth_stencil" : "colors", handle}}};
  if (hasSlices(binding.texture->desc) && !s.announced.has(AEROGPU_CAPS_D3D10_RESOURCES))
    return refused(ErrorCode::CmdDecode, "a volume as render target",
                   {{"colors", handle}, {"depth", binding.texture->desc.depth}});
  return binding;
}

/// Returns the layers, or slices, of the bound target that has fewest: LAYER-1.
uint32_t layersOf(const DrawState& state) {
  uint32_t layers = UINT32_MAX;
  const auto count = [&](const TargetBinding& binding) {
    if (binding.texture) layers = std::min(layers, binding.view ? binding.view->desc.layerCount : 1);
  };
  for (uint32_t i = 0; i < state.colorTargetCount; ++i) count(state.colorTargets[i]);
  count(state.depthTarget);
  return layers == UINT32_MAX ? 1 : layers;
}

/// Succeeds if [first, first + count) lies in a table of `most`; else the error says `what`.
Result<void> needRange(ErrorValue first, ErrorValue count, uint32_t most, const char* what) {
  if (std::get<uint64_t>(first.number) + std::get<uint64_t>(count.number) <= most) return {};
  return refused(ErrorCode::OutOfBounds, what, {first, count, {"limit", most}});
}

}  // namespace

Result<void> runSetBlendState(Submission& s, const aerogpu_cmd_set_blend_state& c) {
  setBlendState(s.contexts.state(), c.state);
  return {};
}

Result<void> runSetDepthStencilState(Submission& s, const aerogpu_cmd_set_depth_stencil_state& c) {
  setDepthStencilState(s.contexts.state(), c.state);
  return {};
}

Result<void> runSetRasterizerState(Submission& s, const aerogpu_cmd_set_rasterizer_state& c) {
  setRasterizerState(s.contexts.state(), c.state);
  return {};
}

Result<void> runSetRenderState(Submission& s, const aerogpu_cmd_set_render_state& c) {
  setRenderState(s.contexts.state(), c.state, c.value);
  return {};
}

Result<void> runSetRenderTargets(Submission& s, const aerogpu_cmd_set_render_targets& c) {
  DrawState& state = s.contexts.state();
  std::array<TargetBinding, kMaxColorTargets> colors;
  if (const uint32_t most = s.announced.limits().maxColorTargets; c.color_count > most) {
    constexpr const char* kText = "more colour targets than the GPU has";
    if (c.color_count <= s.announced.told().maxColorTargets)
      return lacking(s, kText, 0, {{"color_count", c.color_count}, {"limit", most}});
    return refused(ErrorCode::Backend, kText, {{"color_count", c.color_count}, {"limit", most}});
  }
  for (uint32_t i = 0; i < c.color_count; ++i) {
    auto color = targetOf(s, c.colors[i], false);
    if (!color) return color.error();
    colors[i] = std::move(*color);
  }
  auto depth = targetOf(s, c.depth_stencil, true);
  if (!depth) return depth.error();
  state.colorTargets = std::move(colors);
  state.colorTargetCount = c.color_count;
  state.depthTarget = std::move(*depth);
  state.targetLayers = s.announced.has(AEROGPU_CAPS_LAYERS) ? layersOf(state) : 1;
  measureTargets(state);
  state.dirty |= kDirtyTargets | kDirtyBlend | (state.viewportSet ? 0u : uint32_t{kDirtyViewport});
  return {};
}

Result<void> runExtSetClipPlanes(Submission& s, const aerogpu_cmd_ext_set_clip_planes& c,
                                 std::span<const aerogpu_ext_clip_plane> planes) {
  DrawState& state = s.contexts.state();
  if (auto inside =
          needRange({"first", c.first}, {"plane_count", c.plane_count}, kMaxClipPlanes, "no such clip plane");
      !inside)
    return inside;
  for (size_t i = 0; i < planes.size(); ++i)
    for (size_t k = 0; k < 4; ++k)
      state.clipPlanes[c.first + i][k] = std::bit_cast<float>(planes[i].coefficients_f32[k]);
  if (!planes.empty()) state.dirty |= kDirtyClipPlanes;
  return {};
}

Result<void> runExtSetTextureStage(Submission& s, const aerogpu_cmd_ext_set_texture_stage& c) {
  if (c.stage >= kTextureStages)
    return refused(ErrorCode::OutOfBounds, "no such texture stage",
                   {{"stage", c.stage}, {"of", kTextureStages}});
  setTextureStageState(s.contexts.state(), c.stage, c.state, c.value);
  return {};
}

Result<void> runExtSetState(Submission& s, const aerogpu_cmd_ext_set_state& c) {
  DrawState& state = s.contexts.state();
  switch (c.state) {
    case AEROGPU_EXT_STATE_FOG_W:
      state.pixelPipe.fogW = c.value != 0;
      state.dirty |= kDirtyPixelPipe;
      break;
    case AEROGPU_EXT_STATE_ALPHA_TO_COVERAGE:
      state.blend.alphaToCoverage = c.value != 0;
      state.dirty |= kDirtyBlend;
      break;
    default:
      break;
  }
  return {};
}

Result<void> runExtSetBlend(Submission& s, const aerogpu_cmd_ext_set_blend& c,
                            std::span<const aerogpu_ext_target_blend> targets) {
  if (auto there = needD3d10States(s); !there) return there;
  return setBlend(s.contexts.state(), c, targets);
}

Result<void> runExtSetDepthBias(Submission& s, const aerogpu_cmd_ext_set_depth_bias& c) {
  if (auto there = needD3d10States(s); !there) return there;
  DrawState& state = s.contexts.state();
  state.rasterizer.slopeScaledDepthBias = std::bit_cast<float>(c.slope_scaled_f32);
  state.rasterizer.depthBiasClamp = std::bit_cast<float>(c.clamp_f32);
  state.dirty |= kDirtyRasterizer;
  return {};
}

Result<void> runExtSetStreamFrequency(Submission& s, const aerogpu_cmd_ext_set_stream_frequency& c,
                                      std::span<const uint32_t> steps) {
  DrawState& state = s.contexts.state();
  if (auto inside = needRange({"first", c.first}, {"step_count", c.step_count}, kMaxVertexStreams,
                              "no such vertex stream");
      !inside)
    return inside;
  for (size_t i = 0; i < steps.size(); ++i) state.vertexStreams[c.first + i].step = steps[i];
  if (!steps.empty()) state.dirty |= kDirtyVertexStreams | kDirtyInputLayout;
  return {};
}

}  // namespace aerogpu::core
