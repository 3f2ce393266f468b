// SPDX-License-Identifier: MIT
// The result of parse() for emit(): decoded instructions and the facts about registers that emission needs.
// Private to this folder. Everything in it is validated: registers exist in the stage, indices are in range,
// blocks nest, labels exist, calls do not recurse.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "aerogpu/d3d9/opcodes.h"
#include "renderer/shader/translate.h"

namespace aerogpu::shader {

inline constexpr uint32_t kMaxTemps = 32;
inline constexpr uint32_t kMaxInputs = 16;
inline constexpr uint32_t kMaxOutputRegisters = 12;  ///< o# of vs_3_0
inline constexpr uint32_t kMaxBlockDepth = 64;
/// Limit of instructions after every call was replaced by its subroutine, as drivers do: compile time grows
/// faster than their number.
inline constexpr uint64_t kMaxExpandedInstructions = 2048;
/// Limit of the iterations of all loops inside of loops and of subroutines together; after it these loops
/// end. Direct3D 9 promises 65535 executed instructions (D3DCAPS9::MaxPixelShader30InstructionsExecuted of
/// shader model 3 parts).
inline constexpr int32_t kMaxInnerIterations = 65536;
inline constexpr uint32_t kMaxLabels = 2048;

/// A register, and the register that indexes it.
struct Operand {
  d3d9::RegisterType type = d3d9::RegisterType::Temp;
  bool relative = false;
  d3d9::RegisterType indexType = d3d9::RegisterType::AddressOrTexture;  ///< a0 or aL
  uint8_t indexComponent = 0;
  uint16_t number = 0;
  uint8_t swizzle = d3d9::kIdentitySwizzle;  ///< sources
  d3d9::SourceModifier modifier = d3d9::SourceModifier::None;
  uint8_t mask = 0xF;           ///< destinations
  uint8_t resultModifiers = 0;  ///< destinations
  int8_t shift = 0;             ///< destinations of ps_1_x: times 2^shift, -3..3

  uint32_t component(uint32_t i) const { return swizzle >> (2 * i) & 3u; }
};

struct Instruction {
  d3d9::Opcode opcode = d3d9::Opcode::Nop;
  uint8_t control = 0;
  bool predicated = false;
  bool coissued = false;  ///< ps_1_x: runs together with the previous instruction
  uint8_t sourceCount = 0;
  uint32_t tokenOffset = 0;
  Operand destination;
  Operand predicate;
  std::array<Operand, 4> sources;
};

/// dcl of an input or output register with its semantic.
struct Declaration {
  d3d9::Usage usage;
  uint8_t usageIndex;
  uint8_t number;  ///< register
  uint8_t mask;
  bool texture;  ///< t# of ps_2_0
  bool centroid;
};

/// The first instruction of a subroutine and the one after its last.
struct Subroutine {
  uint16_t label;
  uint32_t begin, end;
};

struct ProgramCode {
  ShaderInfo info;
  std::vector<Instruction> code;
  uint32_t mainEnd = 0;  ///< main is [0, mainEnd)
  std::vector<Subroutine> subroutines;
  std::vector<Declaration> inputs, outputs;
  std::vector<FloatDefinition> floatDefinitions;  ///< sorted by index, one each
  std::array<std::array<int32_t, 4>, 16> intDefinitions{};
  uint32_t intDefined = 0;                        ///< bit n: defi i#n
  uint32_t boolDefined = 0, boolDefinitions = 0;  ///< bit n: defb b#n, and its value
  bool hasFlow = false;                           ///< registers have to live in variables
  bool relativeInputs = false;                    ///< v[] by a computed index
  bool relativeOutputs = false;
  uint32_t outputsWritten = 0;  ///< bit: output slot (outputSlot())
};

/// Output registers as slots 0..15. Vertex: oPos 0, oPts 1, oFog 2, oD 3.., oT 5.. before model 3, o# in it.
/// Pixel: oC 0..3, oDepth 4.
inline constexpr uint32_t kSlotPosition = 0, kSlotPointSize = 1, kSlotFog = 2, kSlotColor = 3,
                          kSlotTexture = 5;
inline constexpr uint32_t kSlotDepth = 4;
inline constexpr uint32_t kOutputSlots = 16;
constexpr uint32_t kSlotTextureValue = 8;  ///< ps_1_0 to ps_1_3: t0..t3, which hold the results of textures
constexpr bool texturesAreRegisters(d3d9::Version v) {
  return v.stage == d3d9::Stage::Pixel && v.major == 1 && v.minor < 4;
}
constexpr uint32_t outputSlot(const Operand& o, uint32_t major) {
  switch (o.type) {
    case d3d9::RegisterType::RasterOut:
      return o.number == d3d9::kRasterPosition ? kSlotPosition
             : o.number == d3d9::kRasterFog    ? kSlotFog
                                               : kSlotPointSize;
    case d3d9::RegisterType::AttributeOut:
      return kSlotColor + o.number;
    case d3d9::RegisterType::Output:
      return major >= 3 ? o.number : kSlotTexture + o.number;
    case d3d9::RegisterType::DepthOut:
      return kSlotDepth;
    case d3d9::RegisterType::AddressOrTexture:
      return kSlotTextureValue + o.number;
    default:
      return o.number;
  }
}

/// Returns the instruction slots and samples in the stream, each counted once (cost.cpp).
ShaderCost slotsOf(const ProgramCode& program);
/// Returns the greatest cost of an invocation (cost.cpp); for a program without loops and calls it is
/// slotsOf().
ShaderCost costOf(const ProgramCode& program);

/// Returns the rows that an m#x# instruction reads from its second source; 0 for others.
constexpr uint32_t matrixRows(d3d9::Opcode op) {
  switch (op) {
    case d3d9::Opcode::M4x4:
    case d3d9::Opcode::M3x4:
      return 4;
    case d3d9::Opcode::M4x3:
    case d3d9::Opcode::M3x3:
      return 3;
    case d3d9::Opcode::M3x2:
      return 2;
    default:
      return 0;
  }
}

}  // namespace aerogpu::shader
