// SPDX-License-Identifier: MIT
#include "renderer/vulkan/objects/stream_counter.h"

#include <cstring>

namespace aerogpu::vk {

StreamCounter::~StreamCounter() {
  if (m_word) m_gpu.recorder->retire(*m_gpu.buffers, m_word);
}

void StreamCounter::order() {
  VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
  barrier.srcStageMask = VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT |
                         VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  barrier.srcAccessMask =
      VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
  barrier.dstStageMask = barrier.srcStageMask;
  barrier.dstAccessMask = VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT |
                          VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT |
                          VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
  VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  info.memoryBarrierCount = 1;
  info.pMemoryBarriers = &barrier;
  m_gpu.device->vk().CmdPipelineBarrier2(m_gpu.recorder->outsidePass(), &info);
}

Result<void> StreamCounter::ready() {
  if (!m_word) {
    m_charge = HostMemoryCharge::take(m_gpu.hostMemory, kBufferAlign, HostMemoryKind::Buffers);
    if (!m_charge.ok()) return Error{ErrorCode::Backend, "host memory limit reached by stream output", {}};
    auto word = m_gpu.buffers->allocate(sizeof(uint32_t), kBufferAlign);
    if (!word) return word.error();
    m_word = *word;
  }
  order();
  if (m_written) return {};
  m_gpu.device->vk().CmdFillBuffer(m_gpu.recorder->outsidePass(), buffer(), offset(), sizeof(uint32_t),
                                   m_set);
  order();
  m_written = true;
  return {};
}

Result<uint32_t> StreamCounter::read() {
  if (!m_counted) return m_set;
  Recorder& recorder = *m_gpu.recorder;
  if (m_batch == recorder.batch() && recorder.isOpen()) {
    recorder.hostReads();
    if (auto flushed = recorder.flush(); !flushed) return flushed.error();
  }
  recorder.waitFor(m_batch);
  if (m_gpu.device->lost()) return Error{ErrorCode::Backend, "the GPU is lost", {}};
  uint32_t bytes = 0;
  std::memcpy(&bytes, m_word.mapped(), sizeof bytes);
  return bytes;
}

}  // namespace aerogpu::vk
