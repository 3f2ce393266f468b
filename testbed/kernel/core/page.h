// SPDX-License-Identifier: MIT
// The page of x86 and x64 (Intel SDM 3A, 4.2).
#pragma once

#include <cstdint>

namespace aerogpu::host {

inline constexpr uint64_t kPage = 4096;  ///< bytes

}  // namespace aerogpu::host
