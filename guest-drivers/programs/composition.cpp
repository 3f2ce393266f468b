// SPDX-License-Identifier: MIT
// composition.exe: checks that desktop composition is on, and stays on while a program of Direct3D 9Ex presents. Pages
// "DwmIsCompositionEnabled", "WM_DWMCOMPOSITIONCHANGED".
#include <cstdio>

#include "guest-drivers/programs/program.h"

namespace programs {

namespace {

constexpr uint32_t kWidth = 320, kHeight = 240;
constexpr UINT kCompositionChanged = 0x031E;  // WM_DWMCOMPOSITIONCHANGED
constexpr char kAdvice[] = "run aerogpu-doctor.exe, which says why Aero is off";

constexpr char kHelp[] =
    "composition.exe: desktop composition is on, and stays on while frames are presented. --draws, --samples, --hold, "
    "--ex,\n--immediate and --expectation mean nothing here.";

using IsCompositionEnabled = HRESULT(WINAPI *)(BOOL *);

class Composition {
public:
  bool open() {
    HMODULE library = LoadLibraryA("dwmapi.dll");
    if (!library) return fail("there is no dwmapi.dll (error %lu): this Windows composes no desktop", GetLastError());
    isEnabled_ = reinterpret_cast<IsCompositionEnabled>(
        reinterpret_cast<void *>(GetProcAddress(library, "DwmIsCompositionEnabled")));
    return isEnabled_ || fail("dwmapi.dll has no DwmIsCompositionEnabled");
  }

  bool check(uint32_t frame, double time) {
    BOOL enabled = FALSE;
    if (!ok(isEnabled_(&enabled), "DwmIsCompositionEnabled")) return false;
    if (enabled) return true;
    return frame ? fail("composition went off after %u frames, %.1f s: %s", frame, time, kAdvice)
                 : fail("composition is off: %s", kAdvice);
  }

private:
  IsCompositionEnabled isEnabled_ = nullptr;
};

// The message is sent, not posted: the window's procedure sees it.
WNDPROC ordinaryProcedure = nullptr;
uint32_t compositionChanges = 0;

LRESULT CALLBACK countingProcedure(HWND window, UINT message, WPARAM wide, LPARAM last) {
  compositionChanges += message == kCompositionChanged;
  return CallWindowProcA(ordinaryProcedure, window, message, wide, last);
}

bool checkChanges(uint32_t frame) {
  takeMessages();
  return !compositionChanges || fail("composition changed at frame %u: %s", frame, kAdvice);
}

int run(int argc, char **argv) {
  Options options;
  int exitCode = 0;
  if (!begin({.name = "composition", .help = kHelp, .ex = true, .frames = 120}, argc, argv, options, exitCode))
    return exitCode;
  options.immediate = false;
  Composition composition;
  Window window;
  Device device;
  if (!composition.open() || !composition.check(0, 0) || !openDevice(options, kWidth, kHeight, &window, &device))
    return 1;
  ordinaryProcedure = reinterpret_cast<WNDPROC>(
      SetWindowLongPtrA(window.handle(), GWLP_WNDPROC, reinterpret_cast<LONG_PTR>(countingProcedure)));
  if (!ordinaryProcedure) return fail("SetWindowLongPtr failed: error %lu", GetLastError()) ? 0 : 1;
  const double start = now();
  uint32_t frame = 0;
  for (; options.seconds > 0 ? now() - start < options.seconds : frame < options.frames; ++frame) {
    const D3DRECT bar{static_cast<LONG>(frame * 4 % kWidth), 0, static_cast<LONG>(frame * 4 % kWidth + 4),
                      static_cast<LONG>(kHeight)};
    if (!ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, argb(255, 24, 32, 64), 1, 0), "Clear") ||
        !ok(device->Clear(1, &bar, D3DCLEAR_TARGET, argb(255, 240, 200, 40), 1, 0), "Clear(bar)") ||
        !ok(device.deviceEx->PresentEx(nullptr, nullptr, nullptr, nullptr, 0), "PresentEx") || !checkChanges(frame) ||
        !composition.check(frame + 1, now() - start))
      return 1;
  }
  std::printf("composition: ok frames=%u seconds=%.1f\n", frame, now() - start);
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
