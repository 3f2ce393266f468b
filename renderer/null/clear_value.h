// SPDX-License-Identifier: MIT
// A clear value in a texture's format, for the back end without a GPU.
#pragma once

#include <cstdint>

#include "renderer/core/backend.h"

namespace aerogpu::null {

/// Writes the cleared form of one texel. Depth and stencil keep the part that `args` does not clear. sRGB
/// formats encode (Vulkan specification, "sRGB EOTF"; Khronos Data Format 13.3.2).
void writeClearValue(aerogpu_format format, const core::ClearArgs& args, uint8_t* texel);

}  // namespace aerogpu::null
