// SPDX-License-Identifier: MIT
// Reads a capability block (aerogpu/aerogpu_caps.h), which may come from anyone. Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/base/result.h"
#include "renderer/core/backend.h"

namespace aerogpu::core {

struct CapsBlock {
  aerogpu_caps caps{};  ///< members that the block is too old for are 0
  std::map<uint32_t, FormatCaps> formats;
};

/// Reads a block; the error says why it is none.
Result<CapsBlock, std::string> parseCaps(std::span<const uint8_t> block);

}  // namespace aerogpu::core
