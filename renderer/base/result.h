// SPDX-License-Identifier: MIT
// Errors are values: Result<T> holds a T or an Error, whose code is the protocol's (enum aerogpu_error_code).
// A part with an error of another kind names it: Result<T, ShaderError>.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace aerogpu {

/// Codes of the ERROR_CODE register, and one that never reaches it.
enum class ErrorCode : uint32_t {
  None = 0,  ///< no error; in no Error
  CmdDecode = 1,
  OutOfBounds = 2,
  Backend = 3,
  Internal = 0xFFFF,
  /// aerogpu_renderer_interrupt() ended the operation, which is no one's fault: the submission is dropped and
  /// the guest is told of no error. Not a number of the protocol.
  Interrupted = 0x10000,
};

/// A packet's field with its value, or the limit that it violates. The name has static storage.
struct ErrorValue {
  const char* name = "";
  std::variant<uint64_t, int64_t, float> number = {};

  ErrorValue() = default;
  ErrorValue(const char* field, std::unsigned_integral auto n) : name(field), number(uint64_t{n}) {}
  ErrorValue(const char* field, std::signed_integral auto n) : name(field), number(int64_t{n}) {}
  ErrorValue(const char* field, float n) : name(field), number(n) {}
};

/// A few values, without allocation: they become text only when a message is made.
class ErrorValues {
public:
  ErrorValues() = default;
  ErrorValues(std::initializer_list<ErrorValue> values)
      : m_count(static_cast<uint8_t>(std::min(values.size(), kMost))) {
    std::copy_n(values.begin(), m_count, m_values.begin());
  }
  std::span<const ErrorValue> all() const { return {m_values.data(), m_count}; }

private:
  static constexpr size_t kMost = 5;
  std::array<ErrorValue, kMost> m_values;
  uint8_t m_count = 0;
};

/// The reason of a failure. `what` has static storage; `detail` is empty where an error can be frequent.
struct Error {
  ErrorCode code = ErrorCode::Internal;
  const char* what = "";
  std::string detail = {};
  ErrorValues values = {};
};

/// Returns the error of a packet: its wrong fields, by their names in docs/abi/, then the limit: "limit" of a
/// sum or a size, or "of" for the size of a range, directly after the value.
inline Error refused(ErrorCode code, const char* what, std::initializer_list<ErrorValue> values) {
  return {code, what, {}, values};
}

/// A value or an error. Reading the one that is absent is a bug of the caller.
template <class T, class E = Error>
class [[nodiscard]] Result {
public:
  Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : m_state(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return m_state.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() { return *std::get_if<0>(&m_state); }
  const T& value() const { return *std::get_if<0>(&m_state); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  E& error() { return *std::get_if<1>(&m_state); }
  const E& error() const { return *std::get_if<1>(&m_state); }

private:
  std::variant<T, E> m_state;
};

/// Success or an error.
template <class E>
class [[nodiscard]] Result<void, E> {
public:
  // Not `= default`: "{}" would then write zeros over all of the absent Error ([dcl.init]), and most results
  // are "{}".
  Result() {}  // NOLINT(modernize-use-equals-default)
  Result(E error) : m_error(std::move(error)) {}

  bool ok() const { return !m_error; }
  explicit operator bool() const { return ok(); }
  E& error() { return *m_error; }
  const E& error() const { return *m_error; }

private:
  std::optional<E> m_error;
};

/// What an operation has come to: nothing, or a text for people that says why it failed.
using Outcome = Result<void, std::string>;

}  // namespace aerogpu
