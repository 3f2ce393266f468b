// SPDX-License-Identifier: MIT
// The file of the newest submissions (renderer/trace/recent.h) of a renderer in a process of its own, which
// may not write it: QEMU's side takes its bytes and does.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "renderer/base/log.h"
#include "renderer/trace/whole_file.h"

namespace aerogpu::remote {

/// Where the files of all processes of one renderer go.
struct FailurePlace {
  std::string path;  ///< empty: nowhere
  uint64_t mostBytes = 0;
  std::atomic<uint64_t> lastNs{0};  ///< when the last one was begun; 0: never
};

/// One process's side of it. One thread at a time.
class FailureTrace {
public:
  explicit FailureTrace(FailurePlace& place) : m_place(place), m_file(place.path) {}

  /// Takes an Event::Failure. False if that makes no sense.
  bool take(std::span<const uint8_t> bytes, Log& log);

private:
  enum class State { None, Writes, Skips };
  void begin(Log& log);
  void end(std::span<const uint8_t> about, Log& log);

  FailurePlace& m_place;
  trace::WholeFile m_file;
  State m_state = State::None;
  uint64_t m_bytes = 0;
};

}  // namespace aerogpu::remote
