// SPDX-License-Identifier: MIT
// A stream that copies and fills guest memory and does nothing else needs no context. MEM-8.
#pragma once

#include <cstdint>
#include <span>

namespace aerogpu::core {

/// True if the stream has only packets that work on guest memory alone.
bool needsNoContext(std::span<const uint8_t> stream);

}  // namespace aerogpu::core
