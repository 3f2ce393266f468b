// SPDX-License-Identifier: MIT
// dirty_regions.exe: presents parts of a back buffer, by dirty rectangles: overlapping ones, ones over the edges, with
// a source and a destination. All of the back buffer changes each time; the screen changes where a rectangle is. The
// page of IDirect3DDevice9Ex::PresentEx lets a driver copy more than that, and the kernel driver here does not.
#include <cstdio>
#include <cstring>

#include "guest-drivers/programs/program.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 256, kHeight = 192, kCell = 32;
constexpr uint32_t kMostRects = 4;

constexpr char kHelp[] = "dirty_regions.exe: presents parts of a back buffer. It takes --hold, --at and --expectation.";

uint32_t colour(uint32_t frame, uint32_t x, uint32_t y) {
  const uint32_t cell = y / kCell * (kWidth / kCell) + x / kCell;
  return argb(255, frame * 50 + cell, 255 - cell * 4, frame * 31 + cell * 3);
}

bool paint(IDirect3DDevice9 *device, uint32_t frame) {
  for (uint32_t y = 0; y < kHeight; y += kCell)
    for (uint32_t x = 0; x < kWidth; x += kCell) {
      const D3DRECT cell{static_cast<LONG>(x), static_cast<LONG>(y), static_cast<LONG>(x + kCell),
                         static_cast<LONG>(y + kCell)};
      if (!ok(device->Clear(1, &cell, D3DCLEAR_TARGET, colour(frame, x, y), 1, 0), "Clear")) return false;
    }
  return true;
}

struct Step {
  RECT source, destination;  // empty: all
  uint32_t count;            // 0: no region
  RECT dirty[kMostRects];    // in the back buffer
};

constexpr Step kSteps[] = {
    {{}, {}, 0, {}},
    {{}, {}, 4, {{10, 10, 50, 40}, {100, 0, 130, 20}, {40, 30, 90, 70}, {230, 170, 400, 300}}},
    {{32, 32, 160, 128}, {64, 48, 192, 144}, 2, {{0, 0, 48, 48}, {100, 100, 200, 120}}},
    {{0, 0, 32, 32}, {0, 128, 64, 192}, 1, {{0, 0, 16, 32}}},  // twice as large
    {{}, {}, 1, {{200, 100, 201, 101}}},
    {{0, 0, 64, 64}, {192, 0, 256, 64}, 1, {{100, 100, 120, 120}}},  // nothing of the source
};

bool isEmpty(const RECT &rect) {
  return rect.left >= rect.right || rect.top >= rect.bottom;
}

/** Computes what the screen shows after a step. */
void show(const Step &step, uint32_t frame, Picture *screen) {
  const RECT whole{0, 0, kWidth, kHeight};
  const RECT source = isEmpty(step.source) ? whole : step.source;
  const RECT to = isEmpty(step.destination) ? whole : step.destination;
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x) {
      const auto px = static_cast<LONG>(x), py = static_cast<LONG>(y);
      if (px < to.left || px >= to.right || py < to.top || py >= to.bottom) continue;
      const LONG sx = source.left + (px - to.left) * (source.right - source.left) / (to.right - to.left);
      const LONG sy = source.top + (py - to.top) * (source.bottom - source.top) / (to.bottom - to.top);
      bool dirty = step.count == 0;
      for (uint32_t i = 0; i < step.count; ++i) {
        const RECT &part = step.dirty[i];
        dirty = dirty || (sx >= part.left && sx < part.right && sy >= part.top && sy < part.bottom);
      }
      if (dirty) screen->at(x, y) = colour(frame, static_cast<uint32_t>(sx), static_cast<uint32_t>(sy));
    }
}

bool present(IDirect3DDevice9Ex *device, const Step &step) {
  struct {
    RGNDATAHEADER header;
    RECT rects[kMostRects];
  } region{};
  region.header = {sizeof region.header,
                   RDH_RECTANGLES,
                   step.count,
                   static_cast<DWORD>(step.count * sizeof(RECT)),
                   {0, 0, kWidth, kHeight}};
  std::memcpy(region.rects, step.dirty, sizeof region.rects);
  return ok(device->PresentEx(isEmpty(step.source) ? nullptr : &step.source,
                              isEmpty(step.destination) ? nullptr : &step.destination, nullptr,
                              step.count ? reinterpret_cast<const RGNDATA *>(&region) : nullptr, 0),
            "PresentEx");
}

int run(int argc, char **argv) {
  Options options;
  int exitCode = 0;
  if (!begin({.name = "dirty_regions", .help = kHelp, .ex = true}, argc, argv, options, exitCode)) return exitCode;
  Window window;
  Device device;
  if (!openDevice(options, kWidth, kHeight, &window, &device)) return 1;
  D3DPRESENT_PARAMETERS parameters{};
  parameters.BackBufferWidth = kWidth;
  parameters.BackBufferHeight = kHeight;
  parameters.BackBufferFormat = D3DFMT_X8R8G8B8;
  parameters.BackBufferCount = 1;
  parameters.SwapEffect = D3DSWAPEFFECT_COPY;  // regions and rectangles need it
  parameters.hDeviceWindow = window.handle();
  parameters.Windowed = TRUE;
  if (!ok(device.deviceEx->ResetEx(&parameters, nullptr), "ResetEx")) return 1;
  Picture screen(kWidth, kHeight, 0);
  uint32_t frame = 0;
  for (const Step &step : kSteps) {
    if (!paint(device.device.get(), frame) || !present(device.deviceEx.get(), step)) return 1;
    show(step, frame++, &screen);
    takeMessages();
  }
  if (options.expectation && !writePpm(options.expectation, screen)) return 1;
  if (!finish(device.device.get())) return 1;
  std::printf("dirty_regions: ok presents=%u\n", frame);
  if (options.hold) holdPicture();
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
