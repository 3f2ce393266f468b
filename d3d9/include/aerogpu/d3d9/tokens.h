// SPDX-License-Identifier: MIT
// Layout and enumerators of D3D9 shader tokens (shader models 1.1 to 3.0). Source: "Direct3D Shader Codes" of
// the Windows display driver documentation, and d3d9types.h. Any code may include it, drivers too.
#pragma once

#include <stdint.h>

namespace aerogpu::d3d9 {

enum class Stage : uint8_t { Vertex, Pixel };

/// A shader model: `major << 8 | minor`, as in the low half of the version token.
struct Version {
  Stage stage = Stage::Vertex;
  uint8_t major = 0, minor = 0;
  constexpr uint16_t model() const { return static_cast<uint16_t>(major << 8 | minor); }
  constexpr uint32_t token() const { return (stage == Stage::Vertex ? 0xFFFE0000u : 0xFFFF0000u) | model(); }
  constexpr bool operator==(const Version&) const = default;
};

/// D3DSHADER_INSTRUCTION_OPCODE_TYPE.
enum class Opcode : uint16_t {
  Nop = 0,
  Mov = 1,
  Add = 2,
  Sub = 3,
  Mad = 4,
  Mul = 5,
  Rcp = 6,
  Rsq = 7,
  Dp3 = 8,
  Dp4 = 9,
  Min = 10,
  Max = 11,
  Slt = 12,
  Sge = 13,
  Exp = 14,
  Log = 15,
  Lit = 16,
  Dst = 17,
  Lrp = 18,
  Frc = 19,
  M4x4 = 20,
  M4x3 = 21,
  M3x4 = 22,
  M3x3 = 23,
  M3x2 = 24,
  Call = 25,
  CallNz = 26,
  Loop = 27,
  Ret = 28,
  EndLoop = 29,
  Label = 30,
  Dcl = 31,
  Pow = 32,
  Crs = 33,
  Sgn = 34,
  Abs = 35,
  Nrm = 36,
  SinCos = 37,
  Rep = 38,
  EndRep = 39,
  If = 40,
  IfC = 41,
  Else = 42,
  EndIf = 43,
  Break = 44,
  BreakC = 45,
  MovA = 46,
  DefB = 47,
  DefI = 48,
  TexCoord = 64,
  TexKill = 65,
  Tex = 66,
  TexBem = 67,
  TexBemL = 68,
  TexReg2Ar = 69,
  TexReg2Gb = 70,
  TexM3x2Pad = 71,
  TexM3x2Tex = 72,
  TexM3x3Pad = 73,
  TexM3x3Tex = 74,
  TexM3x3Spec = 76,
  TexM3x3VSpec = 77,
  ExpP = 78,
  LogP = 79,
  Cnd = 80,
  Def = 81,
  TexReg2Rgb = 82,
  TexDp3Tex = 83,
  TexM3x2Depth = 84,
  TexDp3 = 85,
  TexM3x3 = 86,
  TexDepth = 87,
  Cmp = 88,
  Bem = 89,
  Dp2Add = 90,
  Dsx = 91,
  Dsy = 92,
  TexLdd = 93,
  SetP = 94,
  TexLdl = 95,
  BreakP = 96,
  Phase = 0xFFFD,
  Comment = 0xFFFE,
  End = 0xFFFF,
};

// Version token: 0xFFFE = vertex, 0xFFFF = pixel in the high half.
inline constexpr uint32_t kVertexVersionTag = 0xFFFE0000u;
inline constexpr uint32_t kPixelVersionTag = 0xFFFF0000u;
inline constexpr uint32_t kEndToken = 0x0000FFFFu;

// Instruction token.
inline constexpr uint32_t kOpcodeMask = 0x0000FFFFu;
inline constexpr uint32_t kControlShift = 16;  ///< 8 bits: comparison, texld variant
inline constexpr uint32_t kControlMask = 0x00FF0000u;
inline constexpr uint32_t kComparisonMask = 0x00070000u;
inline constexpr uint32_t kLengthShift = 24;  ///< tokens that follow; shader model 2 and later
inline constexpr uint32_t kLengthMask = 0x0F000000u;
inline constexpr uint32_t kPredicatedBit = 0x10000000u;
inline constexpr uint32_t kCoissueBit = 0x40000000u;
// Comment token: length in bits 16..30.
inline constexpr uint32_t kCommentLengthShift = 16;
inline constexpr uint32_t kCommentLengthMask = 0x7FFF0000u;

inline constexpr uint32_t kTexldProject = 1;  ///< D3DSI_TEXLD_PROJECT, in the control field
inline constexpr uint32_t kTexldBias = 2;     ///< D3DSI_TEXLD_BIAS

// Parameter tokens: bit 31 is set in all of them.
inline constexpr uint32_t kParameterBit = 0x80000000u;
inline constexpr uint32_t kRegisterNumberMask = 0x000007FFu;
inline constexpr uint32_t kRelativeBit = 0x00002000u;
inline constexpr uint32_t kWriteMaskShift = 16;
inline constexpr uint32_t kWriteMaskMask = 0x000F0000u;
inline constexpr uint32_t kResultModifierShift = 20;
inline constexpr uint32_t kResultModifierMask = 0x00F00000u;
inline constexpr uint32_t kResultShiftShift = 24;
inline constexpr uint32_t kResultShiftMask = 0x0F000000u;
inline constexpr uint32_t kSwizzleShift = 16;
inline constexpr uint32_t kSwizzleMask = 0x00FF0000u;
inline constexpr uint32_t kSourceModifierShift = 24;
inline constexpr uint32_t kSourceModifierMask = 0x0F000000u;

inline constexpr uint8_t kIdentitySwizzle = 0xE4;  ///< .xyzw: 2 bits a component, x in the low bits

// Result modifiers are bits.
inline constexpr uint8_t kSaturate = 1, kPartialPrecision = 2, kCentroid = 4;

// dcl: usage in 4:0, usage index in 19:16, sampler type in 30:27.
inline constexpr uint32_t kDclUsageMask = 0x0000001Fu;
inline constexpr uint32_t kDclUsageIndexShift = 16;
inline constexpr uint32_t kDclUsageIndexMask = 0x000F0000u;
inline constexpr uint32_t kDclSamplerShift = 27;
inline constexpr uint32_t kDclSamplerMask = 0x78000000u;

/// D3DSHADER_PARAM_REGISTER_TYPE. Bits 0..2 lie in 30:28 of a parameter token, bits 3..4 in 12:11.
enum class RegisterType : uint8_t {
  Temp = 0,
  Input = 1,
  Const = 2,
  AddressOrTexture = 3,  ///< a# in vertex shaders, t# in pixel shaders
  RasterOut = 4,         ///< oPos, oFog, oPts
  AttributeOut = 5,      ///< oD#
  Output = 6,            ///< oT# before shader model 3, o# in it
  ConstInt = 7,
  ColorOut = 8,
  DepthOut = 9,
  Sampler = 10,
  Const2 = 11,
  Const3 = 12,
  Const4 = 13,
  ConstBool = 14,
  Loop = 15,
  TempFloat16 = 16,
  Misc = 17,  ///< vPos, vFace
  Label = 18,
  Predicate = 19,
};
inline constexpr uint32_t kRegisterTypeCount = 20;

inline constexpr uint32_t kRasterPosition = 0, kRasterFog = 1, kRasterPointSize = 2;
inline constexpr uint32_t kMiscPosition = 0, kMiscFace = 1;

constexpr uint32_t registerTypeBits(RegisterType type) {
  const auto t = static_cast<uint32_t>(type);
  return (t & 7u) << 28 | (t & 0x18u) << 8;
}
/// May yield a number that is no enumerator; compare with kRegisterTypeCount.
constexpr uint32_t registerTypeOf(uint32_t token) {
  return (token >> 28 & 7u) | (token >> 8 & 0x18u);
}

/// D3DSHADER_PARAM_SRCMOD_TYPE.
enum class SourceModifier : uint8_t {
  None = 0,
  Negate,
  Bias,
  BiasNegate,
  Sign,
  SignNegate,
  Complement,
  X2,
  X2Negate,
  DivideZ,
  DivideW,
  Abs,
  AbsNegate,
  Not,
};
inline constexpr uint32_t kSourceModifierCount = 14;

/// D3DDECLUSAGE.
enum class Usage : uint8_t {
  Position = 0,
  BlendWeight,
  BlendIndices,
  Normal,
  PointSize,
  TexCoord,
  Tangent,
  Binormal,
  TessFactor,
  PositionT,
  Color,
  Fog,
  Depth,
  Sample,
};
inline constexpr uint32_t kUsageCount = 14;

/// D3DSAMPLER_TEXTURE_TYPE.
enum class SamplerType : uint8_t { Unknown = 0, Texture2D = 2, TextureCube = 3, TextureVolume = 4 };

/// D3DSHADER_COMPARISON.
enum class Comparison : uint8_t { Greater = 1, Equal, GreaterEqual, Less, NotEqual, LessEqual };

}  // namespace aerogpu::d3d9
