// SPDX-License-Identifier: MIT
// DXGK_VIDPNTOPOLOGY_INTERFACE, and how interface tables are made of rows.
#pragma once

#include <cstring>

#include "testbed/kernel/dxgk/vidpn.h"

namespace aerogpu::host {

inline constexpr uint64_t kTopologyMagic = 0x5E7053E700000011;

const DXGK_VIDPNTOPOLOGY_INTERFACE* topologyInterface();
void checkTopologyBalanced(const char* ddi, VidPnTopology& topology);

/// A table whose members are pointers to the rows' functions, in order.
template <class Table, size_t N>
Table makeInterface(const Export (&rows)[N]) {
  static_assert(sizeof(Table) == N * sizeof(void*));
  Table table;
  for (size_t i = 0; i < N; ++i) {
    void* thunk = exportThunk(rows[i]);
    std::memcpy(reinterpret_cast<uint8_t*>(&table) + i * sizeof thunk, &thunk, sizeof thunk);
  }
  return table;
}
/// The same with a version in front, padded to 8 bytes.
template <class Table, class Version, size_t N>
Table makeInterface(const Export (&rows)[N], Version version) {
  static_assert(sizeof(Table) == (N + 1) * sizeof(void*));
  Table table{};
  table.Version = version;
  for (size_t i = 0; i < N; ++i) {
    void* thunk = exportThunk(rows[i]);
    std::memcpy(reinterpret_cast<uint8_t*>(&table) + (i + 1) * sizeof thunk, &thunk, sizeof thunk);
  }
  return table;
}

}  // namespace aerogpu::host
