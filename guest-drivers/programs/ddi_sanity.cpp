// SPDX-License-Identifier: MIT
// ddi_sanity.exe: makes every call of Direct3D 9Ex that a desktop's compositor depends on, and checks its answer and
// its time: interfaces, capabilities, device state, vertical blanks, priorities, residency, the Ex forms of creation,
// resets, frame latency, presents that do not wait, event queries. The rules are those of docs/abi/d3d9ex.md.
#include <algorithm>
#include <cstdio>

#include "guest-drivers/programs/program.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 192, kHeight = 128;
constexpr double kMostSeconds = 2;  // limit of one call, on a busy machine
constexpr uint32_t kWaits = 10, kPolls = 1000, kPresents = 40;
constexpr uint32_t kFilled = argb(255, 40, 120, 200);

constexpr char kHelp[] =
    "ddi_sanity.exe: calls of Direct3D 9Ex, each with its answer and under a limit of time. --frames, --draws, "
    "--samples,\n"
    "--hold, --ex, --immediate and --expectation mean nothing here.";

/** Calls that may neither fail nor take long. */
class Calls {
public:
  /** Makes one call; `wanted`: the expected answer, S_OK by default. */
  template <typename Call> bool answers(const char *what, Call call, HRESULT wanted = S_OK) {
    const double start = now();
    const HRESULT result = call();
    if (!inTime(what, now() - start)) return false;
    return result == wanted ||
           (wanted == S_OK && !ok(result, what)
                ? false
                : fail("%s gives 0x%08lX, not 0x%08lX", what, static_cast<DWORD>(result), static_cast<DWORD>(wanted)));
  }
  bool inTime(const char *what, double seconds) {
    ++count_;
    longest_ = std::max(longest_, seconds);
    return seconds <= kMostSeconds || fail("%s took %.2f s, more than %g", what, seconds, kMostSeconds);
  }
  uint32_t count() const { return count_; }
  double longest() const { return longest_; }

private:
  uint32_t count_ = 0;
  double longest_ = 0;
};

/** True if two interfaces belong to one object, with one count of references: both return the same IUnknown. */
bool isOneObject(const char *what, IUnknown *one, IUnknown *other) {
  ComPtr<IUnknown> first, second;
  if (!ok(one->QueryInterface(IID_IUnknown, reinterpret_cast<void **>(first.put())), "QueryInterface(IUnknown)") ||
      !ok(other->QueryInterface(IID_IUnknown, reinterpret_cast<void **>(second.put())), "QueryInterface(IUnknown)"))
    return false;
  if (first.get() != second.get()) return fail("%s are two objects", what);
  const ULONG before = one->AddRef(), after = other->Release();
  return after == before - 1 || fail("%s count their references apart: %lu, then %lu", what, before, after);
}

/** EX-01, EX-09: checks an adapter's answers without a device. */
bool checkAdapter(Calls &calls, const Device &device, D3DDISPLAYMODEEX *mode) {
  IDirect3D9Ex *direct3d = device.direct3dEx.get();
  constexpr UINT kAdapter = D3DADAPTER_DEFAULT;
  constexpr D3DDEVTYPE kHal = D3DDEVTYPE_HAL;
  constexpr D3DFORMAT kScreen = D3DFMT_X8R8G8B8;
  LUID luid{}, again{};
  D3DCAPS9 caps{};
  D3DDISPLAYROTATION rotation{};
  mode->Size = sizeof *mode;
  if (!isOneObject("IDirect3D9 and IDirect3D9Ex", device.direct3d.get(), direct3d) ||
      !calls.answers("GetAdapterLUID", [&] { return direct3d->GetAdapterLUID(kAdapter, &luid); }) ||
      !calls.answers("GetAdapterLUID", [&] { return direct3d->GetAdapterLUID(kAdapter, &again); }) ||
      !calls.answers("GetDeviceCaps", [&] { return direct3d->GetDeviceCaps(kAdapter, kHal, &caps); }) ||
      !calls.answers("CheckDeviceType",
                     [&] { return direct3d->CheckDeviceType(kAdapter, kHal, kScreen, kScreen, TRUE); }) ||
      !calls.answers("CheckDeviceFormat(A8R8G8B8)",
                     [&] {
                       return direct3d->CheckDeviceFormat(kAdapter, kHal, kScreen, D3DUSAGE_RENDERTARGET,
                                                          D3DRTYPE_TEXTURE, D3DFMT_A8R8G8B8);
                     }) ||
      // EX-13: the driver makes surfaces of A1, but offers none.
      !calls.answers(
          "CheckDeviceFormat(A1)",
          [&] { return direct3d->CheckDeviceFormat(kAdapter, kHal, kScreen, 0, D3DRTYPE_SURFACE, D3DFMT_A1); },
          D3DERR_NOTAVAILABLE) ||
      !calls.answers(
          "CheckDepthStencilMatch",
          [&] { return direct3d->CheckDepthStencilMatch(kAdapter, kHal, kScreen, D3DFMT_A8R8G8B8, D3DFMT_D24S8); }) ||
      !calls.answers("GetAdapterDisplayModeEx",
                     [&] { return direct3d->GetAdapterDisplayModeEx(kAdapter, mode, &rotation); }))
    return false;
  if (luid.LowPart != again.LowPart || luid.HighPart != again.HighPart) return fail("the adapter's LUID changes");
  return rotation == D3DDISPLAYROTATION_IDENTITY || fail("the display is rotated: %d", rotation);
}

/** EX-02, EX-12: checks a device in a window, without a mode of its own. */
bool checkDisplay(Calls &calls, const Device &device, const D3DDISPLAYMODEEX &adapter) {
  D3DDISPLAYMODEEX mode{};
  D3DDISPLAYROTATION rotation{};
  mode.Size = sizeof mode;
  if (!isOneObject("IDirect3DDevice9 and IDirect3DDevice9Ex", device.device.get(), device.deviceEx.get()) ||
      !calls.answers("GetDisplayModeEx", [&] { return device.deviceEx->GetDisplayModeEx(0, &mode, &rotation); }))
    return false;
  if (rotation != D3DDISPLAYROTATION_IDENTITY) return fail("the device's display is rotated: %d", rotation);
  return (mode.Width == adapter.Width && mode.Height == adapter.Height && mode.RefreshRate == adapter.RefreshRate) ||
         fail("the device has %ux%u at %u Hz, the adapter %ux%u at %u", mode.Width, mode.Height, mode.RefreshRate,
              adapter.Width, adapter.Height, adapter.RefreshRate);
}

/** EX-03: checks the state of a visible and of a hidden window; a window alone never loses the device. */
bool checkState(Calls &calls, IDirect3DDevice9Ex *device, HWND window) {
  const auto state = [&](const char *what, HRESULT wanted) {
    takeMessages();
    return calls.answers(
        what, [&] { return device->CheckDeviceState(window); }, wanted);
  };
  if (!state("CheckDeviceState", S_OK)) return false;
  ShowWindow(window, SW_MINIMIZE);
  const bool hidden = state("CheckDeviceState(minimised)", S_PRESENT_OCCLUDED);
  ShowWindow(window, SW_RESTORE);
  return hidden && state("CheckDeviceState(restored)", S_OK);
}

/** EX-04: each wait is for another vertical blank; EX-27: the scan line is cheap and on the screen. */
bool checkVBlank(Calls &calls, IDirect3DDevice9Ex *device, const D3DDISPLAYMODEEX &mode) {
  const double start = now();
  for (uint32_t i = 0; i < kWaits; ++i)
    if (!calls.answers("WaitForVBlank", [&] { return device->WaitForVBlank(0); })) return false;
  // The first began somewhere in a frame; the other half frame allows for clocks that differ.
  const double took = now() - start, least = (kWaits - 1.5) / std::max(mode.RefreshRate, 1u);
  if (took < least) return fail("%u vertical blanks in %.3f s at %u Hz", kWaits, took, mode.RefreshRate);
  for (uint32_t i = 0; i < kPolls; ++i) {
    D3DRASTER_STATUS raster{};
    if (!calls.answers("GetRasterStatus", [&] { return device->GetRasterStatus(0, &raster); })) return false;
    if (raster.ScanLine >= mode.Height) return fail("scan line %u of %u", raster.ScanLine, mode.Height);
  }
  return true;
}

/** EX-05 */
bool checkPriority(Calls &calls, IDirect3DDevice9Ex *device) {
  const struct { INT set, get; } rows[] = {{7, 7}, {-7, -7}, {100, 7}, {-100, -7}, {0, 0}};
  for (const auto &row : rows) {
    INT priority = 99;
    if (!calls.answers("SetGPUThreadPriority", [&] { return device->SetGPUThreadPriority(row.set); }) ||
        !calls.answers("GetGPUThreadPriority", [&] { return device->GetGPUThreadPriority(&priority); }))
      return false;
    if (priority != row.get) return fail("the priority is %d after it was set to %d", priority, row.set);
  }
  return true;
}

/** EX-06, EX-08: objects made by the Ex forms exist; a second process would open one by its handle. */
bool checkCreation(Calls &calls, IDirect3DDevice9Ex *device) {
  ComPtr<IDirect3DSurface9> target, opened, plain, depth;
  ComPtr<IDirect3DVertexBuffer9> vertices;
  HANDLE handle = nullptr;
  const auto makeTarget = [&](ComPtr<IDirect3DSurface9> &surface) {
    return device->CreateRenderTargetEx(kWidth, kHeight, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_NONE, 0, FALSE, surface.put(),
                                        &handle, 0);
  };
  if (!calls.answers("CreateRenderTargetEx(shared)", [&] { return makeTarget(target); })) return false;
  if (!handle) return fail("CreateRenderTargetEx gave no handle: this Direct3D does not share");
  if (!calls.answers("CreateRenderTargetEx(an open handle)", [&] { return makeTarget(opened); }) ||
      !calls.answers("CreateOffscreenPlainSurfaceEx",
                     [&] {
                       return device->CreateOffscreenPlainSurfaceEx(kWidth, kHeight, D3DFMT_X8R8G8B8, D3DPOOL_DEFAULT,
                                                                    plain.put(), nullptr, 0);
                     }) ||
      !calls.answers("CreateDepthStencilSurfaceEx",
                     [&] {
                       return device->CreateDepthStencilSurfaceEx(kWidth, kHeight, D3DFMT_D24S8, D3DMULTISAMPLE_NONE, 0,
                                                                  FALSE, depth.put(), nullptr, 0);
                     }) ||
      !calls.answers("CreateVertexBuffer",
                     [&] {
                       return device->CreateVertexBuffer(4096, D3DUSAGE_WRITEONLY, 0, D3DPOOL_DEFAULT, vertices.put(),
                                                         nullptr);
                     }) ||
      !calls.answers("ColorFill", [&] { return device->ColorFill(target.get(), nullptr, kFilled); }) || !finish(device))
    return false;
  Picture got;
  if (!readTarget(device, opened.get(), &got) ||
      !samePicture("ddi_sanity: what was opened", got, Picture(kWidth, kHeight, kFilled), 0, true))
    return false;
  IDirect3DResource9 *resources[] = {target.get(), opened.get(), plain.get(), depth.get(), vertices.get()};
  const double start = now();
  const HRESULT resident = device->CheckResourceResidency(resources, 5);
  return calls.inTime("CheckResourceResidency", now() - start) &&
         (resident == S_RESIDENT_IN_SHARED_MEMORY ? true : ok(resident, "CheckResourceResidency"));
}

/** EX-11: a reset of the back buffers leaves everything else as it is. */
bool checkReset(Calls &calls, IDirect3DDevice9Ex *device, HWND window) {
  ComPtr<IDirect3DTexture9> texture;
  ComPtr<IDirect3DSurface9> surface;
  D3DPRESENT_PARAMETERS parameters{};
  parameters.BackBufferWidth = kWidth / 2;
  parameters.BackBufferHeight = kHeight;
  parameters.BackBufferFormat = D3DFMT_X8R8G8B8;
  parameters.BackBufferCount = 1;
  parameters.SwapEffect = D3DSWAPEFFECT_DISCARD;
  parameters.hDeviceWindow = window;
  parameters.Windowed = TRUE;
  parameters.PresentationInterval = D3DPRESENT_INTERVAL_ONE;
  Picture got;
  return ok(device->CreateTexture(kWidth, kHeight, 1, D3DUSAGE_RENDERTARGET, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT,
                                  texture.put(), nullptr),
            "CreateTexture") &&
         ok(texture->GetSurfaceLevel(0, surface.put()), "GetSurfaceLevel") &&
         ok(device->ColorFill(surface.get(), nullptr, kFilled), "ColorFill") &&
         calls.answers("ResetEx", [&] { return device->ResetEx(&parameters, nullptr); }) &&
         readTarget(device, surface.get(), &got) &&
         samePicture("ddi_sanity: a texture behind ResetEx", got, Picture(kWidth, kHeight, kFilled), 0, true);
}

/** EX-23, EX-24: limits the frames under way, and tests presents that do not wait. Refused presents do not count.
 */
bool checkLatency(Calls &calls, IDirect3DDevice9Ex *device) {
  constexpr UINT kDefault = 3, kTooMany = 31;
  UINT latency = 0, before = 0, after = 0;
  ComPtr<IDirect3DSwapChain9> plain;
  ComPtr<IDirect3DSwapChain9Ex> chain;
  if (!calls.answers("GetMaximumFrameLatency", [&] { return device->GetMaximumFrameLatency(&latency); })) return false;
  if (latency != kDefault) return fail("the frame latency is %u, not %u", latency, kDefault);
  if (!calls.answers(
          "SetMaximumFrameLatency(31)", [&] { return device->SetMaximumFrameLatency(kTooMany); }, D3DERR_INVALIDCALL) ||
      !calls.answers("SetMaximumFrameLatency(1)", [&] { return device->SetMaximumFrameLatency(1); }) ||
      !calls.answers("GetMaximumFrameLatency", [&] { return device->GetMaximumFrameLatency(&latency); }))
    return false;
  if (latency != 1) return fail("the frame latency is %u after it was set to 1", latency);
  if (!ok(device->GetSwapChain(0, plain.put()), "GetSwapChain") ||
      !ok(plain->QueryInterface(IID_IDirect3DSwapChain9Ex, reinterpret_cast<void **>(chain.put())),
          "QueryInterface(IDirect3DSwapChain9Ex)") ||
      !calls.answers("GetLastPresentCount", [&] { return chain->GetLastPresentCount(&before); }))
    return false;
  // One after another, until some were refused: on a busy machine each may take a refresh.
  uint32_t accepted = 0, refused = 0;
  for (const double start = now(); accepted < kPresents || !refused;) {
    const double began = now();
    const HRESULT result = device->PresentEx(nullptr, nullptr, nullptr, nullptr, D3DPRESENT_DONOTWAIT);
    if (!calls.inTime("PresentEx(DONOTWAIT)", now() - began)) return false;
    takeMessages();
    if (result == D3DERR_WASSTILLDRAWING) {
      if (now() - start > kPresents * kMostSeconds) return fail("%u presents were accepted, then none", accepted);
      ++refused;
      Sleep(1);
      continue;
    }
    if (!ok(result, "PresentEx(DONOTWAIT)")) return false;
    ++accepted;
    if (now() - start > kPresents * kMostSeconds) return fail("of %u presents none was refused", accepted);
  }
  D3DPRESENTSTATS stats{};
  if (!calls.answers("GetLastPresentCount", [&] { return chain->GetLastPresentCount(&after); }) ||
      !calls.answers("GetPresentStats", [&] { return chain->GetPresentStats(&stats); }) ||
      !calls.answers("SetMaximumFrameLatency(0)", [&] { return device->SetMaximumFrameLatency(0); }))
    return false;
  return after == before + accepted ||
         fail("the last present's count is %u, after %u and %u presents", after, before, accepted);
}

/** EX-31: a query never waits, and its event comes. */
bool checkQuery(Calls &calls, IDirect3DDevice9Ex *device) {
  ComPtr<IDirect3DQuery9> query;
  if (!calls.answers("CreateQuery(EVENT)", [&] { return device->CreateQuery(D3DQUERYTYPE_EVENT, query.put()); }) ||
      !calls.answers("Clear", [&] { return device->Clear(0, nullptr, D3DCLEAR_TARGET, kFilled, 1, 0); }) ||
      !calls.answers("Issue(END)", [&] { return query->Issue(D3DISSUE_END); }))
    return false;
  for (const double start = now();;) {
    const double began = now();
    const HRESULT result = query->GetData(nullptr, 0, D3DGETDATA_FLUSH);
    if (!calls.inTime("GetData(FLUSH)", now() - began)) return false;
    if (result != S_FALSE) return ok(result, "GetData");
    if (now() - start > kPresents * kMostSeconds) return fail("an event is not there after %.0f s", now() - start);
    SwitchToThread();
  }
}

int run(int argc, char **argv) {
  Options options;
  int exitCode = 0;
  if (!begin({.name = "ddi_sanity", .help = kHelp, .ex = true}, argc, argv, options, exitCode)) return exitCode;
  options.immediate = false;
  Calls calls;
  Window window;
  Device device;
  D3DDISPLAYMODEEX mode{};
  if (!openDevice(options, kWidth, kHeight, &window, &device)) return 1;
  IDirect3DDevice9Ex *const made = device.deviceEx.get();
  if (!checkAdapter(calls, device, &mode) || !checkDisplay(calls, device, mode) ||
      !checkState(calls, made, window.handle()) || !checkVBlank(calls, made, mode) || !checkPriority(calls, made) ||
      !checkCreation(calls, made) || !checkLatency(calls, made) || !checkQuery(calls, made) ||
      !checkReset(calls, made, window.handle()))
    return 1;
  std::printf("ddi_sanity: ok calls=%u longest_ms=%.1f\n", calls.count(), calls.longest() * 1000);
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
