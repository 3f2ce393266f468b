// SPDX-License-Identifier: MIT
// The renderer's side of the translator process: starting it, and calls that always come back. All renderers
// of a process share one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/translator/protocol.h"

namespace aerogpu::translator {

class Client {
public:
  /// Starts `program`, which is safe in a process with threads (it is executed, not only forked). Null and a
  /// message when it cannot run here. `graceMs`: what a call may wait beside its limit, for its turn and its
  /// process.
  static std::unique_ptr<Client> start(const std::string& program, std::string& error,
                                       uint32_t graceMs = kGraceMs);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Has `job` done with the concatenated `input` and returns its product. Blocks for limits.wallMs and
  /// the grace at most, or until `*cancelled`. CmdDecode: the job refuses the input, or it died of it.
  /// Backend: the process is gone, or does not answer. Interrupted: cancelled. Any thread, many at a time.
  Result<std::vector<uint8_t>> call(Job job, std::initializer_list<std::span<const uint8_t>> input,
                                    const std::atomic<bool>* cancelled = nullptr, Limits limits = {});

  /// True once the process was found to be gone; the calls from then on fail at once.
  bool gone() const { return m_gone.load(std::memory_order_relaxed); }
  /// True for the first caller after gone() became true: who writes the log line.
  bool takeObituary() { return gone() && !m_mourned.exchange(true, std::memory_order_relaxed); }

  static constexpr uint32_t kGraceMs = 5'000;

private:
  Client(int control, uint32_t graceMs) : m_control(control), m_graceMs(graceMs) {}
  Error goneError();

  const int m_control;
  const uint32_t m_graceMs;
  std::atomic<bool> m_gone{false};
  std::atomic<bool> m_mourned{false};
};

/// Starts the process that shared() gives, once; `program` empty = the one that belongs to this build:
/// $AEROGPU_TRANSLATOR, or aerogpu-translator beside the object that holds this code, or in ../renderer or ..
/// from there. False and a message when it cannot run here; a later call tries again. Any thread.
bool prepareProcess(const std::string& program, std::string& error);

/// Why shared() is null, for a log line. Any thread.
std::string whyNone();

/// The process's client, or null when prepareProcess has not succeeded. Lives until the process ends. Any
/// thread.
Client* shared();

}  // namespace aerogpu::translator
