// SPDX-License-Identifier: MIT
// Parses the blobs of CREATE_INPUT_LAYOUT: an array of D3DVERTEXELEMENT9 (INPUT-1 to
// INPUT-4), or an ILAY blob of DXGI elements (INPUT-5 to INPUT-8); and the elements of EXT_CREATE_LAYOUT.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "aerogpu/aerogpu_cmd_d3d10.h"
#include "aerogpu/d3d9/tokens.h"
#include "renderer/base/result.h"
#include "renderer/core/gpu_objects.h"

namespace aerogpu::core {

/// Returns the 32-bit FNV-1a of the upper-case ASCII form of `name`.
uint32_t semanticHash(std::string_view name);

/// Returns the hash of a usage's HLSL name ("POSITION", "TEXCOORD", ...).
uint32_t semanticHash(d3d9::Usage usage);

/// Returns the bytes of a DXGI_FORMAT that vertices can have; 0 for others (dxgiformat.h; block, video and
/// typeless formats are excluded).
uint32_t dxgiVertexBytes(uint32_t format);

Result<std::vector<InputElement>> parseInputLayout(std::span<const uint8_t> blob);

/// Returns a blob of which parseInputLayout() makes these elements, which it made.
std::vector<uint8_t> inputLayoutBlob(std::span<const InputElement> elements);

/// Checks the elements of EXT_CREATE_LAYOUT: LAYOUT-1 to LAYOUT-3.
Result<std::vector<InputElement>> parseRegisterLayout(std::span<const aerogpu_ext_layout_element> raw);

/// Returns what parseRegisterLayout() makes these elements of, which it made.
std::vector<aerogpu_ext_layout_element> registerLayout(std::span<const InputElement> elements);

}  // namespace aerogpu::core
