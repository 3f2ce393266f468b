// SPDX-License-Identifier: MIT
// Runs vertex shaders on the processor, vs_1_1 to vs_3_0 and the software models, for work that the runtime does
// without the driver (ProcessVertices, draws with shaders that the hardware does not support). Source: the "asm shader
// reference" of Direct3D 9. Pure; textures are not read.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "aerogpu/d3d9/opcodes.h"
#include "aerogpu/d3d9/tokens.h"

namespace aerogpu::runtime {

struct Float4 {
  float c[4] = {0, 0, 0, 1};
};

/// Registers as the program set them; the shader's own definitions take precedence.
struct VertexRegisters {
  const float (*floats)[4] = nullptr;
  uint32_t floatCount = 0;
  const int32_t (*integers)[4] = nullptr;  ///< 16
  const uint32_t *booleans = nullptr;      ///< 16
};

/// The outputs of a vertex shader, by the names of later stages.
struct ShadedVertex {
  Float4 position, color[2], coordinates[8];
  float fog = 1, pointSize = 1;
};

class VertexInterpreter {
public:
  /// `code` ends with an end token, and shaderTokens() has checked it. A stream with instructions that cannot be run
  /// gives an object whose error() says which.
  explicit VertexInterpreter(const uint32_t *code);

  const char *error() const { return m_error; }
  /// An input register and its declared usage.
  struct Input {
    uint32_t number;
    d3d9::Usage usage;
    uint32_t usageIndex;
  };
  const std::vector<Input> &inputs() const { return m_inputs; }
  /// Runs the shader on `inputs`, 16 registers. Returns false if the shader does not reach its end.
  bool run(const VertexRegisters &registers, const Float4 *inputs, ShadedVertex &out) const;

private:
  struct Operand {
    d3d9::RegisterType type = d3d9::RegisterType::Temp;
    uint32_t number = 0;
    uint8_t swizzle = d3d9::kIdentitySwizzle, mask = 0xF, resultModifiers = 0;
    d3d9::SourceModifier modifier = d3d9::SourceModifier::None;
    bool relative = false, byLoop = false;
    uint8_t indexComponent = 0;
  };
  struct Instruction {
    d3d9::Opcode opcode = d3d9::Opcode::Nop;
    uint32_t control = 0;
    bool predicated = false;
    Operand destination, predicate;
    Operand sources[4];
    uint32_t sourceCount = 0;
    size_t jump = 0;  ///< after the block that it opens, or where the loop that it closes begins
  };
  struct Output {
    d3d9::Usage usage;
    uint32_t usageIndex;
  };
  struct State;

  bool decode(const uint32_t *at, size_t count, Instruction &out) const;
  void declare(const uint32_t *at);
  bool link();
  float *outputRegister(const Operand &destination, ShadedVertex &out) const;

  d3d9::Version m_version;
  const char *m_error = nullptr;
  std::vector<Instruction> m_instructions;
  std::vector<Input> m_inputs;
  std::map<uint32_t, Output> m_outputs;  ///< outputs of model 3, by o#
  std::map<uint32_t, Float4> m_floats;
  struct Int4 {
    int32_t c[4];
  };
  std::map<uint32_t, Int4> m_integers;
  std::map<uint32_t, bool> m_booleans;
  std::map<uint32_t, size_t> m_labels;
};

}  // namespace aerogpu::runtime
