// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/d3d11/states.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

namespace aerogpu::runtime11 {
namespace {

constexpr size_t kMostStates = 4096;

// Member by member: there may be anything between members.
bool same(const D3D11_RENDER_TARGET_BLEND_DESC &a, const D3D11_RENDER_TARGET_BLEND_DESC &b) {
  return a.BlendEnable == b.BlendEnable && a.SrcBlend == b.SrcBlend && a.DestBlend == b.DestBlend &&
         a.BlendOp == b.BlendOp && a.SrcBlendAlpha == b.SrcBlendAlpha && a.DestBlendAlpha == b.DestBlendAlpha &&
         a.BlendOpAlpha == b.BlendOpAlpha && a.RenderTargetWriteMask == b.RenderTargetWriteMask;
}

bool same(const D3D11_BLEND_DESC &a, const D3D11_BLEND_DESC &b) {
  return a.AlphaToCoverageEnable == b.AlphaToCoverageEnable && a.IndependentBlendEnable == b.IndependentBlendEnable &&
         std::equal(std::begin(a.RenderTarget), std::end(a.RenderTarget), std::begin(b.RenderTarget),
                    [](const auto &x, const auto &y) { return same(x, y); });
}

bool same(const D3D11_DEPTH_STENCILOP_DESC &a, const D3D11_DEPTH_STENCILOP_DESC &b) {
  return a.StencilFailOp == b.StencilFailOp && a.StencilDepthFailOp == b.StencilDepthFailOp &&
         a.StencilPassOp == b.StencilPassOp && a.StencilFunc == b.StencilFunc;
}

bool same(const D3D11_DEPTH_STENCIL_DESC &a, const D3D11_DEPTH_STENCIL_DESC &b) {
  return a.DepthEnable == b.DepthEnable && a.DepthWriteMask == b.DepthWriteMask && a.DepthFunc == b.DepthFunc &&
         a.StencilEnable == b.StencilEnable && a.StencilReadMask == b.StencilReadMask &&
         a.StencilWriteMask == b.StencilWriteMask && same(a.FrontFace, b.FrontFace) && same(a.BackFace, b.BackFace);
}

bool same(const D3D11_RASTERIZER_DESC &a, const D3D11_RASTERIZER_DESC &b) {
  return a.FillMode == b.FillMode && a.CullMode == b.CullMode && a.FrontCounterClockwise == b.FrontCounterClockwise &&
         a.DepthBias == b.DepthBias && a.DepthBiasClamp == b.DepthBiasClamp &&
         a.SlopeScaledDepthBias == b.SlopeScaledDepthBias && a.DepthClipEnable == b.DepthClipEnable &&
         a.ScissorEnable == b.ScissorEnable && a.MultisampleEnable == b.MultisampleEnable &&
         a.AntialiasedLineEnable == b.AntialiasedLineEnable;
}

bool same(const D3D11_SAMPLER_DESC &a, const D3D11_SAMPLER_DESC &b) {
  return a.Filter == b.Filter && a.AddressU == b.AddressU && a.AddressV == b.AddressV && a.AddressW == b.AddressW &&
         a.MipLODBias == b.MipLODBias && a.MaxAnisotropy == b.MaxAnisotropy && a.ComparisonFunc == b.ComparisonFunc &&
         std::equal(std::begin(a.BorderColor), std::end(a.BorderColor), std::begin(b.BorderColor)) &&
         a.MinLOD == b.MinLOD && a.MaxLOD == b.MaxLOD;
}

template <class S, class Create>
HRESULT findOrCreate(Core &core, std::vector<S *> &all, const typename S::Desc &description, typename S::Api **out,
                     Create create) {
  if (!out) return S_FALSE;
  *out = nullptr;
  const Lock lock(core.lock);
  for (S *state : all)
    if (same(state->description(), description)) {
      *out = state;
      state->AddRef();
      return S_OK;
    }
  if (core.driver.isLost()) return DXGI_ERROR_DEVICE_REMOVED;
  if (all.size() >= kMostStates) return D3D11_ERROR_TOO_MANY_UNIQUE_STATE_OBJECTS;
  Ref<S> state(new (std::nothrow) S(core, all, description));
  if (!state) return E_OUTOFMEMORY;
  const HRESULT result = create(state->driver());
  if (FAILED(result)) return result;
  *out = state.get();
  (*out)->AddRef();
  return S_OK;
}

bool isComparison(D3D11_COMPARISON_FUNC f) {
  return f >= D3D11_COMPARISON_NEVER && f <= D3D11_COMPARISON_ALWAYS;
}
bool isBlend(D3D11_BLEND b) {
  return b >= D3D11_BLEND_ZERO && b <= D3D11_BLEND_INV_SRC1_ALPHA && b != 12 && b != 13;
}
/// A factor of alpha has no colour.
bool isAlphaBlend(D3D11_BLEND b) {
  return isBlend(b) && b != D3D11_BLEND_SRC_COLOR && b != D3D11_BLEND_INV_SRC_COLOR && b != D3D11_BLEND_DEST_COLOR &&
         b != D3D11_BLEND_INV_DEST_COLOR && b != D3D11_BLEND_SRC1_COLOR && b != D3D11_BLEND_INV_SRC1_COLOR;
}
bool isBlendOp(D3D11_BLEND_OP o) {
  return o >= D3D11_BLEND_OP_ADD && o <= D3D11_BLEND_OP_MAX;
}
bool isStencilOp(D3D11_STENCIL_OP o) {
  return o >= D3D11_STENCIL_OP_KEEP && o <= D3D11_STENCIL_OP_DECR;
}
bool isFace(const D3D11_DEPTH_STENCILOP_DESC &face) {
  return isStencilOp(face.StencilFailOp) && isStencilOp(face.StencilDepthFailOp) && isStencilOp(face.StencilPassOp) &&
         isComparison(face.StencilFunc);
}
bool isAddress(D3D11_TEXTURE_ADDRESS_MODE m) {
  return m >= D3D11_TEXTURE_ADDRESS_WRAP && m <= D3D11_TEXTURE_ADDRESS_MIRROR_ONCE;
}
D3D10_DDI_DEPTH_STENCILOP_DESC faceOf(const D3D11_DEPTH_STENCILOP_DESC &face) {
  return {
      static_cast<D3D10_DDI_STENCIL_OP>(face.StencilFailOp), static_cast<D3D10_DDI_STENCIL_OP>(face.StencilDepthFailOp),
      static_cast<D3D10_DDI_STENCIL_OP>(face.StencilPassOp), static_cast<D3D10_DDI_COMPARISON_FUNC>(face.StencilFunc)};
}

/// The factors of a target that does not blend, by which equal states are found.
constexpr D3D11_RENDER_TARGET_BLEND_DESC kNoBlend = {
    FALSE,           D3D11_BLEND_ONE,  D3D11_BLEND_ZERO,   D3D11_BLEND_OP_ADD,
    D3D11_BLEND_ONE, D3D11_BLEND_ZERO, D3D11_BLEND_OP_ADD, 0};

}  // namespace

HRESULT createState(Core &core, StateSets &sets, const D3D11_BLEND_DESC *given, ID3D11BlendState **out) {
  if (!given) return E_INVALIDARG;
  D3D11_BLEND_DESC d;
  std::memset(static_cast<void *>(&d), 0, sizeof d);
  d.AlphaToCoverageEnable = given->AlphaToCoverageEnable != 0;
  d.IndependentBlendEnable = given->IndependentBlendEnable != 0;
  // Level 10_0 has masks and switches for each target, but one function.
  const bool oneFunction = core.level < D3D_FEATURE_LEVEL_10_1;
  D3D10_1_DDI_BLEND_DESC ddi{};
  ddi.AlphaToCoverageEnable = d.AlphaToCoverageEnable;
  ddi.IndependentBlendEnable = d.IndependentBlendEnable;
  const D3D11_RENDER_TARGET_BLEND_DESC *function = nullptr;
  for (int i = 0; i < 8; ++i) {
    const D3D11_RENDER_TARGET_BLEND_DESC &from = given->RenderTarget[d.IndependentBlendEnable ? i : 0];
    D3D11_RENDER_TARGET_BLEND_DESC &to = d.RenderTarget[i];
    if (from.RenderTargetWriteMask > D3D11_COLOR_WRITE_ENABLE_ALL) return E_INVALIDARG;
    to.BlendEnable = from.BlendEnable != 0;
    const D3D11_RENDER_TARGET_BLEND_DESC &used = from.BlendEnable ? from : kNoBlend;
    if (!isBlend(used.SrcBlend) || !isBlend(used.DestBlend) || !isBlendOp(used.BlendOp) ||
        !isAlphaBlend(used.SrcBlendAlpha) || !isAlphaBlend(used.DestBlendAlpha) || !isBlendOp(used.BlendOpAlpha))
      return E_INVALIDARG;
    if (oneFunction && from.BlendEnable) {
      if (function && (function->SrcBlend != from.SrcBlend || function->DestBlend != from.DestBlend ||
                       function->BlendOp != from.BlendOp || function->SrcBlendAlpha != from.SrcBlendAlpha ||
                       function->DestBlendAlpha != from.DestBlendAlpha || function->BlendOpAlpha != from.BlendOpAlpha))
        return E_INVALIDARG;
      function = &from;
    }
    to.SrcBlend = used.SrcBlend;
    to.DestBlend = used.DestBlend;
    to.BlendOp = used.BlendOp;
    to.SrcBlendAlpha = used.SrcBlendAlpha;
    to.DestBlendAlpha = used.DestBlendAlpha;
    to.BlendOpAlpha = used.BlendOpAlpha;
    to.RenderTargetWriteMask = from.RenderTargetWriteMask;
    D3D10_DDI_RENDER_TARGET_BLEND_DESC1 &target = ddi.RenderTarget[i];
    target.BlendEnable = to.BlendEnable;
    target.SrcBlend = static_cast<D3D10_DDI_BLEND>(to.SrcBlend);
    target.DestBlend = static_cast<D3D10_DDI_BLEND>(to.DestBlend);
    target.BlendOp = static_cast<D3D10_DDI_BLEND_OP>(to.BlendOp);
    target.SrcBlendAlpha = static_cast<D3D10_DDI_BLEND>(to.SrcBlendAlpha);
    target.DestBlendAlpha = static_cast<D3D10_DDI_BLEND>(to.DestBlendAlpha);
    target.BlendOpAlpha = static_cast<D3D10_DDI_BLEND_OP>(to.BlendOpAlpha);
    target.RenderTargetWriteMask = to.RenderTargetWriteMask;
  }
  // A driver of level 10_0 takes the first target's function.
  if (function) {
    D3D10_DDI_RENDER_TARGET_BLEND_DESC1 &first = ddi.RenderTarget[0];
    first.SrcBlend = static_cast<D3D10_DDI_BLEND>(function->SrcBlend);
    first.DestBlend = static_cast<D3D10_DDI_BLEND>(function->DestBlend);
    first.BlendOp = static_cast<D3D10_DDI_BLEND_OP>(function->BlendOp);
    first.SrcBlendAlpha = static_cast<D3D10_DDI_BLEND>(function->SrcBlendAlpha);
    first.DestBlendAlpha = static_cast<D3D10_DDI_BLEND>(function->DestBlendAlpha);
    first.BlendOpAlpha = static_cast<D3D10_DDI_BLEND_OP>(function->BlendOpAlpha);
  }
  return findOrCreate(core, sets.blend, d, out,
                      [&](DriverBlendState &object) { return createBlendState(object, ddi); });
}

HRESULT createState(Core &core, StateSets &sets, const D3D11_DEPTH_STENCIL_DESC *given, ID3D11DepthStencilState **out) {
  if (!given) return E_INVALIDARG;
  D3D11_DEPTH_STENCIL_DESC d;
  std::memset(static_cast<void *>(&d), 0, sizeof d);
  constexpr D3D11_DEPTH_STENCILOP_DESC kKeep = {D3D11_STENCIL_OP_KEEP, D3D11_STENCIL_OP_KEEP, D3D11_STENCIL_OP_KEEP,
                                                D3D11_COMPARISON_ALWAYS};
  d.DepthEnable = given->DepthEnable != 0;
  d.DepthWriteMask = d.DepthEnable ? given->DepthWriteMask : D3D11_DEPTH_WRITE_MASK_ALL;
  d.DepthFunc = d.DepthEnable ? given->DepthFunc : D3D11_COMPARISON_LESS;
  d.StencilEnable = given->StencilEnable != 0;
  d.StencilReadMask = d.StencilEnable ? given->StencilReadMask : UINT8{D3D11_DEFAULT_STENCIL_READ_MASK};
  d.StencilWriteMask = d.StencilEnable ? given->StencilWriteMask : UINT8{D3D11_DEFAULT_STENCIL_WRITE_MASK};
  d.FrontFace = d.StencilEnable ? given->FrontFace : kKeep;
  d.BackFace = d.StencilEnable ? given->BackFace : kKeep;
  if (d.DepthWriteMask > D3D11_DEPTH_WRITE_MASK_ALL || !isComparison(d.DepthFunc) || !isFace(d.FrontFace) ||
      !isFace(d.BackFace))
    return E_INVALIDARG;
  D3D10_DDI_DEPTH_STENCIL_DESC ddi{};
  ddi.DepthEnable = d.DepthEnable;
  ddi.DepthWriteMask = static_cast<D3D10_DDI_DEPTH_WRITE_MASK>(d.DepthWriteMask);
  ddi.DepthFunc = static_cast<D3D10_DDI_COMPARISON_FUNC>(d.DepthFunc);
  ddi.StencilEnable = ddi.FrontEnable = ddi.BackEnable = d.StencilEnable;
  ddi.StencilReadMask = d.StencilReadMask;
  ddi.StencilWriteMask = d.StencilWriteMask;
  ddi.FrontFace = faceOf(d.FrontFace);
  ddi.BackFace = faceOf(d.BackFace);
  return findOrCreate(core, sets.depthStencil, d, out, [&](DriverDepthStencilState &object) {
    return object.create<&D3D11DDI_DEVICEFUNCS::pfnCalcPrivateDepthStencilStateSize,
                         &D3D11DDI_DEVICEFUNCS::pfnCreateDepthStencilState>(ddi);
  });
}

HRESULT createState(Core &core, StateSets &sets, const D3D11_RASTERIZER_DESC *given, ID3D11RasterizerState **out) {
  if (!given) return E_INVALIDARG;
  D3D11_RASTERIZER_DESC d = *given;
  if (d.FillMode < D3D11_FILL_WIREFRAME || d.FillMode > D3D11_FILL_SOLID || d.CullMode < D3D11_CULL_NONE ||
      d.CullMode > D3D11_CULL_BACK)
    return E_INVALIDARG;
  D3D10_DDI_RASTERIZER_DESC ddi{};
  ddi.FillMode = static_cast<D3D10_DDI_FILL_MODE>(d.FillMode);
  ddi.CullMode = static_cast<D3D10_DDI_CULL_MODE>(d.CullMode);
  ddi.FrontCounterClockwise = d.FrontCounterClockwise = d.FrontCounterClockwise != 0;
  ddi.DepthBias = d.DepthBias;
  ddi.DepthBiasClamp = d.DepthBiasClamp;
  ddi.SlopeScaledDepthBias = d.SlopeScaledDepthBias;
  ddi.DepthClipEnable = d.DepthClipEnable = d.DepthClipEnable != 0;
  ddi.ScissorEnable = d.ScissorEnable = d.ScissorEnable != 0;
  ddi.MultisampleEnable = d.MultisampleEnable = d.MultisampleEnable != 0;
  ddi.AntialiasedLineEnable = d.AntialiasedLineEnable = d.AntialiasedLineEnable != 0;
  return findOrCreate(core, sets.rasterizer, d, out, [&](DriverRasterizerState &object) {
    return object.create<&D3D11DDI_DEVICEFUNCS::pfnCalcPrivateRasterizerStateSize,
                         &D3D11DDI_DEVICEFUNCS::pfnCreateRasterizerState>(ddi);
  });
}

HRESULT createState(Core &core, StateSets &sets, const D3D11_SAMPLER_DESC *given, ID3D11SamplerState **out) {
  if (!given) return E_INVALIDARG;
  D3D11_SAMPLER_DESC d = *given;
  constexpr UINT kBits = 0x95, kAnisotropic = 0x55, kComparison = 0x80, kMostAnisotropy = 16;
  const UINT filter = d.Filter;
  const bool anisotropic = (filter & ~kComparison) == kAnisotropic, comparison = filter & kComparison;
  if (((filter & ~kBits) && !anisotropic) || !isAddress(d.AddressU) || !isAddress(d.AddressV) ||
      !isAddress(d.AddressW) || (anisotropic && (!d.MaxAnisotropy || d.MaxAnisotropy > kMostAnisotropy)) ||
      (comparison && !isComparison(d.ComparisonFunc)))
    return E_INVALIDARG;
  if (!anisotropic) d.MaxAnisotropy = 0;
  if (!comparison) d.ComparisonFunc = D3D11_COMPARISON_NEVER;
  if (d.AddressU != D3D11_TEXTURE_ADDRESS_BORDER && d.AddressV != D3D11_TEXTURE_ADDRESS_BORDER &&
      d.AddressW != D3D11_TEXTURE_ADDRESS_BORDER)
    std::memset(d.BorderColor, 0, sizeof d.BorderColor);
  D3D10_DDI_SAMPLER_DESC ddi{};
  static_assert(sizeof ddi == sizeof d);
  std::memcpy(static_cast<void *>(&ddi), &d, sizeof ddi);  // the same members with the same values
  return findOrCreate(core, sets.samplers, d, out, [&](DriverSampler &object) {
    return object.create<&D3D11DDI_DEVICEFUNCS::pfnCalcPrivateSamplerSize, &D3D11DDI_DEVICEFUNCS::pfnCreateSampler>(
        ddi);
  });
}

namespace {

/// Creates the default state `S`; the program has no reference to it.
template <class S>
HRESULT createDefault(Core &core, StateSets &sets, const typename S::Desc &description, Ref<S> &out) {
  typename S::Api *made = nullptr;
  const HRESULT result = createState(core, sets, &description, &made);
  if (FAILED(result)) return result;
  out = static_cast<S *>(made);
  made->Release();
  return S_OK;
}

}  // namespace

HRESULT createDefaultStates(Core &core, StateSets &sets, DefaultStates &out) {
  // The tables of the pages of OMSetBlendState, D3D11_DEPTH_STENCIL_DESC and D3D11_RASTERIZER_DESC.
  D3D11_BLEND_DESC blend{};
  for (D3D11_RENDER_TARGET_BLEND_DESC &target : blend.RenderTarget) {
    target = kNoBlend;
    target.RenderTargetWriteMask = D3D11_COLOR_WRITE_ENABLE_ALL;
  }
  D3D11_DEPTH_STENCIL_DESC depthStencil{};
  depthStencil.DepthEnable = TRUE;
  depthStencil.DepthWriteMask = D3D11_DEPTH_WRITE_MASK_ALL;
  depthStencil.DepthFunc = D3D11_COMPARISON_LESS;
  D3D11_RASTERIZER_DESC rasterizer{};
  rasterizer.FillMode = D3D11_FILL_SOLID;
  rasterizer.CullMode = D3D11_CULL_BACK;
  rasterizer.DepthClipEnable = TRUE;
  HRESULT result = createDefault(core, sets, blend, out.blend);
  if (SUCCEEDED(result)) result = createDefault(core, sets, depthStencil, out.depthStencil);
  if (SUCCEEDED(result)) result = createDefault(core, sets, rasterizer, out.rasterizer);
  return result;
}

}  // namespace aerogpu::runtime11
