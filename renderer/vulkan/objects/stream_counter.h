// SPDX-License-Identifier: MIT
// How far stream output has filled a buffer. The GPU counts on in a word of its own (Vulkan 1.3, "Transform
// Feedback", counter buffers); as long as it has not, the number is known here. Render thread only.
#pragma once

#include <cstdint>
#include <optional>

#include "renderer/vulkan/objects/gpu.h"

namespace aerogpu::vk {

class StreamCounter {
public:
  explicit StreamCounter(Gpu& gpu) : m_gpu(gpu) {}
  ~StreamCounter();
  StreamCounter(const StreamCounter&) = delete;
  StreamCounter& operator=(const StreamCounter&) = delete;

  /// Sets the number of bytes.
  void set(uint32_t bytes) {
    m_set = bytes;
    m_counted = false;
    m_written = false;
  }
  /// Returns the number as long as the GPU has not counted on.
  std::optional<uint32_t> known() const { return m_counted ? std::nullopt : std::optional<uint32_t>(m_set); }
  /// Readies the word for draws of the open batch that count on, or draw so many vertices; ends the pass.
  Result<void> ready();
  /// The word, after ready().
  VkBuffer buffer() const { return m_word.buffer(); }
  VkDeviceSize offset() const { return m_word.at(); }
  /// Notes that the open batch counts on.
  void noteCounted() {
    m_counted = true;
    m_batch = m_gpu.recorder->batch();
  }
  /// Hands over the batch that counts, and waits for it.
  Result<uint32_t> read();

private:
  void order();

  Gpu& m_gpu;
  MemoryRange m_word;
  HostMemoryCharge m_charge;
  uint32_t m_set = 0;
  uint64_t m_batch = 0;    ///< the last that counted
  bool m_counted = false;  ///< the GPU has, since set()
  bool m_written = false;  ///< the word has what was set, or more
};

}  // namespace aerogpu::vk
