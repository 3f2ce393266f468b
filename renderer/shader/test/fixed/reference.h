// SPDX-License-Identifier: MIT
// Direct3D 9's fixed function on the CPU, in double, written from the pages of the Direct3D 9 reference and
// not from d3d9/'s generator: it starts from states as programs set them, and shares only the numbers of
// states.h and the structures of the API with the generator. Slow and plain. Tests only.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "aerogpu/d3d9/fixed_constants.h"
#include "aerogpu/d3d9/states.h"

namespace aerogpu::shader::fixed {

using Vec = std::array<double, 4>;
using FloatMatrix = std::array<float, 16>;  ///< D3DMATRIX

/// All that a program sets.
struct State {
  uint32_t render[d3d9::kFixedRenderStates];
  uint32_t stage[d3d9::kFixedStages][d3d9::kFixedStageStates];
  d3d9::SamplerType textures[d3d9::kFixedStages];
  std::vector<FloatMatrix> world;  ///< at least 1
  FloatMatrix view, projection;
  std::array<FloatMatrix, d3d9::kFixedStages> texture;
  std::vector<d3d9::FixedLight> lights;
  d3d9::FixedMaterial material;
  float viewportHeight = 480;
  std::vector<d3d9::VertexElement> declaration;

  State();  ///< the defaults, and identities

  uint32_t& rs(d3d9::RenderStateType type) { return render[static_cast<uint32_t>(type)]; }
  uint32_t rs(d3d9::RenderStateType type) const { return render[static_cast<uint32_t>(type)]; }
  float real(d3d9::RenderStateType type) const;
  void setReal(d3d9::RenderStateType type, float value);
  uint32_t& tss(uint32_t n, d3d9::TextureStageStateType type) {
    return stage[n][static_cast<uint32_t>(type)];
  }
  uint32_t tss(uint32_t n, d3d9::TextureStageStateType type) const {
    return stage[n][static_cast<uint32_t>(type)];
  }
  d3d9::FixedStates states() const;
};

/// A vertex's data, by usage and usage index; usages that it lacks are missing. Values as vertex shaders read
/// them: colours divided by 255, red first; components that are not stored 0, 0, 1.
using Vertex = std::map<std::pair<d3d9::Usage, uint32_t>, Vec>;

struct VertexResult {
  Vec position{}, diffuse{}, specular{};
  double fog = 1;        ///< 1: none
  double pointSize = 0;  ///< of D3DRS_POINTSCALEENABLE or of the vertex
  std::array<Vec, d3d9::kFixedStages> coordinates{};
};
VertexResult processVertex(const State& state, const Vertex& vertex);

/// Returns a texel of the tests' textures, which have equal values on whole planes; all values are from 0 to
/// 1.
Vec texel(d3d9::SamplerType type, const Vec& at);

struct PixelInputs {
  Vec diffuse, specular;
  std::array<Vec, d3d9::kFixedStages> coordinates;
  /// The vertex processing above made the coordinates: the last component that counts is in w already.
  bool divisorInW = false;
};
Vec processPixel(const State& state, const PixelInputs& inputs);

}  // namespace aerogpu::shader::fixed
