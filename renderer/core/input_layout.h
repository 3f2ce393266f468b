// SPDX-License-Identifier: MIT
// Parses the blobs of CREATE_INPUT_LAYOUT: an array of D3DVERTEXELEMENT9 (INPUT-1 to
// INPUT-4), or an ILAY blob of DXGI elements (INPUT-5 to INPUT-8).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/core/gpu_objects.h"

namespace aerogpu::core {

/// 32-bit FNV-1a of the upper-case ASCII form of `name`.
uint32_t semanticHash(std::string_view name);

/// The HLSL name of a D3DDECLUSAGE ("POSITION", "TEXCOORD", ...); empty for numbers that are none.
std::string_view usageName(uint32_t usage);

Result<std::vector<InputElement>> parseInputLayout(std::span<const uint8_t> blob);

}  // namespace aerogpu::core
