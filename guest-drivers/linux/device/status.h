// SPDX-License-Identifier: MIT
// The result of an operation that can fail in the guest program: success, or a sentence for the console.
#pragma once

#include <cstdarg>
#include <string>

namespace aerogpu::guest {

/// A text, which is empty for success. Every caller checks it; there are no exceptions.
class [[nodiscard]] Status {
public:
  Status() = default;
  bool ok() const { return m_text.empty(); }
  const std::string& text() const { return m_text; }

  /// Makes a failure whose text is formatted like printf's.
  __attribute__((format(printf, 1, 2))) static Status failure(const char* format, ...);
  /// Makes a failure with ": <strerror(errno)>" appended.
  __attribute__((format(printf, 1, 2))) static Status systemFailure(const char* format, ...);

private:
  static Status fromArguments(const char* format, va_list arguments);
  std::string m_text;
};

}  // namespace aerogpu::guest
