// SPDX-License-Identifier: MIT
// Command buffers of batches, and their reuse. Render thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "renderer/vulkan/device/device.h"
#include "renderer/vulkan/device/stop_words.h"

namespace aerogpu::vk {

struct Batch {
  uint64_t number = 0;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer main = VK_NULL_HANDLE;
  std::vector<VkCommandBuffer> early;  ///< as many as one batch has needed so far
  size_t earlySent = 0;                ///< of them, ahead of the batch; the next one is being recorded
  bool hasEarly = false;               ///< there is something in it
  uint64_t sentNs = 0;                 ///< when the first was
  VkResult sent = VK_SUCCESS;
  uint64_t firstPass = 0;  ///< passes before it
  uint32_t stopWord = 0;   ///< number of its word
  uint32_t stoppable = 0;  ///< draws and dispatches that look at it
  bool dispatches = false;
  bool writesGuest = false;  ///< it copies to guest memory, and does nothing but copy
};

/// The batches that are not in use. All of them are back when it goes.
class Batches {
public:
  /// Batches that exist at the most.
  static constexpr size_t kMax = 96;
  static_assert(kMax < StopWords::kCount, "each batch has a stop word, the one being recorded too");

  Batches(Device& device, StopWords& stopWords) : m_device(device), m_stopWords(stopWords) {}
  ~Batches();
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;

  /// One with nothing in it, whose commands are not begun.
  Result<std::unique_ptr<Batch>> take();
  /// The GPU is done with it, or never saw it.
  void giveBack(std::unique_ptr<Batch> batch) { m_spare.push_back(std::move(batch)); }
  /// One more command buffer in `batch.early`.
  VkResult addEarly(Batch& batch);

private:
  Result<std::unique_ptr<Batch>> reuse();
  Result<std::unique_ptr<Batch>> make();
  VkResult allocate(const Batch& batch, VkCommandBuffer& commands, const char* name);

  Device& m_device;
  StopWords& m_stopWords;
  std::vector<std::unique_ptr<Batch>> m_spare;
  uint32_t m_count = 0;  ///< that exist
};

}  // namespace aerogpu::vk
