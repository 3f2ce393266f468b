// SPDX-License-Identifier: MIT
// Turns tokens into text that assembler.h turns back into the same tokens (comments aside). For tools, dumps
// and logs; safe on any input.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace aerogpu::d3d9 {

struct Disassembly {
  std::string text;          ///< the readable part, one instruction a line
  std::string error;         ///< empty when the whole stream was read
  uint32_t errorOffset = 0;  ///< token index of the error
  bool ok() const { return error.empty(); }
};

/// Stops at the end token, or at the first token that cannot be read.
Disassembly disassemble(std::span<const uint32_t> tokens);

}  // namespace aerogpu::d3d9
