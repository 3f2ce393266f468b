// SPDX-License-Identifier: MIT
// scene.h: runs programs that draw a window's picture repeatedly, and know how it must look.
#pragma once

#include "guest-drivers/programs/program.h"

namespace programs {

class Scene {
public:
  virtual ~Scene() = default;
  /** Makes the objects that the scene draws with. Prints what failed. */
  virtual bool create(IDirect3DDevice9 *device) = 0;
  /** Draws frame `frame` onto the back buffer, between BeginScene and EndScene. `draw` counts the repetitions of
   * --draws: draw 0 begins the picture, and each draws all of it again. */
  virtual bool draw(IDirect3DDevice9 *device, uint32_t frame, uint32_t draw) = 0;
  /** Returns the picture of a frame, from the rules of Direct3D. */
  virtual Picture expectation(uint32_t frame) const = 0;
  /** Returns what the window shows of a frame: its picture, unless something between it and the screen changes it. */
  virtual Picture shown(uint32_t frame) const { return expectation(frame); }
  /** Returns how many of 255 steps a channel may differ. */
  virtual uint32_t tolerance() const { return 0; }
};

/** Runs `name`: window, device, frames, the check of the last one before it is presented. Returns the exit code. */
int runScene(const char *name, const char *help, int argc, char **argv, const DeviceSettings &settings, Scene *scene);

/** Computes constants c0 of the vertex shaders: from pixels, whose centres are whole numbers, to clip space, as (x
 * scale, y scale, x offset, y offset). */
void pixelsToClip(uint32_t width, uint32_t height, float constants[4]);

}  // namespace programs
