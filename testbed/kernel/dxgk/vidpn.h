// SPDX-License-Identifier: MIT
// The VidPN manager's objects and the interface tables through which the driver works on them: d3dkmddi.h's
// DXGK_VIDPN_INTERFACE, DXGK_VIDPNTOPOLOGY_INTERFACE, the mode-set interfaces and DXGK_MONITOR_INTERFACE.
// Objects are reference counted by the pages of pfnAcquire... and pfnRelease...; an object that a DDI leaves
// acquired is a broken rule.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "testbed/kernel/dxgk/mode_set.h"
#include "testbed/kernel/dxgk/vidpn_topology.h"

namespace aerogpu::host {

struct VidPn {
  VidPn();
  ~VidPn();
  VidPn(const VidPn&) = delete;
  VidPn& operator=(const VidPn&) = delete;

  uint64_t magic;
  VidPnTopology topology;
  std::map<UINT, std::shared_ptr<SourceModeSet>> sourceModes;
  std::map<UINT, std::shared_ptr<TargetModeSet>> targetModes;
  std::map<UINT, std::vector<D3DDDI_MULTISAMPLINGMETHOD>> multisampling;
  bool readOnly = false;                                    // DxgkDdiIsSupportedVidPn, DxgkDdiCommitVidPn
  UINT pivotSource = UINT32_MAX, pivotTarget = UINT32_MAX;  // their mode sets must not change

  D3DKMDT_HVIDPN handle() { return reinterpret_cast<D3DKMDT_HVIDPN>(this); }
  /// Adds the path that Windows makes for the one source and target.
  void addPath(UINT source, UINT target);
  const D3DKMDT_VIDPN_SOURCE_MODE* pinnedSource(UINT source) const;
  const D3DKMDT_VIDPN_TARGET_MODE* pinnedTarget(UINT target) const;
  bool pinSource(UINT source, UINT modeId);
  bool pinTarget(UINT target, UINT modeId);
  void unpinAll();
};

NTSTATUS queryVidPnInterface(D3DKMDT_HVIDPN vidPn, uint32_t version, const DXGK_VIDPN_INTERFACE** out);
NTSTATUS queryMonitorInterface(uint32_t version, const DXGK_MONITOR_INTERFACE** out);

/// Returns the monitor's modes as the VidPN manager knows them: from the EDID, then the driver's additions.
MonitorModeSet& monitorModes();
void resetMonitor(const std::vector<uint8_t>& edid);
const DXGK_MONITORSOURCEMODESET_INTERFACE* monitorModeSetInterface();
const std::vector<uint8_t>& monitorEdid();

}  // namespace aerogpu::host
