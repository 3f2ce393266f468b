// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/dxgi/swap_chain.h"

#include <new>
#include <vector>

#include "testbed/d3d11-runtime/dxgi/object.h"
#include "testbed/d3d11-runtime/formats/formats.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime11 {
namespace {

using runtime::notImplemented;

constexpr UINT kMostBuffers = 16;

bool canBeShown(DXGI_FORMAT format, bool extended) {
  switch (format) {
  case DXGI_FORMAT_R8G8B8A8_UNORM:
  case DXGI_FORMAT_R8G8B8A8_UNORM_SRGB:
  case DXGI_FORMAT_R10G10B10A2_UNORM:
  case DXGI_FORMAT_R16G16B16A16_FLOAT:
    return true;
  case DXGI_FORMAT_B8G8R8A8_UNORM:
  case DXGI_FORMAT_B8G8R8A8_UNORM_SRGB:
    return extended;
  default:
    return false;
  }
}

class SwapChain final : public DxgiObject<IDXGISwapChain, IDXGIDeviceSubObject> {
public:
  SwapChain(IDXGIFactory1 &factory, SwapChainHost &host, const DXGI_SWAP_CHAIN_DESC &description)
      : DxgiObject(&factory), m_host(host), m_description(description) {
    m_host.device()->AddRef();
  }
  ~SwapChain() override {
    {
      const Lock lock(m_host.lock());
      freeBuffers();
    }
    m_host.device()->Release();
  }

  HRESULT makeBuffers() {
    const Lock lock(m_host.lock());
    DXGI_SWAP_CHAIN_DESC &d = m_description;
    RECT client{};
    GetClientRect(d.OutputWindow, &client);
    if (!d.BufferDesc.Width) d.BufferDesc.Width = client.right > 0 ? static_cast<UINT>(client.right) : 8;
    if (!d.BufferDesc.Height) d.BufferDesc.Height = client.bottom > 0 ? static_cast<UINT>(client.bottom) : 8;
    ResourceDescription buffer;
    buffer.dimension = D3D11_RESOURCE_DIMENSION_TEXTURE2D;
    buffer.width = d.BufferDesc.Width;
    buffer.height = d.BufferDesc.Height;
    buffer.format = d.BufferDesc.Format;
    buffer.samples = d.SampleDesc;
    buffer.present = true;
    if (d.BufferUsage & DXGI_USAGE_RENDER_TARGET_OUTPUT) buffer.bind |= D3D11_BIND_RENDER_TARGET;
    if (d.BufferUsage & DXGI_USAGE_SHADER_INPUT) buffer.bind |= D3D11_BIND_SHADER_RESOURCE;
    for (UINT i = 0; i < d.BufferCount; ++i) {
      BackBuffer *made = nullptr;
      const HRESULT result = m_host.makeBackBuffer(buffer, made);
      if (FAILED(result)) {
        freeBuffers();
        return result;
      }
      m_buffers.push_back(made);
    }
    return S_OK;
  }

  HRESULT STDMETHODCALLTYPE GetDevice(REFIID id, void **out) override {
    return m_host.device()->QueryInterface(id, out);
  }
  HRESULT STDMETHODCALLTYPE Present(UINT interval, UINT flags) override {
    constexpr UINT kMostInterval = 4;
    const Lock lock(m_host.lock());
    if (interval > kMostInterval || (flags & ~UINT{DXGI_PRESENT_TEST | DXGI_PRESENT_DO_NOT_SEQUENCE}))
      return DXGI_ERROR_INVALID_CALL;
    DriverDevice &driver = m_host.driver();
    if (driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
    RECT client{};
    if (!IsWindow(m_description.OutputWindow) || !GetClientRect(m_description.OutputWindow, &client))
      return DXGI_ERROR_INVALID_CALL;
    if (IsIconic(m_description.OutputWindow)) return DXGI_STATUS_OCCLUDED;
    if (flags & DXGI_PRESENT_TEST) return S_OK;
    runtime::PresentRequest request;
    request.window = m_description.OutputWindow;
    request.source = {0, 0, static_cast<LONG>(m_description.BufferDesc.Width),
                      static_cast<LONG>(m_description.BufferDesc.Height)};
    request.destination = client;
    DXGI_DDI_ARG_PRESENT argument{};
    argument.hSurfaceToPresent = m_buffers[0]->resource().dxgiHandle();
    argument.pDXGIContext = &request;  // the driver passes it on as it is
    argument.Flags.Blt = 1;
    argument.FlipInterval = static_cast<DXGI_DDI_FLIP_INTERVAL_TYPE>(interval);
    // The interval of a window is the runtime's to keep.
    for (UINT i = 0; i < interval; ++i) waitForVBlank();
    const HRESULT result = driver.present(argument, request);
    if (FAILED(result)) return driver.isLost() ? DXGI_ERROR_DEVICE_REMOVED : result;
    ++m_presents;
    if (!(flags & DXGI_PRESENT_DO_NOT_SEQUENCE)) rotate();
    return driver.wasOccluded() ? DXGI_STATUS_OCCLUDED : S_OK;
  }
  HRESULT STDMETHODCALLTYPE GetBuffer(UINT index, REFIID id, void **out) override {
    if (!out) return DXGI_ERROR_INVALID_CALL;
    *out = nullptr;
    // Only the first of a chain whose buffers are discarded.
    if (index >= (m_description.SwapEffect == DXGI_SWAP_EFFECT_DISCARD ? 1u : m_description.BufferCount))
      return DXGI_ERROR_INVALID_CALL;
    return m_buffers[index]->query(id, out);
  }
  HRESULT STDMETHODCALLTYPE SetFullscreenState(WINBOOL fullscreen, IDXGIOutput *target) override {
    if (!fullscreen) return target ? DXGI_ERROR_INVALID_CALL : S_OK;
    notImplemented("IDXGISwapChain::SetFullscreenState to full screen");
    return DXGI_ERROR_NOT_CURRENTLY_AVAILABLE;
  }
  HRESULT STDMETHODCALLTYPE GetFullscreenState(WINBOOL *fullscreen, IDXGIOutput **target) override {
    if (fullscreen) *fullscreen = FALSE;
    if (target) *target = nullptr;
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
      if (count > kMostBuffers) return DXGI_ERROR_INVALID_CALL;
      if (format != DXGI_FORMAT_UNKNOWN && !canBeShown(format, m_host.driver().choice().extendedFormats))
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
    RECT outer{0, 0, static_cast<LONG>(mode->Width), static_cast<LONG>(mode->Height)};
    const HWND window = m_description.OutputWindow;
    AdjustWindowRect(&outer, static_cast<DWORD>(GetWindowLongA(window, GWL_STYLE)), FALSE);
    SetWindowPos(window, nullptr, 0, 0, outer.right - outer.left, outer.bottom - outer.top,
                 SWP_NOMOVE | SWP_NOZORDER | SWP_NOACTIVATE);
    return S_OK;
  }
  HRESULT STDMETHODCALLTYPE GetContainingOutput(IDXGIOutput **out) override {
    if (!out) return E_INVALIDARG;
    *out = nullptr;
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

private:
  void freeBuffers() {
    for (BackBuffer *buffer : m_buffers) buffer->releasePrivate();
    m_buffers.clear();
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
    for (BackBuffer *buffer : m_buffers) handles.push_back(buffer->resource().dxgiHandle());
    Lent<DXGI_DDI_HRESOURCE> lent(handles);
    DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES argument{};
    argument.pResources = lent.data();
    argument.Resources = lent.count();
    const HRESULT result = m_host.driver().dxgi<&DXGI_DDI_BASE_FUNCTIONS::pfnRotateResourceIdentities>(argument);
    if (result != S_OK)
      runtime::brokenRule("RotateResourceIdentities gave 0x%08lx", static_cast<unsigned long>(result));
  }

  SwapChainHost &m_host;
  DXGI_SWAP_CHAIN_DESC m_description;
  std::vector<BackBuffer *> m_buffers;  ///< with a private reference each
  UINT m_presents = 0;
};

}  // namespace

HRESULT createSwapChain(IDXGIFactory1 &factory, IUnknown *device, DXGI_SWAP_CHAIN_DESC *description,
                        IDXGISwapChain **out) {
  if (!device || !description || !out) return DXGI_ERROR_INVALID_CALL;
  *out = nullptr;
  void *found = nullptr;
  if (FAILED(device->QueryInterface(kSwapChainHostId, &found))) return DXGI_ERROR_UNSUPPORTED;
  SwapChainHost &host = *static_cast<SwapChainHost *>(found);
  HRESULT result = S_OK;
  SwapChain *chain = nullptr;
  if (!description->OutputWindow || !description->BufferCount || description->BufferCount > kMostBuffers ||
      !(description->BufferUsage & (DXGI_USAGE_RENDER_TARGET_OUTPUT | DXGI_USAGE_SHADER_INPUT)) ||
      (description->SwapEffect != DXGI_SWAP_EFFECT_DISCARD && description->SwapEffect != DXGI_SWAP_EFFECT_SEQUENTIAL) ||
      !description->SampleDesc.Count ||
      !canBeShown(description->BufferDesc.Format, host.driver().choice().extendedFormats)) {
    result = DXGI_ERROR_INVALID_CALL;
  } else if (!(chain = new (std::nothrow) SwapChain(factory, host, *description))) {
    result = E_OUTOFMEMORY;
  } else {
    result = chain->makeBuffers();
  }
  if (SUCCEEDED(result)) {
    *out = chain;
    if (!description->Windowed) {
      // The chain is there, for a window.
      notImplemented("IDXGIFactory::CreateSwapChain for full screen");
      result = DXGI_STATUS_OCCLUDED;
    }
  } else if (chain) {
    chain->Release();
  }
  host.device()->Release();  // the reference of the query
  return result;
}

}  // namespace aerogpu::runtime11
