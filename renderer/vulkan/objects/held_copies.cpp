// SPDX-License-Identifier: MIT
#include "renderer/vulkan/objects/held_copies.h"

#include <utility>

namespace aerogpu::vk {

Result<void> HeldCopies::note(Recorder& recorder, uint64_t bytes) {
  if (std::exchange(m_batch, recorder.batch()) != recorder.batch()) m_bytes = 0;
  if (m_bytes != 0 && m_bytes + bytes > kBytesPerBatch) {
    if (auto flushed = recorder.flush(); !flushed) return flushed;
    recorder.drain();
    m_batch = recorder.batch();
    m_bytes = 0;
  }
  m_bytes += bytes;
  return {};
}

}  // namespace aerogpu::vk
