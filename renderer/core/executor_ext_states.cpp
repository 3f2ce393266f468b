// SPDX-License-Identifier: MIT
// Executor: states of Direct3D 9 that ABI 1.4 has no packet for.
#include <bit>
#include <string>

#include "renderer/core/d3d9_states.h"
#include "renderer/core/executor.h"

namespace aerogpu::core {

namespace {

Result<void> needRange(ErrorValue first, ErrorValue count, uint32_t most, const char* what) {
  if (std::get<uint64_t>(first.number) + std::get<uint64_t>(count.number) <= most) return {};
  return refused(ErrorCode::OutOfBounds, what, {first, count, {"limit", most}});
}

}  // namespace

Result<void> Executor::run(const aerogpu_cmd_ext_set_clip_planes& c,
                           std::span<const aerogpu_ext_clip_plane> planes) {
  if (auto inside =
          needRange({"first", c.first}, {"plane_count", c.plane_count}, kMaxClipPlanes, "no such clip plane");
      !inside)
    return inside;
  for (size_t i = 0; i < planes.size(); ++i)
    for (size_t k = 0; k < 4; ++k)
      m_contexts.state().clipPlanes[c.first + i][k] = std::bit_cast<float>(planes[i].coefficients_f32[k]);
  if (!planes.empty()) m_contexts.state().dirty |= kDirtyClipPlanes;
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_ext_set_texture_stage& c) {
  if (c.stage >= kTextureStages)
    return refused(ErrorCode::OutOfBounds, "no such texture stage",
                   {{"stage", c.stage}, {"of", kTextureStages}});
  setTextureStageState(m_contexts.state(), c.stage, c.state, c.value);
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_ext_set_state& c) {
  switch (c.state) {
    case AEROGPU_EXT_STATE_FOG_W:
      m_contexts.state().pixelPipe.fogW = c.value != 0;
      m_contexts.state().dirty |= kDirtyPixelPipe;
      break;
    case AEROGPU_EXT_STATE_ALPHA_TO_COVERAGE:
      m_contexts.state().blend.alphaToCoverage = c.value != 0;
      m_contexts.state().dirty |= kDirtyBlend;
      break;
    default:
      break;
  }
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_ext_set_stream_frequency& c, std::span<const uint32_t> steps) {
  if (auto inside = needRange({"first", c.first}, {"step_count", c.step_count}, kMaxVertexStreams,
                              "no such vertex stream");
      !inside)
    return inside;
  for (size_t i = 0; i < steps.size(); ++i) m_contexts.state().vertexStreams[c.first + i].step = steps[i];
  if (!steps.empty()) m_contexts.state().dirty |= kDirtyVertexStreams | kDirtyInputLayout;
  return {};
}

}  // namespace aerogpu::core
