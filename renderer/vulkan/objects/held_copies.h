// SPDX-License-Identifier: MIT
// What blits make a copy of for one batch. Render thread only.
#pragma once

#include <cstdint>

#include "renderer/vulkan/device/recorder.h"

namespace aerogpu::vk {

/// No account of host memory has such a copy any more, but it is there until its batch is done: batches end
/// before there are too many.
class HeldCopies {
public:
  /// Comes before a copy of `bytes` is made; may hand the batch over and wait for it.
  Result<void> note(Recorder& recorder, uint64_t bytes);

private:
  static constexpr uint64_t kBytesPerBatch = uint64_t{64} << 20;

  uint64_t m_bytes = 0, m_batch = 0;  ///< held so far, in that batch
};

}  // namespace aerogpu::vk
