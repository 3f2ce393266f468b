// SPDX-License-Identifier: MIT
// Turns text into tokens: the D3D9 assembly language (vs_1_1 .. vs_3_0, ps_1_1 .. ps_3_0) of the Direct3D 9
// "asm shader reference". Pure functions, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aerogpu::d3d9 {

/// The place and reason of an error. Line and column count from 1.
struct AssemblyError {
  uint32_t line = 0, column = 0;
  std::string message;
};

/// Tokens from the version token to the end token; empty exactly when there was an error.
struct Assembly {
  std::vector<uint32_t> tokens;
  AssemblyError error;
  bool ok() const { return !tokens.empty(); }
  /// Returns "line:column: message".
  std::string errorText() const;
};

/// Assembles one shader. Comments are `;`, `//` and `/* */`; case does not matter.
Assembly assemble(std::string_view source);

}  // namespace aerogpu::d3d9
