// SPDX-License-Identifier: MIT
// Implements aerogpu/renderer.h: converts arguments, calls, maps results. No exception crosses the interface.
#include "renderer/interface/object.h"

#include <cstring>
#include <memory>
#include <vector>

#include "renderer/interface/structs.h"
#include "renderer/local/backends.h"
#include "renderer/local/local.h"
#include "renderer/remote/remote.h"
#include "renderer/remote/starter.h"
#include "renderer/translator/client.h"

using namespace aerogpu;

namespace {

bool done(const Outcome& outcome, char* error, size_t errorSize) {
  if (!outcome) copyText(error, errorSize, outcome.error());
  return outcome.ok();
}

/// Fills in a structure of any version that has at least its first one's members.
template <class T, class Read>
bool fillIn(const aerogpu_renderer* renderer, const char* name, T* given, const Read& read) {
  if (given->struct_size < kFirstSize<T>) {
    renderer->logLine(AEROGPU_LOG_ERROR, tooSmall(name, *given));
    return false;
  }
  T out{};
  if (!read(out)) return false;
  out.struct_size = given->struct_size;
  std::memcpy(given, &out, sizeGiven(*given));
  return true;
}

/// Takes a sink of any version; false with a message.
bool takeSink(const aerogpu_bytes_sink* given, aerogpu_bytes_sink& sink, char* error, size_t errorSize) {
  if (takeStruct(*given, sink)) return true;
  copyText(error, errorSize, tooSmall("aerogpu_bytes_sink", *given));
  return false;
}

}  // namespace

extern "C" {

bool aerogpu_renderer_prepare_process(const char* translator, char* error, size_t error_size) {
  std::string text;
  if (translator::prepareProcess(translator ? translator : "", text)) return true;
  copyText(error, error_size, text);
  return false;
}

bool aerogpu_renderer_prepare_start(const char* program, char* error, size_t error_size) {
  std::string text;
  if (remote::Starter::of(program ? program : "", text)) return true;
  copyText(error, error_size, text);
  return false;
}

const char* aerogpu_renderer_known_backend(size_t index, bool* available) {
  const auto entries = backendEntries();
  if (index >= entries.size()) return nullptr;
  if (available) *available = entries[index].create != nullptr;
  return entries[index].name;
}

aerogpu_renderer* aerogpu_renderer_create(const aerogpu_renderer_config* given, char* error,
                                          size_t error_size) {
  std::string text;
  std::unique_ptr<aerogpu_renderer> renderer;
  aerogpu_renderer_config config;
  aerogpu_renderer_callbacks callbacks{};
  if (!takeStruct(*given, config)) {
    text = tooSmall("aerogpu_renderer_config", *given);
  } else if (config.callbacks && !takeStruct(*config.callbacks, callbacks)) {
    text = tooSmall("aerogpu_renderer_callbacks", *config.callbacks);
  } else if (!callbacks.guest_map || !callbacks.guest_unmap || !callbacks.submission_done || !callbacks.log) {
    text = "the configuration lacks a callback";
  } else {
    config.callbacks = &callbacks;
    if (config.process)
      renderer = RemoteRenderer::create(config, text);
    else
      renderer = LocalRenderer::create(config, text);
  }
  if (!renderer) copyText(error, error_size, text);
  return renderer.release();
}

void aerogpu_renderer_destroy(aerogpu_renderer* renderer) {
  delete renderer;
}

const char* aerogpu_renderer_backend_name(const aerogpu_renderer* renderer) {
  return renderer->backendName();
}

const char* aerogpu_renderer_device_name(const aerogpu_renderer* renderer) {
  return renderer->deviceName();
}

const char* aerogpu_renderer_driver_name(const aerogpu_renderer* renderer) {
  return renderer->driverName();
}

uint64_t aerogpu_renderer_features(const aerogpu_renderer* renderer) {
  return renderer->features();
}

const void* aerogpu_renderer_caps(const aerogpu_renderer* renderer, size_t* size) {
  const std::span<const uint8_t> caps = renderer->caps();
  *size = caps.size();
  return caps.data();
}

bool aerogpu_renderer_covers_caps(const aerogpu_renderer* renderer, const void* caps, size_t size,
                                  char* lacks, size_t lacks_size) {
  const std::string text = renderer->missing({static_cast<const uint8_t*>(caps), size});
  if (!text.empty()) copyText(lacks, lacks_size, text);
  return text.empty();
}

bool aerogpu_renderer_adopt_caps(aerogpu_renderer* renderer, const void* caps, size_t size, bool partly) {
  return renderer->adoptCaps({static_cast<const uint8_t*>(caps), caps ? size : 0}, partly);
}

void aerogpu_renderer_submit(aerogpu_renderer* renderer, const aerogpu_submission* submission) {
  renderer->submit(*submission);
}

void aerogpu_renderer_set_scanout(aerogpu_renderer* renderer, const aerogpu_scanout_config* config) {
  aerogpu_scanout_config known;
  if (takeStruct(*config, known))
    renderer->setScanout(known);
  else
    renderer->logLine(AEROGPU_LOG_ERROR, tooSmall("aerogpu_scanout_config", *config));
}

void aerogpu_renderer_snapshot_scanout(aerogpu_renderer* renderer, uint64_t cookie) {
  renderer->snapshotScanout(cookie);
}

aerogpu_frame* aerogpu_renderer_frame_make(aerogpu_renderer* renderer, const aerogpu_frame* from) {
  return renderer->makeFrame(*from);
}

void aerogpu_renderer_frame_release(aerogpu_renderer* renderer, aerogpu_frame* frame) {
  if (frame) renderer->releaseFrame(frame);
}

void aerogpu_renderer_interrupt(aerogpu_renderer* renderer) {
  renderer->interrupt();
}

void aerogpu_renderer_shutdown(aerogpu_renderer* renderer) {
  renderer->shutdown();
}

uint32_t aerogpu_renderer_leftovers(const aerogpu_renderer* renderer) {
  return renderer->leftovers();
}

bool aerogpu_renderer_wait_idle(aerogpu_renderer* renderer, uint64_t timeout_ns) {
  return renderer->waitIdle(timeout_ns);
}

void aerogpu_renderer_resume(aerogpu_renderer* renderer) {
  renderer->resume();
}

bool aerogpu_renderer_reset(aerogpu_renderer* renderer) {
  return renderer->reset();
}

void aerogpu_renderer_hold_values(aerogpu_renderer* renderer, bool hold) {
  renderer->holdValues(hold);
}

bool aerogpu_renderer_gpu_lost(const aerogpu_renderer* renderer) {
  return renderer->gpuLost();
}

void aerogpu_renderer_lose(aerogpu_renderer* renderer) {
  renderer->lose();
}

void aerogpu_renderer_play_faults(aerogpu_renderer* renderer, uint32_t faults) {
  renderer->playFaults(faults);
}

void aerogpu_renderer_get_stats(const aerogpu_renderer* renderer, aerogpu_renderer_stats* given) {
  fillIn(renderer, "aerogpu_renderer_stats", given, [renderer](aerogpu_renderer_stats& out) {
    renderer->readStats(out);
    return true;
  });
}

bool aerogpu_renderer_get_process(const aerogpu_renderer* renderer, aerogpu_renderer_process* given) {
  return fillIn(renderer, "aerogpu_renderer_process", given,
                [&](aerogpu_renderer_process& out) { return renderer->readProcess(out); });
}

void aerogpu_renderer_get_space_limits(const aerogpu_renderer* renderer,
                                       aerogpu_renderer_space_limits* given) {
  fillIn(renderer, "aerogpu_renderer_space_limits", given, [renderer](aerogpu_renderer_space_limits& out) {
    renderer->readSpaceLimits(out);
    return true;
  });
}

bool aerogpu_renderer_next_space(const aerogpu_renderer* renderer, uint32_t from,
                                 aerogpu_renderer_space* given) {
  return fillIn(renderer, "aerogpu_renderer_space", given,
                [=](aerogpu_renderer_space& out) { return renderer->nextSpace(from, out); });
}

bool aerogpu_renderer_save(aerogpu_renderer* renderer, const aerogpu_bytes_sink* given, char* error,
                           size_t error_size) {
  aerogpu_bytes_sink sink;
  return takeSink(given, sink, error, error_size) && done(renderer->save(sink), error, error_size);
}

bool aerogpu_renderer_save_begin(aerogpu_renderer* renderer, const aerogpu_bytes_sink* given, char* error,
                                 size_t error_size) {
  aerogpu_bytes_sink sink;
  renderer->saveCancel();
  if (!takeSink(given, sink, error, error_size)) return false;
  renderer->saveBegin(sink);
  return true;
}

bool aerogpu_renderer_save_ahead(aerogpu_renderer* renderer, uint64_t budget_bytes, uint64_t* rested,
                                 uint64_t* written, char* error, size_t error_size) {
  const auto left = renderer->saveAhead(budget_bytes);
  *rested = left ? left->rested : 0;
  *written = left ? left->written : 0;
  if (!left) copyText(error, error_size, left.error());
  return left.ok();
}

bool aerogpu_renderer_save_end(aerogpu_renderer* renderer, char* error, size_t error_size) {
  return done(renderer->saveEnd(), error, error_size);
}

void aerogpu_renderer_save_cancel(aerogpu_renderer* renderer) {
  renderer->saveCancel();
}

bool aerogpu_renderer_load_bytes(aerogpu_renderer* renderer, const void* bytes, size_t size, char* error,
                                 size_t error_size) {
  return done(renderer->loadBytes({static_cast<const uint8_t*>(bytes), size}), error, error_size);
}

bool aerogpu_renderer_load_finish(aerogpu_renderer* renderer, aerogpu_scanout_config* scanout, char* error,
                                  size_t error_size) {
  aerogpu_scanout_config out{};
  if (!done(renderer->loadFinish(scanout ? &out : nullptr), error, error_size)) return false;
  if (!scanout) return true;
  out.struct_size = scanout->struct_size;
  std::memcpy(scanout, &out, sizeGiven(*scanout));
  return true;
}

bool aerogpu_renderer_move(aerogpu_renderer* renderer, bool* kept, char* error, size_t error_size) {
  return done(renderer->move(*kept), error, error_size);
}

bool aerogpu_renderer_move_to(aerogpu_renderer* renderer, const char* device,
                              bool (*goes_on)(void* opaque, uint64_t bytes), void* opaque, bool* kept,
                              char* error, size_t error_size) {
  return done(renderer->moveTo(device ? device : "", {goes_on, opaque}, *kept), error, error_size);
}

bool aerogpu_renderer_prepare_move(aerogpu_renderer* renderer, const char* device, char* error,
                                   size_t error_size) {
  return done(renderer->prepare(device), error, error_size);
}

void aerogpu_renderer_set_regions(aerogpu_renderer* renderer, const aerogpu_guest_region* given,
                                  size_t count) {
  std::vector<aerogpu_guest_region> regions(count);
  const auto* at = reinterpret_cast<const uint8_t*>(given);  // of the embedder's version: so are the steps
  for (aerogpu_guest_region& region : regions) {
    const auto& from = *reinterpret_cast<const aerogpu_guest_region*>(at);
    if (!takeStruct(from, region)) {
      renderer->logLine(AEROGPU_LOG_ERROR, tooSmall("aerogpu_guest_region", from));
      return;
    }
    at += from.struct_size;
  }
  renderer->setRegions(regions);
}

bool aerogpu_renderer_capture_start(aerogpu_renderer* renderer, const char* path, char* error,
                                    size_t error_size) {
  return done(renderer->captureStart(path), error, error_size);
}

bool aerogpu_renderer_capture_stop(aerogpu_renderer* renderer, char* error, size_t error_size) {
  return done(renderer->captureStop(), error, error_size);
}

}  // extern "C"
