// SPDX-License-Identifier: MIT
// Memory for the windows of buffers (objects/buffer.h): pieces of a few sizes, reused as soon as the GPU is
// done with them, so that a program that streams allocates nothing. Render thread only.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "renderer/vulkan/device/memory.h"

namespace aerogpu::vk {

class WindowPool {
public:
  static constexpr uint64_t kLeast = uint64_t{4} << 10, kMost = uint64_t{1} << 20;

  explicit WindowPool(MemoryPool& memory) : m_memory(memory) {}
  ~WindowPool();
  WindowPool(const WindowPool&) = delete;
  WindowPool& operator=(const WindowPool&) = delete;

  /// Takes at least `bytes`, at most kMost. `finished`: the newest batch that the GPU is done with.
  Result<MemoryRange> take(uint64_t bytes, uint64_t finished);
  /// Gives a range back for reuse once `batch` is finished.
  void give(const MemoryRange& range, uint64_t batch);

private:
  /// Bytes of each size that are kept for reuse.
  static constexpr uint64_t kSpareBytes = uint64_t{8} << 20;
  static constexpr size_t kSizes = static_cast<size_t>(std::countr_zero(kMost / kLeast)) + 1;
  struct Piece {
    MemoryRange range;
    uint64_t batch;
  };
  /// First in, first out, in a ring that only grows.
  struct Queue {
    std::vector<Piece> ring;
    size_t first = 0, count = 0;
  };
  static size_t sizeOf(uint64_t bytes) {
    return static_cast<size_t>(std::bit_width((std::max(bytes, kLeast) - 1) / kLeast));
  }

  MemoryPool& m_memory;
  std::array<Queue, kSizes> m_queues;
};

}  // namespace aerogpu::vk
