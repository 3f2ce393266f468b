// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/display/vidpn.h"

#include "guest-drivers/kmd/display/gamma_ramp.h"

namespace aero {
namespace {

constexpr D3DDDI_VIDEO_PRESENT_SOURCE_ID kSource = 0;
constexpr D3DDDI_VIDEO_PRESENT_TARGET_ID kTarget = 0;

constexpr bool failed(NTSTATUS status) {
  return status < 0;
}

/** The formats that the display scans out, in the order in which they are offered. A8R8G8B8 is shown like
 * X8R8G8B8, and the OS takes the one for the other (page "DxgkDdiSetVidPnSourceAddress"), so it is
 * understood but not offered as a second format. */
constexpr struct SourceFormat {
  D3DDDIFORMAT format;
  uint32_t bytesPerPixel;
  bool offered;
  D3DKMDT_PIXEL_VALUE_ACCESS_MODE access = D3DKMDT_PVAM_DIRECT;
  bool isThere(bool palette) const { return palette || access == D3DKMDT_PVAM_DIRECT; }
} kFormats[] = {
    {D3DDDIFMT_X8R8G8B8, 4, true},
    {D3DDDIFMT_R5G6B5, 2, true},
    {D3DDDIFMT_A8R8G8B8, 4, false},
    // The OS sets the palette by DxgkDdiSetPalette (page "D3DKMDT_PIXEL_VALUE_ACCESS_MODE").
    {D3DDDIFMT_P8, 1, true, D3DKMDT_PVAM_SETTABLEPALETTE},
};

uint32_t bytesPerPixel(D3DDDIFORMAT format, bool palette) {
  for (const SourceFormat &row : kFormats)
    if (row.format == format && row.isThere(palette)) return row.bytesPerPixel;
  return 0;
}

// SourceSide and TargetSide: adapters for the common work on source and target mode sets, whose interfaces differ only
// in types and names.
struct SourceSide {
  using Set = D3DKMDT_HVIDPNSOURCEMODESET;
  using Interface = DXGK_VIDPNSOURCEMODESET_INTERFACE;
  using Info = D3DKMDT_VIDPN_SOURCE_MODE;
  static NTSTATUS acquire(const DXGK_VIDPN_INTERFACE &os, D3DKMDT_HVIDPN vidPn, Set *set, const Interface **interface) {
    return os.pfnAcquireSourceModeSet(vidPn, kSource, set, interface);
  }
  static NTSTATUS create(const DXGK_VIDPN_INTERFACE &os, D3DKMDT_HVIDPN vidPn, Set *set, const Interface **interface) {
    return os.pfnCreateNewSourceModeSet(vidPn, kSource, set, interface);
  }
  static NTSTATUS assign(const DXGK_VIDPN_INTERFACE &os, D3DKMDT_HVIDPN vidPn, Set set) {
    return os.pfnAssignSourceModeSet(vidPn, kSource, set);
  }
  static void release(const DXGK_VIDPN_INTERFACE &os, D3DKMDT_HVIDPN vidPn, Set set) {
    os.pfnReleaseSourceModeSet(vidPn, set);
  }
  static NTSTATUS pin(const Interface &interface, Set set, UINT id) { return interface.pfnPinMode(set, id); }
  static NTSTATUS pinned(const Interface &interface, Set set, const Info **info) {
    return interface.pfnAcquirePinnedModeInfo(set, info);
  }
};

// TargetSide repeats SourceSide: the OS has other names for the functions and types of target mode sets.
struct TargetSide {
  using Set = D3DKMDT_HVIDPNTARGETMODESET;
  using Interface = DXGK_VIDPNTARGETMODESET_INTERFACE;
  using Info = D3DKMDT_VIDPN_TARGET_MODE;
  static NTSTATUS acquire(const DXGK_VIDPN_INTERFACE &os, D3DKMDT_HVIDPN vidPn, Set *set, const Interface **interface) {
    return os.pfnAcquireTargetModeSet(vidPn, kTarget, set, interface);
  }
  static NTSTATUS create(const DXGK_VIDPN_INTERFACE &os, D3DKMDT_HVIDPN vidPn, Set *set, const Interface **interface) {
    return os.pfnCreateNewTargetModeSet(vidPn, kTarget, set, interface);
  }
  static NTSTATUS assign(const DXGK_VIDPN_INTERFACE &os, D3DKMDT_HVIDPN vidPn, Set set) {
    return os.pfnAssignTargetModeSet(vidPn, kTarget, set);
  }
  static void release(const DXGK_VIDPN_INTERFACE &os, D3DKMDT_HVIDPN vidPn, Set set) {
    os.pfnReleaseTargetModeSet(vidPn, set);
  }
  static NTSTATUS pin(const Interface &interface, Set set, UINT id) {
    // The prototype takes a source mode set's handle; it means this set.
    return interface.pfnPinMode(reinterpret_cast<D3DKMDT_HVIDPNSOURCEMODESET>(set), id);
  }
  static NTSTATUS pinned(const Interface &interface, Set set, const Info **info) {
    return interface.pfnAcquirePinnedModeInfo(set, info);
  }
};

/** Owns a handle to a mode set, and releases it unless it was assigned. */
template <class Side> class ModeSet {
public:
  ModeSet(const DXGK_VIDPN_INTERFACE &os, D3DKMDT_HVIDPN vidPn) : m_os(os), m_vidPn(vidPn) {}
  ~ModeSet() {
    if (m_set) Side::release(m_os, m_vidPn, m_set);
  }
  ModeSet(const ModeSet &) = delete;
  ModeSet &operator=(const ModeSet &) = delete;

  NTSTATUS acquire() { return keep(Side::acquire(m_os, m_vidPn, &m_set, &m_interface)); }
  NTSTATUS create() { return keep(Side::create(m_os, m_vidPn, &m_set, &m_interface)); }

  /** Calls `read(info)` with the pinned mode, if there is one. */
  template <class Read> NTSTATUS readPinned(Read &&read) const {
    const typename Side::Info *info = nullptr;
    const NTSTATUS status = Side::pinned(*m_interface, m_set, &info);
    if (failed(status) || !info) return failed(status) ? status : STATUS_SUCCESS;
    read(*info);
    return m_interface->pfnReleaseModeInfo(m_set, info);
  }

  /** Adds the mode that `fill(info)` describes, and pins it if wanted. */
  template <class Fill> NTSTATUS add(bool pin, Fill &&fill) {
    typename Side::Info *info = nullptr;
    NTSTATUS status = m_interface->pfnCreateNewModeInfo(m_set, &info);
    if (failed(status)) return status;
    fill(*info);
    const UINT id = info->Id;  // the OS' number; pfnAddMode takes the structure away
    status = m_interface->pfnAddMode(m_set, info);
    if (failed(status)) {
      m_interface->pfnReleaseModeInfo(m_set, info);
      return status == STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET ? STATUS_SUCCESS : status;
    }
    return pin ? Side::pin(*m_interface, m_set, id) : STATUS_SUCCESS;
  }

  /** Gives the set to the VidPN. Pages "pfnAssignSourceModeSet", "pfnAssignTargetModeSet": after a failure
   * the caller still owns the handle only if an argument was invalid. */
  NTSTATUS assign() {
    const NTSTATUS status = Side::assign(m_os, m_vidPn, m_set);
    switch (status) {
    case STATUS_GRAPHICS_INVALID_VIDPN:
    case STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE:
    case STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET:
    case STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET:
    case STATUS_GRAPHICS_INVALID_VIDPN_TARGETMODESET:
      break;
    default:
      m_set = nullptr;
    }
    return status;
  }

private:
  NTSTATUS keep(NTSTATUS status) {
    if (failed(status)) m_set = nullptr;
    return status;
  }

  const DXGK_VIDPN_INTERFACE &m_os;
  D3DKMDT_HVIDPN m_vidPn;
  typename Side::Set m_set = nullptr;
  const typename Side::Interface *m_interface = nullptr;
};

bool scalingPinned(D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling) {
  return scaling >= D3DKMDT_VPPS_IDENTITY && scaling <= D3DKMDT_VPPS_CUSTOM;
}

bool rotationPinned(D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation) {
  return rotation >= D3DKMDT_VPPR_IDENTITY && rotation <= D3DKMDT_VPPR_ROTATE270;
}

bool gammaSupported(const D3DKMDT_GAMMA_RAMP &ramp, bool hasRamps) {
  switch (ramp.Type) {
  case D3DDDI_GAMMARAMP_UNINITIALIZED:
  case D3DDDI_GAMMARAMP_DEFAULT:
    return true;
  case D3DDDI_GAMMARAMP_RGB256x3x16:
    return ramp.Data.pRgb256x3x16 && ramp.DataSize >= sizeof(D3DDDI_GAMMA_RAMP_RGB256x3x16) &&
           (hasRamps || isLinear(*ramp.Data.pRgb256x3x16));
  default:
    return false;
  }
}

}  // namespace

struct VidPn::Topology {
  D3DKMDT_HVIDPNTOPOLOGY handle = nullptr;
  const DXGK_VIDPNTOPOLOGY_INTERFACE *os = nullptr;
  SIZE_T paths = 0;

  NTSTATUS open(const DXGK_VIDPN_INTERFACE &interface, D3DKMDT_HVIDPN vidPn) {
    const NTSTATUS status = interface.pfnGetTopology(vidPn, &handle, &os);
    return failed(status) ? status : os->pfnGetNumPaths(handle, &paths);
  }

  /** Calls `read(path)` with the only path, from our source to our target; any other topology is invalid. */
  template <class Read> NTSTATUS readPath(Read &&read) const {
    if (paths != 1) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    const D3DKMDT_VIDPN_PRESENT_PATH *path = nullptr;
    const NTSTATUS acquired = os->pfnAcquireFirstPathInfo(handle, &path);
    if (failed(acquired)) return acquired;
    if (!path) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    const NTSTATUS status = path->VidPnSourceId == kSource && path->VidPnTargetId == kTarget
                                ? read(*path)
                                : STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    const NTSTATUS released = os->pfnReleasePathInfo(handle, path);
    return failed(status) ? status : released;
  }
};

struct VidPn::Pins {
  bool source = false;
  bool target = false;
  bool sourceIsGraphics = false;
  PinnedMode sourceMode;
  Mode targetMode = {0, 0};
};

NTSTATUS VidPn::interfaceOf(D3DKMDT_HVIDPN vidPn, const DXGK_VIDPN_INTERFACE *&interface) const {
  return m_query(vidPn, DXGK_VIDPN_INTERFACE_VERSION_V1, &interface);
}

NTSTATUS VidPn::readPins(const DXGK_VIDPN_INTERFACE &interface, D3DKMDT_HVIDPN vidPn, Pins &pins) const {
  ModeSet<SourceSide> sources(interface, vidPn);
  NTSTATUS status = sources.acquire();
  if (failed(status)) return status;
  status = sources.readPinned([&](const D3DKMDT_VIDPN_SOURCE_MODE &info) {
    pins.source = true;
    pins.sourceIsGraphics = info.Type == D3DKMDT_RMT_GRAPHICS;
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT &graphics = info.Format.Graphics;
    pins.sourceMode = {{graphics.PrimSurfSize.cx, graphics.PrimSurfSize.cy}, graphics.PixelFormat, graphics.Stride};
  });
  if (failed(status)) return status;
  ModeSet<TargetSide> targets(interface, vidPn);
  status = targets.acquire();
  if (failed(status)) return status;
  return targets.readPinned([&](const D3DKMDT_VIDPN_TARGET_MODE &info) {
    pins.target = true;
    pins.targetMode = {info.VideoSignalInfo.ActiveSize.cx, info.VideoSignalInfo.ActiveSize.cy};
  });
}

/** There is no scaler, so the source has the size of the target. */
bool VidPn::shows(const Pins &pins) const {
  const uint32_t bytes = bytesPerPixel(pins.sourceMode.format, m_palette);
  if (pins.source && (!pins.sourceIsGraphics || !m_modes.contains(pins.sourceMode.mode) || !bytes ||
                      pins.sourceMode.pitch < pins.sourceMode.mode.width * bytes))
    return false;
  if (pins.target && !m_modes.contains(pins.targetMode)) return false;
  return !pins.source || !pins.target || pins.sourceMode.mode == pins.targetMode;
}

NTSTATUS VidPn::checkPath(const D3DKMDT_VIDPN_PRESENT_PATH &path) {
  if (path.VidPnSourceId != kSource || path.VidPnTargetId != kTarget) return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
  const D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION &transformation = path.ContentTransformation;
  if ((scalingPinned(transformation.Scaling) && transformation.Scaling != D3DKMDT_VPPS_IDENTITY) ||
      (rotationPinned(transformation.Rotation) && transformation.Rotation != D3DKMDT_VPPR_IDENTITY))
    return STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;
  return STATUS_SUCCESS;
}

NTSTATUS VidPn::checkUpdate(const D3DKMDT_VIDPN_PRESENT_PATH &path, bool hasRamps) {
  const NTSTATUS status = checkPath(path);
  if (failed(status)) return status;
  return gammaSupported(path.GammaRamp, hasRamps) ? STATUS_SUCCESS : STATUS_GRAPHICS_GAMMA_RAMP_NOT_SUPPORTED;
}

NTSTATUS VidPn::isSupported(D3DKMDT_HVIDPN vidPn, BOOLEAN &supported) const {
  supported = FALSE;
  if (!vidPn) {  // nothing can always be displayed
    supported = TRUE;
    return STATUS_SUCCESS;
  }
  const DXGK_VIDPN_INTERFACE *interface;
  NTSTATUS status = interfaceOf(vidPn, interface);
  if (failed(status)) return status;
  Topology topology;
  status = topology.open(*interface, vidPn);
  if (failed(status)) return status;
  if (!topology.paths) {
    supported = TRUE;
    return STATUS_SUCCESS;
  }
  NTSTATUS path = STATUS_SUCCESS;
  status = topology.readPath([&](const D3DKMDT_VIDPN_PRESENT_PATH &info) {
    path = checkPath(info);
    return STATUS_SUCCESS;
  });
  // The page has a code for invalid topologies. Windows' topologies are valid, even one that this adapter
  // cannot have.
  if (status == STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY) return STATUS_SUCCESS;
  if (failed(status) || failed(path)) return status;
  Pins pins;
  status = readPins(*interface, vidPn, pins);
  if (!failed(status)) supported = shows(pins);
  return status;
}

NTSTATUS VidPn::enumCofuncModality(const DXGKARG_ENUMVIDPNCOFUNCMODALITY &args) const {
  const D3DKMDT_HVIDPN vidPn = args.hConstrainingVidPn;
  const DXGK_VIDPN_INTERFACE *interface;
  NTSTATUS status = interfaceOf(vidPn, interface);
  if (failed(status)) return status;
  Topology topology;
  status = topology.open(*interface, vidPn);
  if (failed(status) || !topology.paths) return status;

  D3DKMDT_VIDPN_PRESENT_PATH path;
  status = topology.readPath([&](const D3DKMDT_VIDPN_PRESENT_PATH &info) {
    path = info;
    return STATUS_SUCCESS;
  });
  if (failed(status)) return status;
  Pins pins;
  status = readPins(*interface, vidPn, pins);
  if (failed(status)) return status;
  if (!shows(pins)) return STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;

  const bool ourSource = args.EnumPivot.VidPnSourceId == kSource, ourTarget = args.EnumPivot.VidPnTargetId == kTarget;
  const auto pivot = args.EnumPivotType;
  if (!pins.source && !(pivot == D3DKMDT_EPT_VIDPNSOURCE && ourSource)) {
    status = assignSourceModes(*interface, vidPn, pins.target ? &pins.targetMode : nullptr, false);
    if (failed(status)) return status;
  }
  if (!pins.target && !(pivot == D3DKMDT_EPT_VIDPNTARGET && ourTarget)) {
    status = assignTargetModes(*interface, vidPn, pins.source ? &pins.sourceMode.mode : nullptr, false);
    if (failed(status)) return status;
  }

  const D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION before = path.ContentTransformation;
  D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION &transformation = path.ContentTransformation;
  if (!scalingPinned(before.Scaling) && !(pivot == D3DKMDT_EPT_SCALING && ourSource && ourTarget)) {
    transformation.ScalingSupport = {};
    transformation.ScalingSupport.Identity = 1;
  }
  if (!rotationPinned(before.Rotation) && !(pivot == D3DKMDT_EPT_ROTATION && ourSource && ourTarget)) {
    transformation.RotationSupport = {};
    transformation.RotationSupport.Identity = 1;
  }
  path.CopyProtection.CopyProtectionSupport = {};
  path.CopyProtection.CopyProtectionSupport.NoProtection = 1;
  return topology.os->pfnUpdatePathSupportInfo(topology.handle, &path);
}

NTSTATUS VidPn::assignSourceModes(const DXGK_VIDPN_INTERFACE &interface, D3DKMDT_HVIDPN vidPn, const Mode *only,
                                  bool pin) const {
  ModeSet<SourceSide> set(interface, vidPn);
  NTSTATUS status = set.create();
  for (size_t i = 0; i < m_modes.count() && !failed(status); i++) {
    const Mode mode = m_modes[i];
    if (only && !(mode == *only)) continue;
    for (const SourceFormat &row : kFormats) {
      if (!row.offered || !row.isThere(m_palette)) continue;
      status = set.add(pin, [&](D3DKMDT_VIDPN_SOURCE_MODE &info) {
        info.Type = D3DKMDT_RMT_GRAPHICS;
        D3DKMDT_GRAPHICS_RENDERING_FORMAT &graphics = info.Format.Graphics;
        graphics.PrimSurfSize = graphics.VisibleRegionSize = {mode.width, mode.height};
        graphics.Stride = framePitch(mode.width, row.bytesPerPixel);
        graphics.PixelFormat = row.format;
        graphics.ColorBasis = D3DKMDT_CB_SRGB;
        graphics.PixelValueAccessMode = row.access;
      });
      if (pin || failed(status)) break;  // one mode is pinned, and it is the first
    }
  }
  return failed(status) ? status : set.assign();
}

NTSTATUS VidPn::assignTargetModes(const DXGK_VIDPN_INTERFACE &interface, D3DKMDT_HVIDPN vidPn, const Mode *only,
                                  bool pin) const {
  ModeSet<TargetSide> set(interface, vidPn);
  NTSTATUS status = set.create();
  for (size_t i = 0; i < m_modes.count() && !failed(status); i++) {
    if (only && !(m_modes[i] == *only)) continue;
    status = set.add(pin, [&](D3DKMDT_VIDPN_TARGET_MODE &info) {
      describe(m_modes[i], info.VideoSignalInfo);
      info.Preference = i == 0 ? D3DKMDT_MP_PREFERRED : D3DKMDT_MP_NOTPREFERRED;
    });
  }
  return failed(status) ? status : set.assign();
}

void VidPn::describe(Mode mode, D3DKMDT_VIDEO_SIGNAL_INFO &signal) const {
  const Timing timing = timingOf(mode, m_refresh);
  signal.VideoStandard = D3DKMDT_VSS_VESA_CVT;
  signal.TotalSize = {timing.totalWidth, timing.totalHeight};
  signal.ActiveSize = {mode.width, mode.height};
  signal.VSyncFreq = {timing.vsync.numerator, timing.vsync.denominator};
  signal.HSyncFreq = {timing.hsync.numerator, timing.hsync.denominator};
  signal.PixelRate = static_cast<SIZE_T>(timing.pixelRate);
  signal.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
}

NTSTATUS VidPn::addPath(const Topology &topology) const {
  D3DKMDT_VIDPN_PRESENT_PATH *path = nullptr;
  NTSTATUS status = topology.os->pfnCreateNewPathInfo(topology.handle, &path);
  if (failed(status)) return status;
  path->VidPnSourceId = kSource;
  path->VidPnTargetId = kTarget;
  path->ImportanceOrdinal = D3DKMDT_VPPI_PRIMARY;
  path->ContentTransformation = {};
  path->ContentTransformation.Scaling = D3DKMDT_VPPS_IDENTITY;
  path->ContentTransformation.ScalingSupport.Identity = 1;
  path->ContentTransformation.Rotation = D3DKMDT_VPPR_IDENTITY;
  path->ContentTransformation.RotationSupport.Identity = 1;
  path->VisibleFromActiveTLOffset = path->VisibleFromActiveBROffset = {0, 0};
  path->VidPnTargetColorBasis = D3DKMDT_CB_SRGB;
  path->VidPnTargetColorCoeffDynamicRanges = {8, 8, 8, 0};
  path->Content = D3DKMDT_VPPC_GRAPHICS;
  path->CopyProtection = {};
  path->CopyProtection.CopyProtectionType = D3DKMDT_VPPMT_NOPROTECTION;
  path->CopyProtection.CopyProtectionSupport.NoProtection = 1;
  path->GammaRamp = {};
  path->GammaRamp.Type = D3DDDI_GAMMARAMP_DEFAULT;
  status = topology.os->pfnAddPath(topology.handle, path);
  if (failed(status)) topology.os->pfnReleasePathInfo(topology.handle, path);
  return status;
}

NTSTATUS VidPn::recommendFunctional(D3DKMDT_HVIDPN vidPn) const {
  const DXGK_VIDPN_INTERFACE *interface;
  NTSTATUS status = interfaceOf(vidPn, interface);
  if (failed(status)) return status;
  Topology topology;
  status = topology.open(*interface, vidPn);
  if (failed(status)) return status;
  if (topology.paths) return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;  // the page promises an empty one
  const Mode mode = m_modes[0];
  status = addPath(topology);
  if (!failed(status)) status = assignSourceModes(*interface, vidPn, &mode, true);
  if (!failed(status)) status = assignTargetModes(*interface, vidPn, &mode, true);
  if (!failed(status) || status == STATUS_NO_MEMORY) return status;
  return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;
}

NTSTATUS VidPn::recommendTopology(D3DKMDT_HVIDPN vidPn, D3DDDI_VIDEO_PRESENT_SOURCE_ID source) const {
  if (source != kSource && source != D3DDDI_ID_ALL) return STATUS_GRAPHICS_NO_RECOMMENDED_VIDPN_TOPOLOGY;
  const DXGK_VIDPN_INTERFACE *interface;
  NTSTATUS status = interfaceOf(vidPn, interface);
  if (failed(status)) return status;
  Topology topology;
  status = topology.open(*interface, vidPn);
  if (failed(status)) return status;
  return topology.paths ? STATUS_GRAPHICS_NO_RECOMMENDED_VIDPN_TOPOLOGY : addPath(topology);
}

NTSTATUS VidPn::recommendMonitorModes(const DXGKARG_RECOMMENDMONITORMODES &args) const {
  if (args.VideoPresentTargetId != kTarget) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET;
  const DXGK_MONITORSOURCEMODESET_INTERFACE &os = *args.pMonitorSourceModeSetInterface;
  const D3DKMDT_HMONITORSOURCEMODESET set = args.hMonitorSourceModeSet;
  // The EDID's own preferred mode stays preferred; adding a preferred one would displace it.
  const D3DKMDT_MONITOR_SOURCE_MODE *preferred = nullptr;
  const bool hasPreferred = !failed(os.pfnAcquirePreferredModeInfo(set, &preferred)) && preferred;
  if (hasPreferred) os.pfnReleaseModeInfo(set, preferred);

  for (size_t i = 0; i < m_modes.count(); i++) {
    D3DKMDT_MONITOR_SOURCE_MODE *info = nullptr;
    NTSTATUS status = os.pfnCreateNewModeInfo(set, &info);
    if (failed(status)) return status;
    describe(m_modes[i], info->VideoSignalInfo);
    info->ColorBasis = D3DKMDT_CB_SRGB;
    info->ColorCoeffDynamicRanges = {8, 8, 8, 0};
    info->Origin = D3DKMDT_MCO_DRIVER;
    info->Preference = i == 0 && !hasPreferred ? D3DKMDT_MP_PREFERRED : D3DKMDT_MP_NOTPREFERRED;
    status = os.pfnAddMode(set, info);
    if (!failed(status)) continue;
    os.pfnReleaseModeInfo(set, info);
    if (status != STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET) return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS VidPn::readActive(D3DKMDT_HVIDPN vidPn, PinnedMode &pinned) const {
  pinned = {};
  if (!vidPn) return STATUS_SUCCESS;
  const DXGK_VIDPN_INTERFACE *interface;
  NTSTATUS status = interfaceOf(vidPn, interface);
  if (failed(status)) return status;
  Topology topology;
  status = topology.open(*interface, vidPn);
  if (failed(status) || !topology.paths) return status;
  status = topology.readPath(checkPath);
  if (failed(status)) return status;
  Pins pins;
  status = readPins(*interface, vidPn, pins);
  if (failed(status)) return status;
  if (!shows(pins)) return STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;
  if (pins.source) pinned = pins.sourceMode;
  return STATUS_SUCCESS;
}

}  // namespace aero
