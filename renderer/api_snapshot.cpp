// SPDX-License-Identifier: MIT
// Implements the snapshots of aerogpu/renderer.h.
#include <cstring>
#include <utility>
#include <vector>

#include "renderer/api.h"
#include "renderer/api_structs.h"
#include "renderer/base/error_text.h"
#include "renderer/core/caps.h"
#include "renderer/core/caps_block.h"
#include "renderer/snapshot/save.h"
#include "renderer/snapshot/warm_up.h"

using namespace aerogpu;

/// Why a save cannot go on.
static constexpr const char* kNoSave = "no save has begun";

Result<void> aerogpu_renderer::save(trace::Writer& file, const snapshot::Ahead* ahead) {
  backend->waitIdle(UINT64_MAX);
  return snapshot::save(executor->parts(), executor->features(), file, ahead);
}

/// Ends a snapshot's file. Returns why it is none, or nothing.
static std::string finish(const Result<void>& saved, trace::Writer& file) {
  std::string text;
  if (!saved) return textOf(saved.error());
  if (!file.finish(text)) return "the snapshot cannot be written";
  return {};
}

void aerogpu_renderer::dropAll() {
  backend->waitIdle(UINT64_MAX);
  executor->reset();
  stats.heldObjects.store(0, std::memory_order_relaxed);
}

snapshot::Outcome aerogpu_renderer::loadBytes(std::span<const uint8_t> bytes) {
  if (capture) return std::string("a capture runs, which cannot hold what is loaded");
  if (!m_loadError.empty()) return m_loadError;
  if (!loader)
    loader = std::make_unique<snapshot::Loader>(executor->parts(), executor->features(), [this] {
      dropAll();
      if (recent) recent->deviceReset();
    });
  snapshot::Outcome done = loader->bytes(bytes);
  if (!done) m_loadError = done.error();
  return done;
}

snapshot::Outcome aerogpu_renderer::loadFinish(aerogpu_scanout_config* scanout) {
  if (!loader) return std::string("nothing was loaded");
  std::string failure = std::exchange(m_loadError, {});
  snapshot::Outcome done;
  if (failure.empty())
    done = loader->finish();
  else
    done = std::move(failure);
  const trace::SnapshotRecord shown = loader->snapshot();
  loader.reset();
  if (!done) {
    dropAll();
    return done;
  }
  stats.heldObjects.store(executor->heldObjects(), std::memory_order_relaxed);
  if (!scanout) return {};
  aerogpu_scanout_config out{};
  out.struct_size = scanout->struct_size;
  out.enable = shown.scanout_enable;
  out.width = shown.scanout_width;
  out.height = shown.scanout_height;
  out.format = shown.scanout_format;
  out.pitch_bytes = shown.scanout_pitch;
  out.fb_gpa = shown.scanout_gpa;
  out.by_allocation = shown.scanout_by_alloc;
  out.alloc_id = shown.scanout_alloc_id;
  std::memcpy(scanout, &out, sizeGiven(*scanout));
  return {};
}

extern "C" {

aerogpu_frame* aerogpu_renderer_frame_make(aerogpu_renderer* renderer, const aerogpu_frame* from) {
  return renderer->madeFrames.make(*from);
}

bool aerogpu_renderer_covers_caps(const aerogpu_renderer* renderer, const void* caps, size_t size,
                                  char* lacks, size_t lacks_size) {
  const std::string text = core::missingCaps({static_cast<const uint8_t*>(caps), size}, renderer->capsHere());
  if (!text.empty()) copyText(lacks, lacks_size, text);
  return text.empty();
}

bool aerogpu_renderer_adopt_caps(aerogpu_renderer* renderer, const void* caps, size_t size, bool partly) {
  const std::vector<uint8_t> own = renderer->capsHere();
  const auto promised =
      caps ? std::span(static_cast<const uint8_t*>(caps), size) : std::span<const uint8_t>(own);
  const auto block = core::parseCaps(promised);
  const bool covered = block && core::missingCaps(promised, own).empty();
  if (!block || (!partly && !covered)) return false;
  renderer->goesWhereSomethingLacks = !covered;
  renderer->announced->adopt(*block);
  renderer->promised.assign(promised.begin(), promised.end());
  return true;
}

bool aerogpu_renderer_gpu_lost(const aerogpu_renderer* renderer) {
  return renderer->backend->lost();
}

bool aerogpu_renderer_save(aerogpu_renderer* renderer, const aerogpu_bytes_sink* given, char* error,
                           size_t error_size) {
  aerogpu_bytes_sink sink;
  if (!takeStruct(*given, sink)) {
    copyText(error, error_size, tooSmall("aerogpu_bytes_sink", *given));
    return false;
  }
  const auto file = trace::Writer::create(sink.write, sink.opaque, renderer->origin);
  snapshot::describeRecentDraws(renderer->executor->parts(), *file);
  const std::string text = finish(renderer->save(*file), *file);
  copyText(error, error_size, text);
  return text.empty();
}

bool aerogpu_renderer_save_begin(aerogpu_renderer* renderer, const aerogpu_bytes_sink* given, char* error,
                                 size_t error_size) {
  aerogpu_bytes_sink sink;
  renderer->saving.reset();
  if (!takeStruct(*given, sink)) {
    copyText(error, error_size, tooSmall("aerogpu_bytes_sink", *given));
    return false;
  }
  renderer->saving = std::make_unique<snapshot::Saving>(
      renderer->executor->parts(), trace::Writer::create(sink.write, sink.opaque, renderer->origin));
  snapshot::describeRecentDraws(renderer->executor->parts(), renderer->saving->file());
  return true;
}

bool aerogpu_renderer_save_ahead(aerogpu_renderer* renderer, uint64_t budget_bytes, uint64_t* rested,
                                 uint64_t* written, char* error, size_t error_size) {
  *rested = *written = 0;
  std::string text = kNoSave;
  if (renderer->saving) {
    if (const auto left = renderer->saving->send(budget_bytes)) {
      *rested = left->rested;
      *written = left->written;
    }
    if (!renderer->saving->file().failed()) return true;
    text = "the snapshot cannot be written";
  }
  renderer->saving.reset();
  copyText(error, error_size, text);
  return false;
}

bool aerogpu_renderer_save_end(aerogpu_renderer* renderer, char* error, size_t error_size) {
  std::string text = kNoSave;
  if (const auto saving = std::move(renderer->saving))
    text = finish(renderer->save(saving->file(), &saving->ahead()), saving->file());
  copyText(error, error_size, text);
  return text.empty();
}

void aerogpu_renderer_save_cancel(aerogpu_renderer* renderer) {
  renderer->saving.reset();
}

bool aerogpu_renderer_load_bytes(aerogpu_renderer* renderer, const void* bytes, size_t size, char* error,
                                 size_t error_size) {
  const auto done = renderer->loadBytes({static_cast<const uint8_t*>(bytes), size});
  if (!done) copyText(error, error_size, done.error());
  return done.ok();
}

bool aerogpu_renderer_load_finish(aerogpu_renderer* renderer, aerogpu_scanout_config* scanout, char* error,
                                  size_t error_size) {
  const auto done = renderer->loadFinish(scanout);
  if (!done) copyText(error, error_size, done.error());
  return done.ok();
}

}  // extern "C"
