// SPDX-License-Identifier: MIT
// Errors are values: Result<T> holds a T or an Error whose code is the wire's own (enum aerogpu_error_code).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace aerogpu {

/// Codes of the ERROR_CODE register. None in an Error: it was interrupted (aerogpu_renderer_interrupt), which
/// is nobody's fault.
enum class ErrorCode : uint32_t { None = 0, CmdDecode = 1, OutOfBounds = 2, Backend = 3, Internal = 0xFFFF };

/// Why something failed. `what` has static storage; `detail` is empty where an error can be frequent.
struct Error {
  ErrorCode code = ErrorCode::Internal;
  const char* what = "";
  std::string detail = {};
};

/// A value or an error. Reading the one that is not there is a bug of the caller.
template <class T>
class [[nodiscard]] Result {
public:
  Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return m_state.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() { return *std::get_if<0>(&m_state); }
  const T& value() const { return *std::get_if<0>(&m_state); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Error& error() { return *std::get_if<1>(&m_state); }
  const Error& error() const { return *std::get_if<1>(&m_state); }

private:
  std::variant<T, Error> m_state;
};

/// Success or an error.
template <>
class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : m_error(std::move(error)), m_failed(true) {}

  bool ok() const { return !m_failed; }
  explicit operator bool() const { return ok(); }
  Error& error() { return m_error; }
  const Error& error() const { return m_error; }

private:
  Error m_error{ErrorCode::None, "", {}};
  bool m_failed = false;
};

}  // namespace aerogpu
