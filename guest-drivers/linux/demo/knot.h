// SPDX-License-Identifier: MIT
// A torus knot with normals and texture coordinates, and the matrices to turn it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace aerogpu::guest {

struct KnotVertex {
  float position[3], normal[3], uv[2];
};
static_assert(sizeof(KnotVertex) == 32);

struct KnotMesh {
  std::vector<KnotVertex> vertices;
  std::vector<uint16_t> indices;
};

/// Makes the (2,3) knot around the y axis: `along` segments of `around` sides each. At most 65536 vertices.
KnotMesh makeKnot(uint32_t along, uint32_t around);

/// A row-major matrix for column vectors: coordinate i of a transformed point is row i dotted with (x, y, z,
/// 1).
using Matrix = std::array<float, 16>;
Matrix multiply(const Matrix& a, const Matrix& b);
Matrix rotation(float aroundX, float aroundY);
Matrix translation(float x, float y, float z);
/// Returns Direct3D's projection: z 0..1, looking along +z.
Matrix perspective(float fieldOfViewY, float aspect, float zNear, float zFar);

}  // namespace aerogpu::guest
