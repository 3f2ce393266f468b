// SPDX-License-Identifier: MIT
#include "renderer/remote/long_save.h"

#include <utility>

namespace aerogpu::remote {
namespace {

/// More than a step sends: a budget of 256 KiB and a piece of 4 MiB, or draws of 4 MiB, with what each costs.
constexpr size_t kMostStepBytes = size_t{32} << 20;

}  // namespace

CallEnd LongSave::step(Session& session, Call call, std::initializer_list<std::span<const uint8_t>> parts) {
  m_bytes.clear();
  const auto keep = [this](std::span<const uint8_t> bytes) {
    if (bytes.size() > kMostStepBytes - m_bytes.size()) return false;
    m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
    return true;
  };
  CallEnd done = session.call(call, parts, {keep});
  if (done.ok && !m_bytes.empty() && !m_sink.write(m_sink.opaque, m_bytes.data(), m_bytes.size())) {
    done.ok = false;
    done.error = "the snapshot cannot be written";
  }
  return done;
}

Outcome LongSave::follow(const std::shared_ptr<Session>& session) {
  if (m_saver.lock() == session) return {};
  CallEnd done = step(*session, Call::SaveBegin, {});
  if (!done.ok) return std::move(done.error);
  m_saver = session;
  return {};
}

void LongSave::begin(const std::shared_ptr<Session>& session, const aerogpu_bytes_sink& sink) {
  m_sink = sink;
  m_goesOn = true;
  m_saver.reset();
  (void)follow(session);
}

Result<SaveLeft, std::string> LongSave::ahead(const std::shared_ptr<Session>& session, uint64_t budgetBytes) {
  if (!m_goesOn) return std::string(kNoSave);
  CallEnd done;
  if (Outcome followed = follow(session); followed)
    done = step(*session, Call::SaveAhead, {bytesOf(budgetBytes)});
  else
    done.error = std::move(followed.error());
  if (done.ok) {
    Unpacker from(done.more);
    SaveLeft left;
    left.rested = from.value<uint64_t>();
    left.written = from.value<uint64_t>();
    if (from.whole()) return left;
    done.error = "the renderer's process does not say what is left";
  } else if (session->ended()) {
    return SaveLeft{};  // its GPU is lost, and with it all that was to be sent
  }
  m_goesOn = false;
  return std::move(done.error);
}

Outcome LongSave::end(const std::shared_ptr<Session>& session) {
  if (!m_goesOn) return std::string(kNoSave);
  Outcome followed = follow(session);
  m_goesOn = false;
  if (!followed) return followed;
  // All of it may be too much to keep. If the process dies, the GPU is lost, and nobody asks for the rest.
  CallEnd done = session->call(Call::SaveEnd, {}, into(m_sink));
  m_bytes = {};
  if (!done.ok) return std::move(done.error);
  return {};
}

void LongSave::cancel(const std::shared_ptr<Session>& session) {
  if (std::exchange(m_goesOn, false) && m_saver.lock() == session) (void)session->call(Call::SaveCancel, {});
  m_bytes = {};
}

}  // namespace aerogpu::remote
