// SPDX-License-Identifier: MIT
// The monitor: the content of its EDID (VESA E-EDID 1.3/1.4, section 3), and DXGK_MONITOR_INTERFACE.
#include <cstring>

#include "testbed/kernel/dxgk/mode_set_functions.h"
#include "testbed/kernel/dxgk/vidpn.h"

namespace aerogpu::host {

namespace {

using Functions = ModeSetFunctions<D3DKMDT_MONITOR_SOURCE_MODE>;

std::vector<uint8_t> s_edid;
MonitorModeSet s_modes;

struct DescriptorSet {
  uint64_t magic = 0x5E7053E700000020;
  D3DKMDT_MONITOR_DESCRIPTOR descriptor{};
};
DescriptorSet s_descriptors;
constexpr uint64_t kRangesMagic = 0x5E7053E700000021;
uint64_t s_ranges = kRangesMagic;

// In the order of DXGK_MONITORSOURCEMODESET_INTERFACE.
const Export kModeRows[] = {
    exportRow("monitor pfnGetNumModes", Functions::getNumModes, kPassiveLevel),
    exportRow("monitor pfnAcquirePreferredModeInfo", Functions::acquirePreferred, kPassiveLevel),
    exportRow("monitor pfnAcquireFirstModeInfo", Functions::acquireFirst, kPassiveLevel),
    exportRow("monitor pfnAcquireNextModeInfo", Functions::acquireNext, kPassiveLevel),
    exportRow("monitor pfnCreateNewModeInfo", Functions::createNew, kPassiveLevel),
    exportRow("monitor pfnAddMode", Functions::add, kPassiveLevel),
    exportRow("monitor pfnReleaseModeInfo", Functions::release, kPassiveLevel),
};

HOST_API NTSTATUS descriptorCount(void* set, SIZE_T* out) {
  if (set != &s_descriptors) return ntStatus(0xC01E032A);
  *out = s_edid.size() / 128;
  return kSuccess;
}
HOST_API NTSTATUS firstDescriptor(void* set, const D3DKMDT_MONITOR_DESCRIPTOR** out) {
  if (set != &s_descriptors) return ntStatus(0xC01E032A);
  *out = nullptr;
  if (s_edid.empty()) return kDatasetIsEmpty;
  s_descriptors.descriptor = {1, D3DKMDT_MDT_VESA_EDID_V1_BASEBLOCK, 128, s_edid.data(),
                              D3DKMDT_MCO_MONITORDESCRIPTOR};
  *out = &s_descriptors.descriptor;
  return kSuccess;
}
HOST_API NTSTATUS nextDescriptor(void*, const D3DKMDT_MONITOR_DESCRIPTOR*,
                                 const D3DKMDT_MONITOR_DESCRIPTOR** out) {
  *out = nullptr;
  return kNoMoreElements;
}
HOST_API NTSTATUS releaseDescriptor(void*, const D3DKMDT_MONITOR_DESCRIPTOR*) {
  return kSuccess;
}
const Export kDescriptorRows[] = {
    exportRow("pfnGetNumDescriptors", descriptorCount, kPassiveLevel),
    exportRow("pfnAcquireFirstDescriptorInfo", firstDescriptor, kPassiveLevel),
    exportRow("pfnAcquireNextDescriptorInfo", nextDescriptor, kPassiveLevel),
    exportRow("pfnReleaseDescriptorInfo", releaseDescriptor, kPassiveLevel),
};

HOST_API NTSTATUS rangeCount(void*, SIZE_T* out) {
  *out = 0;
  return kSuccess;
}
HOST_API NTSTATUS firstRange(void*, const void** out) {
  *out = nullptr;
  return kDatasetIsEmpty;
}
HOST_API NTSTATUS nextRange(void*, const void*, const void** out) {
  *out = nullptr;
  return kNoMoreElements;
}
HOST_API NTSTATUS releaseRange(void*, const void*) {
  return kInvalidParameter;
}
const Export kRangeRows[] = {
    exportRow("pfnGetNumFrequencyRanges", rangeCount, kPassiveLevel),
    exportRow("pfnAcquireFirstFrequencyRangeInfo", firstRange, kPassiveLevel),
    exportRow("pfnAcquireNextFrequencyRangeInfo", nextRange, kPassiveLevel),
    exportRow("pfnReleaseFrequencyRangeInfo", releaseRange, kPassiveLevel),
};

HOST_API NTSTATUS acquireModes(void*, UINT, void** out, const void** table) {
  ++s_modes.references;
  *out = &s_modes;
  *table = monitorModeSetInterface();
  return kSuccess;
}
HOST_API NTSTATUS releaseModes(void*, void* set) {
  if (set != &s_modes || s_modes.references == 0) {
    brokenRule("a monitor mode set is released that is not acquired: %s", currentCall().c_str());
    return kInvalidParameter;
  }
  --s_modes.references;
  return kSuccess;
}
HOST_API NTSTATUS getRanges(void*, UINT, void** out, const void** table) {
  static const auto interface = makeInterface<DXGK_MONITORFREQUENCYRANGESET_INTERFACE>(kRangeRows);
  *out = &s_ranges;
  *table = &interface;
  return kSuccess;
}
HOST_API NTSTATUS getDescriptors(void*, UINT, void** out, const void** table) {
  static const auto interface = makeInterface<DXGK_MONITORDESCRIPTORSET_INTERFACE>(kDescriptorRows);
  *out = &s_descriptors;
  *table = &interface;
  return kSuccess;
}
const Export kMonitorRows[] = {
    exportRow("pfnAcquireMonitorSourceModeSet", acquireModes, kPassiveLevel),
    exportRow("pfnReleaseMonitorSourceModeSet", releaseModes, kPassiveLevel),
    exportRow("pfnGetMonitorFrequencyRangeSet", getRanges, kPassiveLevel),
    exportRow("pfnGetMonitorDescriptorSet", getDescriptors, kPassiveLevel),
};

void addMode(UINT width, UINT height, UINT totalWidth, UINT totalHeight, uint64_t pixelRate, bool preferred) {
  auto mode = std::make_unique<D3DKMDT_MONITOR_SOURCE_MODE>();
  std::memset(mode.get(), 0, sizeof *mode);
  mode->Id = s_modes.nextId++;
  auto& s = mode->VideoSignalInfo;
  s.VideoStandard = D3DKMDT_VSS_OTHER;
  s.TotalSize = {totalWidth, totalHeight};
  s.ActiveSize = {width, height};
  s.PixelRate = pixelRate;
  s.VSyncFreq = {static_cast<UINT>(pixelRate / 10), totalWidth * totalHeight / 10};
  s.HSyncFreq = {static_cast<UINT>(pixelRate), totalWidth};
  s.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
  mode->ColorBasis = D3DKMDT_CB_SRGB;
  mode->Origin = D3DKMDT_MCO_MONITORDESCRIPTOR;
  mode->Preference = preferred ? D3DKMDT_MP_PREFERRED : D3DKMDT_MP_NOTPREFERRED;
  s_modes.modes.push_back(std::move(mode));
}

}  // namespace

const DXGK_MONITORSOURCEMODESET_INTERFACE* monitorModeSetInterface() {
  static const auto table = makeInterface<DXGK_MONITORSOURCEMODESET_INTERFACE>(kModeRows);
  return &table;
}

MonitorModeSet& monitorModes() {
  return s_modes;
}

const std::vector<uint8_t>& monitorEdid() {
  return s_edid;
}

NTSTATUS queryMonitorInterface(uint32_t version, const DXGK_MONITOR_INTERFACE** out) {
  if (version != DXGK_MONITOR_INTERFACE_VERSION_V1) return kNotSupported;
  static const auto table = makeInterface<DXGK_MONITOR_INTERFACE, DXGK_MONITOR_INTERFACE_VERSION>(
      kMonitorRows, DXGK_MONITOR_INTERFACE_VERSION_V1);
  *out = &table;
  return kSuccess;
}

// Takes the detailed timings, of which the first is the preferred one; the established and standard timings
// have no blanking and are left to the driver's additions.
void resetMonitor(const std::vector<uint8_t>& edid) {
  s_edid = edid;
  s_modes.modes.clear();
  s_modes.acquired.clear();
  s_modes.created.clear();
  s_modes.magic = ModeSetTraits<D3DKMDT_MONITOR_SOURCE_MODE>::kMagic;
  s_modes.nextId = 1;
  addLiveObject(&s_modes);
  for (unsigned i = 0; edid.size() >= 128 && i < 4; ++i) {
    const uint8_t* d = edid.data() + 54 + size_t{18} * i;
    const uint64_t clock = (d[0] | d[1] << 8) * 10000ull;
    if (clock == 0) continue;
    const UINT width = d[2] | (d[4] & 0xF0u) << 4, blankWidth = d[3] | (d[4] & 0x0Fu) << 8;
    const UINT height = d[5] | (d[7] & 0xF0u) << 4, blankHeight = d[6] | (d[7] & 0x0Fu) << 8;
    addMode(width, height, width + blankWidth, height + blankHeight, clock, i == 0);
  }
}

}  // namespace aerogpu::host
