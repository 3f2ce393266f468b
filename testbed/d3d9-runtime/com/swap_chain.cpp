// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/swap_chain.h"

#include <algorithm>
#include <cstring>

#include "testbed/d3d9-runtime/com/device.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {
namespace {

constexpr UINT kMostBackBuffers = 3, kMostBackBuffersEx = 30;
constexpr size_t kMostPending = 64;  // more than the greatest frame latency

D3DDDI_FLIPINTERVAL_TYPE intervalOf(UINT interval) {
  switch (interval) {
  case D3DPRESENT_INTERVAL_IMMEDIATE:
    return D3DDDI_FLIPINTERVAL_IMMEDIATE;
  case D3DPRESENT_INTERVAL_TWO:
    return D3DDDI_FLIPINTERVAL_TWO;
  case D3DPRESENT_INTERVAL_THREE:
    return D3DDDI_FLIPINTERVAL_THREE;
  case D3DPRESENT_INTERVAL_FOUR:
    return D3DDDI_FLIPINTERVAL_FOUR;
  default:
    return D3DDDI_FLIPINTERVAL_ONE;
  }
}

/// True if a chain may present at an interval: windows allow at most one refresh, and the driver decides on the rest.
bool hasInterval(const D3DCAPS9 &caps, UINT interval, bool windowed) {
  switch (interval) {
  case D3DPRESENT_INTERVAL_DEFAULT:
    return true;
  case D3DPRESENT_INTERVAL_TWO:
  case D3DPRESENT_INTERVAL_THREE:
  case D3DPRESENT_INTERVAL_FOUR:
    return !windowed && (caps.PresentationIntervals & interval);
  case D3DPRESENT_INTERVAL_ONE:
  case D3DPRESENT_INTERVAL_IMMEDIATE:
    return caps.PresentationIntervals & interval;
  default:
    return false;
  }
}

}  // namespace

SwapChain::SwapChain(Device &device, HWND focusWindow)
    : Child(device), m_focusWindow(focusWindow), m_display(device.driver()) {
  for (UINT i = 0; i < 256; ++i)
    m_gammaRamp.red[i] = m_gammaRamp.green[i] = m_gammaRamp.blue[i] = static_cast<WORD>(i * 257);
}

SwapChain::~SwapChain() {
  for (Ref<Surface> &buffer : m_buffers) buffer->setContainer(nullptr);
  m_surface.reset();
  m_display.leave();
}

HRESULT SwapChain::checkParameters(D3DPRESENT_PARAMETERS &p) const {
  const DriverAdapter &adapter = device().driver().adapter();
  D3DKMT_DISPLAYMODE mode{};
  if (!adapter.currentMode(mode)) return D3DERR_NOTAVAILABLE;
  if (!p.SwapEffect || p.SwapEffect > D3DSWAPEFFECT_FLIPEX) return D3DERR_INVALIDCALL;
  if (p.SwapEffect >= D3DSWAPEFFECT_OVERLAY && !device().isEx()) return D3DERR_INVALIDCALL;
  if (p.SwapEffect == D3DSWAPEFFECT_OVERLAY) {
    notImplemented("D3DSWAPEFFECT_OVERLAY");
    return D3DERR_NOTAVAILABLE;
  }
  if (p.BackBufferCount > (device().isEx() ? kMostBackBuffersEx : kMostBackBuffers)) return D3DERR_INVALIDCALL;
  if (p.SwapEffect == D3DSWAPEFFECT_COPY && p.BackBufferCount > 1) return D3DERR_INVALIDCALL;
  if (!p.BackBufferCount) p.BackBufferCount = 1;
  if (p.MultiSampleType != D3DMULTISAMPLE_NONE && p.SwapEffect != D3DSWAPEFFECT_DISCARD) return D3DERR_INVALIDCALL;
  if (!hasInterval(adapter.caps(), p.PresentationInterval, p.Windowed)) return D3DERR_INVALIDCALL;
  if (!p.hDeviceWindow) p.hDeviceWindow = m_focusWindow;
  if (p.Windowed) {
    if (p.FullScreen_RefreshRateInHz) return D3DERR_INVALIDCALL;
    RECT client{};
    GetClientRect(p.hDeviceWindow ? p.hDeviceWindow : GetDesktopWindow(), &client);
    if (!p.BackBufferWidth) p.BackBufferWidth = static_cast<UINT>(std::max(1L, client.right));
    if (!p.BackBufferHeight) p.BackBufferHeight = static_cast<UINT>(std::max(1L, client.bottom));
    if (p.BackBufferFormat == D3DFMT_UNKNOWN) p.BackBufferFormat = static_cast<D3DFORMAT>(mode.Format);
    return checkDeviceType(adapter, static_cast<D3DFORMAT>(mode.Format), p.BackBufferFormat, true);
  }
  if (!p.hDeviceWindow || !p.BackBufferWidth || !p.BackBufferHeight) return D3DERR_INVALIDCALL;
  D3DFORMAT display = p.BackBufferFormat;
  if (display == D3DFMT_A8R8G8B8) display = D3DFMT_X8R8G8B8;
  if (display == D3DFMT_A1R5G5B5) display = D3DFMT_X1R5G5B5;
  const HRESULT result = checkDeviceType(adapter, display, p.BackBufferFormat, false);
  if (FAILED(result)) return result;
  const auto fits = [&](const D3DKMT_DISPLAYMODE &row) {
    return row.Width == p.BackBufferWidth && row.Height == p.BackBufferHeight &&
           row.Format == static_cast<D3DDDIFORMAT>(display) &&
           (!p.FullScreen_RefreshRateInHz || row.IntegerRefreshRate == p.FullScreen_RefreshRateInHz);
  };
  const auto &modes = adapter.modes();
  const auto found = std::find_if(modes.begin(), modes.end(), fits);
  if (found == modes.end()) {
    logLine("no display mode %ux%u at %u Hz in format %u", p.BackBufferWidth, p.BackBufferHeight,
            p.FullScreen_RefreshRateInHz, static_cast<unsigned>(display));
    return D3DERR_INVALIDCALL;
  }
  p.FullScreen_RefreshRateInHz = found->IntegerRefreshRate;
  return D3D_OK;
}

HRESULT SwapChain::create(D3DPRESENT_PARAMETERS &parameters, bool implicit) {
  const HWND given = parameters.hDeviceWindow;
  HRESULT result = checkParameters(parameters);
  if (FAILED(result)) return result;
  m_parameters = parameters;
  parameters.hDeviceWindow = given;  // this field is not filled in
  ImageDescription description;
  description.format = parameters.BackBufferFormat;
  description.width = parameters.BackBufferWidth;
  description.height = parameters.BackBufferHeight;
  // A full screen has one more layer, the front buffer.
  description.layers = parameters.BackBufferCount + (parameters.Windowed ? 0 : 1);
  description.usage = D3DUSAGE_RENDERTARGET;
  description.multisample = parameters.MultiSampleType;
  description.quality = parameters.MultiSampleQuality;
  description.lockable = parameters.Flags & D3DPRESENTFLAG_LOCKABLE_BACKBUFFER;
  description.discard = parameters.SwapEffect == D3DSWAPEFFECT_DISCARD;
  description.chain = true;
  description.primary = !parameters.Windowed;
  description.implicit = implicit;
  // What a player's swap chain has (EVR's too); page "D3DDDI_RESOURCEFLAGS" calls it a target that contains video data.
  description.video = parameters.Flags & D3DPRESENTFLAG_VIDEO;
  D3DKMT_DISPLAYMODE mode{};
  description.gdiMode = device().driver().adapter().currentMode(mode) && mode.Width == parameters.BackBufferWidth &&
                        mode.Height == parameters.BackBufferHeight &&
                        static_cast<D3DFORMAT>(mode.Format) == parameters.BackBufferFormat &&
                        mode.IntegerRefreshRate == parameters.FullScreen_RefreshRateInHz;
  if (!parameters.Windowed) {
    description.refreshRate = {parameters.FullScreen_RefreshRateInHz, 1};
    if (!m_display.take()) return D3DERR_NOTAVAILABLE;
  }
  m_image = Image::create(device(), description, nullptr, result);
  if (!m_image) return result;
  m_front = parameters.Windowed ? 0 : parameters.BackBufferCount;
  for (UINT i = 0; i < parameters.BackBufferCount; ++i)
    m_buffers.emplace_back(new Surface(device(), m_image, i, nullptr, static_cast<IDirect3DSwapChain9Ex *>(this)));
  if (parameters.Windowed) {
    if (WindowSurface::isComposed()) m_surface = std::make_unique<WindowSurface>(device().driver());
    return D3D_OK;
  }
  D3DDDIARG_SETDISPLAYMODE shown{};
  shown.hResource = m_image->handle();
  shown.SubResourceIndex = m_front;
  return device().driver().call<&D3DDDI_DEVICEFUNCS::pfnSetDisplayMode>(&shown);
}

/// Pages "IDirect3DDevice9::SetGammaRamp", "DDIGAMMACAPS": the ramp is the screen's, so a window has none, and neither
/// has a driver that says so.
void SwapChain::setGammaRamp(const D3DGAMMARAMP &ramp) {
  if (!m_display.isOwner()) return;
  DriverDevice &driver = device().driver();
  if (!driver.adapter().hasGammaRamps()) return;
  static_assert(sizeof(D3DGAMMARAMP) == sizeof(D3DDDI_GAMMA_RAMP_RGB256x3x16));
  D3DDDI_GAMMA_RAMP_RGB256x3x16 passed;
  std::memcpy(&passed, &ramp, sizeof passed);
  D3DKMT_SETGAMMARAMP argument{};
  argument.hDevice = driver.kernelHandle();
  argument.VidPnSourceId = driver.adapter().vidPnSource();
  argument.Type = D3DDDI_GAMMARAMP_RGB256x3x16;
  argument.pGammaRampRgb256x3x16 = &passed;
  argument.Size = sizeof passed;
  const HRESULT result = resultOfStatus(driver.adapter().kernel().SetGammaRamp(&argument));
  if (FAILED(result))
    logLine("SetGammaRamp: 0x%08lx", static_cast<unsigned long>(result));
  else
    m_gammaRamp = ramp;
}

bool SwapChain::isBufferHeld() const {
  return std::any_of(m_buffers.begin(), m_buffers.end(), [](const Ref<Surface> &buffer) { return buffer->isHeld(); });
}

HRESULT SwapChain::present(const RECT *source, const RECT *destination, HWND window, const RGNDATA *dirty,
                           DWORD flags) {
  constexpr DWORD kFlags = D3DPRESENT_DONOTWAIT | D3DPRESENT_LINEAR_CONTENT | D3DPRESENT_DONOTFLIP |
                           D3DPRESENT_FLIPRESTART | D3DPRESENT_FORCEIMMEDIATE;
  if (flags & ~kFlags) return D3DERR_INVALIDCALL;
  if ((source || destination || dirty) && m_parameters.SwapEffect != D3DSWAPEFFECT_COPY && !m_parameters.Windowed)
    return D3DERR_INVALIDCALL;
  if (device().driver().isRemoved()) return D3DERR_DEVICELOST;
  if (!m_parameters.Windowed && device().isEx() && device().screen() == FullScreenWindow::Screen::Lost)
    return S_PRESENT_OCCLUDED;
  if (!m_parameters.Windowed && !device().isEx() && device().screen() != FullScreenWindow::Screen::Ours)
    return D3DERR_DEVICELOST;  // also if only a Reset is missing
  HRESULT result =
      m_parameters.Windowed ? presentWindowed(source, destination, window, dirty, flags) : presentFullScreen(flags);
  if (result == static_cast<HRESULT>(D3DDDIERR_DEVICEREMOVED))
    result = device().isEx() ? D3DERR_DEVICEHUNG : D3DERR_DEVICELOST;
  if (FAILED(result)) return result;
  m_pending.push_back({device().driver().presents(), ++m_presents});
  if (m_pending.size() > kMostPending) m_pending.pop_front();
  rotate();
  if (!(m_surface ? m_surface->wasOccluded() : device().driver().wasOccluded())) return D3D_OK;
  // Another program has the screen: a full-screen program of Direct3D 9 has lost its device, others draw on invisibly.
  if (device().isEx()) return S_PRESENT_OCCLUDED;
  return m_parameters.Windowed ? D3D_OK : D3DERR_DEVICELOST;
}

HRESULT SwapChain::presentWindowed(const RECT *source, const RECT *destination, HWND window, const RGNDATA *dirty,
                                   DWORD flags) {
  if (!window) window = m_parameters.hDeviceWindow;
  if (!window) window = GetDesktopWindow();
  if (!IsWindow(window)) return D3D_OK;  // the window is gone, so nothing is shown
  PresentRequest request;
  request.window = window;
  const RECT whole = m_buffers[0]->bounds();
  request.source = source ? *source : whole;
  if (!isInside(request.source, whole)) return D3DERR_INVALIDCALL;
  RECT client{};
  if (!GetClientRect(window, &client)) return D3DERR_INVALIDCALL;
  request.destination = destination ? *destination : client;
  // Relative to the window; the kernel side knows its position.
  if (IsRectEmpty(&request.destination)) return device().isEx() && IsIconic(window) ? S_PRESENT_OCCLUDED : D3D_OK;
  if (dirty && dirty->rdh.nCount && dirty->rdh.nCount <= 4096) {
    request.dirty.resize(dirty->rdh.nCount);
    std::memcpy(request.dirty.data(), dirty->Buffer, request.dirty.size() * sizeof(RECT));
    // In coordinates of the back buffer, and an aid only: what is not presented is left out.
    for (RECT &part : request.dirty) IntersectRect(&part, &part, &request.source);
    std::erase_if(request.dirty, [](const RECT &part) { return IsRectEmpty(&part); });
    if (request.dirty.empty()) return D3D_OK;
  }
  request.interval =
      flags & D3DPRESENT_FORCEIMMEDIATE ? D3DDDI_FLIPINTERVAL_IMMEDIATE : intervalOf(m_parameters.PresentationInterval);
  DriverDevice &driver = device().driver();
  // Windowed: first the draws, then the present.
  const HRESULT flushed = m_surface ? S_OK : driver.call<&D3DDDI_DEVICEFUNCS::pfnFlush>();
  if (FAILED(flushed)) return flushed;
  const bool immediate = request.interval == D3DDDI_FLIPINTERVAL_IMMEDIATE;
  const HRESULT turn = waitForTurn(immediate, flags & D3DPRESENT_DONOTWAIT);
  if (FAILED(turn)) return turn;
  D3DDDIARG_PRESENT argument{};
  argument.hSrcResource = m_image->handle();
  argument.SrcSubResourceIndex = m_buffers[0]->subresource();
  argument.Flags.Blt = 1;
  argument.FlipInterval = request.interval;
  const HRESULT presented =
      m_surface ? m_surface->present(argument.hSrcResource, argument.SrcSubResourceIndex, m_parameters.BackBufferFormat,
                                     {client.right, client.bottom}, request)
                : driver.present(argument, request);
  D3DKMT_PRESENT_STATS stats{};
  m_refreshKnown = SUCCEEDED(presented) && !immediate && driver.presentStatistics(stats);
  if (m_refreshKnown) m_refresh = stats.SyncRefreshCount;
  return presented;
}

/// Lets a present to a window wait for its turn, which the kernel side does for flips alone (page "D3DKMTPresent": no
/// FlipDoNotWait with Blt): at interval one there is at most one a refresh (page "D3DPRESENT"), and the kernel side
/// takes as many as the frame latency allows. With D3DPRESENT_DONOTWAIT it returns D3DERR_WASSTILLDRAWING instead.
HRESULT SwapChain::waitForTurn(bool immediate, bool doNotWait) {
  DriverDevice &driver = device().driver();
  D3DKMT_PRESENT_STATS stats{};
  if ((immediate && !doNotWait) || !driver.presentStatistics(stats)) return D3D_OK;
  const UINT underWay = driver.presents() - stats.PresentCount;
  if (doNotWait && underWay >= device().frameLatency()) return D3DERR_WASSTILLDRAWING;
  if (immediate || !m_refreshKnown || stats.SyncRefreshCount != m_refresh) return D3D_OK;
  return doNotWait ? D3DERR_WASSTILLDRAWING : device().WaitForVBlank(0);
}

HRESULT SwapChain::presentFullScreen(DWORD flags) {
  PresentRequest request;
  request.flip = true;
  request.doNotWait = flags & D3DPRESENT_DONOTWAIT;
  request.interval =
      flags & D3DPRESENT_FORCEIMMEDIATE ? D3DDDI_FLIPINTERVAL_IMMEDIATE : intervalOf(m_parameters.PresentationInterval);
  D3DDDIARG_PRESENT argument{};
  argument.hSrcResource = m_image->handle();
  argument.SrcSubResourceIndex = m_buffers[0]->subresource();
  argument.Flags.Flip = 1;
  argument.FlipInterval = request.interval;
  return device().driver().present(argument, request);
}

void SwapChain::rotate() {
  if (m_parameters.Windowed && (m_parameters.SwapEffect == D3DSWAPEFFECT_COPY || m_buffers.size() == 1)) return;
  // Back buffer 0 moves to the end; on a full screen it becomes the front, and the old front becomes the last.
  const UINT shown = m_buffers[0]->subresource();
  for (size_t i = 0; i + 1 < m_buffers.size(); ++i) m_buffers[i]->setSubresource(m_buffers[i + 1]->subresource());
  m_buffers.back()->setSubresource(m_parameters.Windowed ? shown : m_front);
  if (!m_parameters.Windowed) m_front = shown;
  device().rebindRenderTargets(*m_image);
}

HRESULT SwapChain::frontBufferData(Surface &destination) {
  if (m_parameters.Windowed) {
    notImplemented("IDirect3DSwapChain9::GetFrontBufferData of a window");
    return D3DERR_NOTAVAILABLE;
  }
  if (destination.pool() != D3DPOOL_SYSTEMMEM || destination.format() != D3DFMT_A8R8G8B8 ||
      destination.width() != m_parameters.BackBufferWidth || destination.height() != m_parameters.BackBufferHeight)
    return D3DERR_INVALIDCALL;
  D3DDDIARG_BLT argument{};
  argument.hSrcResource = m_image->handle();
  argument.SrcSubResourceIndex = m_front;
  argument.SrcRect = argument.DstRect = destination.bounds();
  argument.hDstResource = destination.handle();
  argument.DstSubResourceIndex = destination.subresource();
  return device().driver().call<&D3DDDI_DEVICEFUNCS::pfnBlt>(&argument);
}

HRESULT SwapChain::QueryInterface(REFIID id, void **out) {
  if (out && !device().isEx() && IsEqualIID(id, __uuidof(IDirect3DSwapChain9Ex))) {
    *out = nullptr;
    return E_NOINTERFACE;
  }
  return Child::QueryInterface(id, out);
}

HRESULT SwapChain::Present(const RECT *source, const RECT *destination, HWND window, const RGNDATA *dirty,
                           DWORD flags) {
  const Lock lock(device());
  return present(source, destination, window, dirty, flags);
}

HRESULT SwapChain::GetFrontBufferData(IDirect3DSurface9 *destination) {
  if (!destination) return D3DERR_INVALIDCALL;
  const Lock lock(device());
  return frontBufferData(*static_cast<Surface *>(destination));
}

HRESULT SwapChain::GetBackBuffer(UINT index, D3DBACKBUFFER_TYPE /*no stereo: they are one*/, IDirect3DSurface9 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  Surface *buffer = backBuffer(index);
  if (!buffer) return D3DERR_INVALIDCALL;
  buffer->AddRef();
  *out = buffer;
  return D3D_OK;
}

HRESULT SwapChain::GetRasterStatus(D3DRASTER_STATUS *out) {
  if (!out) return D3DERR_INVALIDCALL;
  const DriverAdapter &adapter = device().driver().adapter();
  D3DKMT_GETSCANLINE argument{};
  argument.hAdapter = adapter.kernelHandle();
  argument.VidPnSourceId = adapter.vidPnSource();
  if (adapter.kernel().GetScanLine(&argument) < 0) return D3DERR_NOTAVAILABLE;
  out->InVBlank = argument.InVerticalBlank;
  out->ScanLine = argument.InVerticalBlank ? 0 : argument.ScanLine;
  return D3D_OK;
}

HRESULT SwapChain::GetDisplayMode(D3DDISPLAYMODE *out) {
  if (!out) return D3DERR_INVALIDCALL;
  D3DKMT_DISPLAYMODE mode{};
  if (!device().driver().adapter().currentMode(mode)) return D3DERR_NOTAVAILABLE;
  *out = {mode.Width, mode.Height, mode.IntegerRefreshRate, static_cast<D3DFORMAT>(mode.Format)};
  return D3D_OK;
}

HRESULT SwapChain::GetPresentParameters(D3DPRESENT_PARAMETERS *out) {
  if (!out) return D3DERR_INVALIDCALL;
  *out = m_parameters;
  return D3D_OK;
}

HRESULT SwapChain::GetLastPresentCount(UINT *out) {
  if (!out) return D3DERR_INVALIDCALL;
  *out = m_presents;
  return D3D_OK;
}

/// `shown`: the device's number of its last present that is on the screen.
void SwapChain::noteShown(UINT shown) {
  for (; !m_pending.empty() && static_cast<INT>(shown - m_pending.front().number) >= 0; m_pending.pop_front())
    m_shown = m_pending.front().count;
}

HRESULT SwapChain::GetPresentStats(D3DPRESENTSTATS *out) {
  if (!out) return D3DERR_INVALIDCALL;
  const Lock lock(device());
  D3DKMT_PRESENT_STATS stats{};
  const bool known = device().driver().presentStatistics(stats);
  if (known) noteShown(stats.PresentCount);
  *out = {};
  out->PresentCount = m_shown;
  if (!known) return D3D_OK;  // EX-24: never fails
  out->PresentRefreshCount = stats.PresentRefreshCount;
  out->SyncRefreshCount = stats.SyncRefreshCount;
  out->SyncQPCTime = stats.SyncQPCTime;
  out->SyncGPUTime = stats.SyncGPUTime;
  return D3D_OK;
}

HRESULT SwapChain::GetDisplayModeEx(D3DDISPLAYMODEEX *mode, D3DDISPLAYROTATION *rotation) {
  if (!mode && !rotation) return D3DERR_INVALIDCALL;
  if (rotation) *rotation = D3DDISPLAYROTATION_IDENTITY;
  if (!mode) return D3D_OK;
  if (mode->Size != sizeof *mode) return D3DERR_INVALIDCALL;
  D3DDISPLAYMODE plain{};
  const HRESULT result = GetDisplayMode(&plain);
  if (SUCCEEDED(result))
    *mode = {sizeof *mode, plain.Width, plain.Height, plain.RefreshRate, plain.Format, D3DSCANLINEORDERING_PROGRESSIVE};
  return result;
}

}  // namespace aerogpu::runtime
