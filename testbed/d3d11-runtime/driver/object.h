// SPDX-License-Identifier: MIT
// An object at the driver: CalcPrivateXSize, CreateX into memory full of garbage, DestroyX. If CreateX reports an error
// no DestroyX follows.
#pragma once

#include "testbed/d3d11-runtime/driver/device.h"

namespace aerogpu::runtime11 {

/// `Handle`: a driver's handle, such as D3D10DDI_HRESOURCE; `RuntimeHandle`: the runtime's; `kDestroy`: a member of
/// D3D11DDI_DEVICEFUNCS that is the same in all tables.
template <class Handle, class RuntimeHandle, auto kDestroy> class DriverObject {
public:
  explicit DriverObject(DriverDevice &device) : m_device(device) {}
  ~DriverObject() {
    if (m_made) m_device.call<kDestroy>(handle());
    if (!m_memory.isIntact()) runtime::brokenRule("%s: the driver wrote behind its memory", name());
  }
  DriverObject(const DriverObject &) = delete;
  DriverObject &operator=(const DriverObject &) = delete;

  Handle handle() const { return {m_memory.data()}; }
  DriverDevice &device() const { return m_device; }

  /// Creates it from a description, which is poisoned afterwards.
  template <auto kCalc, auto kCreate, Errors kErrors = Errors::OutOfMemory, class Argument>
  HRESULT create(const Argument &argument) {
    Lent<Argument> lent(argument);
    if (!m_memory.allocate(m_device.sizeOf<kCalc>(lent.data()))) return E_OUTOFMEMORY;
    return made(m_device.call<kCreate, kErrors>(lent.data(), handle(), RuntimeHandle{this}));
  }
  /// The same for shaders, whose functions take code and signatures.
  template <auto kCalc, auto kCreate, class Code, class Signatures>
  HRESULT createShader(const Code *code, const Signatures *signatures) {
    if (!m_memory.allocate(m_device.sizeOf<kCalc>(code, signatures))) return E_OUTOFMEMORY;
    return made(m_device.call<kCreate, Errors::OutOfMemory>(code, handle(), RuntimeHandle{this}, signatures));
  }
  /// The same with another handle of the runtime.
  template <auto kCalc, auto kCreate, Errors kErrors, class Argument>
  HRESULT createFor(void *runtimeHandle, Argument *argument) {
    if (!m_memory.allocate(m_device.sizeOf<kCalc>(argument))) return E_OUTOFMEMORY;
    return made(m_device.call<kCreate, kErrors>(argument, handle(), RuntimeHandle{runtimeHandle}));
  }

private:
  static const char *name() {
    // A constant. NOLINTNEXTLINE(bugprone-dynamic-static-initializers)
    static constexpr runtime::FunctionName spelled = runtime::functionName<kDestroy>();
    return spelled.text;
  }
  HRESULT made(HRESULT result) {
    m_made = SUCCEEDED(result);
    if (m_made && !m_memory.isIntact())
      runtime::brokenRule("%s: the driver wrote behind its memory at its creation", name());
    return result;
  }

  DriverDevice &m_device;
  PrivateMemory m_memory;
  bool m_made = false;
};

using DriverRenderTargetView = DriverObject<D3D10DDI_HRENDERTARGETVIEW, D3D10DDI_HRTRENDERTARGETVIEW,
                                            &D3D11DDI_DEVICEFUNCS::pfnDestroyRenderTargetView>;
using DriverDepthStencilView = DriverObject<D3D10DDI_HDEPTHSTENCILVIEW, D3D10DDI_HRTDEPTHSTENCILVIEW,
                                            &D3D11DDI_DEVICEFUNCS::pfnDestroyDepthStencilView>;
using DriverShaderResourceView = DriverObject<D3D10DDI_HSHADERRESOURCEVIEW, D3D10DDI_HRTSHADERRESOURCEVIEW,
                                              &D3D11DDI_DEVICEFUNCS::pfnDestroyShaderResourceView>;
using DriverElementLayout =
    DriverObject<D3D10DDI_HELEMENTLAYOUT, D3D10DDI_HRTELEMENTLAYOUT, &D3D11DDI_DEVICEFUNCS::pfnDestroyElementLayout>;
using DriverBlendState =
    DriverObject<D3D10DDI_HBLENDSTATE, D3D10DDI_HRTBLENDSTATE, &D3D11DDI_DEVICEFUNCS::pfnDestroyBlendState>;
using DriverDepthStencilState = DriverObject<D3D10DDI_HDEPTHSTENCILSTATE, D3D10DDI_HRTDEPTHSTENCILSTATE,
                                             &D3D11DDI_DEVICEFUNCS::pfnDestroyDepthStencilState>;
using DriverRasterizerState = DriverObject<D3D10DDI_HRASTERIZERSTATE, D3D10DDI_HRTRASTERIZERSTATE,
                                           &D3D11DDI_DEVICEFUNCS::pfnDestroyRasterizerState>;
using DriverSampler = DriverObject<D3D10DDI_HSAMPLER, D3D10DDI_HRTSAMPLER, &D3D11DDI_DEVICEFUNCS::pfnDestroySampler>;
using DriverShader = DriverObject<D3D10DDI_HSHADER, D3D10DDI_HRTSHADER, &D3D11DDI_DEVICEFUNCS::pfnDestroyShader>;
using DriverQuery = DriverObject<D3D10DDI_HQUERY, D3D10DDI_HRTQUERY, &D3D11DDI_DEVICEFUNCS::pfnDestroyQuery>;

// The creations whose structures differ between the tables; each takes that of 11.
HRESULT createBlendState(DriverBlendState &object, const D3D10_1_DDI_BLEND_DESC &description);
HRESULT createShaderResourceView(DriverShaderResourceView &object,
                                 const D3D11DDIARG_CREATESHADERRESOURCEVIEW &description);
HRESULT createStreamShader(DriverShader &object, const D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT &description,
                           const D3D10DDIARG_STAGE_IO_SIGNATURES *signatures);
HRESULT createDepthStencilView(DriverDepthStencilView &object, const D3D11DDIARG_CREATEDEPTHSTENCILVIEW &description);

}  // namespace aerogpu::runtime11
