// SPDX-License-Identifier: MIT
// d3d9ex_test.exe: Direct3D 9Ex frame by frame: a bar that moves over the screen, presented at interval one, and after
// each present the counts and times of GetLastPresentCount and GetPresentStats, which go up, never back, and belong to
// vertical blanks. Pages "IDirect3DSwapChain9Ex::GetPresentStats", "D3DPRESENTSTATS",
// "IDirect3DDevice9Ex::SetMaximumFrameLatency".
#include <cstdio>

#include "program.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 1024, kHeight = 768, kBackBuffers = 2, kBarWidth = 64, kStep = 8;
constexpr uint32_t kGround = argb(255, 16, 24, 64), kBar = argb(255, 240, 180, 30);
constexpr UINT kDefaultLatency = 3;

constexpr char kHelp[] =
    "d3d9ex_test.exe: full screen at 1024x768 by Direct3D 9Ex, a bar that moves at interval one; counts and times of "
    "all\n"
    "presents are checked. --draws, --ex and --immediate mean nothing here.";

uint32_t barLeft(uint32_t frame) {
  return frame * kStep % (kWidth - kBarWidth);
}

bool drawFrame(IDirect3DDevice9 *device, uint32_t frame) {
  const LONG left = static_cast<LONG>(barLeft(frame));
  const D3DRECT bar{left, 0, left + static_cast<LONG>(kBarWidth), static_cast<LONG>(kHeight)};
  return ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, kGround, 1, 0), "Clear") &&
         ok(device->Clear(1, &bar, D3DCLEAR_TARGET, kBar, 1, 0), "Clear(bar)");
}

Picture expectation(uint32_t frame) {
  Picture picture(kWidth, kHeight, kGround);
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kBarWidth; ++x) picture.at(barLeft(frame) + x, y) = kBar;
  return picture;
}

/** What a device can be told about its queue; nothing of it may fail on one that works. */
bool checkDevice(IDirect3DDevice9Ex *device, HWND window) {
  UINT latency = 0;
  INT priority = 1;
  if (!ok(device->GetMaximumFrameLatency(&latency), "GetMaximumFrameLatency")) return false;
  if (latency != kDefaultLatency) return fail("the frame latency is %u, not %u", latency, kDefaultLatency);
  if (!ok(device->SetMaximumFrameLatency(1), "SetMaximumFrameLatency(1)") ||
      !ok(device->GetMaximumFrameLatency(&latency), "GetMaximumFrameLatency"))
    return false;
  if (latency != 1) return fail("the frame latency is %u after it was set to 1", latency);
  if (!ok(device->SetMaximumFrameLatency(0), "SetMaximumFrameLatency(0)") ||  // 0: the default again
      !ok(device->GetMaximumFrameLatency(&latency), "GetMaximumFrameLatency"))
    return false;
  if (latency != kDefaultLatency) return fail("the frame latency is %u after it was set to 0", latency);
  if (!ok(device->SetGPUThreadPriority(7), "SetGPUThreadPriority(7)") ||
      !ok(device->GetGPUThreadPriority(&priority), "GetGPUThreadPriority"))
    return false;
  if (priority != 7) return fail("the GPU thread priority is %d after it was set to 7", priority);
  return ok(device->SetGPUThreadPriority(0), "SetGPUThreadPriority(0)") &&
         ok(device->CheckDeviceState(window), "CheckDeviceState") && ok(device->WaitForVBlank(0), "WaitForVBlank");
}

/** The counts of one swap chain, from present to present. */
class Counts {
public:
  bool begin(IDirect3DDevice9Ex *device) {
    ComPtr<IDirect3DSwapChain9> chain;
    return ok(device->GetSwapChain(0, chain.put()), "GetSwapChain") &&
           ok(chain->QueryInterface(IID_IDirect3DSwapChain9Ex, reinterpret_cast<void **>(chain_.put())),
              "QueryInterface(IDirect3DSwapChain9Ex)") &&
           ok(chain_->GetLastPresentCount(&presents_), "GetLastPresentCount") &&
           ok(chain_->GetPresentStats(&last_), "GetPresentStats");
  }

  /** After a present that was accepted. Prints what is wrong. */
  bool step(uint32_t frame) {
    UINT presents = 0;
    D3DPRESENTSTATS stats{};
    LARGE_INTEGER time;
    if (!ok(chain_->GetLastPresentCount(&presents), "GetLastPresentCount") ||
        !ok(chain_->GetPresentStats(&stats), "GetPresentStats"))
      return false;
    QueryPerformanceCounter(&time);
    if (presents != presents_ + 1)
      return fail("frame %u: the last present's count is %u after %u", frame, presents, presents_);
    if (stats.PresentCount > presents)
      return fail("frame %u: present %u is shown, and %u were made", frame, stats.PresentCount, presents);
    const struct {
      const char *name;
      int64_t before, now;
    } rows[] = {{"PresentCount", last_.PresentCount, stats.PresentCount},
                {"PresentRefreshCount", last_.PresentRefreshCount, stats.PresentRefreshCount},
                {"SyncRefreshCount", last_.SyncRefreshCount, stats.SyncRefreshCount},
                {"SyncQPCTime", last_.SyncQPCTime.QuadPart, stats.SyncQPCTime.QuadPart},
                {"SyncGPUTime", last_.SyncGPUTime.QuadPart, stats.SyncGPUTime.QuadPart}};
    for (const auto &row : rows)
      if (row.now < row.before)
        return fail("frame %u: %s goes from %lld back to %lld", frame, row.name, static_cast<long long>(row.before),
                    static_cast<long long>(row.now));
    if (stats.SyncQPCTime.QuadPart > time.QuadPart)
      return fail("frame %u: the vertical blank of the statistics is in the future", frame);
    if (stats.PresentRefreshCount > stats.SyncRefreshCount)
      return fail("frame %u: it was shown at refresh %u, and %u were", frame, stats.PresentRefreshCount,
                  stats.SyncRefreshCount);
    // Time passes from one vertical blank to the next, and with nothing else.
    if ((stats.SyncRefreshCount == last_.SyncRefreshCount) !=
        (stats.SyncQPCTime.QuadPart == last_.SyncQPCTime.QuadPart))
      return fail("frame %u: %u refreshes, and the time of the last one goes from %lld to %lld", frame,
                  stats.SyncRefreshCount - last_.SyncRefreshCount, static_cast<long long>(last_.SyncQPCTime.QuadPart),
                  static_cast<long long>(stats.SyncQPCTime.QuadPart));
    if (frame == 0) first_ = stats;
    presents_ = presents;
    last_ = stats;
    return true;
  }

  /** Interval one: no two frames in one refresh, but for those that were still queued at the end. */
  bool checkPace(uint32_t frames) const {
    const uint32_t refreshes = last_.SyncRefreshCount - first_.SyncRefreshCount;
    std::printf("%u frames in %u refreshes, the last one at %u\n", frames, refreshes, last_.PresentRefreshCount);
    const uint32_t queued = kDefaultLatency + kBackBuffers;
    if (refreshes + queued + 1 < frames) return fail("%u frames in %u refreshes: too many", frames, refreshes);
    return frames < queued + 2 || last_.PresentCount > first_.PresentCount || fail("no present was ever shown");
  }

private:
  ComPtr<IDirect3DSwapChain9Ex> chain_;
  UINT presents_ = 0;
  D3DPRESENTSTATS first_{}, last_{};
};

bool frames(Device &device, HWND window, const Options &options) {
  Counts counts;
  if (!checkDevice(device.deviceEx.get(), window) || !counts.begin(device.deviceEx.get())) return false;
  uint32_t frame = 0;
  const double start = now();
  for (; options.seconds > 0 ? now() - start < options.seconds : frame < options.frames; ++frame) {
    if (!drawFrame(device.device.get(), frame) ||
        !ok(device.deviceEx->PresentEx(nullptr, nullptr, nullptr, nullptr, 0), "PresentEx") || !counts.step(frame))
      return false;
    takeMessages();
  }
  if (!counts.checkPace(frame)) return false;
  // The last one is drawn and read back, then shown.
  const Picture expected = expectation(frame);
  ComPtr<IDirect3DSurface9> target;
  Picture got;
  if (options.expectation && !writePpm(options.expectation, expected)) return false;
  return drawFrame(device.device.get(), frame) &&
         ok(device->GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, target.put()), "GetBackBuffer") &&
         readTarget(device.device.get(), target.get(), &got) &&
         samePicture("the back buffer", got, expected, 0, false) &&
         ok(device.deviceEx->PresentEx(nullptr, nullptr, nullptr, nullptr, 0), "PresentEx") &&
         finish(device.device.get());
}

int run(int argc, char **argv) {
  begin("d3d9ex_test");
  Options options;
  int exitCode = 0;
  if (!readOptions(argc, argv, kHelp, options, exitCode)) return exitCode;
  options.ex = true;
  options.immediate = false;
  Window window;
  Device device;
  if (!window.open(0, 0, kWidth, kHeight) ||
      !device.create(options, {.width = kWidth, .height = kHeight, .backBuffers = kBackBuffers, .fullScreen = true},
                     window.handle()) ||
      !frames(device, window.handle(), options))
    return 1;
  std::printf("d3d9ex_test: ok\n");
  if (options.hold) holdPicture();
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
