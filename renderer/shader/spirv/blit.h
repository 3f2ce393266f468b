// SPDX-License-Identifier: MIT
// Shaders that scale a box of an image to a box of a target: texels by whole numbers, so that no GPU's
// rounding chooses one, and the box's own edges. Pure functions: any thread.
#pragma once

#include <cstdint>
#include <vector>

namespace aerogpu::shader {

/// Their push constants. Texels; at most 16384 a side, or the whole numbers of the shader overflow.
struct BlitConstants {
  int32_t to[4];    ///< x, y, width, height
  int32_t from[4];  ///< the same
  int32_t mirror[2];
  int32_t slice;  ///< of a volume
  int32_t unused;
};

enum class BlitSampling : uint8_t {
  Same,    ///< the boxes are of one size
  Point,   ///< the texel under the center
  Linear,  ///< the four around it
};

/// A triangle over all of the viewport, of vertices 0 to 2. The entry point is "main".
std::vector<uint32_t> blitVertexModule();

/// Writes location 0. The source, level 0 of a 2D image or of a volume, is binding 0 of set 0, without a
/// sampler.
std::vector<uint32_t> blitFragmentModule(BlitSampling sampling, bool volume);

}  // namespace aerogpu::shader
