// SPDX-License-Identifier: MIT
// The one table of D3D9 shader instructions: name, models, operands. Assembler, disassembler and translator
// all read it. Source: D3DSHADER_INSTRUCTION_OPCODE_TYPE and the "asm shader reference" of Direct3D 9.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "aerogpu/d3d9/tokens.h"

namespace aerogpu::d3d9 {

/// An instruction with kScratch may have this many sources on top of its own.
inline constexpr uint32_t kScratchSources = 2;

/// Properties of an instruction beyond its operands.
enum OpcodeFlag : uint8_t {
  kFlow = 1,         ///< changes or marks control flow
  kCompares = 2,     ///< the control field is a Comparison
  kNoPredicate = 4,  ///< may not be predicated
  kDefinition = 8,   ///< def, defi, defb, dcl: not executable
  kScratch = 16,     ///< may name two more sources, which hardware may use as scratch registers
};

/// A row of the table. Models are `major << 8 | minor`; first 0 = not in that stage. Operand counts are those
/// of the last model; models below `olderBelow` (0 = none) have olderDestinations and olderSources instead.
struct OpcodeInfo {
  Opcode opcode;
  std::string_view name;
  uint16_t vsFirst, vsLast, psFirst, psLast;
  uint8_t destinations, sources;
  uint8_t flags = 0;
  uint16_t olderBelow = 0;
  uint8_t olderDestinations = 0, olderSources = 0;

  constexpr bool inModel(Version v) const {
    const uint16_t first = v.stage == Stage::Vertex ? vsFirst : psFirst;
    const uint16_t last = v.stage == Stage::Vertex ? vsLast : psLast;
    // 2_x and the software models (minor 1 and 255) have the instructions of their major version.
    return first != 0 && v.model() >= first && v.major <= last >> 8 && (v.major >= 2 || v.model() <= last);
  }
  constexpr uint32_t destinationCount(Version v) const {
    return v.model() < olderBelow ? olderDestinations : destinations;
  }
  constexpr uint32_t sourceCount(Version v) const {
    // ps_1_4 samples at a register that it names, earlier models at the texture's own coordinate.
    if (opcode == Opcode::Tex && v.model() == 0x104) return 1;
    return v.model() < olderBelow ? olderSources : sources;
  }
};

/// Returns the row of `opcode`, or null if the number is no opcode.
const OpcodeInfo* findOpcode(uint32_t opcode);
/// Returns every row, in order of opcode.
std::span<const OpcodeInfo> allOpcodes();

/// Returns the assembler's name of a usage ("texcoord"), or an empty string.
std::string_view usageName(uint32_t usage);
/// Returns the usage with that name, or kUsageCount.
uint32_t findUsage(std::string_view name);
/// Returns "gt", "eq", ... or an empty string.
std::string_view comparisonName(uint32_t comparison);

}  // namespace aerogpu::d3d9
