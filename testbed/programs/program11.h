// SPDX-License-Identifier: MIT
// program11.h: what the programs of Direct3D 11 share: options, a device with a window, pictures of textures.
#pragma once

#include <windows.h>

#include <d3d11.h>

#include <array>
#include <cstdint>

#include "guest-drivers/programs/com_ptr.h"
#include "guest-drivers/programs/picture.h"
#include "guest-drivers/programs/result.h"
#include "guest-drivers/programs/window.h"

namespace programs {

/** The options of all programs, as those of Direct3D 9 have them (program.h). */
struct Options11 {
  int x = 64, y = 48;
  bool hold = false;
  const char *expectation = nullptr;
};
bool readOptions(int argc, char **argv, Options11 &options);

/** The swap chain of all programs: R8G8B8A8, one buffer. */
DXGI_SWAP_CHAIN_DESC swapChainOf(HWND window, uint32_t width, uint32_t height);

/** A device with its window and swap chain. */
struct Shown11 {
  Window window;
  ComPtr<IDXGISwapChain> chain;
  ComPtr<ID3D11Device> device;
  ComPtr<ID3D11DeviceContext> context;
  ComPtr<ID3D11Texture2D> buffer;
  ComPtr<ID3D11RenderTargetView> view;  ///< of the buffer
  D3D_FEATURE_LEVEL level{};

  /** Opens the window at the options' place, and makes the device of the highest level that the driver has. Prints
   * `level 0xNUMBER`. */
  bool open(const Options11 &options, uint32_t width, uint32_t height);
  /** Checks that the device still is; ends the program. */
  bool finish(const Options11 &options, const Picture &expectation);
};

/** The end of all programs: writes the picture that the options ask for, holds the window if they do, says that all
 * is well. */
bool finishProgram(const Options11 &options, const Picture &expectation);

/** Red, green, blue and alpha of a pixel, 0 to 1. */
std::array<float, 4> rgbaOf(uint32_t pixel);
void clearTarget(ID3D11DeviceContext *context, ID3D11RenderTargetView *view, uint32_t pixel);

/** A 2D texture of R8G8B8A8 for rendering, with its view. */
bool makeTarget(ID3D11Device *device, uint32_t width, uint32_t height, ComPtr<ID3D11Texture2D> &texture,
                ComPtr<ID3D11RenderTargetView> &view, uint32_t samples = 1);

/** Reads a subresource of an R8G8B8A8 texture by way of a staging texture; `width` and `height` are the subresource's.
 */
bool readTexture(ID3D11Device *device, ID3D11DeviceContext *context, ID3D11Texture2D *texture, uint32_t subresource,
                 Picture &picture);

}  // namespace programs
