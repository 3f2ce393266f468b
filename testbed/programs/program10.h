// SPDX-License-Identifier: MIT
// program10.h: what the programs of Direct3D 10.1 share besides program11.h: a device with a window, and its picture.
#pragma once

#include "testbed/programs/program11.h"

#include <d3d10_1.h>

namespace programs {

/** A device of Direct3D 10.1, by way of d3d10_1.dll, with its window and swap chain of one buffer. */
struct Shown10 {
  Window window;
  ComPtr<IDXGISwapChain> chain;
  ComPtr<ID3D10Device1> device;
  ComPtr<ID3D10Texture2D> buffer;

  /** Opens the window at the options' place, and makes a device of level 10.1, else 10.0. Prints `level 0xNUMBER`.
   * `flags`: of D3D10_CREATE_DEVICE_FLAG. */
  bool open(const Options11 &options, uint32_t width, uint32_t height, DXGI_FORMAT format, UINT flags);
  /** As Shown11::finish(). */
  bool finish(const Options11 &options, const Picture &expectation);
};

/** Reads a texture of one level by way of a staging texture. Its format is R8G8B8A8 or B8G8R8A8. */
bool readTexture(ID3D10Device *device, ID3D10Texture2D *texture, Picture &picture);

}  // namespace programs
