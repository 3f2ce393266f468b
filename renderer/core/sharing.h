// SPDX-License-Identifier: MIT
// What keeps one program from taking the GPU, or the render thread, for itself. LIM-10, LIM-11.
#pragma once

#include <cstdint>

namespace aerogpu::core {

/// Whose work something is: what takes turns on the GPU. A process has one turn, however many handle spaces
/// it has (SPACE-25); a space of which nothing was said has its own.
struct Owner {
  enum class Kind : uint8_t { System, Process, Space };
  Kind kind = Kind::System;
  uint64_t number = 0;  ///< of the process or the space
  bool operator==(const Owner&) const = default;
};

/// How the work of several owners takes turns on one GPU.
struct Sharing {
  /// Own execution after which a batch is stopped while somebody else's work waits; a submission has
  /// kBatchesOfSubmission times that.
  uint64_t maxBatchNs = 2'000'000'000;
  static constexpr uint64_t kBatchesOfSubmission = 3;
  /// Whether the embedder holds work of somebody else than `owner`; null: it does not say. Render and
  /// completion thread, without a lock held.
  bool (*othersWait)(void* opaque, const Owner& owner) = nullptr;
  void* opaque = nullptr;
};

}  // namespace aerogpu::core
