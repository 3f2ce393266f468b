// SPDX-License-Identifier: MIT
#include "guest-drivers/programs/program.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace programs {

namespace {

constexpr char kOptionsHelp[] =
    "  --frames N          frames before the last one, which is checked (default 60)\n"
    "  --seconds S         in place of --frames: as many as this takes\n"
    "  --draws N           draws the scene N times in a frame (default 1)\n"
    "  --samples N         the back buffers have N samples a pixel, 2 to 16\n"
    "  --hold              keeps the last picture until a line or the end of standard input\n"
    "  --ex                through IDirect3D9Ex\n"
    "  --immediate         presents do not wait for the display\n"
    "  --at X,Y            place of the window (default 64,48)\n"
    "  --any-driver        also on a driver that is not aerogpu's\n"
    "  --expectation FILE  writes the picture that the window must show, as PPM\n";

/** Parses a whole number in the range, with nothing after it. */
bool number(const char *text, long low, long high, long *value) {
  char *end = nullptr;
  errno = 0;
  *value = std::strtol(text, &end, 10);
  return *text && !*end && errno == 0 && *value >= low && *value <= high;
}

}  // namespace

void begin(const char *program) {
  speaker = program;
  std::setvbuf(stdout, nullptr, _IONBF, 0);
}

namespace {

/** Reads the command line. Prints help, or what is wrong with an option, and returns false if the program has to end,
 * with `exitCode`. */
bool readOptions(int argc, char **argv, const char *help, Options &options, int &exitCode) {
  exitCode = 2;
  for (int i = 1; i < argc; ++i) {
    const char *name = argv[i];
    const char *value = i + 1 < argc ? argv[i + 1] : nullptr;
    long n = 0;
    const auto is = [&](const char *option) { return std::strcmp(name, option) == 0; };
    if (is("--help")) {
      std::printf("%s\n%s", help, kOptionsHelp);
      exitCode = 0;
      return false;
    }
    bool *flag = is("--hold")          ? &options.hold
                 : is("--ex")          ? &options.ex
                 : is("--immediate")   ? &options.immediate
                 : is("--alone")       ? &options.alone
                 : is("--any-driver")  ? &options.anyDriver
                 : is("--one-process") ? &options.oneProcess
                                       : nullptr;
    if (flag) {
      *flag = true;
      continue;
    }
    const bool known = is("--frames") || is("--draws") || is("--samples") || is("--seconds") || is("--at") ||
                       is("--expectation") || is("--only") || is("--other") || is("--producer") || is("--producers") ||
                       is("--cycles") || is("--processes");
    if (!known) return fail("unknown option '%s'; --help lists them", name);
    if (!value) return fail("%s needs a value", name);
    ++i;
    if (is("--expectation")) {
      options.expectation = value;
    } else if (is("--only")) {
      options.only = value;
    } else if (is("--other")) {
      options.other = value;
    } else if (is("--producer")) {
      options.producer = value;
    } else if (is("--frames")) {
      if (!number(value, 0, 100000000, &n)) return fail("--frames: '%s' is no number of frames", value);
      options.frames = static_cast<uint32_t>(n);
    } else if (is("--draws")) {
      if (!number(value, 1, 100000, &n)) return fail("--draws: '%s' is no number from 1 to 100000", value);
      options.draws = static_cast<uint32_t>(n);
    } else if (is("--producers")) {
      if (!number(value, 1, 60, &n)) return fail("--producers: '%s' is no number from 1 to 60", value);
      options.producers = static_cast<uint32_t>(n);
    } else if (is("--processes")) {
      if (!number(value, 0, 60, &n)) return fail("--processes: '%s' is no number from 0 to 60", value);
      options.processes = static_cast<uint32_t>(n);
    } else if (is("--cycles")) {
      if (!number(value, 1, 100000000, &n)) return fail("--cycles: '%s' is no number of cycles", value);
      options.cycles = static_cast<uint32_t>(n);
    } else if (is("--samples")) {
      if (!number(value, 2, 16, &n)) return fail("--samples: '%s' is no number from 2 to 16", value);
      options.samples = static_cast<uint32_t>(n);
    } else if (is("--seconds")) {
      char *end = nullptr;
      options.seconds = std::strtod(value, &end);
      if (*end || !(options.seconds > 0 && options.seconds <= 86400))
        return fail("--seconds: '%s' is no number of seconds", value);
    } else if (std::sscanf(value, "%d,%d", &options.x, &options.y) != 2) {
      return fail("--at: '%s' is no place X,Y", value);
    }
  }
  return true;
}

/** Checks whether Direct3D runs on aerogpu's driver. If not, prints one line that says what was found and what to
 * do. */
bool checkDriver() {
  constexpr char kAdvice[] = "install aerogpu's from its disc (install.cmd) and restart; aerogpu-doctor.exe says more";
  ComPtr<IDirect3D9Ex> direct3d;
  D3DADAPTER_IDENTIFIER9 adapter{};
  D3DCAPS9 caps{};
  const HRESULT made = Direct3DCreate9Ex(D3D_SDK_VERSION, direct3d.put());
  if (FAILED(made)) return fail("no display driver for Direct3D 9Ex (0x%08lX): %s", static_cast<DWORD>(made), kAdvice);
  const HRESULT known = direct3d->GetAdapterIdentifier(D3DADAPTER_DEFAULT, 0, &adapter);
  if (FAILED(known)) return fail("no display adapter (0x%08lX): %s", static_cast<DWORD>(known), kAdvice);
  adapter.Driver[sizeof adapter.Driver - 1] = 0;
  if (!std::strstr(adapter.Driver, "aerogpu_d3d9"))
    return fail("the driver is '%s' (%.64s), not aerogpu's: %s", adapter.Driver, adapter.Description, kAdvice);
  const HRESULT device = direct3d->GetDeviceCaps(D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, &caps);
  return SUCCEEDED(device) ||
         fail("the driver '%s' offers no 3D device (0x%08lX): is it turned off (3d.cmd), or too old? %s",
              adapter.Driver, static_cast<DWORD>(device), kAdvice);
}

}  // namespace

bool begin(const Program &program, int argc, char **argv, Options &options, int &exitCode) {
  begin(program.name);
  options.frames = program.frames;
  if (!readOptions(argc, argv, program.help, options, exitCode)) return false;
  options.ex = options.ex || program.ex;
  exitCode = 1;
  return options.anyDriver || checkDriver();
}

bool Device::create(const Options &options, const DeviceSettings &settings, HWND window) {
  D3DPRESENT_PARAMETERS present{};
  present.BackBufferWidth = settings.width;
  present.BackBufferHeight = settings.height;
  present.BackBufferFormat = D3DFMT_X8R8G8B8;
  present.BackBufferCount = settings.backBuffers;
  present.SwapEffect = D3DSWAPEFFECT_DISCARD;
  present.MultiSampleType = static_cast<D3DMULTISAMPLE_TYPE>(options.samples);
  present.hDeviceWindow = window;
  present.Windowed = !settings.fullScreen;
  present.EnableAutoDepthStencil = settings.depth;
  present.AutoDepthStencilFormat = settings.depth ? D3DFMT_D24S8 : D3DFMT_UNKNOWN;
  present.PresentationInterval = options.immediate ? D3DPRESENT_INTERVAL_IMMEDIATE : D3DPRESENT_INTERVAL_ONE;
  const DWORD flags = D3DCREATE_HARDWARE_VERTEXPROCESSING;
  if (!options.ex) {
    *direct3d.put() = Direct3DCreate9(D3D_SDK_VERSION);
    if (!direct3d) return fail("Direct3DCreate9 gave nothing");
    return ok(direct3d->CreateDevice(D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, window, flags, &present, device.put()),
              "CreateDevice");
  }
  if (!ok(Direct3DCreate9Ex(D3D_SDK_VERSION, direct3dEx.put()), "Direct3DCreate9Ex")) return false;
  D3DDISPLAYMODEEX mode{};
  mode.Size = sizeof mode;
  if (settings.fullScreen) {
    if (!ok(direct3dEx->GetAdapterDisplayModeEx(D3DADAPTER_DEFAULT, &mode, nullptr), "GetAdapterDisplayModeEx"))
      return false;
    mode.Width = settings.width;
    mode.Height = settings.height;
    mode.Format = present.BackBufferFormat;
    mode.ScanLineOrdering = D3DSCANLINEORDERING_PROGRESSIVE;
    present.FullScreen_RefreshRateInHz = mode.RefreshRate;
  }
  if (!ok(direct3dEx->CreateDeviceEx(D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, window, flags, &present,
                                     settings.fullScreen ? &mode : nullptr, deviceEx.put()),
          "CreateDeviceEx"))
    return false;
  return ok(direct3dEx->QueryInterface(IID_IDirect3D9, reinterpret_cast<void **>(direct3d.put())),
            "QueryInterface(IDirect3D9)") &&
         ok(deviceEx->QueryInterface(IID_IDirect3DDevice9, reinterpret_cast<void **>(device.put())),
            "QueryInterface(IDirect3DDevice9)");
}

bool openDevice(const Options &options, uint32_t width, uint32_t height, Window *window, Device *device) {
  return window->open(options.x, options.y, width, height) &&
         device->create(options, {.width = width, .height = height}, window->handle());
}

bool readTarget(IDirect3DDevice9 *device, IDirect3DSurface9 *target, Picture *picture) {
  D3DSURFACE_DESC desc{};
  if (!ok(target->GetDesc(&desc), "GetDesc")) return false;
  if (desc.Format != D3DFMT_A8R8G8B8 && desc.Format != D3DFMT_X8R8G8B8)
    return fail("the target has format %d, which is not read here", desc.Format);
  ComPtr<IDirect3DSurface9> copy, resolved;
  if (desc.MultiSampleType != D3DMULTISAMPLE_NONE) {
    if (!ok(device->CreateRenderTarget(desc.Width, desc.Height, desc.Format, D3DMULTISAMPLE_NONE, 0, FALSE,
                                       resolved.put(), nullptr),
            "CreateRenderTarget") ||
        !ok(device->StretchRect(target, nullptr, resolved.get(), nullptr, D3DTEXF_NONE), "StretchRect"))
      return false;
    target = resolved.get();
  }
  if (!ok(device->CreateOffscreenPlainSurface(desc.Width, desc.Height, desc.Format, D3DPOOL_SYSTEMMEM, copy.put(),
                                              nullptr),
          "CreateOffscreenPlainSurface") ||
      !ok(device->GetRenderTargetData(target, copy.get()), "GetRenderTargetData"))
    return false;
  D3DLOCKED_RECT locked{};
  if (!ok(copy->LockRect(&locked, nullptr, D3DLOCK_READONLY), "LockRect")) return false;
  *picture = Picture(desc.Width, desc.Height);
  const uint32_t opaque = desc.Format == D3DFMT_X8R8G8B8 ? argb(255, 0, 0, 0) : 0;
  for (uint32_t y = 0; y < desc.Height; ++y) {
    const auto *row = static_cast<const unsigned char *>(locked.pBits) + ptrdiff_t{locked.Pitch} * y;
    std::memcpy(&picture->at(0, y), row, size_t{desc.Width} * 4);
    for (uint32_t x = 0; x < desc.Width; ++x) picture->at(x, y) |= opaque;
  }
  return ok(copy->UnlockRect(), "UnlockRect");
}

bool finish(IDirect3DDevice9 *device) {
  ComPtr<IDirect3DQuery9> query;
  if (!ok(device->CreateQuery(D3DQUERYTYPE_EVENT, query.put()), "CreateQuery(EVENT)") ||
      !ok(query->Issue(D3DISSUE_END), "Issue(END)"))
    return false;
  constexpr int kImpatient = 20;  // after this many polls it sleeps: many programs may wait at once
  for (int tries = 0;; ++tries) {
    const HRESULT result = query->GetData(nullptr, 0, D3DGETDATA_FLUSH);
    if (result != S_FALSE) return ok(result, "GetData");
    if (tries < kImpatient)
      SwitchToThread();
    else
      Sleep(1);
  }
}

double now() {
  LARGE_INTEGER frequency, counter;
  QueryPerformanceFrequency(&frequency);
  QueryPerformanceCounter(&counter);
  return static_cast<double>(counter.QuadPart) / static_cast<double>(frequency.QuadPart);
}

}  // namespace programs
