// SPDX-License-Identifier: MIT
// Load, start, stop, power, removal.
#include <cstring>

#include "aerogpu/aerogpu_umd_private.h"
#include "dxgk/ddi_call.h"
#include "suite/streams.h"
#include "suite/test.h"

namespace aerogpu::host {

namespace {

/// Loads the driver without a device: imports, DriverEntry, registration.
void load() {
  Session session(false);
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  // Slots that a WDDM 1.1 driver must fill: page "DRIVER_INITIALIZATION_DATA" and its members' pages.
  const struct {
    const char* name;
    size_t offset;
  } required[] = {
#define SLOT(name) {#name, offsetof(DRIVER_INITIALIZATION_DATA, name)}
      SLOT(DxgkDdiAddDevice),
      SLOT(DxgkDdiStartDevice),
      SLOT(DxgkDdiStopDevice),
      SLOT(DxgkDdiRemoveDevice),
      SLOT(DxgkDdiDispatchIoRequest),
      SLOT(DxgkDdiInterruptRoutine),
      SLOT(DxgkDdiDpcRoutine),
      SLOT(DxgkDdiQueryChildRelations),
      SLOT(DxgkDdiQueryChildStatus),
      SLOT(DxgkDdiQueryDeviceDescriptor),
      SLOT(DxgkDdiSetPowerState),
      SLOT(DxgkDdiResetDevice),
      SLOT(DxgkDdiUnload),
      SLOT(DxgkDdiQueryInterface),
      SLOT(DxgkDdiQueryAdapterInfo),
      SLOT(DxgkDdiCreateDevice),
      SLOT(DxgkDdiCreateAllocation),
      SLOT(DxgkDdiDestroyAllocation),
      SLOT(DxgkDdiDescribeAllocation),
      SLOT(DxgkDdiGetStandardAllocationDriverData),
      SLOT(DxgkDdiPatch),
      SLOT(DxgkDdiSubmitCommand),
      SLOT(DxgkDdiPreemptCommand),
      SLOT(DxgkDdiBuildPagingBuffer),
      SLOT(DxgkDdiSetPointerPosition),
      SLOT(DxgkDdiSetPointerShape),
      SLOT(DxgkDdiResetFromTimeout),
      SLOT(DxgkDdiRestartFromTimeout),
      SLOT(DxgkDdiEscape),
      SLOT(DxgkDdiCollectDbgInfo),
      SLOT(DxgkDdiQueryCurrentFence),
      SLOT(DxgkDdiIsSupportedVidPn),
      SLOT(DxgkDdiRecommendFunctionalVidPn),
      SLOT(DxgkDdiEnumVidPnCofuncModality),
      SLOT(DxgkDdiSetVidPnSourceAddress),
      SLOT(DxgkDdiSetVidPnSourceVisibility),
      SLOT(DxgkDdiCommitVidPn),
      SLOT(DxgkDdiUpdateActiveVidPnPresentPath),
      SLOT(DxgkDdiRecommendMonitorModes),
      SLOT(DxgkDdiRecommendVidPnTopology),
      SLOT(DxgkDdiGetScanLine),
      SLOT(DxgkDdiControlInterrupt),
      SLOT(DxgkDdiDestroyDevice),
      SLOT(DxgkDdiOpenAllocation),
      SLOT(DxgkDdiCloseAllocation),
      SLOT(DxgkDdiRender),
      SLOT(DxgkDdiPresent),
      SLOT(DxgkDdiCreateContext),
      SLOT(DxgkDdiDestroyContext),
      SLOT(DxgkDdiRenderKm),
      SLOT(DxgkDdiQueryVidPnHWCapability),
#undef SLOT
  };
  for (const auto& slot : required) {
    void* function;
    std::memcpy(&function, reinterpret_cast<uint8_t*>(&adapter.ddi) + slot.offset, sizeof function);
    expect(function != nullptr, "%s is there", slot.name);
  }
  adapter.unload();
}

void startStop() {
  Session session(false);
  if (!session.ok()) return;
  const uint32_t scanoutBefore = session.adapter().registers().read(AEROGPU_MMIO_REG_SCANOUT0_ENABLE);
  if (!session.start()) return;
  Adapter& adapter = session.adapter();
  expect(adapter.caps.PresentationCaps.SupportKernelModeCommandBuffer,
         "kernel GDI acceleration is reported (WDDM 1.1)");
  expect(adapter.registers().read(AEROGPU_MMIO_REG_SCANOUT0_ENABLE) == scanoutBefore,
         "the POST mode stays until the first commit");

  // What a virtual adapter has nothing for is refused or passed over.
  constexpr auto kNotSupported = static_cast<NTSTATUS>(0xC00000BB);
  VIDEO_REQUEST_PACKET request{};
  request.IoControlCode = 0x230000;
  NTSTATUS status = callDdi("DxgkDdiDispatchIoRequest", kPassiveLevel, adapter.ddi.DxgkDdiDispatchIoRequest,
                            adapter.context(), 0u, &request);
  expect(status == kNotSupported, "there are no driver-private requests (0x%08x)", status);
  QUERY_INTERFACE query{};
  status = callDdi("DxgkDdiQueryInterface", kPassiveLevel, adapter.ddi.DxgkDdiQueryInterface,
                   adapter.context(), &query);
  expect(status == kNotSupported, "there are no interfaces for others (0x%08x)", status);
  ULONG acpiFlags = ~0u;
  status = callDdi("DxgkDdiNotifyAcpiEvent", kPassiveLevel, adapter.ddi.DxgkDdiNotifyAcpiEvent,
                   adapter.context(), DxgkAcpiEvent, 0u, nullptr, &acpiFlags);
  expect(ntSuccess(status) && acpiFlags == 0, "an ACPI event asks for nothing (0x%08x, 0x%x)", status,
         acpiFlags);
  for (const BOOLEAN enable : {BOOLEAN{1}, BOOLEAN{0}})
    callDdi("DxgkDdiControlEtwLogging", kPassiveLevel, adapter.ddi.DxgkDdiControlEtwLogging, enable, 0u,
            UCHAR{0});
}

/// Asks the driver what it is.
template <class Answer>
NTSTATUS query(Adapter& adapter, DXGK_QUERYADAPTERINFOTYPE type, Answer& answer,
               UINT bytes = sizeof(Answer)) {
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = type;
  query.pOutputData = &answer;
  query.OutputDataSize = bytes;
  return callDdi("DxgkDdiQueryAdapterInfo", kPassiveLevel, adapter.ddi.DxgkDdiQueryAdapterInfo,
                 adapter.context(), &query);
}

/// What the user-mode driver learns: each field says what the device's registers say.
void expectUserModeAnswer(Adapter& adapter, const aerogpu_umd_private_v1& answer) {
  auto& r = adapter.registers();
  const uint64_t features = r.read64(AEROGPU_MMIO_REG_FEATURES_LO);
  expect(answer.size_bytes == sizeof answer && answer.struct_version == AEROGPU_UMDPRIV_STRUCT_VERSION_V1,
         "UMDRIVERPRIVATE: %u bytes, version %u", answer.size_bytes, answer.struct_version);
  expect(answer.device_mmio_magic == AEROGPU_UMDPRIV_MMIO_MAGIC_NEW_AGPU &&
             answer.device_mmio_magic == r.read(AEROGPU_MMIO_REG_MAGIC) &&
             answer.device_abi_version_u32 == r.read(AEROGPU_MMIO_REG_ABI_VERSION) &&
             answer.device_features == features,
         "UMDRIVERPRIVATE: magic 0x%08x, ABI 0x%08x, features 0x%llx", answer.device_mmio_magic,
         answer.device_abi_version_u32, static_cast<unsigned long long>(answer.device_features));
  uint32_t flags = 0;
  if (features & AEROGPU_FEATURE_VBLANK) flags |= AEROGPU_UMDPRIV_FLAG_HAS_VBLANK;
  if (features & AEROGPU_FEATURE_FENCE_PAGE) flags |= AEROGPU_UMDPRIV_FLAG_HAS_FENCE_PAGE;
  expect(answer.flags == flags && flags != 0, "UMDRIVERPRIVATE: flags 0x%x (0x%x)", flags, answer.flags);
  expect(answer.reserved0 == 0 && answer.reserved1 == 0 && answer.reserved2 == 0 &&
             answer.reserved3[0] == 0 && answer.reserved3[1] == 0 && answer.reserved3[2] == 0,
         "UMDRIVERPRIVATE: what is reserved is 0");
}

/// PRIV-11. The registry's switches (docs/windows-package.md, "Settings"): each takes away what it says, and
/// the desktop works.
void switches() {
  // aerogpu_events.mc, as NTSTATUS: informational, customer bit, facility 0x0A3, message 7.
  constexpr uint32_t k3dDisabledEvent = 0x60A30007;
  const struct {
    const char* name;
    bool direct3d, gdi, aperture;
  } rows[] = {
      {"", true, true, true},
      {"Disable3D", false, false, true},
      {"DisableGdiAcceleration", true, false, true},
      {"DisableAperture", true, false,
       false},  // GDI acceleration needs an aperture (page "DXGK_PRESENTATIONCAPS")
  };
  Session session(false);
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  for (const auto& row : rows) {
    if (*row.name) setRegistryDword(Adapter::registryKey(), row.name, 1);
    const size_t events = errorLogEntries().size();
    if (!expect(ntSuccess(adapter.addDevice()) && ntSuccess(adapter.startDevice()), "%s: a start", row.name))
      return;
    aerogpu_umd_private_v1 userMode;
    std::memset(&userMode, 0xEE, sizeof userMode);  // what is not written shows
    DXGK_DRIVERCAPS caps{};
    const NTSTATUS direct3d = query(adapter, DXGKQAITYPE_UMDRIVERPRIVATE, userMode);
    expect(direct3d == (row.direct3d ? kSuccess : kNotSupported), "%s: Direct3D (0x%08x)", row.name,
           direct3d);
    const NTSTATUS small =
        query(adapter, DXGKQAITYPE_UMDRIVERPRIVATE, userMode, static_cast<UINT>(sizeof userMode - 1));
    expect(small == (row.direct3d ? kBufferTooSmall : kNotSupported), "%s: a byte short (0x%08x)", row.name,
           small);
    if (row.direct3d) expectUserModeAnswer(adapter, userMode);
    expect(ntSuccess(query(adapter, DXGKQAITYPE_DRIVERCAPS, caps)), "%s: capabilities", row.name);
    const auto& presents = caps.PresentationCaps;
    expect(presents.SupportKernelModeCommandBuffer == row.gdi, "%s: GDI acceleration", row.name);
    // Page "DXGK_PRESENTATIONCAPS"; without Direct3D there is no compositor, and nothing to say.
    expect(presents.DriverSupportsCddDwmInterop == row.direct3d && (presents.Value != 0) == row.direct3d,
           "%s: presents to the compositor's textures, 0x%x", row.name, presents.Value);
    expect(!presents.Value || presents.AlignmentShift >= 2, "%s: AlignmentShift %u", row.name,
           presents.AlignmentShift);
    expect((caps.ApertureSegmentCommitLimit != 0) == row.aperture, "%s: an aperture", row.name);
    const auto log = errorLogEntries();
    expect((log.size() > events && log.back().errorCode == k3dDisabledEvent) == !row.direct3d,
           "%s: the event log", row.name);
    expect(session.setMode(1024, 768), "%s: a mode is set", row.name);
    adapter.stopDevice();
    adapter.removeDevice();
    if (*row.name) setRegistryDword(Adapter::registryKey(), row.name, 0);
  }
  adapter.unload();
}

void restart() {
  Session session(false);
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  uint64_t bytes = 0;
  for (int i = 0; i < 5; ++i) {
    NTSTATUS status = adapter.addDevice();
    if (!expect(ntSuccess(status), "AddDevice %d (0x%08x)", i, status)) return;
    status = adapter.startDevice();
    if (!expect(ntSuccess(status), "StartDevice %d (0x%08x)", i, status)) return;
    expect(session.setMode(), "a mode in round %d", i);
    adapter.stopDevice();
    // The same device object again: PnP rebalances resources so.
    status = adapter.startDevice();
    if (!expect(ntSuccess(status), "a second StartDevice %d (0x%08x)", i, status)) return;
    adapter.stopDevice();
    adapter.removeDevice();
    if (i == 0) bytes = poolBytes();
    expect(poolBytes() == bytes, "as much pool after round %d as after the first (%llu, %llu)", i,
           static_cast<unsigned long long>(poolBytes()), static_cast<unsigned long long>(bytes));
  }
  adapter.unload();
}

/// A start that fails for lack of memory, at every allocation in turn, leaves nothing behind.
void startFailure() {
  Session session(false);
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  NTSTATUS status = adapter.addDevice();
  if (!ntSuccess(status)) return;
  const uint64_t before = poolBytes();
  unsigned failures = 0;
  for (unsigned n = 1; n < 200; ++n) {
    failPoolAllocation(n);
    status = adapter.startDevice();
    failPoolAllocation(0);
    if (ntSuccess(status)) {
      adapter.stopDevice();
      // An allocation that the driver can do without, or none left to fail?
      if (failures && n > failures + 20) break;
      continue;
    }
    failures = n;
    if (adapter.started()) adapter.stopDevice();
    expect(adapter.registers().read(AEROGPU_MMIO_REG_IRQ_ENABLE) == 0, "no interrupts after a failed start");
    reportMappings();
    expect(poolBytes() == before, "a start whose allocation %u fails leaves no pool (%llu bytes)", n,
           static_cast<unsigned long long>(poolBytes() - before));
  }
  note("the start has up to %u allocations that may fail", failures);
  adapter.removeDevice();
  adapter.unload();
}

/// EX-50: what was drawn survives the sleep of the machine.
void power(Adapter& adapter, Client& client, Context& context) {
  Surface surface;
  if (!makeSurface(adapter, client, context, 64, 64, surface)) return;
  fillSurface(context, surface, 0xFF336699);
  constexpr ULONG adapterUid = 0xFFFFFFFF;  // DISPLAY_ADAPTER_HW_ID
  for (const auto action : {PowerActionSleep, PowerActionHibernate}) {
    adapter.display().setVisible(false);
    adapter.scheduler().waitIdle();
    adapter.display().unpin(*adapter.display().primary());
    expect(adapter.vidmm().evictAll(), "everything can be evicted");
    NTSTATUS status = adapter.setPower(adapterUid, PowerDeviceD3, action);
    expect(ntSuccess(status), "D3 (0x%08x)", status);
    expect((adapter.registers().read(AEROGPU_MMIO_REG_RING_CONTROL) & 1) == 0, "the ring stands in D3");
    // What a device loses in D3.
    adapter.registers().write(AEROGPU_MMIO_REG_IRQ_ENABLE, 0);
    adapter.registers().write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    adapter.registers().write64(AEROGPU_MMIO_REG_RING_GPA_LO, 0);
    adapter.registers().write64(AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
    const std::vector<uint8_t> lost(1 << 20, 0xD3);
    adapter.machine().writeVideoMemory(1 << 20, lost.data(), lost.size());
    status = adapter.setPower(adapterUid, PowerDeviceD0, action);
    expect(ntSuccess(status), "D0 (0x%08x)", status);
    expect(adapter.display().recommit(), "the mode comes back");
    expect(surfaceIs(adapter, surface, 0xFF336699), "the content survives");
    expect(ntSuccess(fillSurface(context, surface, 0xFF336699)), "rendering goes on");
    expect(surfaceIs(adapter, surface, 0xFF336699), "rendering goes on rightly");
  }
  // The monitor's power too.
  expect(ntSuccess(adapter.setPower(adapter.targetId(), PowerDeviceD3, PowerActionNone)), "the child in D3");
  expect(ntSuccess(adapter.setPower(adapter.targetId(), PowerDeviceD0, PowerActionNone)), "the child in D0");
  dropSurface(adapter, client, context, surface);
}

void hotRemoval() {
  Session session;
  if (!session.ok() || !expect(session.setMode(), "a mode")) return;
  Adapter& adapter = session.adapter();
  auto client = Client::create(adapter, 100);
  auto context = client ? client->createContext() : nullptr;
  if (!expect(context != nullptr, "a context")) return;
  Surface surface;
  makeSurface(adapter, *client, *context, 64, 64, surface);
  fillSurface(*context, surface, 0xFF112233);
  adapter.scheduler().waitIdle();
  adapter.display().controlVsync(false);
  adapter.detach();
  // Windows ends what there is, then stops and removes; nothing may hang or fault.
  context.reset();
  client.reset();
  adapter.vidmm().destroy({surface.allocation});
}

/// The line is shared, and somebody else uses it all the time: from before the start until after the stop.
void sharedLine() {
  Session session(false);
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  adapter.setSharedLineNoise(true);
  for (int i = 0; i < 8; ++i) {
    if (!expect(ntSuccess(adapter.addDevice()) && ntSuccess(adapter.startDevice()), "round %d starts", i))
      return;
    expect(session.setMode(), "a mode in round %d", i);
    auto client = Client::create(adapter, 100);
    auto context = client ? client->createContext() : nullptr;
    Surface surface;
    if (context && makeSurface(adapter, *client, *context, 64, 64, surface)) {
      for (uint32_t k = 0; k < 20; ++k) fillSurface(*context, surface, 0xFF000000 | k);
      expect(surfaceIs(adapter, surface, 0xFF000013), "pixels in round %d", i);
      dropSurface(adapter, *client, *context, surface);
    }
    context.reset();
    client.reset();
    adapter.stopDevice();
    adapter.removeDevice();
  }
  expect(adapter.interruptsRefused() > 0, "the routine was called for nothing and said so");
  note("%llu interrupts taken, %llu refused", static_cast<unsigned long long>(adapter.interruptsTaken()),
       static_cast<unsigned long long>(adapter.interruptsRefused()));
  adapter.unload();
}

const TestCase kTests[] = {
    {"load", 30, load},
    {"start-stop", 60, startStop},
    {"switches", 120, switches},
    {"restart", 120, restart},
    {"shared-line", 120, sharedLine},
    {"start-failure", 240, startFailure},
    {"power", 120, inProcessWithMode<power>},
    {"hot-removal", 90, hotRemoval},
};

}  // namespace

std::span<const TestCase> pnpTests() {
  return kTests;
}

}  // namespace aerogpu::host
