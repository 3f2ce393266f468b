// SPDX-License-Identifier: MIT
// IDirect3D9 and IDirect3D9Ex: the adapter, its abilities, and devices on it. There is one adapter, the first display.
#pragma once

#include <memory>
#include <utility>

#include "testbed/d3d9-runtime/base/windows_headers.h"
#include "testbed/d3d9-runtime/com/com.h"
#include "testbed/d3d9-runtime/driver/driver_adapter.h"

namespace aerogpu::runtime {

class Direct3D final : public IDirect3D9Ex {
public:
  /// Creates the object; `ex`: for Direct3DCreate9Ex, which fails if there is no adapter. Without `ex` the object then
  /// has none.
  /// `version`: that of Direct3D, 9 or 8, as which it opens the adapter.
  static HRESULT create(bool ex, UINT version, IDirect3D9Ex **out);
  Front *front() const { return m_front.get(); }
  void setFront(std::unique_ptr<Front> front) { m_front = std::move(front); }
  /// Returns the adapter, null if there is none.
  const DriverAdapter *adapter() const { return m_adapter.get(); }
  Direct3D(const Direct3D &) = delete;
  Direct3D &operator=(const Direct3D &) = delete;

  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **out) override;
  ULONG STDMETHODCALLTYPE AddRef() override;
  ULONG STDMETHODCALLTYPE Release() override;
  HRESULT STDMETHODCALLTYPE RegisterSoftwareDevice(void *initialize) override;
  UINT STDMETHODCALLTYPE GetAdapterCount() override;
  HRESULT STDMETHODCALLTYPE GetAdapterIdentifier(UINT adapter, DWORD flags,
                                                 D3DADAPTER_IDENTIFIER9 *identifier) override;
  UINT STDMETHODCALLTYPE GetAdapterModeCount(UINT adapter, D3DFORMAT format) override;
  HRESULT STDMETHODCALLTYPE EnumAdapterModes(UINT adapter, D3DFORMAT format, UINT index, D3DDISPLAYMODE *mode) override;
  HRESULT STDMETHODCALLTYPE GetAdapterDisplayMode(UINT adapter, D3DDISPLAYMODE *mode) override;
  HRESULT STDMETHODCALLTYPE CheckDeviceType(UINT adapter, D3DDEVTYPE type, D3DFORMAT displayFormat,
                                            D3DFORMAT backbufferFormat, BOOL windowed) override;
  HRESULT STDMETHODCALLTYPE CheckDeviceFormat(UINT adapter, D3DDEVTYPE type, D3DFORMAT adapterFormat, DWORD usage,
                                              D3DRESOURCETYPE resourceType, D3DFORMAT format) override;
  HRESULT STDMETHODCALLTYPE CheckDeviceMultiSampleType(UINT adapter, D3DDEVTYPE type, D3DFORMAT surfaceFormat,
                                                       BOOL windowed, D3DMULTISAMPLE_TYPE multisample,
                                                       DWORD *qualityLevels) override;
  HRESULT STDMETHODCALLTYPE CheckDepthStencilMatch(UINT adapter, D3DDEVTYPE type, D3DFORMAT adapterFormat,
                                                   D3DFORMAT target, D3DFORMAT depth) override;
  HRESULT STDMETHODCALLTYPE CheckDeviceFormatConversion(UINT adapter, D3DDEVTYPE type, D3DFORMAT srcFormat,
                                                        D3DFORMAT dstFormat) override;
  HRESULT STDMETHODCALLTYPE GetDeviceCaps(UINT adapter, D3DDEVTYPE type, D3DCAPS9 *caps) override;
  HMONITOR STDMETHODCALLTYPE GetAdapterMonitor(UINT adapter) override;
  HRESULT STDMETHODCALLTYPE CreateDevice(UINT adapter, D3DDEVTYPE type, HWND focusWindow, DWORD flags,
                                         D3DPRESENT_PARAMETERS *parameters, IDirect3DDevice9 **device) override;
  UINT STDMETHODCALLTYPE GetAdapterModeCountEx(UINT adapter, const D3DDISPLAYMODEFILTER *filter) override;
  HRESULT STDMETHODCALLTYPE EnumAdapterModesEx(UINT adapter, const D3DDISPLAYMODEFILTER *filter, UINT index,
                                               D3DDISPLAYMODEEX *mode) override;
  HRESULT STDMETHODCALLTYPE GetAdapterDisplayModeEx(UINT adapter, D3DDISPLAYMODEEX *mode,
                                                    D3DDISPLAYROTATION *rotation) override;
  HRESULT STDMETHODCALLTYPE CreateDeviceEx(UINT adapter, D3DDEVTYPE type, HWND focusWindow, DWORD flags,
                                           D3DPRESENT_PARAMETERS *parameters, D3DDISPLAYMODEEX *mode,
                                           IDirect3DDevice9Ex **device) override;
  HRESULT STDMETHODCALLTYPE GetAdapterLUID(UINT adapter, LUID *luid) override;

private:
  explicit Direct3D(bool ex) : m_ex(ex) {}
  ~Direct3D() = default;
  /// Returns D3DERR_INVALIDCALL for a missing adapter, D3DERR_NOTAVAILABLE for devices other than the hardware.
  HRESULT check(UINT adapter, D3DDEVTYPE type) const;
  bool isMode(const D3DKMT_DISPLAYMODE &mode, D3DFORMAT format) const;
  HRESULT createDevice(UINT adapter, D3DDEVTYPE type, HWND window, DWORD flags, D3DPRESENT_PARAMETERS *parameters,
                       bool ex, IDirect3DDevice9Ex **out);

  volatile LONG m_references = 0;
  bool m_ex;
  std::unique_ptr<DriverAdapter> m_adapter;
  std::unique_ptr<Front> m_front;
};

}  // namespace aerogpu::runtime
