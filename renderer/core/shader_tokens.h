// SPDX-License-Identifier: MIT
// What follows EXT_CREATE_SHADER: tokens and signatures as the driver interface of Direct3D 10 has them. Pure
// functions, any thread.
#pragma once

#include <cstdint>
#include <span>

#include "aerogpu/aerogpu_cmd_d3d10.h"
#include "renderer/base/result.h"
#include "renderer/core/gpu_objects.h"
#include "renderer/core/state.h"

namespace aerogpu::core {

struct ShaderTokens {
  std::span<const uint32_t> tokens;
  std::span<const aerogpu_ext_signature_entry> inputs, outputs, patchConstants;
};

/// Returns the bytes of all parts.
uint64_t bytesOf(const TokenCounts& counts);

/// Cuts the parts out of `bytes`, which are 4-byte aligned and hold all of them.
ShaderTokens partsOf(const TokenCounts& counts, std::span<const uint8_t> bytes);

/// Checks all but the code itself: CODE-1 to CODE-4.
Result<void> checkShaderTokens(Stage stage, const TokenCounts& counts, std::span<const uint8_t> bytes);

}  // namespace aerogpu::core
