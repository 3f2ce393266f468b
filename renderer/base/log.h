// SPDX-License-Identifier: MIT
// The only output of log lines: the embedder's callback. Lines that a guest can trigger are rate-limited
// here. Thread-safe.
#pragma once

#include <atomic>
#include <string_view>

#include "aerogpu/renderer.h"
#include "renderer/base/result.h"

namespace aerogpu {

/// Returns the level of an error's line: who is at fault.
inline aerogpu_log_level levelOf(ErrorCode code) {
  return code == ErrorCode::Backend || code == ErrorCode::Internal ? AEROGPU_LOG_ERROR : AEROGPU_LOG_GUEST;
}

class Log {
public:
  using Callback = void (*)(void* opaque, enum aerogpu_log_level level, const char* message);

  Log(Callback callback, void* opaque) : m_callback(callback), m_opaque(opaque) {}

  /// Passes one line on. Errors of guest and host: at most `guestBurst` in any kGuestWindowNs, then one line
  /// with the number of omitted ones.
  void line(enum aerogpu_log_level level, std::string_view message) {
    if (admits(level)) pass(level, message);
  }
  /// Split line(), for lines that are costly to make: admits() is true if a line may be passed on now, and
  /// counts it; pass() passes it on.
  bool admits(enum aerogpu_log_level level);
  void pass(enum aerogpu_log_level level, std::string_view message);

  static constexpr uint64_t kGuestBurst = 32;
  static constexpr uint64_t kGuestWindowNs = 1'000'000'000;
  /// Changed only by tests that look at every line, before the first line.
  static inline uint64_t guestBurst = kGuestBurst;

private:
  Callback m_callback;
  void* m_opaque;
  std::atomic<uint64_t> m_windowStartNs{0};
  std::atomic<uint64_t> m_inWindow{0};
};

}  // namespace aerogpu
