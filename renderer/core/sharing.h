// SPDX-License-Identifier: MIT
// What keeps one handle space from taking the GPU, or the render thread, for itself. LIM-10, LIM-11.
#pragma once

#include <cstdint>

namespace aerogpu::core {

/// How the work of several handle spaces takes turns on one GPU.
struct Sharing {
  /// Own execution after which a batch is stopped while another space's work waits; a submission has
  /// kBatchesOfSubmission times that.
  uint64_t maxBatchNs = 2'000'000'000;
  static constexpr uint64_t kBatchesOfSubmission = 3;
  /// Whether the embedder holds work of another space; null: it does not say. Render and completion thread.
  bool (*othersWait)(void* opaque, uint32_t space) = nullptr;
  void* opaque = nullptr;
};

}  // namespace aerogpu::core
