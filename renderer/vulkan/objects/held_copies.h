// SPDX-License-Identifier: MIT
// Limits the copies that blits make for one batch. Render thread only.
#pragma once

#include <cstdint>

#include "renderer/vulkan/device/recorder.h"

namespace aerogpu::vk {

/// A copy exists until its batch is done, while no account of host memory has it any more: so a batch ends
/// before it has too many.
class HeldCopies {
public:
  /// Notes a copy of `bytes`, before it is made; may hand the batch over and wait for it.
  Result<void> note(Recorder& recorder, uint64_t bytes);

private:
  static constexpr uint64_t kBytesPerBatch = uint64_t{64} << 20;

  uint64_t m_bytes = 0, m_batch = 0;  ///< held so far, in that batch
};

}  // namespace aerogpu::vk
