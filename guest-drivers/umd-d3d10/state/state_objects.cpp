// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/state/state_objects.h"

namespace aero {
namespace {

uint32_t bitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/** True if the device has the factor: those of a second colour are missing (DRAW-20). */
bool isFactor(uint32_t factor) {
  return factor >= D3D10_DDI_BLEND_ZERO && factor <= D3D10_DDI_BLEND_INVBLEND_FACTOR && factor != 12 && factor != 13;
}

StencilSide sideOf(const D3D10_DDI_DEPTH_STENCILOP_DESC &desc, bool isOn) {
  StencilSide side;
  if (!isOn) return side;  // keeps everything
  side.fail = static_cast<uint8_t>(desc.StencilFailOp);
  side.depthFail = static_cast<uint8_t>(desc.StencilDepthFailOp);
  side.pass = static_cast<uint8_t>(desc.StencilPassOp);
  side.function = static_cast<uint8_t>(desc.StencilFunc);
  return side;
}

/** Makes a D3DCOLOR; returns false if a channel is none of its 256 values. */
bool toColor(const FLOAT (&rgba)[4], uint32_t &color) {
  uint32_t bytes[4];
  for (uint32_t i = 0; i < 4; i++) {
    if (!(rgba[i] >= 0 && rgba[i] <= 1)) return false;
    const float scaled = rgba[i] * 255;
    bytes[i] = static_cast<uint32_t>(scaled);
    if (scaled - static_cast<float>(bytes[i]) > 0.5f) bytes[i]++;
    const float off = scaled - static_cast<float>(bytes[i]);
    if (off > 0.001f || off < -0.001f) return false;
  }
  color = bytes[3] << 24 | bytes[0] << 16 | bytes[1] << 8 | bytes[2];
  return true;
}

}  // namespace

HRESULT BlendState::create(DeviceObjects &, const D3D10_1_DDI_BLEND_DESC &desc) {
  isAlphaToCoverage = desc.AlphaToCoverageEnable;
  for (uint32_t i = 0; i < kTargets; i++) {
    const D3D10_DDI_RENDER_TARGET_BLEND_DESC1 &of = desc.RenderTarget[desc.IndependentBlendEnable ? i : 0];
    isEnabled[i] = of.BlendEnable;
    mask[i] = of.RenderTargetWriteMask & 15;
    if (!isEnabled[i]) continue;
    if (!isFactor(of.SrcBlend) || !isFactor(of.DestBlend) || !isFactor(of.SrcBlendAlpha) ||
        !isFactor(of.DestBlendAlpha))
      return kNotAvailable;
    function[i] = {static_cast<uint8_t>(of.SrcBlend),       static_cast<uint8_t>(of.DestBlend),
                   static_cast<uint8_t>(of.BlendOp),        static_cast<uint8_t>(of.SrcBlendAlpha),
                   static_cast<uint8_t>(of.DestBlendAlpha), static_cast<uint8_t>(of.BlendOpAlpha)};
  }
  return kOk;
}

HRESULT DepthStencilState::create(DeviceObjects &, const D3D10_DDI_DEPTH_STENCIL_DESC &desc) {
  block.depth_enable = desc.DepthEnable != 0;
  block.depth_write_enable = desc.DepthEnable && desc.DepthWriteMask == D3D10_DDI_DEPTH_WRITE_MASK_ALL;
  block.depth_func = desc.DepthEnable ? static_cast<uint32_t>(desc.DepthFunc) - D3D10_DDI_COMPARISON_NEVER
                                      : uint32_t{AEROGPU_COMPARE_ALWAYS};
  block.stencil_enable = desc.StencilEnable && (desc.FrontEnable || desc.BackEnable);
  block.stencil_read_mask = desc.StencilReadMask;
  block.stencil_write_mask = desc.StencilWriteMask;
  front = sideOf(desc.FrontFace, block.stencil_enable && desc.FrontEnable);
  back = sideOf(desc.BackFace, block.stencil_enable && desc.BackEnable);
  return kOk;
}

HRESULT RasterizerState::create(DeviceObjects &, const D3D10_DDI_RASTERIZER_DESC &desc) {
  // MultisampleEnable chooses how lines are drawn, and the device has one way.
  if (desc.AntialiasedLineEnable || desc.DepthBiasClamp != 0) return kNotAvailable;
  block.fill_mode = desc.FillMode == D3D10_DDI_FILL_WIREFRAME ? AEROGPU_FILL_WIREFRAME : AEROGPU_FILL_SOLID;
  block.cull_mode = static_cast<uint32_t>(desc.CullMode) - D3D10_DDI_CULL_NONE;
  block.front_ccw = desc.FrontCounterClockwise != 0;
  block.scissor_enable = desc.ScissorEnable != 0;
  block.depth_bias = desc.DepthBias;
  block.flags = desc.DepthClipEnable ? AEROGPU_RASTERIZER_FLAG_NONE : AEROGPU_RASTERIZER_FLAG_DEPTH_CLIP_DISABLE;
  slopeScaledDepthBias = desc.SlopeScaledDepthBias;
  return kOk;
}

HRESULT SamplerState::create(DeviceObjects &, const D3D10_DDI_SAMPLER_DESC &desc) {
  const auto filter = static_cast<uint32_t>(desc.Filter);
  if (filter & (D3D10_DDI_COMPARISON_FILTERING_BIT | D3D10_DDI_TEXT_1BIT_BIT)) return kNotAvailable;
  const bool isAnisotropic = filter & D3D10_DDI_ANISOTROPIC_FILTERING_BIT;
  constexpr uint32_t kPoint = 1, kLinear = 2, kAnisotropic = 3, kNone = 0;  // D3DTEXF_*
  const auto type = [&](uint32_t shift) {
    return (filter >> shift & D3D10_DDI_FILTER_TYPE_MASK) == D3D10_DDI_FILTER_TYPE_LINEAR ? kLinear : kPoint;
  };
  values[1] = static_cast<uint32_t>(desc.AddressU);
  values[2] = static_cast<uint32_t>(desc.AddressV);
  values[3] = static_cast<uint32_t>(desc.AddressW);
  values[5] = type(D3D10_DDI_MAG_FILTER_SHIFT);
  values[6] = isAnisotropic ? kAnisotropic : type(D3D10_DDI_MIN_FILTER_SHIFT);
  values[7] = type(D3D10_DDI_MIP_FILTER_SHIFT);
  values[8] = bitsOf(desc.MipLODBias);
  values[10] = isAnisotropic ? desc.MaxAnisotropy : 1;
  // The device starts at a whole level, and either uses it alone or all after it.
  constexpr float kLastLevel = 14;
  const float least = desc.MinLOD > 0 ? desc.MinLOD : 0;
  if (least > kLastLevel || least != static_cast<float>(static_cast<uint32_t>(least))) return kNotAvailable;
  values[9] = static_cast<uint32_t>(least);
  if (desc.MaxLOD <= least)
    values[7] = kNone;
  else if (desc.MaxLOD < kLastLevel)
    return kNotAvailable;
  const bool hasBorder = desc.AddressU == D3D10_DDI_TEXTURE_ADDRESS_BORDER ||
                         desc.AddressV == D3D10_DDI_TEXTURE_ADDRESS_BORDER ||
                         desc.AddressW == D3D10_DDI_TEXTURE_ADDRESS_BORDER;
  return hasBorder && !toColor(desc.BorderColor, values[4]) ? kNotAvailable : kOk;
}

}  // namespace aero
