// SPDX-License-Identifier: MIT
// The modes that a VidPN has of one source or target, or a monitor. mode_set_functions.h has the driver's
// interface to them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "d3dkmddi.h"
#include "testbed/kernel/dxgk/graphics_status.h"

namespace aerogpu::host {

/// Modes of one source, one target, or one monitor.
template <class Mode>
struct ModeSet {
  uint64_t magic;
  std::vector<std::unique_ptr<Mode>> modes;
  std::map<const Mode*, unsigned> acquired;              // by pfnAcquire...ModeInfo
  std::map<const Mode*, std::unique_ptr<Mode>> created;  // by pfnCreateNewModeInfo, not added yet
  const Mode* pinned = nullptr;
  unsigned references = 0;  // handles that the driver holds
  bool frozen = false;      // belongs to a VidPN: a driver may read it, not change it
  UINT nextId = 1;

  const Mode* find(UINT id) const {
    for (const auto& mode : modes)
      if (mode->Id == id) return mode.get();
    return nullptr;
  }
};
using SourceModeSet = ModeSet<D3DKMDT_VIDPN_SOURCE_MODE>;
using TargetModeSet = ModeSet<D3DKMDT_VIDPN_TARGET_MODE>;
using MonitorModeSet = ModeSet<D3DKMDT_MONITOR_SOURCE_MODE>;

}  // namespace aerogpu::host
