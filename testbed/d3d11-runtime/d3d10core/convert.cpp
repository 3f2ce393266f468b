// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/d3d10core/convert.h"

#include <algorithm>
#include <iterator>

namespace aerogpu::runtime11 {
namespace {

// What is passed on as it is: the same number under both names. One of each kind, at its end.
#define AEROGPU_SAME(NAME) static_assert(UINT{D3D10_##NAME} == UINT{D3D11_##NAME})
AEROGPU_SAME(ASYNC_GETDATA_DONOTFLUSH);
AEROGPU_SAME(BIND_DEPTH_STENCIL);
AEROGPU_SAME(BLEND_INV_SRC1_ALPHA);
AEROGPU_SAME(BLEND_OP_MAX);
AEROGPU_SAME(CLEAR_STENCIL);
AEROGPU_SAME(COLOR_WRITE_ENABLE_ALL);
AEROGPU_SAME(COMPARISON_ALWAYS);
AEROGPU_SAME(CPU_ACCESS_READ);
AEROGPU_SAME(CREATE_DEVICE_BGRA_SUPPORT);
AEROGPU_SAME(CREATE_DEVICE_PREVENT_INTERNAL_THREADING_OPTIMIZATIONS);
AEROGPU_SAME(CREATE_DEVICE_SINGLETHREADED);
AEROGPU_SAME(CULL_BACK);
AEROGPU_SAME(DSV_DIMENSION_TEXTURE2DMSARRAY);
AEROGPU_SAME(FILL_SOLID);
AEROGPU_SAME(FILTER_COMPARISON_ANISOTROPIC);
AEROGPU_SAME(FORMAT_SUPPORT_BACK_BUFFER_CAST);
AEROGPU_SAME(INPUT_PER_INSTANCE_DATA);
AEROGPU_SAME(MAP_FLAG_DO_NOT_WAIT);
AEROGPU_SAME(MAP_WRITE_NO_OVERWRITE);
AEROGPU_SAME(QUERY_SO_OVERFLOW_PREDICATE);
AEROGPU_SAME(RAISE_FLAG_DRIVER_INTERNAL_ERROR);
AEROGPU_SAME(RESOURCE_DIMENSION_TEXTURE3D);
AEROGPU_SAME(RTV_DIMENSION_TEXTURE3D);
AEROGPU_SAME(STENCIL_OP_DECR);
AEROGPU_SAME(TEXTURE_ADDRESS_MIRROR_ONCE);
AEROGPU_SAME(USAGE_STAGING);
#undef AEROGPU_SAME

struct MiscFlag {
  UINT ten, eleven;
};
constexpr MiscFlag kMiscFlags[] = {
    {D3D10_RESOURCE_MISC_GENERATE_MIPS, D3D11_RESOURCE_MISC_GENERATE_MIPS},
    {D3D10_RESOURCE_MISC_SHARED, D3D11_RESOURCE_MISC_SHARED},
    {D3D10_RESOURCE_MISC_TEXTURECUBE, D3D11_RESOURCE_MISC_TEXTURECUBE},
    {D3D10_RESOURCE_MISC_SHARED_KEYEDMUTEX, D3D11_RESOURCE_MISC_SHARED_KEYEDMUTEX},
    {D3D10_RESOURCE_MISC_GDI_COMPATIBLE, D3D11_RESOURCE_MISC_GDI_COMPATIBLE},
};

constexpr UINT kBinds = D3D10_BIND_VERTEX_BUFFER | D3D10_BIND_INDEX_BUFFER | D3D10_BIND_CONSTANT_BUFFER |
                        D3D10_BIND_SHADER_RESOURCE | D3D10_BIND_STREAM_OUTPUT | D3D10_BIND_RENDER_TARGET |
                        D3D10_BIND_DEPTH_STENCIL;

/// Returns the whole part of a viewport's size or place, which programs of Direct3D 11 may have set beyond all limits.
template <class T> T wholeOf(FLOAT value) {
  constexpr FLOAT kMost = 65536;
  return static_cast<T>(std::clamp(value, std::is_signed_v<T> ? -kMost : 0, kMost));
}

}  // namespace

bool miscOf11(UINT ten, UINT &eleven) {
  eleven = 0;
  for (const MiscFlag &flag : kMiscFlags)
    if (ten & flag.ten) {
      eleven |= flag.eleven;
      ten &= ~flag.ten;
    }
  return ten == 0;
}

UINT miscOf10(UINT eleven) {
  UINT ten = 0;
  for (const MiscFlag &flag : kMiscFlags)
    if (eleven & flag.eleven) ten |= flag.ten;
  return ten;
}

bool isBind10(UINT bind) {
  return !(bind & ~kBinds);
}

D3D10_BUFFER_DESC tenOf(const D3D11_BUFFER_DESC &d) {
  return {d.ByteWidth, static_cast<D3D10_USAGE>(d.Usage), d.BindFlags, d.CPUAccessFlags, miscOf10(d.MiscFlags)};
}

bool elevenOf(const D3D10_BUFFER_DESC &d, D3D11_BUFFER_DESC &out) {
  out = {d.ByteWidth, static_cast<D3D11_USAGE>(d.Usage), d.BindFlags, d.CPUAccessFlags, 0, 0};
  return isBind10(d.BindFlags) && miscOf11(d.MiscFlags, out.MiscFlags);
}

// Direct3D 11 has flags between the dimension and the place.
D3D10_DEPTH_STENCIL_VIEW_DESC tenOf(const D3D11_DEPTH_STENCIL_VIEW_DESC &d) {
  D3D10_DEPTH_STENCIL_VIEW_DESC out{};
  out.Format = d.Format;
  out.ViewDimension = static_cast<D3D10_DSV_DIMENSION>(d.ViewDimension);
  out.Texture2DArray = same<D3D10_TEX2D_ARRAY_DSV>(d.Texture2DArray);  // the largest of the places
  return out;
}

D3D11_DEPTH_STENCIL_VIEW_DESC elevenOf(const D3D10_DEPTH_STENCIL_VIEW_DESC &d) {
  D3D11_DEPTH_STENCIL_VIEW_DESC out{};
  out.Format = d.Format;
  out.ViewDimension = static_cast<D3D11_DSV_DIMENSION>(d.ViewDimension);
  out.Texture2DArray = same<D3D11_TEX2D_ARRAY_DSV>(d.Texture2DArray);
  return out;
}

D3D10_BLEND_DESC tenOf(const D3D11_BLEND_DESC &d) {
  const auto *first = std::find_if(std::begin(d.RenderTarget), std::end(d.RenderTarget),
                                   [](const D3D11_RENDER_TARGET_BLEND_DESC &target) { return target.BlendEnable; });
  if (first == std::end(d.RenderTarget)) first = d.RenderTarget;
  D3D10_BLEND_DESC out{};
  out.AlphaToCoverageEnable = d.AlphaToCoverageEnable;
  out.SrcBlend = static_cast<D3D10_BLEND>(first->SrcBlend);
  out.DestBlend = static_cast<D3D10_BLEND>(first->DestBlend);
  out.BlendOp = static_cast<D3D10_BLEND_OP>(first->BlendOp);
  out.SrcBlendAlpha = static_cast<D3D10_BLEND>(first->SrcBlendAlpha);
  out.DestBlendAlpha = static_cast<D3D10_BLEND>(first->DestBlendAlpha);
  out.BlendOpAlpha = static_cast<D3D10_BLEND_OP>(first->BlendOpAlpha);
  for (size_t i = 0; i < std::size(d.RenderTarget); ++i) {
    out.BlendEnable[i] = d.RenderTarget[i].BlendEnable;
    out.RenderTargetWriteMask[i] = d.RenderTarget[i].RenderTargetWriteMask;
  }
  return out;
}

D3D11_BLEND_DESC elevenOf(const D3D10_BLEND_DESC &d) {
  D3D11_BLEND_DESC out{};
  out.AlphaToCoverageEnable = d.AlphaToCoverageEnable;
  for (size_t i = 0; i < std::size(out.RenderTarget); ++i) {
    out.RenderTarget[i] = {d.BlendEnable[i],
                           static_cast<D3D11_BLEND>(d.SrcBlend),
                           static_cast<D3D11_BLEND>(d.DestBlend),
                           static_cast<D3D11_BLEND_OP>(d.BlendOp),
                           static_cast<D3D11_BLEND>(d.SrcBlendAlpha),
                           static_cast<D3D11_BLEND>(d.DestBlendAlpha),
                           static_cast<D3D11_BLEND_OP>(d.BlendOpAlpha),
                           d.RenderTargetWriteMask[i]};
    out.IndependentBlendEnable |=
        (d.BlendEnable[i] != 0) != (d.BlendEnable[0] != 0) || d.RenderTargetWriteMask[i] != d.RenderTargetWriteMask[0];
  }
  return out;
}

D3D10_QUERY_DESC tenOf(const D3D11_QUERY_DESC &d) {
  return {static_cast<D3D10_QUERY>(d.Query), d.MiscFlags};
}

bool elevenOf(const D3D10_QUERY_DESC &d, D3D11_QUERY_DESC &out) {
  out = {static_cast<D3D11_QUERY>(d.Query), d.MiscFlags};
  return d.Query <= D3D10_QUERY_SO_OVERFLOW_PREDICATE;  // Direct3D 11 has one for each stream besides
}

// Whole pixels, which a float has up to the largest viewport.
D3D11_VIEWPORT elevenOf(const D3D10_VIEWPORT &v) {
  return {static_cast<FLOAT>(v.TopLeftX),
          static_cast<FLOAT>(v.TopLeftY),
          static_cast<FLOAT>(v.Width),
          static_cast<FLOAT>(v.Height),
          v.MinDepth,
          v.MaxDepth};
}

D3D10_VIEWPORT tenOf(const D3D11_VIEWPORT &v) {
  return {wholeOf<INT>(v.TopLeftX),
          wholeOf<INT>(v.TopLeftY),
          wholeOf<UINT>(v.Width),
          wholeOf<UINT>(v.Height),
          v.MinDepth,
          v.MaxDepth};
}

}  // namespace aerogpu::runtime11
