// SPDX-License-Identifier: MIT
// adapter.h: one AeroGPU as the driver sees it: what the OS handed over, and the parts that do the work. The parts
// live in files of their own; nothing but wiring belongs here.
#pragma once

#include "allocations.h"
#include "counters.h"
#include "creation_log.h"
#include "cursor_plane.h"
#include "display.h"
#include "gdi_engine.h"
#include "nt.h"
#include "registers.h"
#include "scheduler.h"
#include "segments.h"
#include "settings.h"

namespace aero {

class AeroAdapter {
public:
  static constexpr uint32_t kMagic = 0x61644141;  // "AAda"
  /** The handle that AddDevice gave the OS; null for anything else. */
  static AeroAdapter *from(const void *handle) {
    auto *self = static_cast<AeroAdapter *>(const_cast<void *>(handle));
    return self && self->magic == kMagic ? self : nullptr;
  }

  explicit AeroAdapter(PDEVICE_OBJECT device) : physicalDevice(device) {}

  /** DxgkDdiStartDevice, StopDevice; PASSIVE_LEVEL. A failed start leaves nothing behind. */
  NTSTATUS start(const DXGK_START_INFO &info, const DXGKRNL_INTERFACE &callbacks);
  void stop();
  /** DxgkDdiSetPowerState of the adapter; PASSIVE_LEVEL. */
  NTSTATUS setPower(DEVICE_POWER_STATE state);
  /** DxgkDdiResetFromTimeout; PASSIVE_LEVEL. */
  NTSTATUS resetFromTimeout();
  /** DxgkDdiInterruptRoutine; DIRQL. */
  bool interrupt();
  /** Whether physical memory is VRAM: what the debug escape may show. */
  bool ownsPhysical(uint64_t gpa, uint64_t bytes) const {
    return gpa >= m_vramGpa && bytes <= m_vramBytes && gpa - m_vramGpa <= m_vramBytes - bytes;
  }
  /** Gives the display back to VGA where the device can; any IRQL. */
  void returnToVga();

  /** Whether Direct3D and GDI acceleration are offered: the registry can turn them off. */
  bool offers3d() const { return !settings.disable3d; }
  bool acceleratesGdi() const { return offers3d() && !settings.disableGdi && segments.hasAperture(); }

  uint32_t magic = kMagic;
  PDEVICE_OBJECT physicalDevice;
  DXGKRNL_INTERFACE dxgk = {};
  bool started = false;
  bool powered = false;
  uint32_t featuresLow = 0;
  uint32_t featuresHigh = 0;
  uint32_t abiVersion = 0;

  /** Counts every loss of queued work (a reset) and of everything on the device (power). */
  uint32_t epoch = 1;
  uint32_t lossEpoch = 1;
  /** Whether the driver's own texture of an allocation exists on the device. A reset may have dropped the submission
   *  that made it; only one that is shared was made ahead and waited for. */
  bool stillThere(const AeroAllocation &allocation) const {
    return allocation.kernelEpoch >= lossEpoch && (allocation.token.value || allocation.kernelEpoch == epoch);
  }

  /** How often a power-up found the device reset: what user mode had on it is gone, see AeroDevice::losses. */
  uint32_t losses = 0;

  Settings settings;
  Counters counters = {};
  CreationLog creationLog;
  Registers registers;
  Segments segments;
  AllocationTable allocations;
  Scheduler scheduler{*this};
  Display display{*this};
  CursorPlane cursor{*this};
  GdiEngine gdi{*this};

  /** Numbers of device contexts: two device contexts each, see kAlternateContext. */
  uint32_t takeContextId();
  void giveContextId(uint32_t id);

private:
  /** Steps of a start, in order; each is undone by end(), backwards. */
  enum Stage : ULONG {
    kMap,
    kCheck,
    kSegments,
    kAllocations,
    kScheduler,
    kInterrupts,
    kDisplay,
    kCursor,
    kGdi,
    kStages
  };
  NTSTATUS begin(Stage stage, const DXGK_START_INFO &info);
  void end(Stage stage);
  void unwind();
  NTSTATUS mapResources(const DXGK_DEVICE_INFO &info);
  void unmapResources();
  NTSTATUS checkDevice();
  /** The interrupt routine is through and looks at nothing from here on. PASSIVE_LEVEL. */
  void leaveInterrupts();
  static BOOLEAN NTAPI leaveAtDirql(PVOID self);

  ULONG m_stage = 0;  // how many are begun
  void *m_registersMapping = nullptr;
  uint64_t m_apertureSource = 0;  // bytes of system memory to take the aperture from
  uint64_t m_vramGpa = 0;
  uint64_t m_vramBytes = 0;
  FAST_MUTEX m_contextLock = {};
  uint32_t m_contextIds[16] = {};  // one bit each
};

/** Set in the number of the device context in which the driver itself draws on behalf of a WDDM context: its state
 *  does not disturb the user-mode driver's. */
constexpr uint32_t kAlternateContext = 0x400;

/** DxgkDdiCreateDevice's handle: a process' use of the adapter. */
class AeroDevice {
public:
  static constexpr uint32_t kMagic = 0x76654441;  // "ADev"
  static AeroDevice *from(HANDLE handle) {
    auto *self = static_cast<AeroDevice *>(handle);
    return self && self->magic == kMagic ? self : nullptr;
  }

  uint32_t magic = kMagic;
  AeroAdapter *adapter = nullptr;
  DXGK_DEVICEINFO info = {};
  uint32_t losses = 0;   // the adapter's, when this device was made
  uint32_t handles = 0;  // of streams, alive; under the allocation table's mutex
};

/** DxgkDdiCreateContext's handle. */
class AeroContext {
public:
  static constexpr uint32_t kMagic = 0x78744341;  // "ACtx"
  static AeroContext *from(HANDLE handle) {
    auto *self = static_cast<AeroContext *>(handle);
    return self && self->magic == kMagic ? self : nullptr;
  }

  uint32_t magic = kMagic;
  uint32_t id = 0;  // device context: 1 to 511
  AeroAdapter *adapter = nullptr;
  AeroDevice *device = nullptr;
};

/** Whose DMA buffer this is, from a context's or (without contexts) a device's handle. */
AeroAdapter *adapterOf(HANDLE contextOrDevice);

}  // namespace aero
