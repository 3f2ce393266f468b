// SPDX-License-Identifier: MIT
// Memory that the runtime lends the driver, made to hurt: full of garbage before a driver has it, poisoned afterwards.
#pragma once

#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "testbed/d3d11-runtime/base/headers.h"

namespace aerogpu::runtime11 {

inline constexpr BYTE kPoison = 0xDB;

/// The memory behind a driver's handle: as many bytes as it wanted, and marked ones behind them.
class PrivateMemory {
public:
  PrivateMemory() = default;
  ~PrivateMemory();
  PrivateMemory(const PrivateMemory &) = delete;
  PrivateMemory &operator=(const PrivateMemory &) = delete;

  /// Fills it with garbage. False without memory, or for (SIZE_T)-1.
  bool allocate(SIZE_T bytes);
  void *data() const { return m_bytes; }
  /// False if something was written behind the end.
  bool isIntact() const;

private:
  BYTE *m_bytes = nullptr;
  SIZE_T m_size = 0;
};

/// A copy of what the runtime passes by pointer, at an address of its own, poisoned at the end.
template <class T> class Lent {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  Lent(const T *first, size_t count) : m_values(first, first + count) {}
  explicit Lent(const T &value) : m_values(1, value) {}
  explicit Lent(const std::vector<T> &values) : m_values(values) {}
  ~Lent() {
    if (!m_values.empty()) std::memset(static_cast<void *>(m_values.data()), kPoison, m_values.size() * sizeof(T));
  }
  Lent(const Lent &) = delete;
  Lent &operator=(const Lent &) = delete;
  T *data() { return m_values.empty() ? nullptr : m_values.data(); }
  T &operator*() { return m_values.front(); }
  UINT count() const { return static_cast<UINT>(m_values.size()); }

private:
  std::vector<T> m_values;
};

}  // namespace aerogpu::runtime11
