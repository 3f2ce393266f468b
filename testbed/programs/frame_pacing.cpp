// SPDX-License-Identifier: MIT
// frame_pacing.exe: checks how many presents may be under way (EX-23), and what their intervals wait for (EX-25), in a
// window and full screen. It counts refreshes and presents, and asks an event whether the GPU still works, so a busy
// machine only makes it slower. Pages "IDirect3DDevice9Ex::SetMaximumFrameLatency", "IDirect3DDevice9Ex::PresentEx",
// "D3DPRESENT", "D3DPRESENTSTATS".
#include <cstdio>

#include "guest-drivers/programs/program.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 1024, kHeight = 768, kBackBuffers = 3;
constexpr UINT kMostLatency = 3;       // as many as there are back buffers, so that full screen each has one
constexpr uint32_t kFrames = 20;       // of each interval
constexpr uint32_t kMostTries = 5000;  // until a machine is quick enough for two presents in one refresh
constexpr double kMostSeconds = 60;    // limit of a wait

constexpr char kHelp[] =
    "frame_pacing.exe: how many presents may be under way, and what their intervals wait for. It takes no options but\n"
    "--at.";

/** The counts of a device's first swap chain. */
struct Counts {
  UINT made = 0, shown = 0, refreshes = 0;

  bool read(IDirect3DDevice9Ex *device) {
    ComPtr<IDirect3DSwapChain9> plain;
    ComPtr<IDirect3DSwapChain9Ex> chain;
    D3DPRESENTSTATS stats{};
    if (!ok(device->GetSwapChain(0, plain.put()), "GetSwapChain") ||
        !ok(plain->QueryInterface(IID_IDirect3DSwapChain9Ex, reinterpret_cast<void **>(chain.put())),
            "QueryInterface(IDirect3DSwapChain9Ex)") ||
        !ok(chain->GetLastPresentCount(&made), "GetLastPresentCount") ||
        !ok(chain->GetPresentStats(&stats), "GetPresentStats"))
      return false;
    shown = stats.PresentCount;
    refreshes = stats.SyncRefreshCount;
    return stats.PresentRefreshCount <= stats.SyncRefreshCount ||
           fail("a frame is shown at refresh %u of %u", stats.PresentRefreshCount, stats.SyncRefreshCount);
  }
};

/** Copies of a large surface with a filter, as many as keep the GPU busy for some time, and an event behind them. */
class Work {
public:
  bool create(IDirect3DDevice9Ex *device) {
    for (ComPtr<IDirect3DSurface9> &surface : surfaces_)
      if (!ok(device->CreateRenderTarget(kSize, kSize, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_NONE, 0, FALSE, surface.put(),
                                         nullptr),
              "CreateRenderTarget") ||
          !ok(device->ColorFill(surface.get(), nullptr, argb(255, 80, 120, 40)), "ColorFill"))
        return false;
    return ok(device->CreateQuery(D3DQUERYTYPE_EVENT, query_.put()), "CreateQuery(EVENT)");
  }
  /** Submits so many copies. */
  bool begin(IDirect3DDevice9Ex *device, uint32_t copies) {
    const RECT from{1, 1, kSize - 1, kSize - 1};
    for (uint32_t i = 0; i < copies; ++i)
      if (!ok(device->StretchRect(surfaces_[i % 2].get(), &from, surfaces_[1 - i % 2].get(), nullptr, D3DTEXF_LINEAR),
              "StretchRect"))
        return false;
    if (!ok(query_->Issue(D3DISSUE_END), "Issue(END)")) return false;
    const HRESULT result = query_->GetData(nullptr, 0, D3DGETDATA_FLUSH);
    return result == S_FALSE || ok(result, "GetData(FLUSH)");
  }
  bool isDone() { return query_->GetData(nullptr, 0, 0) == S_OK; }

private:
  static constexpr LONG kSize = 1024;
  ComPtr<IDirect3DSurface9> surfaces_[2];
  ComPtr<IDirect3DQuery9> query_;
};

HRESULT present(IDirect3DDevice9Ex *device, DWORD flags) {
  const HRESULT result = device->PresentEx(nullptr, nullptr, nullptr, nullptr, flags);
  takeMessages();
  return result;
}

/** Waits until all presents are on the screen. */
bool settle(IDirect3DDevice9Ex *device, Counts *counts) {
  if (!finish(device)) return false;
  for (const double start = now();;) {
    if (!counts->read(device)) return false;
    if (counts->shown == counts->made) return true;
    if (now() - start > kMostSeconds) return fail("%u of %u presents are shown", counts->shown, counts->made);
    if (!ok(device->WaitForVBlank(0), "WaitForVBlank")) return false;
  }
}

/** Fills the queue while the GPU is busy: it takes `latency` presents, and no more. One that waits returns when a frame
 * is done, and so the work before all frames. If the GPU is done too early to tell, it gets more to do. */
bool fillQueue(const char *where, IDirect3DDevice9Ex *device, Work &work, UINT latency) {
  if (!ok(device->SetMaximumFrameLatency(latency), "SetMaximumFrameLatency")) return false;
  for (uint32_t copies = 32; copies <= 8192; copies *= 2) {
    Counts before, after;
    if (!settle(device, &before) ||
        !ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, argb(255, 20, 60, latency * 60), 1, 0), "Clear") ||
        !work.begin(device, copies))
      return false;
    UINT taken = 0;
    HRESULT result = D3D_OK;
    while (taken <= latency && (result = present(device, D3DPRESENT_DONOTWAIT)) == D3D_OK) ++taken;
    if (result != D3D_OK && result != D3DERR_WASSTILLDRAWING) return ok(result, "PresentEx(DONOTWAIT)");
    if (work.isDone()) continue;
    if (taken != latency)
      return fail("%s: %u presents are taken while the GPU is busy, and the latency is %u", where, taken, latency);
    if (!after.read(device)) return false;
    if (after.made != before.made + taken)
      return fail("%s: %u presents were taken, and %u count", where, taken, after.made - before.made);
    if (after.shown != before.shown && !work.isDone())
      return fail("%s: a present is shown while the GPU is busy before it", where);
    if (!ok(present(device, 0), "PresentEx")) return false;
    if (!work.isDone())
      return fail("%s: a present did not wait, though %u are under way and the latency is %u", where, taken, latency);
    if (!settle(device, &after)) return false;
    return after.made == before.made + taken + 1 ||
           fail("%s: %u presents were taken, and %u count", where, taken + 1, after.made - before.made);
  }
  return fail("%s: the GPU is never busy", where);
}

/** Presents that are immediate: one is taken whenever none is under way, and two may come in one refresh. */
bool immediate(const char *where, IDirect3DDevice9Ex *device) {
  bool together = false;
  for (uint32_t i = 0; i < kFrames || !together; ++i) {
    Counts before, after;
    if (i == kMostTries) return fail("%s: no two immediate presents came in one refresh", where);
    if (!settle(device, &before)) return false;
    const HRESULT result = present(device, D3DPRESENT_DONOTWAIT);
    if (result == D3DERR_WASSTILLDRAWING)
      return fail("%s: an immediate present is refused, and none is under way", where);
    if (!ok(result, "PresentEx") || !ok(present(device, 0), "PresentEx") || !finish(device) || !after.read(device))
      return false;
    together = together || (after.shown == before.made + 2 && after.refreshes == before.refreshes);
  }
  return true;
}

/** Presents at an interval of `interval` refreshes: frame after frame, no two of them are closer. */
bool paced(const char *where, IDirect3DDevice9Ex *device, uint32_t interval) {
  Counts before, after;
  if (!settle(device, &before)) return false;
  for (uint32_t i = 0; i < kFrames; ++i)
    if (!ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, argb(255, i * 9, 90, 140), 1, 0), "Clear") ||
        !ok(present(device, 0), "PresentEx"))
      return false;
  if (!settle(device, &after)) return false;
  const uint32_t refreshes = after.refreshes - before.refreshes;
  if (refreshes < interval * (kFrames - 1))
    return fail("%s: %u frames at interval %u in %u refreshes", where, kFrames, interval, refreshes);
  // Too early for another one: a machine that is not too busy gets there.
  for (uint32_t tries = 0;; ++tries) {
    if (tries == kMostTries) return fail("%s: no present at interval %u is refused", where, interval);
    if (!before.read(device)) return false;
    const HRESULT result = present(device, D3DPRESENT_DONOTWAIT);
    if (!after.read(device)) return false;
    const bool refused = result == D3DERR_WASSTILLDRAWING;
    if (!refused && !ok(result, "PresentEx(DONOTWAIT)")) return false;
    if (after.made != before.made + !refused)
      return fail("%s: a present that was %s counts %u", where, refused ? "refused" : "taken",
                  after.made - before.made);
    if (refused) return true;
  }
}

bool allPaces(const char *where, Device &device, D3DPRESENT_PARAMETERS parameters, D3DDISPLAYMODEEX *mode) {
  IDirect3DDevice9Ex *const made = device.deviceEx.get();
  D3DCAPS9 caps{};
  if (!ok(made->GetDeviceCaps(&caps), "GetDeviceCaps")) return false;
  constexpr struct {
    UINT interval;
    uint32_t refreshes;
  } kIntervals[] = {{D3DPRESENT_INTERVAL_IMMEDIATE, 0}, {D3DPRESENT_INTERVAL_ONE, 1},
                    {D3DPRESENT_INTERVAL_TWO, 2},       {D3DPRESENT_INTERVAL_THREE, 3},
                    {D3DPRESENT_INTERVAL_FOUR, 4},      {D3DPRESENT_INTERVAL_DEFAULT, 1}};
  for (const auto &row : kIntervals) {
    parameters.PresentationInterval = row.interval;
    const HRESULT result = made->ResetEx(&parameters, mode);
    const bool offered = row.refreshes < 2 || (mode && (caps.PresentationIntervals & row.interval));
    if (!offered && result != D3DERR_INVALIDCALL)
      return fail("%s: interval %u is not in the caps, and ResetEx gave 0x%08lX", where, row.refreshes,
                  static_cast<DWORD>(result));
    if (!offered) continue;
    if (!ok(result, "ResetEx")) return false;
    if (!(row.refreshes ? paced(where, made, row.refreshes) : immediate(where, made))) return false;
  }
  return true;
}

bool everything(const char *where, const Options &options, bool fullScreen) {
  Window window;
  Device device;
  Work work;
  D3DDISPLAYMODEEX mode{};
  mode.Size = sizeof mode;
  const uint32_t width = fullScreen ? kWidth : 256, height = fullScreen ? kHeight : 192;
  if (!window.open(fullScreen ? 0 : options.x, fullScreen ? 0 : options.y, width, height) ||
      !device.create(options, {.width = width, .height = height, .backBuffers = kBackBuffers, .fullScreen = fullScreen},
                     window.handle()) ||
      !work.create(device.deviceEx.get()) ||
      !ok(device.deviceEx->GetDisplayModeEx(0, &mode, nullptr), "GetDisplayModeEx"))
    return false;
  for (UINT latency = 1; latency <= kMostLatency; ++latency)
    if (!fillQueue(where, device.deviceEx.get(), work, latency)) return false;
  D3DPRESENT_PARAMETERS parameters{};
  parameters.BackBufferWidth = width;
  parameters.BackBufferHeight = height;
  parameters.BackBufferFormat = D3DFMT_X8R8G8B8;
  parameters.BackBufferCount = kBackBuffers;
  parameters.SwapEffect = D3DSWAPEFFECT_DISCARD;
  parameters.hDeviceWindow = window.handle();
  parameters.Windowed = !fullScreen;
  parameters.FullScreen_RefreshRateInHz = fullScreen ? mode.RefreshRate : 0;
  return allPaces(where, device, parameters, fullScreen ? &mode : nullptr);
}

int run(int argc, char **argv) {
  Options options;
  int exitCode = 0;
  if (!begin({.name = "frame_pacing", .help = kHelp, .ex = true}, argc, argv, options, exitCode)) return exitCode;
  options.immediate = true;  // a window's presents then wait for the GPU alone
  if (!everything("in a window", options, false)) return 1;
  options.immediate = false;
  if (!everything("full screen", options, true)) return 1;
  std::printf("frame_pacing: ok latency=%u\n", kMostLatency);
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
