// SPDX-License-Identifier: MIT
// Validation of SPIR-V that we did not make ourselves, before a driver sees it: drivers assume valid modules.
// Any process, any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace aerogpu::translator {

/// Returns an empty string if the module is valid for Vulkan 1.1, else the validator's first message.
std::string spirvDefect(std::span<const uint32_t> words);

}  // namespace aerogpu::translator
