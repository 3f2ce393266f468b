// SPDX-License-Identifier: MIT
// adapter.h: one AeroGPU as the driver sees it: what the OS handed over, and the parts that do the work. Each
// part lives in its own file, takes what it uses and does not know the adapter; only wiring belongs here.
// Only entry points (*_ddi.cpp), and calls/, which implements entry points that need several parts, include this
// file.
#pragma once

#include "guest-drivers/kmd/device/capability_block.h"
#include "guest-drivers/kmd/device/device_errors.h"
#include "guest-drivers/kmd/device/device_features.h"
#include "guest-drivers/kmd/device/device_memory.h"
#include "guest-drivers/kmd/device/gpu_loss.h"
#include "guest-drivers/kmd/device/registers.h"
#include "guest-drivers/kmd/display/cursor_plane.h"
#include "guest-drivers/kmd/display/display.h"
#include "guest-drivers/kmd/display/gamma_ramp.h"
#include "guest-drivers/kmd/gdi/gdi_engine.h"
#include "guest-drivers/kmd/gdi/kernel_textures.h"
#include "guest-drivers/kmd/gdi/presents.h"
#include "guest-drivers/kmd/logic/epochs.h"
#include "guest-drivers/kmd/logic/hang_record.h"
#include "guest-drivers/kmd/logic/seal.h"
#include "guest-drivers/kmd/memory/allocations.h"
#include "guest-drivers/kmd/memory/segments.h"
#include "guest-drivers/kmd/os/counters.h"
#include "guest-drivers/kmd/os/creation_log.h"
#include "guest-drivers/kmd/os/nt.h"
#include "guest-drivers/kmd/os/settings.h"
#include "guest-drivers/kmd/process/context.h"
#include "guest-drivers/kmd/self_test.h"
#include "guest-drivers/kmd/submit/scheduler.h"

namespace aero {

class AeroAdapter {
public:
  static constexpr uint32_t kMagic = 0x61644141;  // "AAda"
  /** Returns the adapter behind the handle that AddDevice gave the OS; null for anything else. */
  static AeroAdapter *from(const void *handle) {
    auto *self = static_cast<AeroAdapter *>(const_cast<void *>(handle));
    return self && self->magic == kMagic ? self : nullptr;
  }

  /** DxgkDdiStartDevice, StopDevice; PASSIVE_LEVEL. A failed start undoes everything. */
  NTSTATUS start(const DXGK_START_INFO &info, const DXGKRNL_INTERFACE &callbacks);
  void stop();
  /** DxgkDdiSetPowerState of the adapter; PASSIVE_LEVEL. Never fails: what cannot be restored after a sleep is
   * missing. `hibernates`: the system shows its progress on the screen until it is off. */
  void setPower(DEVICE_POWER_STATE state, bool hibernates);
  /** DxgkDdiResetFromTimeout, DxgkDdiRestartFromTimeout; PASSIVE_LEVEL. The reset has a GPU that the host lost
   * opened anew (recovery.md). */
  NTSTATUS resetFromTimeout();
  NTSTATUS restartFromTimeout();
  /** Called when the OS creates a device: retries a GPU that the host gave up, if the ring is empty.
   * PASSIVE_LEVEL. */
  void retryGpu();
  /** True if `process` (Processes::current()) gets no device now because its work hung more than once.
   * Writes to the event log. PASSIVE_LEVEL, in the process. */
  bool refuses(uint64_t process);
  /** DxgkDdiInterruptRoutine; DIRQL. */
  bool interrupt();
  /** DxgkDdiDpcRoutine; DISPATCH_LEVEL. */
  void dpc();

  /** True if Direct3D and GDI acceleration are offered: the registry can disable them. */
  bool offers3d() const { return !settings.disable3d; }
  /**
   * True if the resources of `context` are gone or wrong: the device lost all objects (in a sleep, or with the
   * host's GPU), or could not run a submission of the WDDM device. The caller then returns
   * STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE, by which Direct3D tells the program. False for the OS' own devices:
   * the driver can make all their objects again. PASSIVE_LEVEL.
   */
  bool isLost(AeroContext &context) {
    AeroDevice &device = *context.device;
    if (device.system) return false;
    const LONG failures = scheduler.failureCount();
    if (context.failures != failures) {
      if (scheduler.failed(context.place()))
        device.failed = true;  // the device's other contexts use the same resources
      context.failures = failures;
    }
    return device.failed || device.losses != epochs.deviceLosses();
  }
  bool acceleratesGdi() const { return offers3d() && !settings.disableGdi && segments.hasAperture(); }

  uint32_t magic = kMagic;
  DXGKRNL_INTERFACE dxgk = {};
  bool started = false;
  bool powered = false;

  Settings settings;
  Counters counters = {};
  CreationLog creationLog;
  Epochs epochs;
  CapabilityBlock capabilities;
  Features features;
  Registers registers;
  DeviceMemory memory;
  Segments segments;
  AllocationTable allocations;
  ContextIds contextIds;
  Scheduler scheduler{registers, counters, dxgk};
  InternalQueue &internal = scheduler.internal();
  Display display{registers, features, segments, counters, dxgk};
  GammaRamp gammaRamp{registers, features};
  CursorPlane cursor{registers, features};
  KernelTextures textures{internal, allocations, display, epochs, features};
  DeviceErrors deviceErrors{registers};
  GpuLoss gpuLoss{registers};
  GdiEngine gdi{internal, allocations};
  Presents presents{gdi, textures, allocations, segments, internal, counters};
  SelfTest selfTest{registers, internal, display, cursor};
  Seal seal;  // seals descriptions of standard allocations

private:
  /** The steps of a start, in order; end() undoes them in reverse. */
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
  /** True if the device's fences stand still while its GPU is lost (feature bit 51), so that Windows'
   * time-out notices. */
  bool noticesLoss() const { return features.high & AEROGPU_EXT_FEATURE_HI_GPU_LOSS; }
  /** Handles the loss of all objects on the device, whoever made them. PASSIVE_LEVEL. */
  void deviceForgot();
  /** Called when the scheduler has emptied the ring. PASSIVE_LEVEL. */
  void ringEmptied();
  /** Waits for the interrupt routine and its DPC; neither reads anything afterwards. PASSIVE_LEVEL. */
  void leaveInterrupts();
  static BOOLEAN NTAPI leaveAtDirql(PVOID self);
  /** Asks the device to keep its objects during the sleep that may follow (KEEP-1). */
  void keepObjects();
  /** After the sleep, before any work: returns true if the device has kept the objects (KEEP-4). */
  bool claimObjects();

  FAST_MUTEX m_hangsMutex = {};
  HangRecord m_hangs;  // protected by m_hangsMutex

  bool m_gpuLost = false;         // since a reset, until the restart
  ULONG m_stage = 0;              // number of stages begun
  uint64_t m_keepKey = 0;         // 0: the device was not asked
  uint32_t m_generation = 0;      // GPU_GENERATION before the sleep
  uint64_t m_apertureSource = 0;  // bytes of system memory to take the aperture from
};

}  // namespace aero
