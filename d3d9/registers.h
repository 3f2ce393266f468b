// SPDX-License-Identifier: MIT
// Register and modifier spellings, shared by assembler and disassembler. Source: register pages of the
// Direct3D 9 "asm shader reference". Private to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "aerogpu/d3d9/opcodes.h"
#include "aerogpu/d3d9/tokens.h"

namespace aerogpu::d3d9 {

/// A register spelling. `number` < 0: a number follows the name.
struct RegisterName {
  std::string_view name;
  RegisterType type;
  int number;
  bool vertex, pixel;
  uint8_t minMajor, maxMajor;
};

inline constexpr auto kRegisterNames = std::to_array<RegisterName>({
    {"r", RegisterType::Temp, -1, true, true, 1, 3},
    {"v", RegisterType::Input, -1, true, true, 1, 3},
    {"c", RegisterType::Const, -1, true, true, 1, 3},
    {"a", RegisterType::AddressOrTexture, -1, true, false, 1, 3},
    {"t", RegisterType::AddressOrTexture, -1, false, true, 1, 2},
    {"oPos", RegisterType::RasterOut, kRasterPosition, true, false, 1, 2},
    {"oFog", RegisterType::RasterOut, kRasterFog, true, false, 1, 2},
    {"oPts", RegisterType::RasterOut, kRasterPointSize, true, false, 1, 2},
    {"oD", RegisterType::AttributeOut, -1, true, false, 1, 2},
    {"oT", RegisterType::Output, -1, true, false, 1, 2},
    {"o", RegisterType::Output, -1, true, false, 3, 3},
    {"i", RegisterType::ConstInt, -1, true, true, 2, 3},
    {"oC", RegisterType::ColorOut, -1, false, true, 2, 3},
    {"oDepth", RegisterType::DepthOut, 0, false, true, 2, 3},
    {"s", RegisterType::Sampler, -1, true, true, 1, 3},
    {"b", RegisterType::ConstBool, -1, true, true, 2, 3},
    {"aL", RegisterType::Loop, 0, true, true, 2, 3},
    {"vPos", RegisterType::Misc, kMiscPosition, false, true, 3, 3},
    {"vFace", RegisterType::Misc, kMiscFace, false, true, 3, 3},
    {"l", RegisterType::Label, -1, true, true, 2, 3},
    {"p", RegisterType::Predicate, -1, true, true, 2, 3},
});

/// The text around a source register: "-r0_bx2".
struct SourceModifierText {
  SourceModifier modifier;
  std::string_view prefix, suffix;
};
inline constexpr auto kSourceModifierTexts = std::to_array<SourceModifierText>({
    {SourceModifier::None, "", ""},
    {SourceModifier::Negate, "-", ""},
    {SourceModifier::Bias, "", "_bias"},
    {SourceModifier::BiasNegate, "-", "_bias"},
    {SourceModifier::Sign, "", "_bx2"},
    {SourceModifier::SignNegate, "-", "_bx2"},
    {SourceModifier::Complement, "1-", ""},
    {SourceModifier::X2, "", "_x2"},
    {SourceModifier::X2Negate, "-", "_x2"},
    {SourceModifier::DivideZ, "", "_dz"},
    {SourceModifier::DivideW, "", "_dw"},
    {SourceModifier::Abs, "", "_abs"},
    {SourceModifier::AbsNegate, "-", "_abs"},
    {SourceModifier::Not, "!", ""},
});

/// Result shifts of ps_1_x: field value (4 bits, signed) and suffix.
struct ShiftText {
  uint8_t field;
  std::string_view suffix;
};
inline constexpr auto kShiftTexts =
    std::to_array<ShiftText>({{1, "_x2"}, {2, "_x4"}, {3, "_x8"}, {15, "_d2"}, {14, "_d4"}, {13, "_d8"}});

/// The name and the number of sources of an instruction in a model: ps_1_x has other names for texld and
/// texcoord.
struct OpcodeForm {
  std::string_view name;
  uint32_t sources;
};
inline OpcodeForm opcodeForm(const OpcodeInfo& info, Version v) {
  std::string_view name = info.name;
  if (info.opcode == Opcode::Tex && v.major == 1 && v.minor < 4) name = "tex";
  if (info.opcode == Opcode::TexCoord && v.minor == 4) name = "texcrd";
  return {name, info.sourceCount(v)};
}

}  // namespace aerogpu::d3d9
