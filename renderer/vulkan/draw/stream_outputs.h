// SPDX-License-Identifier: MIT
// The buffers that a draw streams out to. Each draw is captured on its own (Vulkan 1.3, "Transform
// Feedback"), behind what was captured before. Render thread only.
#pragma once

#include <array>

#include "renderer/core/state.h"
#include "renderer/vulkan/draw/stand_ins.h"
#include "renderer/vulkan/objects/buffer.h"

namespace aerogpu::vk {

class StreamOutputs {
public:
  StreamOutputs(Gpu& gpu, const StandIns& standIns) : m_gpu(gpu), m_standIns(standIns) {}

  /// Readies the buffers of a draw that streams out; ends the render pass.
  Result<void> gather(const core::DrawState& state);
  /// Come right before the draw's command and after it, in its pass.
  void begin() const;
  void end();

private:
  Gpu& m_gpu;
  const StandIns& m_standIns;
  uint32_t m_count = 0;  ///< slots from 0 on, whether used or not
  std::array<BufferObject*, core::kMaxStreamTargets> m_targets{};
  std::array<VkBuffer, core::kMaxStreamTargets> m_buffers{}, m_counters{};
  std::array<VkDeviceSize, core::kMaxStreamTargets> m_offsets{}, m_sizes{}, m_counterOffsets{};
};

}  // namespace aerogpu::vk
