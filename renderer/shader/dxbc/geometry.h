// SPDX-License-Identifier: MIT
// What the program of a geometry shader declares of its primitives. Pure functions on bytes, any thread.
#pragma once

#include <cstdint>
#include <span>

#include "renderer/base/result.h"

namespace aerogpu::shader {

struct GeometryTraits {
  enum class Output : uint8_t { Points, Lines, Triangles };
  uint8_t inputVertices = 0;  ///< of a primitive: 1, 2, 3, with adjacency 4 or 6
  Output output = Output::Points;
  uint32_t maxVertices = 0;                            ///< that an invocation emits at most
  uint32_t instances = 1;                              ///< invocations for each primitive
  bool choosesLayer = false, choosesViewport = false;  ///< it writes their index

  bool choosesTarget() const { return choosesLayer || choosesViewport; }
};

/// Reads a program of models 4 and 5, with version and length. Fails with CmdDecode where a declaration is
/// missing or beyond what Direct3D has, with Backend if it emits to other streams than the first.
Result<GeometryTraits> geometryTraits(std::span<const uint8_t> program);
/// Likewise of the program in a container.
Result<GeometryTraits> geometryTraitsOf(std::span<const uint8_t> container);

/// True if a pixel shader's program declares as an input the layer or the viewport that a geometry shader
/// chose.
bool readsIndices(std::span<const uint8_t> program);

}  // namespace aerogpu::shader
