// SPDX-License-Identifier: MIT
// The state that draws depend on, in one canonical form: D3D9 render and sampler states and the D3D10-style
// state blocks write the same fields, so that the last packet to touch a state wins (STATE-4). Commands
// write it on the render thread; back ends read it during a draw.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "aerogpu/d3d9/state_values.h"
#include "renderer/cmd/stage.h"
#include "renderer/core/gpu_objects.h"

namespace aerogpu::core {

using cmd::Stage;
inline constexpr uint32_t kStageCount = 6;

inline constexpr uint32_t kMaxColorTargets = 8;
inline constexpr uint32_t kMaxViewports = 16;
inline constexpr uint32_t kMaxVertexStreams = 32;  // D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT; D3D9 uses 16
inline constexpr uint32_t kMaxShaderResources = 128;  // D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT
inline constexpr uint32_t kMaxSamplers = 16;
inline constexpr uint32_t kMaxConstantBuffers = 14;
inline constexpr uint32_t kMaxUnorderedAccess = 8;
inline constexpr uint32_t kMaxStreamTargets = 4;  // D3D11_SO_BUFFER_SLOT_COUNT
inline constexpr uint32_t kVertexFloatRegisters = 256;
inline constexpr uint32_t kPixelFloatRegisters = 224;
inline constexpr uint32_t kIntRegisters = 16;
inline constexpr uint32_t kBoolRegisters = 16;
inline constexpr uint32_t kMaxClipPlanes = 6;
inline constexpr uint32_t kTextureStages = 8;

// States keep Direct3D 9's enumerations; commands never store a number that these lack.
using d3d9::Blend;
using d3d9::BlendOp;
using d3d9::CompareFunc;
using d3d9::CullMode;
using d3d9::FillMode;
using d3d9::FogMode;
using d3d9::ShadeMode;
using d3d9::StencilOp;
using AddressMode = d3d9::TextureAddress;
using Filter = d3d9::TextureFilter;
/// enum aerogpu_primitive_topology, checked.
enum class Topology : uint8_t {
  PointList = 1,
  LineList,
  LineStrip,
  TriangleList,
  TriangleStrip,
  TriangleFan,
  LineListAdj = 10,
  LineStripAdj,
  TriangleListAdj,
  TriangleStripAdj,
  PatchList1 = 33,
  PatchList32 = 64,
};

/// Blending as Direct3D 10 has it.
struct BlendFunction {
  bool enable = false;
  Blend src = Blend::One, dst = Blend::Zero;
  BlendOp op = BlendOp::Add;
  Blend srcAlpha = Blend::One, dstAlpha = Blend::Zero;
  BlendOp opAlpha = BlendOp::Add;
  bool operator==(const BlendFunction&) const = default;
};

struct BlendState {
  // Of all targets, or of the first one if `independent`.
  bool enable = false;
  bool separateAlpha = false;
  Blend src = Blend::One, dst = Blend::Zero;
  BlendOp op = BlendOp::Add;
  Blend srcAlpha = Blend::One, dstAlpha = Blend::Zero;
  BlendOp opAlpha = BlendOp::Add;
  bool independent = false;
  std::array<BlendFunction, kMaxColorTargets - 1> others;  ///< of the targets from the second on
  std::array<uint8_t, kMaxColorTargets> writeMask = {15, 15, 15, 15, 15, 15, 15, 15};  ///< bit 0 R .. 3 A
  std::array<float, 4> constant = {1, 1, 1, 1};                                        ///< RGBA
  uint32_t sampleMask = 0xFFFFFFFFu;
  bool dither = false;
  bool srgbWrite = false;            ///< D3DRS_SRGBWRITEENABLE
  bool alphaToCoverage = false;      ///< EXT_SET_STATE's, for token-stream shaders
  bool dxbcAlphaToCoverage = false;  ///< EXT_SET_BLEND's, for DXBC shaders
  bool operator==(const BlendState&) const = default;
};

struct StencilFace {
  StencilOp fail = StencilOp::Keep, depthFail = StencilOp::Keep, pass = StencilOp::Keep;
  CompareFunc func = CompareFunc::Always;
  bool operator==(const StencilFace&) const = default;
};

struct DepthStencilState {
  bool depthEnable = false;
  bool depthWrite = true;
  CompareFunc depthFunc = CompareFunc::LessEqual;
  bool stencilEnable = false;
  bool twoSided = false;  ///< false: `front` counts for both faces
  StencilFace front;      ///< clockwise triangles (D3DRS_STENCIL*)
  StencilFace back;       ///< counter-clockwise ones (D3DRS_CCW_STENCIL*)
  uint8_t readMask = 0xFF, writeMask = 0xFF, reference = 0;
  bool operator==(const DepthStencilState&) const = default;
};

/// True if a draw writes depth. Without a depth test it does not write either.
inline bool writesDepth(const DepthStencilState& state) {
  return state.depthEnable && state.depthWrite;
}

/// True if a draw can change the depth target at all.
inline bool writesDepthOrStencil(const DepthStencilState& state) {
  return writesDepth(state) || (state.stencilEnable && state.writeMask != 0);
}

struct RasterizerState {
  FillMode fill = FillMode::Solid;
  CullMode cull = CullMode::Ccw;
  bool frontIsCcw = false;  ///< which side SV_IsFrontFace calls the front; for shaders of DXBC
  bool scissorEnable = false;
  bool depthClip = true;
  bool clipping = true;  ///< D3DRS_CLIPPING
  /// Depth bias in depth units (0..1 range, D3DRS_DEPTHBIAS); for SET_RASTERIZER_STATE in units of the
  /// format's smallest step (D3D10 rule) if depthBiasIsInteger.
  float depthBias = 0;
  bool depthBiasIsInteger = false;
  float slopeScaledDepthBias = 0;
  float depthBiasClamp = 0;  ///< 0: none
  bool multisample = true;
  bool antialiasedLine = false;
  ShadeMode shade = ShadeMode::Gouraud;
  uint8_t clipPlaneMask = 0;  ///< D3DRS_CLIPPLANEENABLE
  bool operator==(const RasterizerState&) const = default;
};

/// State for the D3D9 operations after (or inside) the pixel shader.
struct PixelPipeState {
  bool alphaTest = false;
  CompareFunc alphaFunc = CompareFunc::Always;
  uint8_t alphaRef = 0;
  bool fogEnable = false;
  FogMode fogTable = FogMode::None, fogVertex = FogMode::None;
  bool fogW = false;  ///< fog tables count w in place of z
  bool rangeFog = false;
  uint32_t fogColor = 0;  ///< D3DCOLOR
  float fogStart = 0, fogEnd = 1, fogDensity = 1;
  bool pointSprite = false, pointScale = false;
  float pointSize = 1, pointSizeMin = 1, pointSizeMax = 64;
  float pointScaleA = 1, pointScaleB = 0, pointScaleC = 0;
  bool operator==(const PixelPipeState&) const = default;
};

/// A level that no texture has.
inline constexpr float kAnyLod = 1000;

struct SamplerState {
  AddressMode u = AddressMode::Wrap, v = AddressMode::Wrap, w = AddressMode::Wrap;
  Filter mag = Filter::Point, min = Filter::Point, mip = Filter::None;
  std::array<uint32_t, 4> border{};  ///< RGBA, IEEE 754 bits
  float lodBias = 0;
  float minLod = 0;  ///< finest level that may be used: D3DSAMP_MAXMIPLEVEL
  float maxLod = kAnyLod;
  uint32_t maxAnisotropy = 1;
  CompareFunc compare = CompareFunc::LessEqual;  ///< for DXBC shaders that compare
  bool srgb = false;                             ///< D3DSAMP_SRGBTEXTURE
  bool gather = false;  ///< D3DSAMP_MIPMAPLODBIAS is "GET4": samples are four texels (XSTATE-11)
  bool operator==(const SamplerState&) const = default;
};

struct Viewport {
  float x = 0, y = 0, width = 0, height = 0, minDepth = 0, maxDepth = 1;  ///< pixels, y down
  bool operator==(const Viewport&) const = default;
};
struct Scissor {
  int32_t x = 0, y = 0, width = 0, height = 0;  ///< pixels; negative sizes were refused
  bool operator==(const Scissor&) const = default;
};

/// Those that geometry shaders choose of, but the first; empty ones are not there.
struct MoreViewports {
  std::array<Viewport, kMaxViewports - 1> viewports{};
  std::array<Scissor, kMaxViewports - 1> scissors{};
  uint32_t viewportCount = 1, scissorCount = 1;  ///< with the first
  bool operator==(const MoreViewports&) const = default;
};

/// A colour or depth target: a texture (mip 0, layer 0) or a view of one.
struct TargetBinding {
  Ref<Texture> texture;  ///< null = none
  Ref<View> view;        ///< null = the texture itself
};

struct VertexStream {
  Ref<Buffer> buffer;
  uint32_t stride = 0, offset = 0;  ///< bytes
  uint32_t step = 0;  ///< instances for each element; 0: one for each vertex (Direct3D 9 layouts)
};
struct IndexBinding {
  Ref<Buffer> buffer;
  bool is32Bit = false;
  uint32_t offset = 0;  ///< bytes
};

/// A t# register: nothing, a buffer, or a texture with or without a view of it.
struct ShaderResourceBinding {
  Ref<Texture> texture;
  Ref<View> view;
  Ref<Buffer> buffer;
  uint32_t offset = 0, size = 0;  ///< bytes of a buffer; size is resolved (never 0 for a bound buffer)
  aerogpu_format format = AEROGPU_FORMAT_INVALID;  ///< of a buffer's texels; INVALID: 32-bit words

  /// Returns the layers of the bound texture.
  uint32_t layers() const { return view ? view->desc.layerCount : texture->desc.arrayLayers; }
};
/// A piece of what is streamed out.
struct StreamElement {
  static constexpr uint8_t kGap = 0xFF;
  uint8_t slot = 0;
  uint8_t reg = 0;   ///< of the last stage before the rasterizer; kGap: words that stay as they are
  uint8_t mask = 0;  ///< components, without gaps between them
  bool operator==(const StreamElement&) const = default;
};

/// What vertices look like that are streamed out.
struct StreamOutput {
  std::vector<StreamElement> elements;                ///< in the order of each slot's
  uint32_t slots = 0;                                 ///< bit of each that more than gaps go to; 0: none
  std::array<uint32_t, kMaxStreamTargets> strides{};  ///< bytes
  bool rasterizes = true;                             ///< else the primitives go nowhere else
  bool operator==(const StreamOutput&) const = default;
};

struct BufferBinding {
  Ref<Buffer> buffer;
  uint32_t offset = 0, size = 0;       ///< bytes; size is resolved
  uint32_t initialCount = 0xFFFFFFFF;  ///< UAV counter; 0xFFFFFFFF = keep
};

/// The D3DTEXTURESTAGESTATETYPE values that pixel shaders 1.x read.
struct TextureStage {
  std::array<float, 4> bump{};  ///< D3DTSS_BUMPENVMAT00, 01, 10, 11
  float luminanceScale = 0, luminanceOffset = 0;
  uint32_t transformFlags = 0;  ///< D3DTSS_TEXTURETRANSFORMFLAGS
  uint32_t unused = 0;          ///< padding, so that a shader reads the structure as it is
  bool operator==(const TextureStage&) const = default;
};

/// A D3D9 constant register file.
template <uint32_t kFloats>
struct ConstantFile {
  std::array<std::array<uint32_t, 4>, kFloats> f{};  ///< IEEE 754 bits
  std::array<std::array<int32_t, 4>, kIntRegisters> i{};
  uint32_t b = 0;  ///< bit n = register n
};

/// Groups of state; commands set bits, the back end clears what it has taken over. All set on a context
/// switch.
enum DirtyBit : uint32_t {
  kDirtyShaders = 1u << 0,
  kDirtyInputLayout = 1u << 1,
  kDirtyTargets = 1u << 2,
  kDirtyViewport = 1u << 3,
  kDirtyScissor = 1u << 4,
  kDirtyBlend = 1u << 5,
  kDirtyDepthStencil = 1u << 6,
  kDirtyRasterizer = 1u << 7,
  kDirtyPixelPipe = 1u << 8,
  kDirtyVertexStreams = 1u << 9,
  kDirtyIndexBuffer = 1u << 10,
  kDirtyTopology = 1u << 11,
  kDirtyVsConstants = 1u << 12,
  kDirtyPsConstants = 1u << 13,
  kDirtyClipPlanes = 1u << 14,
  kDirtyResources = 1u << 15,  ///< which stage: DrawState::dirtyResourceStages
  kDirtySamplers = 1u << 16,
  kDirtyConstantBuffers = 1u << 17,
  kDirtyUnorderedAccess = 1u << 18,
  kDirtyTextureStages = 1u << 19,
  kDirtyStreamOutput = 1u << 20,
  kDirtyStreamTargets = 1u << 21,
  kDirtyAll = 0xFFFFFFFFu,
};

struct StageBindings {
  std::array<ShaderResourceBinding, kMaxShaderResources> resources;
  std::array<SamplerState, kMaxSamplers> samplers;
  std::array<BufferBinding, kMaxConstantBuffers> constantBuffers;
  std::array<BufferBinding, kMaxUnorderedAccess> unorderedAccess;
};

/// Everything that a draw, clear or dispatch of one guest context depends on.
struct DrawState {
  std::array<Ref<Shader>, kStageCount> shaders;
  Ref<InputLayout> inputLayout;
  std::array<TargetBinding, kMaxColorTargets> colorTargets;
  uint32_t colorTargetCount = 0;
  TargetBinding depthTarget;
  uint32_t targetLayers = 1;  ///< of the target that has fewest (LAYER-1); 1 where layers are not announced
  uint64_t drawPixels =
      0;  ///< that a draw may touch: the smallest colour target (or the depth target), inside the viewport
  uint32_t anisotropy = 1;  ///< the highest of the pixel shader's samplers
  uint32_t vertexWeight = 1, pixelWeight = 1, geometryWeight = 1;  ///< of an invocation (WorkBudget::weight)
  uint64_t copiedBytes = 0;  ///< by the back end for draws; charged to the budget after each
  Viewport viewport;
  bool viewportSet = false;  ///< false: the whole of colour target 0 (or of the depth target)
  Scissor scissor;
  MoreViewports more;
  BlendState blend;
  DepthStencilState depthStencil;
  RasterizerState rasterizer;
  PixelPipeState pixelPipe;
  std::array<VertexStream, kMaxVertexStreams> vertexStreams;
  IndexBinding indexBuffer;
  Topology topology = Topology::TriangleList;
  ConstantFile<kVertexFloatRegisters> vsConstants;
  ConstantFile<kPixelFloatRegisters> psConstants;
  std::array<std::array<float, 4>, kMaxClipPlanes> clipPlanes{};
  std::array<TextureStage, kTextureStages> textureStages;
  std::array<StageBindings, kStageCount> stages;
  StreamOutput streamOutput;
  std::array<Ref<Buffer>, kMaxStreamTargets> streamTargets;
  uint32_t dirty = kDirtyAll;
  uint32_t dirtyResourceStages = (1u << kStageCount) - 1;  ///< bit per stage, for resources and samplers
};

}  // namespace aerogpu::core
