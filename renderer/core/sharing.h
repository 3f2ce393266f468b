// SPDX-License-Identifier: MIT
// Keeps one program from taking the GPU, or the render thread, for itself. LIM-15, LIM-11.
#pragma once

#include <cstdint>

namespace aerogpu::core {

/// The owner of work that takes turns on the GPU. A process has one turn, however many handle spaces it has
/// (SPACE-25); a space without a process has its own.
struct Owner {
  enum class Kind : uint8_t { System, Process, Space };
  Kind kind = Kind::System;
  uint64_t number = 0;  ///< of the process or the space
  bool operator==(const Owner&) const = default;
};

/// The rules by which several owners' work takes turns on one GPU.
struct Sharing {
  /// A batch is stopped after it ran this long while another owner's work waits; a submission may run
  /// kBatchesOfSubmission times as long.
  uint64_t maxBatchNs = 2'000'000'000;
  static constexpr uint64_t kBatchesOfSubmission = 3;
  /// True if the embedder holds work of another owner than `owner`; null: it does not say. Render and
  /// completion thread, without a lock held.
  bool (*othersWait)(void* opaque, const Owner& owner) = nullptr;
  void* opaque = nullptr;
};

}  // namespace aerogpu::core
