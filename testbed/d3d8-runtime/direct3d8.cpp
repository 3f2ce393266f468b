// SPDX-License-Identifier: MIT
#include "testbed/d3d8-runtime/direct3d8.h"

#include <cstring>
#include <set>
#include <utility>

#include "testbed/d3d8-runtime/device8.h"

namespace aerogpu::runtime {

IDirect3D8 *Direct3D8::create() {
  IDirect3D9Ex *made = nullptr;
  Direct3D::create(false, 8, &made);
  return frontOf<Direct3D8>(static_cast<Direct3D *>(made));
}

HRESULT Direct3D8::RegisterSoftwareDevice(void *initialize) {
  return m_object.RegisterSoftwareDevice(initialize);
}

UINT Direct3D8::GetAdapterCount() {
  return m_object.GetAdapterCount();
}

HRESULT Direct3D8::GetAdapterIdentifier(UINT adapter, DWORD flags, D3DADAPTER_IDENTIFIER8 *out) {
  D3DADAPTER_IDENTIFIER9 found{};
  const HRESULT result = m_object.GetAdapterIdentifier(adapter, flags, &found);
  if (FAILED(result) || !out) return D3DERR_INVALIDCALL;
  std::memcpy(out->Driver, found.Driver, sizeof out->Driver);
  std::memcpy(out->Description, found.Description, sizeof out->Description);
  out->DriverVersion = found.DriverVersion;
  out->VendorId = found.VendorId;
  out->DeviceId = found.DeviceId;
  out->SubSysId = found.SubSysId;
  out->Revision = found.Revision;
  out->DeviceIdentifier = found.DeviceIdentifier;
  out->WHQLLevel = found.WHQLLevel;
  return D3D_OK;
}

// Modes that the window system has not are left out: under Windows it has those of the kernel side.
const std::vector<D3DDISPLAYMODE> &Direct3D8::modes() {
  if (!m_modes.empty()) return m_modes;
  std::set<std::pair<DWORD, DWORD>> sizes;
  DEVMODEW shown{};
  shown.dmSize = sizeof shown;
  for (DWORD i = 0; EnumDisplaySettingsW(nullptr, i, &shown); ++i) sizes.emplace(shown.dmPelsWidth, shown.dmPelsHeight);
  for (const D3DFORMAT format : {D3DFMT_X8R8G8B8, D3DFMT_R5G6B5}) {
    D3DDISPLAYMODE mode{};
    for (UINT i = 0; SUCCEEDED(m_object.EnumAdapterModes(D3DADAPTER_DEFAULT, format, i, &mode)); ++i)
      if (sizes.contains({mode.Width, mode.Height})) m_modes.push_back(mode);
  }
  return m_modes;
}

UINT Direct3D8::GetAdapterModeCount(UINT adapter) {
  return adapter == D3DADAPTER_DEFAULT ? static_cast<UINT>(modes().size()) : 0;
}

HRESULT Direct3D8::EnumAdapterModes(UINT adapter, UINT index, D3DDISPLAYMODE *out) {
  if (adapter != D3DADAPTER_DEFAULT || !out || index >= modes().size()) return D3DERR_INVALIDCALL;
  *out = m_modes[index];
  return D3D_OK;
}

HRESULT Direct3D8::GetAdapterDisplayMode(UINT adapter, D3DDISPLAYMODE *out) {
  return m_object.GetAdapterDisplayMode(adapter, out);
}

HRESULT Direct3D8::CheckDeviceType(UINT adapter, D3DDEVTYPE type, D3DFORMAT display, D3DFORMAT backBuffer,
                                   BOOL windowed) {
  // Presents do not convert: the formats may differ in their alpha only.
  const bool same = backBuffer == display || (backBuffer == D3DFMT_A8R8G8B8 && display == D3DFMT_X8R8G8B8) ||
                    (backBuffer == D3DFMT_A1R5G5B5 && display == D3DFMT_X1R5G5B5);
  const HRESULT result = m_object.CheckDeviceType(adapter, type, display, backBuffer, windowed);
  return SUCCEEDED(result) && !same ? static_cast<HRESULT>(D3DERR_NOTAVAILABLE) : result;
}

HRESULT Direct3D8::CheckDeviceFormat(UINT adapter, D3DDEVTYPE type, D3DFORMAT display, DWORD usage,
                                     D3DRESOURCETYPE resource, D3DFORMAT format) {
  if (usage & ~kUsages8 || resource == D3DRTYPE_VERTEXBUFFER || resource == D3DRTYPE_INDEXBUFFER)
    return D3DERR_INVALIDCALL;
  return m_object.CheckDeviceFormat(adapter, type, display, usage, resource, format);
}

HRESULT Direct3D8::CheckDeviceMultiSampleType(UINT adapter, D3DDEVTYPE type, D3DFORMAT format, BOOL windowed,
                                              D3DMULTISAMPLE_TYPE samples) {
  if (samples == D3DMULTISAMPLE_NONMASKABLE) return D3DERR_INVALIDCALL;  // came with Direct3D 9
  return m_object.CheckDeviceMultiSampleType(adapter, type, format, windowed, samples, nullptr);
}

HRESULT Direct3D8::CheckDepthStencilMatch(UINT adapter, D3DDEVTYPE type, D3DFORMAT display, D3DFORMAT target,
                                          D3DFORMAT depth) {
  return m_object.CheckDepthStencilMatch(adapter, type, display, target, depth);
}

HRESULT Direct3D8::GetDeviceCaps(UINT adapter, D3DDEVTYPE type, D3DCAPS8 *out) {
  D3DCAPS9 checked{};
  const HRESULT result = m_object.GetDeviceCaps(adapter, type, &checked);
  if (FAILED(result) || !out) return FAILED(result) ? result : D3DERR_INVALIDCALL;
  D3DCAPS9 caps = m_object.adapter()->caps8();
  caps.DeviceType = checked.DeviceType;
  caps.AdapterOrdinal = checked.AdapterOrdinal;
  // Without the bits that only drivers have, or only Direct3D 9.
  caps.DevCaps &= checked.DevCaps;
  caps.Caps2 &= ~DWORD{D3DCAPS2_CANAUTOGENMIPMAP};
  caps.PrimitiveMiscCaps &= ~DWORD{D3DPMISCCAPS_FOGINFVF};
  std::memcpy(out, &caps, sizeof *out);
  return D3D_OK;
}

HMONITOR Direct3D8::GetAdapterMonitor(UINT adapter) {
  return m_object.GetAdapterMonitor(adapter);
}

HRESULT Direct3D8::CreateDevice(UINT adapter, D3DDEVTYPE type, HWND window, DWORD flags,
                                D3DPRESENT_PARAMETERS8 *parameters, IDirect3DDevice8 **out) {
  if (!parameters || !out) return D3DERR_INVALIDCALL;
  *out = nullptr;
  D3DPRESENT_PARAMETERS converted{};
  HRESULT result = convertParameters(*parameters, converted);
  if (FAILED(result)) return result;
  IDirect3DDevice9 *made = nullptr;
  result = m_object.CreateDevice(adapter, type, window, flags, &converted, &made);
  if (FAILED(result)) return result;
  parameters->BackBufferCount = converted.BackBufferCount;
  *out = frontOf<Device8>(static_cast<Device *>(made));
  return D3D_OK;
}

}  // namespace aerogpu::runtime
