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

/// More than the draws that go ahead of a snapshot have, 4 MiB, with what each costs.
constexpr size_t kMostPrepared = size_t{16} << 20;

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

Outcome RemoteRenderer::prepare(const char* device) {
  m_next.drop();
  if (!device) return {};
  if (m_save.goesOn() || m_loads) return std::string(kIsBusy);
  // A save that ends after its beginning: that has draws with the guest's pipelines, and no contents. If it
  // fails, the process that follows has none of them, and is there all the same.
  std::vector<uint8_t> draws;
  const auto take = [&draws](std::span<const uint8_t> bytes) {
    if (bytes.size() > kMostPrepared - draws.size()) return false;
    draws.insert(draws.end(), bytes.begin(), bytes.end());
    return true;
  };
  const auto now = session();
  const bool whole = now->call(Call::SaveBegin, {}, {take}).ok;
  (void)now->call(Call::SaveCancel, {});
  if (!whole) draws.clear();
  m_next.prepare(
      [this](const Packer& config, Created& made, std::string& error) { return begin(config, made, error); },
      withDevice(m_config.bytes(), device), std::move(draws));
  return {};
}

Outcome RemoteRenderer::moveTo(const std::string& device, const GoesOn& goesOn, bool& kept) {
  kept = true;  // the process before is there until the end
  if (m_save.goesOn() || m_loads) return std::string(kIsBusy);
  Packer config = withDevice(m_config.bytes(), device);
  Created made;
  std::string error;
  std::shared_ptr<Session> begun = m_next.take(config, made);
  const bool wasReady = begun != nullptr;
  // A process needs a while to open its GPU, and the one before to be saved.
  std::thread starts;
  if (!wasReady) starts = std::thread([&] { begun = begin(config, made, error); });
  snapshot::Spool saved;
  bool lost = false;
  auto taken = takeAll(saved, lost, goesOn);
  if (starts.joinable()) starts.join();
  if (!begun) return error;
  if (!taken) return taken;
  const auto [promised, partly] = promise();
  const std::string lacks = core::missingCaps(promised, made.caps);
  if (!lacks.empty() && !partly) return made.deviceName + " lacks what the guest was told of: " + lacks;
  if (lost && wasReady) (void)begun->call(Call::LoadFinish, {});  // nothing follows what it has begun to load
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
