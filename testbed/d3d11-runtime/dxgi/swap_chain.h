// SPDX-License-Identifier: MIT
// IDXGISwapChain1. With the desktop not composed a present to a window is PresentDXGI with Blt: the kernel driver
// copies the back buffer to it (page "DXGI Presentation Path"). full_screen.h has the full screen. Composition is not
// there yet.
#pragma once

#include "testbed/d3d11-runtime/dxgi/chain_description.h"
#include "testbed/d3d11-runtime/dxgi/host.h"

namespace aerogpu::runtime11 {

/// Makes a swap chain for a device that answers to kSwapChainHostId. `restrictTo`: may be null.
HRESULT createSwapChain(IDXGIFactory1 &factory, IUnknown &device, const ChainDescription &description,
                        IDXGIOutput *restrictTo, IDXGISwapChain1 *&out);

}  // namespace aerogpu::runtime11
