// SPDX-License-Identifier: MIT
// shared11.h: one side of a texture that two devices share, of any version of Direct3D.
#pragma once

#include <windows.h>

#include <dxgiformat.h>

#include <memory>

#include "guest-drivers/programs/picture.h"

namespace programs {

constexpr uint32_t kSharedSize = 256;

/** A device and its texture of kSharedSize x kSharedSize. The texture's maker draws the first of two pictures, who
 * opens it the second. Every function prints what failed. */
class Side {
public:
  Side() = default;
  virtual ~Side() = default;
  Side(const Side &) = delete;
  Side &operator=(const Side &) = delete;

  /** Makes the texture. `handle`: gets the handle by which others open it; null: it is not to be shared. */
  virtual bool make(DXGI_FORMAT format, HANDLE *handle) = 0;
  virtual bool open(DXGI_FORMAT format, HANDLE handle) = 0;
  /** Draws the side's first or second picture in it, and waits until that is done. */
  virtual bool draw(bool second) = 0;
  virtual bool read(Picture &picture) = 0;
  /** Draws with the texture, in a target of the side's own, and reads that. */
  virtual bool drawWith(Picture &picture) = 0;
};

/** The rectangle of one colour in the gradient. */
constexpr uint32_t kCornerX = 16, kCornerY = 200, kCornerWidth = 64, kCornerHeight = 40;
constexpr uint32_t kCornerColour = argb(255, 250, 200, 10);

/** Red, green, blue and alpha at the corners of the whole texture: upper left, upper right, lower left, lower right.
 * Between them the centre of each pixel has whole steps of 255. */
using CornerColours = float[4][4];
const CornerColours &gradientOf(bool second);

/** What a device of Direct3D 10.1 fills the texture with. */
constexpr uint32_t kFirstFill = argb(200, 30, 60, 90), kSecondFill = argb(100, 90, 30, 60);

std::unique_ptr<Side> makeSide9();
std::unique_ptr<Side> makeSide10();
std::unique_ptr<Side> makeSide11();

}  // namespace programs
