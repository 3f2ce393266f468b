// SPDX-License-Identifier: MIT
// Values of the states in states.h. Numbers: d3d9types.h; meanings: the page of each enumeration in the
// Direct3D 9 reference. Drivers may include it. Any thread.
#pragma once

#include <stdint.h>

namespace aerogpu::d3d9 {

/// D3DZBUFFERTYPE.
enum class ZBufferType : uint8_t { False = 0, True, UseW };
/// D3DFILLMODE.
enum class FillMode : uint8_t { Point = 1, Wireframe, Solid };
/// D3DSHADEMODE. Phong was never implemented.
enum class ShadeMode : uint8_t { Flat = 1, Gouraud, Phong };
/// D3DCULL: the winding that is culled, as seen on screen.
enum class CullMode : uint8_t { None = 1, Cw, Ccw };
/// D3DCMPFUNC.
enum class CompareFunc : uint8_t {
  Never = 1,
  Less,
  Equal,
  LessEqual,
  Greater,
  NotEqual,
  GreaterEqual,
  Always
};
/// D3DSTENCILOP.
enum class StencilOp : uint8_t { Keep = 1, Zero, Replace, IncrSat, DecrSat, Invert, Incr, Decr };
/// D3DFOGMODE.
enum class FogMode : uint8_t { None = 0, Exp, Exp2, Linear };
/// D3DBLEND; SrcColor2 and InvSrcColor2 are Direct3D 9Ex's. The last two are no render state's: D3D10_BLEND
/// goes on so.
enum class Blend : uint8_t {
  Zero = 1,
  One,
  SrcColor,
  InvSrcColor,
  SrcAlpha,
  InvSrcAlpha,
  DestAlpha,
  InvDestAlpha,
  DestColor,
  InvDestColor,
  SrcAlphaSat,
  BothSrcAlpha,
  BothInvSrcAlpha,
  BlendFactor,
  InvBlendFactor,
  SrcColor2,
  InvSrcColor2,
  SrcAlpha2,
  InvSrcAlpha2,
};
/// D3DBLENDOP.
enum class BlendOp : uint8_t { Add = 1, Subtract, RevSubtract, Min, Max };
/// D3DTEXTUREADDRESS.
enum class TextureAddress : uint8_t { Wrap = 1, Mirror, Clamp, Border, MirrorOnce };
/// D3DTEXTUREFILTERTYPE; ConvolutionMono is Direct3D 9Ex's.
enum class TextureFilter : uint8_t {
  None = 0,
  Point,
  Linear,
  Anisotropic,
  PyramidalQuad = 6,
  GaussianQuad,
  ConvolutionMono,
};
/// D3DTEXTUREOP.
enum class TextureOp : uint8_t {
  Disable = 1,
  SelectArg1,
  SelectArg2,
  Modulate,
  Modulate2x,
  Modulate4x,
  Add,
  AddSigned,
  AddSigned2x,
  Subtract,
  AddSmooth,
  BlendDiffuseAlpha,
  BlendTextureAlpha,
  BlendFactorAlpha,
  BlendTextureAlphaPm,
  BlendCurrentAlpha,
  Premodulate,
  ModulateAlphaAddColor,
  ModulateColorAddAlpha,
  ModulateInvAlphaAddColor,
  ModulateInvColorAddAlpha,
  BumpEnvMap,
  BumpEnvMapLuminance,
  DotProduct3,
  MultiplyAdd,
  Lerp,
};

/// Returns which of ARG0, ARG1 and ARG2 the operation reads: bits 0 to 2 (page D3DTEXTUREOP).
constexpr uint32_t argumentsOf(TextureOp op) {
  switch (op) {
    case TextureOp::Disable:
    case TextureOp::BumpEnvMap:
    case TextureOp::BumpEnvMapLuminance:
      return 0;
    case TextureOp::SelectArg1:
    case TextureOp::Premodulate:
      return 2;
    case TextureOp::SelectArg2:
      return 4;
    case TextureOp::MultiplyAdd:
    case TextureOp::Lerp:
      return 7;
    default:
      return 6;
  }
}

/// D3DTA: the value that an argument of a texture operation selects, in kTextureArgMask.
enum class TextureArg : uint8_t { Diffuse = 0, Current, Texture, TFactor, Specular, Temp, Constant };
inline constexpr uint32_t kTextureArgMask = 0xF, kTextureArgComplement = 0x10, kTextureArgReplicate = 0x20;
/// D3DTSS_TCI: in the high half of D3DTSS_TEXCOORDINDEX.
enum class TexCoordGen : uint8_t {
  PassThru = 0,
  CameraSpaceNormal,
  CameraSpacePosition,
  CameraSpaceReflectionVector,
  SphereMap,
};
/// D3DTTFF_PROJECTED; D3DTTFF_COUNT1 to COUNT4 are 1 to 4 in the bits below.
inline constexpr uint32_t kTextureTransformProjected = 256;
/// D3DVBF: values of D3DRS_VERTEXBLEND; 1 to 3 mean that many weights.
inline constexpr uint32_t kVertexBlendTweening = 255, kVertexBlend0Weights = 256;
/// D3DMATERIALCOLORSOURCE.
enum class MaterialSource : uint8_t { Material = 0, Color1, Color2 };
/// D3DLIGHTTYPE.
enum class LightType : uint32_t { Point = 1, Spot, Directional };

}  // namespace aerogpu::d3d9
