// SPDX-License-Identifier: MIT
// The result of what can fail in the guest program: fine, or a sentence for the console.
#pragma once

#include <cstdarg>
#include <string>

namespace aerogpu::guest {

/// Empty = success. Never thrown; every caller looks at it.
class [[nodiscard]] Status {
public:
  Status() = default;
  bool ok() const { return m_text.empty(); }
  const std::string& text() const { return m_text; }

  /// A failure in printf form; `%m`-like detail is the caller's business.
  __attribute__((format(printf, 1, 2))) static Status failure(const char* format, ...);
  /// The same with ": <strerror(errno)>" appended.
  __attribute__((format(printf, 1, 2))) static Status systemFailure(const char* format, ...);

private:
  static Status fromArguments(const char* format, va_list arguments);
  std::string m_text;
};

}  // namespace aerogpu::guest
