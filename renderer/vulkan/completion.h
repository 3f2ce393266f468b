// SPDX-License-Identifier: MIT
// The completion thread: waits for batches on the timeline semaphore in order, carries read-backs to their
// sinks and reports submissions. Items are pushed by the render thread; memory that an item used is free once
// completed() has reached its batch.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "renderer/base/mutex.h"
#include "renderer/core/backend.h"
#include "renderer/core/stats.h"
#include "renderer/vulkan/device.h"
#include "renderer/vulkan/frame_pool.h"
#include "renderer/vulkan/host_import.h"

namespace aerogpu::vk {

/// How a depth-stencil texture's two planes become D24S8 words (depth in the low 24 bits).
enum class DepthPack : uint8_t { None, FromD24, FromD32 };

struct Readback {
  std::unique_ptr<core::ByteSink> sink;
  const uint8_t* pixels = nullptr;
  uint64_t pitch = 0, rowBytes = 0, rows = 0;
  DepthPack pack = DepthPack::None;
  MemoryRange memory;                ///< which holds `pixels` and `stencil`
  const uint8_t* stencil = nullptr;  ///< tight rows of one byte a pixel, if `pack` is set
};

/// One batch on the GPU, or the tail end of a submission without one.
struct WorkItem {
  uint64_t batch = 0;    ///< done when the timeline reaches it
  uint64_t startNs = 0;  ///< hand-over; 0 when no work was handed over
  std::vector<Readback> readbacks;
  std::vector<std::unique_ptr<HostImport>> imports;  ///< what the batch reads and writes in place
  std::unique_ptr<core::Completion> completion;      ///< null: a batch inside a submission
  Frame* frame = nullptr;
  std::optional<Error> error;
};

class CompletionThread {
public:
  CompletionThread(Device& device, VkSemaphore timeline, core::Stats& stats);
  ~CompletionThread();

  void push(WorkItem item) EXCLUDES(m_mutex);
  /// The newest batch whose item was processed.
  uint64_t completed() const { return m_completed.load(std::memory_order_acquire); }
  /// Nothing queued and nothing being processed.
  bool idle() const { return m_pending.load(std::memory_order_acquire) == 0; }
  /// The first failure of the batches of a submission that ends without another one. Render thread, while
  /// idle().
  std::optional<Error> takeError() { return std::exchange(m_submissionError, std::nullopt); }
  /// False when `timeoutNs` passed before that.
  bool waitIdle(uint64_t timeoutNs) EXCLUDES(m_mutex);
  /// Waits until completed() has reached `batch`.
  void waitFor(uint64_t batch) EXCLUDES(m_mutex);

private:
  void run() EXCLUDES(m_mutex);
  void process(WorkItem& item);
  /// Before the host reads what the device wrote there.
  Result<void> invalidate(const MemoryRange& range);

  Device& m_device;
  const VkSemaphore m_timeline;
  core::Stats& m_stats;
  std::atomic<uint64_t> m_completed{0};
  std::atomic<uint64_t> m_pending{0};
  uint64_t m_busyUntilNs = 0;     // completion thread only
  std::vector<uint8_t> m_packed;  // completion thread only
  /// First failure of the submission under way. Completion thread; while idle(), render thread.
  std::optional<Error> m_submissionError;
  Mutex m_mutex;
  CondVar m_wake, m_done;
  std::deque<WorkItem> m_queue GUARDED_BY(m_mutex);
  bool m_stop GUARDED_BY(m_mutex) = false;
  std::thread m_thread;
};

/// Nanoseconds of the steady clock.
uint64_t nowNs();

}  // namespace aerogpu::vk
