// SPDX-License-Identifier: MIT
// Gives the points of a finished SPIR-V vertex shader a size. Works on the words alone, from any compiler,
// without Vulkan. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "renderer/base/result.h"

namespace aerogpu::shader {

/// Returns the module with points of one pixel, which all points of Direct3D 10 are: in Vulkan their size is
/// undefined unless the shader writes it (Vulkan 1.3, VUID-VkGraphicsPipelineCreateInfo-Vertex-07722). A
/// module that writes it stays as it is. Fails with CmdDecode if the module is not understood. The input need
/// not be valid, but then the output is not either: validate the output.
Result<std::vector<uint32_t>> writePointSize(std::span<const uint32_t> words);

}  // namespace aerogpu::shader
