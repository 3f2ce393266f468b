// SPDX-License-Identifier: MIT
// Maps each Direct3D 9 state to its field (see d3d9_states.h). The tables of d3d9/ have the values that each
// state takes.
#include "renderer/core/d3d9_states.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include "aerogpu/d3d9/formats.h"
#include "aerogpu/d3d9/states.h"

namespace aerogpu::core {

namespace {

using d3d9::StateKind;
using RS = d3d9::RenderStateType;
using Samp = d3d9::SamplerStateType;

float asFloat(uint32_t bits) {
  return std::bit_cast<float>(bits);
}

std::array<float, 4> fromD3dColor(uint32_t argb) {
  const auto channel = [argb](int shift) { return static_cast<float>(argb >> shift & 0xFF) / 255.0f; };
  return {channel(16), channel(8), channel(0), channel(24)};
}

/// Returns the value that stands for one outside of the enumeration (STATE-18): games pass such values, and
/// see the results of D3D9On12's PixelStage::SetRasterState and SetBlendState.
constexpr uint32_t otherwise(RS state, uint32_t value) {
  constexpr uint32_t kBeyondBlend = 32;
  switch (state) {
    case RS::CullMode:
      return static_cast<uint32_t>(CullMode::None);
    case RS::SrcBlend:
    case RS::SrcBlendAlpha:
      return static_cast<uint32_t>(value >= kBeyondBlend ? Blend::One : Blend::Zero);
    case RS::DestBlend:
    case RS::DestBlendAlpha:
      return static_cast<uint32_t>(Blend::Zero);
    default:
      return d3d9::info(state).defaultValue;
  }
}
constexpr uint32_t otherwise(Samp state, uint32_t value) {
  // Any mip filter that filters levels is linear.
  if (state == Samp::MipFilter && value <= static_cast<uint32_t>(Filter::ConvolutionMono))
    return static_cast<uint32_t>(Filter::Linear);
  return d3d9::info(state).defaultValue;
}

/// A state and the functions that store it and give it back.
template <class Object>
struct Row {
  uint32_t number;
  void (*set)(Object&, uint32_t value);
  uint32_t (*get)(const Object&);  ///< a value that set() stores as what is there; null: there may be none
  uint32_t dirty;                  ///< DirtyBits
};

/// Writes a value into the field that the member pointers `kPath` lead to. The field's type decides the
/// conversion, and has to fit the state's kind.
template <auto kState, class Object, auto... kPath>
void setField(Object& object, uint32_t value) {
  constexpr d3d9::StateInfo kInfo = d3d9::info(kState);
  auto& field = (object.*....*kPath);
  using Field = std::remove_reference_t<decltype(field)>;
  if constexpr (std::is_same_v<Field, bool>) {
    static_assert(kInfo.kind == StateKind::Bool || kInfo.kind == StateKind::Enum);
    field = value != 0;  // D3DZB_USEW is like D3DZB_TRUE
  } else if constexpr (std::is_enum_v<Field>) {
    static_assert(kInfo.kind == StateKind::Enum);
    if (value < kInfo.first || value > kInfo.last) value = otherwise(kState, value);
    field = static_cast<Field>(value);
  } else if constexpr (std::is_same_v<Field, float>) {
    static_assert(kInfo.kind == StateKind::Float);
    field = asFloat(value);
  } else if constexpr (std::is_same_v<Field, uint8_t>) {
    static_assert(kInfo.kind == StateKind::Dword);
    field = static_cast<uint8_t>(value);
  } else if constexpr (std::is_same_v<Field, uint32_t>) {
    static_assert(kInfo.kind == StateKind::Dword || kInfo.kind == StateKind::Color);
    field = value;
  } else {
    static_assert(kInfo.kind == StateKind::Color);
    field = fromD3dColor(value);
  }
}

/// Returns the value that setField() stores as what is there.
template <class Object, auto... kPath>
uint32_t getField(const Object& object) {
  const auto& field = (object.*....*kPath);
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, float>)
    return std::bit_cast<uint32_t>(field);
  else
    return static_cast<uint32_t>(field);
}

template <RS kState, auto... kPath>
constexpr Row<DrawState> row(uint32_t dirty) {
  return {static_cast<uint32_t>(kState), setField<kState, DrawState, kPath...>, getField<DrawState, kPath...>,
          dirty};
}
template <Samp kState, auto kField>
constexpr Row<SamplerState> row() {
  return {static_cast<uint32_t>(kState), setField<kState, SamplerState, kField>,
          getField<SamplerState, kField>, 0};
}

// States whose value needs more than their kind.

/// Makes all targets blend as the first one does.
void blendAlike(BlendState& blend) {
  blend.independent = false;
  blend.others = {};
}

template <size_t kTarget>
void setColorWriteMask(DrawState& state, uint32_t value) {
  state.blend.writeMask[kTarget] = value & 15;
}
template <size_t kTarget>
uint32_t colorWriteMask(const DrawState& state) {
  return state.blend.writeMask[kTarget];
}

void setClipPlanes(DrawState& state, uint32_t value) {
  state.rasterizer.clipPlaneMask = value & 0x3F;
}

void setDepthBias(DrawState& state, uint32_t value) {
  state.rasterizer.depthBias = asFloat(value);
  state.rasterizer.depthBiasIsInteger = false;
}

/// D3DSHADE_PHONG was never implemented and acts as Gouraud, and so do values that are no D3DSHADEMODE.
void setShadeMode(DrawState& state, uint32_t value) {
  state.rasterizer.shade =
      value == static_cast<uint32_t>(ShadeMode::Flat) ? ShadeMode::Flat : ShadeMode::Gouraud;
}

/// Pyramidal and Gaussian quad filters and convolution mono were optional and count as linear.
template <Filter SamplerState::*kField>
void setFilter(SamplerState& sampler, uint32_t value) {
  if (value >= static_cast<uint32_t>(Filter::PyramidalQuad) &&
      value <= static_cast<uint32_t>(Filter::ConvolutionMono))
    value = static_cast<uint32_t>(Filter::Linear);
  if (value < static_cast<uint32_t>(Filter::Point) || value > static_cast<uint32_t>(Filter::Anisotropic))
    value = static_cast<uint32_t>(Filter::Point);  // the default of both filters
  sampler.*kField = static_cast<Filter>(value);
}

/// Programs write the FourCCs "GET4" and "GET1" as biases, which ask for samples of four texels and of one.
constexpr uint32_t kGather = d3d9::fourCc('G', 'E', 'T', '4'), kSample = d3d9::fourCc('G', 'E', 'T', '1');
void setLodBias(SamplerState& sampler, uint32_t value) {
  sampler.gather = value == kGather;
  sampler.lodBias = sampler.gather || value == kSample ? 0 : asFloat(value);
}
uint32_t lodBias(const SamplerState& sampler) {
  return sampler.gather ? kGather : std::bit_cast<uint32_t>(sampler.lodBias);
}

void setBorderColor(SamplerState& sampler, uint32_t value) {
  const std::array<float, 4> rgba = fromD3dColor(value);
  for (size_t i = 0; i < rgba.size(); ++i) sampler.border[i] = std::bit_cast<uint32_t>(rgba[i]);
}
/// Returns the nearest D3DCOLOR.
uint32_t borderColor(const std::array<uint32_t, 4>& border) {
  const auto channel = [&](size_t i, uint32_t shift) {
    const float value = asFloat(border[i]);
    return static_cast<uint32_t>(value > 0 ? std::min(value, 1.0f) * 255 + 0.5f : 0) << shift;
  };
  return channel(3, 24) | channel(0, 16) | channel(1, 8) | channel(2, 0);
}
uint32_t borderColor(const SamplerState& sampler) {
  return borderColor(sampler.border);
}

void setMaxMipLevel(SamplerState& sampler, uint32_t value) {
  sampler.minLod = static_cast<float>(std::min(value, static_cast<uint32_t>(kAnyLod)));
  sampler.maxLod = std::max(sampler.maxLod, sampler.minLod);
}
uint32_t maxMipLevel(const SamplerState& sampler) {
  return static_cast<uint32_t>(sampler.minLod);
}

void setMaxAnisotropy(SamplerState& sampler, uint32_t value) {
  sampler.maxAnisotropy = value == 0 ? 1 : value;
}

constexpr auto kBlend = &DrawState::blend;
constexpr auto kDepth = &DrawState::depthStencil;
constexpr auto kFront = &DepthStencilState::front, kBack = &DepthStencilState::back;
constexpr auto kRaster = &DrawState::rasterizer;
constexpr auto kPixel = &DrawState::pixelPipe;
constexpr uint32_t kDirtyRaster = kDirtyRasterizer | kDirtyScissor;

/// A state of the function by which targets are blended: from here on all of them are.
template <RS kState, auto kField>
constexpr Row<DrawState> functionRow() {
  return {static_cast<uint32_t>(kState),
          [](DrawState& state, uint32_t value) {
            setField<kState, DrawState, kBlend, kField>(state, value);
            blendAlike(state.blend);
          },
          getField<DrawState, kBlend, kField>, kDirtyBlend};
}

constexpr Row<DrawState> kRenderStateRows[] = {
    row<RS::ZEnable, kDepth, &DepthStencilState::depthEnable>(kDirtyDepthStencil),
    row<RS::FillMode, kRaster, &RasterizerState::fill>(kDirtyRaster),
    {static_cast<uint32_t>(RS::ShadeMode), setShadeMode,
     getField<DrawState, kRaster, &RasterizerState::shade>, kDirtyRaster},
    row<RS::ZWriteEnable, kDepth, &DepthStencilState::depthWrite>(kDirtyDepthStencil),
    row<RS::AlphaTestEnable, kPixel, &PixelPipeState::alphaTest>(kDirtyPixelPipe),
    functionRow<RS::SrcBlend, &BlendState::src>(),
    functionRow<RS::DestBlend, &BlendState::dst>(),
    row<RS::CullMode, kRaster, &RasterizerState::cull>(kDirtyRaster),
    row<RS::ZFunc, kDepth, &DepthStencilState::depthFunc>(kDirtyDepthStencil),
    row<RS::AlphaRef, kPixel, &PixelPipeState::alphaRef>(kDirtyPixelPipe),
    row<RS::AlphaFunc, kPixel, &PixelPipeState::alphaFunc>(kDirtyPixelPipe),
    row<RS::DitherEnable, kBlend, &BlendState::dither>(kDirtyBlend),
    functionRow<RS::AlphaBlendEnable, &BlendState::enable>(),
    row<RS::FogEnable, kPixel, &PixelPipeState::fogEnable>(kDirtyPixelPipe),
    row<RS::FogColor, kPixel, &PixelPipeState::fogColor>(kDirtyPixelPipe),
    row<RS::FogTableMode, kPixel, &PixelPipeState::fogTable>(kDirtyPixelPipe),
    row<RS::FogStart, kPixel, &PixelPipeState::fogStart>(kDirtyPixelPipe),
    row<RS::FogEnd, kPixel, &PixelPipeState::fogEnd>(kDirtyPixelPipe),
    row<RS::FogDensity, kPixel, &PixelPipeState::fogDensity>(kDirtyPixelPipe),
    row<RS::RangeFogEnable, kPixel, &PixelPipeState::rangeFog>(kDirtyPixelPipe),
    row<RS::StencilEnable, kDepth, &DepthStencilState::stencilEnable>(kDirtyDepthStencil),
    row<RS::StencilFail, kDepth, kFront, &StencilFace::fail>(kDirtyDepthStencil),
    row<RS::StencilZFail, kDepth, kFront, &StencilFace::depthFail>(kDirtyDepthStencil),
    row<RS::StencilPass, kDepth, kFront, &StencilFace::pass>(kDirtyDepthStencil),
    row<RS::StencilFunc, kDepth, kFront, &StencilFace::func>(kDirtyDepthStencil),
    row<RS::StencilRef, kDepth, &DepthStencilState::reference>(kDirtyDepthStencil),
    row<RS::StencilMask, kDepth, &DepthStencilState::readMask>(kDirtyDepthStencil),
    row<RS::StencilWriteMask, kDepth, &DepthStencilState::writeMask>(kDirtyDepthStencil),
    row<RS::Clipping, kRaster, &RasterizerState::clipping>(kDirtyRaster),
    row<RS::FogVertexMode, kPixel, &PixelPipeState::fogVertex>(kDirtyPixelPipe),
    {static_cast<uint32_t>(RS::ClipPlaneEnable), setClipPlanes,
     getField<DrawState, kRaster, &RasterizerState::clipPlaneMask>, kDirtyRaster},
    row<RS::PointSize, kPixel, &PixelPipeState::pointSize>(kDirtyPixelPipe),
    row<RS::PointSizeMin, kPixel, &PixelPipeState::pointSizeMin>(kDirtyPixelPipe),
    row<RS::PointSpriteEnable, kPixel, &PixelPipeState::pointSprite>(kDirtyPixelPipe),
    row<RS::PointScaleEnable, kPixel, &PixelPipeState::pointScale>(kDirtyPixelPipe),
    row<RS::PointScaleA, kPixel, &PixelPipeState::pointScaleA>(kDirtyPixelPipe),
    row<RS::PointScaleB, kPixel, &PixelPipeState::pointScaleB>(kDirtyPixelPipe),
    row<RS::PointScaleC, kPixel, &PixelPipeState::pointScaleC>(kDirtyPixelPipe),
    row<RS::MultisampleAntialias, kRaster, &RasterizerState::multisample>(kDirtyRaster),
    row<RS::MultisampleMask, kBlend, &BlendState::sampleMask>(kDirtyBlend),
    row<RS::PointSizeMax, kPixel, &PixelPipeState::pointSizeMax>(kDirtyPixelPipe),
    {static_cast<uint32_t>(RS::ColorWriteEnable), setColorWriteMask<0>, colorWriteMask<0>, kDirtyBlend},
    functionRow<RS::BlendOp, &BlendState::op>(),
    row<RS::ScissorTestEnable, kRaster, &RasterizerState::scissorEnable>(kDirtyRaster),
    row<RS::SlopeScaleDepthBias, kRaster, &RasterizerState::slopeScaledDepthBias>(kDirtyRaster),
    row<RS::AntialiasedLineEnable, kRaster, &RasterizerState::antialiasedLine>(kDirtyRaster),
    row<RS::TwoSidedStencilMode, kDepth, &DepthStencilState::twoSided>(kDirtyDepthStencil),
    row<RS::CcwStencilFail, kDepth, kBack, &StencilFace::fail>(kDirtyDepthStencil),
    row<RS::CcwStencilZFail, kDepth, kBack, &StencilFace::depthFail>(kDirtyDepthStencil),
    row<RS::CcwStencilPass, kDepth, kBack, &StencilFace::pass>(kDirtyDepthStencil),
    row<RS::CcwStencilFunc, kDepth, kBack, &StencilFace::func>(kDirtyDepthStencil),
    {static_cast<uint32_t>(RS::ColorWriteEnable1), setColorWriteMask<1>, colorWriteMask<1>, kDirtyBlend},
    {static_cast<uint32_t>(RS::ColorWriteEnable2), setColorWriteMask<2>, colorWriteMask<2>, kDirtyBlend},
    {static_cast<uint32_t>(RS::ColorWriteEnable3), setColorWriteMask<3>, colorWriteMask<3>, kDirtyBlend},
    {static_cast<uint32_t>(RS::BlendFactor),
     setField<RS::BlendFactor, DrawState, kBlend, &BlendState::constant>, nullptr, kDirtyBlend},
    row<RS::SrgbWriteEnable, kBlend, &BlendState::srgbWrite>(kDirtyBlend | kDirtyTargets),
    {static_cast<uint32_t>(RS::DepthBias), setDepthBias, nullptr, kDirtyRaster},
    functionRow<RS::SeparateAlphaBlendEnable, &BlendState::separateAlpha>(),
    functionRow<RS::SrcBlendAlpha, &BlendState::srcAlpha>(),
    functionRow<RS::DestBlendAlpha, &BlendState::dstAlpha>(),
    functionRow<RS::BlendOpAlpha, &BlendState::opAlpha>(),
};

constexpr Row<SamplerState> kSamplerStateRows[] = {
    row<Samp::AddressU, &SamplerState::u>(),
    row<Samp::AddressV, &SamplerState::v>(),
    row<Samp::AddressW, &SamplerState::w>(),
    {static_cast<uint32_t>(Samp::BorderColor), setBorderColor, borderColor, 0},
    {static_cast<uint32_t>(Samp::MagFilter), setFilter<&SamplerState::mag>,
     getField<SamplerState, &SamplerState::mag>, 0},
    {static_cast<uint32_t>(Samp::MinFilter), setFilter<&SamplerState::min>,
     getField<SamplerState, &SamplerState::min>, 0},
    row<Samp::MipFilter, &SamplerState::mip>(),
    {static_cast<uint32_t>(Samp::MipMapLodBias), setLodBias, lodBias, 0},
    {static_cast<uint32_t>(Samp::MaxMipLevel), setMaxMipLevel, maxMipLevel, 0},
    {static_cast<uint32_t>(Samp::MaxAnisotropy), setMaxAnisotropy,
     getField<SamplerState, &SamplerState::maxAnisotropy>, 0},
    row<Samp::SrgbTexture, &SamplerState::srgb>(),
};

/// Values of D3DTEXTURESTAGESTATETYPE; only the fixed function reads the others.
template <size_t kElement>
constexpr Row<TextureStage> bumpRow() {
  constexpr uint32_t kMat00 = 7;
  return {kMat00 + kElement, [](TextureStage& s, uint32_t value) { s.bump[kElement] = asFloat(value); },
          [](const TextureStage& s) { return std::bit_cast<uint32_t>(s.bump[kElement]); },
          kDirtyTextureStages};
}
template <auto kField>
constexpr Row<TextureStage> stageRow(uint32_t number) {
  return {number,
          [](TextureStage& s, uint32_t value) {
            s.*kField = std::bit_cast<std::remove_reference_t<decltype(s.*kField)>>(value);
          },
          [](const TextureStage& s) { return std::bit_cast<uint32_t>(s.*kField); }, kDirtyTextureStages};
}
constexpr Row<TextureStage> kTextureStageRows[] = {
    bumpRow<0>(),
    bumpRow<1>(),
    bumpRow<2>(),
    bumpRow<3>(),
    stageRow<&TextureStage::luminanceScale>(22),
    stageRow<&TextureStage::luminanceOffset>(23),
    stageRow<&TextureStage::transformFlags>(24),
};

/// Returns the rows by number; null if a number has none.
template <size_t kNumbers, class Object, size_t kRows>
constexpr auto byNumber(const Row<Object> (&rows)[kRows]) {
  std::array<const Row<Object>*, kNumbers> out{};
  for (const Row<Object>& row : rows) out[row.number] = &row;
  return out;
}
constexpr auto kRenderStates = byNumber<static_cast<size_t>(RS::BlendOpAlpha) + 1>(kRenderStateRows);
constexpr auto kSamplerStates = byNumber<static_cast<size_t>(Samp::SrgbTexture) + 1>(kSamplerStateRows);

Blend blendFromAbi(uint32_t factor) {
  constexpr Blend kMap[] = {Blend::Zero,      Blend::One,          Blend::SrcAlpha,    Blend::InvSrcAlpha,
                            Blend::DestAlpha, Blend::InvDestAlpha, Blend::BlendFactor, Blend::InvBlendFactor};
  return kMap[factor];
}

}  // namespace

void setRenderState(DrawState& state, uint32_t number, uint32_t value) {
  if (number >= kRenderStates.size() || !kRenderStates[number]) return;
  const Row<DrawState>& row = *kRenderStates[number];
  row.set(state, value);
  state.dirty |= row.dirty;
}

bool setSamplerState(SamplerState& sampler, uint32_t number, uint32_t value) {
  if (number >= kSamplerStates.size() || !kSamplerStates[number]) return false;
  const SamplerState before = sampler;
  kSamplerStates[number]->set(sampler, value);
  return !(sampler == before);
}

void setTextureStageState(DrawState& state, uint32_t stage, uint32_t number, uint32_t value) {
  for (const Row<TextureStage>& row : kTextureStageRows) {
    if (row.number != number || row.get(state.textureStages[stage]) == value) continue;
    row.set(state.textureStages[stage], value);
    state.dirty |= row.dirty;
  }
}

namespace {

template <class Object, size_t kRows>
void compareRows(const Row<Object> (&rows)[kRows], const Object& object, const Object& base,
                 const StateUse& use) {
  for (const Row<Object>& row : rows)
    if (row.get && row.get(object) != row.get(base)) use(row.number, row.get(object));
}

}  // namespace

void forEachChange(const DrawState& state, const DrawState& base, const StateUse& use) {
  compareRows(kRenderStateRows, state, base, use);
}

void forEachChange(const SamplerState& sampler, const SamplerState& base, const StateUse& use) {
  compareRows(kSamplerStateRows, sampler, base, use);
}

void forEachChange(const TextureStage& stage, const StateUse& use) {
  compareRows(kTextureStageRows, stage, {}, use);
}

bool isD3dColor(const std::array<uint32_t, 4>& border) {
  SamplerState sampler;
  setBorderColor(sampler, borderColor(border));
  return sampler.border == border;
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
  blendAlike(blend);
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
  raster.frontIsCcw = block.front_ccw != 0;
  if (block.cull_mode == AEROGPU_CULL_NONE)
    raster.cull = CullMode::None;
  else
    raster.cull = (block.cull_mode == AEROGPU_CULL_FRONT) == raster.frontIsCcw ? CullMode::Ccw : CullMode::Cw;
  raster.scissorEnable = block.scissor_enable != 0;
  raster.depthBias = static_cast<float>(block.depth_bias);
  raster.depthBiasIsInteger = true;
  raster.depthClip = (block.flags & AEROGPU_RASTERIZER_FLAG_DEPTH_CLIP_DISABLE) == 0;
  state.dirty |= kDirtyRasterizer | kDirtyScissor;
}

aerogpu_rasterizer_state rasterizerBlock(const RasterizerState& raster) {
  aerogpu_rasterizer_state block{};
  block.fill_mode = raster.fill == FillMode::Wireframe ? AEROGPU_FILL_WIREFRAME : AEROGPU_FILL_SOLID;
  // Culling, a render state too, is set after the block.
  block.cull_mode = AEROGPU_CULL_NONE;
  block.front_ccw = raster.frontIsCcw;
  block.scissor_enable = raster.scissorEnable;
  // 2^31 is what the single nearest to INT32_MAX says.
  if (raster.depthBiasIsInteger)
    block.depth_bias = raster.depthBias >= 0x1p31F ? INT32_MAX : static_cast<int32_t>(raster.depthBias);
  block.flags = raster.depthClip ? AEROGPU_RASTERIZER_FLAG_NONE : AEROGPU_RASTERIZER_FLAG_DEPTH_CLIP_DISABLE;
  return block;
}

aerogpu_cmd_create_sampler packetOfSampler(const SamplerState& state) {
  const auto address = [](AddressMode mode) -> uint32_t {
    switch (mode) {
      case AddressMode::Wrap:
        return AEROGPU_SAMPLER_ADDRESS_REPEAT;
      case AddressMode::Mirror:
        return AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT;
      default:
        return AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE;
    }
  };
  aerogpu_cmd_create_sampler packet{};
  packet.filter =
      state.mag == Filter::Linear ? AEROGPU_SAMPLER_FILTER_LINEAR : AEROGPU_SAMPLER_FILTER_NEAREST;
  packet.address_u = address(state.u);
  packet.address_v = address(state.v);
  packet.address_w = address(state.w);
  return packet;
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
