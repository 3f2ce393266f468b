// SPDX-License-Identifier: MIT
#include "testbed/d3d9-runtime/com/device.h"

#include <algorithm>

#include "testbed/d3d9-runtime/com/direct3d.h"
#include "testbed/d3d9-runtime/com/query.h"
#include "testbed/d3d9-runtime/com/state_block.h"
#include "testbed/runtime-kernel/callbacks.h"
#include "testbed/runtime-kernel/log.h"

namespace aerogpu::runtime {

Device::Device(Direct3D &direct3d, const DriverAdapter &adapter, const D3DDEVICE_CREATION_PARAMETERS &creation, bool ex)
    : m_direct3d(direct3d),
      m_creation(creation),
      m_ex(ex),
      m_driver(adapter),
      m_pipeline(m_driver, creation.BehaviorFlags & D3DCREATE_PUREDEVICE),
      m_fullScreen(ex, adapter.version() == 8) {
  m_direct3d.AddRef();
}

HRESULT Device::create(D3DPRESENT_PARAMETERS &parameters) {
  const Lock lock(*this);
  const HRESULT result = m_driver.create((m_creation.BehaviorFlags & D3DCREATE_MULTITHREADED) != 0, deviceCallbacks());
  if (FAILED(result)) return result == E_OUTOFMEMORY ? result : static_cast<HRESULT>(D3DERR_NOTAVAILABLE);
  if (m_creation.BehaviorFlags & (D3DCREATE_SOFTWARE_VERTEXPROCESSING | D3DCREATE_MIXED_VERTEXPROCESSING))
    logOnce("software vertices", "software vertex processing: the driver processes the vertices that it can");
  return createSwapChain(parameters, false);
}

Device::~Device() {
  {
    const Lock lock(*this);
    if (m_cursor) DestroyCursor(m_cursor);
    m_front.reset();
    m_recording.reset();
    m_pipeline.unbind();
    m_fvfDeclarations.clear();
    m_handOnShader.reset();
    m_handOnDeclaration.reset();
    dropSwapChain();
  }
}

HRESULT Device::createSwapChain(D3DPRESENT_PARAMETERS &parameters, bool keepStates) {
  m_swapChain = Ref<SwapChain>(new SwapChain(*this, m_creation.hFocusWindow));
  HRESULT result = m_swapChain->create(parameters, true);
  if (FAILED(result)) {
    m_swapChain.reset();
    m_fullScreen.leave();
    return result;
  }
  if (parameters.Windowed) {
    m_fullScreen.leave();
  } else {
    m_fullScreen.enter(m_swapChain->parameters().hDeviceWindow, m_creation.hFocusWindow, parameters.BackBufferWidth,
                       parameters.BackBufferHeight, !(m_creation.BehaviorFlags & D3DCREATE_NOWINDOWCHANGES));
  }
  m_fullScreen.setScreen(FullScreenWindow::Screen::Ours);
  if (parameters.EnableAutoDepthStencil) {
    ImageDescription description;
    description.format = parameters.AutoDepthStencilFormat;
    description.width = parameters.BackBufferWidth;
    description.height = parameters.BackBufferHeight;
    description.usage = D3DUSAGE_DEPTHSTENCIL;
    description.multisample = parameters.MultiSampleType;
    description.quality = parameters.MultiSampleQuality;
    description.discard = parameters.Flags & D3DPRESENTFLAG_DISCARD_DEPTHSTENCIL;
    description.implicit = true;
    if (!isDepthFormat(description.format)) return D3DERR_INVALIDCALL;
    std::shared_ptr<Image> image = Image::create(*this, description, nullptr, result);
    if (!image) return result;
    m_autoDepth = Ref<Surface>(new Surface(*this, std::move(image), 0, nullptr, nullptr));
  }
  // The order in which Windows' runtime was observed to begin: the defaults, then the targets.
  D3DVIEWPORT9 viewport{0, 0, parameters.BackBufferWidth, parameters.BackBufferHeight, 0.0f, 1.0f};
  if (keepStates) {
    viewport.MinZ = m_pipeline.values().viewport.MinZ;
    viewport.MaxZ = m_pipeline.values().viewport.MaxZ;
  } else {
    m_pipeline.reset(static_cast<bool>(m_autoDepth));
  }
  result = setTarget(0, m_swapChain->backBuffer(0));
  if (SUCCEEDED(result) && keepStates) m_pipeline.setViewport(viewport);
  if (SUCCEEDED(result)) result = setDepth(m_autoDepth.get());
  return result;
}

void Device::dropSwapChain() {
  for (UINT i = kRenderTargets; i-- > 0;) {
    if (!m_target[i]) continue;
    m_target[i].reset();
    bindTarget(i);
  }
  if (m_depth) setDepth(nullptr);
  m_autoDepth.reset();
  m_swapChain.reset();
}

HRESULT Device::reset(D3DPRESENT_PARAMETERS *parameters) {
  if (!parameters) return D3DERR_INVALIDCALL;
  if (m_driver.isRemoved()) return m_ex ? D3DERR_DEVICEREMOVED : D3DERR_DEVICELOST;
  if (!m_ex && screen() == FullScreenWindow::Screen::Lost) return D3DERR_DEVICELOST;
  if (!m_ex) {
    // Objects that only the device holds do not block it.
    for (UINT i = 1; i < kRenderTargets; ++i)
      if (m_target[i]) setTarget(i, nullptr);
    if (m_swapChain) setTarget(0, m_swapChain->backBuffer(0));
    setDepth(m_autoDepth.get());
    m_pipeline.unbind();
    const bool held = m_defaultPool || (m_swapChain && (m_swapChain->isHeld() || m_swapChain->isBufferHeld())) ||
                      (m_autoDepth && m_autoDepth->isHeld());
    if (held) {
      logLine("Reset: the program holds %d resources of the default pool%s", m_defaultPool,
              m_swapChain && m_swapChain->isBufferHeld() ? " and a back buffer" : "");
      m_fullScreen.setScreen(FullScreenWindow::Screen::Regained);  // a Reset is required
      return version() == 8 ? D3DERR_DEVICELOST : D3DERR_INVALIDCALL;
    }
  }
  m_inScene = false;
  if (!m_ex) {
    m_recording.reset();
    m_pipeline.unbind();
  }
  dropSwapChain();
  return createSwapChain(*parameters, m_ex);
}

HRESULT Device::QueryInterface(REFIID id, void **out) {
  if (!out) return E_POINTER;
  *out = nullptr;
  const bool plain = IsEqualIID(id, __uuidof(IUnknown)) || IsEqualIID(id, __uuidof(IDirect3DDevice9));
  if (!plain && !(m_ex && IsEqualIID(id, __uuidof(IDirect3DDevice9Ex)))) return E_NOINTERFACE;
  AddRef();
  *out = static_cast<IDirect3DDevice9Ex *>(this);
  return S_OK;
}

ULONG Device::AddRef() {
  return static_cast<ULONG>(InterlockedIncrement(&m_references));
}

ULONG Device::Release() {
  const LONG left = InterlockedDecrement(&m_references);
  if (left == 0) {
    Direct3D &direct3d = m_direct3d;  // keeps the adapter that the driver's device belongs to
    delete this;
    direct3d.Release();
  }
  return static_cast<ULONG>(left);
}

HRESULT Device::TestCooperativeLevel() {
  if (m_driver.isRemoved()) return m_ex ? D3DERR_DEVICEREMOVED : D3DERR_DEVICELOST;
  if (!m_ex && screen() != FullScreenWindow::Screen::Ours)
    return screen() == FullScreenWindow::Screen::Lost ? D3DERR_DEVICELOST : D3DERR_DEVICENOTRESET;
  // Direct3D 9Ex has no state that requires a Reset.
  return m_swapChain || m_ex ? D3D_OK : D3DERR_DEVICENOTRESET;
}

HRESULT Device::EvictManagedResources() {
  const Lock lock(*this);
  ++m_evictions;
  return D3D_OK;
}

HRESULT Device::GetDirect3D(IDirect3D9 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  m_direct3d.AddRef();
  *out = &m_direct3d;
  return D3D_OK;
}

HRESULT Device::GetDeviceCaps(D3DCAPS9 *caps) {
  const HRESULT result = m_direct3d.GetDeviceCaps(m_creation.AdapterOrdinal, m_creation.DeviceType, caps);
  // The processor has more constants than the hardware (page "D3DCAPS9").
  if (SUCCEEDED(result) && (m_creation.BehaviorFlags & D3DCREATE_SOFTWARE_VERTEXPROCESSING))
    caps->MaxVertexShaderConst = kSoftwareFloats;
  return result;
}

HRESULT Device::GetDisplayMode(UINT swapChain, D3DDISPLAYMODE *mode) {
  return chain(swapChain) ? chain(swapChain)->GetDisplayMode(mode) : D3DERR_INVALIDCALL;
}

HRESULT Device::GetCreationParameters(D3DDEVICE_CREATION_PARAMETERS *parameters) {
  if (!parameters) return D3DERR_INVALIDCALL;
  *parameters = m_creation;
  return D3D_OK;
}

HRESULT Device::GetSwapChain(UINT swapChain, IDirect3DSwapChain9 **out) {
  if (!out) return D3DERR_INVALIDCALL;
  *out = chain(swapChain);
  if (!*out) return D3DERR_INVALIDCALL;
  (*out)->AddRef();
  return D3D_OK;
}

UINT Device::GetNumberOfSwapChains() {
  return 1;
}

HRESULT Device::Reset(D3DPRESENT_PARAMETERS *parameters) {
  const Lock lock(*this);
  return reset(parameters);
}

HRESULT Device::ResetEx(D3DPRESENT_PARAMETERS *parameters, D3DDISPLAYMODEEX *mode) {
  const Lock lock(*this);
  if (!parameters || (mode != nullptr) == (parameters->Windowed != FALSE)) return D3DERR_INVALIDCALL;
  if (mode && (mode->Width != parameters->BackBufferWidth || mode->Height != parameters->BackBufferHeight))
    return D3DERR_INVALIDCALL;
  return reset(parameters);
}

HRESULT Device::CreateQuery(D3DQUERYTYPE type, IDirect3DQuery9 **query) {
  const Lock lock(*this);
  HRESULT result = Query::check(m_driver.adapter(), type);
  if (FAILED(result) || !query) return result;
  *query = nullptr;
  const Ref<Query> made(new Query(*this, type));
  result = made->create();
  if (FAILED(result)) return result;
  made->AddRef();
  *query = made.get();
  return D3D_OK;
}

HRESULT Device::CreateStateBlock(D3DSTATEBLOCKTYPE type, IDirect3DStateBlock9 **out) {
  const Lock lock(*this);
  if (!out || type < D3DSBT_ALL || type > D3DSBT_VERTEXSTATE || m_recording) return D3DERR_INVALIDCALL;
  StateBlock *block = new StateBlock(*this);
  block->AddRef();
  block->take(type);
  *out = block;
  return D3D_OK;
}

HRESULT Device::BeginStateBlock() {
  const Lock lock(*this);
  if (m_recording) return D3DERR_INVALIDCALL;
  m_recording = Ref<StateBlock>(new StateBlock(*this));
  return D3D_OK;
}

HRESULT Device::EndStateBlock(IDirect3DStateBlock9 **out) {
  const Lock lock(*this);
  if (!m_recording || !out) return D3DERR_INVALIDCALL;
  m_recording->AddRef();
  *out = m_recording.get();
  m_recording.reset();
  return D3D_OK;
}

StateSink &Device::sink() {
  if (m_recording) return *m_recording;
  return m_pipeline;
}

UINT Device::GetAvailableTextureMem() {
  const DriverAdapter &adapter = m_driver.adapter();
  D3DKMT_SEGMENTSIZEINFO sizes{};
  D3DKMT_QUERYADAPTERINFO argument{};
  argument.hAdapter = adapter.kernelHandle();
  argument.Type = KMTQAITYPE_GETSEGMENTSIZE;
  argument.pPrivateDriverData = &sizes;
  argument.PrivateDriverDataSize = sizeof sizes;
  if (adapter.kernel().QueryAdapterInfo(&argument) < 0) return 0;
  // Rounded to megabytes, as the page says; at most what 32 bits hold.
  const ULONGLONG all = sizes.DedicatedVideoMemorySize + sizes.SharedSystemMemorySize;
  // Direct3D 9Ex evicts resources, so all memory counts as free.
  const ULONGLONG bytes = all - (m_ex ? 0 : std::min<ULONGLONG>(all, m_driver.videoBytes()));
  return static_cast<UINT>(std::min<ULONGLONG>(bytes, 0xFFF00000u) & ~ULONGLONG{0xFFFFF});
}

}  // namespace aerogpu::runtime
