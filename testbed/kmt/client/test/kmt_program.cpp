// SPDX-License-Identifier: MIT
// kmt_program: calls the D3DKMT functions of the client library, against the driver host, and prints the results (TAP).
// kmt_test.py runs it under Wine and answers its questions: a line "look: X,Y=RRGGBB ..." asks what the screen shows,
// "share: HANDLE" lets a second process open a resource; both wait for a line on standard input.
//
//   kmt_program                 all tests
//   kmt_program open HANDLE     the second process
//   kmt_program stay            takes the screen and everything else, and waits to be killed
//   kmt_program render N        N empty renders, for counting system calls
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <string>

#include "aerogpu/aerogpu_format.h"
#include "aerogpu/aerogpu_umd_private.h"
#include "aerogpu/aerogpu_wddm_alloc.h"
#include "aerogpu/cmd_packets.hpp"
#include "testbed/kmt/client/test/gpu.h"
#include "testbed/kmt/client/test/keyed_mutexes.h"
#include "testbed/kmt/client/test/presents.h"
#include "testbed/kmt/status.h"

namespace aerogpu::kmt::test {

namespace {

constexpr char kRuntimeData[] = "what the runtime of another process has to know";
constexpr uint32_t kSharedLeft = 0x204060, kSharedRight = 0xA0C0E0;

template <class Info> NTSTATUS query(const Gpu &gpu, KMTQUERYADAPTERINFOTYPE type, Info &info) {
  D3DKMT_QUERYADAPTERINFO args = {gpu.adapter(), type, &info, sizeof info};
  return D3DKMTQueryAdapterInfo(&args);
}

void adapterTests(Gpu &gpu) {
  D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME name{};
  wcscpy(name.DeviceName, L"\\\\.\\DISPLAY2");
  check(D3DKMTOpenAdapterFromGdiDisplayName(&name) == kStatusInvalidParameter, "there is no second display");
  aerogpu_umd_private_v1 priv{};
  NTSTATUS status = query(gpu, KMTQAITYPE_UMDRIVERPRIVATE, priv);
  check(status >= 0 && priv.size_bytes == sizeof priv && priv.device_mmio_magic == AEROGPU_UMDPRIV_MMIO_MAGIC_NEW_AGPU,
        "UMDRIVERPRIVATE is the driver's (0x%08lx, %u bytes, magic %08x)", status, priv.size_bytes,
        priv.device_mmio_magic);
  D3DKMT_UMDFILENAMEINFO file{};
  file.Version = KMTUMDVERSION_DX9;
  status = query(gpu, KMTQAITYPE_UMDRIVERNAME, file);
  check(status >= 0 && !wcscmp(file.UmdFileName, L"Z:\\some\\where\\driver.dll"), "UMDRIVERNAME is --umd's (0x%08lx)",
        status);
  for (const KMTUMDVERSION version : {KMTUMDVERSION_DX10, KMTUMDVERSION_DX11}) {
    file = {};
    file.Version = version;
    status = query(gpu, KMTQAITYPE_UMDRIVERNAME, file);
    check(status >= 0 && !wcscmp(file.UmdFileName, L"Z:\\some\\where\\driver10.dll"),
          "UMDRIVERNAME %d is --umd10's (0x%08lx)", version, status);
  }
  D3DKMT_SEGMENTSIZEINFO segments{};
  status = query(gpu, KMTQAITYPE_GETSEGMENTSIZE, segments);
  check(status >= 0 && segments.DedicatedVideoMemorySize >= 16 << 20 && segments.SharedSystemMemorySize &&
            !segments.DedicatedSystemMemorySize,
        "%llu bytes of video memory, %llu shared", segments.DedicatedVideoMemorySize, segments.SharedSystemMemorySize);
  D3DKMT_ADAPTERREGISTRYINFO names{};
  status = query(gpu, KMTQAITYPE_ADAPTERREGISTRYINFO, names);
  check(status >= 0 && !wcscmp(names.AdapterString, L"aerogpu virtual GPU (aerogpu project - WDDM v1.1)"),
        "the adapter's name is the INF's (0x%08lx)", status);
  uint32_t small = 0;
  check(query(gpu, KMTQAITYPE_GETSEGMENTSIZE, small) == kStatusBufferTooSmall, "4 bytes are too few for them");
  D3DKMT_CURRENTDISPLAYMODE current{};
  status = query(gpu, KMTQAITYPE_CURRENTDISPLAYMODE, current);
  check(status >= 0 && current.DisplayMode.Width == 1024 && current.DisplayMode.Height == 768 &&
            current.DisplayMode.Format == D3DDDIFMT_X8R8G8B8,
        "the mode is %ux%u", current.DisplayMode.Width, current.DisplayMode.Height);
  current.VidPnSourceId = 1;
  check(query(gpu, KMTQAITYPE_CURRENTDISPLAYMODE, current) == kStatusInvalidVidPnSource, "there is one source");

  D3DKMT_GETDISPLAYMODELIST list = {gpu.adapter(), 0, nullptr, 0};
  status = D3DKMTGetDisplayModeList(&list);
  if (!check(status >= 0 && list.ModeCount, "%u modes (0x%08lx)", list.ModeCount, status)) return;
  std::vector<D3DKMT_DISPLAYMODE> modes(list.ModeCount);
  list.pModeList = modes.data();
  check(D3DKMTGetDisplayModeList(&list) >= 0 && list.ModeCount == modes.size() &&
            std::any_of(modes.begin(), modes.end(),
                        [](const D3DKMT_DISPLAYMODE &mode) {
                          return mode.Width == 1024 && mode.Height == 768 && mode.Format == D3DDDIFMT_X8R8G8B8 &&
                                 mode.IntegerRefreshRate;
                        }),
        "1024x768 is one of them");
  list.ModeCount = 1;
  check(D3DKMTGetDisplayModeList(&list) == kStatusBufferTooSmall && list.ModeCount == modes.size(),
        "room for one is too little");
  D3DKMT_GETDEVICESTATE state{};
  state.hDevice = gpu.device();
  state.StateType = D3DKMT_DEVICESTATE_EXECUTION;
  check(D3DKMTGetDeviceState(&state) >= 0 && state.ExecutionState == D3DKMT_DEVICEEXECUTION_ACTIVE,
        "the device is active");
}

void renderTests(Gpu &gpu) {
  const CommandWriter empty;
  const uint64_t before = gpu.completedFence();
  void *const first = gpu.commands();
  const UINT firstBytes = gpu.commandBytes();
  NTSTATUS status = gpu.render(empty);
  check(status >= 0 && gpu.waitIdle() && gpu.completedFence() > before, "an empty stream completes (0x%08lx)", status);
  check(gpu.commands() != first && gpu.commandBytes() < firstBytes, "the next buffer is another, and smaller");
  // A stale pointer: what is written there is not rendered.
  memcpy(first, empty.data(), empty.size());
  memset(gpu.commands(), 0, empty.size());
  D3DKMT_RENDER args{};
  args.CommandLength = static_cast<UINT>(empty.size());
  status = gpu.renderAs(args);
  check(status < 0 && gpu.commands() == first, "the old buffer is not looked at (0x%08lx)", status);
  gpu.render(empty);
  args = {};
  args.CommandLength = static_cast<UINT>(empty.size());
  gpu.renderAs(args);  // in the second set
  args = {};
  args.CommandLength = static_cast<UINT>(empty.size());
  status = gpu.renderAs(args);
  check(status < 0, "what was rendered is not there a second time (0x%08lx)", status);

  const UINT bytes = gpu.commandBytes();
  args = {};
  args.CommandOffset = bytes;
  args.CommandLength = 16;
  check(gpu.renderAs(args) == kStatusInvalidParameter, "commands behind the buffer");
  args = {};
  args.CommandOffset = 16;
  args.CommandLength = UINT32_MAX;
  check(gpu.renderAs(args) == kStatusInvalidParameter, "commands without an end");
  args = {};
  args.CommandLength = 16;
  args.AllocationCount = UINT32_MAX;
  check(gpu.renderAs(args) == kStatusInvalidParameter, "a list without an end");
  args = {};
  args.CommandLength = 16;
  args.PatchLocationCount = UINT32_MAX;
  check(gpu.renderAs(args) == kStatusInvalidParameter, "patches without an end");
  status = gpu.render(empty, {{0x12345678, false}});
  check(status == kStatusInvalidHandle, "an allocation that is not there (0x%08lx)", status);
  status = gpu.render(empty, {{gpu.device(), false}});
  check(status == kStatusInvalidHandle, "a device in its place (0x%08lx)", status);

  args = {};
  memcpy(gpu.commands(), empty.data(), empty.size());
  args.CommandLength = static_cast<UINT>(empty.size());
  args.Flags.ResizeCommandBuffer = 1;
  args.NewCommandBufferSize = 1 << 20;
  status = gpu.renderAs(args);
  check(status >= 0 && gpu.commandBytes() >= 3 << 18, "a larger buffer, %u bytes (0x%08lx)", gpu.commandBytes(),
        status);
  gpu.render(empty);
  memset(gpu.commands(), 0x5A, gpu.commandBytes());  // all of it is writable
  check(gpu.render(empty) >= 0 && gpu.waitIdle(), "which works");
}

/// Tests that a resource which only its creator uses may get more allocations.
void growTests(Gpu &gpu) {
  Memory first, second, shared;
  NTSTATUS status = createInResource(gpu, 0, first);
  if (!check(status >= 0 && first.resource, "a resource (0x%08lx)", status)) return;
  status = createInResource(gpu, first.resource, second);
  check(status >= 0 && second.resource == first.resource && second.allocation != first.allocation,
        "it gets another allocation (0x%08lx)", status);
  check(lock(gpu, second.allocation) && unlock(gpu, second.allocation) >= 0, "which is locked as any");
  check(gpu.render(CommandWriter(), {{first.allocation, true}, {second.allocation, true}}) >= 0, "and rendered");
  destroy(gpu, first);
  check(!lock(gpu, second.allocation), "both go with the resource");
  status = createInResource(gpu, first.resource, second);
  check(status == kStatusInvalidParameter, "which takes nothing more (0x%08lx)", status);
  check(createSurface(gpu, 64, 64, false, kRuntimeData, shared) >= 0 &&
            createInResource(gpu, shared.resource, second) == kStatusInvalidParameter,
        "a shared resource stays as it is");
  destroy(gpu, shared);
}

void lockTests(Gpu &gpu) {
  constexpr uint32_t kBytes = 200000, kLarge = 16 << 20;
  Memory from, to, invisible;
  NTSTATUS status = createBuffer(gpu, kBytes, true, from);
  check(status >= 0 && from.allocation, "a buffer (0x%08lx)", status);
  check(createBuffer(gpu, kBytes, true, to) >= 0, "another one");
  auto *source = static_cast<uint32_t *>(lock(gpu, from.allocation, &status));
  check(source != nullptr, "it is locked (0x%08lx)", status);
  if (!source) return;
  bool fresh = true;
  for (uint32_t i = 0; i < kBytes / 4; i++) {
    fresh &= source[i] == 0;
    source[i] = i * 2654435761u;
  }
  check(fresh, "nothing of anybody else's is in it");
  check(lock(gpu, from.allocation) == source, "locked again it is at the same place");
  check(unlock(gpu, from.allocation) >= 0 && unlock(gpu, from.allocation) >= 0, "and unlocked twice");
  check(unlock(gpu, from.allocation) == kStatusInvalidParameter, "not three times");

  // Long work comes before the copy, so that DonotWait would have to wait.
  Memory large[2];
  check(createBuffer(gpu, kLarge, false, large[0]) >= 0 && createBuffer(gpu, kLarge, false, large[1]) >= 0,
        "large ones");
  const uint32_t a = newNumber(), b = newNumber(), c = newNumber(), d = newNumber();
  CommandWriter make, work, copy;
  packets::createBuffer(make, a, kBytes, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, from.allocId);
  packets::createBuffer(make, b, kBytes, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, to.allocId);
  packets::createBuffer(make, c, kLarge, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, large[0].allocId);
  packets::createBuffer(make, d, kLarge, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, large[1].allocId);
  for (int i = 0; i < 16; i++) packets::copyBuffer(work, d, c, kLarge, AEROGPU_COPY_FLAG_WRITEBACK_DST);
  packets::dirtyRange(copy, a, 0, kBytes);
  packets::copyBuffer(copy, b, a, kBytes, AEROGPU_COPY_FLAG_WRITEBACK_DST);
  status = gpu.render(
      make,
      {{from.allocation, false}, {to.allocation, true}, {large[0].allocation, false}, {large[1].allocation, true}});
  check(status >= 0, "the GPU has them (0x%08lx)", status);
  D3DKMT_LOCK polled{};
  polled.hDevice = gpu.device();
  polled.hAllocation = to.allocation;
  polled.Flags.DonotWait = polled.Flags.ReadOnly = polled.Flags.LockEntire = 1;
  // If the system delays the program long enough, all of it is done; this must not happen every time.
  unsigned busy = 0;
  for (int attempt = 0; attempt < 20 && !busy && status >= 0; attempt++) {
    for (int i = 0; i < 4; i++) gpu.render(work, {{large[0].allocation, false}, {large[1].allocation, true}});
    gpu.render(copy, {{from.allocation, false}, {to.allocation, true}});
    while ((status = D3DKMTLock(&polled)) == kStatusAllocationBusy) busy++;
    if (!busy) static_cast<void>(unlock(gpu, to.allocation));
  }
  check(status >= 0 && busy, "DonotWait succeeds in the end, after %u times busy (0x%08lx)", busy, status);
  const auto *target = static_cast<const uint32_t *>(lock(gpu, to.allocation, &status));
  check(target && !memcmp(target, source, kBytes), "the CPU finds what was copied (0x%08lx)", status);
  // Memory in an aperture may be used for rendering while it is locked.
  check(gpu.render(CommandWriter(), {{to.allocation, true}}) >= 0, "a locked allocation in an aperture is rendered");
  unlock(gpu, to.allocation);
  unlock(gpu, to.allocation);
  D3DKMT_LOCK wrong = polled;
  wrong.Flags.Value = 0;
  wrong.Flags.ReadOnly = wrong.Flags.WriteOnly = 1;
  check(D3DKMTLock(&wrong) == kStatusInvalidParameter, "read-only and write-only at once");
  wrong.Flags.Value = 0;
  wrong.hAllocation = gpu.context();
  check(D3DKMTLock(&wrong) == kStatusInvalidParameter, "a context is no allocation");
  const bool refused = createBuffer(gpu, 4096, false, invisible) >= 0 && !lock(gpu, invisible.allocation, &status);
  check(refused && status == kStatusInvalidParameter, "what is not visible to the CPU is not locked (0x%08lx)", status);
  CommandWriter gone;
  for (const uint32_t buffer : {a, b, c, d}) packets::destroyResource(gone, buffer);
  check(gpu.render(gone) >= 0, "the buffers go");
  for (const Memory &memory : {from, to, invisible, large[0], large[1]}) destroy(gpu, memory);
  check(!lock(gpu, from.allocation), "what is gone is not locked");
  // Many of them, so that leaked memory would run out.
  bool all = true;
  for (int i = 0; i < 100 && all; i++) {
    Memory one;
    all = createBuffer(gpu, 32 << 20, true, one) >= 0 && lock(gpu, one.allocation);
    if (all) static_cast<void>(unlock(gpu, one.allocation));
    destroy(gpu, one);
  }
  check(all, "100 times 32 MiB, one after the other");
  growTests(gpu);
  D3DKMT_CREATEALLOCATION none{};
  none.hDevice = gpu.device();
  check(D3DKMTCreateAllocation(&none) == kStatusInvalidParameter, "no allocation at all");
}

DWORD WINAPI waitForBlanks(void *parameter) {
  const D3DKMT_WAITFORVERTICALBLANKEVENT wait = {static_cast<Gpu *>(parameter)->adapter(), 0, 0};
  NTSTATUS status = 0;
  for (int i = 0; i < 5 && status >= 0; i++) status = D3DKMTWaitForVerticalBlankEvent(&wait);
  return status < 0;
}

void threadTests(Gpu &gpu) {
  // One thread blocks repeatedly, the other continues.
  const HANDLE thread = CreateThread(nullptr, 0, waitForBlanks, &gpu, 0, nullptr);
  unsigned renders = 0;
  bool all = true;
  do all = gpu.render(CommandWriter()) >= 0;
  while (all && ++renders < 100000 && WaitForSingleObject(thread, 0) == WAIT_TIMEOUT);
  DWORD failed = 1;
  WaitForSingleObject(thread, INFINITE);
  GetExitCodeThread(thread, &failed);
  CloseHandle(thread);
  check(all && !failed && renders > 1, "five vertical blanks, and %u renders meanwhile", renders);
  D3DKMT_GETSCANLINE line{};
  line.hAdapter = gpu.adapter();
  const NTSTATUS status = D3DKMTGetScanLine(&line);
  check(status >= 0 && (line.InVerticalBlank || line.ScanLine < 768), "scan line %u", line.ScanLine);
  D3DKMT_SETQUEUEDLIMIT limit{};
  limit.hDevice = gpu.device();
  limit.Type = D3DKMT_GET_QUEUEDLIMIT_PRESENT;
  check(D3DKMTSetQueuedLimit(&limit) >= 0 && limit.QueuedPresentLimit == 3, "three presents may queue");
  limit.Type = D3DKMT_SET_QUEUEDLIMIT_PRESENT;
  limit.QueuedPresentLimit = 0;
  check(D3DKMTSetQueuedLimit(&limit) == kStatusInvalidParameter, "none is no limit");
}

void shareTests(Gpu &gpu) {
  Memory shared;
  NTSTATUS status = createSurface(gpu, 64, 64, false, kRuntimeData, shared);
  if (!check(status >= 0 && shared.resource && shared.globalShare && shared.shareToken,
             "a shared resource, global handle 0x%08x (0x%08lx)", shared.globalShare, status))
    return;
  const uint32_t texture = paint(gpu, shared, 64, 64, kSharedLeft, kSharedRight);
  check(gpu.waitIdle(), "it is painted");
  const auto *pixels = static_cast<const uint32_t *>(lock(gpu, shared.allocation));
  check(pixels && (pixels[0] & 0xFFFFFF) == kSharedLeft && unlock(gpu, shared.allocation) >= 0, "its creator locks it");
  const D3DKMT_DESTROYALLOCATION piece = {gpu.device(), 0, &shared.allocation, 1};
  check(D3DKMTDestroyAllocation(&piece) == kStatusInvalidParameter, "a resource goes as a whole");
  char line[64];
  snprintf(line, sizeof line, "share: 0x%x", shared.globalShare);
  check(ask(line), "another process opens it");
  CommandWriter gone;
  packets::destroyResource(gone, texture);
  gpu.render(gone);
  destroy(gpu, shared);
  D3DKMT_QUERYRESOURCEINFO info{};
  info.hDevice = gpu.device();
  info.hGlobalShare = shared.globalShare;
  check(D3DKMTQueryResourceInfo(&info) == kStatusInvalidHandle, "its global handle ends with it");
  D3DKMT_GETSHAREDPRIMARYHANDLE primary = {gpu.adapter(), 0, 0};
  check(D3DKMTGetSharedPrimaryHandle(&primary) >= 0, "the desktop has one");
  info.hGlobalShare = primary.hSharedPrimary;
  check(D3DKMTQueryResourceInfo(&info) >= 0 && info.NumAllocations == 1, "which can be asked about");
}

/// Runs the second process.
void openTests(Gpu &gpu, D3DKMT_HANDLE globalShare) {
  D3DKMT_QUERYRESOURCEINFO info{};
  info.hDevice = gpu.device();
  info.hGlobalShare = globalShare;
  NTSTATUS status = D3DKMTQueryResourceInfo(&info);
  if (!check(status >= 0 && info.NumAllocations == 1 && info.PrivateRuntimeDataSize == strlen(kRuntimeData) &&
                 info.TotalPrivateDriverDataSize == sizeof(aerogpu_wddm_alloc_priv_v2),
             "the resource is known (0x%08lx)", status))
    return;
  std::string runtimeData(info.PrivateRuntimeDataSize, 0);
  aerogpu_wddm_alloc_priv_v2 priv{};
  D3DDDI_OPENALLOCATIONINFO opened{};
  D3DKMT_OPENRESOURCE open{};
  open.hDevice = gpu.device();
  open.hGlobalShare = globalShare;
  open.NumAllocations = 1;
  open.pOpenAllocationInfo = &opened;
  open.pPrivateRuntimeData = runtimeData.data();
  open.PrivateRuntimeDataSize = info.PrivateRuntimeDataSize;
  open.pTotalPrivateDriverDataBuffer = &priv;
  open.TotalPrivateDriverDataBufferSize = sizeof priv - 1;
  check(D3DKMTOpenResource(&open) == kStatusBufferTooSmall, "a byte too few");
  open.TotalPrivateDriverDataBufferSize = sizeof priv;
  status = D3DKMTOpenResource(&open);
  if (!check(status >= 0 && open.hResource && opened.hAllocation, "it opens (0x%08lx)", status)) return;
  check(runtimeData == kRuntimeData, "the runtime's data is there");
  check(opened.pPrivateDriverData == &priv && opened.PrivateDriverDataSize == sizeof priv && priv.width == 64 &&
            priv.share_token,
        "and the driver's");
  NTSTATUS locked;
  check(!lock(gpu, opened.hAllocation, &locked) && locked == kStatusInvalidParameter, "it is the creator's to lock");
  // Copies its pixels through the GPU into memory of this process.
  Memory copy;
  check(createBuffer(gpu, uint64_t{64} * 64 * 4, true, copy) >= 0, "room for its pixels");
  const uint32_t imported = newNumber(), target = newNumber();
  CommandWriter stream;
  stream.packet(aerogpu_cmd_import_shared_surface{{}, imported, 0, priv.share_token});
  packets::createTexture(stream, {.handle = target,
                                  .format = AEROGPU_FORMAT_B8G8R8X8_UNORM,
                                  .width = 64,
                                  .height = 64,
                                  .usage = AEROGPU_RESOURCE_USAGE_TEXTURE,
                                  .rowPitch = 64 * 4,
                                  .allocId = copy.allocId});
  packets::copyTexture(stream, target, imported, 64, 64);
  status = gpu.render(stream, {{opened.hAllocation, false}, {copy.allocation, true}});
  const auto *pixels = static_cast<const uint32_t *>(lock(gpu, copy.allocation));
  check(status >= 0 && pixels && (pixels[0] & 0xFFFFFF) == kSharedLeft &&
            (pixels[64 * 64 - 1] & 0xFFFFFF) == kSharedRight,
        "the other process' pixels (0x%08lx, %06x)", status, pixels ? pixels[0] & 0xFFFFFF : 0);
  check(own(gpu, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE) >= 0 && own(gpu, D3DKMT_VIDPNSOURCEOWNER_UNOWNED) >= 0,
        "nobody has the screen");
  const D3DKMT_DESTROYALLOCATION close = {gpu.device(), open.hResource, nullptr, 0};
  check(D3DKMTDestroyAllocation(&close) >= 0, "it is closed");
}

void handleTests(Gpu &gpu) {
  Gpu second;
  if (!second.open()) return;
  Memory theirs;
  check(createBuffer(second, 4096, true, theirs) >= 0, "an allocation of another device");
  const NTSTATUS status = gpu.render(CommandWriter(), {{theirs.allocation, false}});
  check(status == kStatusInvalidHandle, "is not this one's to render (0x%08lx)", status);
  check(!lock(gpu, theirs.allocation), "nor to lock");
  const D3DKMT_DESTROYDEVICE device = {second.device()};
  check(D3DKMTDestroyDevice(&device) >= 0, "a device with all it has goes");
  check(D3DKMTDestroyDevice(&device) == kStatusInvalidParameter, "once");
  const D3DKMT_DESTROYCONTEXT context = {second.context()};
  check(D3DKMTDestroyContext(&context) == kStatusInvalidParameter, "and its context with it");
  const D3DKMT_CLOSEADAPTER wrong = {gpu.device()}, adapter = {second.adapter()};
  check(D3DKMTCloseAdapter(&wrong) == kStatusInvalidParameter, "a device is no adapter");
  check(D3DKMTCloseAdapter(&adapter) >= 0 && D3DKMTCloseAdapter(&adapter) == kStatusInvalidParameter,
        "an adapter is closed once");
  unsigned devices = 0;
  D3DKMT_CREATEDEVICE create{};
  create.hAdapter = gpu.adapter();
  while (devices < 1000 && D3DKMTCreateDevice(&create) >= 0) devices++;
  check(devices > 10 && devices < 1000, "a process has at most %u devices", devices);
}

void stay(Gpu &gpu) {
  Memory frame, buffer;
  createSurface(gpu, 1024, 768, true, nullptr, frame);
  paint(gpu, frame, 1024, 768, 0xABCDEF, 0xABCDEF);
  createBuffer(gpu, 1 << 20, true, buffer);
  lock(gpu, buffer.allocation);
  own(gpu, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE);
  D3DKMT_SETDISPLAYMODE mode{};
  mode.hDevice = gpu.device();
  mode.hPrimaryAllocation = frame.allocation;
  check(D3DKMTSetDisplayMode(&mode) >= 0, "the screen is taken");
  ask("stays");
}

}  // namespace

static int run(int argc, char **argv) {
  Gpu gpu;
  if (!gpu.open()) return 1;
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "open" && argc > 2) {
    openTests(gpu, static_cast<D3DKMT_HANDLE>(strtoul(argv[2], nullptr, 0)));
  } else if (what == "stay") {
    stay(gpu);
  } else if (what == "render" && argc > 2) {
    const long count = strtol(argv[2], nullptr, 0);
    bool all = true;
    LARGE_INTEGER begin, end, frequency;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&begin);
    for (long i = 0; i < count; i++) all &= gpu.render(CommandWriter()) >= 0;
    QueryPerformanceCounter(&end);
    check(all, "%ld renders, %lld us each", count,
          (end.QuadPart - begin.QuadPart) * 1000000 / frequency.QuadPart / (count ? count : 1));
  } else {
    adapterTests(gpu);
    renderTests(gpu);
    lockTests(gpu);
    presentTests(gpu);
    flipTests(gpu);
    threadTests(gpu);
    shareTests(gpu);
    keyedMutexTests();
    handleTests(gpu);
    gpu.close();
  }
  return failures() ? 1 : 0;
}

}  // namespace aerogpu::kmt::test

int main(int argc, char **argv) {
  return aerogpu::kmt::test::run(argc, argv);
}
