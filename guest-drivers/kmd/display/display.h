// SPDX-License-Identifier: MIT
// display.h: the one video present source and target: modes, scanout, flips, vblank. The VidPN functions of
// the DDI, which only talk to the OS' objects, are in vidpn.cpp.
//
// The state that the interrupt routine and flips see (m_scanout, m_vsync and the rest below "at DIRQL")
// changes only in step with the interrupt, through DxgkCbSynchronizeExecution; only returnToVga(), which also
// runs when the system crashes, does without. Registers::readAdvancing64 reads the 64-bit registers that the
// device advances. It needs no lock, so the interrupt routine may trace vblanks with it.
#pragma once

#include "aerogpu/aerogpu_extension.h"
#include "guest-drivers/kmd/device/registers.h"
#include "guest-drivers/kmd/logic/edid.h"
#include "guest-drivers/kmd/logic/modes.h"
#include "guest-drivers/kmd/logic/surface.h"
#include "guest-drivers/kmd/logic/vblank_clock.h"

namespace aero {

class Segments;
struct Counters;
struct Features;

/** The only source, target and child. */
constexpr D3DDDI_VIDEO_PRESENT_SOURCE_ID kSourceId = 0;
constexpr D3DDDI_VIDEO_PRESENT_TARGET_ID kTargetId = 0;
constexpr ULONG kChildUid = 0;

class Display {
public:
  /** All outlive it; `features`, `segments` and `dxgk` are filled in before start(). */
  Display(const Registers &registers, const Features &features, const Segments &segments, Counters &counters,
          const DXGKRNL_INTERFACE &dxgk)
      : m_registers(registers), m_features(features), m_segments(segments), m_counters(counters), m_dxgk(dxgk) {}

  /** Reads the EDID and makes the mode list; the POST display stays as it is. PASSIVE_LEVEL. */
  NTSTATUS start();
  /** Stops vblank reports; the last picture stays. PASSIVE_LEVEL; the device's interrupts are masked or
   * about to be. */
  void stop();
  /** Power: suspend() blanks the screen, restore() brings it back. PASSIVE_LEVEL; the caller writes
   * IRQ_ENABLE. */
  void suspend();
  void restore();

  const ModeList &modes() const { return m_modes; }
  Rational refresh() const { return refreshFromPeriod(m_periodNs); }
  const uint8_t *edid() const { return m_edid; }
  uint32_t edidBytes() const { return m_edidBytes; }

  /** How DxgkDdiCommitVidPn leaves the path (page "DXGKARG_COMMITVIDPN_FLAGS"). */
  enum class Path {
    On,        // shown with the first address
    Restored,  // powered again: as before if the mode is the same
    Off,       // the mode holds, nothing is shown
  };
  /** DxgkDdiCommitVidPn found this source mode pinned (or none: width 0). Scanout starts with the first address.
   *  PASSIVE_LEVEL. `format` is one of enum aerogpu_format, `pitch` in bytes. */
  NTSTATUS setMode(Mode mode, uint32_t format, uint32_t pitch, Path path = Path::On);
  /** DxgkDdiSetPalette: sets colours of the palette, where the device has one. They show at once in a mode with a
   * palette. PASSIVE_LEVEL. */
  NTSTATUS setPalette(uint32_t first, uint32_t count, const D3DKMDT_PALETTEDATA *colors);
  /** True if a mode is set. */
  bool hasMode() const { return m_scanout.width != 0; }
  /** DxgkDdiSetVidPnSourceAddress: flips to `surface`, or, if that is null, to a surface with the format and pitch
   * of the mode. With handle spaces the device shows the driver's texture over allocation `allocId`; 0: the memory.
   * At most DIRQL. At PASSIVE_LEVEL, where a mode is set, a surface that cannot be shown (another mode's surface,
   * no mode, no such memory) is refused. At DIRQL the last picture stays and the vertical syncs report the flip
   * anyway: a failure is of no use to the OS there (its page knows one from Windows 8 on), and an unreported flip
   * would hold up all that follow.
   */
  NTSTATUS setAddress(const DXGKARG_SETVIDPNSOURCEADDRESS &args, const Surface *surface, uint32_t allocId);
  /** DxgkDdiSetVidPnSourceVisibility. PASSIVE_LEVEL. */
  void setVisible(bool visible);

  /** DxgkDdiControlInterrupt for CRTC_VSYNC; PASSIVE_LEVEL. */
  void enableVsync(bool enable);
  /** VBLANK was raised; DIRQL. Reports CRTC_VSYNC with the address that is shown. Returns true if that
   * needs a DPC. */
  bool interrupt();
  /** DxgkDdiGetScanLine; at most DISPATCH_LEVEL. */
  void scanLine(DXGKARG_GETSCANLINE &args);

  /** Makes the device show VGA again, if it can; the next picture enables the scanout again. Any IRQL, also if the
   * display was not started. */
  void returnToVga();

  /** For the self test: turns vblank interrupts on, even if the OS does not want them, and counts them.
   * PASSIVE_LEVEL. */
  void beginProbe();
  void endProbe();
  struct Probe {
    uint32_t delivered, uncleared;
  };
  Probe probed() const { return {m_probeDelivered, m_probeUncleared}; }
  bool probing() const { return m_probing; }
  /** VBLANK was raised and acknowledged; `status` is IRQ_STATUS after that. DIRQL. */
  void probe(uint32_t status) {
    m_probeDelivered = m_probeDelivered + 1;
    m_probeUncleared = status & AEROGPU_IRQ_SCANOUT_VBLANK ? m_probeUncleared + 1 : 0;
  }
  /** True if VBLANK_PERIOD_NS may have this value. */
  static bool isPeriod(uint32_t ns);

  /** Returns the value for IRQ_ENABLE: completions and errors always, vblank if the OS or the self test
   * wants it. Any IRQL.
   */
  uint32_t interruptMask() const;

  /** The programmed scanout, for the escapes. */
  struct Scanout {
    bool enabled;
    uint32_t width, height, format, pitch;
    uint64_t address;  // 0 = none since the mode was set
    uint32_t allocId;  // the owner of that memory
  };
  const Scanout &scanout() const { return m_scanout; }
  /** Returns the address of the allocation if it is on the screen, because the OS does not move it then; else 0. At
   * most DISPATCH_LEVEL. */
  uint64_t shownAt(uint32_t allocId);
  uint64_t vblankSequence() const;
  uint64_t vblankTimeNs() const;
  /** A vertical blank: its number, and its time by the device's clock. */
  struct Vblank {
    uint64_t sequence, timeNs;
  };
  /** Returns the last vertical blank; number and time belong together. Any IRQL. */
  Vblank lastVblank() const;
  /** The last vertical blank and IRQ_STATUS, at most a millisecond old. For callers that may ask as often
   * as they like, because each register read is an exit of the virtual machine under QEMU's lock. At most
   * DISPATCH_LEVEL. */
  struct Recent {
    Vblank vblank;
    uint32_t irqStatus;
  };
  Recent recent();
  uint32_t vblankPeriodNs() const { return m_periodNs; }

private:
  static constexpr uint32_t kColors = AEROGPU_EXT_PALETTE_ENTRIES;

  void readEdid();
  void writePalette(uint32_t first, uint32_t count);
  template <class Action> void atDirql(Action action);
  template <class Action> static BOOLEAN NTAPI callAtDirql(PVOID action);
  /** At DIRQL: brings the registers in line with the state. */
  void program();
  void blank();
  struct Frame {
    uint64_t address;
    uint32_t format, pitch, allocId;
  };
  /** Fills in the frame that the OS wants shown, except its allocId. Returns false if it cannot be shown.
   * Any IRQL. */
  bool locate(const DXGKARG_SETVIDPNSOURCEADDRESS &args, const Surface *surface, Frame &frame) const;
  void flip(const Frame &frame);
  /** Records a flip to `address` that shows nothing. */
  void passOver(uint64_t address);
  /** Makes the next vertical sync report `address`. */
  void flipped(uint64_t address);
  void writeAddress();
  void notifyVsync();
  /** While nothing is scanned out the device has no vblank, but the OS still wants one (page
   * "DXGKARG_SETVIDPNSOURCEVISIBILITY"): this arms a timer for it. At most DISPATCH_LEVEL. */
  void armTimer();
  void disarmTimer();
  static VOID NTAPI timerDpc(PKDPC dpc, PVOID self, PVOID, PVOID);
  uint32_t phaseNow();

  const Registers &m_registers;
  const Features &m_features;
  const Segments &m_segments;
  Counters &m_counters;
  const DXGKRNL_INTERFACE &m_dxgk;
  ModeList m_modes;
  uint8_t m_edid[1024] = {};
  uint32_t m_edidBytes = 0;
  uint32_t m_periodNs = 0;
  uint64_t m_frequency = 1;          // performance counter, Hz
  uint32_t m_palette[kColors] = {};  // 0x00RRGGBB; PASSIVE_LEVEL

  // At DIRQL:
  Scanout m_scanout = {};
  uint64_t m_flippedTo = 0;  // set by the OS; usually the address shown. 0: nothing since the mode was set
  uint32_t m_totalLines = 0;
  bool m_active = false;  // between start and stop, powered
  bool m_pathOn = false;
  bool m_visible = false;
  bool m_vsync = false;
  volatile bool m_probing = false;
  volatile uint32_t m_probeDelivered = 0;
  volatile uint32_t m_probeUncleared = 0;  // number of the latest ones in a row
  volatile uint32_t m_vsyncTicks = 0;      // performance counter's low half at the last reported vblank
  volatile bool m_vsyncSeen = false;       // m_vsyncTicks belongs to the running clock
  volatile uint32_t m_enableSerial = 0;    // how often the device's vblank clock was started
  bool m_flippedLate = false;              // an unreported vblank belongs to the picture before the last flip,
  uint64_t m_addressBefore = 0;            // which the OS had flipped to

  KTIMER m_timer = {};
  KDPC m_timerDpc = {};
  bool m_timerReady = false;

  KSPIN_LOCK m_clockLock = 0;
  // Under m_clockLock:
  VblankClock m_clock;
  uint32_t m_clockSerial = 0;
  uint64_t m_clockTrustedNs = 0;
  Recent m_recent = {};
  uint64_t m_recentNs = 0;  // by the performance counter
  bool m_recentKnown = false;
};

}  // namespace aero
