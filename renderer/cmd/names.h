// SPDX-License-Identifier: MIT
// Names of opcodes, from the command table.
#pragma once

#include <cstdint>

namespace aerogpu::cmd {

/// Stands for "no packet" where an error is not one packet's.
inline constexpr uint32_t kNoOpcode = 0xFFFFFFFFu;

/// "CREATE_BUFFER" for 0x100; "submission" for kNoOpcode; "unknown opcode" for what the table lacks.
const char* opcodeName(uint32_t opcode);

}  // namespace aerogpu::cmd
