// SPDX-License-Identifier: MIT
// The process of a server, as its client sees it: started, watched, ended. One thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "renderer/remote/channel.h"
#include "renderer/remote/starter.h"

namespace aerogpu::remote {

class Process {
public:
  /// Starts the program ("": the one that is found) with a channel to it. Null and a message if it cannot run
  /// here.
  static std::unique_ptr<Process> start(const std::string& program, uint64_t frameBytes,
                                        std::shared_ptr<Channel>& channel, std::string& error);
  /// What `start` does in its place, for tests that play the process themselves.
  using Start = bool (*)(uint64_t untilNs, Started& started, std::string& error);
  static inline std::atomic<Start> startsInstead{nullptr};

  /// Ends it, if it has not ended.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  uint32_t id() const { return m_id; }
  /// Ends it at once, and waits until it has: afterwards it writes no memory any more. False if the kernel
  /// has not ended it within a few seconds, because a driver holds it.
  bool kill() const;
  /// Waits until it has ended by itself; false at the limit.
  bool waitForEnd(uint64_t untilNs) const;
  /// Returns how a process ended that was not killed here, for people; empty if that is not known by then.
  std::string howItEnded(uint64_t untilNs) const;

private:
  Process(uint32_t id, Descriptor life, Descriptor handle)
      : m_id(id), m_life(std::move(life)), m_handle(std::move(handle)) {}

  const uint32_t m_id;
  const Descriptor m_life;    ///< its starter ends it when this is shut down
  const Descriptor m_handle;  ///< a pidfd: another process never takes its number meanwhile
};

}  // namespace aerogpu::remote
