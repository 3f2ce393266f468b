// SPDX-License-Identifier: MIT
// The VidPN manager's objects and the interface tables that the driver works on them through: d3dkmddi.h's
// DXGK_VIDPN_INTERFACE, DXGK_VIDPNTOPOLOGY_INTERFACE, the mode-set interfaces and DXGK_MONITOR_INTERFACE.
// Objects are reference counted as the pages of pfnAcquire... and pfnRelease... say; what a DDI leaves
// acquired is a broken rule.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "d3dkmddi.h"
#include "testbed/kernel/nt/nt.h"

namespace aerogpu::host {

// ntstatus.h. The first three are success codes: the pointer that comes with them is null.
inline constexpr NTSTATUS kModeNotPinned = 0x401E0307, kDatasetIsEmpty = 0x401E034B,
                          kNoMoreElements = 0x401E034C, kInsufficientDmaBuffer = ntStatus(0xC01E0001),
                          kInvalidVidPn = ntStatus(0xC01E0303), kInvalidSource = ntStatus(0xC01E0304),
                          kInvalidTarget = ntStatus(0xC01E0305), kInvalidSourceModeSet = ntStatus(0xC01E0308),
                          kInvalidTargetModeSet = ntStatus(0xC01E0309), kInvalidMode = ntStatus(0xC01E0310),
                          kPinnedMustRemain = ntStatus(0xC01E0312), kPathInTopology = ntStatus(0xC01E0313),
                          kModeInSet = ntStatus(0xC01E0314), kPathNotInTopology = ntStatus(0xC01E0327),
                          kModeNotInSet = ntStatus(0xC01E034A), kInvalidTopology = ntStatus(0xC01E0300),
                          kNoRecommendation = ntStatus(0xC01E0323),
                          kNoRecommendedTopology = ntStatus(0xC01E031A),
                          kUnassignedModeSetExists = ntStatus(0xC01E0350),
                          kTopologyChangesNotAllowed = ntStatus(0xC01E0353);

/// Modes of one source, one target, or one monitor.
template <class Mode>
struct ModeSet {
  uint64_t magic;
  std::vector<std::unique_ptr<Mode>> modes;
  std::map<const Mode*, unsigned> acquired;              // by pfnAcquire...ModeInfo
  std::map<const Mode*, std::unique_ptr<Mode>> created;  // by pfnCreateNewModeInfo, not added yet
  const Mode* pinned = nullptr;
  unsigned references = 0;  // handles that the driver holds
  bool frozen = false;      // belongs to a VidPN: a driver may look, not change
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

struct VidPnTopology {
  uint64_t magic;
  std::vector<std::unique_ptr<D3DKMDT_VIDPN_PRESENT_PATH>> paths;
  std::map<const D3DKMDT_VIDPN_PRESENT_PATH*, unsigned> acquired;
  std::map<const D3DKMDT_VIDPN_PRESENT_PATH*, std::unique_ptr<D3DKMDT_VIDPN_PRESENT_PATH>> created;
  bool mayChange = false;  // paths may be added and removed in the DDI that is called
};

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
  UINT pivotSource = UINT32_MAX, pivotTarget = UINT32_MAX;  // whose mode set must not change

  D3DKMDT_HVIDPN handle() { return reinterpret_cast<D3DKMDT_HVIDPN>(this); }
  /// The path that Windows makes for the one source and target.
  void addPath(UINT source, UINT target);
  const D3DKMDT_VIDPN_SOURCE_MODE* pinnedSource(UINT source) const;
  const D3DKMDT_VIDPN_TARGET_MODE* pinnedTarget(UINT target) const;
  bool pinSource(UINT source, UINT modeId);
  bool pinTarget(UINT target, UINT modeId);
  void unpinAll();
};

NTSTATUS queryVidPnInterface(D3DKMDT_HVIDPN vidPn, uint32_t version, const DXGK_VIDPN_INTERFACE** out);
NTSTATUS queryMonitorInterface(uint32_t version, const DXGK_MONITOR_INTERFACE** out);

/// The monitor's modes as the VidPN manager knows them: from the EDID, then the driver's additions.
MonitorModeSet& monitorModes();
void resetMonitor(const std::vector<uint8_t>& edid);
const DXGK_MONITORSOURCEMODESET_INTERFACE* monitorModeSetInterface();
const std::vector<uint8_t>& monitorEdid();

}  // namespace aerogpu::host
