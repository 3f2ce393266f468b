// SPDX-License-Identifier: MIT
// vidpn.h: the driver's side of video present networks: states the display's abilities through the OS'
// objects (d3dkmddi pages "DxgkDdiEnumVidPnCofuncModality" and its neighbours; conceptual page "Enumerating
// Cofunctional VidPN Source and Target Modes"). One source, one target, no scaler, no rotation.
// PASSIVE_LEVEL. Builds on Linux too, where vidpn_test.cpp plays the OS.
#pragma once

#include "guest-drivers/kmd/logic/modes.h"
#include "guest-drivers/kmd/os/nt.h"

namespace aero {

/** The mode that a VidPN pins on the source. */
struct PinnedMode {
  Mode mode = {0, 0};  // width 0: none
  D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;
  uint32_t pitch = 0;  // bytes
};

class VidPn {
public:
  /** `query` and `modes` outlive the object. `palette`: the display shows indices of a palette too. */
  VidPn(DXGKCB_QUERYVIDPNINTERFACE query, const ModeList &modes, Rational refresh, bool palette)
      : m_query(query), m_modes(modes), m_refresh(refresh), m_palette(palette) {}

  /** Sets `supported` if the display can show the VidPN, or one made by completing it. */
  NTSTATUS isSupported(D3DKMDT_HVIDPN vidPn, BOOLEAN &supported) const;
  /** Replaces the mode sets that are neither pinned nor the pivot by all modes that fit, and states the
   * path's abilities.
   */
  NTSTATUS enumCofuncModality(const DXGKARG_ENUMVIDPNCOFUNCMODALITY &args) const;
  /** Makes an empty VidPN functional, with the preferred mode. */
  NTSTATUS recommendFunctional(D3DKMDT_HVIDPN vidPn) const;
  /** Adds the one path if it is missing. */
  NTSTATUS recommendTopology(D3DKMDT_HVIDPN vidPn, D3DDDI_VIDEO_PRESENT_SOURCE_ID source) const;
  /** Adds the display's modes to those of the monitor. */
  NTSTATUS recommendMonitorModes(const DXGKARG_RECOMMENDMONITORMODES &args) const;
  /** Reads the mode that a VidPN which becomes active asks for; width 0 if it shows nothing. */
  NTSTATUS readActive(D3DKMDT_HVIDPN vidPn, PinnedMode &pinned) const;

  /** Fails if a path, between our source and target, asks for something that the display lacks. */
  static NTSTATUS checkPath(const D3DKMDT_VIDPN_PRESENT_PATH &path);
  /** Checks a path that is updated, including its gamma ramp; without `hasRamps` that may change nothing. Only this
   * function looks at the ramp: a ramp left over in a path is no reason to refuse its mode. */
  static NTSTATUS checkUpdate(const D3DKMDT_VIDPN_PRESENT_PATH &path, bool hasRamps);

private:
  struct Topology;
  struct Pins;
  NTSTATUS interfaceOf(D3DKMDT_HVIDPN vidPn, const DXGK_VIDPN_INTERFACE *&interface) const;
  NTSTATUS readPins(const DXGK_VIDPN_INTERFACE &interface, D3DKMDT_HVIDPN vidPn, Pins &pins) const;
  bool shows(const Pins &pins) const;
  NTSTATUS assignSourceModes(const DXGK_VIDPN_INTERFACE &interface, D3DKMDT_HVIDPN vidPn, const Mode *only,
                             bool pin) const;
  NTSTATUS assignTargetModes(const DXGK_VIDPN_INTERFACE &interface, D3DKMDT_HVIDPN vidPn, const Mode *only,
                             bool pin) const;
  NTSTATUS addPath(const Topology &topology) const;
  void describe(Mode mode, D3DKMDT_VIDEO_SIGNAL_INFO &signal) const;

  DXGKCB_QUERYVIDPNINTERFACE m_query;
  const ModeList &m_modes;
  Rational m_refresh;
  bool m_palette;
};

}  // namespace aero
