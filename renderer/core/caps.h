// SPDX-License-Identifier: MIT
// The capability block that a guest reads: aerogpu/aerogpu_caps.h.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/core/backend.h"
#include "renderer/core/format.h"

namespace aerogpu::core {

/// Returns the uses that packets and Direct3D 9 allow for textures of the format with one sample, on any GPU.
uint32_t possibleFormatCaps(const FormatInfo& format);

/// Returns the block of this back end. At most AEROGPU_EXT_REG_CAPS_BYTES.
std::vector<uint8_t> capsBlock(const Backend& backend, uint64_t maxHostmem);

}  // namespace aerogpu::core
