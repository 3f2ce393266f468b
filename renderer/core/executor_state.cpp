// SPDX-License-Identifier: MIT
// Executor: state blocks, render states, targets, viewport, scissor.
#include <algorithm>
#include <bit>

#include "renderer/core/d3d9_states.h"
#include "renderer/core/executor.h"

namespace aerogpu::core {

Result<void> Executor::run(const aerogpu_cmd_set_blend_state& c) {
  setBlendState(m_contexts.state(), c.state);
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_depth_stencil_state& c) {
  setDepthStencilState(m_contexts.state(), c.state);
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_rasterizer_state& c) {
  setRasterizerState(m_contexts.state(), c.state);
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_render_state& c) {
  setRenderState(m_contexts.state(), c.state, c.value);
  return {};
}

Result<TargetBinding> Executor::target(uint32_t handle, bool depth) {
  TargetBinding binding;
  if (handle == 0) return binding;
  aerogpu_format format;
  if (Texture* texture = m_space.handles().get<Texture>(handle)) {
    binding.texture = Ref<Texture>(texture);
    format = texture->desc.format;
  } else if (View* view = m_space.handles().get<View>(handle)) {
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
  if (binding.texture->desc.kind == TextureKind::Volume)
    return refused(ErrorCode::CmdDecode, "a volume as render target",
                   {{"colors", handle}, {"depth", binding.texture->desc.depth}});
  return binding;
}

void Executor::measureTargets() {
  DrawState& s = m_contexts.state();
  uint64_t width = UINT64_MAX, height = UINT64_MAX;
  const auto measure = [&](const TargetBinding& binding) {
    if (!binding.texture) return;
    const auto& mip = binding.texture->layout.mip(binding.view ? binding.view->desc.baseMip : 0);
    width = std::min<uint64_t>(width, mip.width);
    height = std::min<uint64_t>(height, mip.height);
  };
  for (uint32_t i = 0; i < s.colorTargetCount; ++i) measure(s.colorTargets[i]);
  // A smaller depth target cuts only some draws.
  if (width == UINT64_MAX) measure(s.depthTarget);
  s.drawPixels = 0;
  if (width == UINT64_MAX) return;
  if (s.viewportSet) {
    // Not a number and negative sizes give 0.
    const auto inside = [](float size, uint64_t limit) {
      return size > 0 ? static_cast<uint64_t>(std::min(size, static_cast<float>(limit))) : 0;
    };
    width = inside(s.viewport.width, width);
    height = inside(s.viewport.height, height);
  }
  s.drawPixels = width * height;
}

Result<void> Executor::run(const aerogpu_cmd_set_render_targets& c) {
  std::array<TargetBinding, kMaxColorTargets> colors;
  for (uint32_t i = 0; i < c.color_count; ++i) {
    auto color = target(c.colors[i], false);
    if (!color) return color.error();
    colors[i] = std::move(*color);
  }
  auto depth = target(c.depth_stencil, true);
  if (!depth) return depth.error();
  m_contexts.state().colorTargets = std::move(colors);
  m_contexts.state().colorTargetCount = c.color_count;
  m_contexts.state().depthTarget = std::move(*depth);
  measureTargets();
  m_contexts.state().dirty |=
      kDirtyTargets | kDirtyBlend | (m_contexts.state().viewportSet ? 0u : uint32_t{kDirtyViewport});
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_viewport& c) {
  const auto f = [](uint32_t bits) { return std::bit_cast<float>(bits); };
  m_contexts.state().viewport = {f(c.x_f32),      f(c.y_f32),         f(c.width_f32),
                                 f(c.height_f32), f(c.min_depth_f32), f(c.max_depth_f32)};
  m_contexts.state().viewportSet = true;
  measureTargets();
  m_contexts.state().dirty |= kDirtyViewport;
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_set_scissor& c) {
  m_contexts.state().scissor = {c.x, c.y, c.width, c.height};
  m_contexts.state().dirty |= kDirtyScissor;
  return {};
}

}  // namespace aerogpu::core
