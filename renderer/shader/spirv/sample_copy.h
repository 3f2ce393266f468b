// SPDX-License-Identifier: MIT
// Shaders that copy one sample of each texel between an image of several samples and one of one sample. Pure
// functions: any thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace aerogpu::shader {

/// The part of a texel that is copied. The image of one sample holds depth as floats and stencil as a
/// normalised number of 8 bits, both in red.
enum class SampleCopyPlane : uint8_t {
  Color,
  Depth,
  Stencil,
  /// To several samples: a number of 24 bits beside the source's, as depth that is compared, and to location
  /// 0 as a float. Shows which number a sample has.
  Compared,
};

/// The task of a shader.
struct SampleCopyShader {
  bool fromSamples = true;  ///< the source has several samples, else the target
  SampleCopyPlane plane = SampleCopyPlane::Color;
  /// See BlitShader::narrow.
  std::array<uint8_t, 4> narrow{};
  bool operator==(const SampleCopyShader&) const = default;
};

/// Push constants of the fragment shader.
struct SampleCopyConstants {
  int32_t offset[2];  ///< from a pixel of the target to its texel in the source
  int32_t sample;
  /// Of stencil to several samples: pixels that lack one of these bits are left out. Of compared depth: the
  /// distance from the source's number.
  int32_t bits;
};

/// Returns a vertex shader for a triangle (vertices 0 to 2) over all of the viewport.
std::vector<uint32_t> sampleCopyVertexModule();

/// Returns a fragment shader whose source is binding 0 of set 0, an image without a sampler. It writes
/// location 0, or depth; for stencil to several samples it only discards pixels. To several samples it
/// covers the one.
std::vector<uint32_t> sampleCopyFragmentModule(const SampleCopyShader& shader);

}  // namespace aerogpu::shader
