// SPDX-License-Identifier: MIT
// Batches as they are recorded and handed to the queue, and the render pass that is open in them. Its parts:
// command buffers (batches.h), staging memory (staging.h), objects that wait for the GPU before they die
// (retired.h). Render thread only.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "renderer/vulkan/device/batches.h"
#include "renderer/vulkan/device/completion.h"
#include "renderer/vulkan/device/memory.h"
#include "renderer/vulkan/device/retired.h"
#include "renderer/vulkan/device/staging.h"
#include "renderer/vulkan/device/stop_words.h"

namespace aerogpu::vk {

/// Counts what the guest's draws do.
class DrawCounter {
public:
  virtual ~DrawCounter() = default;
  /// In a render pass, right before a draw.
  virtual void drawComes() = 0;
  /// The render pass ends after this, or something in it comes that is no draw.
  virtual void drawsEnd() = 0;
  /// The command buffer, outside of any render pass, ends after this.
  virtual void batchEnds() = 0;
};

/// Has commands in the early ones of a batch that others must follow.
class EarlyUser {
public:
  virtual ~EarlyUser() = default;
  /// The early commands end after this.
  virtual void endEarly() = 0;
};

class Recorder {
public:
  /// `toDevice`, `fromDevice`: what stage() and stageReadback() take memory from.
  Recorder(Device& device, MemoryPool& toDevice, MemoryPool& fromDevice, StopWords& stopWords,
           const core::BackendConfig& config);
  ~Recorder();
  Result<void> create();

  /// See core::Backend::setOwner.
  void setOwner(const core::Owner& owner) { m_owner = owner; }
  /// Makes sure that a batch is being recorded. Call first in everything that records.
  Result<void> open();
  /// The same for what is only copied to memory that the host reads: see endsSoon().
  Result<void> openToRead();
  bool isOpen() const { return m_current != nullptr; }
  /// The command buffer as it is, possibly inside a render pass.
  VkCommandBuffer commands() const { return m_current->main; }
  /// The command buffer outside of any render pass.
  VkCommandBuffer outsidePass();
  /// Runs before everything in commands() of this batch.
  VkCommandBuffer early();
  /// Hands what is in early() over ahead of the batch if the GPU has nothing else to do, so that it copies
  /// while more is recorded. early() may be another one after that.
  void sendEarly();

  /// Tells `user` once, when the early commands of this batch end, unless removed before.
  void atEndOfEarly(EarlyUser& user) { m_atEnd.earlyUsers.push_back(&user); }
  void remove(EarlyUser& user) { std::erase(m_atEnd.earlyUsers, &user); }

  /// Number of the batch being recorded, or of the next one.
  uint64_t batch() const { return m_numbers.submitted + 1; }
  uint64_t completed() const { return m_completion->completed(); }
  bool finished(uint64_t batch) const { return batch <= completed(); }

  /// Between the two, outside of the render pass that may be open, commands are recorded that are no part of
  /// the guest's draws: its queries do not count, and what it has bound is gone when it ends.
  void beginInterlude();
  void endInterlude();
  /// The same, but leaves its pass open: for an interlude that goes on in it, if nothing comes before that
  /// has to be outside of it.
  void leaveInterludeOpen();
  /// Whether pass `id`, of an interlude, was left open and still is.
  bool leftOpen(uint64_t id) const { return m_pass.leftOpen && m_pass.id == id; }

  /// Ends what is open.
  void beginPass(const VkRenderingInfo& info);
  /// In one of the guest's, or of an interlude that has not ended.
  bool inPass() const { return m_pass.open && !m_pass.leftOpen; }
  /// Comes right before each draw of the guest's, and right before what else is done in its render passes.
  void drawComes() {
    for (DrawCounter* counter : m_counters) counter->drawComes();
  }
  void noDrawComes() {
    for (DrawCounter* counter : m_counters) counter->drawsEnd();
  }
  /// Dynamic offset of the batch's stop word.
  uint32_t stopWordOffset() const { return m_stopWords.offset(m_current->stopWord); }
  /// A draw or dispatch was recorded that looks at the stop word.
  void noteStoppable() { ++m_current->stoppable; }
  /// A dispatch was recorded.
  void noteDispatch() { m_current->dispatches = true; }

  /// Counts passes; 0 is none.
  uint64_t passId() const { return inPass() ? m_pass.id : 0; }
  uint64_t nextPassId() const { return m_pass.id + 1; }
  /// Counts batches begun and interludes, so that users of dynamic state know when to set it anew.
  uint64_t commandBufferId() const { return m_numbers.opened + m_interludes; }
  /// Opens a batch and calls `gather`, whose work counts only in the batch in which it began. Staging memory
  /// can run out on the way, which hands that batch over: then `gather` does all of it again in the next one.
  template <class Gather>
  Result<bool> inOneBatch(Gather gather);

  /// The host may read what this batch wrote to buffers: one barrier at its end.
  void hostReads() { m_atEnd.hostReads = true; }
  void addReadback(Readback readback) { m_atEnd.readbacks.push_back(std::move(readback)); }
  /// See core::Backend::writeValue.
  Result<void> writeValue(const core::ValueWrite& value);
  /// Keeps what this batch reads in place, until it is done.
  void keep(std::unique_ptr<HostImport> import) { m_atEnd.imports.push_back(std::move(import)); }
  /// The same for what it writes, once endsSoon(): what is no copy goes into another batch.
  void keepTarget(std::unique_ptr<HostImport> import);
  /// Whether the GPU has nothing before it but copies, for which a reset of the ring can wait: only then may
  /// it write to guest memory itself (docs/develop/architecture.md, "Nothing old writes").
  bool endsSoon() const {
    return m_numbers.lastWork <= completed() && (!m_current || onlyCopies(*m_current));
  }
  /// Orders copies to host memory behind earlier copies from and to it, whatever buffer they see it through.
  void orderHostCopies();
  /// Host-visible bytes that live until this batch is done; waits for the GPU when too much is under way.
  Result<MemoryRange> stage(uint64_t size) { return stageIn(m_toDevice, size); }
  /// The same, out of memory that the host reads.
  Result<MemoryRange> stageReadback(uint64_t size) { return stageIn(m_fromDevice, size); }

  /// Tells `counter` of draws and batches until remove(), which is not to be called from within.
  void add(DrawCounter& counter) { m_counters.push_back(&counter); }
  void remove(DrawCounter& counter) { std::erase(m_counters, &counter); }

  /// Hands the batch over. Without one, does nothing.
  Result<void> flush();
  /// See core::Backend::throttle.
  bool throttle();
  /// Ends a submission: hands the batch over and reports through `completion`. See
  /// core::Backend::endSubmission.
  void finish(std::unique_ptr<core::Completion> completion, Frame* frame, bool needsGpu);
  /// Waits until the GPU has finished `batch`, which was handed over.
  void waitFor(uint64_t batch) { m_completion->waitFor(batch); }
  bool waitIdle(uint64_t timeoutNs) { return m_completion->waitIdle(timeoutNs); }

  void retire(MemoryPool& pool, const MemoryRange& range) {
    m_retired.add({batch(), Retired::Kind::Range, 0, &pool, range});
  }
  template <class Handle>
  void retire(Retired::Kind kind, Handle handle) {
    if (!handle) return;
    m_retired.add({batch(), kind, reinterpret_cast<uint64_t>(handle), nullptr, {}});
  }
  void retire(Returning& image) {
    m_retired.add({batch(), Retired::Kind::Image, reinterpret_cast<uint64_t>(&image), nullptr, {}});
  }
  /// So many objects wait for the GPU that drain() is due after the packet.
  bool crowded() const { return m_retired.crowded(); }
  /// Frees what the GPU has finished with.
  void collect();
  /// Waits for everything that was handed over and frees what it used.
  void drain();

  /// Of a GPU that hangs: ends the thread that waits for it. After this only drained() and the destructor may
  /// be called, the latter once drained() says so.
  void abandon();
  /// Whether the GPU has finished everything after all.
  bool drained();

private:
  static constexpr uint64_t kStagingLimit = uint64_t{128} << 20;  ///< bytes under way before we wait
  static constexpr size_t kMaxSent = 16;  ///< early commands of a batch that go ahead: each keeps its memory

  /// The render pass in the batch's commands.
  struct Pass {
    uint64_t id = 0;  ///< counts passes begun
    bool open = false;
    bool leftOpen = false;  ///< it is open, and of an interlude that has ended
  };

  /// Things that were asked of the batch being recorded, and are done when it ends or after it.
  struct AtEnd {
    std::vector<EarlyUser*> earlyUsers;
    bool hostReads = false;
    std::vector<Readback> readbacks;
    std::vector<std::unique_ptr<HostImport>> imports;

    /// Somebody waits for a few bytes, and nothing but them.
    bool readsOnly() const;
  };

  /// Counts of batches; each is the number of the last batch that it tells of.
  struct Numbers {
    uint64_t submitted = 0;
    uint64_t opened = 0;
    uint64_t lastWork = 0;      ///< the newest that was handed over and does more than copy
    uint64_t lastFinished = 0;  ///< the one with which the last submission ended
    uint64_t throttled = 0;     ///< the last that was handed over when throttle() was last called
  };

  /// Waits for the oldest batch where there are too many.
  Result<std::unique_ptr<Batch>> freeBatch();
  bool onlyCopies(const Batch& batch) const { return batch.firstPass == m_pass.id && !batch.dispatches; }
  Result<MemoryRange> stageIn(Staging& staging, uint64_t size);
  Result<void> begin(VkCommandBuffer commands);
  /// Records the barrier after which the host may read.
  void recordHostBarrier();
  /// Ends the batch's commands and gives them to the queue, unless early ones failed.
  VkResult queue();
  Result<void> submit(std::unique_ptr<core::Completion> completion, Frame* frame);

  Device& m_device;
  StopWords& m_stopWords;
  const core::BackendConfig& m_config;
  VkSemaphore m_timeline = VK_NULL_HANDLE;
  std::unique_ptr<CompletionThread> m_completion;
  Batches m_batches;
  std::deque<std::unique_ptr<Batch>> m_inFlight;  // oldest first
  std::unique_ptr<Batch> m_current;
  Numbers m_numbers;
  uint64_t m_interludes = 0;  ///< that have ended
  Pass m_pass;
  AtEnd m_atEnd;
  core::Owner m_owner;  ///< of what is recorded
  std::vector<DrawCounter*> m_counters;
  Staging m_toDevice, m_fromDevice;
  RetiredObjects m_retired;
};

template <class Gather>
Result<bool> Recorder::inOneBatch(Gather gather) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (auto opened = open(); !opened) return opened.error();
    const uint64_t begun = m_numbers.opened;
    Result<bool> ready = gather();
    if (!ready || !*ready || begun == m_numbers.opened) return ready;
  }
  return Error{ErrorCode::Backend, "one draw needs more staging memory than there is", {}};
}

}  // namespace aerogpu::vk
