// SPDX-License-Identifier: MIT
#include "renderer/core/d3d9_states.h"

#include <bit>

namespace aerogpu::core {

namespace {

/// D3DRENDERSTATETYPE, as far as something here depends on it.
enum RenderState : uint32_t {
  kZEnable = 7,
  kFillMode = 8,
  kShadeMode = 9,
  kZWriteEnable = 14,
  kAlphaTestEnable = 15,
  kSrcBlend = 19,
  kDestBlend = 20,
  kCullMode = 22,
  kZFunc = 23,
  kAlphaRef = 24,
  kAlphaFunc = 25,
  kDitherEnable = 26,
  kAlphaBlendEnable = 27,
  kFogEnable = 28,
  kFogColor = 34,
  kFogTableMode = 35,
  kFogStart = 36,
  kFogEnd = 37,
  kFogDensity = 38,
  kRangeFogEnable = 48,
  kStencilEnable = 52,
  kStencilFail = 53,
  kStencilZFail = 54,
  kStencilPass = 55,
  kStencilFunc = 56,
  kStencilRef = 57,
  kStencilMask = 58,
  kStencilWriteMask = 59,
  kClipping = 136,
  kFogVertexMode = 140,
  kClipPlaneEnable = 152,
  kPointSize = 154,
  kPointSizeMin = 155,
  kPointSpriteEnable = 156,
  kPointScaleEnable = 157,
  kPointScaleA = 158,
  kPointScaleB = 159,
  kPointScaleC = 160,
  kMultisampleAntialias = 161,
  kMultisampleMask = 162,
  kPointSizeMax = 166,
  kColorWriteEnable = 168,
  kBlendOp = 171,
  kScissorTestEnable = 174,
  kSlopeScaleDepthBias = 175,
  kAntialiasedLineEnable = 176,
  kTwoSidedStencilMode = 185,
  kCcwStencilFail = 186,
  kCcwStencilZFail = 187,
  kCcwStencilPass = 188,
  kCcwStencilFunc = 189,
  kColorWriteEnable1 = 190,
  kColorWriteEnable2 = 191,
  kColorWriteEnable3 = 192,
  kBlendFactor = 193,
  kSrgbWriteEnable = 194,
  kDepthBias = 195,
  kSeparateAlphaBlendEnable = 206,
  kSrcBlendAlpha = 207,
  kDestBlendAlpha = 208,
  kBlendOpAlpha = 209,
};

/// D3DSAMPLERSTATETYPE.
enum SamplerNumber : uint32_t {
  kAddressU = 1,
  kAddressV,
  kAddressW,
  kBorderColor,
  kMagFilter,
  kMinFilter,
  kMipFilter,
  kMipMapLodBias,
  kMaxMipLevel,
  kMaxAnisotropy,
  kSrgbTexture,
};

float asFloat(uint32_t bits) {
  return std::bit_cast<float>(bits);
}

/// Writes `value` as an enumerator between `first` and `last`, or reports a bad one.
template <class Enum>
Result<void> setEnum(Enum& field, uint32_t value, Enum first, Enum last) {
  if (value < static_cast<uint32_t>(first) || value > static_cast<uint32_t>(last))
    return Error{ErrorCode::CmdDecode, "value is outside the state's enumeration"};
  field = static_cast<Enum>(value);
  return {};
}

Result<void> setBlend(Blend& field, uint32_t value) {
  return setEnum(field, value, Blend::Zero, Blend::InvSrcColor2);
}
Result<void> setBlendOp(BlendOp& field, uint32_t value) {
  return setEnum(field, value, BlendOp::Add, BlendOp::Max);
}
Result<void> setCompare(CompareFunc& field, uint32_t value) {
  return setEnum(field, value, CompareFunc::Never, CompareFunc::Always);
}
Result<void> setStencilOp(StencilOp& field, uint32_t value) {
  return setEnum(field, value, StencilOp::Keep, StencilOp::Decr);
}

std::array<float, 4> fromD3dColor(uint32_t argb) {
  const auto channel = [argb](int shift) { return static_cast<float>(argb >> shift & 0xFF) / 255.0f; };
  return {channel(16), channel(8), channel(0), channel(24)};
}

Result<void> setBlendRenderState(BlendState& blend, uint32_t number, uint32_t value) {
  switch (number) {
    case kAlphaBlendEnable:
      blend.enable = value != 0;
      return {};
    case kSeparateAlphaBlendEnable:
      blend.separateAlpha = value != 0;
      return {};
    case kSrcBlend:
      return setBlend(blend.src, value);
    case kDestBlend:
      return setBlend(blend.dst, value);
    case kBlendOp:
      return setBlendOp(blend.op, value);
    case kSrcBlendAlpha:
      return setBlend(blend.srcAlpha, value);
    case kDestBlendAlpha:
      return setBlend(blend.dstAlpha, value);
    case kBlendOpAlpha:
      return setBlendOp(blend.opAlpha, value);
    case kBlendFactor:
      blend.constant = fromD3dColor(value);
      return {};
    case kColorWriteEnable:
      blend.writeMask[0] = value & 15;
      return {};
    case kColorWriteEnable1:
    case kColorWriteEnable2:
    case kColorWriteEnable3:
      blend.writeMask[number - kColorWriteEnable1 + 1] = value & 15;
      return {};
    case kMultisampleMask:
      blend.sampleMask = value;
      return {};
    case kDitherEnable:
      blend.dither = value != 0;
      return {};
    default:
      blend.srgbWrite = value != 0;
      return {};  // kSrgbWriteEnable
  }
}

Result<void> setDepthStencilRenderState(DepthStencilState& ds, uint32_t number, uint32_t value) {
  switch (number) {
    case kZEnable:
      ds.depthEnable = value != 0;
      return {};  // D3DZB_USEW is like D3DZB_TRUE
    case kZWriteEnable:
      ds.depthWrite = value != 0;
      return {};
    case kZFunc:
      return setCompare(ds.depthFunc, value);
    case kStencilEnable:
      ds.stencilEnable = value != 0;
      return {};
    case kStencilFail:
      return setStencilOp(ds.front.fail, value);
    case kStencilZFail:
      return setStencilOp(ds.front.depthFail, value);
    case kStencilPass:
      return setStencilOp(ds.front.pass, value);
    case kStencilFunc:
      return setCompare(ds.front.func, value);
    case kStencilRef:
      ds.reference = static_cast<uint8_t>(value);
      return {};
    case kStencilMask:
      ds.readMask = static_cast<uint8_t>(value);
      return {};
    case kStencilWriteMask:
      ds.writeMask = static_cast<uint8_t>(value);
      return {};
    case kTwoSidedStencilMode:
      ds.twoSided = value != 0;
      return {};
    case kCcwStencilFail:
      return setStencilOp(ds.back.fail, value);
    case kCcwStencilZFail:
      return setStencilOp(ds.back.depthFail, value);
    case kCcwStencilPass:
      return setStencilOp(ds.back.pass, value);
    default:
      return setCompare(ds.back.func, value);  // kCcwStencilFunc
  }
}

Result<void> setRasterizerRenderState(RasterizerState& raster, uint32_t number, uint32_t value) {
  switch (number) {
    case kFillMode:
      return setEnum(raster.fill, value, FillMode::Point, FillMode::Solid);
    case kCullMode:
      return setEnum(raster.cull, value, CullMode::None, CullMode::Ccw);
    case kScissorTestEnable:
      raster.scissorEnable = value != 0;
      return {};
    case kClipping:
      raster.clipping = value != 0;
      return {};
    case kDepthBias:
      raster.depthBias = asFloat(value);
      raster.depthBiasIsInteger = false;
      return {};
    case kSlopeScaleDepthBias:
      raster.slopeScaledDepthBias = asFloat(value);
      return {};
    case kMultisampleAntialias:
      raster.multisample = value != 0;
      return {};
    case kAntialiasedLineEnable:
      raster.antialiasedLine = value != 0;
      return {};
    case kClipPlaneEnable:
      raster.clipPlaneMask = value & 0x3F;
      return {};
    default:  // kShadeMode: D3DSHADE_PHONG (3) was never implemented and acts as Gouraud
      raster.shade = value == static_cast<uint32_t>(ShadeMode::Flat) ? ShadeMode::Flat : ShadeMode::Gouraud;
      return {};
  }
}

Result<void> setPixelPipeRenderState(PixelPipeState& pipe, uint32_t number, uint32_t value) {
  switch (number) {
    case kAlphaTestEnable:
      pipe.alphaTest = value != 0;
      return {};
    case kAlphaFunc:
      return setCompare(pipe.alphaFunc, value);
    case kAlphaRef:
      pipe.alphaRef = static_cast<uint8_t>(value);
      return {};
    case kFogEnable:
      pipe.fogEnable = value != 0;
      return {};
    case kFogTableMode:
      return setEnum(pipe.fogTable, value, FogMode::None, FogMode::Linear);
    case kFogVertexMode:
      return setEnum(pipe.fogVertex, value, FogMode::None, FogMode::Linear);
    case kRangeFogEnable:
      pipe.rangeFog = value != 0;
      return {};
    case kFogColor:
      pipe.fogColor = value;
      return {};
    case kFogStart:
      pipe.fogStart = asFloat(value);
      return {};
    case kFogEnd:
      pipe.fogEnd = asFloat(value);
      return {};
    case kFogDensity:
      pipe.fogDensity = asFloat(value);
      return {};
    case kPointSpriteEnable:
      pipe.pointSprite = value != 0;
      return {};
    case kPointScaleEnable:
      pipe.pointScale = value != 0;
      return {};
    case kPointSize:
      pipe.pointSize = asFloat(value);
      return {};
    case kPointSizeMin:
      pipe.pointSizeMin = asFloat(value);
      return {};
    case kPointSizeMax:
      pipe.pointSizeMax = asFloat(value);
      return {};
    case kPointScaleA:
      pipe.pointScaleA = asFloat(value);
      return {};
    case kPointScaleB:
      pipe.pointScaleB = asFloat(value);
      return {};
    default:
      pipe.pointScaleC = asFloat(value);
      return {};  // kPointScaleC
  }
}

/// Runs `set` on a group of the state and marks it dirty if that worked.
template <class Group, class Set>
Result<void> apply(DrawState& state, uint32_t dirty, Group& group, Set set, uint32_t number, uint32_t value) {
  Result<void> done = set(group, number, value);
  if (done) state.dirty |= dirty;
  return done;
}

Blend blendFromAbi(uint32_t factor) {
  constexpr Blend kMap[] = {Blend::Zero,      Blend::One,          Blend::SrcAlpha,    Blend::InvSrcAlpha,
                            Blend::DestAlpha, Blend::InvDestAlpha, Blend::BlendFactor, Blend::InvBlendFactor};
  return kMap[factor];
}

}  // namespace

Result<void> setRenderState(DrawState& state, uint32_t number, uint32_t value) {
  switch (number) {
    case kAlphaBlendEnable:
    case kSeparateAlphaBlendEnable:
    case kSrcBlend:
    case kDestBlend:
    case kBlendOp:
    case kSrcBlendAlpha:
    case kDestBlendAlpha:
    case kBlendOpAlpha:
    case kBlendFactor:
    case kColorWriteEnable:
    case kColorWriteEnable1:
    case kColorWriteEnable2:
    case kColorWriteEnable3:
    case kMultisampleMask:
    case kDitherEnable:
    case kSrgbWriteEnable:
      return apply(state, number == kSrgbWriteEnable ? kDirtyBlend | kDirtyTargets : kDirtyBlend, state.blend,
                   setBlendRenderState, number, value);
    case kZEnable:
    case kZWriteEnable:
    case kZFunc:
    case kStencilEnable:
    case kStencilFail:
    case kStencilZFail:
    case kStencilPass:
    case kStencilFunc:
    case kStencilRef:
    case kStencilMask:
    case kStencilWriteMask:
    case kTwoSidedStencilMode:
    case kCcwStencilFail:
    case kCcwStencilZFail:
    case kCcwStencilPass:
    case kCcwStencilFunc:
      return apply(state, kDirtyDepthStencil, state.depthStencil, setDepthStencilRenderState, number, value);
    case kFillMode:
    case kCullMode:
    case kScissorTestEnable:
    case kClipping:
    case kDepthBias:
    case kSlopeScaleDepthBias:
    case kMultisampleAntialias:
    case kAntialiasedLineEnable:
    case kClipPlaneEnable:
    case kShadeMode:
      return apply(state, kDirtyRasterizer | kDirtyScissor, state.rasterizer, setRasterizerRenderState,
                   number, value);
    case kAlphaTestEnable:
    case kAlphaFunc:
    case kAlphaRef:
    case kFogEnable:
    case kFogTableMode:
    case kFogVertexMode:
    case kRangeFogEnable:
    case kFogColor:
    case kFogStart:
    case kFogEnd:
    case kFogDensity:
    case kPointSpriteEnable:
    case kPointScaleEnable:
    case kPointSize:
    case kPointSizeMin:
    case kPointSizeMax:
    case kPointScaleA:
    case kPointScaleB:
    case kPointScaleC:
      return apply(state, kDirtyPixelPipe, state.pixelPipe, setPixelPipeRenderState, number, value);
    default:
      return {};
  }
}

Result<bool> setSamplerState(SamplerState& sampler, uint32_t number, uint32_t value) {
  const SamplerState before = sampler;
  Result<void> done;
  switch (number) {
    case kAddressU:
      done = setEnum(sampler.u, value, AddressMode::Wrap, AddressMode::MirrorOnce);
      break;
    case kAddressV:
      done = setEnum(sampler.v, value, AddressMode::Wrap, AddressMode::MirrorOnce);
      break;
    case kAddressW:
      done = setEnum(sampler.w, value, AddressMode::Wrap, AddressMode::MirrorOnce);
      break;
    case kBorderColor:
      sampler.borderColor = value;
      break;
    // Pyramidal and Gaussian quad filters (6, 7) and convolution mono were optional and count as linear.
    case kMagFilter:
      done = setEnum(sampler.mag, value >= 6 && value <= 8 ? 2 : value, Filter::Point, Filter::Anisotropic);
      break;
    case kMinFilter:
      done = setEnum(sampler.min, value >= 6 && value <= 8 ? 2 : value, Filter::Point, Filter::Anisotropic);
      break;
    case kMipFilter:
      done = setEnum(sampler.mip, value, Filter::None, Filter::Linear);
      break;
    case kMipMapLodBias:
      sampler.lodBias = asFloat(value);
      break;
    case kMaxMipLevel:
      sampler.maxMipLevel = value;
      break;
    case kMaxAnisotropy:
      sampler.maxAnisotropy = value == 0 ? 1 : value;
      break;
    case kSrgbTexture:
      sampler.srgb = value != 0;
      break;
    default:
      break;
  }
  if (!done) return done.error();
  return !(sampler == before);
}

void setBlendState(DrawState& state, const aerogpu_blend_state& block) {
  BlendState& blend = state.blend;
  blend.enable = block.enable != 0;
  blend.separateAlpha = true;
  blend.src = blendFromAbi(block.src_factor);
  blend.dst = blendFromAbi(block.dst_factor);
  blend.op = static_cast<BlendOp>(block.blend_op + 1);  // AEROGPU_BLEND_OP_* count from 0, D3DBLENDOP from 1
  blend.srcAlpha = blendFromAbi(block.src_factor_alpha);
  blend.dstAlpha = blendFromAbi(block.dst_factor_alpha);
  blend.opAlpha = static_cast<BlendOp>(block.blend_op_alpha + 1);
  blend.writeMask.fill(block.color_write_mask & 15);
  for (size_t i = 0; i < 4; ++i) blend.constant[i] = asFloat(block.blend_constant_rgba_f32[i]);
  blend.sampleMask = block.sample_mask;
  state.dirty |= kDirtyBlend;
}

void setDepthStencilState(DrawState& state, const aerogpu_depth_stencil_state& block) {
  DepthStencilState& ds = state.depthStencil;
  ds.depthEnable = block.depth_enable != 0;
  ds.depthWrite = block.depth_write_enable != 0;
  ds.depthFunc = static_cast<CompareFunc>(block.depth_func + 1);  // from 0 here, from 1 in D3DCMPFUNC
  ds.stencilEnable = block.stencil_enable != 0;
  ds.readMask = block.stencil_read_mask;
  ds.writeMask = block.stencil_write_mask;
  state.dirty |= kDirtyDepthStencil;
}

void setRasterizerState(DrawState& state, const aerogpu_rasterizer_state& block) {
  RasterizerState& raster = state.rasterizer;
  raster.fill = block.fill_mode == AEROGPU_FILL_WIREFRAME ? FillMode::Wireframe : FillMode::Solid;
  const bool frontIsCcw = block.front_ccw != 0;
  if (block.cull_mode == AEROGPU_CULL_NONE)
    raster.cull = CullMode::None;
  else
    raster.cull = (block.cull_mode == AEROGPU_CULL_FRONT) == frontIsCcw ? CullMode::Ccw : CullMode::Cw;
  raster.scissorEnable = block.scissor_enable != 0;
  raster.depthBias = static_cast<float>(block.depth_bias);
  raster.depthBiasIsInteger = true;
  raster.depthClip = (block.flags & AEROGPU_RASTERIZER_FLAG_DEPTH_CLIP_DISABLE) == 0;
  state.dirty |= kDirtyRasterizer | kDirtyScissor;
}

SamplerState samplerFromPacket(const aerogpu_cmd_create_sampler& packet) {
  const auto address = [](uint32_t mode) {
    switch (mode) {
      case AEROGPU_SAMPLER_ADDRESS_REPEAT:
        return AddressMode::Wrap;
      case AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT:
        return AddressMode::Mirror;
      default:
        return AddressMode::Clamp;
    }
  };
  SamplerState state;
  state.u = address(packet.address_u);
  state.v = address(packet.address_v);
  state.w = address(packet.address_w);
  const Filter filter = packet.filter == AEROGPU_SAMPLER_FILTER_LINEAR ? Filter::Linear : Filter::Point;
  state.mag = state.min = state.mip = filter;
  return state;
}

}  // namespace aerogpu::core
