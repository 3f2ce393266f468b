// SPDX-License-Identifier: MIT
// Which streams copy and fill memory and do nothing else. MEM-8.
#pragma once

#include <cstdint>
#include <span>

namespace aerogpu::core {

/// Whether the stream has nothing but packets that work on guest memory alone, and so needs no context.
bool needsNoContext(std::span<const uint8_t> stream);

}  // namespace aerogpu::core
