// SPDX-License-Identifier: MIT
// Shaders that scale a box of an image to a box of a target. They read texels at their centers, or by numbers
// that are computed exactly, so that no GPU's rounding chooses another texel, and mix none from outside of
// the box. Pure functions: any thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace aerogpu::shader {

/// Push constants of the vertex shader. Texels; at most 16384 a side, or the whole numbers overflow.
struct BlitConstants {
  int32_t to[4];    ///< x, y, width, height
  int32_t from[4];  ///< x, y, width, height
  int32_t mirror[2];
  int32_t slice;   ///< the slice of a volume; of planar YUV, the picture's width
  int32_t rows;    ///< of planar YUV, the rows of the picture
  float scale[4];  ///< a texel of the source as a part of its width, height and depth
  /// With a color key: texels of the source between the two colors are left out.
  float keyLow[4], keyHigh[4];
  /// With a target key: only texels of the target between the two colors are written.
  float targetLow[4], targetHigh[4];
};

enum class BlitSampling : uint8_t {
  Same,    ///< the boxes are of one size
  Halves,  ///< if exactSamples() and `from` is twice as wide and high: the mean of the four around the center
  Point,   ///< the texel under the center
  Linear,  ///< the four around it
};

/// The layout of a source whose texels are no colors (core::Yuv).
enum class BlitYuv : uint8_t {
  None,
  Pairs,        ///< red is luma, green U in even columns, V in odd ones
  TwoPlanes,    ///< red; below the picture, U in even columns, V in odd ones
  ThreePlanes,  ///< red; below the picture, V and then U, in lines of half its width
};

/// The channels of a color that a target stores in its texels, if they are not the color's own.
struct BlitOutput {
  static constexpr uint8_t kOne = 4;
  std::array<uint8_t, 4> from{0, 1, 2, 3};  ///< the color's channel, or kOne
  /// The number that stands for 1 in each channel of the texel's format; negative for signed formats. 0: the
  /// GPU converts to the target's format.
  std::array<int16_t, 4> steps{};
  bool uneven = false;  ///< signed ones have one step more below 0 than above
  bool operator==(const BlitOutput&) const = default;
};

/// The task of a pair of shaders.
struct BlitShader {
  BlitSampling sampling = BlitSampling::Same;
  bool volume = false;  ///< of the source
  /// If the source has channels of fewer than 8 bits: the number that stands for 1 in each channel, or 0
  /// where the GPU reads exact values. GPUs widen such channels by repeating bits, lavapipe in its samplers
  /// and NVIDIA's in fetches too, so texels are read by number and rounded to steps.
  std::array<uint8_t, 4> narrow{};
  BlitYuv yuv = BlitYuv::None;
  bool colorKey = false;  ///< not with Linear or Halves
  /// Binding 1 holds the target's old texels, in the size of `to`.
  bool targetKey = false;
  BlitOutput output;
  bool operator==(const BlitShader&) const = default;
  /// True if the sampler can read texels at their centers.
  bool exactSamples() const { return yuv == BlitYuv::None && !isNarrow(); }
  bool isNarrow() const { return narrow != std::array<uint8_t, 4>{}; }
  /// True if it does; else texels are read by number.
  bool samples() const {
    return exactSamples() && (sampling == BlitSampling::Same || sampling == BlitSampling::Halves);
  }
};

/// Returns a vertex shader for a triangle (vertices 0 to 2) over all of the viewport, which is
/// BlitConstants::to. The entry point is "main". Values common to all texels are computed here and passed to
/// the fragment shader, which has no constants: lavapipe checks the bounds of each constant for each texel.
std::vector<uint32_t> blitVertexModule(const BlitShader& shader);

/// Returns a fragment shader that writes location 0. The source, level 0 of a 2D image or of a volume, is
/// binding 0 of set 0, with a sampler that takes the nearest texel.
std::vector<uint32_t> blitFragmentModule(const BlitShader& shader);

}  // namespace aerogpu::shader
