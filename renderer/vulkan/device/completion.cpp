// SPDX-License-Identifier: MIT
// Waits for the GPU and finishes its batches (see completion.h).
#include "renderer/vulkan/device/completion.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "renderer/vulkan/device/stop_words.h"
#include "renderer/vulkan/device/vk_result.h"

namespace aerogpu::vk {

uint64_t nowNs() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

CompletionThread::CompletionThread(Device& device, VkSemaphore timeline, const core::BackendConfig& config)
    : m_device(device),
      m_timeline(timeline),
      m_stats(config.stats),
      m_config(config),
      m_sharedStop(std::max<uint64_t>(config.sharing.maxBatchNs / kWaitNs, 1)),
      m_interrupted(config.interrupted),
      m_closing(config.closing),
      m_thread([this] { run(); }) {}

CompletionThread::~CompletionThread() {
  {
    Lock lock(m_mutex);
    m_stop = true;
    m_wake.notifyAll();
  }
  m_thread.join();
}

void CompletionThread::push(WorkItem item) {
  m_pending.fetch_add(1, std::memory_order_relaxed);
  Lock lock(m_mutex);
  m_queue.push_back(std::move(item));
  m_wake.notifyOne();
}

bool CompletionThread::finishSoon(WorkItem& item) {
  // The completion thread must notice a loss.
  if (!idle() || m_device.lost() || !awaitSoon(item.batch)) return false;
  process(item);
  return true;
}

bool CompletionThread::awaitSoon(uint64_t batch) {
  if (m_config.playsHang()) return false;
  if (m_slow != 0) {
    --m_slow;
    return false;
  }
  VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  wait.semaphoreCount = 1;
  wait.pSemaphores = &m_timeline;
  wait.pValues = &batch;
  const auto ask = [&](uint64_t ns) { return m_device.vk().WaitSemaphores(m_device.handle(), &wait, ns); };
  VkResult result = ask(0);
  uint64_t now = nowNs();
  // On a free processor a thread that does not sleep need not be woken.
  if (m_crowded != 0) {
    --m_crowded;
  } else {
    for (const uint64_t end = now + kAskNs; result == VK_TIMEOUT && now < end;) {
      std::this_thread::yield();
      const uint64_t before = std::exchange(now, nowNs());
      // Other threads wanted the processor, and a thread that yields comes last; one that sleeps gets it when
      // it wakes.
      if (now - before > kAwayNs) m_crowded = kCrowded;
      result = ask(0);
    }
  }
  // Not for less than kWaitNs: a short sleep sets the processor's timer, and then sets it again for the
  // previous deadline. In a virtual machine each of the two costs as much as the copy.
  if (result == VK_TIMEOUT) {
    result = ask(kWaitNs);
    if (nowNs() - now > kSlowNs) m_slow = kSlow;
  }
  return result == VK_SUCCESS;
}

bool CompletionThread::waitIdle(uint64_t timeoutNs) {
  constexpr uint64_t kForever = uint64_t{1} << 60;
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::nanoseconds(std::min(timeoutNs, kForever));
  Lock lock(m_mutex);
  while (!idle())
    if (!m_done.waitUntil(m_mutex, deadline)) return idle();
  return true;
}

void CompletionThread::waitFor(uint64_t batch) {
  Lock lock(m_mutex);
  while (m_processed < batch) m_done.wait(m_mutex);
}

void CompletionThread::run() {
  for (;;) {
    WorkItem item;
    {
      Lock lock(m_mutex);
      while (m_queue.empty() && !m_stop) m_wake.wait(m_mutex);
      if (m_queue.empty()) return;
      item = std::move(m_queue.front());
      m_queue.pop_front();
    }
    process(item);
    item = WorkItem{};
    Lock lock(m_mutex);
    m_pending.fetch_sub(1, std::memory_order_release);
    m_done.notifyAll();
  }
}

namespace {

/// Packs one row of D24S8 words from a depth plane and a stencil plane.
void packRow(uint32_t* out, const uint8_t* depth, const uint8_t* stencil, uint64_t pixels, DepthPack pack) {
  for (uint64_t x = 0; x < pixels; ++x) {
    uint32_t word;
    std::memcpy(&word, depth + x * 4, 4);
    if (pack == DepthPack::FromD32) {
      float value;
      std::memcpy(&value, &word, 4);
      value = value > 0 ? std::min(value, 1.0f) : 0.0f;
      word = static_cast<uint32_t>(std::lround(static_cast<double>(value) * 0xFFFFFF));
    }
    out[x] = (word & 0xFFFFFFu) | uint32_t{stencil[x]} << 24;
  }
}

}  // namespace

Result<void> CompletionThread::invalidate(const MemoryRange& range) {
  if (range.block->coherent) return {};
  const VkDeviceSize atom = m_device.limits().nonCoherentAtomSize;
  VkMappedMemoryRange mapped{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE};
  mapped.memory = range.block->memory;
  mapped.offset = range.offset / atom * atom;
  const VkDeviceSize end = (range.offset + range.size + atom - 1) / atom * atom;
  // Bytes around the range may be read again too: the host never writes here.
  mapped.size = end < range.block->ranges.size() ? end - mapped.offset : VK_WHOLE_SIZE;
  const VkResult result = m_device.vk().InvalidateMappedMemoryRanges(m_device.handle(), 1, &mapped);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkInvalidateMappedMemoryRanges");
  return {};
}

bool CompletionThread::othersWait(const WorkItem& item) {
  {
    Lock lock(m_mutex);
    for (const WorkItem& waiting : m_queue)
      if (waiting.owner != item.owner) return true;
  }
  const core::Sharing& sharing = m_config.sharing;
  return sharing.othersWait && sharing.othersWait(sharing.opaque, item.owner);
}

namespace {

/// Plays a wait for a GPU that hangs.
VkResult hangFor(uint64_t ns) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
  return VK_TIMEOUT;
}

}  // namespace

std::optional<Error> CompletionThread::await(const WorkItem& item) {
  VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  wait.semaphoreCount = 1;
  wait.pSemaphores = &m_timeline;
  wait.pValues = &item.batch;
  const uint64_t limit =
      std::min(kStopMost, kStop + kSecond * std::max<uint64_t>(item.stoppable, 1) - kSecond);
  bool stopped = false;
  for (uint64_t waited = 1;; ++waited) {
    VkResult result = m_device.lost() && !m_lossPlayed ? VK_ERROR_DEVICE_LOST
                      : m_config.playsHang()
                          ? hangFor(kWaitNs)
                          : m_device.vk().WaitSemaphores(m_device.handle(), &wait, kWaitNs);
    // A played loss is reported after the end of the work; a GPU that is really lost ends in finite time too.
    if (result == VK_SUCCESS && (m_lossPlayed = m_lossPlayed || m_config.playsLoss()))
      result = VK_ERROR_DEVICE_LOST;
    const bool closing = m_closing.load(std::memory_order_acquire);
    const bool unwanted = closing || m_interrupted.load(std::memory_order_acquire);
    if (!unwanted) m_unwanted = 0;
    if (result == VK_SUCCESS) break;
    if (result != VK_TIMEOUT) return m_device.fail(result, "the GPU did not finish the work");
    m_unwanted += unwanted;
    ++m_ran;
    if (item.stopWord && !stopped &&
        (unwanted || m_cut || waited >= limit || (waited >= m_sharedStop && othersWait(item)))) {
      StopWords::stop(item.stopWord);
      stopped = m_cut = true;
    }
    if (m_unwanted >= (closing ? kClosing : kInterrupted) || waited >= kHopeless) {
      m_device.markHung();
      return Error{ErrorCode::Backend, "the GPU does not end its work", {}};
    }
  }
  if (!stopped) {
    // The batch has ended by itself. If the submission has used up its time, later batches of it are stopped.
    if (m_cut || item.completion || m_ran < core::Sharing::kBatchesOfSubmission * m_sharedStop ||
        !othersWait(item))
      return std::nullopt;
    m_cut = true;
    m_stopped.store(item.batch, std::memory_order_release);
    return Error{ErrorCode::Backend, "a submission ran for too long while others waited", {}};
  }
  m_stopped.store(item.batch, std::memory_order_release);
  return Error{ErrorCode::Backend, "a shader ran for too long and was stopped", {}};
}

Result<void> CompletionThread::carryOut(Readback& rb, bool failed) {
  if (rb.value) {
    // Leaves the value unwritten, without an error: a reset drops the submission, which never completes.
    if (m_interrupted.load(std::memory_order_acquire)) return {};
    if (failed && m_device.lost() && m_config.holdValues.load(std::memory_order_acquire)) return {};
    return rb.value->write();
  }
  if (failed) return {};
  if (auto visible = invalidate(rb.memory); !visible) return visible;
  if (rb.conversion != Conversion::None) {
    m_packed.resize(rb.rowBytes * rb.rows);
    const uint64_t texels = rb.rowBytes / guestBytes(rb.conversion);
    for (uint64_t y = 0; y < rb.rows; ++y)
      toGuest(rb.conversion, rb.pixels + y * rb.pitch, texels, m_packed.data() + y * rb.rowBytes);
    return rb.sink->write(m_packed.data(), rb.rowBytes, rb.rowBytes, rb.rows);
  }
  if (rb.pack == DepthPack::None) return rb.sink->write(rb.pixels, rb.pitch, rb.rowBytes, rb.rows);
  m_packed.resize(rb.rowBytes * rb.rows);
  for (uint64_t y = 0; y < rb.rows; ++y)
    packRow(reinterpret_cast<uint32_t*>(m_packed.data() + y * rb.rowBytes), rb.pixels + y * rb.pitch,
            rb.stencil + y * (rb.rowBytes / 4), rb.rowBytes / 4, rb.pack);
  return rb.sink->write(m_packed.data(), rb.rowBytes, rb.rowBytes, rb.rows);
}

void CompletionThread::process(WorkItem& item) {
  std::optional<Error>& error = m_submissionError;
  if (item.error && !error) error = std::move(item.error);
  if (item.batch > completed())
    if (std::optional<Error> failed = await(item); failed && !error) error = std::move(failed);
  if (item.startNs) {
    const uint64_t end = nowNs();
    m_stats.gpuBusyNs.add(end - std::max(item.startNs, m_busyUntilNs));
    m_busyUntilNs = end;
  }
  // A GPU that hangs may still use the guest's memory: it is given back only when the GPU is closed.
  if (m_device.hung()) HostImport::strand(item.imports);
  item.imports.clear();  // from here on the GPU's writes count as written
  for (Readback& readback : item.readbacks)
    if (auto written = carryOut(readback, error.has_value()); !written && !error) error = written.error();
  item.readbacks.clear();
  if (item.frame && !error)
    if (auto visible = invalidate(item.frame->range); !visible) error = visible.error();
  if (item.batch > completed()) {
    Lock lock(m_mutex);
    m_processed = item.batch;
    if (!m_device.hung()) m_completed.store(item.batch, std::memory_order_release);
    m_done.notifyAll();
  }
  if (item.completion) {
    item.completion->completed(error, item.frame ? &item.frame->image : nullptr);
    error.reset();
    m_ran = 0;
    m_cut = false;
  }
}

}  // namespace aerogpu::vk
