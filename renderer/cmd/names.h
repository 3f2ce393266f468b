// SPDX-License-Identifier: MIT
// Names of opcodes, from the command table.
#pragma once

#include <cstdint>

namespace aerogpu::cmd {

/// Means "no packet" if an error does not belong to one packet.
inline constexpr uint32_t kNoOpcode = 0xFFFFFFFFu;

/// Returns "CREATE_BUFFER" for 0x100; "submission" for kNoOpcode; "unknown opcode" for opcodes that the table
/// lacks.
const char* opcodeName(uint32_t opcode);

}  // namespace aerogpu::cmd
