// SPDX-License-Identifier: MIT
// The contract between SPIR-V made from D3D9 shaders and the builder of its pipelines: descriptor bindings,
// constant layout, push constants, specialisation constants. Plain C++, no Vulkan. Any thread.
//
// The pipeline that the modules expect:
//  - Viewport of negative height (y up in clip space) and D3D9's half-pixel offset in the viewport's x and y;
//    the shaders change the position only by positionScale. Depth is 0..1.
//  - VkPipelineRasterizationStateCreateInfo::frontFace = CLOCKWISE (as seen on screen): vFace is positive
//    then.
//  - Provoking vertex: the first (Vulkan's default).
//  - A vertex shader writes PointSize unless EmitOptions::points is off. Entry points are called "main".
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace aerogpu::shader {

// Descriptor sets 0 and 2: the uniform buffer of the vertex and of the pixel shader (made for dynamic
// offsets). Two sets, since the vertex shader's constants change far more often: llvmpipe copies the whole
// fragment state for each draw whose pixel shader buffers were bound again (5000 draws: 82 ms in place of 7).
// A stage whose ConstantLayout::sizeBytes is 0 does not use its set.
inline constexpr uint32_t kVsConstantSet = 0;
inline constexpr uint32_t kPsConstantSet = 2;
inline constexpr uint32_t kConstantBinding = 0;  ///< in either set
inline constexpr uint32_t kSetCount = 3;

// Descriptor set 1: combined image samplers. Pixel s0..s15, then vertex s0..s3.
inline constexpr uint32_t kTextureSet = 1;
inline constexpr uint32_t kPsSamplerBinding = 0;
inline constexpr uint32_t kPsSamplerCount = 16;
inline constexpr uint32_t kVsSamplerBinding = 16;
inline constexpr uint32_t kVsSamplerCount = 4;

// Specialisation constants, 32 bits each (VkBool32), all in pixel shaders, default 0. Vulkan ignores ids that
// a module does not declare.
inline constexpr uint32_t kSpecAlphaTest = 0;    ///< D3DRS_ALPHATESTENABLE; off leaves no trace of the test
inline constexpr uint32_t kSpecFog = 1;          ///< D3DRS_FOGENABLE; not in ps_3_0
inline constexpr uint32_t kSpecPointSprite = 2;  ///< D3DRS_POINTSPRITEENABLE with a point topology
inline constexpr uint32_t kSpecConstantCount = 3;

/// The source of the fog factor (PushConstants::fogMode).
enum class FogSource : uint32_t {
  Vertex = 0,  ///< D3DRS_FOGTABLEMODE = NONE: the FOG output of the vertex shader is the factor
  Exp = 1,     ///< 1 / e^(depth * density); the numbers of D3DFOGMODE
  Exp2 = 2,    ///< 1 / e^((depth * density)^2)
  Linear = 3,  ///< (end - depth) / (end - start)
};
/// Added to a FogSource other than Vertex: the depth is the w of the position in place of its z.
inline constexpr uint32_t kFogByW = 4;

/// Push constant block of both stages (offset 0, all of it in both stage flags).
struct PushConstants {
  uint32_t vsBools = 0;             ///< bit n = b#n of the vertex shader
  uint32_t psBools = 0;             ///< bit n = b#n of the pixel shader
  uint32_t alphaFunc = 8;           ///< D3DCMPFUNC, 1 (never) .. 8 (always)
  float alphaRef = 0;               ///< D3DRS_ALPHAREF / 255
  float fogColor[3] = {};           ///< red, green, blue, 0..1
  uint32_t fogMode = 0;             ///< FogSource, and kFogByW
  float fogStart = 0;               ///< D3DRS_FOGSTART, in depth 0..1 or in w
  float fogEnd = 1;                 ///< D3DRS_FOGEND
  float fogDensity = 1;             ///< D3DRS_FOGDENSITY
  float pointSize = 1;              ///< D3DRS_POINTSIZE, if the vertex shader writes no size
  float pointSizeMin = 1;           ///< D3DRS_POINTSIZE_MIN
  float pointSizeMax = 64;          ///< D3DRS_POINTSIZE_MAX, at most the device's limit
  float alphaSteps = 255;           ///< the alpha test counts in steps of 1 / this; 0: exactly
  uint32_t reserved[1] = {};        ///< zero
  float positionScale[2] = {1, 1};  ///< of x and y in clip space, for a viewport larger than Direct3D's
};
static_assert(sizeof(PushConstants) == 72 && sizeof(PushConstants) <= 128);
static_assert(offsetof(PushConstants, alphaRef) == 12);
static_assert(offsetof(PushConstants, fogColor) == 16);
static_assert(offsetof(PushConstants, fogMode) == 28);
static_assert(offsetof(PushConstants, fogStart) == 32);
static_assert(offsetof(PushConstants, pointSize) == 44);
static_assert(offsetof(PushConstants, pointSizeMax) == 52);

/// A float register that the shader itself defines.
struct FloatDefinition {
  uint32_t index;
  uint32_t bits[4];  ///< IEEE 754
};

/// A texture stage's values for pixel shaders 1.x.
struct BumpStage {
  float matrix[4] = {};                           ///< D3DTSS_BUMPENVMAT00, 01, 10, 11
  float luminanceScale = 0, luminanceOffset = 0;  ///< D3DTSS_BUMPENVLSCALE, BUMPENVLOFFSET
  float unused[2] = {};
};
static_assert(sizeof(BumpStage) == 32);

/// The contents of a stage's uniform buffer: c0..c(floatCount-1), i0..i(intCount-1), 16 bytes each, then the
/// clip planes of a vertex shader, 16 bytes each, or BumpStage 0.. of a pixel shader; no gaps. The shader
/// reads nothing else.
struct ConstantLayout {
  uint32_t floatCount = 0;      ///< 0..256 (VS), 0..224 (PS)
  uint32_t intCount = 0;        ///< 0..16
  uint32_t clipPlaneCount = 0;  ///< 0..6, only by EmitOptions::clipPlaneCount
  uint32_t bumpStageCount = 0;  ///< 0..6, pixel shaders 1.x
  uint32_t boolMask = 0;        ///< bits of the push constants that the shader reads
  bool relative = false;        ///< reads c[] by a computed index
  /// `def`s that a computed index may reach: they replace the application's values in the buffer. Empty
  /// without relative addressing (then definitions are constants of the module).
  std::vector<FloatDefinition> definitions;

  uint32_t sizeBytes() const {
    return (floatCount + intCount + clipPlaneCount) * 16 + bumpStageCount * uint32_t{sizeof(BumpStage)};
  }
};

/// Fills a uniform buffer of layout.sizeBytes() bytes at `dst`. `floats` and `ints` point to register 0 of
/// the files, 16 bytes a register, `rest` to the enabled clip planes or to texture stage 0; a file that the
/// layout does not use may be null.
inline void writeConstants(const ConstantLayout& layout, const void* floats, const void* ints,
                           const void* rest, void* dst) {
  auto* out = static_cast<unsigned char*>(dst);
  if (layout.floatCount && floats) std::memcpy(out, floats, size_t{layout.floatCount} * 16);
  for (const FloatDefinition& d : layout.definitions)
    if (d.index < layout.floatCount) std::memcpy(out + size_t{d.index} * 16, d.bits, 16);
  out += size_t{layout.floatCount} * 16;
  if (layout.intCount && ints) std::memcpy(out, ints, size_t{layout.intCount} * 16);
  out += size_t{layout.intCount} * 16;
  if (layout.clipPlaneCount && rest) std::memcpy(out, rest, size_t{layout.clipPlaneCount} * 16);
  if (layout.bumpStageCount && rest)
    std::memcpy(out, rest, size_t{layout.bumpStageCount} * sizeof(BumpStage));
}

}  // namespace aerogpu::shader
