// SPDX-License-Identifier: MIT
// What a program asks of a swap chain, in the words of DXGI 1.0 or 1.2, and what of it Windows 7 with its Platform
// Update accepts (pages DXGI_SWAP_EFFECT, DXGI_SWAP_CHAIN_DESC1, "Platform Update for Windows 7").
#pragma once

#include "testbed/d3d11-runtime/base/headers.h"

namespace aerogpu::runtime11 {

/// The limit of buffers (DXGI_MAX_SWAP_CHAIN_BUFFERS).
inline constexpr UINT kMostChainBuffers = 16;

/// DXGI_SWAP_CHAIN_DESC with what DXGI 1.2 has besides.
struct ChainDescription {
  DXGI_SWAP_CHAIN_DESC base{};
  DXGI_SCALING scaling = DXGI_SCALING_STRETCH;
  DXGI_ALPHA_MODE alpha = DXGI_ALPHA_MODE_IGNORE;
  BOOL stereo = FALSE;

  /// True for the flip presentation model. A desktop that is not composed shows its frames as those of the other
  /// model, but a present takes buffer 0 from the pipeline.
  bool isFlipModel() const { return base.SwapEffect == DXGI_SWAP_EFFECT_FLIP_SEQUENTIAL; }
  DXGI_SWAP_CHAIN_DESC1 desc1() const;
};

/// `fullScreen`: null for a window.
ChainDescription describeChain(HWND window, const DXGI_SWAP_CHAIN_DESC1 &description,
                               const DXGI_SWAP_CHAIN_FULLSCREEN_DESC *fullScreen);
/// Returns S_OK, or what a creation gives. `extended`: the driver's interface has BGRA.
HRESULT checkChain(const ChainDescription &description, bool extended);
/// True if buffers may have the format.
bool canBeShown(DXGI_FORMAT format, bool extended, bool flipModel);

}  // namespace aerogpu::runtime11
