// SPDX-License-Identifier: MIT
// Implements aerogpu/renderer.h: converts arguments, calls, maps results. No exception crosses the interface.
#include "renderer/api.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "renderer/api_backends.h"
#include "renderer/api_structs.h"
#include "renderer/base/error_text.h"
#include "renderer/core/caps.h"
#include "renderer/core/frame_memory.h"
#include "renderer/translator/client.h"

namespace {

using namespace aerogpu;

uint64_t nowNs() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

/// Returns $XDG_CACHE_HOME/aerogpu, else ~/.cache/aerogpu (XDG Base Directory Specification); empty without a
/// home.
std::string defaultCacheDir() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && cache[0] == '/')
    return std::string(cache) + "/aerogpu";
  if (const char* home = std::getenv("HOME"); home && home[0] == '/')
    return std::string(home) + "/.cache/aerogpu";
  return "";
}

/// Returns the folder of one VM in the cache folder. Caches have the GPU driver's own format, which the
/// driver parses unchecked, and guests influence their contents: no VM reads another's. Empty, so that
/// nothing is kept, for a VM without a lasting identity.
std::string cacheDirOf(const char* vmUuid) {
  const std::string base = defaultCacheDir(), uuid = vmUuid ? vmUuid : "";
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-'; };
  const bool nil = uuid.find_first_not_of("0-") == std::string::npos;  // RFC 4122: the nil UUID
  if (base.empty() || nil || uuid.size() > 64 || !std::all_of(uuid.begin(), uuid.end(), fits)) return "";
  return base + "/" + uuid;
}

}  // namespace

/// The completion of one submission or snapshot: fills in the result and hands it to the embedder.
class aerogpu_renderer::Finish : public core::Completion {
public:
  Finish(aerogpu_renderer& renderer, uint64_t cookie, uint64_t fence) : m_renderer(renderer) {
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

  aerogpu_renderer& m_renderer;
  bool m_executed = false;  ///< a submission, not a snapshot
  bool m_mustNotFail = false;
  aerogpu_submission_result m_result{};
};

aerogpu_renderer::aerogpu_renderer(const aerogpu_renderer_config& config)
    : callbacks(*config.callbacks),
      opaque(config.opaque),
      log(config.callbacks->log, config.opaque),
      hostMemory(config.max_hostmem),
      frameReserve(core::frameReserveBytes(config.max_hostmem)),
      madeFrames(hostMemory, frameReserve),
      guest(*config.callbacks, config.opaque, (config.flags & AEROGPU_RENDERER_LEND_GUEST_MEMORY) != 0) {}

std::unique_ptr<aerogpu_renderer> aerogpu_renderer::create(const aerogpu_renderer_config& given,
                                                           std::string& error) {
  aerogpu_renderer_config config;
  if (!takeStruct(given, config)) {
    error = tooSmall("aerogpu_renderer_config", given);
    return nullptr;
  }
  aerogpu_renderer_callbacks callbacks{};
  if (config.callbacks && !takeStruct(*config.callbacks, callbacks)) {
    error = tooSmall("aerogpu_renderer_callbacks", *config.callbacks);
    return nullptr;
  }
  if (!callbacks.guest_map || !callbacks.guest_unmap || !callbacks.submission_done || !callbacks.log) {
    error = "the configuration lacks a callback";
    return nullptr;
  }
  config.callbacks = &callbacks;
  const std::string wanted = config.backend ? config.backend : "auto";
  std::unique_ptr<aerogpu_renderer> renderer(new aerogpu_renderer(config));
  core::Sharing sharing;
  if (config.max_batch_ms != 0) sharing.maxBatchNs = uint64_t{config.max_batch_ms} * 1'000'000;
  if (callbacks.waiting_spaces) sharing.othersWait = othersWait;
  sharing.opaque = renderer.get();
  const core::BackendConfig backendConfig{renderer->hostMemory,
                                          renderer->frameReserve,
                                          renderer->stats,
                                          renderer->log,
                                          renderer->interrupted,
                                          renderer->closing,
                                          renderer->holdValues,
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

aerogpu_renderer::~aerogpu_renderer() {
  shutdown();
  if (backend) backend->waitIdle(UINT64_MAX);
  capture.reset();
  loader.reset();
  executor.reset();
  backend.reset();
}

bool aerogpu_renderer::othersWait(void* renderer, const core::Owner& owner) {
  const auto& self = *static_cast<const aerogpu_renderer*>(renderer);
  std::array<uint32_t, 4096> waiting;
  const size_t count = self.callbacks.waiting_spaces(self.opaque, waiting.data(), waiting.size());
  const core::Spaces& spaces = self.executor->spaces();
  return std::any_of(waiting.begin(), waiting.begin() + std::min(count, waiting.size()),
                     [&](uint32_t space) { return spaces.ownerOf(space) != owner; });
}

void aerogpu_renderer::waitForRoom() {
  Lock lock(m_mutex);
  while (m_inFlight >= kMaxInFlight) m_roomChanged.wait(m_mutex);
  stats.inFlight.store(++m_inFlight, std::memory_order_relaxed);
}

void aerogpu_renderer::finished() {
  Lock lock(m_mutex);
  stats.inFlight.store(--m_inFlight, std::memory_order_relaxed);
  m_roomChanged.notifyAll();
}

void aerogpu_renderer::submit(const aerogpu_submission& given) {
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

void aerogpu_renderer::snapshotScanout(uint64_t cookie) {
  waitForRoom();
  auto finish = std::make_unique<Finish>(*this, cookie, 0);
  if (auto done = executor->snapshotScanout(); !done) finish->addError(done.error());
  finish->setShown(executor->shown());
  backend->endSubmission(std::move(finish), true);
}

void aerogpu_renderer::interrupt() {
  interrupted.store(true, std::memory_order_release);
  guest.gate().shut();
}

void aerogpu_renderer::resume() {
  interrupted.store(false, std::memory_order_release);
  guest.gate().open();
}

void aerogpu_renderer::shutdown() {
  interrupt();
  closing.store(true, std::memory_order_release);
}

bool aerogpu_renderer::reset() {
  interrupt();
  backend->waitIdle(UINT64_MAX);
  if (capture) capture->deviceReset();
  if (recent) recent->deviceReset();
  executor->reset();
  stats.heldObjects.store(0, std::memory_order_relaxed);
  const bool recovered = backend->recover();
  resume();
  return recovered;
}

extern "C" {

bool aerogpu_renderer_prepare_process(const char* translator, char* error, size_t error_size) {
  std::string text;
  if (translator::prepareProcess(translator ? translator : "", text)) return true;
  copyText(error, error_size, text);
  return false;
}

aerogpu_renderer* aerogpu_renderer_create(const aerogpu_renderer_config* config, char* error,
                                          size_t error_size) {
  std::string text;
  std::unique_ptr<aerogpu_renderer> renderer = aerogpu_renderer::create(*config, text);
  if (!renderer) copyText(error, error_size, text);
  return renderer.release();
}

void aerogpu_renderer_destroy(aerogpu_renderer* renderer) {
  delete renderer;
}

const char* aerogpu_renderer_backend_name(const aerogpu_renderer* renderer) {
  return renderer->backend->name();
}
const char* aerogpu_renderer_device_name(const aerogpu_renderer* renderer) {
  return renderer->backend->deviceName();
}
const char* aerogpu_renderer_driver_name(const aerogpu_renderer* renderer) {
  return renderer->backend->driverName();
}

const char* aerogpu_renderer_known_backend(size_t index, bool* available) {
  const auto entries = backendEntries();
  if (index >= entries.size()) return nullptr;
  if (available) *available = entries[index].create != nullptr;
  return entries[index].name;
}

uint64_t aerogpu_renderer_features(const aerogpu_renderer* renderer) {
  return renderer->executor->features();
}

const void* aerogpu_renderer_caps(const aerogpu_renderer* renderer, size_t* size) {
  Lock lock(renderer->m_capsMutex);
  *size = renderer->m_caps.size();
  return renderer->m_caps.data();
}

void aerogpu_renderer_submit(aerogpu_renderer* renderer, const aerogpu_submission* submission) {
  renderer->submit(*submission);
}

void aerogpu_renderer_set_scanout(aerogpu_renderer* renderer, const aerogpu_scanout_config* config) {
  aerogpu_scanout_config known;
  if (takeStruct(*config, known))
    renderer->executor->setScanout(known);
  else
    renderer->log.line(AEROGPU_LOG_ERROR, tooSmall("aerogpu_scanout_config", *config));
}

void aerogpu_renderer_snapshot_scanout(aerogpu_renderer* renderer, uint64_t cookie) {
  renderer->snapshotScanout(cookie);
}

void aerogpu_renderer_frame_release(aerogpu_renderer* renderer, aerogpu_frame* frame) {
  if (frame && !renderer->madeFrames.release(frame)) renderer->backend->releaseFrame(frame);
}

void aerogpu_renderer_interrupt(aerogpu_renderer* renderer) {
  renderer->interrupt();
}

uint32_t aerogpu_renderer_leftovers(const aerogpu_renderer* renderer) {
  const core::WriteGate& gate = renderer->guest.gate();
  return (gate.oldIsWritten() ? uint32_t{AEROGPU_RENDERER_LEFT_WRITES} : 0) |
         (gate.oldIsRead() ? uint32_t{AEROGPU_RENDERER_LEFT_READS} : 0);
}

void aerogpu_renderer_shutdown(aerogpu_renderer* renderer) {
  renderer->shutdown();
}

bool aerogpu_renderer_wait_idle(aerogpu_renderer* renderer, uint64_t timeout_ns) {
  return renderer->backend->waitIdle(timeout_ns);
}

void aerogpu_renderer_resume(aerogpu_renderer* renderer) {
  renderer->executor->goOn();
  renderer->executor->forgetFrame();
  renderer->resume();
}

bool aerogpu_renderer_reset(aerogpu_renderer* renderer) {
  return renderer->reset();
}

void aerogpu_renderer_hold_values(aerogpu_renderer* renderer, bool hold) {
  renderer->holdValues.store(hold, std::memory_order_release);
}

void aerogpu_renderer_play_faults(aerogpu_renderer* renderer, uint32_t faults) {
  renderer->faults.store(faults, std::memory_order_release);
}

void aerogpu_renderer_get_stats(const aerogpu_renderer* renderer, aerogpu_renderer_stats* given) {
  if (given->struct_size < kFirstSize<aerogpu_renderer_stats>) {
    const_cast<aerogpu_renderer*>(renderer)->log.line(AEROGPU_LOG_ERROR,
                                                      tooSmall("aerogpu_renderer_stats", *given));
    return;
  }
  const core::Stats& stats = renderer->stats;
  const auto read = [](const std::atomic<uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  };
  aerogpu_renderer_stats out{};
  out.struct_size = given->struct_size;
  out.submissions = stats.submissions.value();
  out.packets = stats.packets.value();
  out.draws = stats.draws.value();
  out.dispatches = stats.dispatches.value();
  out.presents = stats.presents.value();
  out.errors = read(stats.errors);
  out.command_bytes = stats.commandBytes.value();
  out.upload_bytes = stats.uploadBytes.value();
  out.readback_bytes = stats.readbackBytes.value();
  out.host_memory_bytes = renderer->hostMemory.heldBytes() + renderer->frameReserve.heldBytes();
  out.host_memory_peak_bytes = renderer->hostMemory.peakBytes() + renderer->frameReserve.peakBytes();
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
    out.host_memory_kind_bytes[i] = renderer->hostMemory.heldBytes(static_cast<HostMemoryKind>(i));
  out.host_memory_kind_bytes[AEROGPU_HOST_MEMORY_FRAMES] += renderer->frameReserve.heldBytes();
  std::memcpy(given, &out, sizeGiven(*given));
}

void aerogpu_renderer_get_space_limits(const aerogpu_renderer* renderer,
                                       aerogpu_renderer_space_limits* given) {
  if (given->struct_size < kFirstSize<aerogpu_renderer_space_limits>) {
    const_cast<aerogpu_renderer*>(renderer)->log.line(AEROGPU_LOG_ERROR,
                                                      tooSmall("aerogpu_renderer_space_limits", *given));
    return;
  }
  aerogpu_renderer_space_limits out{};
  out.struct_size = given->struct_size;
  out.spaces = core::Spaces::kMaxSpaces;
  out.contexts = core::Spaces::kMaxContextsOfOne;
  out.objects = core::Spaces::kMaxObjectsOfOne;
  out.host_memory_bytes = renderer->executor->spaces().shareBytes();
  std::memcpy(given, &out, sizeGiven(*given));
}

bool aerogpu_renderer_next_space(const aerogpu_renderer* renderer, uint32_t from,
                                 aerogpu_renderer_space* given) {
  if (given->struct_size < kFirstSize<aerogpu_renderer_space>) {
    const_cast<aerogpu_renderer*>(renderer)->log.line(AEROGPU_LOG_ERROR,
                                                      tooSmall("aerogpu_renderer_space", *given));
    return false;
  }
  aerogpu_renderer_space out{};
  out.struct_size = given->struct_size;
  if (!renderer->executor->spaces().next(from, out)) return false;
  std::memcpy(given, &out, sizeGiven(*given));
  return true;
}

bool aerogpu_renderer_capture_start(aerogpu_renderer* renderer, const char* path, char* error,
                                    size_t error_size) {
  std::string text;
  if (renderer->capture && !aerogpu_renderer_capture_stop(renderer, error, error_size)) return false;
  renderer->capture = trace::Capture::start(path, renderer->origin, renderer->guest, text);
  if (!renderer->capture) {
    copyText(error, error_size, text);
    return false;
  }
  if (renderer->executor->heldObjects() != 0) {  // they are older than the first submission of the file
    if (auto saved = renderer->save(renderer->capture->writer()); !saved) {
      renderer->capture.reset();
      copyText(error, error_size, textOf(saved.error()));
      return false;
    }
  }
  renderer->executor->setObserver(renderer->capture.get());
  return true;
}

bool aerogpu_renderer_capture_stop(aerogpu_renderer* renderer, char* error, size_t error_size) {
  if (!renderer->capture) return true;
  std::string text;
  renderer->executor->setObserver(nullptr);
  const bool written = renderer->capture->finish(text);
  renderer->capture.reset();
  if (!written) copyText(error, error_size, text);
  return written;
}

}  // extern "C"
