// SPDX-License-Identifier: MIT
// display.h: the one video present source and target: modes, scanout, flips, vblank. The VidPN functions of the DDI,
// which only talk to the OS' objects, are in vidpn.cpp.
#pragma once

#include "edid.h"
#include "modes.h"
#include "registers.h"

namespace aero {

class AeroAdapter;

/** The only source, target and child. */
constexpr D3DDDI_VIDEO_PRESENT_SOURCE_ID kSourceId = 0;
constexpr D3DDDI_VIDEO_PRESENT_TARGET_ID kTargetId = 0;
constexpr ULONG kChildUid = 0;

class Display {
public:
  explicit Display(AeroAdapter &adapter) : m_adapter(adapter) {}

  /** Reads the EDID and makes the mode list; the POST display stays as it is. PASSIVE_LEVEL. */
  NTSTATUS start();
  void stop();
  void suspend();
  void restore();

  const ModeList &modes() const { return m_modes; }
  Rational refresh() const { return refreshFromPeriod(m_periodNs); }
  const uint8_t *edid() const { return m_edid; }
  uint32_t edidBytes() const { return m_edidBytes; }

  /** DxgkDdiCommitVidPn found this source mode pinned (or none: width 0). Scanout starts with the first address.
   *  PASSIVE_LEVEL. `format` is one of enum aerogpu_format, `pitch` in bytes. */
  NTSTATUS setMode(Mode mode, uint32_t format, uint32_t pitch);
  /** DxgkDdiSetVidPnSourceAddress: a flip; at most DIRQL, serialised with interrupt(). */
  void setAddress(uint64_t gpa);
  /** DxgkDdiSetVidPnSourceVisibility. PASSIVE_LEVEL. */
  void setVisible(bool visible);

  /** DxgkDdiControlInterrupt for CRTC_VSYNC; PASSIVE_LEVEL. */
  void enableVsync(bool enable);
  /** VBLANK was raised; DIRQL. Reports CRTC_VSYNC with the address that is shown. */
  bool interrupt();
  /** DxgkDdiGetScanLine; at most DIRQL. */
  void scanLine(DXGKARG_GETSCANLINE &args);

  /** The interrupts that the driver wants enabled; written by writeInterruptEnable(). */
  uint32_t interruptMask() const;

  /** What is programmed, for the escapes. */
  struct Scanout {
    bool enabled;
    uint32_t width, height, format, pitch;
    uint64_t address;
  };
  const Scanout &scanout() const { return m_scanout; }
  uint64_t vblankSequence() const;
  uint64_t vblankTimeNs() const;
  uint32_t vblankPeriodNs() const { return m_periodNs; }

private:
  void readEdid();
  void program();

  AeroAdapter &m_adapter;
  ModeList m_modes;
  uint8_t m_edid[1024] = {};
  uint32_t m_edidBytes = 0;
  uint32_t m_periodNs = 0;
  Scanout m_scanout = {};
  bool m_visible = false;
  bool m_vsync = false;
  uint64_t m_lastVblankTicks = 0;  // performance counter at the last vblank interrupt
};

}  // namespace aero
