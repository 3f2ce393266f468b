// SPDX-License-Identifier: MIT
// Versions of SPIR-V as in the header of a module (SPIR-V specification, 2.3).
#pragma once

#include <cstdint>

namespace aerogpu::shader {

inline constexpr uint32_t kSpirv13 = 0x00010300, kSpirv14 = 0x00010400;

}  // namespace aerogpu::shader
