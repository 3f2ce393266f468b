// SPDX-License-Identifier: MIT
#include "guest-drivers/linux/demo/knot.h"

#include <cmath>

namespace aerogpu::guest {

namespace {

constexpr float kTwoPi = 6.28318531f;

struct Vec {
  float x, y, z;
};
Vec operator-(Vec a, Vec b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vec operator+(Vec a, Vec b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vec operator*(Vec a, float s) {
  return {a.x * s, a.y * s, a.z * s};
}
Vec cross(Vec a, Vec b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Vec normalize(Vec a) {
  return a * (1 / std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z));
}

// p = 2 turns around the axis, q = 3 through the hole.
Vec curve(float t) {
  const float r = 2 + std::cos(3 * t);
  return {0.52f * r * std::cos(2 * t), 0.62f * std::sin(3 * t), 0.52f * r * std::sin(2 * t)};
}

}  // namespace

KnotMesh makeKnot(uint32_t along, uint32_t around) {
  constexpr float kTube = 0.335f;
  KnotMesh mesh;
  for (uint32_t i = 0; i <= along; ++i) {
    const float t = kTwoPi * static_cast<float>(i % along) / static_cast<float>(along);
    const Vec p = curve(t), q = curve(t + 0.01f);
    // The tube's cross-section is spanned by two normals of the tangent. They never vanish, because p + q is
    // never parallel to the tangent.
    const Vec tangent = normalize(q - p);
    const Vec binormal = normalize(cross(tangent, q + p));
    const Vec normal = cross(binormal, tangent);
    for (uint32_t j = 0; j <= around; ++j) {
      const float s = kTwoPi * static_cast<float>(j % around) / static_cast<float>(around);
      const Vec n = normal * std::cos(s) + binormal * std::sin(s);
      const Vec v = p + n * kTube;
      mesh.vertices.push_back({{v.x, v.y, v.z},
                               {n.x, n.y, n.z},
                               {18.0f * static_cast<float>(i) / static_cast<float>(along),
                                2.0f * static_cast<float>(j) / static_cast<float>(around)}});
    }
  }
  const uint32_t ring = around + 1;
  for (uint32_t i = 0; i < along; ++i)
    for (uint32_t j = 0; j < around; ++j) {
      const auto a = static_cast<uint16_t>(i * ring + j), b = static_cast<uint16_t>(a + ring);
      for (const uint16_t index : {a, b, static_cast<uint16_t>(a + 1), static_cast<uint16_t>(a + 1), b,
                                   static_cast<uint16_t>(b + 1)})
        mesh.indices.push_back(index);
    }
  return mesh;
}

Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix r{};
  for (size_t i = 0; i < 4; ++i)
    for (size_t j = 0; j < 4; ++j)
      for (size_t k = 0; k < 4; ++k) r[i * 4 + j] += a[i * 4 + k] * b[k * 4 + j];
  return r;
}

Matrix rotation(float aroundX, float aroundY) {
  const float cx = std::cos(aroundX), sx = std::sin(aroundX), cy = std::cos(aroundY), sy = std::sin(aroundY);
  const Matrix x{1, 0, 0, 0, 0, cx, -sx, 0, 0, sx, cx, 0, 0, 0, 0, 1};
  const Matrix y{cy, 0, sy, 0, 0, 1, 0, 0, -sy, 0, cy, 0, 0, 0, 0, 1};
  return multiply(x, y);
}

Matrix translation(float x, float y, float z) {
  return {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1};
}

Matrix perspective(float fieldOfViewY, float aspect, float zNear, float zFar) {
  const float f = 1 / std::tan(fieldOfViewY / 2), q = zFar / (zFar - zNear);
  return {f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, q, -q * zNear, 0, 0, 1, 0};
}

}  // namespace aerogpu::guest
