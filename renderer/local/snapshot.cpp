// SPDX-License-Identifier: MIT
// Implements the snapshots of aerogpu/renderer.h.
#include <cstring>
#include <utility>
#include <vector>

#include "renderer/base/error_text.h"
#include "renderer/core/caps.h"
#include "renderer/core/caps_block.h"
#include "renderer/local/local.h"
#include "renderer/snapshot/save.h"
#include "renderer/snapshot/warm_up.h"

namespace aerogpu {

Result<void> LocalRenderer::saveInto(trace::Writer& file, const snapshot::Ahead* ahead) {
  backend->waitIdle(UINT64_MAX);
  return snapshot::save(executor->parts(), executor->features(), file, ahead);
}

/// Ends a snapshot's file. Returns why it is none, or nothing.
static Outcome finish(const Result<void>& saved, trace::Writer& file) {
  std::string text;
  if (!saved) return textOf(saved.error());
  if (!file.finish(text)) return std::string("the snapshot cannot be written");
  return {};
}

void LocalRenderer::dropAll() {
  backend->waitIdle(UINT64_MAX);
  executor->reset();
  stats.heldObjects.store(0, std::memory_order_relaxed);
}

Outcome LocalRenderer::loadBytes(std::span<const uint8_t> bytes) {
  if (capture) return std::string("a capture runs, which cannot hold what is loaded");
  if (!m_loadError.empty()) return m_loadError;
  if (!loader)
    loader = std::make_unique<snapshot::Loader>(executor->parts(), executor->features(), [this] {
      dropAll();
      if (recent) recent->deviceReset();
    });
  Outcome done = loader->bytes(bytes);
  if (!done) m_loadError = done.error();
  return done;
}

Outcome LocalRenderer::loadFinish(aerogpu_scanout_config* scanout) {
  if (!loader) return std::string("nothing was loaded");
  std::string failure = std::exchange(m_loadError, {});
  Outcome done;
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
  scanout->enable = shown.scanout_enable;
  scanout->width = shown.scanout_width;
  scanout->height = shown.scanout_height;
  scanout->format = shown.scanout_format;
  scanout->pitch_bytes = shown.scanout_pitch;
  scanout->fb_gpa = shown.scanout_gpa;
  scanout->by_allocation = shown.scanout_by_alloc;
  scanout->alloc_id = shown.scanout_alloc_id;
  return {};
}

std::string LocalRenderer::missing(std::span<const uint8_t> caps) const {
  return core::missingCaps(caps, capsHere());
}

bool LocalRenderer::adoptCaps(std::span<const uint8_t> caps, bool partly) {
  const std::vector<uint8_t> own = capsHere();
  const std::span<const uint8_t> wanted = caps.data() ? caps : own;
  const auto block = core::parseCaps(wanted);
  const bool covered = block && core::missingCaps(wanted, own).empty();
  if (!block || (!partly && !covered)) return false;
  goesWhereSomethingLacks = !covered;
  announced->adopt(*block);
  promised.assign(wanted.begin(), wanted.end());
  return true;
}

Outcome LocalRenderer::save(const aerogpu_bytes_sink& sink) {
  const auto file = trace::Writer::create(sink.write, sink.opaque, origin);
  snapshot::describeRecentDraws(executor->parts(), *file);
  return finish(saveInto(*file), *file);
}

void LocalRenderer::saveBegin(const aerogpu_bytes_sink& sink) {
  saving = std::make_unique<snapshot::Saving>(executor->parts(),
                                              trace::Writer::create(sink.write, sink.opaque, origin));
  snapshot::describeRecentDraws(executor->parts(), saving->file());
}

Result<SaveLeft, std::string> LocalRenderer::saveAhead(uint64_t budgetBytes) {
  if (!saving) return std::string(kNoSave);
  SaveLeft rests;
  if (const auto left = saving->send(budgetBytes)) rests = {left->rested, left->written};
  if (!saving->file().failed()) return rests;
  saving.reset();
  return std::string("the snapshot cannot be written");
}

Outcome LocalRenderer::saveEnd() {
  const auto ended = std::move(saving);
  if (!ended) return std::string(kNoSave);
  return finish(saveInto(ended->file(), &ended->ahead()), ended->file());
}

}  // namespace aerogpu
