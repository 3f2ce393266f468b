// SPDX-License-Identifier: MIT
// shared.exe: tests a render target that two processes share. The parent makes it and fills it; a child, this program
// again, opens it by its handle, checks its content and draws; the parent reads it and draws with it.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "guest-drivers/programs/canvas.h"

namespace programs {

namespace {

constexpr uint32_t kSize = kCanvasSize;  // size of the target and of the window
constexpr uint32_t kFilled = argb(200, 30, 60, 90), kCorner = argb(255, 250, 200, 10);
constexpr D3DRECT kCornerRect{16, 200, 80, 240};
constexpr DWORD kChildLimitMs = 240000;  // long enough for Wine on an emulated processor of a busy machine

constexpr char kHelp[] =
    "shared.exe: a render target that a second process opens and draws into. Always through IDirect3D9Ex; --frames "
    "and\n"
    "--draws mean nothing here.\n"
    "  --alone             one process and one device do both parts, without a shared handle\n"
    "  --one-process       one process does both parts, with two devices and the shared handle\n"
    "  --other PROGRAM     the child is this program: shared.exe for the other kind of processor";

/** Returns the picture that the child draws: a gradient with whole steps of 255, and a corner. */
Picture childPicture() {
  Picture picture(kSize, kSize);
  for (uint32_t y = 0; y < kSize; ++y)
    for (uint32_t x = 0; x < kSize; ++x) {
      const bool corner = x >= 16 && x < 80 && y >= 200 && y < 240;
      picture.at(x, y) = corner ? kCorner : argb(255, 255 - x, y, x);
    }
  return picture;
}

struct Target {
  ComPtr<IDirect3DTexture9> texture;
  ComPtr<IDirect3DSurface9> surface;

  /** Makes the texture, or opens it if `*handle` is set; null: it is not shared. */
  bool create(IDirect3DDevice9 *device, HANDLE *handle) {
    return ok(device->CreateTexture(kSize, kSize, 1, D3DUSAGE_RENDERTARGET, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT,
                                    texture.put(), handle),
              handle && *handle ? "CreateTexture(an open handle)" : "CreateTexture(shared)") &&
           ok(texture->GetSurfaceLevel(0, surface.put()), "GetSurfaceLevel");
  }
};

bool fillTarget(IDirect3DDevice9 *device, const Target &target) {
  return ok(device->SetRenderTarget(0, target.surface.get()), "SetRenderTarget") &&
         ok(device->Clear(0, nullptr, D3DCLEAR_TARGET, kFilled, 1, 0), "Clear") && finish(device);
}

/** The child's part: checks what the parent has filled in, and draws. */
bool drawInTarget(Canvas &canvas, const Target &target) {
  IDirect3DDevice9 *device = canvas.device();
  constexpr float kLow = -0.5f / 255, kHigh = 255.5f / 255;
  const QuadValues gradient{
      {{kHigh, kLow, kLow, 1}, {kLow, kLow, kHigh, 1}, {kHigh, kHigh, kLow, 1}, {kLow, kHigh, kHigh, 1}}};
  Picture found;
  if (!readTarget(device, target.surface.get(), &found) ||
      !samePicture("shared: what the child finds", found, Picture(kSize, kSize, kFilled), 0, true))
    return false;
  return canvas.reset() && ok(device->SetRenderTarget(0, target.surface.get()), "SetRenderTarget(shared)") &&
         canvas.quad(kWholeCanvas, gradient) &&
         ok(device->Clear(1, &kCornerRect, D3DCLEAR_TARGET, kCorner, 1, 0), "Clear(rectangle)") && finish(device);
}

/** The parent's last part: reads the target, then draws the window's picture with it. */
bool drawWithTarget(Canvas &canvas, const Target &target, const Options &options) {
  const Picture expected = childPicture();
  IDirect3DDevice9 *device = canvas.device();
  ComPtr<IDirect3DSurface9> window;
  Picture read, drawn;
  if (options.expectation && !writePpm(options.expectation, expected)) return false;
  if (!readTarget(device, target.surface.get(), &read) ||
      !samePicture("shared: what the parent reads", read, expected, 0, true))
    return false;
  return canvas.reset() && ok(device->GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, window.put()), "GetBackBuffer") &&
         ok(device->SetRenderTarget(0, window.get()), "SetRenderTarget(window)") && canvas.use(PixelKind::kTexture) &&
         ok(device->SetTexture(0, target.texture.get()), "SetTexture(shared)") &&
         canvas.quad(kWholeCanvas, coordinates(0, 0, 1, 1)) && readTarget(device, window.get(), &drawn) &&
         samePicture("shared: what the parent draws", drawn, expected, 0, false) &&
         ok(device->Present(nullptr, nullptr, nullptr, nullptr), "Present") &&
         finish(device);  // the picture must be done before a tool reads the screen
}

/** Runs a program, this one or its twin, as the child and waits for its end. */
bool runChild(const char *program, HANDLE handle) {
  char commandLine[MAX_PATH + 64];
  std::snprintf(commandLine, sizeof commandLine, "\"%s\" --child %" PRIxPTR, program,
                reinterpret_cast<uintptr_t>(handle));
  STARTUPINFOA startup{};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION process{};
  if (!CreateProcessA(program, commandLine, nullptr, nullptr, TRUE, 0, nullptr, nullptr, &startup, &process))
    return fail("CreateProcess(%s) failed: error %lu", program, GetLastError());
  DWORD exitCode = STILL_ACTIVE;
  const DWORD waited = WaitForSingleObject(process.hProcess, kChildLimitMs);
  if (waited != WAIT_OBJECT_0) TerminateProcess(process.hProcess, 3);
  GetExitCodeProcess(process.hProcess, &exitCode);
  CloseHandle(process.hThread);
  CloseHandle(process.hProcess);
  if (waited != WAIT_OBJECT_0) return fail("the child did not end in %lu s", kChildLimitMs / 1000);
  return exitCode == 0 || fail("the child ended with %lu", exitCode);
}

/** The second device: opens the target and draws in it. */
bool openAndDraw(HANDLE handle) {
  Options options;
  options.ex = true;
  Window window;
  Device device;
  Canvas canvas;
  Target target;
  return window.open(400, 48, kSize, kSize) &&
         device.create(options, {.width = kSize, .height = kSize}, window.handle()) &&
         canvas.create(device.device.get()) && target.create(device.device.get(), &handle) &&
         drawInTarget(canvas, target);
}

int child(const char *text) {
  begin("shared: child");
  char *end = nullptr;
  HANDLE handle = reinterpret_cast<HANDLE>(static_cast<uintptr_t>(std::strtoull(text, &end, 16)));
  if (*end || !handle) {
    fail("'%s' is no handle", text);
    return 2;
  }
  return openAndDraw(handle) ? 0 : 1;
}

bool parent(const Options &options, Canvas &canvas, const Window &window, Device *device) {
  HANDLE handle = nullptr;
  char program[MAX_PATH];
  Target target;
  if (!device->create(options, {.width = kSize, .height = kSize}, window.handle()) ||
      !canvas.create(device->device.get()) || !target.create(device->device.get(), options.alone ? nullptr : &handle))
    return false;
  if (!options.alone && !handle) return fail("CreateTexture(shared) gave no handle: this Direct3D does not share");
  if (!fillTarget(device->device.get(), target)) return false;
  if (options.alone) {
    if (!drawInTarget(canvas, target)) return false;
  } else if (options.oneProcess) {
    if (!openAndDraw(handle)) return false;
  } else if (options.other) {
    if (!runChild(options.other, handle)) return false;
  } else if (GetModuleFileNameA(nullptr, program, sizeof program) == 0 || !runChild(program, handle)) {
    return false;
  }
  return drawWithTarget(canvas, target, options);
}

int run(int argc, char **argv) {
  if (argc == 3 && std::strcmp(argv[1], "--child") == 0) return child(argv[2]);
  Options options;
  int exitCode = 0;
  if (!begin({.name = "shared", .help = kHelp, .ex = true}, argc, argv, options, exitCode)) return exitCode;
  Window window;
  Device device;
  Canvas canvas;
  if (!window.open(options.x, options.y, kSize, kSize) || !parent(options, canvas, window, &device)) return 1;
  std::printf("shared: ok\n");
  if (options.hold) holdPicture();
  return 0;
}

}  // namespace

}  // namespace programs

int main(int argc, char **argv) {
  return programs::run(argc, argv);
}
