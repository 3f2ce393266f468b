// SPDX-License-Identifier: MIT
// Parts of modules that copy texels by drawing (blit.h, sample_copy.h). Private to this folder.
#pragma once

#include <array>
#include <cstdint>

#include "renderer/shader/spirv/spirv_builder.h"

namespace aerogpu::shader {

/// The function "main" of a module, from construction to finish().
class MainFunction {
public:
  explicit MainFunction(SpirvBuilder& b) : m_b(b), m_entry(b.newId()) {
    b.code(spv::Op::OpFunction, b.types().voidType, m_entry, spv::FunctionControlMask::MaskNone,
           b.types().function);
    b.label(b.newId());
  }
  Words finish(spv::ExecutionModel model) {
    m_b.code(spv::Op::OpReturn);
    m_b.code(spv::Op::OpFunctionEnd);
    return m_b.finish(model, m_entry);
  }

private:
  SpirvBuilder& m_b;
  const Id m_entry;
};

/// Vertices 0 to 2 of a triangle over all of the viewport: (-1, -1), (3, -1), (-1, 3).
class ViewportTriangle {
public:
  /// Declares the variables.
  explicit ViewportTriangle(SpirvBuilder& b);
  /// Writes the position. Returns a float2 that is 1 if the vertex lies to the right or below, else 0.
  Id place();

private:
  SpirvBuilder& m_b;
  Id m_index, m_position;
};

/// Returns two components of a vector, as a vector of `type`.
Id part(SpirvBuilder& b, Id vector, Id type, uint32_t first);

/// Returns `value` rounded to the nearest of `steps` to 1. `half`: 0.5, with the value's sign.
Id rounded(SpirvBuilder& b, Id value, Id steps, Id half);

/// Rounds each channel of a texel to the steps of that channel; 0: the GPU reads exact values.
Id roundedToSteps(SpirvBuilder& b, Id texel, const std::array<uint8_t, 4>& steps);

}  // namespace aerogpu::shader
