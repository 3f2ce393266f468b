// SPDX-License-Identifier: MIT
// The functions that the three mode-set interfaces share; each instantiation supplies names and error codes.
// Pages "DXGKDDI_VIDPNSOURCEMODESET_..." and their target and monitor twins.
#pragma once

#include <cstring>

#include "testbed/kernel/core/report.h"
#include "testbed/kernel/dxgk/live_objects.h"
#include "testbed/kernel/dxgk/mode_set.h"

namespace aerogpu::host {

template <class Mode>
struct ModeSetTraits;  // kMagic, kInvalidSet, kName, check(const Mode&) -> const char* (null = good)

template <class Mode>
struct ModeSetFunctions {
  using Set = ModeSet<Mode>;
  using Traits = ModeSetTraits<Mode>;

  static Set* set(void* handle) {
    if (isLiveObject(handle, Traits::kMagic)) return static_cast<Set*>(handle);
    brokenRule("a wrong %s handle: %s", Traits::kName, currentCall().c_str());
    return nullptr;
  }
  static NTSTATUS give(Set* s, const Mode* mode, const Mode** out) {
    ++s->acquired[mode];
    *out = mode;
    return kSuccess;
  }
  static HOST_API NTSTATUS getNumModes(void* handle, SIZE_T* out) {
    Set* s = set(handle);
    if (!s || !out) return Traits::kInvalidSet;
    *out = s->modes.size();
    return kSuccess;
  }
  static HOST_API NTSTATUS acquireFirst(void* handle, const Mode** out) {
    Set* s = set(handle);
    if (!s || !out) return Traits::kInvalidSet;
    *out = nullptr;
    return s->modes.empty() ? kDatasetIsEmpty : give(s, s->modes.front().get(), out);
  }
  static HOST_API NTSTATUS acquireNext(void* handle, const Mode* mode, const Mode** out) {
    Set* s = set(handle);
    if (!s || !out) return Traits::kInvalidSet;
    *out = nullptr;
    if (!s->acquired.count(mode))
      brokenRule("the next of a mode that is not acquired (released too early?): %s", currentCall().c_str());
    for (size_t i = 0; i < s->modes.size(); ++i)
      if (s->modes[i].get() == mode) {
        if (i + 1 == s->modes.size()) return kNoMoreElements;
        return give(s, s->modes[i + 1].get(), out);
      }
    return kInvalidParameter;
  }
  static HOST_API NTSTATUS acquirePinned(void* handle, const Mode** out) {
    Set* s = set(handle);
    if (!s || !out) return Traits::kInvalidSet;
    *out = nullptr;
    return s->pinned ? give(s, s->pinned, out) : kSuccess;
  }
  static HOST_API NTSTATUS acquirePreferred(void* handle, const Mode** out) {
    Set* s = set(handle);
    if (!s || !out) return Traits::kInvalidSet;
    *out = nullptr;
    if constexpr (requires(Mode m) { m.Preference; })
      for (const auto& mode : s->modes)
        if (mode->Preference == D3DKMDT_MP_PREFERRED) return give(s, mode.get(), out);
    return static_cast<NTSTATUS>(0x401E031E);  // STATUS_GRAPHICS_NO_PREFERRED_MODE
  }
  static HOST_API NTSTATUS release(void* handle, const Mode* mode) {
    Set* s = set(handle);
    if (!s) return Traits::kInvalidSet;
    if (s->created.erase(mode)) return kSuccess;
    const auto found = s->acquired.find(mode);
    if (found == s->acquired.end()) {
      brokenRule("a mode is released that is not acquired: %s", currentCall().c_str());
      return kInvalidParameter;
    }
    if (--found->second == 0) s->acquired.erase(found);
    return kSuccess;
  }
  static HOST_API NTSTATUS createNew(void* handle, Mode** out) {
    Set* s = set(handle);
    if (!s || !out) return Traits::kInvalidSet;
    if (s->frozen) brokenRule("a mode for a set that is already assigned: %s", currentCall().c_str());
    auto mode = std::make_unique<Mode>();
    std::memset(static_cast<void*>(mode.get()), 0xEE, sizeof(Mode));  // the driver fills in all but the id
    mode->Id = s->nextId++;
    Traits::initialize(*mode);
    *out = mode.get();
    s->created[mode.get()] = std::move(mode);
    return kSuccess;
  }
  static HOST_API NTSTATUS add(void* handle, const Mode* mode) {
    Set* s = set(handle);
    if (!s) return Traits::kInvalidSet;
    const auto found = s->created.find(mode);
    if (found == s->created.end()) {
      brokenRule("a mode is added that pfnCreateNewModeInfo did not make: %s", currentCall().c_str());
      return kInvalidParameter;
    }
    if (s->find(mode->Id)) {
      brokenRule("a mode's id was changed: %s", currentCall().c_str());
      return ntStatus(0xC01E0324);
    }
    if (const char* wrong = Traits::check(*mode)) {
      brokenRule("a mode whose %s is wrong: %s", wrong, currentCall().c_str());
      return kInvalidMode;
    }
    for (const auto& other : s->modes)
      if (Traits::same(*other, *mode)) return kModeInSet;  // the structure still belongs to the caller
    s->modes.push_back(std::move(found->second));
    s->created.erase(found);
    return kSuccess;
  }
  static HOST_API NTSTATUS pin(void* handle, UINT id) {
    Set* s = set(handle);
    if (!s) return Traits::kInvalidSet;
    if (s->frozen)
      brokenRule("a mode is pinned in a set that is already assigned: %s", currentCall().c_str());
    const Mode* mode = s->find(id);
    if (!mode) return kModeNotInSet;
    s->pinned = mode;
    return kSuccess;
  }
};

inline const char* checkSignal(const D3DKMDT_VIDEO_SIGNAL_INFO& signal) {
  if (signal.VideoStandard <= D3DKMDT_VSS_UNINITIALIZED || signal.VideoStandard > D3DKMDT_VSS_OTHER)
    return "VideoStandard";
  if (signal.ActiveSize.cx == 0 || signal.ActiveSize.cx > 16384 || signal.ActiveSize.cy == 0 ||
      signal.ActiveSize.cy > 16384)
    return "ActiveSize";
  if (signal.TotalSize.cx < signal.ActiveSize.cx || signal.TotalSize.cy < signal.ActiveSize.cy)
    return "TotalSize";
  if (signal.VSyncFreq.Denominator == 0 || signal.VSyncFreq.Numerator / signal.VSyncFreq.Denominator < 20 ||
      signal.VSyncFreq.Numerator / signal.VSyncFreq.Denominator > 500)
    return "VSyncFreq";
  if (signal.HSyncFreq.Denominator == 0 || signal.HSyncFreq.Numerator == 0) return "HSyncFreq";
  if (signal.PixelRate == 0) return "PixelRate";
  if (signal.ScanLineOrdering != D3DDDI_VSSLO_PROGRESSIVE && signal.ScanLineOrdering != D3DDDI_VSSLO_OTHER)
    return "ScanLineOrdering";
  return nullptr;
}

/// True for the same timing. Compares member by member: the structure has padding.
inline bool sameSignal(const D3DKMDT_VIDEO_SIGNAL_INFO& a, const D3DKMDT_VIDEO_SIGNAL_INFO& b) {
  const auto size = [](const D3DKMDT_2DREGION& x, const D3DKMDT_2DREGION& y) {
    return x.cx == y.cx && x.cy == y.cy;
  };
  const auto rate = [](const D3DDDI_RATIONAL& x, const D3DDDI_RATIONAL& y) {
    return x.Numerator == y.Numerator && x.Denominator == y.Denominator;
  };
  return a.VideoStandard == b.VideoStandard && size(a.TotalSize, b.TotalSize) &&
         size(a.ActiveSize, b.ActiveSize) && rate(a.VSyncFreq, b.VSyncFreq) &&
         rate(a.HSyncFreq, b.HSyncFreq) && a.PixelRate == b.PixelRate &&
         a.ScanLineOrdering == b.ScanLineOrdering;
}

template <>
struct ModeSetTraits<D3DKMDT_VIDPN_SOURCE_MODE> {
  static constexpr uint64_t kMagic = 0x5E7053E700000001;
  static constexpr NTSTATUS kInvalidSet = kInvalidSourceModeSet;
  static constexpr const char* kName = "source mode set";
  static void initialize(D3DKMDT_VIDPN_SOURCE_MODE& mode) { mode.Type = D3DKMDT_RMT_UNINITIALIZED; }
  static const char* check(const D3DKMDT_VIDPN_SOURCE_MODE& mode) {
    if (mode.Type != D3DKMDT_RMT_GRAPHICS) return "Type";
    const auto& g = mode.Format.Graphics;
    if (g.PrimSurfSize.cx == 0 || g.PrimSurfSize.cx > 16384 || g.PrimSurfSize.cy == 0 ||
        g.PrimSurfSize.cy > 16384)
      return "PrimSurfSize";
    if (g.VisibleRegionSize.cx == 0 || g.VisibleRegionSize.cx > g.PrimSurfSize.cx ||
        g.VisibleRegionSize.cy == 0 || g.VisibleRegionSize.cy > g.PrimSurfSize.cy)
      return "VisibleRegionSize";
    if (g.Stride < g.PrimSurfSize.cx) return "Stride";
    if (g.PixelFormat == D3DDDIFMT_UNKNOWN) return "PixelFormat";
    if (g.ColorBasis < D3DKMDT_CB_INTENSITY || g.ColorBasis > D3DKMDT_CB_YPBPR) return "ColorBasis";
    if (g.PixelValueAccessMode < D3DKMDT_PVAM_DIRECT || g.PixelValueAccessMode > D3DKMDT_PVAM_SETTABLEPALETTE)
      return "PixelValueAccessMode";
    // Indices are those of P8, and colours are everything else.
    if ((g.PixelFormat == D3DDDIFMT_P8) != (g.PixelValueAccessMode != D3DKMDT_PVAM_DIRECT))
      return "PixelValueAccessMode for its PixelFormat";
    return nullptr;
  }
  static bool same(const D3DKMDT_VIDPN_SOURCE_MODE& a, const D3DKMDT_VIDPN_SOURCE_MODE& b) {
    return std::memcmp(&a.Format.Graphics, &b.Format.Graphics, sizeof a.Format.Graphics) == 0;
  }
};

template <>
struct ModeSetTraits<D3DKMDT_VIDPN_TARGET_MODE> {
  static constexpr uint64_t kMagic = 0x5E7053E700000002;
  static constexpr NTSTATUS kInvalidSet = kInvalidTargetModeSet;
  static constexpr const char* kName = "target mode set";
  static void initialize(D3DKMDT_VIDPN_TARGET_MODE& mode) {
    mode.VideoSignalInfo.VideoStandard = D3DKMDT_VSS_UNINITIALIZED;
    mode.Preference = D3DKMDT_MP_UNINITIALIZED;
  }
  static const char* check(const D3DKMDT_VIDPN_TARGET_MODE& mode) {
    if (mode.Preference != D3DKMDT_MP_PREFERRED && mode.Preference != D3DKMDT_MP_NOTPREFERRED)
      return "Preference";
    return checkSignal(mode.VideoSignalInfo);
  }
  static bool same(const D3DKMDT_VIDPN_TARGET_MODE& a, const D3DKMDT_VIDPN_TARGET_MODE& b) {
    return sameSignal(a.VideoSignalInfo, b.VideoSignalInfo);
  }
};

template <>
struct ModeSetTraits<D3DKMDT_MONITOR_SOURCE_MODE> {
  static constexpr uint64_t kMagic = 0x5E7053E700000003;
  static constexpr NTSTATUS kInvalidSet = ntStatus(0xC01E0321);
  static constexpr const char* kName = "monitor source mode set";
  static void initialize(D3DKMDT_MONITOR_SOURCE_MODE& mode) {
    mode.Preference = D3DKMDT_MP_UNINITIALIZED;
    mode.Origin = D3DKMDT_MCO_UNINITIALIZED;
  }
  static const char* check(const D3DKMDT_MONITOR_SOURCE_MODE& mode) {
    if (mode.Preference != D3DKMDT_MP_PREFERRED && mode.Preference != D3DKMDT_MP_NOTPREFERRED)
      return "Preference";
    if (mode.Origin <= D3DKMDT_MCO_UNINITIALIZED || mode.Origin > D3DKMDT_MCO_DRIVER) return "Origin";
    if (mode.ColorBasis < D3DKMDT_CB_INTENSITY || mode.ColorBasis > D3DKMDT_CB_YPBPR) return "ColorBasis";
    return checkSignal(mode.VideoSignalInfo);
  }
  static bool same(const D3DKMDT_MONITOR_SOURCE_MODE& a, const D3DKMDT_MONITOR_SOURCE_MODE& b) {
    return sameSignal(a.VideoSignalInfo, b.VideoSignalInfo);
  }
};

}  // namespace aerogpu::host
