// SPDX-License-Identifier: MIT
// IDirect3DSwapChain9Ex: back buffers, and how Present shows them. Windowed presents are copies to the window's place
// on the screen, full-screen ones exchange the scanned-out buffer. Pages pfnd3dddi_present, pfnd3dddi_setdisplaymode.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "testbed/d3d9-runtime/com/com.h"
#include "testbed/d3d9-runtime/com/surface.h"
#include "testbed/d3d9-runtime/com/window_surface.h"
#include "testbed/runtime-kernel/display_owner.h"

namespace aerogpu::runtime {

class SwapChain final : public Child<IDirect3DSwapChain9Ex, IDirect3DSwapChain9> {
public:
  SwapChain(Device &device, HWND focusWindow);
  ~SwapChain() override;
  /// Makes the buffers; fills in the defaults of `parameters`. A full-screen chain takes over the display. `implicit`:
  /// the device's own chain, which a Reset replaces; one that the program made must be released before.
  HRESULT create(D3DPRESENT_PARAMETERS &parameters, bool implicit);

  const D3DPRESENT_PARAMETERS &parameters() const { return m_parameters; }
  UINT backBuffers() const { return static_cast<UINT>(m_buffers.size()); }
  Surface *backBuffer(UINT index) const { return index < m_buffers.size() ? m_buffers[index].get() : nullptr; }
  /// True if the program holds a back buffer, which a Reset refuses.
  bool isBufferHeld() const;
  HRESULT present(const RECT *source, const RECT *destination, HWND window, const RGNDATA *dirty, DWORD flags);
  HRESULT frontBufferData(Surface &destination);
  void setGammaRamp(const D3DGAMMARAMP &ramp);
  const D3DGAMMARAMP &gammaRamp() const { return m_gammaRamp; }

  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override;
  HRESULT STDMETHODCALLTYPE Present(const RECT *source, const RECT *destination, HWND window, const RGNDATA *dirty,
                                    DWORD flags) override;
  HRESULT STDMETHODCALLTYPE GetFrontBufferData(IDirect3DSurface9 *destination) override;
  HRESULT STDMETHODCALLTYPE GetBackBuffer(UINT index, D3DBACKBUFFER_TYPE type, IDirect3DSurface9 **out) override;
  HRESULT STDMETHODCALLTYPE GetRasterStatus(D3DRASTER_STATUS *out) override;
  HRESULT STDMETHODCALLTYPE GetDisplayMode(D3DDISPLAYMODE *out) override;
  HRESULT STDMETHODCALLTYPE GetPresentParameters(D3DPRESENT_PARAMETERS *out) override;
  HRESULT STDMETHODCALLTYPE GetLastPresentCount(UINT *out) override;
  HRESULT STDMETHODCALLTYPE GetPresentStats(D3DPRESENTSTATS *out) override;
  HRESULT STDMETHODCALLTYPE GetDisplayModeEx(D3DDISPLAYMODEEX *mode, D3DDISPLAYROTATION *rotation) override;

private:
  HRESULT checkParameters(D3DPRESENT_PARAMETERS &parameters) const;
  HRESULT presentWindowed(const RECT *source, const RECT *destination, HWND window, const RGNDATA *dirty, DWORD flags);
  HRESULT presentFullScreen(DWORD flags);
  HRESULT waitForTurn(bool immediate, bool doNotWait);
  void noteShown(UINT shown);
  void rotate();

  HWND m_focusWindow;
  D3DPRESENT_PARAMETERS m_parameters{};
  std::shared_ptr<Image> m_image;
  std::vector<Ref<Surface>> m_buffers;
  UINT m_front = 0;  ///< in a full-screen chain: the buffer on the screen
  UINT m_presents = 0;
  UINT m_shown = 0;  ///< count of the last present that is on the screen
  struct Pending {
    UINT number;  ///< the device's
    UINT count;   ///< this chain's
  };
  std::deque<Pending> m_pending;  ///< presents that may not be on the screen
  bool m_refreshKnown = false;    ///< m_refresh is that of the last present, in a window at interval one
  UINT m_refresh = 0;
  std::unique_ptr<WindowSurface> m_surface;  ///< where the desktop is composed
  DisplayOwner m_display;
  D3DGAMMARAMP m_gammaRamp;  ///< of a full screen; the one that changes nothing at first
};

}  // namespace aerogpu::runtime
