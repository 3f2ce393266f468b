// SPDX-License-Identifier: MIT
// Render, sampler and texture stage states of Direct3D 9: one table of each, and the values of their
// enumerations. Numbers: d3d9types.h. Defaults and kinds: the pages D3DRENDERSTATETYPE, D3DSAMPLERSTATETYPE,
// D3DTEXTURESTAGESTATETYPE and D3DTA of the Direct3D 9 reference. Constants only, so drivers in user and
// kernel mode may include it; nothing here is a floating-point number. Any thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace aerogpu::d3d9 {

/// How to read a state's 32 bits.
enum class StateKind : uint8_t {
  Bool,   ///< 0 is FALSE, all else TRUE
  Enum,   ///< a number from `first` to `last`, some of which may have no meaning
  Dword,  ///< an integer or flags
  Float,  ///< the bits of an IEEE 754 single
  Color,  ///< D3DCOLOR: 0xAARRGGBB
};

/// The part of the pipeline that a state belongs to.
enum class StatePart : uint8_t {
  VertexProcessing,  ///< fixed-function transformation and lighting
  Tessellation,
  Points,
  Rasterizer,       ///< from primitives to pixels with a depth
  TextureBlending,  ///< fixed-function pixel processing
  Sampling,
  Fog,
  AlphaTest,
  DepthStencil,
  Blending,  ///< from pixels to render targets
  Debugging,
};

// clang-format off
// X(enumerator, name in d3d9types.h, number, kind, part, default, first, last); first and last of
// enumerations. ZENABLE's default is that of a device without EnableAutoDepthStencil. POINTSIZE's default
// comes from the text on POINTSPRITEENABLE; drivers may give another.
#define AEROGPU_D3D9_RENDER_STATES(X)                                                                          \
  X(ZEnable,                    ZENABLE,                    7, Enum,  DepthStencil,     0, 0, 2)               \
  X(FillMode,                   FILLMODE,                   8, Enum,  Rasterizer,       3, 1, 3)               \
  X(ShadeMode,                  SHADEMODE,                  9, Enum,  Rasterizer,       2, 1, 3)               \
  X(ZWriteEnable,               ZWRITEENABLE,              14, Bool,  DepthStencil,     1, 0, 0)               \
  X(AlphaTestEnable,            ALPHATESTENABLE,           15, Bool,  AlphaTest,        0, 0, 0)               \
  X(LastPixel,                  LASTPIXEL,                 16, Bool,  Rasterizer,       1, 0, 0)               \
  X(SrcBlend,                   SRCBLEND,                  19, Enum,  Blending,         2, 1, 17)              \
  X(DestBlend,                  DESTBLEND,                 20, Enum,  Blending,         1, 1, 17)              \
  X(CullMode,                   CULLMODE,                  22, Enum,  Rasterizer,       3, 1, 3)               \
  X(ZFunc,                      ZFUNC,                     23, Enum,  DepthStencil,     4, 1, 8)               \
  X(AlphaRef,                   ALPHAREF,                  24, Dword, AlphaTest,        0, 0, 0)               \
  X(AlphaFunc,                  ALPHAFUNC,                 25, Enum,  AlphaTest,        8, 1, 8)               \
  X(DitherEnable,               DITHERENABLE,              26, Bool,  Blending,         0, 0, 0)               \
  X(AlphaBlendEnable,           ALPHABLENDENABLE,          27, Bool,  Blending,         0, 0, 0)               \
  X(FogEnable,                  FOGENABLE,                 28, Bool,  Fog,              0, 0, 0)               \
  X(SpecularEnable,             SPECULARENABLE,            29, Bool,  TextureBlending,  0, 0, 0)               \
  X(FogColor,                   FOGCOLOR,                  34, Color, Fog,              0, 0, 0)               \
  X(FogTableMode,               FOGTABLEMODE,              35, Enum,  Fog,              0, 0, 3)               \
  X(FogStart,                   FOGSTART,                  36, Float, Fog,              0, 0, 0)               \
  X(FogEnd,                     FOGEND,                    37, Float, Fog,              kFloat1, 0, 0)         \
  X(FogDensity,                 FOGDENSITY,                38, Float, Fog,              kFloat1, 0, 0)         \
  X(RangeFogEnable,             RANGEFOGENABLE,            48, Bool,  Fog,              0, 0, 0)               \
  X(StencilEnable,              STENCILENABLE,             52, Bool,  DepthStencil,     0, 0, 0)               \
  X(StencilFail,                STENCILFAIL,               53, Enum,  DepthStencil,     1, 1, 8)               \
  X(StencilZFail,               STENCILZFAIL,              54, Enum,  DepthStencil,     1, 1, 8)               \
  X(StencilPass,                STENCILPASS,               55, Enum,  DepthStencil,     1, 1, 8)               \
  X(StencilFunc,                STENCILFUNC,               56, Enum,  DepthStencil,     8, 1, 8)               \
  X(StencilRef,                 STENCILREF,                57, Dword, DepthStencil,     0, 0, 0)               \
  X(StencilMask,                STENCILMASK,               58, Dword, DepthStencil,     kAllBits, 0, 0)        \
  X(StencilWriteMask,           STENCILWRITEMASK,          59, Dword, DepthStencil,     kAllBits, 0, 0)        \
  X(TextureFactor,              TEXTUREFACTOR,             60, Color, TextureBlending,  kAllBits, 0, 0)        \
  X(Wrap0,                      WRAP0,                    128, Dword, Rasterizer,       0, 0, 0)               \
  X(Wrap1,                      WRAP1,                    129, Dword, Rasterizer,       0, 0, 0)               \
  X(Wrap2,                      WRAP2,                    130, Dword, Rasterizer,       0, 0, 0)               \
  X(Wrap3,                      WRAP3,                    131, Dword, Rasterizer,       0, 0, 0)               \
  X(Wrap4,                      WRAP4,                    132, Dword, Rasterizer,       0, 0, 0)               \
  X(Wrap5,                      WRAP5,                    133, Dword, Rasterizer,       0, 0, 0)               \
  X(Wrap6,                      WRAP6,                    134, Dword, Rasterizer,       0, 0, 0)               \
  X(Wrap7,                      WRAP7,                    135, Dword, Rasterizer,       0, 0, 0)               \
  X(Clipping,                   CLIPPING,                 136, Bool,  Rasterizer,       1, 0, 0)               \
  X(Lighting,                   LIGHTING,                 137, Bool,  VertexProcessing, 1, 0, 0)               \
  X(Ambient,                    AMBIENT,                  139, Color, VertexProcessing, 0, 0, 0)               \
  X(FogVertexMode,              FOGVERTEXMODE,            140, Enum,  Fog,              0, 0, 3)               \
  X(ColorVertex,                COLORVERTEX,              141, Bool,  VertexProcessing, 1, 0, 0)               \
  X(LocalViewer,                LOCALVIEWER,              142, Bool,  VertexProcessing, 1, 0, 0)               \
  X(NormalizeNormals,           NORMALIZENORMALS,         143, Bool,  VertexProcessing, 0, 0, 0)               \
  X(DiffuseMaterialSource,      DIFFUSEMATERIALSOURCE,    145, Enum,  VertexProcessing, 1, 0, 2)               \
  X(SpecularMaterialSource,     SPECULARMATERIALSOURCE,   146, Enum,  VertexProcessing, 2, 0, 2)               \
  X(AmbientMaterialSource,      AMBIENTMATERIALSOURCE,    147, Enum,  VertexProcessing, 0, 0, 2)               \
  X(EmissiveMaterialSource,     EMISSIVEMATERIALSOURCE,   148, Enum,  VertexProcessing, 0, 0, 2)               \
  X(VertexBlend,                VERTEXBLEND,              151, Enum,  VertexProcessing, 0, 0, 256)             \
  X(ClipPlaneEnable,            CLIPPLANEENABLE,          152, Dword, Rasterizer,       0, 0, 0)               \
  X(PointSize,                  POINTSIZE,                154, Float, Points,           kFloat1, 0, 0)         \
  X(PointSizeMin,               POINTSIZE_MIN,            155, Float, Points,           kFloat1, 0, 0)         \
  X(PointSpriteEnable,          POINTSPRITEENABLE,        156, Bool,  Points,           0, 0, 0)               \
  X(PointScaleEnable,           POINTSCALEENABLE,         157, Bool,  Points,           0, 0, 0)               \
  X(PointScaleA,                POINTSCALE_A,             158, Float, Points,           kFloat1, 0, 0)         \
  X(PointScaleB,                POINTSCALE_B,             159, Float, Points,           0, 0, 0)               \
  X(PointScaleC,                POINTSCALE_C,             160, Float, Points,           0, 0, 0)               \
  X(MultisampleAntialias,       MULTISAMPLEANTIALIAS,     161, Bool,  Rasterizer,       1, 0, 0)               \
  X(MultisampleMask,            MULTISAMPLEMASK,          162, Dword, Blending,         kAllBits, 0, 0)        \
  X(PatchEdgeStyle,             PATCHEDGESTYLE,           163, Enum,  Tessellation,     0, 0, 1)               \
  X(DebugMonitorToken,          DEBUGMONITORTOKEN,        165, Enum,  Debugging,        0, 0, 1)               \
  X(PointSizeMax,               POINTSIZE_MAX,            166, Float, Points,           kFloat64, 0, 0)        \
  X(IndexedVertexBlendEnable,   INDEXEDVERTEXBLENDENABLE, 167, Bool,  VertexProcessing, 0, 0, 0)               \
  X(ColorWriteEnable,           COLORWRITEENABLE,         168, Dword, Blending,         15, 0, 0)              \
  X(TweenFactor,                TWEENFACTOR,              170, Float, VertexProcessing, 0, 0, 0)               \
  X(BlendOp,                    BLENDOP,                  171, Enum,  Blending,         1, 1, 5)               \
  X(PositionDegree,             POSITIONDEGREE,           172, Enum,  Tessellation,     3, 1, 5)               \
  X(NormalDegree,               NORMALDEGREE,             173, Enum,  Tessellation,     1, 1, 5)               \
  X(ScissorTestEnable,          SCISSORTESTENABLE,        174, Bool,  Rasterizer,       0, 0, 0)               \
  X(SlopeScaleDepthBias,        SLOPESCALEDEPTHBIAS,      175, Float, Rasterizer,       0, 0, 0)               \
  X(AntialiasedLineEnable,      ANTIALIASEDLINEENABLE,    176, Bool,  Rasterizer,       0, 0, 0)               \
  X(MinTessellationLevel,       MINTESSELLATIONLEVEL,     178, Float, Tessellation,     kFloat1, 0, 0)         \
  X(MaxTessellationLevel,       MAXTESSELLATIONLEVEL,     179, Float, Tessellation,     kFloat1, 0, 0)         \
  X(AdaptiveTessX,              ADAPTIVETESS_X,           180, Float, Tessellation,     0, 0, 0)               \
  X(AdaptiveTessY,              ADAPTIVETESS_Y,           181, Float, Tessellation,     0, 0, 0)               \
  X(AdaptiveTessZ,              ADAPTIVETESS_Z,           182, Float, Tessellation,     kFloat1, 0, 0)         \
  X(AdaptiveTessW,              ADAPTIVETESS_W,           183, Float, Tessellation,     0, 0, 0)               \
  X(EnableAdaptiveTessellation, ENABLEADAPTIVETESSELLATION, 184, Bool, Tessellation,    0, 0, 0)               \
  X(TwoSidedStencilMode,        TWOSIDEDSTENCILMODE,      185, Bool,  DepthStencil,     0, 0, 0)               \
  X(CcwStencilFail,             CCW_STENCILFAIL,          186, Enum,  DepthStencil,     1, 1, 8)               \
  X(CcwStencilZFail,            CCW_STENCILZFAIL,         187, Enum,  DepthStencil,     1, 1, 8)               \
  X(CcwStencilPass,             CCW_STENCILPASS,          188, Enum,  DepthStencil,     1, 1, 8)               \
  X(CcwStencilFunc,             CCW_STENCILFUNC,          189, Enum,  DepthStencil,     8, 1, 8)               \
  X(ColorWriteEnable1,          COLORWRITEENABLE1,        190, Dword, Blending,         15, 0, 0)              \
  X(ColorWriteEnable2,          COLORWRITEENABLE2,        191, Dword, Blending,         15, 0, 0)              \
  X(ColorWriteEnable3,          COLORWRITEENABLE3,        192, Dword, Blending,         15, 0, 0)              \
  X(BlendFactor,                BLENDFACTOR,              193, Color, Blending,         kAllBits, 0, 0)        \
  X(SrgbWriteEnable,            SRGBWRITEENABLE,          194, Bool,  Blending,         0, 0, 0)               \
  X(DepthBias,                  DEPTHBIAS,                195, Float, Rasterizer,       0, 0, 0)               \
  X(Wrap8,                      WRAP8,                    198, Dword, Rasterizer,       0, 0, 0)               \
  X(Wrap9,                      WRAP9,                    199, Dword, Rasterizer,       0, 0, 0)               \
  X(Wrap10,                     WRAP10,                   200, Dword, Rasterizer,       0, 0, 0)               \
  X(Wrap11,                     WRAP11,                   201, Dword, Rasterizer,       0, 0, 0)               \
  X(Wrap12,                     WRAP12,                   202, Dword, Rasterizer,       0, 0, 0)               \
  X(Wrap13,                     WRAP13,                   203, Dword, Rasterizer,       0, 0, 0)               \
  X(Wrap14,                     WRAP14,                   204, Dword, Rasterizer,       0, 0, 0)               \
  X(Wrap15,                     WRAP15,                   205, Dword, Rasterizer,       0, 0, 0)               \
  X(SeparateAlphaBlendEnable,   SEPARATEALPHABLENDENABLE, 206, Bool,  Blending,         0, 0, 0)               \
  X(SrcBlendAlpha,              SRCBLENDALPHA,            207, Enum,  Blending,         2, 1, 17)              \
  X(DestBlendAlpha,             DESTBLENDALPHA,           208, Enum,  Blending,         1, 1, 17)              \
  X(BlendOpAlpha,               BLENDOPALPHA,             209, Enum,  Blending,         1, 1, 5)

// Columns as in AEROGPU_D3D9_RENDER_STATES. A magnification or minification filter cannot be 4 or 5, which no
// page names.
#define AEROGPU_D3D9_SAMPLER_STATES(X)                                                                         \
  X(AddressU,      ADDRESSU,       1, Enum,  Sampling,     1, 1, 5)                                            \
  X(AddressV,      ADDRESSV,       2, Enum,  Sampling,     1, 1, 5)                                            \
  X(AddressW,      ADDRESSW,       3, Enum,  Sampling,     1, 1, 5)                                            \
  X(BorderColor,   BORDERCOLOR,    4, Color, Sampling,     0, 0, 0)                                            \
  X(MagFilter,     MAGFILTER,      5, Enum,  Sampling,     1, 1, 8)                                            \
  X(MinFilter,     MINFILTER,      6, Enum,  Sampling,     1, 1, 8)                                            \
  X(MipFilter,     MIPFILTER,      7, Enum,  Sampling,     0, 0, 2)                                            \
  X(MipMapLodBias, MIPMAPLODBIAS,  8, Float, Sampling,     0, 0, 0)                                            \
  X(MaxMipLevel,   MAXMIPLEVEL,    9, Dword, Sampling,     0, 0, 0)                                            \
  X(MaxAnisotropy, MAXANISOTROPY, 10, Dword, Sampling,     1, 0, 0)                                            \
  X(SrgbTexture,   SRGBTEXTURE,   11, Bool,  Sampling,     0, 0, 0)                                            \
  X(ElementIndex,  ELEMENTINDEX,  12, Dword, Sampling,     0, 0, 0)                                            \
  X(DMapOffset,    DMAPOFFSET,    13, Dword, Tessellation, 0, 0, 0)

// Columns as in AEROGPU_D3D9_RENDER_STATES. Three defaults depend on the stage: textureStageDefault().
#define AEROGPU_D3D9_TEXTURE_STAGE_STATES(X)                                                                   \
  X(ColorOp,               COLOROP,                1, Enum,  TextureBlending,  1, 1, 26)                       \
  X(ColorArg1,             COLORARG1,              2, Dword, TextureBlending,  2, 0, 0)                        \
  X(ColorArg2,             COLORARG2,              3, Dword, TextureBlending,  1, 0, 0)                        \
  X(AlphaOp,               ALPHAOP,                4, Enum,  TextureBlending,  1, 1, 26)                       \
  X(AlphaArg1,             ALPHAARG1,              5, Dword, TextureBlending,  2, 0, 0)                        \
  X(AlphaArg2,             ALPHAARG2,              6, Dword, TextureBlending,  1, 0, 0)                        \
  X(BumpEnvMat00,          BUMPENVMAT00,           7, Float, TextureBlending,  0, 0, 0)                        \
  X(BumpEnvMat01,          BUMPENVMAT01,           8, Float, TextureBlending,  0, 0, 0)                        \
  X(BumpEnvMat10,          BUMPENVMAT10,           9, Float, TextureBlending,  0, 0, 0)                        \
  X(BumpEnvMat11,          BUMPENVMAT11,          10, Float, TextureBlending,  0, 0, 0)                        \
  X(TexCoordIndex,         TEXCOORDINDEX,         11, Dword, VertexProcessing, 0, 0, 0)                        \
  X(BumpEnvLScale,         BUMPENVLSCALE,         22, Float, TextureBlending,  0, 0, 0)                        \
  X(BumpEnvLOffset,        BUMPENVLOFFSET,        23, Float, TextureBlending,  0, 0, 0)                        \
  X(TextureTransformFlags, TEXTURETRANSFORMFLAGS, 24, Dword, VertexProcessing, 0, 0, 0)                        \
  X(ColorArg0,             COLORARG0,             26, Dword, TextureBlending,  1, 0, 0)                        \
  X(AlphaArg0,             ALPHAARG0,             27, Dword, TextureBlending,  1, 0, 0)                        \
  X(ResultArg,             RESULTARG,             28, Dword, TextureBlending,  1, 0, 0)                        \
  X(Constant,              CONSTANT,              32, Color, TextureBlending,  kAllBits, 0, 0)
// clang-format on

#define AEROGPU_D3D9_ENUMERATOR(ENUMERATOR, NAME, NUMBER, KIND, PART, DEFAULT, FIRST, LAST) \
  ENUMERATOR = (NUMBER),
/// D3DRENDERSTATETYPE.
enum class RenderStateType : uint32_t { AEROGPU_D3D9_RENDER_STATES(AEROGPU_D3D9_ENUMERATOR) };
/// D3DSAMPLERSTATETYPE.
enum class SamplerStateType : uint32_t { AEROGPU_D3D9_SAMPLER_STATES(AEROGPU_D3D9_ENUMERATOR) };
/// D3DTEXTURESTAGESTATETYPE.
enum class TextureStageStateType : uint32_t { AEROGPU_D3D9_TEXTURE_STAGE_STATES(AEROGPU_D3D9_ENUMERATOR) };
#undef AEROGPU_D3D9_ENUMERATOR

struct StateInfo {
  uint32_t number;
  const char* name;  ///< with its prefix: "D3DRS_ZENABLE"
  StateKind kind;
  StatePart part;
  uint32_t defaultValue;  ///< as the 32 bits that SetRenderState and its like take
  uint32_t first, last;   ///< of an Enum, else 0
};

namespace detail {
inline constexpr uint32_t kFloat1 = 0x3F800000u, kFloat64 = 0x42800000u, kAllBits = 0xFFFFFFFFu;
#define AEROGPU_D3D9_ROW(TEXT, NUMBER, KIND, PART, DEFAULT, FIRST, LAST) \
  {(NUMBER), (TEXT), StateKind::KIND, StatePart::PART, (DEFAULT), (FIRST), (LAST)},
#define AEROGPU_D3D9_RS_ROW(ENUMERATOR, NAME, ...) AEROGPU_D3D9_ROW("D3DRS_" #NAME, __VA_ARGS__)
#define AEROGPU_D3D9_SAMP_ROW(ENUMERATOR, NAME, ...) AEROGPU_D3D9_ROW("D3DSAMP_" #NAME, __VA_ARGS__)
#define AEROGPU_D3D9_TSS_ROW(ENUMERATOR, NAME, ...) AEROGPU_D3D9_ROW("D3DTSS_" #NAME, __VA_ARGS__)
inline constexpr StateInfo kRenderStates[] = {AEROGPU_D3D9_RENDER_STATES(AEROGPU_D3D9_RS_ROW)};
inline constexpr StateInfo kSamplerStates[] = {AEROGPU_D3D9_SAMPLER_STATES(AEROGPU_D3D9_SAMP_ROW)};
inline constexpr StateInfo kTextureStageStates[] = {AEROGPU_D3D9_TEXTURE_STAGE_STATES(AEROGPU_D3D9_TSS_ROW)};
#undef AEROGPU_D3D9_RS_ROW
#undef AEROGPU_D3D9_SAMP_ROW
#undef AEROGPU_D3D9_TSS_ROW
#undef AEROGPU_D3D9_ROW

template <size_t kCount>
constexpr const StateInfo* find(const StateInfo (&rows)[kCount], uint32_t number) {
  for (const StateInfo& row : rows)
    if (row.number == number) return &row;
  return nullptr;
}
}  // namespace detail

/// Every row, in order of number.
inline constexpr auto& kRenderStates = detail::kRenderStates;
inline constexpr auto& kSamplerStates = detail::kSamplerStates;
inline constexpr auto& kTextureStageStates = detail::kTextureStageStates;

/// Returns the row of a number, or null if it is no state. Searches the table: do not call it for each draw.
constexpr const StateInfo* findRenderState(uint32_t number) {
  return detail::find(kRenderStates, number);
}
constexpr const StateInfo* findSamplerState(uint32_t number) {
  return detail::find(kSamplerStates, number);
}
constexpr const StateInfo* findTextureStageState(uint32_t number) {
  return detail::find(kTextureStageStates, number);
}

constexpr const StateInfo& info(RenderStateType type) {
  return *findRenderState(static_cast<uint32_t>(type));
}
constexpr const StateInfo& info(SamplerStateType type) {
  return *findSamplerState(static_cast<uint32_t>(type));
}
constexpr const StateInfo& info(TextureStageStateType type) {
  return *findTextureStageState(static_cast<uint32_t>(type));
}

/// Returns the default of a texture stage state in `stage`: stage 0 modulates (D3DTOP_MODULATE, and
/// D3DTOP_SELECTARG1 for alpha), and each stage has its own set of coordinates.
constexpr uint32_t textureStageDefault(TextureStageStateType type, uint32_t stage) {
  if (type == TextureStageStateType::TexCoordIndex) return stage;
  if (stage == 0 && type == TextureStageStateType::ColorOp) return 4;
  if (stage == 0 && type == TextureStageStateType::AlphaOp) return 2;
  return info(type).defaultValue;
}

}  // namespace aerogpu::d3d9
