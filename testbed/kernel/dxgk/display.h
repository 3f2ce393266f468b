// SPDX-License-Identifier: MIT
// Mode setting, flips, pointer: makes the VidPN calls by which Windows changes a mode (pages
// "DxgkDdiEnumVidPnCofuncModality", "DxgkDdiCommitVidPn", "DxgkDdiSetVidPnSourceAddress"), and checks its
// rules on the way.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "testbed/kernel/dxgk/vidmm.h"
#include "testbed/kernel/dxgk/vidpn.h"

namespace aerogpu::host {

class AdapterCore;

struct DisplayMode {
  UINT width = 0, height = 0;
  D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;
  UINT refreshNumerator = 0, refreshDenominator = 0;

  bool operator==(const DisplayMode&) const = default;
};

class Display {
public:
  Display(AdapterCore& adapter, Vidmm& vidmm) : m_adapter(adapter), m_vidmm(vidmm) {}

  /// Reads EDID, the driver's monitor modes, and the source and target modes that it offers.
  bool enumerate();
  const std::vector<DisplayMode>& modes() const { return m_modes; }
  const std::vector<uint8_t>& edid() const { return m_edid; }
  DisplayMode preferred() const;

  /// Runs the whole sequence, with its own shared primary; returns false after a broken rule.
  bool setMode(const DisplayMode& mode);
  const DisplayMode& mode() const { return m_mode; }
  bool modeSet() const { return m_committed != nullptr; }
  Allocation* primary() { return m_primary.get(); }
  std::shared_ptr<Allocation> sharedPrimary() { return m_primary; }

  /// Sets full screen: `mode` with an allocation of a process as the primary, which is pinned; its owner
  /// gives it up only after restoreDesktop(). The desktop's primary stays as it is.
  bool setExclusive(const DisplayMode& mode, Allocation& primary);
  /// Restores the desktop's mode and primary.
  bool restoreDesktop();
  /// Returns the mode of the last setMode().
  const DisplayMode& desktopMode() const { return m_desktopMode; }
  /// Returns the offered mode of this size and format, with this refresh rate if there is one; null if there
  /// is none.
  const DisplayMode* find(UINT width, UINT height, D3DDDIFORMAT format, UINT numerator,
                          UINT denominator) const;

  /// Sets the gamma ramp of the path, null: the default one (D3DKMTSetGammaRamp; pages
  /// "DxgkDdiUpdateActiveVidPnPresentPath", "DXGK_GAMMARAMPCAPS"). A driver without ramps is not asked.
  NTSTATUS setGammaRamp(const D3DDDI_GAMMA_RAMP_RGB256x3x16* ramp);
  /// Sets the visibility of the source.
  NTSTATUS setVisible(bool visible);
  /// Flips to `allocation`, which must be resident in a segment and is pinned there. `immediate`: without a
  /// vertical sync, which the driver must announce (FlipImmediateMmIo).
  NTSTATUS flip(Allocation& allocation, bool immediate = false);
  /// Flips to any place, memory-mapped: at DIRQL, in step with the interrupt. No caller can act on its
  /// failure there.
  NTSTATUS flipAtDirql(const DXGKARG_SETVIDPNSOURCEADDRESS& args);
  /// Pins into a segment that scanout can read.
  bool pin(Allocation& allocation);
  void unpin(Allocation& allocation) { allocation.pinned = false; }

  /// Sets colours of the palette, from entry `first` on, as Windows does in a mode with a palette.
  NTSTATUS setPalette(UINT first, std::span<const D3DKMDT_PALETTEDATA> colors);
  NTSTATUS setPointerShape(const DXGKARG_SETPOINTERSHAPE& shape);
  NTSTATUS setPointerPosition(int x, int y, bool visible);
  NTSTATUS controlVsync(bool enable);
  NTSTATUS getScanLine(DXGKARG_GETSCANLINE& out);

  /// Calls IsSupportedVidPn for any VidPN.
  bool isSupported(VidPn& vidPn);
  /// Calls EnumVidPnCofuncModality; the mode sets of `vidPn` are the driver's afterwards.
  NTSTATUS enumModality(VidPn& vidPn, D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivot, UINT source, UINT target);
  /// Commits the mode from before a power transition again, and shows `shown`, or, if that is null, the
  /// desktop's primary.
  bool recommit(Allocation* shown = nullptr);
  /// Moves the session elsewhere, as Remote Desktop does: hides the source and commits a VidPN without paths.
  /// setMode() brings the display back.
  bool disconnect();
  /// Puts a leftover gamma ramp into paths from now on.
  void leaveGammaRamp() { m_gammaLeft = true; }
  /// Drops the committed mode and the primary.
  void stop();

private:
  NTSTATUS commit(VidPn& vidPn, Allocation* primary, bool powerTransition);
  bool pinModes(VidPn& vidPn, const DisplayMode& mode);
  bool program(const DisplayMode& mode, Allocation& primary);
  void checkCofunctional(const VidPn& vidPn, const char* when);

  AdapterCore& m_adapter;
  Vidmm& m_vidmm;
  std::vector<DisplayMode> m_modes;
  std::vector<uint8_t> m_edid;
  std::unique_ptr<VidPn> m_committed;
  std::shared_ptr<Allocation> m_primary;
  DisplayMode m_mode, m_desktopMode;
  bool m_gammaLeft = false;
};

}  // namespace aerogpu::host
