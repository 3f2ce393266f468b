// SPDX-License-Identifier: MIT
// IDirect3D8, which has the adapter opened as Direct3D 8.
#pragma once

#include <vector>

#include "testbed/d3d8-runtime/front.h"
#include "testbed/d3d9-runtime/com/direct3d.h"

namespace aerogpu::runtime {

class Direct3D8 final : public UnknownFront<IDirect3D8, Direct3D, IID_IDirect3D8> {
public:
  using UnknownFront::UnknownFront;
  /// Returns a new object with one reference.
  static IDirect3D8 *create();

  HRESULT STDMETHODCALLTYPE RegisterSoftwareDevice(void *initialize) override;
  UINT STDMETHODCALLTYPE GetAdapterCount() override;
  HRESULT STDMETHODCALLTYPE GetAdapterIdentifier(UINT adapter, DWORD flags, D3DADAPTER_IDENTIFIER8 *out) override;
  UINT STDMETHODCALLTYPE GetAdapterModeCount(UINT adapter) override;
  HRESULT STDMETHODCALLTYPE EnumAdapterModes(UINT adapter, UINT index, D3DDISPLAYMODE *out) override;
  HRESULT STDMETHODCALLTYPE GetAdapterDisplayMode(UINT adapter, D3DDISPLAYMODE *out) override;
  HRESULT STDMETHODCALLTYPE CheckDeviceType(UINT adapter, D3DDEVTYPE type, D3DFORMAT display, D3DFORMAT backBuffer,
                                            BOOL windowed) override;
  HRESULT STDMETHODCALLTYPE CheckDeviceFormat(UINT adapter, D3DDEVTYPE type, D3DFORMAT display, DWORD usage,
                                              D3DRESOURCETYPE resource, D3DFORMAT format) override;
  HRESULT STDMETHODCALLTYPE CheckDeviceMultiSampleType(UINT adapter, D3DDEVTYPE type, D3DFORMAT format, BOOL windowed,
                                                       D3DMULTISAMPLE_TYPE samples) override;
  HRESULT STDMETHODCALLTYPE CheckDepthStencilMatch(UINT adapter, D3DDEVTYPE type, D3DFORMAT display, D3DFORMAT target,
                                                   D3DFORMAT depth) override;
  HRESULT STDMETHODCALLTYPE GetDeviceCaps(UINT adapter, D3DDEVTYPE type, D3DCAPS8 *out) override;
  HMONITOR STDMETHODCALLTYPE GetAdapterMonitor(UINT adapter) override;
  HRESULT STDMETHODCALLTYPE CreateDevice(UINT adapter, D3DDEVTYPE type, HWND window, DWORD flags,
                                         D3DPRESENT_PARAMETERS8 *parameters, IDirect3DDevice8 **out) override;

private:
  /// Returns the modes of all formats of a screen.
  const std::vector<D3DDISPLAYMODE> &modes();
  std::vector<D3DDISPLAYMODE> m_modes;
};

}  // namespace aerogpu::runtime
