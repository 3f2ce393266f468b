// SPDX-License-Identifier: MIT
#include "guest-drivers/programs/scene.h"

#include <cstdio>

namespace programs {

namespace {

bool drawFrame(IDirect3DDevice9 *device, Scene *scene, uint32_t frame, uint32_t draws) {
  if (!ok(device->BeginScene(), "BeginScene")) return false;
  for (uint32_t i = 0; i < draws; ++i)
    if (!scene->draw(device, frame, i)) return false;
  return ok(device->EndScene(), "EndScene");
}

bool present(IDirect3DDevice9 *device) {
  if (!ok(device->Present(nullptr, nullptr, nullptr, nullptr), "Present")) return false;
  takeMessages();
  return true;
}

/** Draws the frames that are timed; `*count` gets their number. */
bool runFrames(IDirect3DDevice9 *device, Scene *scene, const Options &options, uint32_t *count) {
  const double start = now();
  uint32_t frame = 0;
  while (options.seconds > 0 ? now() - start < options.seconds : frame < options.frames) {
    if (!drawFrame(device, scene, frame, options.draws) || !present(device)) return false;
    ++frame;
  }
  if (!finish(device)) return false;
  *count = frame;
  std::printf("frames %u in %.3f s\n", frame, now() - start);
  return true;
}

/** Draws, reads back, compares and shows the last frame; it is on the screen when this returns, for tools that read
 * the screen. */
bool checkedFrame(IDirect3DDevice9 *device, Scene *scene, const Options &options, uint32_t frame) {
  const Picture expected = scene->expectation(frame);
  if (options.expectation && !writePpm(options.expectation, scene->shown(frame))) return false;
  if (!drawFrame(device, scene, frame, options.draws)) return false;
  ComPtr<IDirect3DSurface9> target;
  Picture got;
  if (!ok(device->GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, target.put()), "GetBackBuffer") ||
      !readTarget(device, target.get(), &got))
    return false;
  const bool same = samePicture("the back buffer", got, expected, scene->tolerance(), false);
  return present(device) && finish(device) && same;
}

}  // namespace

int runScene(const char *name, const char *help, int argc, char **argv, const DeviceSettings &settings, Scene *scene) {
  Options options;
  int exitCode = 0;
  if (!begin({.name = name, .help = help}, argc, argv, options, exitCode)) return exitCode;
  Window window;
  Device device;
  if (!window.open(settings.fullScreen ? 0 : options.x, settings.fullScreen ? 0 : options.y, settings.width,
                   settings.height) ||
      !device.create(options, settings, window.handle()) || !scene->create(device.device.get()))
    return 1;
  uint32_t frame = 0;
  if (!runFrames(device.device.get(), scene, options, &frame)) return 1;
  const bool right = checkedFrame(device.device.get(), scene, options, frame);
  if (right) std::printf("%s: ok frames=%u\n", name, frame);
  if (options.hold) holdPicture();
  return right ? 0 : 1;
}

void pixelsToClip(uint32_t width, uint32_t height, float constants[4]) {
  constants[0] = 2.0f / static_cast<float>(width);
  constants[1] = -2.0f / static_cast<float>(height);
  constants[2] = -1;
  constants[3] = 1;
}

}  // namespace programs
