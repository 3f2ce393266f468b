// SPDX-License-Identifier: MIT
// Limits the floats of a finished SPIR-V module that become numbers of texels, levels or integers. Works on
// the words alone, from any compiler, without Vulkan. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/result.h"

namespace aerogpu::shader {

/// Coordinates of samples beyond this are too large to name a texel: their product with the size of a texture
/// must stay an integer of 32 bits.
inline constexpr float kMostCoordinate = 0x1p16f;
/// Directions of cube maps and derivatives: their squares in texels must stay finite.
inline constexpr float kMostDirection = 0x1p40f;
/// Levels, and what is added to them; no texture has levels beyond.
inline constexpr float kMostLevel = 64;

/// Returns the module with each coordinate, bias, level and derivative of a sample, and each float that is
/// converted to an integer, within these limits; NaN becomes the least. Compilers take what comes of larger
/// ones as undefined, and lavapipe then reads wherever a guest's shader made it. Fails with CmdDecode if the
/// module is not understood. The input need not be valid, but then the output is not either: validate the
/// output.
Result<std::vector<uint32_t>> limitFloats(std::span<const uint32_t> words);

}  // namespace aerogpu::shader
