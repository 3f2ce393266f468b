// SPDX-License-Identifier: MIT
// The registers that shaders of fixed_function.h read, and how transforms, lights and materials fill them.
// The matrices are D3DMATRIX: rows first, for row vectors. Needs sqrt and cos, so it is for runtimes, not for
// drivers. Any thread.
#pragma once

#include <stdint.h>

#include "aerogpu/d3d9/fixed_function.h"

namespace aerogpu::d3d9 {

/// Vertex shader, c#. Matrices lie in columns: a component of the result is one dot product.
inline constexpr uint32_t kFixedClipMatrix =
    0;  ///< 4: object to clip space; with blending view to clip space
inline constexpr uint32_t kFixedNormalMatrix =
    4;  ///< 3: inverse transposed world and view; not with blending
inline constexpr uint32_t kFixedFog =
    9;  ///< linear: distance * x + y; exp: 2 ^ -(distance * z), exp2: w, squared
inline constexpr uint32_t kFixedPoint = 10;       ///< size, smallest, largest
inline constexpr uint32_t kFixedPointScale = 11;  ///< A, B, C, each over the viewport's height squared
inline constexpr uint32_t kFixedTween = 12;       ///< x: D3DRS_TWEENFACTOR
inline constexpr uint32_t kFixedDiffuse = 13, kFixedAmbient = 14, kFixedSpecular = 15, kFixedEmissive = 16;
inline constexpr uint32_t kFixedPower = 17;          ///< x: of the material
inline constexpr uint32_t kFixedGlobalAmbient = 18;  ///< D3DRS_AMBIENT
inline constexpr uint32_t kFixedTextureMatrix = 20;  ///< 4 for each stage
inline constexpr uint32_t kFixedLight = 52;          ///< kFixedLightRegisters for each light
inline constexpr uint32_t kFixedWorldView = 100;     ///< 3 for each matrix, object to view space
inline constexpr uint32_t kFixedMaxLights = 8;       ///< D3DCAPS9::MaxActiveLights
inline constexpr uint32_t kFixedMaxMatrices = 52;    ///< D3DCAPS9::MaxVertexBlendMatrixIndex and one more
/// Registers of a light; directions and positions in view space.
inline constexpr uint32_t kFixedLightDiffuse = 0;   ///< w: range
inline constexpr uint32_t kFixedLightSpecular = 1;  ///< with alpha
inline constexpr uint32_t kFixedLightAmbient = 2;   ///< w: cosine of half of phi
inline constexpr uint32_t kFixedLightPlace = 3;  ///< position; of a directional one the direction towards it
inline constexpr uint32_t kFixedLightAttenuation =
    4;                                          ///< xyz; w: 1 / (cosine of half of theta - that of phi)
inline constexpr uint32_t kFixedLightAxis = 5;  ///< where a spot shines; w: falloff
inline constexpr uint32_t kFixedLightRegisters = 6;
/// i#: the number of lights, the first light's register counted from kFixedLight, and kFixedLightRegisters.
inline constexpr uint32_t kFixedDirectionalLights = 0, kFixedPositionalLights = 1;
/// Literals of the vertex shader, which it defines itself: two registers.
inline constexpr uint32_t kFixedVertexLiterals = 7;

/// Pixel shader, c#.
inline constexpr uint32_t kFixedFactor = 0;     ///< D3DRS_TEXTUREFACTOR
inline constexpr uint32_t kFixedConstant = 1;   ///< for each stage: D3DTSS_CONSTANT
inline constexpr uint32_t kFixedBumpRow0 = 9;   ///< for each stage: BUMPENVMAT00, 01, 0, 0
inline constexpr uint32_t kFixedBumpRow1 = 17;  ///< for each stage: BUMPENVMAT10, 11, LSCALE, LOFFSET
inline constexpr uint32_t kFixedPixelConstants = 25;
inline constexpr uint32_t kFixedPixelLiterals = 25;  ///< defined by the shader

/// D3DLIGHT9.
struct FixedLight {
  LightType type = LightType::Directional;
  float diffuse[4] = {}, specular[4] = {}, ambient[4] = {};
  float position[3] = {}, direction[3] = {};
  float range = 0, falloff = 0, attenuation0 = 0, attenuation1 = 0, attenuation2 = 0, theta = 0, phi = 0;
};
/// D3DMATERIAL9.
struct FixedMaterial {
  float diffuse[4] = {}, ambient[4] = {}, specular[4] = {}, emissive[4] = {}, power = 0;
};

/// The values that fill the registers of a vertex shader. Pointers are read during the call.
struct FixedVertexValues {
  const uint32_t* render = nullptr;    ///< as in FixedStates
  const float (*world)[16] = nullptr;  ///< D3DTS_WORLDMATRIX(0) and on
  uint32_t worlds = 0;          ///< how many of them count, at least 1; beyond kFixedMaxMatrices: ignored
  const float* view = nullptr;  ///< 16
  const float* projection = nullptr;          ///< 16
  const float (*texture)[16] = nullptr;       ///< kFixedStages: D3DTS_TEXTURE0 and on
  const FixedLight* const* lights = nullptr;  ///< those that are enabled
  uint32_t lightCount = 0;                    ///< beyond kFixedMaxLights: ignored
  FixedMaterial material;
  float viewportHeight = 1;
};
struct FixedVertexConstants {
  float c[256][4];
  int32_t i[2][4];
};
/// Writes the registers that shaders of `key` read, and no others.
void fillFixedVertexConstants(const FixedVertexKey& key, const FixedVertexValues& values,
                              FixedVertexConstants& out);

/// Writes the registers that shaders of `key` read, and no others.
void fillFixedPixelConstants(const FixedPixelKey& key, const FixedStates& states,
                             float (*c)[4] /* kFixedPixelConstants */);

/// Transforms a clip plane of the fixed function, which is in world space ("User Clip Planes"), to clip
/// space, where drivers expect it with a vertex shader. False if view and projection have no inverse; then
/// `out` clips nothing.
bool fixedClipPlane(const float* plane, const float* view, const float* projection, float* out);

}  // namespace aerogpu::d3d9
