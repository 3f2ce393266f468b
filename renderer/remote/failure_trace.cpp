// SPDX-License-Identifier: MIT
#include "renderer/remote/failure_trace.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "renderer/remote/doorbell.h"
#include "renderer/remote/protocol.h"
#include "renderer/trace/recent.h"

namespace aerogpu::remote {
namespace {

/// The process keeps to the time between two files; one that says that it does not is not believed.
constexpr uint64_t kBetweenNs =
    std::chrono::nanoseconds(trace::Recent::kBetweenFiles - std::chrono::seconds(1)).count();

constexpr const char* kNotWritten = "the newest submissions could not be written: ";

}  // namespace

bool FailureTrace::take(std::span<const uint8_t> bytes, Log& log) {
  Unpacker from(bytes);
  const auto step = from.value<FailureStep>();
  const auto rest = from.rest();
  if (!from.ok() || m_place.path.empty()) return false;
  if (step == FailureStep::Begin) {
    if (m_state != State::None || !rest.empty()) return false;
    begin(log);
    return true;
  }
  if (m_state == State::None) return false;
  switch (step) {
    case FailureStep::Bytes:
      m_bytes += rest.size();
      if (m_bytes > m_place.mostBytes) return false;
      if (m_state == State::Writes && !m_file.add(rest)) {
        log.line(AEROGPU_LOG_ERROR, kNotWritten + m_file.error());
        m_state = State::Skips;
      }
      return true;
    case FailureStep::End:
      if (m_state == State::Writes) end(rest, log);
      break;
    case FailureStep::Drop:
      m_file.drop();
      break;
    default:
      return false;
  }
  m_state = State::None;
  return true;
}

void FailureTrace::begin(Log& log) {
  const uint64_t now = nowNs();
  uint64_t last = m_place.lastNs.load(std::memory_order_relaxed);
  m_bytes = 0;
  m_state = State::Skips;
  if ((last != 0 && now - last < kBetweenNs) ||
      !m_place.lastNs.compare_exchange_strong(last, now, std::memory_order_relaxed))
    return;
  if (m_file.begin())
    m_state = State::Writes;
  else
    log.line(AEROGPU_LOG_ERROR, kNotWritten + m_file.error());
}

void FailureTrace::end(std::span<const uint8_t> about, Log& log) {
  Unpacker from(about);
  const auto count = from.value<uint32_t>();
  const auto text = from.rest();
  std::string why(text.begin(), text.begin() + static_cast<ptrdiff_t>(std::min(text.size(), kMostText)));
  why.resize(std::strlen(why.c_str()));
  log.line(AEROGPU_LOG_ERROR,
           m_file.end() ? trace::Recent::lineOf(count, m_place.path, why) : kNotWritten + m_file.error());
}

}  // namespace aerogpu::remote
