// SPDX-License-Identifier: MIT
// vblank_pacing.exe: checks that vertical blanks come at the mode's rate. Each WaitForVBlank ends at another one; flips
// at interval one are no faster than the display; the scan line moves (EX-04, EX-25, EX-26, EX-27). In a window
// presents are as fast as the compositor takes them, so the program has the whole screen.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "guest-drivers/programs/program.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 1024, kHeight = 768, kBackBuffers = 2, kLatency = 3;
constexpr double kRateError = 0.06;  // tolerance of the rate, over all waits; on an idle machine the error is 0.001
constexpr double kMostSeconds = 2;   // limit of one wait, on a busy machine

constexpr char kHelp[] =
    "vblank_pacing.exe: full screen, vertical blanks and flips at interval one come at the display's rate. --draws,\n"
    "--samples, --hold, --ex, --immediate and --expectation mean nothing here.";

struct Paced {
  uint32_t waits = 0, missed = 0;
  double rate = 0;
};

/** Waits for vertical blanks. On a busy machine this program runs some time after one came, and misses some: an
 * interval is about a whole number of them, or zero if one wait ended late and the next in time. Their sum and the
 * total time give the rate. */
bool waits(IDirect3DDevice9Ex *device, uint32_t count, double rate, Paced *paced) {
  if (!ok(device->WaitForVBlank(0), "WaitForVBlank")) return false;
  const double start = now();
  double last = start;
  long blanks = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (!ok(device->WaitForVBlank(0), "WaitForVBlank")) return false;
    const double time = now(), took = time - last;
    if (took > kMostSeconds) return fail("wait %u took %.2f s, more than %g", i, took, kMostSeconds);
    const long passed = std::lround(took * rate);
    blanks += passed;
    paced->missed += static_cast<uint32_t>(std::max(0L, passed - 1));
    last = time;
    takeMessages();
  }
  const double took = last - start;
  if (count > took * rate * (1 + kRateError) + 1.5) return fail("%u waits in %.3f s at %.0f Hz", count, took, rate);
  paced->waits = count;
  paced->rate = static_cast<double>(blanks) / took;
  return std::abs(paced->rate - rate) <= rate * kRateError ||
         fail("%u waits saw %ld vertical blanks in %.3f s: %.2f Hz, not %.2f", count, blanks, took, paced->rate, rate);
}

/** Checks that there are no more flips than vertical blanks, except for those that may be under way. */
bool presents(IDirect3DDevice9Ex *device, uint32_t count, double rate) {
  const double start = now();
  for (uint32_t i = 0; i < count; ++i) {
    if (!ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, argb(255, i * 5 % 256, 90, 140), 1, 0), "Clear") ||
        !ok(device->PresentEx(nullptr, nullptr, nullptr, nullptr, 0), "PresentEx"))
      return false;
    takeMessages();
  }
  const double took = now() - start;
  const double most = took * rate * (1 + kRateError) + kLatency + kBackBuffers + 1;
  return count <= most || fail("%u flips at interval one in %.3f s, more than %.0f", count, took, most);
}

/** Checks that lines between two vertical blanks go up, and lie within the mode. */
bool scanLines(IDirect3DDevice9Ex *device, uint32_t height) {
  uint32_t changes = 0;
  D3DRASTER_STATUS last{}, raster{};
  if (!ok(device->GetRasterStatus(0, &last), "GetRasterStatus")) return false;
  for (const double start = now(); now() - start < kMostSeconds && changes < 100;) {
    if (!ok(device->GetRasterStatus(0, &raster), "GetRasterStatus")) return false;
    if (raster.ScanLine >= height) return fail("scan line %u of %u", raster.ScanLine, height);
    changes += raster.ScanLine != last.ScanLine;
    last = raster;
  }
  return changes >= 2 || fail("the scan line stands still");
}

int run(int argc, char **argv) {
  Options options;
  int exitCode = 0;
  if (!begin({.name = "vblank_pacing", .help = kHelp, .ex = true, .frames = 120}, argc, argv, options, exitCode))
    return exitCode;
  options.immediate = false;
  Window window;
  Device device;
  D3DDISPLAYMODEEX mode{};
  mode.Size = sizeof mode;
  Paced paced;
  if (!window.open(0, 0, kWidth, kHeight) ||
      !device.create(options, {.width = kWidth, .height = kHeight, .backBuffers = kBackBuffers, .fullScreen = true},
                     window.handle()) ||
      !ok(device.deviceEx->GetDisplayModeEx(0, &mode, nullptr), "GetDisplayModeEx"))
    return 1;
  if (mode.RefreshRate < 20 || mode.RefreshRate > 500) return fail("a display of %u Hz", mode.RefreshRate) ? 0 : 1;
  if (!waits(device.deviceEx.get(), std::max(options.frames, 10u), mode.RefreshRate, &paced) ||
      !presents(device.deviceEx.get(), std::max(options.frames, 10u), mode.RefreshRate) ||
      !scanLines(device.deviceEx.get(), mode.Height))
    return 1;
  std::printf("vblank_pacing: ok hz=%.2f waits=%u missed=%u\n", paced.rate, paced.waits, paced.missed);
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
