// SPDX-License-Identifier: MIT
// Depth bias in a form that a GPU can do. Pure functions.
#pragma once

#include "renderer/core/state.h"

namespace aerogpu::d3d9 {

/// The resolution of the depth buffer that a draw writes.
enum class DepthSteps : uint8_t {
  None,   ///< there is no depth buffer
  Fixed,  ///< 24 bits, whatever format the GPU uses for them
  Fixed16,
  Float32  ///< finer towards 0
};

/// What a GPU can do besides a bias in steps of its depth buffer.
struct DepthBiasWays {
  bool inDepth = false;        ///< the unit of a bias can be depth itself
  bool anyDepthRange = false;  ///< the viewport's depth range may leave [0, 1]
};

struct DepthBias {
  float shift = 0;       ///< to add to both ends of the viewport's depth range
  float constant = 0;    ///< to add to the depth of each primitive
  float slope = 0;       ///< times the primitive's largest depth slope
  float clamp = 0;       ///< of the sum, in depth: the most if positive, the least if negative; 0: none
  bool inDepth = false;  ///< the unit of `constant` is depth, not a step
  bool any() const { return constant != 0 || slope != 0; }
};

/// Computes the bias of a draw. D3DRS_DEPTHBIAS is added to the depth unchanged; a DepthBias of Direct3D 10
/// counts steps of a depth of 16 or 24 bits, or in float depth the steps of the primitive's farthest vertex
/// ("Depth Bias", Direct3D 10). Vulkan's unit is up to the implementation for 24 bits (it may double a step),
/// and follows the primitive's depth in float formats (Vulkan 1.3, "Depth Bias"), so that a bias in depth
/// cannot be passed exactly without DepthBiasWays::inDepth. Shifting the depth range after the perspective
/// division is exact too, and comes after clipping as in Direct3D; a GPU's clamp knows nothing of it,
/// so with a slope and a clamp the range stays. `minDepth`, `maxDepth`: the viewport's, in [0, 1].
DepthBias depthBias(const core::RasterizerState& state, DepthSteps steps, const DepthBiasWays& ways,
                    float minDepth, float maxDepth);

/// True if primitives of this topology are biased: triangles and their edges are, points and lines are not
/// ("Depth Bias", Direct3D 10; D3D9On12 does the same).
inline bool hasDepthBias(core::Topology topology) {
  switch (topology) {
    case core::Topology::PointList:
    case core::Topology::LineList:
    case core::Topology::LineStrip:
    case core::Topology::LineListAdj:
    case core::Topology::LineStripAdj:
      return false;
    default:
      return true;
  }
}

/// Returns the other state that a draw's bias depends on, beside the rasterizer's states and targets.
inline uint32_t biasDirtyBits(const core::RasterizerState& state) {
  return state.depthBias != 0 || state.slopeScaledDepthBias != 0 ? core::kDirtyViewport | core::kDirtyTopology
                                                                 : 0u;
}

}  // namespace aerogpu::d3d9
