// SPDX-License-Identifier: MIT
#include "testbed/d3d8-runtime/device8.h"

#include "testbed/d3d8-runtime/resources.h"
#include "testbed/d3d9-runtime/com/direct3d.h"

namespace aerogpu::runtime {
namespace {

IDirect3D8 *direct3d8(const Device &device) {
  return static_cast<IDirect3D8 *>(static_cast<Front8 *>(device.direct3d().front())->api());
}

}  // namespace

HRESULT convertParameters(const D3DPRESENT_PARAMETERS8 &from, D3DPRESENT_PARAMETERS &to) {
  constexpr DWORD kCopyVsync = 4;  // D3DSWAPEFFECT_COPY_VSYNC
  if (from.SwapEffect > kCopyVsync) return D3DERR_INVALIDCALL;
  if (from.MultiSampleType == D3DMULTISAMPLE_NONMASKABLE) return D3DERR_INVALIDCALL;
  const bool vsync = from.SwapEffect == kCopyVsync;
  to.BackBufferWidth = from.BackBufferWidth;
  to.BackBufferHeight = from.BackBufferHeight;
  to.BackBufferFormat = from.BackBufferFormat;
  to.BackBufferCount = from.BackBufferCount;
  to.MultiSampleType = from.MultiSampleType;
  to.SwapEffect = vsync ? D3DSWAPEFFECT_COPY : static_cast<D3DSWAPEFFECT>(from.SwapEffect);
  to.hDeviceWindow = from.hDeviceWindow;
  to.Windowed = from.Windowed;
  to.EnableAutoDepthStencil = from.EnableAutoDepthStencil;
  to.AutoDepthStencilFormat = from.AutoDepthStencilFormat;
  to.Flags = from.Flags;
  to.FullScreen_RefreshRateInHz = from.FullScreen_RefreshRateInHz;
  to.PresentationInterval = from.FullScreen_PresentationInterval;
  if (!from.Windowed) return D3D_OK;
  if (from.FullScreen_PresentationInterval != D3DPRESENT_INTERVAL_DEFAULT) return D3DERR_INVALIDCALL;
  to.PresentationInterval = vsync ? D3DPRESENT_INTERVAL_ONE : D3DPRESENT_INTERVAL_IMMEDIATE;
  return D3D_OK;
}

HRESULT Device8::TestCooperativeLevel() {
  return m_object.TestCooperativeLevel();
}

UINT Device8::GetAvailableTextureMem() {
  return m_object.GetAvailableTextureMem();
}

HRESULT Device8::ResourceManagerDiscardBytes(DWORD) {
  return m_object.EvictManagedResources();  // whatever the number: it is a hint
}

HRESULT Device8::GetDirect3D(IDirect3D8 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  *out = direct3d8(m_object);
  (*out)->AddRef();
  return D3D_OK;
}

HRESULT Device8::GetDeviceCaps(D3DCAPS8 *out) {
  D3DDEVICE_CREATION_PARAMETERS creation{};
  m_object.GetCreationParameters(&creation);
  return direct3d8(m_object)->GetDeviceCaps(creation.AdapterOrdinal, creation.DeviceType, out);
}

HRESULT Device8::GetDisplayMode(D3DDISPLAYMODE *out) {
  return m_object.GetDisplayMode(0, out);
}

HRESULT Device8::GetCreationParameters(D3DDEVICE_CREATION_PARAMETERS *out) {
  return m_object.GetCreationParameters(out);
}

HRESULT Device8::SetCursorProperties(UINT x, UINT y, IDirect3DSurface8 *bitmap) {
  return m_object.SetCursorProperties(x, y, objectOf<Surface8>(bitmap));
}

void Device8::SetCursorPosition(UINT x, UINT y, DWORD flags) {
  m_object.SetCursorPosition(static_cast<int>(x), static_cast<int>(y), flags);
}

BOOL Device8::ShowCursor(BOOL show) {
  return m_object.ShowCursor(show);
}

HRESULT Device8::CreateAdditionalSwapChain(D3DPRESENT_PARAMETERS8 *parameters, IDirect3DSwapChain8 **out) {
  if (!parameters || !out) return D3DERR_INVALIDCALL;
  *out = nullptr;
  D3DPRESENT_PARAMETERS converted{};
  HRESULT result = convertParameters(*parameters, converted);
  if (FAILED(result)) return result;
  IDirect3DSwapChain9 *made = nullptr;
  result = m_object.CreateAdditionalSwapChain(&converted, &made);
  if (FAILED(result)) return result;
  parameters->BackBufferCount = converted.BackBufferCount;
  *out = frontOf<SwapChain8>(static_cast<SwapChain *>(made));
  return D3D_OK;
}

HRESULT Device8::Reset(D3DPRESENT_PARAMETERS8 *parameters) {
  if (!parameters) return D3DERR_INVALIDCALL;
  D3DPRESENT_PARAMETERS converted{};
  // Parameters that do not exist lose the device as others do that it does not have.
  if (FAILED(convertParameters(*parameters, converted))) converted.SwapEffect = static_cast<D3DSWAPEFFECT>(0);
  const HRESULT result = m_object.Reset(&converted);
  if (SUCCEEDED(result)) parameters->BackBufferCount = converted.BackBufferCount;
  return result;
}

HRESULT Device8::Present(const RECT *source, const RECT *destination, HWND window, const RGNDATA *dirty) {
  return m_object.Present(source, destination, window, dirty);
}

HRESULT Device8::GetBackBuffer(UINT index, D3DBACKBUFFER_TYPE type, IDirect3DSurface8 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  *out = nullptr;
  IDirect3DSurface9 *surface = nullptr;
  const HRESULT result = m_object.GetBackBuffer(0, index, type, &surface);
  *out = frontOf<Surface8>(static_cast<Surface *>(surface));
  return result;
}

HRESULT Device8::GetRasterStatus(D3DRASTER_STATUS *out) {
  return m_object.GetRasterStatus(0, out);
}

void Device8::SetGammaRamp(DWORD flags, const D3DGAMMARAMP *ramp) {
  m_object.SetGammaRamp(0, flags, ramp);
}

void Device8::GetGammaRamp(D3DGAMMARAMP *out) {
  m_object.GetGammaRamp(0, out);
}

HRESULT Device8::BeginScene() {
  return m_object.BeginScene();
}

HRESULT Device8::EndScene() {
  return m_object.EndScene();
}

HRESULT Device8::Clear(DWORD count, const D3DRECT *rects, DWORD flags, D3DCOLOR color, float z, DWORD stencil) {
  return m_object.Clear(count, rects, flags, color, z, stencil);
}

HRESULT Device8::ValidateDevice(DWORD *passes) {
  return m_object.ValidateDevice(passes);
}

// Statistics of the debug runtime, except for number 4, of which a runtime without statistics says that it has none
// (test_get_info in Wine's dlls/d3d8/tests/device.c).
HRESULT Device8::GetInfo(DWORD number, void *, DWORD) {
  constexpr DWORD kVertexCache = 4;  // D3DDEVINFOID_VCACHE
  return number == kVertexCache ? S_FALSE : E_FAIL;
}

}  // namespace aerogpu::runtime
