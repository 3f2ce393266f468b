// SPDX-License-Identifier: MIT
#include "renderer/remote/process.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "renderer/process/start.h"

namespace aerogpu::remote {
namespace {

constexpr uint64_t kStartNs = 5'000'000'000;
constexpr uint64_t kKillNs = 5'000'000'000;

}  // namespace

std::unique_ptr<Process> Process::start(const std::string& program, uint64_t frameBytes,
                                        std::shared_ptr<Channel>& channel, std::string& error) {
  process::Program about{program, "aerogpu-renderer", "the renderer's process"};
  about.wholeEnvironment = true;  // Vulkan's loader and drivers are told there what to do
  const int control = process::startProgram(about, error);
  if (control < 0) return nullptr;
  channel = Channel::make(Descriptor(control), frameBytes, error);
  if (!channel) return nullptr;
  uint32_t id = 0;
  if (!channel->greet(nowNs() + kStartNs, id, error)) return nullptr;
  Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(id), 0)));
  if (!handle) {
    error = std::string("the renderer's process cannot be watched: ") + std::strerror(errno);
    return nullptr;
  }
  return std::unique_ptr<Process>(new Process(id, std::move(handle)));
}

Process::~Process() {
  kill();
}

bool Process::kill() const {
  syscall(SYS_pidfd_send_signal, m_handle.get(), SIGKILL, nullptr, 0);
  return waitForEnd(nowNs() + kKillNs);
}

bool Process::waitForEnd(uint64_t untilNs) const {
  for (;;) {
    const uint64_t now = nowNs();
    pollfd polled{m_handle.get(), POLLIN, 0};
    const int ready = poll(
        &polled, 1,
        now < untilNs ? static_cast<int>(std::min<uint64_t>((untilNs - now) / 1'000'000 + 1, 60'000)) : 0);
    if (ready > 0) return true;
    if (now >= untilNs) return false;
  }
}

}  // namespace aerogpu::remote
