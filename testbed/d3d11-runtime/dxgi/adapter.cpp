// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/dxgi/adapter.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "aerogpu/aerogpu_pci.h"
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
    if (!count) return E_INVALIDARG;
    const std::vector<DXGI_MODE_DESC> modes = modesOf(format);
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
    D3DKMT_DISPLAYMODE current{};
    if (!m_adapter.driver() || !m_adapter.driver()->kernelAdapter().currentMode(current)) return E_FAIL;
    DXGI_MODE_DESC complete = *wanted;
    if (complete.Format == DXGI_FORMAT_UNKNOWN) complete.Format = DXGI_FORMAT_R8G8B8A8_UNORM;
    if (!complete.Width) {
      complete.Width = current.Width;
      complete.Height = current.Height;
    }
    if (!complete.RefreshRate.Numerator || !complete.RefreshRate.Denominator)
      complete.RefreshRate = {current.RefreshRate.Numerator, current.RefreshRate.Denominator};
    const std::vector<DXGI_MODE_DESC> modes = modesOf(complete.Format);
    if (modes.empty()) return DXGI_ERROR_NOT_FOUND;
    *out = *std::min_element(modes.begin(), modes.end(), [&](const DXGI_MODE_DESC &a, const DXGI_MODE_DESC &b) {
      return distance(a, complete) < distance(b, complete);
    });
    return S_OK;
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
  /// How far a mode is from another: first by its size, then by its rate in thousandths of a hertz.
  static std::pair<UINT64, UINT64> distance(const DXGI_MODE_DESC &a, const DXGI_MODE_DESC &b) {
    const auto between = [](UINT64 x, UINT64 y) { return x > y ? x - y : y - x; };
    const auto rate = [](const DXGI_RATIONAL &r) {
      return r.Denominator ? UINT64{r.Numerator} * 1000 / r.Denominator : 0;
    };
    return {between(a.Width, b.Width) + between(a.Height, b.Height), between(rate(a.RefreshRate), rate(b.RefreshRate))};
  }

  std::vector<DXGI_MODE_DESC> modesOf(DXGI_FORMAT format) {
    std::vector<DXGI_MODE_DESC> out;
    const bool shown = format == DXGI_FORMAT_R8G8B8A8_UNORM || format == DXGI_FORMAT_B8G8R8A8_UNORM ||
                       format == DXGI_FORMAT_R8G8B8A8_UNORM_SRGB || format == DXGI_FORMAT_B8G8R8A8_UNORM_SRGB;
    if (!shown || !m_adapter.driver()) return out;
    for (const D3DKMT_DISPLAYMODE &mode : m_adapter.driver()->kernelAdapter().modes())
      if (mode.Format == D3DDDIFMT_X8R8G8B8)
        out.push_back({mode.Width,
                       mode.Height,
                       {mode.RefreshRate.Numerator, mode.RefreshRate.Denominator},
                       format,
                       DXGI_MODE_SCANLINE_ORDER_PROGRESSIVE,
                       DXGI_MODE_SCALING_UNSPECIFIED});
    return out;
  }

  Adapter &m_adapter;  ///< the parent
};

class Factory final : public DxgiObject<IDXGIFactory1, IDXGIFactory> {
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
    m_window = window;
    return S_OK;
  }
  HRESULT STDMETHODCALLTYPE GetWindowAssociation(HWND *window) override {
    if (!window) return DXGI_ERROR_INVALID_CALL;
    *window = m_window;
    return S_OK;
  }
  HRESULT STDMETHODCALLTYPE CreateSwapChain(IUnknown *device, DXGI_SWAP_CHAIN_DESC *description,
                                            IDXGISwapChain **out) override {
    return createSwapChain(*this, device, description, out);
  }
  HRESULT STDMETHODCALLTYPE CreateSoftwareAdapter(HMODULE, IDXGIAdapter **out) override {
    if (out) *out = nullptr;
    notImplemented("IDXGIFactory::CreateSoftwareAdapter");
    return E_NOTIMPL;
  }
  WINBOOL STDMETHODCALLTYPE IsCurrent() override { return TRUE; }

private:
  const bool m_isOld;
  HWND m_window = nullptr;
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
