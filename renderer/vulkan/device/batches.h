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
  size_t earlySent = 0;                ///< of `early`, before the batch; the next is being recorded
  bool hasEarly = false;               ///< the early buffer being recorded is not empty
  uint64_t sentNs = 0;                 ///< time of the first hand-over of these
  VkResult sent = VK_SUCCESS;
  uint64_t firstPass = 0;  ///< passes before the batch
  uint32_t stopWord = 0;   ///< number of the batch's word (StopWords)
  uint32_t stoppable = 0;  ///< draws and dispatches that read the word
  bool dispatches = false;
  bool writesGuest = false;  ///< the batch only copies, also to guest memory
};

/// The batches that are not in use. All must be given back before the object is destroyed.
class Batches {
public:
  /// Most batches that exist.
  static constexpr size_t kMax = 96;
  static_assert(kMax < StopWords::kCount, "each batch has a stop word, the one being recorded too");

  Batches(Device& device, StopWords& stopWords) : m_device(device), m_stopWords(stopWords) {}
  ~Batches();
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;

  /// Returns an empty batch, whose command buffers are not begun.
  Result<std::unique_ptr<Batch>> take();
  /// Takes back a batch that the GPU has finished, or never got.
  void giveBack(std::unique_ptr<Batch> batch) { m_spare.push_back(std::move(batch)); }
  /// Adds a command buffer to `batch.early`.
  VkResult addEarly(Batch& batch);

private:
  Result<std::unique_ptr<Batch>> reuse();
  Result<std::unique_ptr<Batch>> make();
  VkResult allocate(const Batch& batch, VkCommandBuffer& commands, const char* name);

  Device& m_device;
  StopWords& m_stopWords;
  std::vector<std::unique_ptr<Batch>> m_spare;
  uint32_t m_count = 0;  ///< batches that exist
};

}  // namespace aerogpu::vk
