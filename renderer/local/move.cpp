// SPDX-License-Identifier: MIT
// Implements the moves of aerogpu/renderer.h: everything is made anew from a snapshot, on the same GPU or on
// another one.
#include <algorithm>
#include <utility>
#include <vector>

#include "renderer/base/error_text.h"
#include "renderer/core/caps.h"
#include "renderer/core/caps_block.h"
#include "renderer/local/local.h"
#include "renderer/snapshot/warm_up.h"

namespace aerogpu {
namespace {

std::string givenUp() {
  return kGivenUp;
}

}  // namespace

std::vector<uint8_t> LocalRenderer::capsHere() const {
  Lock lock(m_capsMutex);
  return m_caps;
}

std::span<const uint8_t> LocalRenderer::caps() const {
  Lock lock(m_capsMutex);
  return m_caps;
}

void LocalRenderer::setCaps(std::vector<uint8_t> caps) {
  Lock lock(m_capsMutex);
  m_caps = std::move(caps);
}

/// Returns the capability block of the back end's GPU.
std::vector<uint8_t> LocalRenderer::describeGpu() const {
  core::Announced own(*backend);
  own.restrictTo(capsSet);
  return core::capsBlock(*backend, own, hostMemory.capBytes());
}

/// Waits for all work.
Outcome LocalRenderer::rest(const GoesOn& goesOn) const {
  while (!backend->waitIdle(kMoveRestNs))
    if (!goesOn(0)) return givenUp();
  return {};
}

Outcome LocalRenderer::saveTo(snapshot::Spool& saved, const GoesOn& goesOn, bool toAnotherGpu) {
  struct Sink {
    snapshot::Spool& spool;
    const GoesOn& goesOn;
    bool givenUp = false;
  } sink{saved, goesOn};
  const auto add = [](void* opaque, const void* part, size_t size) {
    auto& to = *static_cast<Sink*>(opaque);
    to.givenUp |= !to.goesOn(to.spool.size());
    return !to.givenUp && to.spool.add(part, size);
  };
  const auto file = trace::Writer::create(add, &sink, origin);
  if (toAnotherGpu) snapshot::describeRecentDraws(executor->parts(), *file);
  const auto done = saveInto(*file);
  std::string text;
  const bool whole = done && file->finish(text);
  if (whole) return {};
  if (sink.givenUp) return givenUp();
  return done ? text : textOf(done.error());
}

/// Loads a snapshot in place of all that is held. A guest's interruption may end that.
Outcome LocalRenderer::loadOnce(const snapshot::Spool& saved, const GoesOn& goesOn) {
  snapshot::Loader loading(executor->parts(), executor->features(), [this] { dropAll(); });
  std::vector<uint8_t> piece(std::min<uint64_t>(kMovePiece, saved.size()));
  for (uint64_t at = 0; at < saved.size(); at += piece.size()) {
    piece.resize(std::min<uint64_t>(kMovePiece, saved.size() - at));
    if (!goesOn(saved.size() + at)) return givenUp();
    if (!saved.read(at, piece)) return std::string("the snapshot cannot be read");
    if (auto done = loading.bytes(piece); !done) return done;
  }
  return loading.finish();
}

/// Loads a snapshot, again if an interruption comes in the middle: what that interrupts is the guest's work,
/// and none is under way.
Outcome LocalRenderer::loadFrom(const snapshot::Spool& saved, const GoesOn& goesOn) {
  const bool held = executor->holds();
  Outcome done;
  for (bool again = true; again;) {
    const bool was = interrupted.exchange(false, std::memory_order_acq_rel);
    done = loadOnce(saved, goesOn);
    again = !done && interrupted.load(std::memory_order_acquire);
    if (was) interrupted.store(true, std::memory_order_release);
  }
  if (capture) executor->setObserver(capture.get());  // loads have their own
  if (!done) dropAll();
  stats.heldObjects.store(executor->heldObjects(), std::memory_order_relaxed);
  if (held) executor->hold();
  return done;
}

Outcome LocalRenderer::move(bool& kept) {
  kept = true;
  snapshot::Spool saved;
  if (auto done = saveTo(saved, {}, false); !done) return done;
  Outcome done = loadFrom(saved, {});
  kept = done.ok();
  return done;
}

/// Uses the other GPU. Nothing is held.
void LocalRenderer::useOther() {
  if (!backend->lost()) (void)backend->recover();  // of what was drawn with last: it would stay charged
  backend->exchange();
  announced->moveTo(*backend, *core::parseCaps(promised));
}

/// Opens a GPU that has all that the guest was told of, beside the one in use.
Outcome LocalRenderer::openFitting(const std::string& device) {
  std::string error;
  if (!backend->openOther(device, error)) return error;
  backend->exchange();
  const std::string name = backend->deviceName(), lacks = core::missingCaps(promised, describeGpu());
  backend->exchange();
  if (lacks.empty() || goesWhereSomethingLacks) return {};
  backend->closeOther();
  return name + " lacks what the guest was told of: " + lacks;
}

Outcome LocalRenderer::moveTo(const std::string& device, const GoesOn& goesOn, bool& kept) {
  kept = true;
  if (saving || loader) return std::string(kIsBusy);
  if (auto resting = rest(goesOn); !resting) return resting;
  if (auto opened = openFitting(device); !opened) return opened;
  if (backend->lost()) {  // nothing is left to move: the guest brings the other one back in its place
    dropAll();
    backend->exchange();
    announced->moveTo(*backend, *core::parseCaps(promised));
    backend->lose();
    backend->closeOther();
    setCaps(describeGpu());
    return {};
  }
  snapshot::Spool saved;
  Outcome done = saveTo(saved, goesOn, true);
  if (done) {
    const bool held = executor->holds();
    dropAll();
    useOther();
    if (held) executor->hold();
    done = loadFrom(saved, goesOn);
    if (!done) {
      useOther();
      if (held) executor->hold();
      if (const auto back = loadFrom(saved, {}); !back) {
        kept = false;
        backend->lose();
        done = done.error() + "; on the GPU before: " + back.error();
      }
    }
  }
  backend->closeOther();
  if (done) setCaps(describeGpu());
  return done;
}

}  // namespace aerogpu
