// SPDX-License-Identifier: MIT
#include "testbed/kernel/dxgk/adapter.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "aerogpu/aerogpu_pci.h"
#include "testbed/kernel/core/clock.h"
#include "testbed/kernel/core/fault.h"
#include "testbed/kernel/dxgk/callbacks.h"
#include "testbed/kernel/dxgk/display.h"
#include "testbed/kernel/dxgk/isr_state.h"
#include "testbed/kernel/dxgk/scheduler.h"
#include "testbed/kernel/dxgk/vidmm.h"
#include "testbed/kernel/dxgk/vidpn.h"
#include "testbed/kernel/machine/machine_factory.h"
#include "testbed/kernel/nt/dpc_hold.h"

namespace aerogpu::host {

namespace {

HOST_API NTSTATUS registerWithDxgkrnl(DRIVER_OBJECT* driver, UNICODE_STRING* path, void* data) {
  if (!driver || !path || !data) return kInvalidParameter;
  return theAdapter()->registerMiniport(*static_cast<DRIVER_INITIALIZATION_DATA*>(data));
}
const Export kRegisterRow = exportRow("dxgkrnl's registration function", registerWithDxgkrnl, kPassiveLevel);

std::u16string wide(const char* text) {
  std::u16string result;
  for (; *text; ++text) result += static_cast<char16_t>(*text);
  return result;
}

UNICODE_STRING counted(std::u16string& text) {
  return {static_cast<USHORT>(text.size() * 2), static_cast<USHORT>(text.size() * 2 + 2), text.data()};
}

}  // namespace

Adapter* theAdapter() {
  return static_cast<Adapter*>(AdapterCore::current());
}

const char* Adapter::registryKey() {
  return "\\REGISTRY\\MACHINE\\SYSTEM\\ControlSet001\\Control\\Class\\{4D36E968-E325-11CE-BFC1-08002BE10318}"
         "\\0000";
}

Adapter::Adapter() = default;

Adapter::~Adapter() = default;

guest::Status Adapter::openDevice(unsigned hugePages) {
  m_machine = makeMachine();
  guest::Status status = m_machine->open(hugePages * guest::kHugePageBytes);
  if (!status.ok()) return status;
  setContiguousMemory(&m_machine->memory());
  for (unsigned i = 0; i < 2; ++i)
    addPhysicalRange(
        {bar(i).address, bar(i).bytes,
         [machine = m_machine.get(), i](uint64_t offset, uint64_t bytes) {
           return machine->map(i, offset, bytes);
         },
         [machine = m_machine.get()](void* address, uint64_t bytes) { machine->unmap(address, bytes); }});

  // The resources that PnP gives a VGA-compatible display adapter: both BARs, a line interrupt, the legacy
  // VGA ranges.
  m_resources.Count = 1;
  m_resources.InterfaceType = 5;  // PCIBus
  m_resources.Version = m_resources.Revision = 1;
  NtResource* r = m_resources.Resources;
  for (unsigned i = 0; i < 2; ++i, ++r) {
    *r = {kResourceMemory, 1, 0, {}};
    r->Memory.Start = bar(i).address;
    r->Memory.Length = static_cast<uint32_t>(bar(i).bytes);
  }
  *r = {kResourceInterrupt, 3, 0, {}};  // shared, level-sensitive
  r->Interrupt.Level = kDeviceLevel;
  r->Interrupt.Vector = 0x91;
  r->Interrupt.Affinity = 3;
  ++r;
  for (const auto& [start, length] : {std::pair{0x3B0u, 12u}, std::pair{0x3C0u, 32u}}) {
    *r = {kResourcePort, 3, 0x11, {}};
    r->Memory.Start = start;
    r->Memory.Length = length;
    ++r;
  }
  *r = {kResourceMemory, 3, 0, {}};
  r->Memory.Start = 0xA0000;
  r->Memory.Length = 0x20000;
  ++r;
  m_resources.PartialCount = static_cast<uint32_t>(r - m_resources.Resources);
  return status;
}

guest::Status Adapter::loadDriver(const std::string& path) {
  attachThread("main");
  m_image = std::make_unique<PeImage>();
  guest::Status status = m_image->loadFile(path, resolveNtImport);
  if (!status.ok()) return status;
  setDriverImage(m_image.get());
  installFaultHandlers({readIrqlRegister, writeIrqlRegister, readSharedUserData});
  startDeferredThreads();
  setRegisterMiniport(reinterpret_cast<RegisterMiniport>(exportThunk(kRegisterRow)));

  const char* service = "\\REGISTRY\\MACHINE\\SYSTEM\\CurrentControlSet\\Services\\aerogpu";
  setRegistryString(service, "ImagePath", "system32\\drivers\\aerogpu.sys");
  setRegistryString(registryKey(), "DriverDesc", "AeroGPU");
  m_registryPath = wide(registryKey());
  static std::u16string servicePath = wide(service);
  UNICODE_STRING registryPath = counted(servicePath);
  m_driverName = wide("\\Driver\\aerogpu");
  m_driverObject.Type = 4;
  m_driverObject.Size = sizeof m_driverObject;
  m_driverObject.DriverStart = m_image->base();
  m_driverObject.DriverSize = m_image->size();
  m_driverObject.DriverName = counted(m_driverName);
  m_driverObject.DriverInit = reinterpret_cast<void*>(m_image->entry());
  m_physicalDevice.Type = 3;
  m_physicalDevice.Size = sizeof m_physicalDevice;
  // A physical device object belongs to the driver of its bus.
  m_busDriverName = wide("\\Driver\\pci");
  m_busDriver.Type = 4;
  m_busDriver.Size = sizeof m_busDriver;
  m_busDriver.DriverName = counted(m_busDriverName);
  m_physicalDevice.DriverObject = &m_busDriver;
  setDriverObject(&m_driverObject);
  using Entry = NTSTATUS(HOST_API*)(DRIVER_OBJECT*, UNICODE_STRING*);
  const NTSTATUS result = callDdi("DriverEntry", kPassiveLevel, reinterpret_cast<Entry>(m_image->entry()),
                                  &m_driverObject, &registryPath);
  if (!ntSuccess(result)) return guest::Status::failure("DriverEntry returned 0x%08x", result);
  if (!m_registered) return guest::Status::failure("DriverEntry succeeded without registering");
  m_image->discardInit();
  return {};
}

NTSTATUS Adapter::registerMiniport(const DRIVER_INITIALIZATION_DATA& data) {
  if (m_registered) {
    brokenRule("the driver registers twice");
    return kInvalidParameter;
  }
  if (data.Version != DXGKDDI_INTERFACE_VERSION)
    brokenRule("DRIVER_INITIALIZATION_DATA.Version is 0x%x, not 0x%x", data.Version,
               DXGKDDI_INTERFACE_VERSION);
  // Pointers up to the last one that WDDM 1.1 requires; later slots may be empty.
  const auto* slots = reinterpret_cast<void* const*>(&data.DxgkDdiAddDevice);
  const size_t count = (sizeof data - offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiAddDevice)) / sizeof(void*);
  for (size_t i = 0; i < count; ++i)
    if (slots[i] && !m_image->containsCode(reinterpret_cast<uintptr_t>(slots[i])))
      brokenRule("slot %zu of DRIVER_INITIALIZATION_DATA points to no code", i);
  ddi = data;
  m_registered = true;
  return kSuccess;
}

NTSTATUS Adapter::addDevice() {
  std::unique_lock lock(m_exclusion);
  PVOID context = nullptr;
  const NTSTATUS status =
      callDdi("DxgkDdiAddDevice", kPassiveLevel, ddi.DxgkDdiAddDevice, &m_physicalDevice, &context);
  if (ntSuccess(status) && !context) brokenRule("DxgkDdiAddDevice succeeded without a context");
  m_context = context;
  return status;
}

NTSTATUS Adapter::startDevice() {
  m_scheduler = std::make_unique<Scheduler>(*this);
  m_vidmm = std::make_unique<Vidmm>(*this);
  m_display = std::make_unique<Display>(*this, *m_vidmm);
  fillDxgkrnlInterface(*this, m_interface);
  // The interrupt is connected before the driver starts.
  startInterruptThread();
  m_started = true;
  DXGK_START_INFO start{};
  start.RequiredDmaQueueEntry = 8;
  NTSTATUS status;
  {
    // DPCs that the driver queues and does not wait for run after it has returned, which is as late as they
    // may.
    const DpcHold late;
    std::unique_lock lock(m_exclusion);
    status = callDdi("DxgkDdiStartDevice", kPassiveLevel, ddi.DxgkDdiStartDevice, m_context, &start,
                     &m_interface, &sources, &children);
  }
  if (!ntSuccess(status)) {
    disconnectInterrupt();
    return status;
  }
  if (sources == 0 || sources > 16 || children == 0 || children > 64)
    brokenRule("DxgkDdiStartDevice reports %u sources and %u children", sources, children);
  guest::Status said = readCaps();
  if (!said.ok()) {
    brokenRule("%s", said.text().c_str());
    return kUnsuccessful;
  }
  status = queryChildren();
  if (ntSuccess(status)) status = m_vidmm->start();
  if (ntSuccess(status)) status = m_scheduler->start();
  return status;
}

guest::Status Adapter::readCaps() {
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = DXGKQAITYPE_DRIVERCAPS;
  query.pOutputData = &caps;
  query.OutputDataSize = sizeof caps;
  const NTSTATUS status =
      callDdi("DxgkDdiQueryAdapterInfo", kPassiveLevel, ddi.DxgkDdiQueryAdapterInfo, m_context, &query);
  if (!ntSuccess(status)) return guest::Status::failure("DXGKQAITYPE_DRIVERCAPS: 0x%08x", status);
  // Reserved for drivers at the Windows 7 interface version (page "DXGK_DRIVERCAPS").
  if (caps.WDDMVersion != 0) brokenRule("WDDMVersion 0x%x", caps.WDDMVersion);
  if (caps.HighestAcceptableAddress.QuadPart == 0) brokenRule("HighestAcceptableAddress is 0");
  if (caps.GpuEngineTopology.NbAsymetricProcessingNodes == 0) brokenRule("no processing nodes");
  return {};
}

NTSTATUS Adapter::queryChildren() {
  // One more, zeroed, as in dxgkrnl's buffer.
  childDescriptors.assign(children + 1, {});
  NTSTATUS status = callDdi("DxgkDdiQueryChildRelations", kPassiveLevel, ddi.DxgkDdiQueryChildRelations,
                            m_context, childDescriptors.data(),
                            static_cast<ULONG>(childDescriptors.size() * sizeof(DXGK_CHILD_DESCRIPTOR)));
  if (!ntSuccess(status)) return status;
  const DXGK_CHILD_DESCRIPTOR zero{};
  // Its padding is zero too. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
  if (std::memcmp(&childDescriptors.back(), &zero, sizeof zero) != 0)
    brokenRule("DxgkDdiQueryChildRelations fills the last, reserved descriptor");
  childDescriptors.pop_back();
  for (const auto& child : childDescriptors) {
    if (child.ChildDeviceType != TypeVideoOutput && child.ChildDeviceType != TypeOther)
      brokenRule("child type %d", child.ChildDeviceType);
    if (child.ChildCapabilities.HpdAwareness == HpdAwarenessUninitialized)
      brokenRule("child %u without HpdAwareness", child.ChildUid);
    DXGK_CHILD_STATUS state{};
    state.Type = StatusConnection;
    state.ChildUid = child.ChildUid;
    status = callDdi("DxgkDdiQueryChildStatus", kPassiveLevel, ddi.DxgkDdiQueryChildStatus, m_context, &state,
                     static_cast<BOOLEAN>(1));
    if (!ntSuccess(status)) return status;
    if (!state.HotPlug.Connected) brokenRule("child %u is not connected", child.ChildUid);
  }
  return kSuccess;
}

NTSTATUS Adapter::stopDevice() {
  if (m_display) m_display->stop();
  if (m_scheduler) m_scheduler->stop();
  if (m_vidmm) m_vidmm->stop();
  NTSTATUS status;
  {
    const DpcHold late;
    std::unique_lock lock(m_exclusion);
    status = callDdi("DxgkDdiStopDevice", kPassiveLevel, ddi.DxgkDdiStopDevice, m_context);
  }
  if (!m_removed) {
    if (const uint32_t enabled = registers().read(AEROGPU_MMIO_REG_IRQ_ENABLE))
      brokenRule("IRQ_ENABLE is 0x%x after DxgkDdiStopDevice", enabled);
    if (registers().read(AEROGPU_MMIO_REG_RING_CONTROL) & 1)
      brokenRule("the ring runs after DxgkDdiStopDevice");
    if (registers().read64(AEROGPU_MMIO_REG_FENCE_GPA_LO))
      brokenRule("the device still has the fence page after DxgkDdiStopDevice");
  }
  disconnectInterrupt();
  drainDpcs();
  reportMappings();
  reportPendingWork();
  return status;
}

void Adapter::detach() {
  m_removed = true;
  std::lock_guard lock(m_interruptLock);
  const uint8_t command[2] = {0, 1u << 2};  // PCI 3.0, 6.2.2: Interrupt Disable, everything else off
  if (const guest::Status status = m_machine->writeConfig(4, command, sizeof command); !status.ok())
    brokenRule("the PCI command register: %s", status.text().c_str());
  detachMappings();
}

NTSTATUS Adapter::removeDevice() {
  std::unique_lock lock(m_exclusion);
  const NTSTATUS status = callDdi("DxgkDdiRemoveDevice", kPassiveLevel, ddi.DxgkDdiRemoveDevice, m_context);
  m_context = nullptr;
  return status;
}

void Adapter::unload() {
  callDdi("DxgkDdiUnload", kPassiveLevel, ddi.DxgkDdiUnload);
  reportPoolLeaks();
  reportContiguousLeaks();
  reportMappings();
  reportPendingWork();
  reportMdlLeaks();
  reportOpenKeys();
  reportIoLeaks();
  reportEtwLeaks();
}

bool Adapter::bringUp() {
  NTSTATUS status = addDevice();
  if (ntSuccess(status)) status = startDevice();
  if (!ntSuccess(status)) brokenRule("the adapter does not start: 0x%08x", status);
  return ntSuccess(status);
}

void Adapter::bringDown() {
  NTSTATUS status = stopDevice();
  if (!ntSuccess(status)) brokenRule("DxgkDdiStopDevice: 0x%08x", status);
  status = removeDevice();
  if (!ntSuccess(status)) brokenRule("DxgkDdiRemoveDevice: 0x%08x", status);
  unload();
}

NTSTATUS Adapter::setPower(ULONG deviceUid, DEVICE_POWER_STATE state, POWER_ACTION action) {
  std::unique_lock lock(m_exclusion);
  return callDdi("DxgkDdiSetPowerState", kPassiveLevel, ddi.DxgkDdiSetPowerState, m_context, deviceUid, state,
                 action);
}

void Adapter::startInterruptThread() {
  if (m_interruptThread) return;
  m_interruptThread = true;
  startThread("interrupt", [this] { interruptLoop(); });
}

// IoDisconnectInterrupt returns only when no call of the routine is left, so that the context may be freed.
void Adapter::disconnectInterrupt() {
  std::lock_guard lock(m_interruptLock);
  m_started = false;
}

// The line is level-triggered and may be shared: a TRUE that leaves the cause asserted comes back at once.
void Adapter::interruptLoop() {
  unsigned storm = 0;
  for (;;) {
    bool fired = false;
    const guest::Status status = m_machine->interruptLine().wait(m_noise ? 1'000'000 : 100'000'000, fired);
    if (!status.ok() || m_removed) {
      if (m_removed) return;
      brokenRule("%s", status.text().c_str());
      return;
    }
    if (!fired && !m_noise) continue;
    if (fired) m_lastInterruptNs = clockNow();
    if (std::lock_guard lock(m_interruptLock); m_started) {
      IsrState& state = isrState();
      state = {true, false, false, false, false};
      const BOOLEAN ours =
          callDdi("DxgkDdiInterruptRoutine", kDeviceLevel, ddi.DxgkDdiInterruptRoutine, m_context, 0u);
      if (state.notified && !state.dpcRequested)
        brokenRule("the interrupt routine notified without DxgkCbQueueDpc");
      state = {};
      const bool asserted =
          !ours && !m_removed &&
          (registers().read(AEROGPU_MMIO_REG_IRQ_STATUS) & registers().read(AEROGPU_MMIO_REG_IRQ_ENABLE));
      ours ? ++m_interruptsTaken : ++m_interruptsRefused;
      storm = asserted ? storm + 1 : 0;
      if (storm == 100) brokenRule("the interrupt routine refuses the device's interrupt 100 times in a row");
    }
    if (!fired) continue;
    if (const guest::Status unmasked = m_machine->interruptLine().unmask(); !unmasked.ok() && !m_removed)
      brokenRule("%s", unmasked.text().c_str());
  }
}

}  // namespace aerogpu::host
