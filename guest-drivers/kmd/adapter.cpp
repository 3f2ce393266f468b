// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/adapter.h"

#include "aerogpu/aerogpu_cmd_extension.h"
#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_spaces.h"
#include "guest-drivers/kmd/device/hardware_information.h"
#include "guest-drivers/kmd/os/entropy.h"
#include "guest-drivers/kmd/os/event_log.h"
#include "guest-drivers/kmd/os/process_name.h"
#include "guest-drivers/kmd/os/trace.h"
#include "guest-drivers/package/resources/aerogpu_events.h"

namespace aero {

NTSTATUS AeroAdapter::start(const DXGK_START_INFO &info, const DXGKRNL_INTERFACE &callbacks) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  if (started) return STATUS_INVALID_DEVICE_STATE;
  dxgk = callbacks;
  trace::setLogger(dxgk.DxgkCbLogEtwEvent);
  counters = {};
  contextIds.start();
  ExInitializeFastMutex(&m_hangsMutex);
  creationLog.start();

  NTSTATUS status = STATUS_SUCCESS;
  for (m_stage = 0; m_stage < kStages && NT_SUCCESS(status); m_stage++)
    status = begin(static_cast<Stage>(m_stage), info);
  if (NT_SUCCESS(status)) {
    started = true;
    logEvent(AEROGPU_EVENT_STARTED, STATUS_SUCCESS, features.abiVersion, features.low, features.high);
    DXGK_DEVICE_INFO device = {};
    if (NT_SUCCESS(dxgk.DxgkCbGetDeviceInformation(dxgk.DeviceHandle, &device)))
      writeHardwareInformation(device.DeviceRegistryPath, memory.vramBytes(), features.abiVersion, capabilities);
    if (settings.disable3d) logEvent(AEROGPU_EVENT_3D_DISABLED, STATUS_SUCCESS);
    return STATUS_SUCCESS;
  }
  const ULONG failed = --m_stage;  // the stage that failed has undone its own work
  unwind();
  logEvent(status == STATUS_REVISION_MISMATCH            ? AEROGPU_EVENT_ABI_MISMATCH
           : status == STATUS_DEVICE_CONFIGURATION_ERROR ? AEROGPU_EVENT_NO_RESOURCES
                                                         : AEROGPU_EVENT_START_FAILED,
           status, failed);
  return status;
}

void AeroAdapter::stop() {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  if (started) {
    const uint32_t errors = deviceErrors.finish();
    logEvent(AEROGPU_EVENT_STOPPED, STATUS_SUCCESS, static_cast<ULONG>(counters.submissions), errors,
             static_cast<ULONG>(counters.timeoutResets));
  }
  started = false;
  unwind();
}

NTSTATUS AeroAdapter::begin(Stage stage, const DXGK_START_INFO &info) {
  switch (stage) {
  case kMap: {
    DXGK_DEVICE_INFO device = {};
    const NTSTATUS status = dxgk.DxgkCbGetDeviceInformation(dxgk.DeviceHandle, &device);
    if (!NT_SUCCESS(status)) return status;
    settings.read(device.DeviceRegistryPath);
    m_apertureSource = settings.disableAperture ? 0 : static_cast<uint64_t>(device.SystemMemorySize.QuadPart);
    return memory.map(dxgk, device, registers);
  }
  case kCheck: {
    const NTSTATUS status = features.read(registers, capabilities);
    if (!NT_SUCCESS(status)) capabilities.free();
    return status;
  }
  case kSegments:
    return segments.start(registers, memory.vramGpa(), memory.vramBytes(), m_apertureSource);
  case kAllocations:
    seal = newSealKey();
    if (features.spaces())
      allocations.spaces.start(registers.read(AEROGPU_EXT_REG_SPACE_COUNT),
                               KeQueryPerformanceCounter(nullptr).LowPart >> 8);
    // Not the interrupt time, which stands still between two ticks: a restart must not issue tokens again
    // (TOK-10).
    return allocations.start(static_cast<uint64_t>(KeQueryPerformanceCounter(nullptr).QuadPart))
               ? STATUS_SUCCESS
               : STATUS_INSUFFICIENT_RESOURCES;
  case kScheduler:
    gpuLoss.start(noticesLoss());
    if (noticesLoss()) registers.write(AEROGPU_EXT_REG_GPU_ENABLE, 1);
    return scheduler.start(info.RequiredDmaQueueEntry, features.spaces(), features.memory());
  case kInterrupts:
    deviceErrors.start();
    scheduler.startErrors(features.errorRecords());
    powered = true;
    registers.write(AEROGPU_MMIO_REG_IRQ_ACK, ~0u);
    registers.write(AEROGPU_MMIO_REG_IRQ_ENABLE, display.interruptMask());
    return STATUS_SUCCESS;
  case kDisplay:
    gammaRamp.start();
    return display.start();
  case kCursor:
    return cursor.start();
  case kGdi:
    return gdi.start();  // presents need it even if GDI is not accelerated
  default:
    return STATUS_INTERNAL_ERROR;
  }
}

void AeroAdapter::end(Stage stage) {
  switch (stage) {
  case kMap:
    memory.unmap(dxgk, registers);
    break;
  case kCheck:
    display.returnToVga();
    capabilities.free();
    break;
  case kSegments:
    segments.stop();
    break;
  case kAllocations:
    allocations.stop();
    break;
  case kScheduler: {
    // The next start makes objects under the same handles, so old work must be done first. If it takes too long, a
    // restart of the GPU drops it.
    constexpr uint32_t kFinishMs = 350;
    const bool left = internal.finish(kFinishMs) == STATUS_IO_TIMEOUT;
    scheduler.stop();
    if (left && noticesLoss()) registers.write(AEROGPU_EXT_REG_GPU_RESTART, 1);
    if (noticesLoss()) registers.write(AEROGPU_EXT_REG_GPU_ENABLE, 0);
    ringEmptied();
    break;
  }
  case kInterrupts:
    leaveInterrupts();
    break;
  case kDisplay:
    display.stop();
    break;
  case kCursor:
    cursor.stop();
    break;
  case kGdi:
    if (powered) gdi.stop();
    break;
  default:
    break;
  }
}

void AeroAdapter::unwind() {
  while (m_stage) end(static_cast<Stage>(--m_stage));
}

void AeroAdapter::setPower(DEVICE_POWER_STATE state, bool hibernates) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  const bool wanted = state == PowerDeviceD0;
  if (!started || wanted == powered) return;
  if (!wanted) {
    gdi.suspend();
    leaveInterrupts();
    display.suspend();
    scheduler.suspend();
    ringEmptied();
    keepObjects();
    // The system still shows its progress (page "DXGKDDI_SET_POWER_STATE").
    if (hibernates) display.returnToVga();
    return;
  }
  NTSTATUS status = features.read(registers, capabilities);
  if (!NT_SUCCESS(status)) {
    // This is another device, or none. It stays as it is, and work submitted to it times out.
    logEvent(AEROGPU_EVENT_START_FAILED, status, kCheck);
    return;
  }
  const bool forgot = !claimObjects() && scheduler.deviceForgot();
  if (forgot)
    deviceForgot();
  else
    epochs.slept(false);
  if (noticesLoss()) registers.write(AEROGPU_EXT_REG_GPU_ENABLE, 1);
  scheduler.startErrors(features.errorRecords());
  scheduler.resume(forgot);
  registers.write(AEROGPU_MMIO_REG_IRQ_ACK, ~0u);
  powered = true;
  display.restore();
  gammaRamp.restore();
  cursor.restore();
  registers.write(AEROGPU_MMIO_REG_IRQ_ENABLE, display.interruptMask());
  // Makes the textures before any program opens them; their pixels are lost. A texture for which the ring has no
  // room stays missing.
  if (forgot) (void)textures.restore();
  status = gdi.restore();
  if (!NT_SUCCESS(status)) logEvent(AEROGPU_EVENT_START_FAILED, status, kGdi);
}

void AeroAdapter::keepObjects() {
  m_keepKey = 0;
  if (!(features.high & AEROGPU_EXT_FEATURE_HI_KEEP_OBJECTS)) return;
  const LARGE_INTEGER now = KeQueryPerformanceCounter(nullptr);
  m_keepKey = seal.of(&now, sizeof now) | 1;
  m_generation = registers.read(AEROGPU_EXT_REG_GPU_GENERATION);
  registers.write64(AEROGPU_EXT_REG_KEEP_KEY_LO, m_keepKey);
  registers.write(AEROGPU_EXT_REG_KEEP, AEROGPU_EXT_KEEP_WILL);
}

bool AeroAdapter::claimObjects() {
  if (!m_keepKey) return false;
  const bool held = registers.read(AEROGPU_EXT_REG_KEEP) == AEROGPU_EXT_KEEP_HELD;
  registers.write64(AEROGPU_EXT_REG_KEEP_KEY_LO, m_keepKey);
  // Not held: there was no sleep, or the objects did not survive it. Nothing has to be kept any longer.
  registers.write(AEROGPU_EXT_REG_KEEP, held ? AEROGPU_EXT_KEEP_CLAIM : AEROGPU_EXT_KEEP_NO);
  m_keepKey = 0;
  return held && registers.read(AEROGPU_EXT_REG_GPU_GENERATION) == m_generation;
}

NTSTATUS AeroAdapter::resetFromTimeout() {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  epochs.workLost();
  const NTSTATUS status = scheduler.resetFromTimeout();
  ringEmptied();
  // LOSS-3: if the host has lost the GPU, the work timed out because of that. The GPU that is opened instead has
  // none of the old objects. LOSS-10: there is no need to wait for it.
  const bool lost = gpuLoss.lost();
  const uint64_t process = lost ? 0 : scheduler.timedOutProcess();
  if (process) {
    ExAcquireFastMutex(&m_hangsMutex);
    m_hangs.timedOut(process, KeQueryInterruptTime());
    ExReleaseFastMutex(&m_hangsMutex);
  }
  if (lost) {
    gpuLoss.restarts();
    registers.write(AEROGPU_EXT_REG_GPU_RESTART, 1);
    m_gpuLost = true;
    deviceForgot();
    gdi.forget();
  }
  counters.lastResetTime = KeQueryInterruptTime();
  logEvent(NT_SUCCESS(status) ? AEROGPU_EVENT_RESET : AEROGPU_EVENT_RESET_FAILED, status,
           static_cast<ULONG>(scheduler.completed()), static_cast<ULONG>(scheduler.lastSubmitted()),
           Processes::idOf(process));
  return status;
}

NTSTATUS AeroAdapter::restartFromTimeout() {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  const NTSTATUS status = scheduler.restartFromTimeout(m_gpuLost);
  if (m_gpuLost) {
    m_gpuLost = false;
    (void)gdi.restore();  // tried again with the next present
    (void)textures.restore();
  }
  return status;
}

bool AeroAdapter::refuses(uint64_t process) {
  AERO_ASSERT_IRQL_MAX(PASSIVE_LEVEL);
  ExAcquireFastMutex(&m_hangsMutex);
  const HangRecord::Refusal refusal = m_hangs.refusal(process, KeQueryInterruptTime());
  ExReleaseFastMutex(&m_hangsMutex);
  if (!refusal.left) return false;
  if (refusal.tell) {
    char name[32];
    wchar_t text[sizeof name];
    copyProcessName(name, sizeof name);
    for (size_t i = 0; i < sizeof name; i++) text[i] = static_cast<wchar_t>(name[i]);
    logEvent(AEROGPU_EVENT_PROCESS_REFUSED, STATUS_IO_TIMEOUT, Processes::idOf(process), refusal.count, refusal.seconds,
             text);
  }
  return true;
}

void AeroAdapter::retryGpu() {
  if (!gpuLoss.gone()) return;
  const bool tried = internal.restartDevice([this] {
    if (!gpuLoss.gone()) return false;  // another program has restarted it already
    gpuLoss.restarts();
    registers.write(AEROGPU_EXT_REG_GPU_RESTART, 1);
    return true;
  });
  if (!tried) return;
  // LOSS-10: work put into the ring from now on runs on the new device.
  deviceForgot();
  gdi.forget();
  (void)gdi.restore();
  (void)textures.restore();
}

void AeroAdapter::deviceForgot() {
  epochs.slept(true);
  TableLock lock(allocations);
  allocations.ranges.deviceForgot();
  allocations.deviceForgot();
}

void AeroAdapter::ringEmptied() {
  const RingEnd end = scheduler.ringEnd();
  TableLock lock(allocations);
  allocations.ranges.ringEmptied(end.head, end.tail);
}

bool AeroAdapter::interrupt() {
  if (!powered) return false;
  const uint32_t status = registers.read(AEROGPU_MMIO_REG_IRQ_STATUS);
  if (status == ~0u || !(status & display.interruptMask())) {  // all ones: the device is gone from the bus
    counters.spuriousInterrupts++;
    return false;
  }
  // Acknowledged first: anything that happens from now on raises the interrupt again.
  registers.write(AEROGPU_MMIO_REG_IRQ_ACK, status);
  bool needsDpc = false;
  // DMA before CRTC: page "DxgkCbNotifyInterrupt".
  if (status & (AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR)) needsDpc |= scheduler.interrupt(status);
  if (status & AEROGPU_IRQ_ERROR) {
    deviceErrors.raised();
    gpuLoss.errorRaised();
    needsDpc = true;
  }
  if (status & AEROGPU_IRQ_SCANOUT_VBLANK) {
    counters.vblankInterrupts++;
    if (display.probing()) display.probe(registers.read(AEROGPU_MMIO_REG_IRQ_STATUS));
    needsDpc |= display.interrupt();
  }
  if (needsDpc) dxgk.DxgkCbQueueDpc(dxgk.DeviceHandle);
  return true;
}

void AeroAdapter::dpc() {
  dxgk.DxgkCbNotifyDpc(dxgk.DeviceHandle);
  deviceErrors.report();
  gpuLoss.report();
}

void AeroAdapter::leaveInterrupts() {
  registers.write(AEROGPU_MMIO_REG_IRQ_ENABLE, 0);
  // The routine may be running on another processor, and the line may be shared: the interrupt's lock
  // excludes both.
  BOOLEAN returned;
  dxgk.DxgkCbSynchronizeExecution(dxgk.DeviceHandle, leaveAtDirql, this, 0, &returned);
  powered = false;  // set even if there is no interrupt any more
  // The DPC of the last interrupt reads the registers, which the caller may unmap.
  KeFlushQueuedDpcs();
}

BOOLEAN NTAPI AeroAdapter::leaveAtDirql(PVOID self) {
  static_cast<AeroAdapter *>(self)->powered = false;
  return TRUE;
}

}  // namespace aero
