// SPDX-License-Identifier: MIT
#include "renderer/base/log.h"

#include <chrono>
#include <string>

namespace aerogpu {

namespace {
uint64_t nowNs() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}
}  // namespace

bool Log::admits(enum aerogpu_log_level level) {
  if (!m_callback) return false;
  if (level > AEROGPU_LOG_GUEST) return true;
  // A guest can also cause host errors, by asking for too much.
  const uint64_t now = nowNs();
  uint64_t start = m_windowStartNs.load(std::memory_order_relaxed);
  if (now - start >= kGuestWindowNs && m_windowStartNs.compare_exchange_strong(start, now)) {
    const uint64_t seen = m_inWindow.exchange(0, std::memory_order_relaxed);
    if (seen > guestBurst) {
      const std::string note = std::to_string(seen - guestBurst) + " more error lines were left out";
      m_callback(m_opaque, level, note.c_str());
    }
  }
  return m_inWindow.fetch_add(1, std::memory_order_relaxed) < guestBurst;
}

void Log::pass(enum aerogpu_log_level level, std::string_view message) {
  if (m_callback) m_callback(m_opaque, level, std::string(message).c_str());
}

}  // namespace aerogpu
