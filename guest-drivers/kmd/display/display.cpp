// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/display/display.h"

#include "aerogpu/aerogpu_format.h"
#include "aerogpu/aerogpu_spaces.h"
#include "guest-drivers/kmd/device/device_features.h"
#include "guest-drivers/kmd/memory/segments.h"
#include "guest-drivers/kmd/os/counters.h"
#include "guest-drivers/kmd/os/trace.h"

namespace aero {
namespace {

/** The mode if the device has no EDID to read. */
constexpr EdidMode kFallbackMode = {1024, 768};
constexpr uint32_t kDefaultPeriodNs = 16666667;
constexpr uint32_t kMinPeriodNs = 1000000;  // 1000 Hz
constexpr uint32_t kMaxPeriodNs = 200000000;

/** phaseNow() reads the device only if the raster's position is known no better than to this part of a period... */
constexpr uint32_t kKnownParts = 32;
/** ...and at most once in this part of a period. */
constexpr uint32_t kReadingParts = 64;

uint32_t scanoutBytes(uint32_t format) {
  return format == AEROGPU_EXT_SCANOUT_P8 ? 1 : format == AEROGPU_FORMAT_B5G6R5_UNORM ? 2 : 4;
}

/** Returns the format to scan out for a surface's format: the screen has no use for alpha. Invalid: the
 * format cannot be scanned out. */
uint32_t scanoutFormat(uint32_t format) {
  switch (format) {
  case AEROGPU_FORMAT_B8G8R8A8_UNORM:
  case AEROGPU_FORMAT_B8G8R8X8_UNORM:
    return AEROGPU_FORMAT_B8G8R8X8_UNORM;
  case AEROGPU_FORMAT_B5G6R5_UNORM:
    return format;
  case AEROGPU_EXT_SCANOUT_P8:
  case kIndexTexture:
    return AEROGPU_EXT_SCANOUT_P8;
  default:
    return AEROGPU_FORMAT_INVALID;
  }
}

}  // namespace

template <class Action> BOOLEAN NTAPI Display::callAtDirql(PVOID action) {
  (*static_cast<Action *>(action))();
  return TRUE;
}

template <class Action> void Display::atDirql(Action action) {
  BOOLEAN returned;
  // The call fails if no interrupt is connected; there is then nothing to synchronise with.
  if (!NT_SUCCESS(m_dxgk.DxgkCbSynchronizeExecution(m_dxgk.DeviceHandle, callAtDirql<Action>, &action, 0, &returned)))
    action();
}

NTSTATUS Display::start() {
  LARGE_INTEGER frequency;
  KeQueryPerformanceCounter(&frequency);
  m_frequency = frequency.QuadPart > 0 ? static_cast<uint64_t>(frequency.QuadPart) : 1;
  m_periodNs = m_registers.read(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
  if (!isPeriod(m_periodNs)) m_periodNs = kDefaultPeriodNs;
  readEdid();
  const EdidMode preferred = edidPreferred(m_edid);
  // A flip needs two frames.
  m_modes.fill({preferred.width, preferred.height}, m_segments.vramBytes() / 2);

  KeInitializeSpinLock(&m_clockLock);
  m_clock.reset();
  m_recentKnown = false;
  KeInitializeTimer(&m_timer);
  KeInitializeDpc(&m_timerDpc, timerDpc, this);
  m_timerReady = true;
  atDirql([this] {
    m_scanout = {};
    m_flippedTo = 0;
    m_totalLines = 0;
    m_pathOn = m_visible = m_vsync = false;
    m_probing = false;
    m_vsyncSeen = false;
    m_active = true;
  });
  return STATUS_SUCCESS;
}

void Display::stop() {
  if (!m_timerReady) return;
  atDirql([this] {
    m_vsync = false;
    m_vsyncSeen = false;
    if (m_active) m_registers.write(AEROGPU_MMIO_REG_IRQ_ENABLE, interruptMask());
    if (m_active && m_features.follows()) m_registers.write(AEROGPU_EXT_REG_SCANOUT0_FOLLOW, 0);
    m_active = false;
  });
  disarmTimer();
  m_timerReady = false;
}

void Display::suspend() {
  atDirql([this] {
    blank();
    m_active = false;
  });
  disarmTimer();
}

void Display::restore() {
  if (m_scanout.format == AEROGPU_EXT_SCANOUT_P8) writePalette(0, kColors);  // a sleep may have reset the device
  atDirql([this] {
    m_active = true;
    program();
  });
  armTimer();
}

void Display::readEdid() {
  m_edidBytes = 0;
  if (m_features.high & AEROGPU_EXT_FEATURE_HI_EDID) {
    uint32_t bytes = m_registers.read(AEROGPU_EXT_REG_EDID_SIZE);
    if (bytes > sizeof m_edid) bytes = sizeof m_edid;
    bytes -= bytes % kEdidBlock;
    for (uint32_t at = 0; at < bytes; at += sizeof(uint32_t)) {
      const uint32_t word = m_registers.read(AEROGPU_EXT_REG_EDID + at);
      RtlCopyMemory(m_edid + at, &word, sizeof word);
    }
    if (bytes && edidValid(m_edid)) m_edidBytes = bytes;
  }
  if (!m_edidBytes) {
    edidBuild(m_edid, kFallbackMode);
    m_edidBytes = kEdidBlock;
  }
}

NTSTATUS Display::setMode(Mode mode, uint32_t format, uint32_t pitch, Path path) {
  format = scanoutFormat(format);
  if (mode.width && (!format || pitch < uint64_t{mode.width} * scanoutBytes(format))) return STATUS_INVALID_PARAMETER;
  const uint32_t totalLines = mode.width ? timingOf(mode, refresh()).totalHeight : 0;
  atDirql([&] {
    const bool same = mode.width == m_scanout.width && mode.height == m_scanout.height;
    m_pathOn = path != Path::Off && mode.width != 0;
    if (same && path != Path::On) {
      // Only the monitor's power changed: the primary stays.
      if (m_pathOn)
        program();
      else
        blank();
      return;
    }
    blank();
    // The old primary may be gone by now, so no address is reported until the OS sets the new mode's first one.
    m_scanout = {false, mode.width, mode.height, format, pitch, 0, 0};
    m_flippedTo = 0;
    m_totalLines = totalLines;
  });
  if (m_active && format == AEROGPU_EXT_SCANOUT_P8) writePalette(0, kColors);
  armTimer();
  return STATUS_SUCCESS;
}

NTSTATUS Display::setPalette(uint32_t first, uint32_t count, const D3DKMDT_PALETTEDATA *colors) {
  if (first > kColors || count > kColors - first || (count && !colors)) return STATUS_INVALID_PARAMETER;
  for (uint32_t i = 0; i < count; i++)
    m_palette[first + i] = uint32_t{colors[i].Red} << 16 | uint32_t{colors[i].Green} << 8 | colors[i].Blue;
  if (m_active) writePalette(first, count);
  return STATUS_SUCCESS;
}

/** Needs no step with the interrupt: nothing else writes these registers, and each shows by itself (PAL-3). */
void Display::writePalette(uint32_t first, uint32_t count) {
  for (uint32_t i = first; i < first + count; i++)
    m_registers.write(AEROGPU_EXT_REG_PALETTE + i * sizeof(uint32_t), m_palette[i]);
}

bool Display::locate(const DXGKARG_SETVIDPNSOURCEADDRESS &args, const Surface *surface, Frame &frame) const {
  if (!hasMode()) return false;
  frame.format = m_scanout.format;
  frame.pitch = m_scanout.pitch;
  if (surface && surface->format != AEROGPU_FORMAT_INVALID) {
    frame.format = scanoutFormat(surface->format);
    frame.pitch = surface->pitch;
    if (!frame.format || surface->width < m_scanout.width || surface->height < m_scanout.height) return false;
  }
  const uint64_t line = uint64_t{m_scanout.width} * scanoutBytes(frame.format);
  if (frame.pitch < line) return false;
  const auto address = static_cast<uint64_t>(args.PrimaryAddress.QuadPart);
  const uint64_t bytes = uint64_t{frame.pitch} * (m_scanout.height - 1) + line;
  MemoryRef place;
  if (!m_segments.locate(args.PrimarySegment, address, bytes, place) || place.kind != MemoryRef::Linear) return false;
  frame.address = place.gpa;
  return true;
}

NTSTATUS Display::setAddress(const DXGKARG_SETVIDPNSOURCEADDRESS &args, const Surface *surface, uint32_t allocId) {
  Frame frame = {};
  frame.allocId = allocId;
  // Flips come at DIRQL, in step with the interrupt already; mode changes do not.
  if (KeGetCurrentIrql() <= DISPATCH_LEVEL) {
    if (!locate(args, surface, frame)) return STATUS_INVALID_PARAMETER;
    atDirql([&] { flip(frame); });
    return STATUS_SUCCESS;
  }
  if (locate(args, surface, frame))
    flip(frame);
  else
    passOver(static_cast<uint64_t>(args.PrimaryAddress.QuadPart));
  return STATUS_SUCCESS;
}

void Display::flip(const Frame &frame) {
  const bool changed = frame.format != m_scanout.format || frame.pitch != m_scanout.pitch;
  trace::write<trace::Flip>([&] { return trace::Flip{frame.address}; });
  m_scanout.address = frame.address;
  m_scanout.format = frame.format;
  m_scanout.pitch = frame.pitch;
  m_scanout.allocId = frame.allocId;
  if (!m_scanout.enabled) {
    m_flippedTo = frame.address;
    program();
    return;
  }
  if (changed) {
    m_registers.write(AEROGPU_MMIO_REG_SCANOUT0_FORMAT, frame.format);
    m_registers.write(AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, frame.pitch);
  }
  writeAddress();
  flipped(frame.address);
}

void Display::passOver(uint64_t address) {
  trace::write<trace::Flip>([&] { return trace::Flip{address}; });
  flipped(address);
}

void Display::flipped(uint64_t address) {
  const uint64_t before = m_flippedTo;
  m_flippedTo = address;
  // A flip is done at the vertical sync after it (page "DxgkDdiSetVidPnSourceAddress"). The status is read
  // after the write, so that a sync in between is not taken for the next one.
  if (m_scanout.enabled && m_vsync && !m_flippedLate &&
      m_registers.read(AEROGPU_MMIO_REG_IRQ_STATUS) & AEROGPU_IRQ_SCANOUT_VBLANK) {
    m_flippedLate = true;
    m_addressBefore = before;
  }
}

void Display::writeAddress() {
  // The device reads the allocation's id when the address is written (SPACE-18), so the id is written first.
  if (m_features.spaces()) m_registers.write(AEROGPU_EXT_REG_SCANOUT0_ALLOC, m_scanout.allocId);
  m_registers.write64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, m_scanout.address);
}

uint64_t Display::shownAt(uint32_t allocId) {
  uint64_t address = 0;
  atDirql([&] {
    if (m_scanout.enabled && m_scanout.allocId == allocId) address = m_scanout.address;
  });
  return address;
}

void Display::setVisible(bool visible) {
  atDirql([&] {
    m_visible = visible;
    if (visible)
      program();
    else
      blank();
  });
  armTimer();
}

void Display::program() {
  if (!m_active || !m_pathOn || !m_visible || !m_scanout.address) return;
  m_registers.write(AEROGPU_MMIO_REG_SCANOUT0_WIDTH, m_scanout.width);
  m_registers.write(AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, m_scanout.height);
  m_registers.write(AEROGPU_MMIO_REG_SCANOUT0_FORMAT, m_scanout.format);
  m_registers.write(AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, m_scanout.pitch);
  writeAddress();
  if (m_scanout.enabled) return;
  // A program that owns the screen may draw to it and never present: DirectDraw has no call that says so.
  if (m_features.follows()) m_registers.write(AEROGPU_EXT_REG_SCANOUT0_FOLLOW, 1);
  m_registers.write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
  m_scanout.enabled = true;
  m_vsyncSeen = false;
  m_enableSerial = m_enableSerial + 1;
}

/** Before the first mode is shown this leaves the boot display alone: nothing is enabled yet. */
void Display::blank() {
  if (m_scanout.enabled) m_registers.write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
  m_scanout.enabled = false;
  m_vsyncSeen = m_flippedLate = false;
}

uint32_t Display::interruptMask() const {
  return AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR | (m_vsync || m_probing ? AEROGPU_IRQ_SCANOUT_VBLANK : 0);
}

bool Display::isPeriod(uint32_t ns) {
  return ns >= kMinPeriodNs && ns <= kMaxPeriodNs;
}

void Display::beginProbe() {
  atDirql([this] {
    m_probeDelivered = 0;
    m_probeUncleared = 0;
    m_probing = true;
    if (m_active) m_registers.write(AEROGPU_MMIO_REG_IRQ_ENABLE, interruptMask());
  });
}

void Display::endProbe() {
  atDirql([this] {
    m_probing = false;
    if (m_active) m_registers.write(AEROGPU_MMIO_REG_IRQ_ENABLE, interruptMask());
  });
}

void Display::enableVsync(bool enable) {
  atDirql([&] {
    if (enable == m_vsync) return;
    m_vsync = enable;
    m_vsyncSeen = m_flippedLate = false;
    if (!m_active) return;  // restore()'s caller writes the mask
    // A vblank from the time when no one waited is not delivered now.
    if (enable) m_registers.write(AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_SCANOUT_VBLANK);
    m_registers.write(AEROGPU_MMIO_REG_IRQ_ENABLE, interruptMask());
  });
  armTimer();
}

bool Display::interrupt() {
  if (!m_vsync || !m_active || !m_scanout.enabled) return false;
  notifyVsync();
  return true;
}

void Display::notifyVsync() {
  trace::write<trace::Vblank>([&] {
    const Vblank last = lastVblank();
    return trace::Vblank{last.sequence, last.timeNs};
  });
  m_vsyncTicks = KeQueryPerformanceCounter(nullptr).LowPart;
  m_vsyncSeen = true;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
  data.CrtcVsync.VidPnTargetId = kTargetId;
  data.CrtcVsync.PhysicalAddress.QuadPart = static_cast<LONGLONG>(m_flippedLate ? m_addressBefore : m_flippedTo);
  m_flippedLate = false;
  m_dxgk.DxgkCbNotifyInterrupt(m_dxgk.DeviceHandle, &data);
}

void Display::armTimer() {
  if (!m_timerReady || !m_active || !m_vsync || m_scanout.enabled) return;
  // Timers end with a tick of the system clock, usually 15.6 ms: if each started from the last one's end, 60
  // of them would take two seconds. So each is due at a multiple of the period.
  const uint64_t now = KeQueryInterruptTime(), period = m_periodNs / 100;
  LARGE_INTEGER due;
  due.QuadPart = -static_cast<LONGLONG>(period - now % period);
  KeSetTimer(&m_timer, due, &m_timerDpc);
}

void Display::disarmTimer() {
  // A running DPC may set the timer once more; after the first flush none does, as nothing is active.
  for (int i = 0; i < 2; i++) {
    KeCancelTimer(&m_timer);
    KeFlushQueuedDpcs();
  }
}

VOID NTAPI Display::timerDpc(PKDPC, PVOID context, PVOID, PVOID) {
  auto *self = static_cast<Display *>(context);
  bool reported = false;
  self->atDirql([&] {
    if (!self->m_active || !self->m_vsync || self->m_scanout.enabled) return;
    self->notifyVsync();
    self->m_dxgk.DxgkCbQueueDpc(self->m_dxgk.DeviceHandle);
    reported = true;
  });
  if (reported) self->armTimer();
}

uint32_t Display::phaseNow() {
  const LARGE_INTEGER ticks = KeQueryPerformanceCounter(nullptr);
  if (m_vsyncSeen) {
    const uint64_t since = counterNs(ticks.LowPart - m_vsyncTicks, m_frequency);
    if (since < uint64_t{m_periodNs} * 2) {
      m_counters.scanLineFromClock++;
      return static_cast<uint32_t>(since % m_periodNs);
    }
  }
  const uint64_t now = counterNs(static_cast<uint64_t>(ticks.QuadPart), m_frequency);
  KIRQL irql;
  KeAcquireSpinLock(&m_clockLock, &irql);
  if (m_clockSerial != m_enableSerial) {
    // The clock was started anew. Until its first tick the device returns the old clock's last tick.
    m_clockSerial = m_enableSerial;
    m_clock.reset();
    m_clockTrustedNs = now + 2 * uint64_t{m_periodNs};
  }
  if (m_scanout.enabled && now >= m_clockTrustedNs && m_clock.uncertainty(now) > m_periodNs / kKnownParts &&
      now - m_clock.observedAt() >= m_periodNs / kReadingParts) {
    m_counters.scanLineFromDevice++;
    const uint64_t vblank = vblankTimeNs();
    const LARGE_INTEGER after = KeQueryPerformanceCounter(nullptr);
    m_clock.observe(vblank, now, counterNs(static_cast<uint64_t>(after.QuadPart), m_frequency), m_periodNs);
  } else {
    m_counters.scanLineFromClock++;
  }
  const uint32_t phase = m_clock.phase(now, m_periodNs);
  KeReleaseSpinLock(&m_clockLock, irql);
  return phase;
}

void Display::scanLine(DXGKARG_GETSCANLINE &args) {
  const uint32_t phase = phaseNow();
  const uint32_t active = m_scanout.height, total = m_totalLines;
  // Without a mode the raster is always in the blank.
  const Raster raster = active && total > active ? rasterAt(active, total, phase, m_periodNs) : Raster{true, 0};
  args.InVerticalBlank = raster.inBlank;
  args.ScanLine = raster.line;
}

uint64_t Display::vblankSequence() const {
  return m_registers.readAdvancing64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
}

uint64_t Display::vblankTimeNs() const {
  return m_registers.readAdvancing64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);
}

Display::Vblank Display::lastVblank() const {
  for (;;) {
    const Vblank last{vblankSequence(), vblankTimeNs()};
    // The device may tick between two reads.
    if (vblankSequence() == last.sequence) return last;
  }
}

Display::Recent Display::recent() {
  constexpr uint64_t kRecentNs = 1000000;
  KIRQL irql;
  KeAcquireSpinLock(&m_clockLock, &irql);
  const uint64_t now = counterNs(static_cast<uint64_t>(KeQueryPerformanceCounter(nullptr).QuadPart), m_frequency);
  if (!m_recentKnown || now - m_recentNs >= kRecentNs) {
    m_recent = {lastVblank(), m_registers.read(AEROGPU_MMIO_REG_IRQ_STATUS)};
    m_recentNs = now;
    m_recentKnown = true;
  }
  const Recent recent = m_recent;
  KeReleaseSpinLock(&m_clockLock, irql);
  return recent;
}

void Display::returnToVga() {
  if (!(m_features.high & AEROGPU_EXT_FEATURE_HI_VGA)) return;  // the last picture is better than none
  m_registers.write(AEROGPU_EXT_REG_VGA, 1);
  m_scanout.enabled = false;
}

}  // namespace aero
