// SPDX-License-Identifier: MIT
#include "renderer/remote/successor.h"

#include <span>
#include <utility>

#include "renderer/interface/structs.h"

namespace aerogpu::remote {

namespace {

/// Some seconds' worth, so that a process cannot keep whoever waits for it.
constexpr uint32_t kMostTurns = 4;

uint64_t pipelinesOf(Session& session) {
  aerogpu_renderer_stats stats{};
  session.readStats(stats);
  return stats.pipelines_created;
}

/// Does the draws until they make no pipeline any more: a load does them for a second at most. Those that
/// fail cost time in the move, and nothing else. Returns how many pipelines there are.
uint64_t makePipelines(Session& session, std::span<const uint8_t> draws) {
  uint64_t made = 0;
  for (uint32_t turn = 0; turn < kMostTurns; ++turn) {
    if (!session.call(Call::LoadBytes, {draws}).ok) break;
    const uint64_t before = std::exchange(made, pipelinesOf(session));
    if (made <= before) break;
  }
  return made;
}

}  // namespace

void Successor::prepare(Begin begin, Packer config, std::vector<uint8_t> draws) {
  m_config = std::move(config);
  {
    Lock lock(m_mutex);
    m_state = AEROGPU_RENDERER_NEXT_STARTS;
  }
  m_thread = std::thread([this, begin = std::move(begin), draws = std::move(draws)] { run(begin, draws); });
}

void Successor::run(const Begin& begin, const std::vector<uint8_t>& draws) {
  std::string error;
  const std::shared_ptr<Session> begun = begin(m_config, m_made, error);
  if (!begun) m_log.line(AEROGPU_LOG_ERROR, "preparing a process of the renderer: " + error);
  {
    Lock lock(m_mutex);
    if (begun && !m_dropped) {
      m_session = begun;
    } else {
      m_state = AEROGPU_RENDERER_NEXT_FAILED;
      m_failure = std::move(error);
      return;
    }
  }
  const uint64_t pipelines = draws.empty() ? 0 : makePipelines(*begun, draws);
  Lock lock(m_mutex);
  m_state = AEROGPU_RENDERER_NEXT_READY;  // unless it has died
  m_pipelines = pipelines;
}

void Successor::wait() {
  if (m_thread.joinable()) m_thread.join();
}

void Successor::drop() {
  std::shared_ptr<Session> dropped;
  {
    Lock lock(m_mutex);
    m_dropped = true;
    dropped.swap(m_session);
  }
  if (dropped) dropped->close();  // which ends what the thread waits for
  wait();
  Lock lock(m_mutex);
  m_dropped = false;
  m_state = AEROGPU_RENDERER_NEXT_NONE;
  m_failure.clear();
}

std::shared_ptr<Session> Successor::take(const Packer& config, Created& made) {
  wait();
  std::shared_ptr<Session> taken;
  {
    Lock lock(m_mutex);
    taken.swap(m_session);
    m_state = AEROGPU_RENDERER_NEXT_NONE;
    m_failure.clear();
  }
  if (!taken || taken->ended() || m_config.bytes() != config.bytes()) return nullptr;
  made = std::move(m_made);
  return taken;
}

void Successor::read(aerogpu_renderer_process& out) const {
  Lock lock(m_mutex);
  const std::string death = m_session ? m_session->death().why : std::string();
  out.next = death.empty() ? m_state : AEROGPU_RENDERER_NEXT_FAILED;
  out.next_pipelines = m_state == AEROGPU_RENDERER_NEXT_READY ? static_cast<uint32_t>(m_pipelines) : 0;
  copyText(out.next_failure, sizeof out.next_failure, death.empty() ? m_failure : death);
}

}  // namespace aerogpu::remote
