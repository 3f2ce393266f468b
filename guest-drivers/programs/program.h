// SPDX-License-Identifier: MIT
// program.h: what every program here uses: options, failure reports, a window, a device, and time.
//
// The programs use nothing but Windows and Direct3D 9. They print each failure on standard output, one line each, and
// return 0 only if there was none.
#pragma once

#include <windows.h>

#include <d3d9.h>

#include <cstdint>

#include "guest-drivers/programs/com_ptr.h"
#include "guest-drivers/programs/fail.h"
#include "guest-drivers/programs/picture.h"
#include "guest-drivers/programs/result.h"
#include "guest-drivers/programs/window.h"

namespace programs {

struct Options {
  uint32_t frames = 60;               // before the last one, which is checked
  double seconds = 0;                 // if not 0: as many frames as fit in this time, and `frames` is ignored
  uint32_t draws = 1;                 // how often the scene is drawn in a frame
  uint32_t samples = 0;               // a pixel of the back buffers; 0: one
  bool hold = false;                  // keep the last picture until a line or the end of standard input
  bool ex = false;                    // IDirect3D9Ex in place of IDirect3D9
  bool immediate = false;             // D3DPRESENT_INTERVAL_IMMEDIATE in place of ONE
  int x = 64, y = 48;                 // position of the window on the screen
  const char *expectation = nullptr;  // a file for the expected picture, as PPM
  bool alone = false;                 // shared: without a second process
  const char *producer = nullptr;     // compositor: the windows' program, in place of the producer.exe beside it
  const char *other = nullptr;  // shared, compositor, sharing: the second process' program, in place of the same one
  uint32_t producers = 20;      // sharing: programs that make surfaces
  uint32_t cycles = 2000;       // sharing
  uint32_t processes = 3;       // event_queries: number besides the first
  bool oneProcess = false;      // shared: both parts in one process, through the handle
  bool anyDriver = false;       // accept any driver, not only aerogpu's
  const char *only = nullptr;   // readback: one case
};

/** Names the program in what is printed; called first. Also makes standard output unbuffered. */
void begin(const char *program);

struct Program {
  const char *name;
  const char *help;
  bool ex = false;  // always through IDirect3D9Ex
  uint32_t frames = Options{}.frames;
};

/** Starts a program for its user: its name, its command line, and the check that Direct3D runs on aerogpu's driver.
 * Prints help, or one line that says what is wrong and what to do, and returns false if the program has to end,
 * with `exitCode`. */
bool begin(const Program &program, int argc, char **argv, Options &options, int &exitCode);

struct DeviceSettings {
  uint32_t width = 0, height = 0;  // size of the back buffers
  uint32_t backBuffers = 1;
  bool fullScreen = false;  // X8R8G8B8, 60 Hz or what the display has
  bool depth = false;       // with a D24S8 surface
};

/** Direct3D and a device on it, with hardware vertex processing. */
struct Device {
  ComPtr<IDirect3D9> direct3d;
  ComPtr<IDirect3DDevice9> device;
  ComPtr<IDirect3D9Ex> direct3dEx;  // these two with Options::ex only
  ComPtr<IDirect3DDevice9Ex> deviceEx;

  bool create(const Options &options, const DeviceSettings &settings, HWND window);
  IDirect3DDevice9 *operator->() const { return device.get(); }
};

/** Opens a window where the options say, and creates a device for it with back buffers of the same size. */
bool openDevice(const Options &options, uint32_t width, uint32_t height, Window *window, Device *device);

/** Reads a render target back through system memory. The surface is A8R8G8B8 or X8R8G8B8; the latter's alpha reads 255.
 * Prints what failed. */
bool readTarget(IDirect3DDevice9 *device, IDirect3DSurface9 *target, Picture *picture);

/** Waits until the GPU has done all earlier work (D3DQUERYTYPE_EVENT). */
bool finish(IDirect3DDevice9 *device);

/** Seconds of the performance counter. */
double now();

}  // namespace programs
