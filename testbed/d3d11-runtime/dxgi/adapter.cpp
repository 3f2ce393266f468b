// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/dxgi/adapter.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "aerogpu/aerogpu_pci.h"
#include "testbed/d3d11-runtime/dxgi/modes.h"
#include "testbed/d3d11-runtime/dxgi/swap_chain.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime11 {
namespace {

using runtime::notImplemented;

// An adapter has its own address as private data.
constexpr GUID kSelf = {0x2e0c4f6b, 0x9d13, 0x4b7a, {0x8c, 0x55, 0x60, 0x1e, 0xd2, 0x97, 0x3a, 0x04}};
constexpr UINT kPointer = sizeof(void *);
constexpr WCHAR kDisplay[] = L"\\\\.\\DISPLAY1";

class Output final : public DxgiObject<IDXGIOutput> {
public:
  explicit Output(Adapter &adapter) : DxgiObject(&adapter), m_adapter(adapter) {}

  HRESULT STDMETHODCALLTYPE GetDesc(DXGI_OUTPUT_DESC *out) override {
    if (!out) return E_INVALIDARG;
    *out = {};
    D3DKMT_DISPLAYMODE mode{};
    if (!m_adapter.driver() || !m_adapter.driver()->kernelAdapter().currentMode(mode)) return E_FAIL;
    lstrcpynW(out->DeviceName, kDisplay, ARRAYSIZE(out->DeviceName));
    out->DesktopCoordinates = {0, 0, static_cast<LONG>(mode.Width), static_cast<LONG>(mode.Height)};
    out->AttachedToDesktop = TRUE;
    out->Rotation = DXGI_MODE_ROTATION_IDENTITY;
    out->Monitor = MonitorFromPoint({0, 0}, MONITOR_DEFAULTTOPRIMARY);
    return S_OK;
  }
  /// Lists the kernel side's 32-bit modes, in the format that is asked for.
  HRESULT STDMETHODCALLTYPE GetDisplayModeList(DXGI_FORMAT format, UINT, UINT *count, DXGI_MODE_DESC *list) override {
    if (!count) return DXGI_ERROR_INVALID_CALL;
    if (!m_adapter.driver()) return E_FAIL;
    const std::vector<DXGI_MODE_DESC> modes = modesOf(m_adapter.driver()->kernelAdapter(), format);
    if (list && *count < modes.size()) return DXGI_ERROR_MORE_DATA;
    if (list) std::copy(modes.begin(), modes.end(), list);
    *count = static_cast<UINT>(modes.size());
    return S_OK;
  }
  HRESULT STDMETHODCALLTYPE FindClosestMatchingMode(const DXGI_MODE_DESC *wanted, DXGI_MODE_DESC *out,
                                                    IUnknown *device) override {
    if (!wanted || !out) return DXGI_ERROR_INVALID_CALL;
    // Without a device that could say so, the format must be known.
    if ((wanted->Format == DXGI_FORMAT_UNKNOWN && !device) || !wanted->Width != !wanted->Height)
      return DXGI_ERROR_INVALID_CALL;
    return m_adapter.driver() ? closestMode(m_adapter.driver()->kernelAdapter(), *wanted, *out) : E_FAIL;
  }
  HRESULT STDMETHODCALLTYPE WaitForVBlank() override {
    DriverAdapter *driver = m_adapter.driver();
    if (!driver) return E_FAIL;
    D3DKMT_WAITFORVERTICALBLANKEVENT argument{};
    argument.hAdapter = driver->kernelAdapter().kernelHandle();
    argument.VidPnSourceId = driver->kernelAdapter().vidPnSource();
    return runtime::resultOfStatus(driver->kernelAdapter().kernel().WaitForVerticalBlankEvent(&argument));
  }
  HRESULT STDMETHODCALLTYPE TakeOwnership(IUnknown *, WINBOOL) override {
    notImplemented("IDXGIOutput::TakeOwnership");
    return E_NOTIMPL;
  }
  void STDMETHODCALLTYPE ReleaseOwnership() override { notImplemented("IDXGIOutput::ReleaseOwnership"); }
  HRESULT STDMETHODCALLTYPE GetGammaControlCapabilities(DXGI_GAMMA_CONTROL_CAPABILITIES *) override {
    notImplemented("IDXGIOutput::GetGammaControlCapabilities");
    return E_NOTIMPL;
  }
  HRESULT STDMETHODCALLTYPE SetGammaControl(const DXGI_GAMMA_CONTROL *) override {
    notImplemented("IDXGIOutput::SetGammaControl");
    return E_NOTIMPL;
  }
  HRESULT STDMETHODCALLTYPE GetGammaControl(DXGI_GAMMA_CONTROL *) override {
    notImplemented("IDXGIOutput::GetGammaControl");
    return E_NOTIMPL;
  }
  HRESULT STDMETHODCALLTYPE SetDisplaySurface(IDXGISurface *) override {
    notImplemented("IDXGIOutput::SetDisplaySurface");
    return E_NOTIMPL;
  }
  HRESULT STDMETHODCALLTYPE GetDisplaySurfaceData(IDXGISurface *) override {
    notImplemented("IDXGIOutput::GetDisplaySurfaceData");
    return E_NOTIMPL;
  }
  HRESULT STDMETHODCALLTYPE GetFrameStatistics(DXGI_FRAME_STATISTICS *) override {
    notImplemented("IDXGIOutput::GetFrameStatistics");
    return E_NOTIMPL;
  }

private:
  Adapter &m_adapter;  ///< the parent
};

class Factory final : public DxgiObject<IDXGIFactory2, IDXGIFactory1, IDXGIFactory> {
public:
  /// `isOld`: what CreateDXGIFactory makes, which is no IDXGIFactory1.
  explicit Factory(bool isOld) : DxgiObject(nullptr), m_isOld(isOld) {}

  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override {
    if (out && m_isOld && IsEqualIID(id, __uuidof(IDXGIFactory1))) {
      *out = nullptr;
      return E_NOINTERFACE;
    }
    return DxgiObject::QueryInterface(id, out);
  }
  HRESULT STDMETHODCALLTYPE EnumAdapters(UINT index, IDXGIAdapter **out) override {
    if (!out) return DXGI_ERROR_INVALID_CALL;
    IDXGIAdapter1 *adapter = nullptr;
    const HRESULT result = EnumAdapters1(index, &adapter);
    *out = adapter;
    return result;
  }
  HRESULT STDMETHODCALLTYPE EnumAdapters1(UINT index, IDXGIAdapter1 **out) override {
    if (!out) return DXGI_ERROR_INVALID_CALL;
    *out = nullptr;
    if (index) return DXGI_ERROR_NOT_FOUND;
    *out = new (std::nothrow) Adapter(this);
    return *out ? S_OK : E_OUTOFMEMORY;
  }
  HRESULT STDMETHODCALLTYPE MakeWindowAssociation(HWND window, UINT flags) override {
    if (flags > 7) return DXGI_ERROR_INVALID_CALL;
    if (window && !IsWindow(window)) return DXGI_ERROR_INVALID_CALL;
    return S_OK;  // nothing changes the full screen but the program's calls: there are no keys for it yet
  }
  /// Null, whatever MakeWindowAssociation was told (test_window_association in Wine's dlls/dxgi/tests/dxgi.c).
  HRESULT STDMETHODCALLTYPE GetWindowAssociation(HWND *window) override {
    if (!window) return DXGI_ERROR_INVALID_CALL;
    *window = nullptr;
    return S_OK;
  }
  HRESULT STDMETHODCALLTYPE CreateSwapChain(IUnknown *device, DXGI_SWAP_CHAIN_DESC *description,
                                            IDXGISwapChain **out) override {
    if (!device || !description || !out) return DXGI_ERROR_INVALID_CALL;
    ChainDescription chain;
    chain.base = *description;
    IDXGISwapChain1 *made = nullptr;
    const HRESULT result = createSwapChain(*this, *device, chain, nullptr, made);
    *out = made;
    return result;
  }
  HRESULT STDMETHODCALLTYPE CreateSoftwareAdapter(HMODULE, IDXGIAdapter **out) override {
    if (out) *out = nullptr;
    notImplemented("IDXGIFactory::CreateSoftwareAdapter");
    return E_NOTIMPL;
  }
  WINBOOL STDMETHODCALLTYPE IsCurrent() override { return TRUE; }

  WINBOOL STDMETHODCALLTYPE IsWindowedStereoEnabled() override { return FALSE; }
  HRESULT STDMETHODCALLTYPE CreateSwapChainForHwnd(IUnknown *device, HWND window,
                                                   const DXGI_SWAP_CHAIN_DESC1 *description,
                                                   const DXGI_SWAP_CHAIN_FULLSCREEN_DESC *fullScreen,
                                                   IDXGIOutput *restrictTo, IDXGISwapChain1 **out) override {
    if (out) *out = nullptr;
    if (!device || !window || !description || !out) return DXGI_ERROR_INVALID_CALL;
    return createSwapChain(*this, *device, describeChain(window, *description, fullScreen), restrictTo, *out);
  }
  // What Windows 7 has not, as the page of each function says ("Platform Update for Windows 7"): windows that are none,
  // and news of stereo, of covered windows and of handles of the kernel's.
  HRESULT STDMETHODCALLTYPE CreateSwapChainForCoreWindow(IUnknown *, IUnknown *, const DXGI_SWAP_CHAIN_DESC1 *,
                                                         IDXGIOutput *, IDXGISwapChain1 **out) override {
    if (out) *out = nullptr;
    return E_NOTIMPL;
  }
  HRESULT STDMETHODCALLTYPE CreateSwapChainForComposition(IUnknown *, const DXGI_SWAP_CHAIN_DESC1 *, IDXGIOutput *,
                                                          IDXGISwapChain1 **out) override {
    if (out) *out = nullptr;
    return E_NOTIMPL;
  }
  HRESULT STDMETHODCALLTYPE GetSharedResourceAdapterLuid(HANDLE, LUID *) override { return E_NOTIMPL; }
  HRESULT STDMETHODCALLTYPE RegisterStereoStatusWindow(HWND, UINT, DWORD *) override { return E_NOTIMPL; }
  HRESULT STDMETHODCALLTYPE RegisterStereoStatusEvent(HANDLE, DWORD *) override { return E_NOTIMPL; }
  void STDMETHODCALLTYPE UnregisterStereoStatus(DWORD) override {}
  HRESULT STDMETHODCALLTYPE RegisterOcclusionStatusWindow(HWND, UINT, DWORD *) override { return E_NOTIMPL; }
  HRESULT STDMETHODCALLTYPE RegisterOcclusionStatusEvent(HANDLE, DWORD *) override { return E_NOTIMPL; }
  void STDMETHODCALLTYPE UnregisterOcclusionStatus(DWORD) override {}

private:
  const bool m_isOld;
};

}  // namespace

Adapter::Adapter(IUnknown *factory) : DxgiObject(factory) {
  const Adapter *self = this;
  DxgiObject::SetPrivateData(kSelf, kPointer, &self);
}

DriverAdapter *Adapter::driver() {
  if (!m_tried) {
    m_tried = true;
    m_driver = std::make_unique<DriverAdapter>();
    if (!m_driver->open(kDisplay)) m_driver.reset();
  }
  return m_driver.get();
}

HRESULT Adapter::EnumOutputs(UINT index, IDXGIOutput **out) {
  if (!out) return E_INVALIDARG;
  *out = nullptr;
  if (index) return DXGI_ERROR_NOT_FOUND;
  *out = new (std::nothrow) Output(*this);
  return *out ? S_OK : E_OUTOFMEMORY;
}

HRESULT Adapter::GetDesc(DXGI_ADAPTER_DESC *out) {
  if (!out) return E_INVALIDARG;
  DXGI_ADAPTER_DESC1 description{};
  const HRESULT result = GetDesc1(&description);
  static_assert(offsetof(DXGI_ADAPTER_DESC1, Flags) >= offsetof(DXGI_ADAPTER_DESC, AdapterLuid) + sizeof(LUID));
  std::memcpy(static_cast<void *>(out), &description, sizeof *out);
  return result;
}

HRESULT Adapter::GetDesc1(DXGI_ADAPTER_DESC1 *out) {
  if (!out) return E_INVALIDARG;
  *out = {};
  // What Windows reads of the device's node in the registry, which this test bed does not have.
  lstrcpynW(out->Description, L"aerogpu", ARRAYSIZE(out->Description));
  out->VendorId = AEROGPU_PCI_VENDOR_ID;
  out->DeviceId = AEROGPU_PCI_DEVICE_ID;
  out->SubSysId = AEROGPU_PCI_SUBSYSTEM_ID << 16 | AEROGPU_PCI_SUBSYSTEM_VENDOR_ID;
  if (!driver()) return S_OK;
  const runtime::KernelAdapter &kernel = m_driver->kernelAdapter();
  out->AdapterLuid = kernel.luid();
  D3DKMT_SEGMENTSIZEINFO sizes{};
  if (SUCCEEDED(kernel.queryAdapterInfo(KMTQAITYPE_GETSEGMENTSIZE, &sizes, sizeof sizes))) {
    out->DedicatedVideoMemory = static_cast<SIZE_T>(sizes.DedicatedVideoMemorySize);
    out->DedicatedSystemMemory = static_cast<SIZE_T>(sizes.DedicatedSystemMemorySize);
    out->SharedSystemMemory = static_cast<SIZE_T>(sizes.SharedSystemMemorySize);
  }
  return S_OK;
}

HRESULT Adapter::CheckInterfaceSupport(REFGUID id, LARGE_INTEGER *version) {
  // Direct3D 10's devices, and DXGI's that they are too; "not for Direct3D 11" is what the API's page says.
  static constexpr GUID kDevice10_1 = {0x9b7e4c8f, 0x342c, 0x4106, {0xa1, 0x9f, 0x4f, 0x27, 0x04, 0xf6, 0x89, 0xf0}};
  if ((!IsEqualGUID(id, __uuidof(IDXGIDevice)) && !IsEqualGUID(id, __uuidof(ID3D10Device)) &&
       !IsEqualGUID(id, kDevice10_1)) ||
      !driver())
    return DXGI_ERROR_UNSUPPORTED;
  if (version) version->QuadPart = 0;
  runtime::notImplemented("IDXGIAdapter::CheckInterfaceSupport: the driver's version");
  return S_OK;
}

HRESULT createFactory(REFIID id, bool isOld, void **out) {
  if (!out) return DXGI_ERROR_INVALID_CALL;
  *out = nullptr;
  Factory *factory = new (std::nothrow) Factory(isOld);
  if (!factory) return E_OUTOFMEMORY;
  const HRESULT result = factory->QueryInterface(id, out);
  factory->Release();
  return result;
}

Adapter *adapterOf(IDXGIAdapter *given) {
  if (given) {
    Adapter *adapter = nullptr;
    UINT size = kPointer;
    if (FAILED(given->GetPrivateData(kSelf, &size, static_cast<void *>(&adapter))) || size != kPointer) return nullptr;
    adapter->AddRef();
    return adapter;
  }
  Factory *factory = new (std::nothrow) Factory(false);
  IDXGIAdapter1 *adapter = nullptr;
  if (factory) {
    factory->EnumAdapters1(0, &adapter);
    factory->Release();
  }
  return static_cast<Adapter *>(adapter);
}

}  // namespace aerogpu::runtime11
