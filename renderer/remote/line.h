// SPDX-License-Identifier: MIT
// Calls from any thread of one process that the other one answers at once, one at a time: a number asked, a
// number answered, and an area of bytes in shared memory for both.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/mutex.h"
#include "renderer/remote/doorbell.h"

namespace aerogpu::remote {

/// The words of a line in shared memory, before its area. Zero at first.
struct LineWords {
  alignas(64) std::atomic<uint32_t> asked;  ///< calls, ever
  std::atomic<uint32_t> kind, askedBytes;
  std::atomic<uint64_t> values[4];
  alignas(64) std::atomic<uint32_t> answered;
  std::atomic<uint32_t> answerBytes;
  std::atomic<uint64_t> result;
  alignas(64) std::atomic<uint32_t> serverSleeps;
  std::atomic<uint32_t> callerSleeps;
};

/// A call with its numbers; `bytes` go with it, or come with the answer.
struct LineCall {
  uint32_t kind = 0;
  uint64_t values[4] = {};
  std::span<const uint8_t> bytes = {};
};

/// The side that calls. Any thread.
class LineCaller {
public:
  LineCaller(LineWords& words, uint8_t* area, uint32_t areaBytes, Doorbell answer, Doorbell asked)
      : m_words(words),
        m_area(area),
        m_areaBytes(areaBytes),
        m_answer(std::move(answer)),
        m_asked(std::move(asked)) {}

  /// Returns true with the answer, whose bytes, cut to the area's size, are in `answer` if it is not null.
  /// False if none came within `limitNs`, or the other side has ended: then no later call has one either.
  bool call(const LineCall& call, uint64_t& result, std::vector<uint8_t>* answer, uint64_t limitNs)
      EXCLUDES(m_mutex);

private:
  LineWords& m_words;
  uint8_t* const m_area;
  const uint32_t m_areaBytes;
  Mutex m_mutex;
  Doorbell m_answer GUARDED_BY(m_mutex);
  const Doorbell m_asked;
  uint32_t m_count GUARDED_BY(m_mutex) = 0;
  bool m_broken GUARDED_BY(m_mutex) = false;
};

/// The side that answers. One thread.
class LineServer {
public:
  LineServer(LineWords& words, uint8_t* area, uint32_t areaBytes, Doorbell asked, Doorbell answer)
      : m_words(words),
        m_area(area),
        m_areaBytes(areaBytes),
        m_asked(std::move(asked)),
        m_answer(std::move(answer)) {}

  struct Asked {
    uint32_t kind = 0;
    uint64_t values[4] = {};
    std::vector<uint8_t> bytes;  ///< copied
  };
  /// Waits for a call; false at the limit or if the other side has ended. `call` is used again.
  Woken wait(Asked& call, uint64_t untilNs);
  /// Answers the call that came last.
  void answer(uint64_t result, std::span<const uint8_t> bytes = {});

private:
  LineWords& m_words;
  uint8_t* const m_area;
  const uint32_t m_areaBytes;
  Doorbell m_asked;
  const Doorbell m_answer;
  uint32_t m_count = 0;
};

}  // namespace aerogpu::remote
