// SPDX-License-Identifier: MIT
// Presents, and the additions of Direct3D 9Ex: pacing, residency, priorities. The runtime does most of that without the
// user-mode driver.
#include <algorithm>

#include "testbed/d3d9-runtime/com/device.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {

HRESULT Device::Present(const RECT *sourceRect, const RECT *destinationRect, HWND window, const RGNDATA *dirty) {
  return PresentEx(sourceRect, destinationRect, window, dirty, 0);
}

HRESULT Device::PresentEx(const RECT *sourceRect, const RECT *destinationRect, HWND window, const RGNDATA *dirty,
                          DWORD flags) {
  const Lock lock(*this);
  if (!m_swapChain) return D3DERR_DEVICELOST;
  return m_swapChain->present(sourceRect, destinationRect, window, dirty, flags);
}

HRESULT Device::CreateAdditionalSwapChain(D3DPRESENT_PARAMETERS *parameters, IDirect3DSwapChain9 **out) {
  const Lock lock(*this);
  if (!parameters || !out) return D3DERR_INVALIDCALL;
  *out = nullptr;
  // One chain has the screen; additional ones are for windows.
  if (!parameters->Windowed || !m_swapChain || !m_swapChain->parameters().Windowed) return D3DERR_INVALIDCALL;
  const Ref<SwapChain> made(new SwapChain(*this, m_creation.hFocusWindow));
  const HRESULT result = made->create(*parameters, false);
  if (FAILED(result)) return result;
  made->AddRef();
  *out = made.get();
  return D3D_OK;
}

HRESULT Device::GetBackBuffer(UINT swapChain, UINT index, D3DBACKBUFFER_TYPE type, IDirect3DSurface9 **out) {
  const Lock lock(*this);
  if (!out) return D3DERR_INVALIDCALL;
  *out = nullptr;  // the chain's own method leaves it unchanged
  return chain(swapChain) ? chain(swapChain)->GetBackBuffer(index, type, out) : D3DERR_INVALIDCALL;
}

HRESULT Device::GetRasterStatus(UINT swapChain, D3DRASTER_STATUS *status) {
  return chain(swapChain) ? chain(swapChain)->GetRasterStatus(status) : D3DERR_INVALIDCALL;
}

void Device::SetGammaRamp(UINT swapChain, DWORD, const D3DGAMMARAMP *ramp) {
  const Lock lock(*this);
  if (chain(swapChain) && ramp) chain(swapChain)->setGammaRamp(*ramp);
}

void Device::GetGammaRamp(UINT swapChain, D3DGAMMARAMP *ramp) {
  const Lock lock(*this);
  if (chain(swapChain) && ramp) *ramp = chain(swapChain)->gammaRamp();
}

HRESULT Device::GetDisplayModeEx(UINT swapChain, D3DDISPLAYMODEEX *mode, D3DDISPLAYROTATION *rotation) {
  return chain(swapChain) ? chain(swapChain)->GetDisplayModeEx(mode, rotation) : D3DERR_INVALIDCALL;
}

HRESULT Device::WaitForVBlank(UINT swapChain) {
  if (!chain(swapChain)) return D3DERR_INVALIDCALL;
  // Not under the lock: it takes as long as a frame.
  const DriverAdapter &adapter = m_driver.adapter();
  D3DKMT_WAITFORVERTICALBLANKEVENT argument{};
  argument.hAdapter = adapter.kernelHandle();
  argument.hDevice = m_driver.kernelHandle();
  argument.VidPnSourceId = adapter.vidPnSource();
  if (adapter.kernel().WaitForVerticalBlankEvent(&argument) < 0) SwitchToThread();  // EX-04: succeeds without one
  return D3D_OK;
}

HRESULT Device::SetMaximumFrameLatency(UINT latency) {
  const Lock lock(*this);
  constexpr UINT kMost = 30, kDefault = 3;
  if (latency > kMost) return D3DERR_INVALIDCALL;
  m_frameLatency = latency ? latency : kDefault;
  D3DKMT_SETQUEUEDLIMIT argument{};
  argument.hDevice = m_driver.kernelHandle();
  argument.Type = D3DKMT_SET_QUEUEDLIMIT_PRESENT;
  argument.QueuedPresentLimit = m_frameLatency;
  return resultOfStatus(m_driver.adapter().kernel().SetQueuedLimit(&argument));
}

HRESULT Device::GetMaximumFrameLatency(UINT *latency) {
  const Lock lock(*this);
  if (!latency) return D3DERR_INVALIDCALL;
  *latency = m_frameLatency;
  return D3D_OK;
}

HRESULT Device::SetGPUThreadPriority(INT priority) {
  const Lock lock(*this);
  m_gpuPriority = std::clamp(priority, -7, 7);
  return D3D_OK;
}

HRESULT Device::GetGPUThreadPriority(INT *priority) {
  const Lock lock(*this);
  if (!priority) return D3DERR_INVALIDCALL;
  *priority = m_gpuPriority;
  return D3D_OK;
}

HRESULT Device::CheckDeviceState(HWND window) {
  const Lock lock(*this);
  if (m_driver.isRemoved()) return D3DERR_DEVICELOST;
  // Full screen: the device's own window is visible while it has the screen, others while it does not.
  if (m_swapChain && !m_swapChain->parameters().Windowed) {
    const bool own = window == m_swapChain->parameters().hDeviceWindow;
    return own == (screen() == FullScreenWindow::Screen::Lost) ? S_PRESENT_OCCLUDED : D3D_OK;
  }
  if (!window && m_swapChain) window = m_swapChain->parameters().hDeviceWindow;
  return window && IsIconic(window) ? S_PRESENT_OCCLUDED : D3D_OK;
}

HRESULT Device::CheckResourceResidency(IDirect3DResource9 **resources, UINT32 count) {
  const Lock lock(*this);
  if (!resources || !count || count > 65535) return D3DERR_INVALIDCALL;
  std::vector<HANDLE> handles;
  for (UINT i = 0; i < count; ++i) {
    if (!resources[i]) return D3DERR_INVALIDCALL;
    switch (resources[i]->GetType()) {
    case D3DRTYPE_SURFACE:
      handles.push_back(static_cast<Surface *>(resources[i])->handle());
      break;
    case D3DRTYPE_VERTEXBUFFER:
      handles.push_back(static_cast<VertexBuffer *>(resources[i])->memory().handle());
      break;
    case D3DRTYPE_INDEXBUFFER:
      handles.push_back(static_cast<IndexBuffer *>(resources[i])->memory().handle());
      break;
    default:
      if (AnyTexture *texture = AnyTexture::of(*this, static_cast<IDirect3DBaseTexture9 *>(resources[i])))
        handles.push_back(texture->image().handle());
    }
  }
  D3DDDIARG_QUERYRESOURCERESIDENCY argument{};
  argument.pHandleList = handles.data();
  argument.NumResources = static_cast<UINT>(handles.size());
  return m_driver.call<&D3DDDI_DEVICEFUNCS::pfnQueryResourceResidency, Results::Residency>(&argument);
}

}  // namespace aerogpu::runtime
