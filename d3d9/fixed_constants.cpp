// SPDX-License-Identifier: MIT
// Fills the registers of fixed_constants.h. Sources: the pages "Camera Space Transformations", "Attenuation
// and Spotlight Factor", "Fog Formulas", "Point Sprites", "User Clip Planes" of the Direct3D 9 reference.
// Computes in double: a frame has few of these, and inverses of float matrices lose half of their digits.
#include "aerogpu/d3d9/fixed_constants.h"

#include <math.h>
#include <string.h>

#include "aerogpu/d3d9/states.h"

namespace aerogpu::d3d9 {
namespace {

struct Matrix {
  double m[4][4];
};

Matrix matrixOf(const float* rows) {
  Matrix out;
  for (int i = 0; i < 16; ++i) out.m[i / 4][i % 4] = static_cast<double>(rows[i]);
  return out;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix out{};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k) out.m[i][j] += a.m[i][k] * b.m[k][j];
  return out;
}

/// Inverts a matrix by Gauss-Jordan elimination with the largest pivot. False if it has no inverse.
bool invert(const Matrix& in, Matrix& out) {
  constexpr int kSize = 4;
  double a[kSize][2 * kSize] = {};
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) a[i][j] = in.m[i][j];
    a[i][kSize + i] = 1;
  }
  for (int column = 0; column < kSize; ++column) {
    int pivot = column;
    for (int i = column + 1; i < kSize; ++i)
      if (fabs(a[i][column]) > fabs(a[pivot][column])) pivot = i;
    if (!(fabs(a[pivot][column]) > 0)) return false;
    for (int j = 0; j < 2 * kSize; ++j) {
      const double other = a[pivot][j];
      a[pivot][j] = a[column][j];
      a[column][j] = other;
    }
    const double scale = 1 / a[column][column];
    for (double& x : a[column]) x *= scale;
    for (int i = 0; i < kSize; ++i) {
      if (i == column) continue;
      const double factor = a[i][column];
      for (int j = 0; j < 2 * kSize; ++j) a[i][j] -= factor * a[column][j];
    }
  }
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) out.m[i][j] = a[i][kSize + j];
  return true;
}

void set(float* c, double x, double y, double z, double w) {
  c[0] = static_cast<float>(x);
  c[1] = static_cast<float>(y);
  c[2] = static_cast<float>(z);
  c[3] = static_cast<float>(w);
}

void setColumns(float (*c)[4], const Matrix& m, int columns) {
  for (int j = 0; j < columns; ++j) set(c[j], m.m[0][j], m.m[1][j], m.m[2][j], m.m[3][j]);
}

float floatOf(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}
float state(const uint32_t* states, RenderStateType type) {
  return floatOf(states[static_cast<uint32_t>(type)]);
}

void setColor(float* c, uint32_t argb) {
  set(c, (argb >> 16 & 255) / 255.0, (argb >> 8 & 255) / 255.0, (argb & 255) / 255.0, (argb >> 24) / 255.0);
}

/// Stores a direction turned by a matrix, `length` long; a zero vector stays zero.
void setDirection(float* c, const float* d, const Matrix& m, double length, double w) {
  double v[3] = {};
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) v[j] += static_cast<double>(d[i]) * m.m[i][j];
  const double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  const double scale = size > 0 ? length / size : 0;
  set(c, v[0] * scale, v[1] * scale, v[2] * scale, w);
}

void setLight(float (*c)[4], const FixedLight& light, const Matrix& view) {
  const auto color = [](float* to, const float* from, double w) { set(to, from[0], from[1], from[2], w); };
  const bool spot = light.type == LightType::Spot;
  // Without a cone, every direction is inside.
  double inner = -1, outer = -2;
  if (spot) {
    inner = cos(static_cast<double>(light.theta) / 2);
    outer = cos(static_cast<double>(light.phi) / 2);
  }
  const double between = inner - outer;
  color(c[kFixedLightDiffuse], light.diffuse, light.range);
  color(c[kFixedLightSpecular], light.specular, light.specular[3]);
  color(c[kFixedLightAmbient], light.ambient, outer);
  // Without penumbra: a step, as steep as floats allow.
  set(c[kFixedLightAttenuation], light.attenuation0, light.attenuation1, light.attenuation2,
      between > 1e-6 ? 1 / between : 1e6);
  if (light.type == LightType::Directional) {
    setDirection(c[kFixedLightPlace], light.direction, view, -1, 0);
    set(c[kFixedLightAxis], 0, 0, 0, 1);
    return;
  }
  double at[3];
  for (int j = 0; j < 3; ++j) {
    at[j] = view.m[3][j];
    for (int i = 0; i < 3; ++i) at[j] += static_cast<double>(light.position[i]) * view.m[i][j];
  }
  set(c[kFixedLightPlace], at[0], at[1], at[2], 1);
  const float nowhere[3] = {};
  setDirection(c[kFixedLightAxis], spot ? light.direction : nowhere, view, 1, spot ? light.falloff : 1);
}

void setLights(const FixedVertexValues& v, const Matrix& view, FixedVertexConstants& out) {
  uint32_t next = 0;
  for (int round = 0; round < 2; ++round) {
    const bool directional = round == 0;
    const uint32_t first = next;
    for (uint32_t i = 0; i < v.lightCount && next < kFixedMaxLights; ++i)
      if ((v.lights[i]->type == LightType::Directional) == directional)
        setLight(&out.c[kFixedLight + kFixedLightRegisters * next++], *v.lights[i], view);
    int32_t* loop = out.i[directional ? kFixedDirectionalLights : kFixedPositionalLights];
    loop[0] = static_cast<int32_t>(next - first);
    loop[1] = static_cast<int32_t>(first * kFixedLightRegisters);
    loop[2] = static_cast<int32_t>(kFixedLightRegisters);
    loop[3] = 0;
  }
}

void setFog(const uint32_t* render, float* c) {
  const double start = static_cast<double>(state(render, RenderStateType::FogStart)),
               end = static_cast<double>(state(render, RenderStateType::FogEnd)),
               density = static_cast<double>(state(render, RenderStateType::FogDensity));
  const double scale = start != end ? 1 / (end - start) : 0;
  const double log2e = 1.4426950408889634;
  set(c, -scale, end * scale, density * log2e, density * sqrt(log2e));
}

}  // namespace

void fillFixedVertexConstants(const FixedVertexKey& key, const FixedVertexValues& v,
                              FixedVertexConstants& out) {
  const Matrix view = matrixOf(v.view), projection = matrixOf(v.projection);
  if (key.blending) {
    setColumns(out.c + kFixedClipMatrix, projection, 4);
    const uint32_t wanted = key.indices ? kFixedMaxMatrices : key.matrices;
    for (uint32_t i = 0; i < wanted && i < v.worlds; ++i)
      setColumns(&out.c[kFixedWorldView + 3 * i], matrixOf(v.world[i]) * view, 3);
  } else {
    const Matrix worldView = matrixOf(v.world[0]) * view;
    setColumns(out.c + kFixedClipMatrix, worldView * projection, 4);
    setColumns(out.c + kFixedWorldView, worldView, 3);
    if (key.normal) {
      // Normals are transformed by the transposed inverse of the 4x4 matrix; its columns are the rows of the
      // inverse. A matrix without an inverse is used itself.
      Matrix inverse;
      if (!invert(worldView, inverse)) inverse = worldView;
      for (int j = 0; j < 3; ++j)
        set(out.c[kFixedNormalMatrix + static_cast<uint32_t>(j)], inverse.m[j][0], inverse.m[j][1],
            inverse.m[j][2], 0);
    }
  }
  for (uint32_t i = 0; i < kFixedStages; ++i)
    if (key.coordinates[i].transform)
      setColumns(&out.c[kFixedTextureMatrix + 4 * i], matrixOf(v.texture[i]), 4);
  if (key.tweening)
    set(out.c[kFixedTween], static_cast<double>(state(v.render, RenderStateType::TweenFactor)), 0, 0, 0);
  if (key.fog > FixedVertexKey::kSpecularAlpha) setFog(v.render, out.c[kFixedFog]);
  if (key.points >= FixedVertexKey::kScaled) {
    using enum RenderStateType;
    const double height = static_cast<double>(v.viewportHeight);
    const double scale = height > 0 ? 1 / (height * height) : 1;
    const auto value = [&](RenderStateType type) { return static_cast<double>(state(v.render, type)); };
    set(out.c[kFixedPoint], value(PointSize), value(PointSizeMin), value(PointSizeMax), 0);
    set(out.c[kFixedPointScale], value(PointScaleA) * scale, value(PointScaleB) * scale,
        value(PointScaleC) * scale, 0);
  }
  if (!key.lighting) return;
  memcpy(out.c[kFixedDiffuse], v.material.diffuse, sizeof out.c[0]);
  memcpy(out.c[kFixedAmbient], v.material.ambient, sizeof out.c[0]);
  memcpy(out.c[kFixedSpecular], v.material.specular, sizeof out.c[0]);
  memcpy(out.c[kFixedEmissive], v.material.emissive, sizeof out.c[0]);
  set(out.c[kFixedPower], static_cast<double>(v.material.power), 0, 0, 0);
  setColor(out.c[kFixedGlobalAmbient], v.render[static_cast<uint32_t>(RenderStateType::Ambient)]);
  setLights(v, view, out);
}

void fillFixedPixelConstants(const FixedPixelKey& key, const FixedStates& states, float (*c)[4]) {
  using enum TextureStageStateType;
  setColor(c[kFixedFactor], states.render[static_cast<uint32_t>(RenderStateType::TextureFactor)]);
  for (uint32_t i = 0; i < kFixedStages && key.stages[i].colorOp; ++i) {
    const uint32_t* stage = states.stage[i];
    const auto value = [&](TextureStageStateType type) {
      return static_cast<double>(floatOf(stage[static_cast<uint32_t>(type)]));
    };
    setColor(c[kFixedConstant + i], stage[static_cast<uint32_t>(Constant)]);
    set(c[kFixedBumpRow0 + i], value(BumpEnvMat00), value(BumpEnvMat01), 0, 0);
    set(c[kFixedBumpRow1 + i], value(BumpEnvMat10), value(BumpEnvMat11), value(BumpEnvLScale),
        value(BumpEnvLOffset));
  }
}

bool fixedClipPlane(const float* plane, const float* view, const float* projection, float* out) {
  // A point p on the plane has dot(p, plane) = 0; with p = q * M^-1 that is dot(q, M^-1 * plane).
  Matrix inverse;
  if (!invert(matrixOf(view) * matrixOf(projection), inverse)) {
    set(out, 0, 0, 0, 0);
    return false;
  }
  double p[4] = {};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) p[i] += inverse.m[i][j] * static_cast<double>(plane[j]);
  set(out, p[0], p[1], p[2], p[3]);
  return true;
}

}  // namespace aerogpu::d3d9
