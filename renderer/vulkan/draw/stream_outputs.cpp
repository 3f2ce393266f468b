// SPDX-License-Identifier: MIT
#include "renderer/vulkan/draw/stream_outputs.h"

#include <algorithm>
#include <bit>

#include "renderer/vulkan/objects/stream_counter.h"

namespace aerogpu::vk {

Result<void> StreamOutputs::gather(const core::DrawState& state) {
  const uint32_t slots = state.streamOutput.slots;
  m_count = static_cast<uint32_t>(std::bit_width(slots));
  m_targets = {};
  for (uint32_t slot = 0; slot < m_count; ++slot) {
    core::Buffer* const buffer = slots >> slot & 1 ? state.streamTargets[slot].get() : nullptr;
    if (!buffer) {
      // A slot without a buffer is as one that is full.
      m_buffers[slot] = m_standIns.zeros().buffer();
      m_offsets[slot] = m_standIns.zeros().at();
      m_sizes[slot] = 0;
      m_counters[slot] = VK_NULL_HANDLE;
      m_counterOffsets[slot] = 0;
      continue;
    }
    BufferObject& target = BufferObject::of(*buffer);
    target.useAfterWrites(VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT, core::kDirtyStreamTargets);
    StreamCounter& counter = target.streamCounter();
    if (auto ready = counter.ready(); !ready) return ready;
    m_targets[slot] = &target;
    m_buffers[slot] = target.handle();
    m_offsets[slot] = target.offset();
    m_sizes[slot] = std::min(target.size(), m_gpu.device->caps().streamBufferBytes);
    m_counters[slot] = counter.buffer();
    m_counterOffsets[slot] = counter.offset();
  }
  return {};
}

void StreamOutputs::begin() const {
  const DeviceTable& vk = m_gpu.device->vk();
  VkCommandBuffer commands = m_gpu.recorder->commands();
  vk.CmdBindTransformFeedbackBuffersEXT(commands, 0, m_count, m_buffers.data(), m_offsets.data(),
                                        m_sizes.data());
  vk.CmdBeginTransformFeedbackEXT(commands, 0, m_count, m_counters.data(), m_counterOffsets.data());
}

void StreamOutputs::end() {
  m_gpu.device->vk().CmdEndTransformFeedbackEXT(m_gpu.recorder->commands(), 0, m_count, m_counters.data(),
                                                m_counterOffsets.data());
  for (BufferObject* target : m_targets) {
    if (!target) continue;
    target->noteGpuWrite(VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
                         VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT);
    target->streamCounter().noteCounted();
  }
}

}  // namespace aerogpu::vk
