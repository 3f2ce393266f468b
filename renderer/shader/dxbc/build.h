// SPDX-License-Identifier: MIT
// Containers for shaders that come as the driver interface of Direct3D 10 has them: tokens, and signatures
// without names and types. Both are invented here, so that stages agree by register. Pure functions, any
// thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aerogpu/aerogpu_cmd_d3d10.h"
#include "renderer/base/result.h"

namespace aerogpu::shader {

/// The types that a vertex shader's input registers are fed with, or that the targets of a pixel shader's
/// output registers have; two bits for each of 32.
enum class NumberClass : uint8_t { Float = 0, Uint = 1, Int = 2 };
using RegisterClasses = uint64_t;

inline constexpr RegisterClasses kClassBits = 3;  ///< of register 0

/// Returns the bits of one register.
constexpr RegisterClasses classesOf(uint32_t reg, NumberClass of) {
  return static_cast<RegisterClasses>(of) << (reg * 2);
}

/// A vertex, geometry, pixel or compute shader, with version and length before the code. Entries have a
/// register below 32 or none; within a signature no component has two.
struct TokenProgram {
  std::span<const uint32_t> tokens;
  std::span<const aerogpu_ext_signature_entry> inputs, outputs;
};

struct BuiltContainer {
  std::vector<uint8_t> bytes;  ///< with the right checksum
  uint32_t fedInputs = 0;      ///< vertex shader: bit n if register n is read and the layout feeds it
  uint32_t targets = 0;        ///< pixel shader: bit n if it writes target n
  RegisterClasses typed = 0;   ///< the bits of all registers whose class counts
};

/// Fails with CmdDecode if the tokens declare an input or output that no entry holds.
Result<BuiltContainer> buildContainer(const TokenProgram& program, RegisterClasses classes);

}  // namespace aerogpu::shader
