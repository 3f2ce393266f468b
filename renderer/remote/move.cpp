// SPDX-License-Identifier: MIT
// Implements aerogpu_renderer_move_to() for a renderer in a process of its own: everything is made anew in
// another process, on the GPU that is named, while the one before stays as it is until that has succeeded.
#include <algorithm>
#include <utility>
#include <vector>

#include "renderer/core/caps.h"
#include "renderer/remote/config.h"
#include "renderer/remote/remote.h"
#include "renderer/snapshot/spool.h"

namespace aerogpu {

using remote::Call;
using remote::CallEnd;
using remote::Created;
using remote::Packer;
using remote::Session;
using remote::Unpacker;

namespace {

/// The configuration with another GPU.
Packer withDevice(const std::vector<uint8_t>& packed, const std::string& device) {
  remote::ConfigTexts texts;
  Unpacker from(packed);
  aerogpu_renderer_config config = remote::unpackConfig(from, texts);
  config.vulkan_device = device.c_str();
  Packer to;
  remote::packConfig(to, config);
  return to;
}

Outcome saveTo(Session& from, snapshot::Spool& saved, const GoesOn& goesOn) {
  bool givenUp = false;
  const auto take = [&](std::span<const uint8_t> bytes) {
    givenUp |= !goesOn(saved.size());
    return !givenUp && saved.add(bytes.data(), bytes.size());
  };
  CallEnd done = from.call(Call::Save, {}, {take});
  if (done.ok) return {};
  return givenUp ? std::string(kGivenUp) : std::move(done.error);
}

Outcome loadFrom(const snapshot::Spool& saved, Session& to, const GoesOn& goesOn) {
  std::vector<uint8_t> piece;
  for (uint64_t at = 0; at < saved.size(); at += piece.size()) {
    piece.resize(std::min<uint64_t>(kMovePiece, saved.size() - at));
    if (!goesOn(saved.size() + at)) return std::string(kGivenUp);
    if (!saved.read(at, piece)) return std::string("the snapshot cannot be read");
    if (CallEnd done = to.call(Call::LoadBytes, {piece}); !done.ok) return std::move(done.error);
  }
  CallEnd done = to.call(Call::LoadFinish, {});
  if (!done.ok) return std::move(done.error);
  return {};
}

}  // namespace

Outcome RemoteRenderer::rest(const GoesOn& goesOn) {
  while (!waitIdle(kMoveRestNs))
    if (!goesOn(0)) return std::string(kGivenUp);
  return {};
}

Outcome RemoteRenderer::fill(Session& begun, const GoesOn& goesOn) {
  const auto before = session();
  snapshot::Spool saved;
  if (auto done = saveTo(*before, saved, goesOn); !done) return done;
  if (auto done = loadFrom(saved, begun, goesOn); !done) return done;
  const CallEnd holds = before->call(Call::Holds, {});
  Unpacker from(holds.more);
  if (from.value<uint32_t>() != 0) (void)begun.call(Call::Hold, {});
  return {};
}

Outcome RemoteRenderer::moveTo(const std::string& device, const GoesOn& goesOn, bool& kept) {
  kept = true;  // the process before is there until the end
  if (m_save.goesOn() || m_loads) return std::string("a save or load is under way");
  // First, while the GPU may still be at work.
  Packer config = withDevice(m_config.bytes(), device);
  Created made;
  std::string error;
  std::shared_ptr<Session> begun = begin(config, made, error);
  if (!begun) return error;
  if (auto resting = rest(goesOn); !resting) return resting;
  const auto [promised, partly] = promise();
  const std::string lacks = core::missingCaps(promised, made.caps);
  if (!lacks.empty() && !partly) return made.deviceName + " lacks what the guest was told of: " + lacks;
  const bool lost =
      gpuLost();  // then nothing is left to move: the guest brings the other one back in its place
  if (lost)
    (void)begun->call(Call::Lose, {});
  else if (auto done = fill(*begun, goesOn); !done)
    return begun->ended() ? Outcome("the renderer's new process has ended") : std::move(done);
  if (auto told = tellAll(*begun); !told) return told;
  m_config = std::move(config);
  use(begun, std::move(made));
  return {};
}

}  // namespace aerogpu
