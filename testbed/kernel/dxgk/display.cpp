// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/display.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "testbed/kernel/dxgk/adapter_core.h"
#include "testbed/kernel/dxgk/isr_state.h"
#include "testbed/kernel/dxgk/scheduler.h"

namespace aerogpu::host {

namespace {
constexpr NTSTATUS kMonitorNoDescriptor = ntStatus(0xC01D0001);
}

// E-EDID 1.4, section 3.1: header and checksum.
static bool validEdid(const std::vector<uint8_t>& edid) {
  static const uint8_t header[8] = {0, 255, 255, 255, 255, 255, 255, 0};
  return edid.size() >= 128 && std::memcmp(edid.data(), header, 8) == 0 &&
         static_cast<uint8_t>(std::accumulate(edid.begin(), edid.begin() + 128, 0u)) == 0;
}

bool Display::enumerate() {
  std::shared_lock exclusion(m_adapter.exclusion());
  std::lock_guard lock(m_adapter.displayClass());
  const ULONG target = m_adapter.targetId();
  m_edid.assign(128, 0);
  std::vector<uint8_t> guarded(128 + 16, 0xEE);
  DXGK_DEVICE_DESCRIPTOR descriptor{0, 128, guarded.data()};
  NTSTATUS status =
      callDdi("DxgkDdiQueryDeviceDescriptor", kPassiveLevel, m_adapter.ddi.DxgkDdiQueryDeviceDescriptor,
              m_adapter.context(), target, &descriptor);
  if (ntSuccess(status)) {
    std::copy_n(guarded.begin(), 128, m_edid.begin());
    if (!validEdid(m_edid)) brokenRule("the EDID's header or checksum is wrong");
    for (size_t i = 128; i < guarded.size(); ++i)
      if (guarded[i] != 0xEE) brokenRule("DxgkDdiQueryDeviceDescriptor writes past DescriptorLength");
    // A part of it, as monitor.sys asks.
    uint8_t piece[18];
    descriptor = {54, sizeof piece, piece};
    status = callDdi("DxgkDdiQueryDeviceDescriptor", kPassiveLevel,
                     m_adapter.ddi.DxgkDdiQueryDeviceDescriptor, m_adapter.context(), target, &descriptor);
    if (!ntSuccess(status) || std::memcmp(piece, m_edid.data() + 54, sizeof piece) != 0)
      brokenRule("a piece of the EDID differs from the whole (0x%08x)", status);
    descriptor = {1024, 128, guarded.data()};
    status = callDdi("DxgkDdiQueryDeviceDescriptor", kPassiveLevel,
                     m_adapter.ddi.DxgkDdiQueryDeviceDescriptor, m_adapter.context(), target, &descriptor);
    if (status != ntStatus(0xC01D0002) && status != ntStatus(0xC01D0004) && ntSuccess(status))
      brokenRule("an EDID block that does not exist: 0x%08x", status);
  } else if (status == kMonitorNoDescriptor || status == ntStatus(0xC01E0401)) {
    m_edid.clear();
  } else {
    brokenRule("DxgkDdiQueryDeviceDescriptor: 0x%08x", status);
  }
  resetMonitor(m_edid);
  DXGKARG_RECOMMENDMONITORMODES monitor{};
  monitor.VideoPresentTargetId = target;
  monitor.hMonitorSourceModeSet = reinterpret_cast<D3DKMDT_HMONITORSOURCEMODESET>(&monitorModes());
  monitor.pMonitorSourceModeSetInterface = monitorModeSetInterface();
  status = callDdi("DxgkDdiRecommendMonitorModes", kPassiveLevel, m_adapter.ddi.DxgkDdiRecommendMonitorModes,
                   m_adapter.context(), &monitor);
  if (!ntSuccess(status)) brokenRule("DxgkDdiRecommendMonitorModes: 0x%08x", status);
  if (!monitorModes().created.empty())
    brokenRule("DxgkDdiRecommendMonitorModes leaves a mode neither added nor released");
  if (!monitorModes().acquired.empty()) brokenRule("DxgkDdiRecommendMonitorModes leaves acquired modes");
  unsigned preferredCount = 0;
  for (const auto& mode : monitorModes().modes) preferredCount += mode->Preference == D3DKMDT_MP_PREFERRED;
  if (preferredCount > 1) brokenRule("%u preferred monitor modes", preferredCount);

  exclusion.unlock();
  // The driver may give recommendations of topology and functional VidPN, or refuse them with the documented
  // codes.
  {
    VidPn recommended;
    recommended.topology.mayChange = true;
    DXGKARG_RECOMMENDFUNCTIONALVIDPN args{};
    const UINT priority[1] = {target};
    args.NumberOfVidPnTargets = 1;
    args.pVidPnTargetPrioritizationVector = priority;
    args.hRecommendedFunctionalVidPn = recommended.handle();
    args.RequestReason = DXGK_RFVR_HOTKEY;
    status = callDdi("DxgkDdiRecommendFunctionalVidPn", kPassiveLevel,
                     m_adapter.ddi.DxgkDdiRecommendFunctionalVidPn, m_adapter.context(), &args);
    if (!ntSuccess(status) && status != kNoRecommendation && status != kNotImplemented)
      brokenRule("DxgkDdiRecommendFunctionalVidPn: 0x%08x", status);
    if (ntSuccess(status)) {
      if (recommended.topology.paths.empty()) brokenRule("the recommended VidPN has no path");
      if (!recommended.pinnedSource(0) || !recommended.pinnedTarget(target))
        brokenRule("the recommended VidPN has modes that are not pinned");
      else if (!isSupported(recommended))
        brokenRule("the driver recommends a VidPN that it does not support");
    }
  }
  {
    VidPn empty;
    empty.topology.mayChange = true;
    DXGKARG_RECOMMENDVIDPNTOPOLOGY args{};
    args.hVidPn = empty.handle();
    args.VidPnSourceId = 0;
    args.RequestReason = DXGK_RVT_INITIALIZATION_NOLKG;
    status = callDdi("DxgkDdiRecommendVidPnTopology", kPassiveLevel,
                     m_adapter.ddi.DxgkDdiRecommendVidPnTopology, m_adapter.context(), &args);
    if (!ntSuccess(status) && status != kNoRecommendedTopology)
      brokenRule("DxgkDdiRecommendVidPnTopology: 0x%08x", status);
    if (ntSuccess(status) && empty.topology.paths.empty()) brokenRule("the recommended topology has no path");
  }

  VidPn vidPn;
  vidPn.addPath(0, target);
  status = enumModality(vidPn, D3DKMDT_EPT_NOPIVOT, UINT32_MAX, UINT32_MAX);
  if (!ntSuccess(status)) {
    brokenRule("DxgkDdiEnumVidPnCofuncModality without a pivot: 0x%08x", status);
    return false;
  }
  m_modes.clear();
  const auto& sources = vidPn.sourceModes[0];
  const auto& targets = vidPn.targetModes[target];
  if (!sources || sources->modes.empty() || !targets || targets->modes.empty()) {
    brokenRule("the driver offers no source or no target modes");
    return false;
  }
  // Each source mode as a pivot: checks the target modes that go with it.
  for (const auto& source : sources->modes) {
    VidPn pinned;
    pinned.addPath(0, target);
    enumModality(pinned, D3DKMDT_EPT_NOPIVOT, UINT32_MAX, UINT32_MAX);
    UINT id = UINT32_MAX;
    for (const auto& mode : pinned.sourceModes[0]->modes)
      if (std::memcmp(&mode->Format.Graphics, &source->Format.Graphics, sizeof mode->Format.Graphics) == 0)
        id = mode->Id;
    if (!pinned.pinSource(0, id)) {
      brokenRule("the source modes differ between two enumerations");
      continue;
    }
    status = enumModality(pinned, D3DKMDT_EPT_VIDPNSOURCE, 0, UINT32_MAX);
    if (!ntSuccess(status) || !pinned.targetModes[target] || pinned.targetModes[target]->modes.empty()) {
      brokenRule("source mode %ux%u has no target mode (0x%08x)", source->Format.Graphics.PrimSurfSize.cx,
                 source->Format.Graphics.PrimSurfSize.cy, status);
      continue;
    }
    for (const auto& mode : pinned.targetModes[target]->modes)
      m_modes.push_back({source->Format.Graphics.PrimSurfSize.cx, source->Format.Graphics.PrimSurfSize.cy,
                         source->Format.Graphics.PixelFormat, mode->VideoSignalInfo.VSyncFreq.Numerator,
                         mode->VideoSignalInfo.VSyncFreq.Denominator});
  }
  return !m_modes.empty();
}

DisplayMode Display::preferred() const {
  for (const auto& monitor : monitorModes().modes)
    if (monitor->Preference == D3DKMDT_MP_PREFERRED)
      for (const DisplayMode& mode : m_modes)
        if (mode.width == monitor->VideoSignalInfo.ActiveSize.cx &&
            mode.height == monitor->VideoSignalInfo.ActiveSize.cy)
          return mode;
  return m_modes.empty() ? DisplayMode{} : m_modes.front();
}

bool Display::isSupported(VidPn& vidPn) {
  std::shared_lock exclusion(m_adapter.exclusion());
  std::lock_guard lock(m_adapter.displayClass());
  const bool readOnly = vidPn.readOnly, mayChange = vidPn.topology.mayChange;
  vidPn.readOnly = true;
  vidPn.topology.mayChange = false;
  DXGKARG_ISSUPPORTEDVIDPN args{};
  args.hDesiredVidPn = vidPn.handle();
  args.IsVidPnSupported = 0xEE;
  const NTSTATUS status = callDdi("DxgkDdiIsSupportedVidPn", kPassiveLevel,
                                  m_adapter.ddi.DxgkDdiIsSupportedVidPn, m_adapter.context(), &args);
  vidPn.readOnly = readOnly;
  vidPn.topology.mayChange = mayChange;
  // The page has a code for an invalid topology. Windows asks only about valid ones: for those that the
  // adapter cannot do the answer is FALSE.
  if (!ntSuccess(status)) brokenRule("DxgkDdiIsSupportedVidPn: 0x%08x", status);
  if (args.IsVidPnSupported > 1) brokenRule("DxgkDdiIsSupportedVidPn does not set IsVidPnSupported");
  return ntSuccess(status) && args.IsVidPnSupported;
}

NTSTATUS Display::enumModality(VidPn& vidPn, D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivot, UINT source,
                               UINT target) {
  std::shared_lock exclusion(m_adapter.exclusion());
  std::lock_guard lock(m_adapter.displayClass());
  DXGKARG_ENUMVIDPNCOFUNCMODALITY args{};
  args.hConstrainingVidPn = vidPn.handle();
  args.EnumPivotType = pivot;
  args.EnumPivot.VidPnSourceId = source;
  args.EnumPivot.VidPnTargetId = target;
  vidPn.pivotSource = pivot == D3DKMDT_EPT_VIDPNSOURCE ? source : UINT32_MAX;
  vidPn.pivotTarget = pivot == D3DKMDT_EPT_VIDPNTARGET ? target : UINT32_MAX;
  vidPn.topology.mayChange = false;
  const NTSTATUS status = callDdi("DxgkDdiEnumVidPnCofuncModality", kPassiveLevel,
                                  m_adapter.ddi.DxgkDdiEnumVidPnCofuncModality, m_adapter.context(), &args);
  vidPn.pivotSource = vidPn.pivotTarget = UINT32_MAX;
  if (ntSuccess(status)) checkCofunctional(vidPn, "after DxgkDdiEnumVidPnCofuncModality");
  return status;
}

// A mode pinned on one end must go with every mode offered on the other.
void Display::checkCofunctional(const VidPn& vidPn, const char* when) {
  for (const auto& path : vidPn.topology.paths) {
    const auto& c = path->ContentTransformation;
    if (c.Scaling == D3DKMDT_VPPS_UNPINNED && !c.ScalingSupport.Identity && !c.ScalingSupport.Centered &&
        !c.ScalingSupport.Stretched)
      brokenRule("a path without any scaling support %s", when);
    if (c.Rotation == D3DKMDT_VPPR_UNPINNED && !c.RotationSupport.Identity)
      brokenRule("a path without identity rotation %s", when);
    const auto* source = vidPn.pinnedSource(path->VidPnSourceId);
    const auto targets = vidPn.targetModes.find(path->VidPnTargetId);
    if (!source || targets == vidPn.targetModes.end() || !targets->second) continue;
    const bool scales =
        c.ScalingSupport.Centered || c.ScalingSupport.Stretched || c.ScalingSupport.AspectRatioCenteredMax;
    for (const auto& mode : targets->second->modes)
      if (!scales && (mode->VideoSignalInfo.ActiveSize.cx != source->Format.Graphics.PrimSurfSize.cx ||
                      mode->VideoSignalInfo.ActiveSize.cy != source->Format.Graphics.PrimSurfSize.cy))
        brokenRule("target mode %ux%u for source mode %ux%u without scaling %s",
                   mode->VideoSignalInfo.ActiveSize.cx, mode->VideoSignalInfo.ActiveSize.cy,
                   source->Format.Graphics.PrimSurfSize.cx, source->Format.Graphics.PrimSurfSize.cy, when);
  }
}

bool Display::pinModes(VidPn& vidPn, const DisplayMode& mode) {
  const UINT target = m_adapter.targetId();
  vidPn.addPath(0, target);
  auto& path = *vidPn.topology.paths[0];
  static D3DDDI_GAMMA_RAMP_RGB256x3x16 dark{};  // all black
  if (m_gammaLeft) {
    path.GammaRamp.Type = D3DDDI_GAMMARAMP_RGB256x3x16;
    path.GammaRamp.DataSize = sizeof dark;
    path.GammaRamp.Data.pRgb256x3x16 = &dark;
  }
  if (!ntSuccess(enumModality(vidPn, D3DKMDT_EPT_NOPIVOT, UINT32_MAX, UINT32_MAX))) return false;
  UINT id = UINT32_MAX;
  for (const auto& m : vidPn.sourceModes[0]->modes)
    if (m->Format.Graphics.PrimSurfSize.cx == mode.width &&
        m->Format.Graphics.PrimSurfSize.cy == mode.height && m->Format.Graphics.PixelFormat == mode.format)
      id = m->Id;
  if (!vidPn.pinSource(0, id)) return false;
  if (!ntSuccess(enumModality(vidPn, D3DKMDT_EPT_VIDPNSOURCE, 0, UINT32_MAX))) return false;
  id = UINT32_MAX;
  for (const auto& m : vidPn.targetModes[target]->modes)
    if (m->VideoSignalInfo.VSyncFreq.Numerator == mode.refreshNumerator &&
        m->VideoSignalInfo.VSyncFreq.Denominator == mode.refreshDenominator &&
        (id == UINT32_MAX || m->VideoSignalInfo.ActiveSize.cx == mode.width))
      id = m->Id;
  if (!vidPn.pinTarget(target, id)) return false;
  if (!ntSuccess(enumModality(vidPn, D3DKMDT_EPT_VIDPNTARGET, UINT32_MAX, target))) return false;
  if (path.ContentTransformation.ScalingSupport.Identity) {
    path.ContentTransformation.Scaling = D3DKMDT_VPPS_IDENTITY;
    if (!ntSuccess(enumModality(vidPn, D3DKMDT_EPT_SCALING, 0, target))) return false;
  }
  path.ContentTransformation.Rotation = D3DKMDT_VPPR_IDENTITY;
  return ntSuccess(enumModality(vidPn, D3DKMDT_EPT_ROTATION, 0, target));
}

NTSTATUS Display::commit(VidPn& vidPn, Allocation* primary, bool powerTransition) {
  std::unique_lock exclusion(m_adapter.exclusion());
  std::lock_guard lock(m_adapter.displayClass());
  vidPn.readOnly = true;
  vidPn.topology.mayChange = false;
  DXGKARG_COMMITVIDPN args{};
  args.hFunctionalVidPn = vidPn.handle();
  args.AffectedVidPnSourceId = 0;
  args.MonitorConnectivityChecks = D3DKMDT_MCC_IGNORE;
  args.hPrimaryAllocation = primary ? primary->driver : nullptr;
  args.Flags.PathPowerTransition = powerTransition;
  return callDdi("DxgkDdiCommitVidPn", kPassiveLevel, m_adapter.ddi.DxgkDdiCommitVidPn, m_adapter.context(),
                 &args);
}

NTSTATUS Display::setGammaRamp(const D3DDDI_GAMMA_RAMP_RGB256x3x16* ramp) {
  if (!m_committed) return kUnsuccessful;
  if (ramp && !m_adapter.caps.GammaRampCaps.Gamma_Rgb256x3x16) return kNotSupported;
  std::shared_lock exclusion(m_adapter.exclusion());
  std::lock_guard lock(m_adapter.displayClass());
  DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH args{};
  args.VidPnPresentPathInfo = *m_committed->topology.paths[0];
  D3DKMDT_GAMMA_RAMP& gamma = args.VidPnPresentPathInfo.GammaRamp;
  // The driver gets memory that is only there during the call.
  D3DDDI_GAMMA_RAMP_RGB256x3x16 passing{};
  gamma = {};
  gamma.Type = ramp ? D3DDDI_GAMMARAMP_RGB256x3x16 : D3DDDI_GAMMARAMP_DEFAULT;
  if (ramp) {
    passing = *ramp;
    gamma.DataSize = sizeof passing;
    gamma.Data.pRgb256x3x16 = &passing;
  }
  const NTSTATUS status =
      callDdi("DxgkDdiUpdateActiveVidPnPresentPath", kPassiveLevel,
              m_adapter.ddi.DxgkDdiUpdateActiveVidPnPresentPath, m_adapter.context(), &args);
  if (!ntSuccess(status)) brokenRule("DxgkDdiUpdateActiveVidPnPresentPath with a gamma ramp: 0x%08x", status);
  return status;
}

NTSTATUS Display::setVisible(bool visible) {
  std::shared_lock exclusion(m_adapter.exclusion());
  std::lock_guard lock(m_adapter.displayClass());
  DXGKARG_SETVIDPNSOURCEVISIBILITY args{0, static_cast<BOOLEAN>(visible)};
  return callDdi("DxgkDdiSetVidPnSourceVisibility", kPassiveLevel,
                 m_adapter.ddi.DxgkDdiSetVidPnSourceVisibility, m_adapter.context(), &args);
}

bool Display::pin(Allocation& allocation) {
  std::lock_guard prepared(m_adapter.scheduler().preparation());
  if (!m_vidmm.makeResident({{&allocation, true}})) return false;
  if (m_vidmm.isAperture(allocation.segment)) {
    // Scanout needs one contiguous range; the driver must have said so in its segment sets.
    brokenRule("a primary may be placed in an aperture segment");
    return false;
  }
  allocation.pinned = true;
  return true;
}

/// Pins, commits and shows. The previous picture stays pinned.
bool Display::program(const DisplayMode& mode, Allocation& primary) {
  auto vidPn = std::make_unique<VidPn>();
  if (!pinModes(*vidPn, mode)) {
    brokenRule("mode %ux%u cannot be pinned", mode.width, mode.height);
    return false;
  }
  if (!isSupported(*vidPn)) {
    brokenRule("mode %ux%u is offered and not supported", mode.width, mode.height);
    return false;
  }
  if (!pin(primary)) return false;
  const bool first = !m_committed;
  if (!first && !ntSuccess(setVisible(false))) brokenRule("the source cannot be hidden");
  NTSTATUS status = commit(*vidPn, &primary, false);
  if (!ntSuccess(status)) {
    brokenRule("DxgkDdiCommitVidPn of %ux%u: 0x%08x", mode.width, mode.height, status);
    return false;
  }
  m_committed = std::move(vidPn);
  m_mode = mode;
  {
    std::shared_lock exclusion(m_adapter.exclusion());
    DXGKARG_SETVIDPNSOURCEADDRESS address{};
    address.PrimarySegment = primary.segment;
    address.PrimaryAddress.QuadPart = m_vidmm.segment(primary.segment).descriptor.BaseAddress.QuadPart +
                                      static_cast<LONGLONG>(primary.offset);
    address.hAllocation = primary.driver;
    address.Flags.ModeChange = 1;
    status = callDdi("DxgkDdiSetVidPnSourceAddress", kPassiveLevel,
                     m_adapter.ddi.DxgkDdiSetVidPnSourceAddress, m_adapter.context(), &address);
  }
  if (!ntSuccess(status)) brokenRule("DxgkDdiSetVidPnSourceAddress with ModeChange: 0x%08x", status);
  status = setVisible(true);
  if (!ntSuccess(status)) brokenRule("DxgkDdiSetVidPnSourceVisibility: 0x%08x", status);
  return ntSuccess(status);
}

bool Display::setExclusive(const DisplayMode& mode, Allocation& primary) {
  return program(mode, primary);
}

bool Display::restoreDesktop() {
  return m_primary && program(m_desktopMode, *m_primary);
}

const DisplayMode* Display::find(UINT width, UINT height, D3DDDIFORMAT format, UINT numerator,
                                 UINT denominator) const {
  const DisplayMode* found = nullptr;
  for (const DisplayMode& m : m_modes) {
    if (m.width != width || m.height != height || m.format != format) continue;
    if (!found) found = &m;
    if (denominator &&
        uint64_t{m.refreshNumerator} * denominator == uint64_t{numerator} * m.refreshDenominator)
      return &m;
  }
  return found;
}

bool Display::setMode(const DisplayMode& mode) {
  D3DKMDT_SHAREDPRIMARYSURFACEDATA data{};
  data.Width = mode.width;
  data.Height = mode.height;
  data.Format = mode.format;
  data.RefreshRate = {mode.refreshNumerator, mode.refreshDenominator};
  auto created = m_vidmm.createStandard(D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE, &data, true);
  if (!ntSuccess(created.status)) {
    brokenRule("no shared primary of %ux%u: 0x%08x", mode.width, mode.height, created.status);
    return false;
  }
  auto primary = created.allocations[0];
  // The driver's description of its primary must be the one that was requested.
  DXGKARG_DESCRIBEALLOCATION described{};
  described.hAllocation = primary->driver;
  NTSTATUS status;
  {
    std::shared_lock exclusion(m_adapter.exclusion());
    status = callDdi("DxgkDdiDescribeAllocation", kPassiveLevel, m_adapter.ddi.DxgkDdiDescribeAllocation,
                     m_adapter.context(), &described);
  }
  if (!ntSuccess(status) || described.Width != mode.width || described.Height != mode.height ||
      described.Format != mode.format)
    brokenRule("DxgkDdiDescribeAllocation: 0x%08x, %ux%u, format %d", status, described.Width,
               described.Height, described.Format);
  const bool ok = program(mode, *primary);
  auto old = ok ? m_primary : primary;
  if (ok) {
    m_primary = primary;
    m_desktopMode = mode;
  }
  if (old) {
    old->pinned = false;
    m_vidmm.destroy({old});
  }
  return ok;
}

bool Display::disconnect() {
  if (!m_committed) return false;
  NTSTATUS status = setVisible(false);
  if (!ntSuccess(status)) brokenRule("DxgkDdiSetVidPnSourceVisibility: 0x%08x", status);
  auto nothing = std::make_unique<VidPn>();
  status = commit(*nothing, nullptr, false);
  if (!ntSuccess(status)) {
    brokenRule("DxgkDdiCommitVidPn without a path: 0x%08x", status);
    return false;
  }
  m_committed.reset();
  m_primary->pinned = false;
  m_mode = {};
  return true;
}

bool Display::recommit(Allocation* shown) {
  if (!m_committed) return false;
  if (!pin(*m_primary) || (shown && !pin(*shown))) return false;
  if (!shown) shown = m_primary.get();
  const NTSTATUS status = commit(*m_committed, shown, true);
  if (!ntSuccess(status)) {
    brokenRule("DxgkDdiCommitVidPn after a power transition: 0x%08x", status);
    return false;
  }
  return ntSuccess(flip(*shown)) && ntSuccess(setVisible(true));
}

NTSTATUS Display::flip(Allocation& allocation, bool immediate) {
  if (!pin(allocation)) return kUnsuccessful;
  DXGKARG_SETVIDPNSOURCEADDRESS args{};
  args.PrimarySegment = allocation.segment;
  args.PrimaryAddress.QuadPart = m_vidmm.segment(allocation.segment).descriptor.BaseAddress.QuadPart +
                                 static_cast<LONGLONG>(allocation.offset);
  args.hAllocation = allocation.driver;
  args.Flags.FlipOnNextVSync = !immediate;
  args.Flags.FlipImmediate = immediate;
  const DXGK_FLIPCAPS& caps = m_adapter.caps.FlipCaps;
  const bool mmio = immediate ? caps.FlipImmediateMmIo : caps.FlipOnVSyncMmIo;
  if (immediate && !mmio)
    brokenRule("no FlipImmediateMmIo: immediate flips would be DMA buffers, which show nothing");
  if (mmio) return flipAtDirql(args);
  std::shared_lock exclusion(m_adapter.exclusion());
  return callDdi("DxgkDdiSetVidPnSourceAddress", kPassiveLevel, m_adapter.ddi.DxgkDdiSetVidPnSourceAddress,
                 m_adapter.context(), &args);
}

NTSTATUS Display::flipAtDirql(const DXGKARG_SETVIDPNSOURCEADDRESS& args) {
  std::shared_lock exclusion(m_adapter.exclusion());
  std::lock_guard interrupt(m_adapter.interruptLock());
  IsrState& state = isrState();
  const IsrState outer = state;
  state = {false, true, false, false, false};
  const NTSTATUS status = callDdi("DxgkDdiSetVidPnSourceAddress", kDeviceLevel,
                                  m_adapter.ddi.DxgkDdiSetVidPnSourceAddress, m_adapter.context(), &args);
  state = outer;
  // Windows 7 has no use for a failure here: the function's page has one only from Windows 8 on, for another
  // kind of flip. The flip stays in the queue of the OS until a vertical sync reports its address.
  if (!ntSuccess(status) && args.VidPnSourceId == 0)
    brokenRule("a flip at DIRQL fails with 0x%08x, and is never reported", status);
  return status;
}

NTSTATUS Display::setPalette(UINT first, std::span<const D3DKMDT_PALETTEDATA> colors) {
  std::shared_lock exclusion(m_adapter.exclusion());
  std::lock_guard lock(m_adapter.displayClass());
  // The driver has the array until it returns, and not longer.
  std::vector<D3DKMDT_PALETTEDATA> lent(colors.begin(), colors.end());
  const DXGKARG_SETPALETTE args{0, first, static_cast<UINT>(lent.size()), lent.data()};
  const NTSTATUS status = callDdi("DxgkDdiSetPalette", kPassiveLevel, m_adapter.ddi.DxgkDdiSetPalette,
                                  m_adapter.context(), &args);
  std::fill(lent.begin(), lent.end(), D3DKMDT_PALETTEDATA{0xDE, 0xAD, 0xBE, 0xEF});
  if (!ntSuccess(status) && m_mode.format == D3DDDIFMT_P8)
    brokenRule("DxgkDdiSetPalette in a mode with a palette: 0x%08x", status);
  return status;
}

NTSTATUS Display::setPointerShape(const DXGKARG_SETPOINTERSHAPE& shape) {
  std::shared_lock exclusion(m_adapter.exclusion());
  std::lock_guard lock(m_adapter.displayClass());
  return callDdi("DxgkDdiSetPointerShape", kPassiveLevel, m_adapter.ddi.DxgkDdiSetPointerShape,
                 m_adapter.context(), &shape);
}

NTSTATUS Display::setPointerPosition(int x, int y, bool visible) {
  std::shared_lock exclusion(m_adapter.exclusion());
  std::lock_guard lock(m_adapter.displayClass());
  DXGKARG_SETPOINTERPOSITION args{};
  args.X = x;
  args.Y = y;
  args.Flags.Visible = visible;
  return callDdi("DxgkDdiSetPointerPosition", kPassiveLevel, m_adapter.ddi.DxgkDdiSetPointerPosition,
                 m_adapter.context(), &args);
}

NTSTATUS Display::controlVsync(bool enable) {
  std::shared_lock exclusion(m_adapter.exclusion());
  return callDdi("DxgkDdiControlInterrupt", kPassiveLevel, m_adapter.ddi.DxgkDdiControlInterrupt,
                 m_adapter.context(), DXGK_INTERRUPT_CRTC_VSYNC, static_cast<BOOLEAN>(enable));
}

NTSTATUS Display::getScanLine(DXGKARG_GETSCANLINE& out) {
  out.VidPnTargetId = m_adapter.targetId();
  std::shared_lock exclusion(m_adapter.exclusion());
  return callDdi("DxgkDdiGetScanLine", kPassiveLevel, m_adapter.ddi.DxgkDdiGetScanLine, m_adapter.context(),
                 &out);
}

void Display::stop() {
  if (m_primary) {
    // Memory that is given up must not be shown.
    if (!m_adapter.removed()) setVisible(false);
    m_primary->pinned = false;
    m_vidmm.destroy({m_primary});
    m_primary.reset();
  }
  m_committed.reset();
}

}  // namespace aerogpu::host
