// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/state/state_objects.h"

#include <float.h>

namespace aero {
namespace {

uint32_t bitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
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

}  // namespace

HRESULT BlendState::create(DeviceObjects &, const D3D10_1_DDI_BLEND_DESC &desc) {
  flags = desc.AlphaToCoverageEnable ? AEROGPU_EXT_BLEND_ALPHA_TO_COVERAGE : 0;
  count = 1;
  for (uint32_t i = 0; i < (desc.IndependentBlendEnable ? kTargets : 1); i++) {
    const D3D10_DDI_RENDER_TARGET_BLEND_DESC1 &of = desc.RenderTarget[i];
    const auto mask = static_cast<uint8_t>(of.RenderTargetWriteMask & 15);
    // Without blending the function may be anything, and the device looks at it.
    targets[i] = BlendState{}.targets[0];
    if (of.BlendEnable)
      targets[i] = {1,
                    static_cast<uint8_t>(of.SrcBlend),
                    static_cast<uint8_t>(of.DestBlend),
                    static_cast<uint8_t>(of.BlendOp),
                    static_cast<uint8_t>(of.SrcBlendAlpha),
                    static_cast<uint8_t>(of.DestBlendAlpha),
                    static_cast<uint8_t>(of.BlendOpAlpha),
                    0};
    targets[i].write_mask = mask;
    if (memcmp(&targets[i], &targets[count - 1], sizeof targets[i]) != 0) count = i + 1;
  }
  return kOk;
}

bool BlendState::isDualSource(uint32_t index) const {
  const aerogpu_ext_target_blend &of = targets[index < count ? index : count - 1];
  return of.enable && (of.src >= D3D10_DDI_BLEND_SRC1_COLOR || of.dst >= D3D10_DDI_BLEND_SRC1_COLOR ||
                       of.src_alpha >= D3D10_DDI_BLEND_SRC1_COLOR || of.dst_alpha >= D3D10_DDI_BLEND_SRC1_COLOR);
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
  if (desc.AntialiasedLineEnable) return kNotAvailable;
  block.fill_mode = desc.FillMode == D3D10_DDI_FILL_WIREFRAME ? AEROGPU_FILL_WIREFRAME : AEROGPU_FILL_SOLID;
  block.cull_mode = static_cast<uint32_t>(desc.CullMode) - D3D10_DDI_CULL_NONE;
  block.front_ccw = desc.FrontCounterClockwise != 0;
  block.scissor_enable = desc.ScissorEnable != 0;
  block.depth_bias = desc.DepthBias;
  block.flags = desc.DepthClipEnable ? AEROGPU_RASTERIZER_FLAG_NONE : AEROGPU_RASTERIZER_FLAG_DEPTH_CLIP_DISABLE;
  slopeScaledDepthBias = desc.SlopeScaledDepthBias;
  depthBiasClamp = desc.DepthBiasClamp;
  return kOk;
}

SamplerState::SamplerState() {
  block.filter = AEROGPU_EXT_SAMPLER_MIN_LINEAR | AEROGPU_EXT_SAMPLER_MAG_LINEAR | AEROGPU_EXT_SAMPLER_MIP_LINEAR;
  block.address_u = block.address_v = block.address_w = D3D10_DDI_TEXTURE_ADDRESS_CLAMP;
  block.compare_func = D3D10_DDI_COMPARISON_NEVER;
  block.max_anisotropy = 1;
  block.max_lod_f32 = bitsOf(FLT_MAX);
}

HRESULT SamplerState::create(DeviceObjects &, const D3D10_DDI_SAMPLER_DESC &desc) {
  const auto filter = static_cast<uint32_t>(desc.Filter);
  if (filter & D3D10_DDI_TEXT_1BIT_BIT) return kNotAvailable;
  const auto linear = [&](uint32_t shift, uint32_t bit) {
    return (filter >> shift & D3D10_DDI_FILTER_TYPE_MASK) == D3D10_DDI_FILTER_TYPE_LINEAR ? bit : 0;
  };
  const bool isAnisotropic = filter & D3D10_DDI_ANISOTROPIC_FILTERING_BIT;
  block.filter = linear(D3D10_DDI_MIN_FILTER_SHIFT, AEROGPU_EXT_SAMPLER_MIN_LINEAR) |
                 linear(D3D10_DDI_MAG_FILTER_SHIFT, AEROGPU_EXT_SAMPLER_MAG_LINEAR) |
                 linear(D3D10_DDI_MIP_FILTER_SHIFT, AEROGPU_EXT_SAMPLER_MIP_LINEAR);
  if (isAnisotropic) block.filter |= AEROGPU_EXT_SAMPLER_ANISOTROPIC;
  block.address_u = static_cast<uint8_t>(desc.AddressU);
  block.address_v = static_cast<uint8_t>(desc.AddressV);
  block.address_w = static_cast<uint8_t>(desc.AddressW);
  // Without comparison the function may be anything.
  const bool isComparison = filter & D3D10_DDI_COMPARISON_FILTERING_BIT;
  block.compare_func = isComparison ? static_cast<uint8_t>(desc.ComparisonFunc) : uint8_t{0};
  block.max_anisotropy = isAnisotropic ? desc.MaxAnisotropy : 1;
  block.mip_lod_bias_f32 = bitsOf(desc.MipLODBias);
  block.min_lod_f32 = bitsOf(desc.MinLOD);
  block.max_lod_f32 = bitsOf(desc.MaxLOD);
  for (uint32_t i = 0; i < 4; i++) block.border_color_rgba_f32[i] = bitsOf(desc.BorderColor[i]);
  return kOk;
}

}  // namespace aero
