// SPDX-License-Identifier: MIT
#include "renderer/remote/process.h"

#include <sys/socket.h>
#include <sys/wait.h>

#include <cstring>
#include <utility>

#include "renderer/remote/descriptors.h"
#include "renderer/remote/start_protocol.h"

namespace aerogpu::remote {
namespace {

constexpr uint64_t kStartNs = 5'000'000'000;
constexpr uint64_t kKillNs = 5'000'000'000;

}  // namespace

std::unique_ptr<Process> Process::start(const std::string& program, uint64_t frameBytes,
                                        std::shared_ptr<Channel>& channel, std::string& error) {
  Started started;
  uint64_t until;
  if (const Start instead = startsInstead.load(std::memory_order_relaxed)) {
    until = nowNs() + kStartNs;
    if (!instead(until, started, error)) return nullptr;
  } else {
    const auto starter = Starter::of(program, error);
    if (!starter) return nullptr;
    until = nowNs() + kStartNs;
    if (!starter->start(until, started, error)) return nullptr;
  }
  channel = Channel::make(std::move(started.control), frameBytes, error);
  if (!channel) return nullptr;
  uint32_t id = 0;
  if (!channel->greet(until, id, error)) return nullptr;
  return std::unique_ptr<Process>(new Process(id, std::move(started.life), std::move(started.handle)));
}

Process::~Process() {
  kill();
}

bool Process::kill() const {
  shutdown(m_life.get(), SHUT_RDWR);  // this process may not have the right to kill it
  return waitForEnd(nowNs() + kKillNs);
}

std::string Process::howItEnded(uint64_t untilNs) const {
  EndNotice notice{};
  if (!waitForInput(m_life.get(), untilNs) ||
      recv(m_life.get(), &notice, sizeof notice, MSG_DONTWAIT) != sizeof notice ||
      notice.magic != kStartMagic)
    return {};
  if (WIFSIGNALED(notice.status)) {
    const int signal = WTERMSIG(notice.status);
    return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  return "exit status " + std::to_string(WEXITSTATUS(notice.status));
}

bool Process::waitForEnd(uint64_t untilNs) const {
  return waitForInput(m_handle.get(), untilNs);
}

}  // namespace aerogpu::remote
