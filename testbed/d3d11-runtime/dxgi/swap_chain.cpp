// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/dxgi/swap_chain.h"

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "testbed/d3d11-runtime/dxgi/full_screen.h"
#include "testbed/d3d11-runtime/dxgi/modes.h"
#include "testbed/d3d11-runtime/dxgi/object.h"
#include "testbed/d3d11-runtime/formats/formats.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime11 {
namespace {

using runtime::notImplemented;

constexpr DXGI_FORMAT kScreenFormat = DXGI_FORMAT_B8G8R8A8_UNORM;

class SwapChain final : public DxgiObject<IDXGISwapChain1, IDXGISwapChain, IDXGIDeviceSubObject> {
public:
  SwapChain(IDXGIFactory1 &factory, SwapChainHost &host, const ChainDescription &description, IDXGIOutput *restrictTo)
      : DxgiObject(&factory), m_host(host), m_chain(description), m_restrictTo(restrictTo) {
    m_description.Windowed = TRUE;
    fillInSize();
    m_host.device()->AddRef();
    if (m_restrictTo) m_restrictTo->AddRef();
  }
  ~SwapChain() override {
    leaveFullScreen();
    {
      const Lock lock(m_host.lock());
      freeBuffers();
    }
    if (m_restrictTo) m_restrictTo->Release();
    m_host.device()->Release();
  }

  HRESULT makeBuffers() {
    const Lock lock(m_host.lock());
    DXGI_SWAP_CHAIN_DESC &d = m_description;
    fillInSize();
    ResourceDescription buffer;
    buffer.dimension = D3D11_RESOURCE_DIMENSION_TEXTURE2D;
    buffer.width = d.BufferDesc.Width;
    buffer.height = d.BufferDesc.Height;
    buffer.format = d.BufferDesc.Format;
    buffer.samples = d.SampleDesc;
    buffer.present = true;
    if (d.BufferUsage & DXGI_USAGE_RENDER_TARGET_OUTPUT) buffer.bind |= D3D11_BIND_RENDER_TARGET;
    if (d.BufferUsage & DXGI_USAGE_SHADER_INPUT) buffer.bind |= D3D11_BIND_SHADER_RESOURCE;
    const UINT hints = ~UINT{DXGI_USAGE_RENDER_TARGET_OUTPUT | DXGI_USAGE_SHADER_INPUT};
    buffer.chainUsage = (d.BufferUsage & hints) | DXGI_USAGE_BACK_BUFFER;
    if (d.Flags & DXGI_SWAP_CHAIN_FLAG_GDI_COMPATIBLE) buffer.misc = D3D11_RESOURCE_MISC_GDI_COMPATIBLE;
    m_arePrimaries = false;
    if (m_fullScreen && canFlip()) {
      DXGI_MODE_DESC mode = m_fullScreen->mode();
      mode.Format = buffer.format;
      buffer.scanOut = &mode;
      const HRESULT result = makeBuffers(buffer);
      m_arePrimaries = SUCCEEDED(result);
      if (m_arePrimaries) return showChain();
      if (result != DXGI_DDI_ERR_UNSUPPORTED) return result;
      buffer.scanOut = nullptr;  // the driver does not scan this format out
    }
    const HRESULT result = makeBuffers(buffer);
    if (SUCCEEDED(result) && m_fullScreen) showChain();  // else the next present tries again
    return result;
  }

  /// Enters the full screen: in the mode that is nearest to the buffers, if the program allows to switch
  /// (DXGI_SWAP_CHAIN_FLAG_ALLOW_MODE_SWITCH), else in the current one. `target`: null, or the program's choice.
  HRESULT enterFullScreen(IDXGIOutput *target) {
    IDXGIOutput *output = target;
    if (target)
      target->AddRef();
    else if (FAILED(GetContainingOutput(&output)))
      return DXGI_ERROR_NOT_CURRENTLY_AVAILABLE;
    {
      const Lock lock(m_host.lock());
      DXGI_MODE_DESC wanted{}, mode{};
      if (switchesModes()) wanted = m_description.BufferDesc;
      wanted.Format = kScreenFormat;
      const bool known = IsWindow(m_description.OutputWindow) && SUCCEEDED(closestMode(adapter(), wanted, mode));
      if (known) m_fullScreen = std::make_shared<FullScreen>(m_host, mode);
      if (!known || !m_fullScreen->take()) {
        m_fullScreen.reset();
        output->Release();
        return DXGI_ERROR_NOT_CURRENTLY_AVAILABLE;
      }
      m_target = output;
      m_description.Windowed = FALSE;
    }
    return S_OK;
  }
  /// The second half: the window, and what is on the screen. The program may resize the buffers meanwhile.
  HRESULT coverScreen() {
    const std::shared_ptr<FullScreen> screen = m_fullScreen;
    if (!screen) return S_OK;
    screen->coverWith(m_description.OutputWindow);
    const Lock lock(m_host.lock());
    if (m_fullScreen != screen || m_isShown || m_buffers.empty()) return S_OK;
    return showChain();
  }
  void leaveFullScreen() {
    std::shared_ptr<FullScreen> screen;
    IDXGIOutput *target = nullptr;
    {
      const Lock lock(m_host.lock());
      screen = std::exchange(m_fullScreen, nullptr);
      target = std::exchange(m_target, nullptr);
      m_isShown = false;
      m_description.Windowed = TRUE;
      if (screen) screen->leave();
    }
    if (screen) screen->restoreWindow();
    if (target) target->Release();
  }

  HRESULT STDMETHODCALLTYPE GetDevice(REFIID id, void **out) override {
    return m_host.device()->QueryInterface(id, out);
  }
  HRESULT STDMETHODCALLTYPE Present(UINT interval, UINT flags) override { return present(interval, flags); }
  HRESULT STDMETHODCALLTYPE GetBuffer(UINT index, REFIID id, void **out) override {
    if (!out) return DXGI_ERROR_INVALID_CALL;
    *out = nullptr;
    // Only the first of a chain whose buffers are discarded.
    if (index >= (m_description.SwapEffect == DXGI_SWAP_EFFECT_DISCARD ? 1u : m_description.BufferCount))
      return DXGI_ERROR_INVALID_CALL;
    return m_buffers[index]->query(id, out);
  }
  HRESULT STDMETHODCALLTYPE SetFullscreenState(WINBOOL fullscreen, IDXGIOutput *target) override {
    if (!fullscreen) {
      if (target) return DXGI_ERROR_INVALID_CALL;
      leaveFullScreen();
      return S_OK;
    }
    {
      const Lock lock(m_host.lock());
      if (m_fullScreen) return S_OK;
    }
    HRESULT result = enterFullScreen(target);
    if (FAILED(result)) return result;
    result = coverScreen();
    if (FAILED(result)) leaveFullScreen();
    return result;
  }
  HRESULT STDMETHODCALLTYPE GetFullscreenState(WINBOOL *fullscreen, IDXGIOutput **target) override {
    const Lock lock(m_host.lock());
    if (fullscreen) *fullscreen = m_fullScreen != nullptr;
    if (target) *target = m_target;
    if (target && m_target) m_target->AddRef();
    return S_OK;
  }
  HRESULT STDMETHODCALLTYPE GetDesc(DXGI_SWAP_CHAIN_DESC *out) override {
    if (!out) return E_INVALIDARG;
    *out = m_description;
    return S_OK;
  }
  HRESULT STDMETHODCALLTYPE ResizeBuffers(UINT count, UINT width, UINT height, DXGI_FORMAT format,
                                          UINT flags) override {
    {
      const Lock lock(m_host.lock());
      if (count > kMostChainBuffers) return DXGI_ERROR_INVALID_CALL;
      if (m_chain.isFlipModel() && count == 1) return DXGI_ERROR_INVALID_CALL;
      if (format != DXGI_FORMAT_UNKNOWN &&
          !canBeShown(format, m_host.driver().choice().extendedFormats, m_chain.isFlipModel()))
        return DXGI_ERROR_INVALID_CALL;
      for (BackBuffer *buffer : m_buffers)
        if (buffer->isHeld()) return DXGI_ERROR_INVALID_CALL;
      freeBuffers();
      if (count) m_description.BufferCount = count;
      m_description.BufferDesc.Width = width;
      m_description.BufferDesc.Height = height;
      if (format != DXGI_FORMAT_UNKNOWN) m_description.BufferDesc.Format = format;
      m_description.Flags = flags;
    }
    return makeBuffers();
  }
  HRESULT STDMETHODCALLTYPE ResizeTarget(const DXGI_MODE_DESC *mode) override {
    if (!mode) return DXGI_ERROR_INVALID_CALL;
    if (m_fullScreen) return changeMode(*mode);
    RECT outer{0, 0, static_cast<LONG>(mode->Width), static_cast<LONG>(mode->Height)};
    const HWND window = m_description.OutputWindow;
    AdjustWindowRect(&outer, static_cast<DWORD>(GetWindowLongA(window, GWL_STYLE)), FALSE);
    SetWindowPos(window, nullptr, 0, 0, outer.right - outer.left, outer.bottom - outer.top,
                 SWP_NOMOVE | SWP_NOZORDER | SWP_NOACTIVATE);
    return S_OK;
  }
  HRESULT STDMETHODCALLTYPE GetContainingOutput(IDXGIOutput **out) override {
    if (!out) return E_INVALIDARG;
    {
      const Lock lock(m_host.lock());
      *out = m_target;
      if (m_target) m_target->AddRef();
      if (m_target) return S_OK;
    }
    IDXGIAdapter *adapter = nullptr;
    IDXGIFactory *factory = nullptr;
    HRESULT result = GetParent(__uuidof(IDXGIFactory), reinterpret_cast<void **>(&factory));
    if (SUCCEEDED(result)) result = factory->EnumAdapters(0, &adapter);
    if (SUCCEEDED(result)) result = adapter->EnumOutputs(0, out);
    if (adapter) adapter->Release();
    if (factory) factory->Release();
    return result;
  }
  HRESULT STDMETHODCALLTYPE GetFrameStatistics(DXGI_FRAME_STATISTICS *) override {
    notImplemented("IDXGISwapChain::GetFrameStatistics");
    return E_NOTIMPL;
  }
  HRESULT STDMETHODCALLTYPE GetLastPresentCount(UINT *out) override {
    if (!out) return E_INVALIDARG;
    *out = m_presents;
    return S_OK;
  }

  HRESULT STDMETHODCALLTYPE GetDesc1(DXGI_SWAP_CHAIN_DESC1 *out) override {
    if (!out) return E_INVALIDARG;
    *out = m_chain.desc1();
    return S_OK;
  }
  HRESULT STDMETHODCALLTYPE GetFullscreenDesc(DXGI_SWAP_CHAIN_FULLSCREEN_DESC *out) override {
    if (!out) return E_INVALIDARG;
    const DXGI_MODE_DESC &d = m_description.BufferDesc;
    *out = {d.RefreshRate, d.ScanlineOrdering, d.Scaling, m_description.Windowed};
    return S_OK;
  }
  HRESULT STDMETHODCALLTYPE GetHwnd(HWND *out) override {
    if (!out) return DXGI_ERROR_INVALID_CALL;
    *out = m_description.OutputWindow;
    return S_OK;
  }
  HRESULT STDMETHODCALLTYPE Present1(UINT interval, UINT flags, const DXGI_PRESENT_PARAMETERS *parameters) override {
    if (!parameters) return DXGI_ERROR_INVALID_CALL;
    if (parameters->DirtyRectsCount || parameters->pScrollRect || parameters->pScrollOffset) {
      notImplemented("IDXGISwapChain1::Present1 of a part of a frame");
      return DXGI_ERROR_INVALID_CALL;
    }
    return present(interval, flags);
  }
  WINBOOL STDMETHODCALLTYPE IsTemporaryMonoSupported() override { return FALSE; }
  HRESULT STDMETHODCALLTYPE GetRestrictToOutput(IDXGIOutput **out) override {
    if (!out) return E_INVALIDARG;
    *out = m_restrictTo;
    if (m_restrictTo) m_restrictTo->AddRef();
    return S_OK;
  }
  /// Without DXGI_SCALING_NONE it has no effect.
  HRESULT STDMETHODCALLTYPE SetBackgroundColor(const DXGI_RGBA *color) override {
    if (!color) return E_INVALIDARG;
    for (const float value : {color->r, color->g, color->b, color->a})
      if (!(value >= 0 && value <= 1)) return E_INVALIDARG;
    m_background = *color;
    return S_OK;
  }
  HRESULT STDMETHODCALLTYPE GetBackgroundColor(DXGI_RGBA *out) override {
    if (!out) return DXGI_ERROR_INVALID_CALL;
    *out = m_background;
    return S_OK;
  }
  // Windows 7 has none of these (the pages of the three functions, "Platform Update for Windows 7").
  HRESULT STDMETHODCALLTYPE GetCoreWindow(REFIID, void **out) override {
    if (out) *out = nullptr;
    return E_NOTIMPL;
  }
  HRESULT STDMETHODCALLTYPE SetRotation(DXGI_MODE_ROTATION) override { return DXGI_ERROR_INVALID_CALL; }
  HRESULT STDMETHODCALLTYPE GetRotation(DXGI_MODE_ROTATION *) override { return DXGI_ERROR_INVALID_CALL; }

private:
  HRESULT present(UINT interval, UINT flags) {
    constexpr UINT kMostInterval = 4;
    if (isWindowLost()) leaveFullScreen();
    const Lock lock(m_host.lock());
    const UINT known = DXGI_PRESENT_TEST | DXGI_PRESENT_DO_NOT_SEQUENCE | DXGI_PRESENT_DO_NOT_WAIT |
                       // The one output has all of every frame.
                       (m_restrictTo ? DXGI_PRESENT_RESTRICT_TO_OUTPUT : 0);
    if (interval > kMostInterval || (flags & ~known)) return DXGI_ERROR_INVALID_CALL;
    DriverDevice &driver = m_host.driver();
    if (driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
    RECT client{};
    if (!IsWindow(m_description.OutputWindow) || !GetClientRect(m_description.OutputWindow, &client))
      return DXGI_ERROR_INVALID_CALL;
    if (IsIconic(m_description.OutputWindow)) return DXGI_STATUS_OCCLUDED;
    if (flags & DXGI_PRESENT_TEST) return S_OK;
    const bool waits = !(flags & DXGI_PRESENT_DO_NOT_WAIT);
    const HRESULT result = m_fullScreen ? presentFullScreen(interval, waits) : presentWindow(client, interval, waits);
    if (FAILED(result)) return driver.isLost() ? DXGI_ERROR_DEVICE_REMOVED : result;
    ++m_presents;
    if (!(flags & DXGI_PRESENT_DO_NOT_SEQUENCE)) {
      // Page IDXGISwapChain1::Present1.
      if (m_chain.isFlipModel()) m_host.unbindTarget(*m_buffers[0]);
      rotate();
    }
    return driver.wasOccluded() ? DXGI_STATUS_OCCLUDED : S_OK;
  }
  HRESULT presentWindow(const RECT &client, UINT interval, bool waits) {
    DriverDevice &driver = m_host.driver();
    runtime::PresentRequest request;
    request.window = m_description.OutputWindow;
    request.source = {0, 0, static_cast<LONG>(m_description.BufferDesc.Width),
                      static_cast<LONG>(m_description.BufferDesc.Height)};
    request.destination = client;
    DXGI_DDI_ARG_PRESENT argument{};
    argument.hSurfaceToPresent = m_buffers[0]->resource().dxgiHandle();
    argument.Flags.Blt = 1;
    argument.FlipInterval = static_cast<DXGI_DDI_FLIP_INTERVAL_TYPE>(interval);
    // The interval of a window is the runtime's to keep, and so is DO_NOT_WAIT (page "D3DKMTPresent": the kernel side
    // has it for flips).
    D3DKMT_PRESENT_STATS stats{};
    if (!waits && driver.presentStatistics(stats) &&
        (driver.presents() - stats.PresentCount >= m_host.frameLatency() ||
         (m_refreshKnown && stats.SyncRefreshCount - m_refresh < interval))) {
      driver.flush();  // a flip that is refused has submitted the frame too
      return DXGI_ERROR_WAS_STILL_DRAWING;
    }
    for (UINT i = 0; waits && i < interval; ++i) waitForVBlank();
    const HRESULT result = driver.present(argument, request);
    m_refreshKnown = SUCCEEDED(result) && driver.presentStatistics(stats);
    m_refresh = stats.SyncRefreshCount;
    return result;
  }
  const runtime::KernelAdapter &adapter() { return m_host.driver().adapter().kernelAdapter(); }
  bool switchesModes() const { return m_description.Flags & DXGI_SWAP_CHAIN_FLAG_ALLOW_MODE_SWITCH; }
  /// Gives buffers without a size that of the window.
  void fillInSize() {
    DXGI_MODE_DESC &d = m_description.BufferDesc;
    RECT client{};
    GetClientRect(m_description.OutputWindow, &client);
    if (!d.Width) d.Width = client.right > 0 ? static_cast<UINT>(client.right) : 8;
    if (!d.Height) d.Height = client.bottom > 0 ? static_cast<UINT>(client.bottom) : 8;
  }
  HRESULT makeBuffers(ResourceDescription &buffer) {
    const DXGI_USAGE usage = buffer.chainUsage;
    for (UINT i = 0; i < m_description.BufferCount; ++i) {
      BackBuffer *made = nullptr;
      // API page DXGI_USAGE: the program writes the first one alone.
      buffer.chainUsage = usage | (i ? DXGI_USAGE_READ_ONLY : 0) |
                          (m_description.SwapEffect == DXGI_SWAP_EFFECT_DISCARD ? DXGI_USAGE_DISCARD_ON_PRESENT : 0);
      const HRESULT result = m_host.makeBackBuffer(buffer, made);
      if (FAILED(result)) {
        freeBuffers();
        return result;
      }
      m_buffers.push_back(made);
    }
    return S_OK;
  }
  void freeBuffers() {
    for (BackBuffer *buffer : m_buffers) buffer->releasePrivate();
    m_buffers.clear();
    m_isShown = false;
  }
  /// True if the buffers can be scanned out in the full screen's mode: one on the screen, another one to draw in.
  bool canFlip() const {
    const DXGI_SWAP_CHAIN_DESC &d = m_description;
    return d.BufferCount > 1 && d.SampleDesc.Count == 1 && d.BufferDesc.Width == m_fullScreen->mode().Width &&
           d.BufferDesc.Height == m_fullScreen->mode().Height;
  }
  /// Has the full screen's display show the chain, or proxies for it.
  HRESULT showChain() {
    const bool flips = m_arePrimaries && canFlip();
    if (flips) m_fullScreen->freeProxies();
    const HRESULT result = flips ? m_fullScreen->show(*m_buffers.back()) : m_fullScreen->makeProxies();
    m_isShown = SUCCEEDED(result);
    return result;
  }
  bool isWindowLost() {
    const Lock lock(m_host.lock());
    return m_fullScreen && m_fullScreen->isCovered() &&
           (!IsWindow(m_description.OutputWindow) || IsIconic(m_description.OutputWindow));
  }
  HRESULT presentFullScreen(UINT interval, bool waits) {
    HRESULT result = S_OK;
    if (!m_isShown) result = showChain();
    if (SUCCEEDED(result) && m_fullScreen->hasProxies()) result = m_fullScreen->copyToProxy(*m_buffers[0]);
    if (FAILED(result)) return result;
    return m_fullScreen->flip(m_fullScreen->hasProxies() ? nullptr : m_buffers[0], interval, waits);
  }
  /// Switches a full screen to another mode. The chain's buffers are stretched until the program resizes them.
  HRESULT changeMode(const DXGI_MODE_DESC &wanted) {
    std::shared_ptr<FullScreen> screen;
    {
      const Lock lock(m_host.lock());
      if (!switchesModes()) return S_OK;
      DXGI_MODE_DESC mode{}, known = wanted;
      known.Format = kScreenFormat;
      const HRESULT result = closestMode(adapter(), known, mode);
      if (FAILED(result)) return result;
      screen = m_fullScreen;
      if (!screen) return S_OK;
      screen->setMode(mode);
      m_isShown = false;
    }
    return coverScreen();
  }
  void waitForVBlank() {
    const runtime::KernelAdapter &kernel = m_host.driver().adapter().kernelAdapter();
    D3DKMT_WAITFORVERTICALBLANKEVENT argument{};
    argument.hAdapter = kernel.kernelHandle();
    argument.VidPnSourceId = kernel.vidPnSource();
    kernel.kernel().WaitForVerticalBlankEvent(&argument);
  }
  /// After a present each buffer has what the next one had.
  void rotate() {
    if (m_buffers.size() < 2) return;
    std::vector<DXGI_DDI_HRESOURCE> handles;
    std::vector<DriverResource *> resources;
    for (BackBuffer *buffer : m_buffers) {
      handles.push_back(buffer->resource().dxgiHandle());
      resources.push_back(&buffer->resource());
    }
    Lent<DXGI_DDI_HRESOURCE> lent(handles);
    DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES argument{};
    argument.pResources = lent.data();
    argument.Resources = lent.count();
    const HRESULT result = m_host.driver().dxgi<&DXGI_DDI_BASE_FUNCTIONS::pfnRotateResourceIdentities>(argument);
    if (result != S_OK)
      runtime::brokenRule("RotateResourceIdentities gave 0x%08lx", static_cast<unsigned long>(result));
    DriverResource::rotateIdentities(resources);
  }

  SwapChainHost &m_host;
  ChainDescription m_chain;
  DXGI_SWAP_CHAIN_DESC &m_description = m_chain.base;
  std::vector<BackBuffer *> m_buffers;  ///< with a private reference each
  bool m_arePrimaries = false;          ///< the driver may scan them out
  std::shared_ptr<FullScreen> m_fullScreen;
  bool m_isShown = false;           ///< the full screen shows the chain, or its proxies
  IDXGIOutput *m_target = nullptr;  ///< with a reference; of the full screen
  IDXGIOutput *const m_restrictTo;  ///< with a reference; null: none
  DXGI_RGBA m_background{0, 0, 0, 1};
  UINT m_presents = 0;
  UINT m_refresh = 0;  ///< of the last present to the window, if it is known
  bool m_refreshKnown = false;
};

}  // namespace

HRESULT createSwapChain(IDXGIFactory1 &factory, IUnknown &device, const ChainDescription &description,
                        IDXGIOutput *restrictTo, IDXGISwapChain1 *&out) {
  out = nullptr;
  void *found = nullptr;
  if (FAILED(device.QueryInterface(kSwapChainHostId, &found))) return DXGI_ERROR_UNSUPPORTED;
  SwapChainHost &host = *static_cast<SwapChainHost *>(found);
  HRESULT result = checkChain(description, host.driver().choice().extendedFormats);
  SwapChain *chain = nullptr;
  if (SUCCEEDED(result) && !(chain = new (std::nothrow) SwapChain(factory, host, description, restrictTo)))
    result = E_OUTOFMEMORY;
  if (SUCCEEDED(result)) {
    const bool windowed = description.base.Windowed;
    // A program that has not got the screen draws to its window, and may ask for the screen later.
    HRESULT entered = S_OK;
    if (!windowed) entered = chain->enterFullScreen(nullptr);
    result = chain->makeBuffers();
    if (SUCCEEDED(result) && !windowed) {
      if (SUCCEEDED(entered)) entered = chain->coverScreen();
      if (FAILED(entered)) chain->leaveFullScreen();
      if (FAILED(entered)) result = DXGI_STATUS_OCCLUDED;
    }
  }
  if (SUCCEEDED(result))
    out = chain;
  else if (chain)
    chain->Release();
  host.device()->Release();  // the reference of the query
  return result;
}

}  // namespace aerogpu::runtime11
