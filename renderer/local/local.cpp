// SPDX-License-Identifier: MIT
#include "renderer/local/local.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "renderer/base/cache_dir.h"
#include "renderer/base/error_text.h"
#include "renderer/core/frame_memory.h"
#include "renderer/interface/structs.h"
#include "renderer/local/backends.h"

namespace aerogpu {
namespace {

uint64_t nowNs() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

}  // namespace

/// The completion of one submission or snapshot: fills in the result and hands it to the embedder.
class LocalRenderer::Finish : public core::Completion {
public:
  Finish(LocalRenderer& renderer, uint64_t cookie, uint64_t fence) : m_renderer(renderer) {
    m_result.struct_size = sizeof m_result;
    m_result.cookie = cookie;
    m_result.signal_fence = fence;
  }

  void setMustNotFail(bool mustNotFail) { m_mustNotFail = mustNotFail; }
  void setReport(const core::ExecutionReport& report) {
    m_executed = true;
    m_result.error_count = report.errorCount;
    m_result.last_error_code = static_cast<uint32_t>(report.lastError);
    m_result.present_count = report.presents;
    m_result.present_vsync = report.vsync;
    m_result.dropped = report.dropped;
    m_result.frame_unchanged = report.frameUnchanged;
  }
  void setShown(const core::Presents::Shown& shown) {
    m_result.scanout_is_texture = shown.isTexture;
    m_result.scanout_changed = shown.hasChanged;
  }
  void addError(const Error& error) {
    if (error.code == ErrorCode::Interrupted) {
      m_result.dropped = true;
      return;
    }
    ++m_result.error_count;
    m_result.last_error_code = static_cast<uint32_t>(error.code);
    m_renderer.stats.errors.fetch_add(1, std::memory_order_relaxed);
    m_renderer.log.line(levelOf(error.code), textOf(error));
  }

  void completed(const std::optional<Error>& gpuError, aerogpu_frame* frame) override {
    if (gpuError) addError(*gpuError);
    m_result.gpu_lost = gpuError && m_renderer.backend->lost();
    m_result.frame = frame;
    if (m_mustNotFail && m_result.error_count != 0) m_renderer.executor->hold();
    if (m_executed) m_renderer.executor->submissionFinished();
    if (m_renderer.recent && m_executed && (m_result.error_count != 0 || m_result.gpu_lost)) noteFailure();
    m_renderer.callbacks.submission_done(m_renderer.opaque, &m_result);
    m_renderer.finished();
  }

private:
  void noteFailure() {
    const std::string line = m_renderer.recent->failed(
        m_result.gpu_lost ? "the GPU is lost, fence " + std::to_string(m_result.signal_fence)
                          : "fence " + std::to_string(m_result.signal_fence) + " has " +
                                std::to_string(m_result.error_count) + " errors, the last of code " +
                                std::to_string(m_result.last_error_code));
    if (!line.empty()) m_renderer.log.line(AEROGPU_LOG_ERROR, line);
  }

  LocalRenderer& m_renderer;
  bool m_executed = false;  ///< a submission, not a snapshot
  bool m_mustNotFail = false;
  aerogpu_submission_result m_result{};
};

LocalRenderer::LocalRenderer(const aerogpu_renderer_config& config)
    : callbacks(*config.callbacks),
      opaque(config.opaque),
      log(config.callbacks->log, config.opaque),
      hostMemory(config.max_hostmem),
      frameReserve(core::frameReserveBytes(config.max_hostmem)),
      madeFrames(hostMemory, frameReserve),
      guest(*config.callbacks, config.opaque, (config.flags & AEROGPU_RENDERER_LEND_GUEST_MEMORY) != 0) {}

std::unique_ptr<LocalRenderer> LocalRenderer::create(const aerogpu_renderer_config& config,
                                                     std::string& error) {
  const std::string wanted = config.backend ? config.backend : "auto";
  std::unique_ptr<LocalRenderer> renderer(new LocalRenderer(config));
  core::Sharing sharing;
  if (config.max_batch_ms != 0) sharing.maxBatchNs = uint64_t{config.max_batch_ms} * 1'000'000;
  if (config.callbacks->waiting_spaces) sharing.othersWait = othersWait;
  sharing.opaque = renderer.get();
  const core::BackendConfig backendConfig{renderer->hostMemory,
                                          renderer->frameReserve,
                                          renderer->stats,
                                          renderer->log,
                                          renderer->interrupted,
                                          renderer->closing,
                                          renderer->valuesHeld,
                                          renderer->faults,
                                          config.vulkan_device ? config.vulkan_device : "",
                                          config.cache_dir ? config.cache_dir : cacheDirOf(config.vm_uuid),
                                          (config.flags & AEROGPU_RENDERER_VALIDATION) != 0,
                                          sharing};
  const bool any = wanted == "auto";
  bool failed = false;
  error = "unknown back end '" + wanted + "' (" + backendChoices() + ")";
  for (const BackendEntry& entry : backendEntries()) {
    if (!any && wanted != entry.name) continue;
    if (!entry.create) {
      error = std::string("this build has no back end '") + entry.name + "'";
      continue;
    }
    std::string reason;
    renderer->backend = entry.create(backendConfig, reason);
    if (renderer->backend) {
      if (any && failed) renderer->log.line(AEROGPU_LOG_ERROR, error + "; the back end is " + entry.name);
      break;
    }
    error = reason;
    failed = true;
    // If a GPU was asked for, "auto" must not choose the null back end instead.
    if (!backendConfig.vulkanDevice.empty()) break;
  }
  if (!renderer->backend) return nullptr;
  renderer->origin = {config.vm_name ? config.vm_name : "", config.vm_uuid ? config.vm_uuid : "", ""};
  if (config.recent_trace)
    renderer->recent = std::make_unique<trace::Recent>(
        config.recent_trace, config.recent_bytes != 0 ? config.recent_bytes : trace::Recent::kDefaultBytes,
        renderer->origin);
  renderer->announced = std::make_unique<core::Announced>(*renderer->backend);
  if (config.caps && *config.caps) renderer->capsSet = config.caps;
  if (!renderer->announced->restrictTo(renderer->capsSet)) {
    error = "no set of capabilities is named " + renderer->capsSet + ": host, base, base-1";
    return nullptr;
  }
  renderer->setCaps(renderer->describeGpu());
  renderer->promised = renderer->capsHere();
  renderer->executor = std::make_unique<core::Executor>(core::Executor::Environment{
      *renderer->backend, *renderer->announced, renderer->hostMemory, renderer->stats, renderer->log,
      renderer->guest, renderer->interrupted, (config.flags & AEROGPU_RENDERER_PRESENT_COLOR_TARGET) != 0,
      config.max_space_hostmem != 0 ? config.max_space_hostmem : config.max_hostmem / 2, sharing});
  return renderer;
}

LocalRenderer::~LocalRenderer() {
  shutdown();
  if (backend) backend->waitIdle(UINT64_MAX);
  capture.reset();
  loader.reset();
  executor.reset();
  backend.reset();
}

bool LocalRenderer::othersWait(void* renderer, const core::Owner& owner) {
  const auto& self = *static_cast<const LocalRenderer*>(renderer);
  std::array<uint32_t, 4096> waiting;
  const size_t count = self.callbacks.waiting_spaces(self.opaque, waiting.data(), waiting.size());
  const core::Spaces& spaces = self.executor->spaces();
  return std::any_of(waiting.begin(), waiting.begin() + std::min(count, waiting.size()),
                     [&](uint32_t space) { return spaces.ownerOf(space) != owner; });
}

void LocalRenderer::waitForRoom() {
  Lock lock(m_mutex);
  while (m_inFlight >= kMaxInFlight) m_roomChanged.wait(m_mutex);
  stats.inFlight.store(++m_inFlight, std::memory_order_relaxed);
}

void LocalRenderer::finished() {
  Lock lock(m_mutex);
  stats.inFlight.store(--m_inFlight, std::memory_order_relaxed);
  m_roomChanged.notifyAll();
}

void LocalRenderer::submit(const aerogpu_submission& given) {
  waitForRoom();
  const uint64_t begin = nowNs();
  aerogpu_submission submission;
  if (!takeStruct(given, submission)) {
    const bool named = given.struct_size >= offsetof(aerogpu_submission, cookie) + sizeof given.cookie;
    auto finish = std::make_unique<Finish>(*this, named ? given.cookie : 0, 0);
    finish->addError(
        Error{ErrorCode::Internal, "a submission is not executed", tooSmall("aerogpu_submission", given)});
    backend->endSubmission(std::move(finish), true);
    return;
  }
  // Packets are read as 32-bit words; a copy without that alignment is moved once.
  if (reinterpret_cast<uintptr_t>(submission.cmd) % alignof(uint32_t) != 0) {
    m_alignedStream.resize((submission.cmd_size + 3) / 4);
    std::memcpy(m_alignedStream.data(), submission.cmd, submission.cmd_size);
    submission.cmd = m_alignedStream.data();
  }
  auto finish = std::make_unique<Finish>(*this, submission.cookie, submission.signal_fence);
  if (capture) capture->begin(submission);
  const core::ExecutionReport report = executor->execute(submission);
  stats.heldObjects.store(executor->heldObjects(), std::memory_order_relaxed);
  if (capture) capture->end(submission, report, executor->scanoutAllocation());
  if (recent) recent->add(submission, report, executor->scanoutAllocation());
  finish->setReport(report);
  finish->setMustNotFail(core::Executor::mustNotFail(submission));
  finish->setShown(executor->shown());
  stats.cpuBusyNs.add(nowNs() - begin);
  backend->endSubmission(std::move(finish), report.needsGpu);
}

void LocalRenderer::snapshotScanout(uint64_t cookie) {
  waitForRoom();
  auto finish = std::make_unique<Finish>(*this, cookie, 0);
  if (auto done = executor->snapshotScanout(); !done) finish->addError(done.error());
  finish->setShown(executor->shown());
  backend->endSubmission(std::move(finish), true);
}

void LocalRenderer::interrupt() {
  interrupted.store(true, std::memory_order_release);
  guest.gate().shut();
}

void LocalRenderer::endInterruption() {
  interrupted.store(false, std::memory_order_release);
  guest.gate().open();
}

void LocalRenderer::resume() {
  executor->goOn();
  executor->forgetFrame();
  endInterruption();
}

void LocalRenderer::shutdown() {
  interrupt();
  closing.store(true, std::memory_order_release);
}

bool LocalRenderer::reset() {
  interrupt();
  backend->waitIdle(UINT64_MAX);
  if (capture) capture->deviceReset();
  if (recent) recent->deviceReset();
  executor->reset();
  stats.heldObjects.store(0, std::memory_order_relaxed);
  const bool recovered = backend->recover();
  endInterruption();
  return recovered;
}

uint32_t LocalRenderer::leftovers() const {
  const core::WriteGate& gate = guest.gate();
  return (gate.oldIsWritten() ? uint32_t{AEROGPU_RENDERER_LEFT_WRITES} : 0) |
         (gate.oldIsRead() ? uint32_t{AEROGPU_RENDERER_LEFT_READS} : 0);
}

void LocalRenderer::logLine(enum aerogpu_log_level level, const std::string& line) const {
  log.line(level, line);
}

void LocalRenderer::releaseFrame(aerogpu_frame* frame) {
  if (!madeFrames.release(frame)) backend->releaseFrame(frame);
}

void LocalRenderer::holdValues(bool hold) {
  valuesHeld.store(hold, std::memory_order_release);
}

void LocalRenderer::playFaults(uint32_t asked) {
  faults.store(asked, std::memory_order_release);
}

void LocalRenderer::readStats(aerogpu_renderer_stats& out) const {
  const auto read = [](const std::atomic<uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  };
  out.submissions = stats.submissions.value();
  out.packets = stats.packets.value();
  out.draws = stats.draws.value();
  out.dispatches = stats.dispatches.value();
  out.presents = stats.presents.value();
  out.errors = read(stats.errors);
  out.command_bytes = stats.commandBytes.value();
  out.upload_bytes = stats.uploadBytes.value();
  out.readback_bytes = stats.readbackBytes.value();
  out.host_memory_bytes = hostMemory.heldBytes() + frameReserve.heldBytes();
  out.host_memory_peak_bytes = hostMemory.peakBytes() + frameReserve.peakBytes();
  out.resources = stats.resources.value();
  out.shaders_translated = read(stats.shadersTranslated);
  out.pipelines_created = read(stats.pipelinesCreated);
  out.cpu_busy_ns = stats.cpuBusyNs.value();
  out.gpu_busy_ns = stats.gpuBusyNs.value();
  out.in_flight = read(stats.inFlight);
  out.frames_unchanged = stats.framesUnchanged.value();
  out.held_objects = read(stats.heldObjects);
  static_assert(kHostMemoryKinds == AEROGPU_HOST_MEMORY_KINDS &&
                static_cast<int>(HostMemoryKind::Frames) == AEROGPU_HOST_MEMORY_FRAMES);
  for (size_t i = 0; i < kHostMemoryKinds; ++i)
    out.host_memory_kind_bytes[i] = hostMemory.heldBytes(static_cast<HostMemoryKind>(i));
  out.host_memory_kind_bytes[AEROGPU_HOST_MEMORY_FRAMES] += frameReserve.heldBytes();
}

void LocalRenderer::readSpaceLimits(aerogpu_renderer_space_limits& out) const {
  out.spaces = core::Spaces::kMaxSpaces;
  out.contexts = core::Spaces::kMaxContextsOfOne;
  out.objects = core::Spaces::kMaxObjectsOfOne;
  out.host_memory_bytes = executor->spaces().shareBytes();
}

bool LocalRenderer::nextSpace(uint32_t from, aerogpu_renderer_space& out) const {
  return executor->spaces().next(from, out);
}

Outcome LocalRenderer::captureStart(const char* path) {
  std::string text;
  if (auto stopped = captureStop(); !stopped) return stopped;
  auto writer = trace::Writer::create(path, origin, text);
  if (!writer) return text;
  return captureInto(std::move(writer));
}

Outcome LocalRenderer::captureInto(std::unique_ptr<trace::Writer> writer) {
  if (auto stopped = captureStop(); !stopped) return stopped;
  capture = std::make_unique<trace::Capture>(std::move(writer), guest);
  if (executor->heldObjects() != 0) {  // they are older than the first submission of the file
    if (auto saved = saveInto(capture->writer()); !saved) {
      capture.reset();
      return textOf(saved.error());
    }
  }
  executor->setObserver(capture.get());
  return {};
}

Outcome LocalRenderer::captureStop() {
  if (!capture) return {};
  std::string text;
  executor->setObserver(nullptr);
  const bool written = capture->finish(text);
  capture.reset();
  if (!written) return text;
  return {};
}

}  // namespace aerogpu
