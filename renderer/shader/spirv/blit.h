// SPDX-License-Identifier: MIT
// Shaders that scale a box of an image to a box of a target: texels at their centers or by whole numbers, so
// that no GPU's rounding chooses one, and the box's own edges. Pure functions: any thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace aerogpu::shader {

/// Push constants of the vertex shader. Texels; at most 16384 a side, or the whole numbers overflow.
struct BlitConstants {
  int32_t to[4];    ///< x, y, width, height
  int32_t from[4];  ///< the same
  int32_t mirror[2];
  int32_t slice;   ///< of a volume; of YUV planes, the picture's width
  int32_t rows;    ///< of YUV planes, the picture's
  float scale[4];  ///< a texel of the source as a part of its width, height and depth
  /// With a color key: texels of the source between the two are left out.
  float keyLow[4], keyHigh[4];
  /// With the target's: only texels of the target between the two are written.
  float targetLow[4], targetHigh[4];
};

enum class BlitSampling : uint8_t {
  Same,    ///< the boxes are of one size
  Halves,  ///< if exactSamples(): that from is twice as wide and high; the four around the center, which
           ///< weigh the same
  Point,   ///< the texel under the center
  Linear,  ///< the four around it
};

/// How a source that is no color lies (core::Yuv).
enum class BlitYuv : uint8_t {
  None,
  Pairs,        ///< red is luma, green U in even columns, V in odd ones
  TwoPlanes,    ///< red; below the picture, U in even columns, V in odd ones
  ThreePlanes,  ///< red; below the picture, V and then U, in lines of half its width
};

/// What a texel of the target takes of a color, where that is not the same in all channels.
struct BlitOutput {
  static constexpr uint8_t kOne = 4;
  std::array<uint8_t, 4> from{0, 1, 2, 3};  ///< the color's channel, or kOne
  /// Numbers that stand for 1 in the format that the texel is for; below 0, signed ones. 0: the target's own.
  std::array<int16_t, 4> steps{};
  bool uneven = false;  ///< signed ones have one step more below 0 than above
  bool operator==(const BlitOutput&) const = default;
};

/// What a pair of shaders does.
struct BlitShader {
  BlitSampling sampling = BlitSampling::Same;
  bool volume = false;  ///< of the source
  /// The source's channels have fewer than 8 bits. Samplers may widen those by repeating bits, as lavapipe's
  /// do, so that texels are read by number.
  bool narrow = false;
  BlitYuv yuv = BlitYuv::None;
  bool colorKey = false;  ///< not with Linear or Halves
  /// What the target had, the size of `to`, is binding 1.
  bool targetKey = false;
  BlitOutput output;
  bool operator==(const BlitShader&) const = default;
  /// Whether the sampler can be asked for texels at their centers.
  bool exactSamples() const { return yuv == BlitYuv::None && !narrow; }
  /// Whether it is, else texels are read by number.
  bool samples() const {
    return exactSamples() && (sampling == BlitSampling::Same || sampling == BlitSampling::Halves);
  }
};

/// A triangle over all of the viewport, which is BlitConstants::to, of vertices 0 to 2. The entry point is
/// "main". What all texels share is worked out here and given to the fragment shader, which has no constants:
/// lavapipe looks at the bounds of each constant for each texel.
std::vector<uint32_t> blitVertexModule(const BlitShader& shader);

/// Writes location 0. The source, level 0 of a 2D image or of a volume, is binding 0 of set 0, with a sampler
/// that takes the nearest texel.
std::vector<uint32_t> blitFragmentModule(const BlitShader& shader);

}  // namespace aerogpu::shader
