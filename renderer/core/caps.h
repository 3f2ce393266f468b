// SPDX-License-Identifier: MIT
// The capability block that a guest reads: aerogpu/aerogpu_caps.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/core/backend.h"
#include "renderer/core/format.h"

namespace aerogpu::core {

class Announced;

/// Returns the uses that packets and Direct3D 9 allow for textures of the format with one sample, on any GPU.
uint32_t possibleFormatCaps(const FormatInfo& format);

/// Returns the block of what is announced of this back end. At most AEROGPU_EXT_REG_CAPS_BYTES.
std::vector<uint8_t> capsBlock(const Backend& backend, const Announced& announced, uint64_t maxHostmem);

/// Returns what another block promises and `own`, which capsBlock() made, lacks; empty if that is nothing.
/// `promised` may come from anyone.
std::string missingCaps(std::span<const uint8_t> promised, std::span<const uint8_t> own);

}  // namespace aerogpu::core
