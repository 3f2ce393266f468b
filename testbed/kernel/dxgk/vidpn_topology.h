// SPDX-License-Identifier: MIT
// The paths of a VidPN, DXGK_VIDPNTOPOLOGY_INTERFACE, and the functions that make interface tables from rows.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "d3dkmddi.h"
#include "testbed/kernel/dxgk/graphics_status.h"

namespace aerogpu::host {

inline constexpr uint64_t kTopologyMagic = 0x5E7053E700000011;

struct VidPnTopology {
  uint64_t magic;
  std::vector<std::unique_ptr<D3DKMDT_VIDPN_PRESENT_PATH>> paths;
  std::map<const D3DKMDT_VIDPN_PRESENT_PATH*, unsigned> acquired;
  std::map<const D3DKMDT_VIDPN_PRESENT_PATH*, std::unique_ptr<D3DKMDT_VIDPN_PRESENT_PATH>> created;
  bool mayChange = false;  // the running DDI may add and remove paths
};

const DXGK_VIDPNTOPOLOGY_INTERFACE* topologyInterface();
void checkTopologyBalanced(const char* ddi, VidPnTopology& topology);

/// Makes a table whose members are pointers to the rows' functions, in order.
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
/// Makes a table that begins with a version, padded to 8 bytes.
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
