// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/direct3d.h"

#include <algorithm>
#include <cstdio>

#include "testbed/d3d9-runtime/com/device.h"
#include "testbed/d3d9-runtime/driver/driver_call.h"
#include "testbed/d3d9-runtime/driver/formats.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {
namespace {

constexpr const WCHAR *kDisplay = L"\\\\.\\DISPLAY1";

bool filterFits(const D3DDISPLAYMODEFILTER &filter, const D3DKMT_DISPLAYMODE &mode) {
  return static_cast<DWORD>(mode.Format) == static_cast<DWORD>(filter.Format) &&
         filter.ScanLineOrdering != D3DSCANLINEORDERING_INTERLACED;
}

}  // namespace

HRESULT Direct3D::create(bool ex, UINT version, IDirect3D9Ex **out) {
  *out = nullptr;
  Direct3D *direct3d = new Direct3D(ex);
  auto adapter = std::make_unique<DriverAdapter>(version);
  if (adapter->open(kDisplay)) direct3d->m_adapter = std::move(adapter);
  if (ex && !direct3d->m_adapter) {
    delete direct3d;
    return D3DERR_NOTAVAILABLE;
  }
  direct3d->AddRef();
  *out = direct3d;
  return D3D_OK;
}

HRESULT Direct3D::QueryInterface(REFIID id, void **out) {
  if (!out) return E_POINTER;
  *out = nullptr;
  const bool plain = IsEqualIID(id, __uuidof(IUnknown)) || IsEqualIID(id, __uuidof(IDirect3D9));
  if (!plain && !(m_ex && IsEqualIID(id, __uuidof(IDirect3D9Ex)))) return E_NOINTERFACE;
  AddRef();
  *out = static_cast<IDirect3D9Ex *>(this);
  return S_OK;
}

ULONG Direct3D::AddRef() {
  return static_cast<ULONG>(InterlockedIncrement(&m_references));
}

ULONG Direct3D::Release() {
  const LONG left = InterlockedDecrement(&m_references);
  if (left == 0) delete this;
  return static_cast<ULONG>(left);
}

HRESULT Direct3D::check(UINT adapter, D3DDEVTYPE type) const {
  if (adapter != D3DADAPTER_DEFAULT || !m_adapter || type < D3DDEVTYPE_HAL || type > D3DDEVTYPE_NULLREF)
    return D3DERR_INVALIDCALL;
  return type == D3DDEVTYPE_HAL ? D3D_OK : D3DERR_NOTAVAILABLE;
}

HRESULT Direct3D::RegisterSoftwareDevice(void *) {
  notImplemented("IDirect3D9::RegisterSoftwareDevice");
  return D3DERR_NOTAVAILABLE;
}

UINT Direct3D::GetAdapterCount() {
  return m_adapter ? 1 : 0;
}

HRESULT Direct3D::GetAdapterIdentifier(UINT adapter, DWORD, D3DADAPTER_IDENTIFIER9 *out) {
  if (adapter != D3DADAPTER_DEFAULT || !m_adapter || !out) return D3DERR_INVALIDCALL;
  *out = {};
  std::snprintf(out->Driver, sizeof out->Driver, "%s", m_adapter->driverFile());
  WideCharToMultiByte(CP_UTF8, 0, kDisplay, -1, out->DeviceName, sizeof out->DeviceName, nullptr, nullptr);
  D3DKMT_ADAPTERREGISTRYINFO names{};
  D3DKMT_QUERYADAPTERINFO query{};
  query.hAdapter = m_adapter->kernelHandle();
  query.Type = KMTQAITYPE_ADAPTERREGISTRYINFO;
  query.pPrivateDriverData = &names;
  query.PrivateDriverDataSize = sizeof names;
  if (m_adapter->kernel().QueryAdapterInfo(&query) >= 0) {
    names.AdapterString[std::size(names.AdapterString) - 1] = 0;
    WideCharToMultiByte(CP_UTF8, 0, names.AdapterString, -1, out->Description, sizeof out->Description, nullptr,
                        nullptr);
  }
  out->WHQLLevel = 0;
  return D3D_OK;
}

bool Direct3D::isMode(const D3DKMT_DISPLAYMODE &mode, D3DFORMAT format) const {
  return static_cast<DWORD>(mode.Format) == static_cast<DWORD>(format) &&
         (m_adapter->operations(format) & FORMATOP_DISPLAYMODE);
}

UINT Direct3D::GetAdapterModeCount(UINT adapter, D3DFORMAT format) {
  if (adapter != D3DADAPTER_DEFAULT || !m_adapter) return 0;
  const auto &modes = m_adapter->modes();
  return static_cast<UINT>(
      std::count_if(modes.begin(), modes.end(), [&](const D3DKMT_DISPLAYMODE &mode) { return isMode(mode, format); }));
}

HRESULT Direct3D::EnumAdapterModes(UINT adapter, D3DFORMAT format, UINT index, D3DDISPLAYMODE *out) {
  if (adapter != D3DADAPTER_DEFAULT || !m_adapter || !out) return D3DERR_INVALIDCALL;
  for (const D3DKMT_DISPLAYMODE &mode : m_adapter->modes()) {
    if (!isMode(mode, format) || index-- != 0) continue;
    *out = {mode.Width, mode.Height, mode.IntegerRefreshRate, format};
    return D3D_OK;
  }
  return D3DERR_INVALIDCALL;
}

HRESULT Direct3D::GetAdapterDisplayMode(UINT adapter, D3DDISPLAYMODE *out) {
  if (adapter != D3DADAPTER_DEFAULT || !m_adapter || !out) return D3DERR_INVALIDCALL;
  D3DKMT_DISPLAYMODE mode{};
  if (!m_adapter->currentMode(mode)) return D3DERR_NOTAVAILABLE;
  *out = {mode.Width, mode.Height, mode.IntegerRefreshRate, static_cast<D3DFORMAT>(mode.Format)};
  return D3D_OK;
}

HRESULT Direct3D::CheckDeviceType(UINT adapter, D3DDEVTYPE type, D3DFORMAT display, D3DFORMAT backBuffer,
                                  BOOL windowed) {
  const HRESULT result = check(adapter, type);
  return FAILED(result) ? result : checkDeviceType(*m_adapter, display, backBuffer, windowed);
}

HRESULT Direct3D::CheckDeviceFormat(UINT adapter, D3DDEVTYPE type, D3DFORMAT display, DWORD usage,
                                    D3DRESOURCETYPE resource, D3DFORMAT format) {
  if (display == D3DFMT_UNKNOWN) return D3DERR_INVALIDCALL;
  const HRESULT result = check(adapter, type);
  return FAILED(result) ? result : checkDeviceFormat(*m_adapter, display, usage, resource, format);
}

HRESULT Direct3D::CheckDeviceMultiSampleType(UINT adapter, D3DDEVTYPE type, D3DFORMAT format, BOOL windowed,
                                             D3DMULTISAMPLE_TYPE samples, DWORD *levels) {
  const HRESULT result = check(adapter, type);
  return FAILED(result) ? result : checkMultisample(*m_adapter, format, windowed, samples, levels);
}

HRESULT Direct3D::CheckDepthStencilMatch(UINT adapter, D3DDEVTYPE type, D3DFORMAT display, D3DFORMAT target,
                                         D3DFORMAT depth) {
  const HRESULT result = check(adapter, type);
  return FAILED(result) ? result : checkDepthStencilMatch(*m_adapter, display, target, depth);
}

HRESULT Direct3D::CheckDeviceFormatConversion(UINT adapter, D3DDEVTYPE type, D3DFORMAT from, D3DFORMAT to) {
  const HRESULT result = check(adapter, type);
  return FAILED(result) ? result : checkConversion(*m_adapter, from, to);
}

HRESULT Direct3D::GetDeviceCaps(UINT adapter, D3DDEVTYPE type, D3DCAPS9 *caps) {
  const HRESULT result = check(adapter, type);
  if (FAILED(result)) return result;
  if (!caps) return D3DERR_INVALIDCALL;
  *caps = m_adapter->caps();
  // The API has no names for these.
  caps->DevCaps &= ~DWORD{D3DDEVCAPS_HWVERTEXBUFFER | D3DDEVCAPS_HWINDEXBUFFER};
  caps->PrimitiveMiscCaps &= ~DWORD{D3DPMISCCAPS_FOGINFVF};
  caps->DeviceType = type;
  caps->AdapterOrdinal = caps->MasterAdapterOrdinal = adapter;
  caps->AdapterOrdinalInGroup = 0;
  caps->NumberOfAdaptersInGroup = 1;
  return D3D_OK;
}

HMONITOR Direct3D::GetAdapterMonitor(UINT adapter) {
  if (adapter != D3DADAPTER_DEFAULT || !m_adapter) return nullptr;
  return MonitorFromPoint({0, 0}, MONITOR_DEFAULTTOPRIMARY);
}

HRESULT Direct3D::createDevice(UINT adapter, D3DDEVTYPE type, HWND window, DWORD flags,
                               D3DPRESENT_PARAMETERS *parameters, bool ex, IDirect3DDevice9Ex **out) {
  if (!parameters || !out) return D3DERR_INVALIDCALL;
  *out = nullptr;
  const HRESULT result = check(adapter, type);
  if (FAILED(result)) return result;
  constexpr DWORD kProcessing =
      D3DCREATE_SOFTWARE_VERTEXPROCESSING | D3DCREATE_HARDWARE_VERTEXPROCESSING | D3DCREATE_MIXED_VERTEXPROCESSING;
  const DWORD processing = flags & kProcessing;
  if (!processing || (processing & (processing - 1))) return D3DERR_INVALIDCALL;  // exactly one of the three
  // A device in a window can do without one: it then presents to the desktop.
  if (!window && !parameters->Windowed) return D3DERR_INVALIDCALL;
#ifdef __i386__
  // Page "D3DCREATE": without FPU_PRESERVE single precision, round-to-nearest; this applies to the thread, and so to
  // the driver.
  if (!(flags & D3DCREATE_FPU_PRESERVE)) FloatControl::setSinglePrecision();
#endif
  Device *device = new Device(*this, *m_adapter, {adapter, type, window, flags}, ex);
  device->AddRef();
  const HRESULT created = device->create(*parameters);
  if (FAILED(created)) {
    device->Release();
    return created;
  }
  *out = device;
  return D3D_OK;
}

HRESULT Direct3D::CreateDevice(UINT adapter, D3DDEVTYPE type, HWND window, DWORD flags,
                               D3DPRESENT_PARAMETERS *parameters, IDirect3DDevice9 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  IDirect3DDevice9Ex *device = nullptr;
  const HRESULT result = createDevice(adapter, type, window, flags, parameters, m_ex, &device);
  *out = device;
  return result;
}

HRESULT Direct3D::CreateDeviceEx(UINT adapter, D3DDEVTYPE type, HWND window, DWORD flags,
                                 D3DPRESENT_PARAMETERS *parameters, D3DDISPLAYMODEEX *mode, IDirect3DDevice9Ex **out) {
  // A full screen needs a mode, a window must not have one.
  if (!parameters || (mode && (parameters->Windowed || mode->Size != sizeof *mode))) return D3DERR_INVALIDCALL;
  if (mode && (mode->Width != parameters->BackBufferWidth || mode->Height != parameters->BackBufferHeight))
    return D3DERR_INVALIDCALL;
  return createDevice(adapter, type, window, flags, parameters, true, out);
}

UINT Direct3D::GetAdapterModeCountEx(UINT adapter, const D3DDISPLAYMODEFILTER *filter) {
  if (adapter != D3DADAPTER_DEFAULT || !m_adapter || !filter || filter->Size != sizeof *filter) return 0;
  const auto &modes = m_adapter->modes();
  return static_cast<UINT>(std::count_if(modes.begin(), modes.end(),
                                         [&](const D3DKMT_DISPLAYMODE &mode) { return filterFits(*filter, mode); }));
}

HRESULT Direct3D::EnumAdapterModesEx(UINT adapter, const D3DDISPLAYMODEFILTER *filter, UINT index,
                                     D3DDISPLAYMODEEX *out) {
  if (adapter != D3DADAPTER_DEFAULT || !m_adapter || !filter || filter->Size != sizeof *filter || !out ||
      out->Size != sizeof *out)
    return D3DERR_INVALIDCALL;
  for (const D3DKMT_DISPLAYMODE &mode : m_adapter->modes()) {
    if (!filterFits(*filter, mode) || index-- != 0) continue;
    *out = {
        sizeof *out, mode.Width, mode.Height, mode.IntegerRefreshRate, filter->Format, D3DSCANLINEORDERING_PROGRESSIVE};
    return D3D_OK;
  }
  return D3DERR_INVALIDCALL;
}

HRESULT Direct3D::GetAdapterDisplayModeEx(UINT adapter, D3DDISPLAYMODEEX *mode, D3DDISPLAYROTATION *rotation) {
  if (!mode || mode->Size != sizeof *mode) return D3DERR_INVALIDCALL;
  D3DDISPLAYMODE plain{};
  const HRESULT result = GetAdapterDisplayMode(adapter, &plain);
  if (FAILED(result)) return result;
  if (rotation) *rotation = D3DDISPLAYROTATION_IDENTITY;
  *mode = {sizeof *mode, plain.Width, plain.Height, plain.RefreshRate, plain.Format, D3DSCANLINEORDERING_PROGRESSIVE};
  return D3D_OK;
}

HRESULT Direct3D::GetAdapterLUID(UINT adapter, LUID *luid) {
  if (adapter != D3DADAPTER_DEFAULT || !m_adapter || !luid) return D3DERR_INVALIDCALL;
  *luid = m_adapter->luid();
  return D3D_OK;
}

}  // namespace aerogpu::runtime
