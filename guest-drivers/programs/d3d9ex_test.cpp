// SPDX-License-Identifier: MIT
// d3d9ex_test.exe: tests Direct3D 9Ex frame by frame: a bar moves over the screen, presented at interval one, and after
// each present the counts and times of GetLastPresentCount and GetPresentStats go up, never back, and belong to
// vertical blanks. Pages "IDirect3DSwapChain9Ex::GetPresentStats", "D3DPRESENTSTATS",
// "IDirect3DDevice9Ex::SetMaximumFrameLatency".
#include <cstdio>

#include "guest-drivers/programs/present_counts.h"
#include "guest-drivers/programs/program.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 1024, kHeight = 768, kBackBuffers = 2, kBarWidth = 64, kStep = 8;
constexpr uint32_t kGround = argb(255, 16, 24, 64), kBar = argb(255, 240, 180, 30);

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

/** Sets every queue option of a device; none may fail on one that works. */
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

struct Counted {
  uint32_t frames = 0, refreshes = 0;
};

bool frames(Device &device, HWND window, const Options &options, Counted *counted) {
  PresentCounts counts;
  if (!checkDevice(device.deviceEx.get(), window) || !counts.begin(device.deviceEx.get())) return false;
  uint32_t frame = 0;
  const double start = now();
  for (; options.seconds > 0 ? now() - start < options.seconds : frame < options.frames; ++frame) {
    if (!drawFrame(device.device.get(), frame) ||
        !ok(device.deviceEx->PresentEx(nullptr, nullptr, nullptr, nullptr, 0), "PresentEx") || !counts.step(frame))
      return false;
    takeMessages();
  }
  if (!counts.checkPace(frame, kBackBuffers)) return false;
  *counted = {frame, counts.refreshes()};
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
  Options options;
  int exitCode = 0;
  if (!begin({.name = "d3d9ex_test", .help = kHelp, .ex = true}, argc, argv, options, exitCode)) return exitCode;
  options.immediate = false;
  Window window;
  Device device;
  Counted counted;
  if (!window.open(0, 0, kWidth, kHeight) ||
      !device.create(options, {.width = kWidth, .height = kHeight, .backBuffers = kBackBuffers, .fullScreen = true},
                     window.handle()) ||
      !frames(device, window.handle(), options, &counted))
    return 1;
  std::printf("d3d9ex_test: ok frames=%u refreshes=%u\n", counted.frames, counted.refreshes);
  if (options.hold) holdPicture();
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
