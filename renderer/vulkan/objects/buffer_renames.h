// SPDX-License-Identifier: MIT
// Buffers whose bytes moved to other memory, because the GPU still reads the old ones. Render thread only.
#pragma once

#include <cstdint>
#include <utility>

#include "renderer/vulkan/device/recorder.h"

namespace aerogpu::vk {

class BufferRenames {
public:
  /// Counts `bytes` that the open batch renames. False if that passes the limit of a batch, which there is
  /// because old memory is kept until the batch is done.
  bool take(const Recorder& recorder, uint64_t bytes) {
    if (m_batch != recorder.batch()) {
      m_batch = recorder.batch();
      m_bytes = 0;
    }
    if (m_bytes + bytes > kBytesPerBatch) return false;
    m_bytes += bytes;
    return true;
  }

  /// Notes that a buffer that is bound as `boundAs`, DirtyBits, has moved, which makes these bindings stale.
  void note(uint32_t boundAs) { m_stale |= boundAs; }
  bool anyStale() const { return m_stale != 0; }
  /// Returns the DirtyBits of all stale bindings, which the caller binds again.
  uint32_t takeStale() { return std::exchange(m_stale, 0u); }

private:
  static constexpr uint64_t kBytesPerBatch = uint64_t{64} << 20;

  uint64_t m_bytes = 0, m_batch = 0;  ///< renamed so far, in that batch
  uint32_t m_stale = 0;
};

}  // namespace aerogpu::vk
