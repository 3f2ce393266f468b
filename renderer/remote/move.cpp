// SPDX-License-Identifier: MIT
// Implements aerogpu_renderer_move_to() for a renderer in a process of its own: everything is made anew in
// another process, on the GPU that is named, while the one before stays as it is until that has succeeded.
#include <algorithm>
#include <thread>
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

Outcome RemoteRenderer::takeAll(snapshot::Spool& saved, bool& lost, const GoesOn& goesOn) {
  while (!waitIdle(kMoveRestNs))
    if (!goesOn(0)) return std::string(kGivenUp);
  lost = gpuLost();
  if (lost) return {};
  return saveTo(*session(), saved, goesOn);
}

Outcome RemoteRenderer::fill(Session& begun, const snapshot::Spool& saved, const GoesOn& goesOn) {
  if (auto done = loadFrom(saved, begun, goesOn); !done) return done;
  const CallEnd holds = session()->call(Call::Holds, {});
  Unpacker from(holds.more);
  if (from.value<uint32_t>() != 0) (void)begun.call(Call::Hold, {});
  return {};
}

Outcome RemoteRenderer::moveTo(const std::string& device, const GoesOn& goesOn, bool& kept) {
  kept = true;  // the process before is there until the end
  if (m_save.goesOn() || m_loads) return std::string("a save or load is under way");
  Packer config = withDevice(m_config.bytes(), device);
  // A process needs a while to open its GPU, and the one before to be saved.
  Created made;
  std::string error;
  std::shared_ptr<Session> begun;
  std::thread starts([&] { begun = begin(config, made, error); });
  snapshot::Spool saved;
  bool lost = false;
  auto taken = takeAll(saved, lost, goesOn);
  starts.join();
  if (!begun) return error;
  if (!taken) return taken;
  const auto [promised, partly] = promise();
  const std::string lacks = core::missingCaps(promised, made.caps);
  if (!lacks.empty() && !partly) return made.deviceName + " lacks what the guest was told of: " + lacks;
  if (lost)
    (void)begun->call(Call::Lose, {});  // the guest brings this one back in the other's place
  else if (auto done = fill(*begun, saved, goesOn); !done)
    return begun->ended() ? Outcome("the renderer's new process has ended") : std::move(done);
  if (auto told = tellAll(*begun); !told) return told;
  m_config = std::move(config);
  m_capture.leave(*session(), m_log);
  use(begun, std::move(made));
  m_capture.follow(*begun, m_log);
  return {};
}

}  // namespace aerogpu
