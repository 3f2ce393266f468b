// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/dxgi/full_screen.h"

#include <utility>

#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime11 {
namespace {

// What a window has not over a whole screen (test_swapchain_window_styles in Wine's dlls/dxgi/tests/dxgi.c).
constexpr DWORD kFrame =
    WS_POPUP | WS_MAXIMIZEBOX | WS_MINIMIZEBOX | WS_THICKFRAME | WS_SYSMENU | WS_DLGFRAME | WS_BORDER;
constexpr DWORD kExFrame =
    WS_EX_DLGMODALFRAME | WS_EX_TOOLWINDOW | WS_EX_WINDOWEDGE | WS_EX_CLIENTEDGE | WS_EX_CONTEXTHELP;

LONG without(LONG style, DWORD bits) {
  return static_cast<LONG>(static_cast<DWORD>(style) & ~bits);
}

}  // namespace

void CoveringWindow::cover(HWND window, UINT width, UINT height) {
  if (!m_window) {
    m_window = window;
    m_style = GetWindowLongW(window, GWL_STYLE);
    m_exStyle = GetWindowLongW(window, GWL_EXSTYLE);
    GetWindowRect(window, &m_place);
    SetWindowLongW(window, GWL_STYLE, without(m_style, kFrame));
    SetWindowLongW(window, GWL_EXSTYLE, without(m_exStyle, kExFrame));
  }
  SetWindowPos(window, HWND_TOPMOST, 0, 0, static_cast<int>(width), static_cast<int>(height),
               SWP_FRAMECHANGED | SWP_NOACTIVATE | SWP_SHOWWINDOW);
  // A window may not become larger than the screen was before its mode changed, for as long as the program is asked.
  RECT place{};
  if (GetWindowRect(window, &place) && place.right == static_cast<LONG>(width) &&
      place.bottom == static_cast<LONG>(height))
    return;
  SetWindowPos(window, nullptr, 0, 0, static_cast<int>(width), static_cast<int>(height),
               SWP_NOACTIVATE | SWP_NOZORDER | SWP_NOSENDCHANGING);
}

void CoveringWindow::restore() {
  const HWND window = std::exchange(m_window, nullptr);
  if (!window || !IsWindow(window)) return;
  // Visible is what it is now.
  const LONG visible = static_cast<LONG>(WS_VISIBLE);
  SetWindowLongW(window, GWL_STYLE, (m_style & ~visible) | (GetWindowLongW(window, GWL_STYLE) & visible));
  SetWindowLongW(window, GWL_EXSTYLE, m_exStyle);
  SetWindowPos(window, m_exStyle & WS_EX_TOPMOST ? HWND_TOPMOST : HWND_NOTOPMOST, m_place.left, m_place.top,
               m_place.right - m_place.left, m_place.bottom - m_place.top,
               SWP_FRAMECHANGED | SWP_NOACTIVATE | (m_style & visible ? 0u : SWP_HIDEWINDOW));
}

void FullScreen::leave() {
  freeProxies();
  m_display.leave();
}

void FullScreen::coverWith(HWND window) {
  runtime::setScreenMode(m_mode.Width, m_mode.Height);
  m_window.cover(window, m_mode.Width, m_mode.Height);
  m_isCovered = true;
}

void FullScreen::restoreWindow() {
  runtime::restoreScreenMode();
  m_window.restore();
}

HRESULT FullScreen::show(BackBuffer &buffer) {
  return m_host.driver().setDisplayMode(buffer.resource().dxgiHandle());
}

HRESULT FullScreen::makeProxies() {
  freeProxies();
  // The one format that every screen has. Interfaces without it have none that could be scanned out.
  if (!m_host.driver().choice().extendedFormats) {
    runtime::logLine("this version of the interface has no format for a screen");
    return DXGI_ERROR_NOT_CURRENTLY_AVAILABLE;
  }
  DXGI_MODE_DESC mode = m_mode;
  mode.Format = DXGI_FORMAT_B8G8R8A8_UNORM;
  ResourceDescription description;
  description.dimension = D3D11_RESOURCE_DIMENSION_TEXTURE2D;
  description.width = mode.Width;
  description.height = mode.Height;
  description.format = mode.Format;
  description.bind = D3D11_BIND_RENDER_TARGET;
  description.present = true;
  description.scanOut = &mode;
  for (BackBuffer *&proxy : m_proxies) {
    const HRESULT result = m_host.makeBackBuffer(description, proxy);
    if (SUCCEEDED(result)) continue;
    proxy = nullptr;
    freeProxies();
    return result == DXGI_DDI_ERR_UNSUPPORTED ? DXGI_ERROR_NOT_CURRENTLY_AVAILABLE : result;
  }
  m_hidden = 0;
  const HRESULT result = show(*m_proxies[1]);
  if (FAILED(result)) freeProxies();
  return result;
}

void FullScreen::freeProxies() {
  for (BackBuffer *&proxy : m_proxies)
    if (BackBuffer *made = std::exchange(proxy, nullptr)) made->releasePrivate();
}

HRESULT FullScreen::copyToProxy(BackBuffer &buffer) {
  const ResourceDescription &from = buffer.resource().description();
  BackBuffer &proxy = *m_proxies[m_hidden];
  const ResourceDescription &to = proxy.resource().description();
  DXGI_DDI_ARG_BLT argument{};
  argument.hDstResource = proxy.resource().dxgiHandle();
  argument.DstRight = to.width;
  argument.DstBottom = to.height;
  argument.hSrcResource = buffer.resource().dxgiHandle();
  argument.Flags.Resolve = from.samples.Count > 1;
  argument.Flags.Convert = from.format != to.format;
  argument.Flags.Stretch = from.width != to.width || from.height != to.height;
  argument.Rotate = DXGI_DDI_MODE_ROTATION_IDENTITY;
  DriverDevice &driver = m_host.driver();
  // Page "DXGI_DDI_ARG_BLT": there is something to do besides copying.
  if (!argument.Flags.Value)
    return driver.call<&D3D11DDI_DEVICEFUNCS::pfnResourceCopy>(proxy.resource().handle(), buffer.resource().handle());
  return driver.dxgi<&DXGI_DDI_BASE_FUNCTIONS::pfnBlt>(argument);
}

HRESULT FullScreen::flip(BackBuffer *buffer, UINT interval, bool waits) {
  const bool proxy = !buffer;
  if (proxy) buffer = m_proxies[m_hidden];
  runtime::PresentRequest request;
  request.flip = true;
  request.doNotWait = !waits;
  request.interval = static_cast<D3DDDI_FLIPINTERVAL_TYPE>(interval);
  DXGI_DDI_ARG_PRESENT argument{};
  argument.hSurfaceToPresent = buffer->resource().dxgiHandle();
  argument.Flags.Flip = 1;
  argument.FlipInterval = static_cast<DXGI_DDI_FLIP_INTERVAL_TYPE>(interval);
  const HRESULT result = m_host.driver().present(argument, request);
  if (result == static_cast<HRESULT>(D3DDDIERR_WASSTILLDRAWING) || result == DXGI_DDI_ERR_WASSTILLDRAWING)
    return DXGI_ERROR_WAS_STILL_DRAWING;
  if (proxy) m_hidden = 1 - m_hidden;
  return result;
}

}  // namespace aerogpu::runtime11
