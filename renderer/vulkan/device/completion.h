// SPDX-License-Identifier: MIT
// The completion thread: waits for batches on the timeline semaphore in order, carries read-backs to their
// sinks and reports submissions. The render thread pushes items; memory that an item used is free once
// completed() has reached its batch. No wait is endless: loops of shaders are stopped after a time, and a GPU
// that does not come back even then counts as lost (docs/develop/architecture.md, "Work that does not end").
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "renderer/base/mutex.h"
#include "renderer/core/backend_config.h"
#include "renderer/core/guest_memory.h"
#include "renderer/core/stats.h"
#include "renderer/vulkan/device/device.h"
#include "renderer/vulkan/device/frame_pool.h"
#include "renderer/vulkan/device/host_import.h"
#include "renderer/vulkan/device/texel_conversion.h"

namespace aerogpu::vk {

/// The way to make D24S8 words (depth in the low 24 bits) from a depth-stencil texture's two planes.
enum class DepthPack : uint8_t { None, FromD24, FromD32 };

/// A write to guest memory when a batch is done; read-backs are done in the order of the requests.
struct Readback {
  std::unique_ptr<core::ByteSink> sink;
  std::optional<core::ValueWrite> value;  ///< replaces `sink` and all members below
  const uint8_t* pixels = nullptr;
  uint64_t pitch = 0, rowBytes = 0, rows = 0;
  DepthPack pack = DepthPack::None;
  Conversion conversion = Conversion::None;  ///< of `pixels` (`pitch`) to guest memory (`rowBytes`)
  MemoryRange memory;                        ///< which holds `pixels` and `stencil`
  const uint8_t* stencil = nullptr;          ///< tight rows of one byte a pixel, if `pack` is set
};

/// One batch on the GPU, or the end of a submission without a batch.
struct WorkItem {
  uint64_t batch = 0;    ///< done when the timeline reaches it
  core::Owner owner;     ///< owner of the work
  uint64_t startNs = 0;  ///< hand-over; 0 when no work was handed over
  std::vector<Readback> readbacks;
  std::vector<std::unique_ptr<HostImport>> imports;  ///< memory that the batch reads and writes in place
  std::unique_ptr<core::Completion> completion;      ///< null: a batch inside a submission
  Frame* frame = nullptr;
  std::optional<Error> error;
  uint32_t* stopWord = nullptr;  ///< StopWords; null if no shader of the batch reads it
  uint32_t stoppable = 0;        ///< draws and dispatches that read it
};

class CompletionThread {
public:
  CompletionThread(Device& device, VkSemaphore timeline, const core::BackendConfig& config);
  ~CompletionThread();

  void push(WorkItem item) EXCLUDES(m_mutex);
  /// Processes the item on the caller's thread, the render thread, if no other item is under way and the GPU
  /// finishes soon, and did so lately: that saves waking two threads. False if it did nothing.
  bool finishSoon(WorkItem& item) EXCLUDES(m_mutex);
  /// Returns the newest batch that the GPU has finished, or will never begin. On a GPU that hangs it stops
  /// growing.
  uint64_t completed() const { return m_completed.load(std::memory_order_acquire); }
  /// Returns the newest batch in which a shader was stopped; 0 = none.
  uint64_t stopped() const { return m_stopped.load(std::memory_order_acquire); }
  /// True if no item is queued or being processed.
  bool idle() const { return m_pending.load(std::memory_order_acquire) == 0; }
  /// Returns the first failure of the batches of a submission that ends without a further batch. Render
  /// thread, while idle().
  std::optional<Error> takeError() { return std::exchange(m_submissionError, std::nullopt); }
  /// Waits until idle(). False after `timeoutNs`.
  bool waitIdle(uint64_t timeoutNs) EXCLUDES(m_mutex);
  /// Waits until the item of `batch` was processed.
  void waitFor(uint64_t batch) EXCLUDES(m_mutex);

private:
  // Time is counted in waits that ran out, so that a pause of the process counts against no batch.
  static constexpr uint64_t kWaitNs = 20'000'000;
  static constexpr uint64_t kSecond = 1'000'000'000 / kWaitNs;
  /// A batch whose shaders loop may take this long, and another second for each further draw; at most
  /// kStopMost. While other owners wait it has BackendConfig::sharing.maxBatchNs.
  static constexpr uint64_t kStop = 10 * kSecond, kStopMost = 60 * kSecond;
  /// The render thread polls for kAskNs, then sleeps at most kWaitNs. If it loses its processor for kAwayNs
  /// meanwhile, it skips polling the next kCrowded times; if the wait takes longer than kSlowNs, it skips
  /// both the next kSlow times.
  static constexpr uint64_t kAskNs = 100'000, kAwayNs = 500'000, kSlowNs = 1'000'000;
  static constexpr uint32_t kCrowded = 256, kSlow = 16;
  static constexpr uint64_t kHopeless = 120 * kSecond;                            ///< any batch
  static constexpr uint64_t kInterrupted = 10 * kSecond, kClosing = 2 * kSecond;  ///< all batches together

  void run() EXCLUDES(m_mutex);
  void process(WorkItem& item) EXCLUDES(m_mutex);
  /// True if the GPU finished the batch while the render thread waited.
  bool awaitSoon(uint64_t batch);
  /// Carries one read-back to guest memory. `failed`: its batch, or the submission's earlier work, failed.
  Result<void> carryOut(Readback& readback, bool failed);
  /// Invalidates memory before the host reads what the device wrote there.
  Result<void> invalidate(const MemoryRange& range);
  /// Waits for the batch; stops it when its time is over.
  std::optional<Error> await(const WorkItem& item) EXCLUDES(m_mutex);
  /// True if work of another owner than the item's waits, handed over or not.
  bool othersWait(const WorkItem& item) EXCLUDES(m_mutex);

  Device& m_device;
  const VkSemaphore m_timeline;
  core::Stats& m_stats;
  const core::BackendConfig m_config;
  const uint64_t m_sharedStop;  ///< waits that may run out for a batch while other owners wait
  const std::atomic<bool>& m_interrupted;
  const std::atomic<bool>& m_closing;
  uint32_t m_crowded = 0, m_slow = 0;  ///< remaining times to skip; render thread
  std::atomic<uint64_t> m_completed{0}, m_stopped{0};
  std::atomic<uint64_t> m_pending{0};
  // Completion thread; while idle(), render thread:
  uint64_t m_busyUntilNs = 0;
  bool m_lossPlayed = false;  ///< the GPU works on, but must appear lost
  uint64_t m_unwanted = 0;    ///< waits that ran out since the interruption
  uint64_t m_ran = 0;         ///< waits that ran out for the submission under way
  bool m_cut = false;         ///< its time is over: the rest is stopped as soon as it begins
  std::vector<uint8_t> m_packed;
  /// First failure of the submission under way.
  std::optional<Error> m_submissionError;
  Mutex m_mutex;
  CondVar m_wake, m_done;
  std::deque<WorkItem> m_queue GUARDED_BY(m_mutex);
  uint64_t m_processed GUARDED_BY(m_mutex) = 0;  ///< batch of the newest processed item
  bool m_stop GUARDED_BY(m_mutex) = false;
  std::thread m_thread;
};

/// Returns nanoseconds of the steady clock.
uint64_t nowNs();

}  // namespace aerogpu::vk
