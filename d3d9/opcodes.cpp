// SPDX-License-Identifier: MIT
// Rows of the instruction table (opcodes.h). Models and operands: Direct3D 9 "asm shader reference", the
// instruction tables of each shader model.
#include "aerogpu/d3d9/opcodes.h"

#include <array>

#include "aerogpu/d3d9/declaration.h"

namespace aerogpu::d3d9 {
namespace {

constexpr uint16_t k10 = 0x100, k11 = 0x101, k12 = 0x102, k13 = 0x103, k14 = 0x104, k20 = 0x200, k30 = 0x300;
using enum Opcode;

constexpr auto kTable = std::to_array<OpcodeInfo>({
    // opcode, name, VS first, last, PS first, last, destinations, sources, flags, older models
    {Nop, "nop", k11, k30, k11, k30, 0, 0, kNoPredicate},
    {Mov, "mov", k11, k30, k11, k30, 1, 1},
    {Add, "add", k11, k30, k11, k30, 1, 2},
    {Sub, "sub", k11, k30, k11, k30, 1, 2},
    {Mad, "mad", k11, k30, k11, k30, 1, 3},
    {Mul, "mul", k11, k30, k11, k30, 1, 2},
    {Rcp, "rcp", k11, k30, k20, k30, 1, 1},
    {Rsq, "rsq", k11, k30, k20, k30, 1, 1},
    {Dp3, "dp3", k11, k30, k11, k30, 1, 2},
    {Dp4, "dp4", k11, k30, k12, k30, 1, 2},
    {Min, "min", k11, k30, k20, k30, 1, 2},
    {Max, "max", k11, k30, k20, k30, 1, 2},
    {Slt, "slt", k11, k30, k20, k30, 1, 2},
    {Sge, "sge", k11, k30, k20, k30, 1, 2},
    {Exp, "exp", k11, k30, k20, k30, 1, 1},
    {Log, "log", k11, k30, k20, k30, 1, 1},
    {Lit, "lit", k11, k30, 0, 0, 1, 1},
    {Dst, "dst", k11, k30, 0, 0, 1, 2},
    {Lrp, "lrp", k20, k30, k11, k30, 1, 3},
    {Frc, "frc", k11, k30, k20, k30, 1, 1},
    {M4x4, "m4x4", k11, k30, k20, k30, 1, 2},
    {M4x3, "m4x3", k11, k30, k20, k30, 1, 2},
    {M3x4, "m3x4", k11, k30, k20, k30, 1, 2},
    {M3x3, "m3x3", k11, k30, k20, k30, 1, 2},
    {M3x2, "m3x2", k11, k30, k20, k30, 1, 2},
    {Call, "call", k20, k30, k20, k30, 0, 1, kFlow | kNoPredicate},
    {CallNz, "callnz", k20, k30, k20, k30, 0, 2, kFlow | kNoPredicate},
    {Loop, "loop", k20, k30, k30, k30, 0, 2, kFlow | kNoPredicate},
    {Ret, "ret", k20, k30, k20, k30, 0, 0, kFlow | kNoPredicate},
    {EndLoop, "endloop", k20, k30, k30, k30, 0, 0, kFlow | kNoPredicate},
    {Label, "label", k20, k30, k20, k30, 0, 1, kFlow | kNoPredicate},
    {Dcl, "dcl", k11, k30, k20, k30, 1, 0, kDefinition | kNoPredicate},
    {Pow, "pow", k20, k30, k20, k30, 1, 2},
    {Crs, "crs", k20, k30, k20, k30, 1, 2},
    {Sgn, "sgn", k20, k30, 0, 0, 1, 1, kScratch},
    {Abs, "abs", k20, k30, k20, k30, 1, 1},
    {Nrm, "nrm", k20, k30, k20, k30, 1, 1},
    {SinCos, "sincos", k20, k30, k20, k30, 1, 1, kScratch},
    {Rep, "rep", k20, k30, k20, k30, 0, 1, kFlow | kNoPredicate},
    {EndRep, "endrep", k20, k30, k20, k30, 0, 0, kFlow | kNoPredicate},
    {If, "if", k20, k30, k20, k30, 0, 1, kFlow | kNoPredicate},
    {IfC, "if", k20, k30, k20, k30, 0, 2, kFlow | kCompares | kNoPredicate},
    {Else, "else", k20, k30, k20, k30, 0, 0, kFlow | kNoPredicate},
    {EndIf, "endif", k20, k30, k20, k30, 0, 0, kFlow | kNoPredicate},
    {Break, "break", k20, k30, k20, k30, 0, 0, kFlow | kNoPredicate},
    {BreakC, "break", k20, k30, k20, k30, 0, 2, kFlow | kCompares | kNoPredicate},
    {MovA, "mova", k20, k30, 0, 0, 1, 1},
    {DefB, "defb", k20, k30, k20, k30, 1, 0, kDefinition | kNoPredicate},
    {DefI, "defi", k20, k30, k20, k30, 1, 0, kDefinition | kNoPredicate},
    {TexCoord, "texcoord", 0, 0, k10, k14, 1, 1, 0, k14, 1, 0},
    {TexKill, "texkill", 0, 0, k10, k30, 1, 0},
    {Tex, "texld", 0, 0, k10, k30, 1, 2, 0, k20, 1, 0},
    {TexBem, "texbem", 0, 0, k10, k13, 1, 1},
    {TexBemL, "texbeml", 0, 0, k10, k13, 1, 1},
    {TexReg2Ar, "texreg2ar", 0, 0, k10, k13, 1, 1},
    {TexReg2Gb, "texreg2gb", 0, 0, k10, k13, 1, 1},
    {TexM3x2Pad, "texm3x2pad", 0, 0, k10, k13, 1, 1},
    {TexM3x2Tex, "texm3x2tex", 0, 0, k10, k13, 1, 1},
    {TexM3x3Pad, "texm3x3pad", 0, 0, k10, k13, 1, 1},
    {TexM3x3Tex, "texm3x3tex", 0, 0, k10, k13, 1, 1},
    {TexM3x3Spec, "texm3x3spec", 0, 0, k10, k13, 1, 2},
    {TexM3x3VSpec, "texm3x3vspec", 0, 0, k10, k13, 1, 1},
    {ExpP, "expp", k11, k30, 0, 0, 1, 1},
    {LogP, "logp", k11, k30, 0, 0, 1, 1},
    {Cnd, "cnd", 0, 0, k10, k14, 1, 3},
    {Def, "def", k11, k30, k10, k30, 1, 0, kDefinition | kNoPredicate},
    {TexReg2Rgb, "texreg2rgb", 0, 0, k12, k13, 1, 1},
    {TexDp3Tex, "texdp3tex", 0, 0, k12, k13, 1, 1},
    {TexM3x2Depth, "texm3x2depth", 0, 0, k13, k13, 1, 1},
    {TexDp3, "texdp3", 0, 0, k12, k13, 1, 1},
    {TexM3x3, "texm3x3", 0, 0, k12, k13, 1, 1},
    {TexDepth, "texdepth", 0, 0, k14, k14, 1, 0},
    {Cmp, "cmp", 0, 0, k12, k30, 1, 3},
    {Bem, "bem", 0, 0, k14, k14, 1, 2},
    {Dp2Add, "dp2add", 0, 0, k20, k30, 1, 3},
    {Dsx, "dsx", 0, 0, k20, k30, 1, 1},
    {Dsy, "dsy", 0, 0, k20, k30, 1, 1},
    {TexLdd, "texldd", 0, 0, k20, k30, 1, 4},
    {SetP, "setp", k20, k30, k20, k30, 1, 2, kCompares},
    {TexLdl, "texldl", k30, k30, k30, k30, 1, 2},
    {BreakP, "breakp", k20, k30, k20, k30, 0, 1, kFlow | kNoPredicate},
    {Phase, "phase", 0, 0, k14, k14, 0, 0, kNoPredicate},
    {Comment, "comment", k11, k30, k10, k30, 0, 0, kNoPredicate},
    {End, "end", k11, k30, k10, k30, 0, 0, kNoPredicate},
});

constexpr uint32_t kDirectRows = 97;  // opcodes above BreakP are the three at 0xFFFD..0xFFFF

constexpr std::array<uint8_t, kDirectRows> makeIndex() {
  std::array<uint8_t, kDirectRows> index{};
  for (auto& i : index) i = 0xFF;
  for (size_t row = 0; row < kTable.size(); ++row) {
    const auto op = static_cast<uint32_t>(kTable[row].opcode);
    if (op < kDirectRows) index[op] = static_cast<uint8_t>(row);
  }
  return index;
}
constexpr auto kIndex = makeIndex();

constexpr std::array<std::string_view, 7> kComparisonNames = {"", "gt", "eq", "ge", "lt", "ne", "le"};

}  // namespace

const OpcodeInfo* findOpcode(uint32_t opcode) {
  if (opcode < kDirectRows) return kIndex[opcode] == 0xFF ? nullptr : &kTable[kIndex[opcode]];
  for (size_t i = kTable.size() - 3; i < kTable.size(); ++i)
    if (static_cast<uint32_t>(kTable[i].opcode) == opcode) return &kTable[i];
  return nullptr;
}

std::span<const OpcodeInfo> allOpcodes() {
  return kTable;
}

std::string_view usageName(uint32_t usage) {
  return usage < kUsageCount ? kUsageNames[usage] : "";
}

uint32_t findUsage(std::string_view name) {
  uint32_t i = 0;
  while (i < kUsageCount && kUsageNames[i] != name) ++i;
  return i;
}

std::string_view comparisonName(uint32_t comparison) {
  return comparison < kComparisonNames.size() ? kComparisonNames[comparison] : "";
}

}  // namespace aerogpu::d3d9
