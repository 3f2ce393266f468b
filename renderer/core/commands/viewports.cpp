// SPDX-License-Identifier: MIT
// Viewports and the rectangles of their scissor tests.
#include <array>
#include <bit>
#include <span>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/cmd/check.h"
#include "renderer/core/announced.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/context_table.h"
#include "renderer/core/draw_cost.h"
#include "renderer/core/submission.h"

namespace aerogpu::core {

namespace {

/// Succeeds if the guest was told of several viewports, and each element is good.
template <class Element>
Result<void> needGood(const Submission& s, std::span<const Element> elements) {
  if (!(s.announced.told().capsFlags & AEROGPU_CAPS_LAYERS))
    return Error{ErrorCode::Backend, "several viewports are not announced", {}};
  for (const Element& e : elements)
    if (auto good = cmd::check(e); !good) return good;
  return {};
}

/// Sets the first of several, and all others; those beyond the last one are empty.
template <class Value, size_t kCount, class Element, class Convert>
void setAll(std::span<const Element> elements, Value& first, std::array<Value, kCount>& others,
            uint32_t& count, Convert convert) {
  if (count > 1) others = {};
  first = convert(elements[0]);
  for (size_t i = 1; i < elements.size(); ++i) others[i - 1] = convert(elements[i]);
  count = static_cast<uint32_t>(elements.size());
}

Viewport viewportOf(const aerogpu_ext_viewport& v) {
  const auto f = [](uint32_t bits) { return std::bit_cast<float>(bits); };
  return {f(v.x_f32), f(v.y_f32), f(v.width_f32), f(v.height_f32), f(v.min_depth_f32), f(v.max_depth_f32)};
}

void setViewports(DrawState& state, std::span<const aerogpu_ext_viewport> viewports) {
  setAll(viewports, state.viewport, state.more.viewports, state.more.viewportCount, viewportOf);
  state.viewportSet = true;
  measureTargets(state);
  state.dirty |= kDirtyViewport;
}

void setScissors(DrawState& state, std::span<const aerogpu_ext_scissor> scissors) {
  setAll(scissors, state.scissor, state.more.scissors, state.more.scissorCount,
         [](const aerogpu_ext_scissor& s) {
           return Scissor{s.x, s.y, s.width, s.height};
         });
  state.dirty |= kDirtyScissor;
}

}  // namespace

Result<void> runSetViewport(Submission& s, const aerogpu_cmd_set_viewport& c) {
  const aerogpu_ext_viewport one{c.x_f32,      c.y_f32,         c.width_f32,
                                 c.height_f32, c.min_depth_f32, c.max_depth_f32};
  setViewports(s.contexts.state(), {&one, 1});
  return {};
}

Result<void> runSetScissor(Submission& s, const aerogpu_cmd_set_scissor& c) {
  const aerogpu_ext_scissor one{c.x, c.y, c.width, c.height};
  setScissors(s.contexts.state(), {&one, 1});
  return {};
}

Result<void> runExtSetViewports(Submission& s, const aerogpu_cmd_ext_set_viewports&,
                                std::span<const aerogpu_ext_viewport> viewports) {
  if (auto good = needGood(s, viewports); !good) return good;
  setViewports(s.contexts.state(), viewports);
  return {};
}

Result<void> runExtSetScissors(Submission& s, const aerogpu_cmd_ext_set_scissors&,
                               std::span<const aerogpu_ext_scissor> scissors) {
  if (auto good = needGood(s, scissors); !good) return good;
  setScissors(s.contexts.state(), scissors);
  return {};
}

}  // namespace aerogpu::core
