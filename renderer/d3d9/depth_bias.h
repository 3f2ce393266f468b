// SPDX-License-Identifier: MIT
// Depth bias as a GPU can do it. Pure functions.
#pragma once

#include "renderer/core/state.h"

namespace aerogpu::d3d9 {

/// How the depth buffer that a draw writes tells depths apart.
enum class DepthSteps : uint8_t {
  None,   ///< there is no depth buffer
  Fixed,  ///< 24 bits, whatever stands in for them on the GPU
  Fixed16,
  Float32  ///< finer towards 0
};

/// Ways that a GPU offers beyond a bias in steps of its own.
struct DepthBiasWays {
  bool inDepth = false;        ///< a bias can be given in depth
  bool anyDepthRange = false;  ///< the viewport's depth range may leave [0, 1]
};

struct DepthBias {
  float shift = 0;       ///< to add to both ends of the viewport's depth range
  float constant = 0;    ///< to add to the depth of each primitive
  float slope = 0;       ///< times the primitive's largest depth slope
  bool inDepth = false;  ///< `constant` counts in depth, not in steps
  bool any() const { return constant != 0 || slope != 0; }
};

/// D3DRS_DEPTHBIAS is added to the depth as it is; a DepthBias of Direct3D 10 counts steps of a depth of 16
/// or 24 bits, or in float depth those of the primitive's farthest vertex ("Depth Bias", Direct3D 10). What
/// Vulkan counts in, for one, is the implementation's affair for 24 bits (it may double a step), and follows
/// the primitive's depth in float formats (Vulkan 1.3, "Depth Bias"), so that a bias in depth cannot be told
/// it exactly without DepthBiasWays::inDepth. Shifting the depth range after the perspective division is
/// exact too, and comes after clipping as in Direct3D. `minDepth`, `maxDepth`: of the viewport, in [0, 1].
DepthBias depthBias(const core::RasterizerState& state, DepthSteps steps, const DepthBiasWays& ways,
                    float minDepth, float maxDepth);

/// Points and lines have none, the edges of triangles do ("Depth Bias", Direct3D 10; D3D9On12 does so too).
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

/// What else the bias of a draw depends on, beside the rasterizer's states and targets.
inline uint32_t biasDirtyBits(const core::RasterizerState& state) {
  return state.depthBias != 0 || state.slopeScaledDepthBias != 0 ? core::kDirtyViewport | core::kDirtyTopology
                                                                 : 0u;
}

}  // namespace aerogpu::d3d9
