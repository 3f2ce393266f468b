// SPDX-License-Identifier: MIT
// Tests load, start, stop, power, removal.
#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_caps.h"
#include "aerogpu/aerogpu_cmd_extension.h"
#include "aerogpu/aerogpu_escape_extension.h"
#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_umd_private_extension.h"
#include "testbed/kernel/dxgk/ddi_call.h"
#include "tests-qtest/driver/streams.h"
#include "tests-qtest/driver/test.h"

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
      SLOT(DxgkDdiAcquireSwizzlingRange),
      SLOT(DxgkDdiReleaseSwizzlingRange),
      SLOT(DxgkDdiCreateOverlay),
      SLOT(DxgkDdiUpdateOverlay),
      SLOT(DxgkDdiFlipOverlay),
      SLOT(DxgkDdiDestroyOverlay),
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

  // Calls that make no sense for a virtual adapter are refused or ignored.
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

/// Queries the driver for its properties.
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

/// Checks the answer for the user-mode driver: each field matches the device's registers.
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

/// PRIV-29: checks version 2 of the answer, for callers with room for it: the segments, escapes and contexts
/// of this driver.
void expectUserModeAnswer2(Adapter& adapter, bool gdi, bool aperture) {
  aerogpu_umd_ext_private_v2 answer;
  std::memset(&answer, 0xEE, sizeof answer);
  NTSTATUS status = query(adapter, DXGKQAITYPE_UMDRIVERPRIVATE, answer, sizeof answer - 1);
  expect(ntSuccess(status) && answer.v1.struct_version == AEROGPU_UMDPRIV_STRUCT_VERSION_V1 &&
             answer.v1.size_bytes == sizeof answer.v1 && answer.ext_flags == 0xEEEEEEEE,
         "version 1 where version 2 has no room (0x%08x)", status);
  status = query(adapter, DXGKQAITYPE_UMDRIVERPRIVATE, answer);
  if (!expect(ntSuccess(status) && answer.v1.struct_version == AEROGPU_UMDPRIV_STRUCT_VERSION_EXT_V2 &&
                  answer.v1.size_bytes == sizeof answer,
              "version 2 (0x%08x): version %u, %u bytes", status, answer.v1.struct_version,
              answer.v1.size_bytes))
    return;
  answer.v1.struct_version = AEROGPU_UMDPRIV_STRUCT_VERSION_V1;
  answer.v1.size_bytes = sizeof answer.v1;
  expectUserModeAnswer(adapter, answer.v1);
  const uint32_t flags = (aperture ? AEROGPU_UMDPRIV_EXT_FLAG_APERTURE : 0) |
                         (gdi ? AEROGPU_UMDPRIV_EXT_FLAG_GDI : 0) |
                         (hasSpaces(adapter) ? AEROGPU_UMDPRIV_EXT_FLAG_SPACES : 0);
  expect(answer.ext_flags == flags, "flags 0x%x, not 0x%x", answer.ext_flags, flags);
  DXGK_SEGMENTDESCRIPTOR segments[2]{};
  DXGK_QUERYSEGMENTOUT out{};
  out.NbSegment = 2;
  out.pSegmentDescriptor = segments;
  expect(ntSuccess(query(adapter, DXGKQAITYPE_QUERYSEGMENT, out)), "segments");
  expect(answer.vram_bytes == segments[0].Size && answer.aperture_bytes == (aperture ? segments[1].Size : 0),
         "segments of %llu and %llu bytes", static_cast<unsigned long long>(answer.vram_bytes),
         static_cast<unsigned long long>(answer.aperture_bytes));
  auto client = Client::create(adapter, 120);
  auto context = client ? client->createContext() : nullptr;
  if (expect(context != nullptr, "a context"))
    expect(answer.dma_buffer_bytes == context->info().DmaBufferSize &&
               answer.allocation_list_entries == context->info().AllocationListSize,
           "DMA buffers of %u bytes, lists of %u", answer.dma_buffer_bytes, answer.allocation_list_entries);
  expect(answer.ranged_handles_first == AEROGPU_EXT_RANGED_HANDLES_FIRST &&
             answer.ranged_handles_last == AEROGPU_EXT_RANGED_HANDLES_LAST &&
             answer.handle_range_unit == AEROGPU_EXT_HANDLE_RANGE_UNIT &&
             answer.handles_max == AEROGPU_EXT_HANDLES_MAX && answer.max_texture_edge == 16384,
         "limits");
  expect(answer.driver_version != 0 && answer.driver_version != 0xEEEEEEEEEEEEEEEE, "its version");
  auto& r = adapter.registers();
  const uint32_t block = r.read(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_CAPS
                             ? r.read(AEROGPU_EXT_REG_CAPS_SIZE)
                             : 0;
  expect(answer.block_bytes == block && answer.block_written == 0, "a capability block of %u bytes, not %u",
         answer.block_bytes, block);
}

/// PRIV-29: the driver passes the device's capability block to user mode unchanged, as far as there is room.
void capabilityBlock() {
  Session session;
  if (!session.ok()) return;
  Adapter& adapter = session.adapter();
  Machine& machine = adapter.machine();
  auto& registers = adapter.registers();
  const auto ask = [&](UINT room) {
    std::vector<uint8_t> answer(sizeof(aerogpu_umd_ext_private_v2) + room + 16, 0xEE);
    const NTSTATUS status =
        query(adapter, DXGKQAITYPE_UMDRIVERPRIVATE, answer[0], static_cast<UINT>(answer.size() - 16));
    expect(ntSuccess(status), "an answer (0x%08x)", status);
    return answer;
  };
  const auto head = [](const std::vector<uint8_t>& answer) {
    aerogpu_umd_ext_private_v2 out;
    std::memcpy(&out, answer.data(), sizeof out);
    return out;
  };
  const auto check = [&](const std::vector<uint8_t>& block) {
    const auto bytes = static_cast<uint32_t>(block.size());
    for (const UINT room : {bytes + 6, bytes, bytes - 1, 5u, 0u}) {
      const std::vector<uint8_t> answer = ask(room);
      const aerogpu_umd_ext_private_v2 got = head(answer);
      const uint32_t written = std::min(room, bytes);
      expect(got.block_bytes == bytes && got.block_written == written &&
                 got.v1.size_bytes == sizeof got + written,
             "room for %u: %u of %u, %u bytes in all", room, got.block_written, got.block_bytes,
             got.v1.size_bytes);
      bool right = true;
      for (size_t i = 0; i < answer.size() - sizeof got; ++i)
        right &= answer[sizeof got + i] == (i < written ? block[i] : 0xEE);
      expect(right, "room for %u: its bytes, and none beyond", room);
    }
  };
  const uint32_t features = registers.read(AEROGPU_MMIO_REG_FEATURES_HI);
  if (!expect(features & AEROGPU_EXT_FEATURE_HI_CAPS, "the device has a block")) return;
  std::vector<uint8_t> block(registers.read(AEROGPU_EXT_REG_CAPS_SIZE));
  for (size_t at = 0; at < block.size(); ++at)
    block[at] = static_cast<uint8_t>(
        registers.read(AEROGPU_EXT_REG_CAPS + static_cast<uint32_t>(at & ~size_t{3})) >> at % 4 * 8);
  check(block);
  // A size that is no multiple of 4, one that is too large, and a device without the feature.
  const auto says = [&](uint32_t offset, uint32_t value) {
    Machine::Fault fault;
    fault.readAnd = 0;
    fault.readOr = value;
    return machine.breakRegister(offset, fault);
  };
  if (!says(AEROGPU_EXT_REG_CAPS_SIZE, 7)) {
    skipTest("this machine's registers cannot be changed: the driver's copy of the block was not looked at");
    return;
  }
  // The driver reads it when the adapter starts, and after a sleep. Programs that open the adapter read the
  // driver's copy: each register read is an exit of the virtual machine.
  const auto reads = machine.registerReads();
  check(block);
  expect(machine.registerReads() == reads, "nobody reads the device for it");
  constexpr ULONG kAdapter = 0xFFFFFFFF;
  const auto sleeps = [&] {
    expect(ntSuccess(adapter.setPower(kAdapter, PowerDeviceD3, PowerActionSleep)) &&
               ntSuccess(adapter.setPower(kAdapter, PowerDeviceD0, PowerActionSleep)),
           "a sleep");
  };
  sleeps();
  block.resize(7);
  check(block);
  says(AEROGPU_EXT_REG_CAPS_SIZE, AEROGPU_EXT_REG_CAPS_BYTES + 1);
  sleeps();
  expect(head(ask(16)).block_bytes == 0, "a block that is longer than its room is none");
  says(AEROGPU_EXT_REG_CAPS_SIZE, 7);
  says(AEROGPU_MMIO_REG_FEATURES_HI, features & ~AEROGPU_EXT_FEATURE_HI_CAPS);
  sleeps();
  expect(head(ask(16)).block_bytes == 0, "none without the feature");
  says(AEROGPU_MMIO_REG_FEATURES_HI, features);
}

/// PRIV-11: each switch in the registry (docs/windows/package.md, "Settings") disables what it says, and the
/// desktop works.
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
    std::memset(&userMode, 0xEE, sizeof userMode);  // makes unwritten bytes visible
    DXGK_DRIVERCAPS caps{};
    const NTSTATUS direct3d = query(adapter, DXGKQAITYPE_UMDRIVERPRIVATE, userMode);
    expect(direct3d == (row.direct3d ? kSuccess : kNotSupported), "%s: Direct3D (0x%08x)", row.name,
           direct3d);
    const NTSTATUS small =
        query(adapter, DXGKQAITYPE_UMDRIVERPRIVATE, userMode, static_cast<UINT>(sizeof userMode - 1));
    expect(small == (row.direct3d ? kBufferTooSmall : kNotSupported), "%s: a byte short (0x%08x)", row.name,
           small);
    if (row.direct3d) expectUserModeAnswer(adapter, userMode);
    if (row.direct3d) expectUserModeAnswer2(adapter, row.gdi, row.aperture);
    expect(ntSuccess(query(adapter, DXGKQAITYPE_DRIVERCAPS, caps)), "%s: capabilities", row.name);
    const auto& presents = caps.PresentationCaps;
    expect(presents.SupportKernelModeCommandBuffer == row.gdi, "%s: GDI acceleration", row.name);
    // Page "DXGK_PRESENTATIONCAPS"; without Direct3D there is no compositor, and nothing to announce.
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

/// The driver registers the adapter's details for the control panel, including the host's GPU (page
/// "Registering Hardware Information").
void hardwareInformation() {
  Session session;
  if (!session.ok()) return;
  std::string text, gpu;
  auto& registers = session.adapter().registers();
  const auto byte = [&](uint32_t at) {
    return static_cast<uint8_t>(registers.read(AEROGPU_EXT_REG_CAPS + at / 4 * 4) >> at % 4 * 8);
  };
  uint32_t at = registers.read(AEROGPU_EXT_REG_CAPS + offsetof(aerogpu_caps, device_name_offset));
  for (; byte(at); ++at) gpu += static_cast<char>(byte(at));
  expect(!gpu.empty(), "the device says which GPU the host has");
  for (const char* name : {"ChipType", "AdapterString"}) {
    const bool there =
        getRegistryString(Adapter::registryKey(), std::string("HardwareInformation.") + name, text);
    expect(there && text.find(gpu.substr(0, 63)) != std::string::npos, "HardwareInformation.%s '%s' has '%s'",
           name, text.c_str(), gpu.c_str());
  }
  for (const char* name : {"ChipType", "DacType", "AdapterString", "BiosString"})
    expect(getRegistryString(Adapter::registryKey(), std::string("HardwareInformation.") + name, text) &&
               !text.empty(),
           "HardwareInformation.%s", name);
  // In bytes, as all readers expect, whatever the page says.
  uint32_t bytes = 0;
  expect(getRegistryDword(Adapter::registryKey(), "HardwareInformation.MemorySize", bytes) &&
             bytes == session.adapter().bar(1).bytes,
         "HardwareInformation.MemorySize is %llu (%u)",
         static_cast<unsigned long long>(session.adapter().bar(1).bytes), bytes);
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
    // The same device object again, as when PnP rebalances resources.
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

/// A start that fails for lack of memory, at every allocation in turn, leaks nothing.
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
    expectNoDeviceErrors(adapter);
    reportMappings();
    expect(poolBytes() == before, "a start whose allocation %u fails leaves no pool (%llu bytes)", n,
           static_cast<unsigned long long>(poolBytes() - before));
  }
  note("the start has up to %u allocations that may fail", failures);
  adapter.removeDevice();
  adapter.unload();
}

/// EX-50: drawn content survives the sleep of the machine.
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
    // The device loses this in D3.
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
  if (!adapter.machine().canReset()) {  // what stays on the device would be in the way of those that follow
    skipTest("this machine's devices cannot be reset from here");
    return;
  }
  auto client = Client::create(adapter, 100);
  auto context = client ? client->createContext() : nullptr;
  if (!expect(context != nullptr, "a context")) return;
  Surface surface;
  makeSurface(adapter, *client, *context, 64, 64, surface);
  fillSurface(*context, surface, 0xFF112233);
  adapter.scheduler().waitIdle();
  adapter.display().controlVsync(false);
  adapter.detach();
  // Windows destroys everything, then stops and removes the device; nothing may hang or fault.
  context.reset();
  client.reset();
  adapter.vidmm().destroy({surface.allocation});
}

/// Another device shares the interrupt line, and uses it all the time, from before the start until after the
/// stop.
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

const TestCase kPnpTests[] = {
    {"load", 30, load},
    {"start-stop", 60, startStop},
    {"capability-block", 60, capabilityBlock, Runs::kBesideQemu},
    {"switches", 120, switches},
    {"hardware-information", 60, hardwareInformation, Runs::kBesideQemu},
    {"restart", 120, restart},
    {"shared-line", 120, sharedLine},
    {"start-failure", 240, startFailure},
    {"power", 120, inProcessWithMode<power>},
    {"hot-removal", 90, hotRemoval, Runs::kBesideQemu},
};

}  // namespace

std::span<const TestCase> pnpTests() {
  return kPnpTests;
}

}  // namespace aerogpu::host
