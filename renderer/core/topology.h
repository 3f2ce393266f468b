// SPDX-License-Identifier: MIT
// The primitives that a topology makes of vertices. Pure functions, any thread.
#pragma once

#include <cstdint>

#include "renderer/core/state.h"

namespace aerogpu::core {

/// Returns the vertices of one primitive, those of adjacent ones too.
constexpr uint32_t verticesOf(Topology topology) {
  switch (topology) {
    case Topology::PointList:
      return 1;
    case Topology::LineList:
    case Topology::LineStrip:
      return 2;
    case Topology::LineListAdj:
    case Topology::LineStripAdj:
      return 4;
    case Topology::TriangleListAdj:
    case Topology::TriangleStripAdj:
      return 6;
    case Topology::TriangleList:
    case Topology::TriangleStrip:
    case Topology::TriangleFan:
      return 3;
    default:
      return static_cast<uint32_t>(topology) - static_cast<uint32_t>(Topology::PatchList1) + 1;
  }
}

/// Returns how many primitives `vertices` make at most; restarts of strips only lower it.
constexpr uint64_t mostPrimitives(Topology topology, uint64_t vertices) {
  switch (topology) {
    case Topology::LineStrip:
    case Topology::LineStripAdj:
    case Topology::TriangleStrip:
    case Topology::TriangleFan:
    case Topology::TriangleStripAdj:
      return vertices;
    default:
      return vertices / verticesOf(topology);
  }
}

}  // namespace aerogpu::core
