// SPDX-License-Identifier: MIT
// A swap chain's full screen: the display, its mode, what is scanned out, and the window over all of it. Pages
// "DXGI Presentation Path", pfnsetdisplaymode, IDXGISwapChain::SetFullscreenState.
//
// What is scanned out are the chain's own buffers, if the driver accepts them as primaries, or two proxies, to which
// each frame is copied: the way of a chain that was not resized after it entered the full screen.
#pragma once

#include <array>
#include <vector>

#include "testbed/d3d11-runtime/dxgi/host.h"
#include "testbed/runtime-kernel/display_owner.h"

namespace aerogpu::runtime11 {

/// A window without a frame, over the whole screen.
class CoveringWindow {
public:
  ~CoveringWindow() { restore(); }
  /// Called again for another size.
  void cover(HWND window, UINT width, UINT height);
  void restore();

private:
  HWND m_window = nullptr;
  LONG m_style = 0, m_exStyle = 0;  ///< before
  RECT m_place{};
};

/// Callers hold the device's lock, but for the window's functions: a program's window procedure may call the chain.
class FullScreen {
public:
  FullScreen(SwapChainHost &host, const DXGI_MODE_DESC &mode) : m_host(host), m_display(host.driver()), m_mode(mode) {}
  ~FullScreen() { leave(); }
  FullScreen(const FullScreen &) = delete;
  FullScreen &operator=(const FullScreen &) = delete;

  /// Takes the display; false if another device has it.
  bool take() { return m_display.take(); }
  /// Gives the display back. The window is restored separately, without the lock.
  void leave();

  void coverWith(HWND window);
  void restoreWindow();
  bool isCovered() const { return m_isCovered; }

  const DXGI_MODE_DESC &mode() const { return m_mode; }
  void setMode(const DXGI_MODE_DESC &mode) { m_mode = mode; }
  /// Shows one of the chain's buffers, a primary.
  HRESULT show(BackBuffer &buffer);
  /// Makes the proxies for this mode and shows one.
  HRESULT makeProxies();
  bool hasProxies() const { return m_proxies[0] != nullptr; }
  void freeProxies();
  /// Copies a frame to the proxy that is not on the screen.
  HRESULT copyToProxy(BackBuffer &buffer);
  /// Flips to a primary; null: to the proxy of the last copy. Without `waits` it gives DXGI_ERROR_WAS_STILL_DRAWING
  /// while as many frames are under way as the device may have.
  HRESULT flip(BackBuffer *buffer, UINT interval, bool waits);

private:
  SwapChainHost &m_host;
  runtime::DisplayOwner m_display;
  CoveringWindow m_window;
  bool m_isCovered = false;
  DXGI_MODE_DESC m_mode;
  std::array<BackBuffer *, 2> m_proxies{};  ///< with a private reference each
  UINT m_hidden = 0;                        ///< the proxy that is not on the screen
};

}  // namespace aerogpu::runtime11
