// SPDX-License-Identifier: MIT
// Mode setting, flips, pointer: the sequence of VidPN calls that Windows makes to change a mode (pages
// "DxgkDdiEnum- VidPnCofuncModality", "DxgkDdiCommitVidPn", "DxgkDdiSetVidPnSourceAddress"), with its rules
// checked on the way.
#pragma once

#include <cstdint>
#include <memory>
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

  /// EDID, the driver's monitor modes, and the source and target modes that it offers.
  bool enumerate();
  const std::vector<DisplayMode>& modes() const { return m_modes; }
  const std::vector<uint8_t>& edid() const { return m_edid; }
  DisplayMode preferred() const;

  /// The whole sequence, with a shared primary of its own; false after a broken rule.
  bool setMode(const DisplayMode& mode);
  const DisplayMode& mode() const { return m_mode; }
  bool modeSet() const { return m_committed != nullptr; }
  Allocation* primary() { return m_primary.get(); }
  std::shared_ptr<Allocation> sharedPrimary() { return m_primary; }

  /// Full screen: `mode` with an allocation of a process as the primary, which is pinned; its owner gives it
  /// up only after restoreDesktop(). The desktop's primary stays as it is.
  bool setExclusive(const DisplayMode& mode, Allocation& primary);
  /// The desktop's mode and primary again.
  bool restoreDesktop();
  /// The mode of the last setMode().
  const DisplayMode& desktopMode() const { return m_desktopMode; }
  /// The offered mode of this size and format, with this refresh rate if there is one; null if there is none.
  const DisplayMode* find(UINT width, UINT height, D3DDDIFORMAT format, UINT numerator,
                          UINT denominator) const;

  /// Visibility of the source.
  NTSTATUS setVisible(bool visible);
  /// A flip to `allocation`, which must be resident in a segment and is pinned there.
  /// `immediate`: without a vertical sync, which the driver must say it can do that way (FlipImmediateMmIo).
  NTSTATUS flip(Allocation& allocation, bool immediate = false);
  /// A memory-mapped flip to any place: at DIRQL, in step with the interrupt. Nobody can act on its failure
  /// there.
  NTSTATUS flipAtDirql(const DXGKARG_SETVIDPNSOURCEADDRESS& args);
  /// Pins into a segment that scanout can read.
  bool pin(Allocation& allocation);
  void unpin(Allocation& allocation) { allocation.pinned = false; }

  NTSTATUS setPointerShape(const DXGKARG_SETPOINTERSHAPE& shape);
  NTSTATUS setPointerPosition(int x, int y, bool visible);
  NTSTATUS controlVsync(bool enable);
  NTSTATUS getScanLine(DXGKARG_GETSCANLINE& out);

  /// IsSupportedVidPn for any VidPN.
  bool isSupported(VidPn& vidPn);
  /// EnumVidPnCofuncModality; the mode sets of `vidPn` afterwards are the driver's.
  NTSTATUS enumModality(VidPn& vidPn, D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivot, UINT source, UINT target);
  /// The same mode as before a power transition, and `shown` on the screen, or the desktop's primary where
  /// that is null.
  bool recommit(Allocation* shown = nullptr);
  /// The session goes elsewhere, as with Remote Desktop: the source is hidden, and a VidPN without paths
  /// committed. setMode() brings the display back.
  bool disconnect();
  /// From now on paths come with the gamma ramp that somebody left there.
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
