// SPDX-License-Identifier: MIT
// Every arithmetic instruction in every shader model that has it, with every modifier of sources and results
// that the model has, in pixels, against the reference interpreter. Source: the instruction tables, "Source
// Register Modifiers" and "Destination Register Modifiers" of the Direct3D 9 "asm shader reference".
#include <gtest/gtest.h>

#include <iostream>

#include "aerogpu/d3d9/opcodes.h"
#include "renderer/shader/test/oracle/cases.h"
#include "renderer/shader/test/oracle/models.h"

namespace aerogpu::shader::oracle {
namespace {

using d3d9::Opcode;
using d3d9::OpcodeInfo;
using Words = std::vector<std::string>;

constexpr uint32_t kPerShader = 4;  // results: targets, or texture coordinates

/// An instruction's requirements for its operands.
struct Shape {
  bool scalar = false, matrix = false, scratch = false;
  Words masks = {"", ".xz", ".w", ".xyz"};
};

Shape shapeOf(const OpcodeInfo& info, const Model& model) {
  Shape s;
  switch (info.opcode) {
    case Opcode::Rcp:
    case Opcode::Rsq:
    case Opcode::Exp:
    case Opcode::Log:
    case Opcode::ExpP:
    case Opcode::LogP:
    case Opcode::Pow:
      s.scalar = true;
      break;
    case Opcode::SinCos:
      s.scalar = true;
      s.scratch = model.version.major == 2;
      s.masks = {".xy", ".x", ".y"};
      break;
    case Opcode::Sgn:
      s.scratch = true;
      break;
    case Opcode::Crs:
      s.masks = {".xyz", ".y"};
      break;
    case Opcode::Nrm:
      s.masks = {"", ".xyz"};
      break;
    case Opcode::M4x4:
    case Opcode::M3x4:
      s.matrix = true;
      s.masks = {""};
      break;
    case Opcode::M4x3:
    case Opcode::M3x3:
      s.matrix = true;
      s.masks = {".xyz"};
      break;
    case Opcode::M3x2:
      s.matrix = true;
      s.masks = {".xy"};
      break;
    default:
      break;
  }
  return s;
}

/// Returns instructions of one opcode, in which "$" stands for the result's register.
Words variants(const OpcodeInfo& info, const Model& model) {
  const Shape shape = shapeOf(info, model);
  const uint32_t major = model.version.major;
  struct Around {
    const char *before, *after;
  };
  std::vector<Around> sources = {{"", ""}, {"-", ""}};
  if (major == 3) sources.insert(sources.end(), {{"", "_abs"}, {"-", "_abs"}});
  Words results = {""}, predicates = {""};
  if (model.pixel1()) {
    sources.insert(sources.end(), {{"1-", ""}, {"", "_bias"}, {"-", "_bias"}, {"", "_bx2"}, {"-", "_bx2"}});
    if (model.version.minor == 4) sources.insert(sources.end(), {{"", "_x2"}, {"-", "_x2"}});
    results = {"", "_x2", "_x4", "_d2", "_sat", "_x2_sat", "_d2_sat"};
    if (model.version.minor == 4) results.insert(results.end(), {"_x8", "_d4", "_d8"});
  } else if (!model.vertex()) {
    results = {"", "_sat", "_pp", "_sat_pp"};
  } else if (major == 3) {
    results = {"", "_sat"};
  }
  if (!model.pixel1() && model.version.model() > 0x200) predicates = {"", "(p0) ", "(!p0.y) "};
  static const Words kSwizzles = {"", ".yzxw", ".wwww", ".x", ".zyxw"}, kScalars = {".x", ".y", ".z", ".w"};
  Words out;
  uint32_t turn = 0;
  for (const Around& around : sources)
    for (const std::string& result : results)
      for (const std::string& predicate : predicates) {
        ++turn;
        const std::string mask = model.pixel1() ? "" : shape.masks[turn % shape.masks.size()];
        std::string line = predicate + std::string(info.name) + result + " $" + mask;
        const uint32_t count = info.sourceCount(model.version);
        for (uint32_t i = 0; i < count; ++i) {
          // Each source gets the modifier in turn.
          const Around here = turn % count == i || i == 0 ? around : Around{"", ""};
          std::string swizzle =
              shape.scalar ? kScalars[(turn + i) % 4] : kSwizzles[(turn + i) % kSwizzles.size()];
          std::string operand = here.before + std::string("r") + std::to_string(i + 1) + here.after + swizzle;
          if (shape.matrix && i == 1) operand = "c8";
          if (model.pixel1()) {
            static const Words kOld = {"r1", "v0", "v1"};
            const bool first = info.opcode == Opcode::Cnd && i == 0 && model.version.minor < 4;
            operand = first ? "r0.a" : here.before + kOld[i] + here.after;
          }
          line += ", " + operand;
        }
        if (shape.scratch) line += info.opcode == Opcode::Sgn ? ", r10, r11" : ", c24, c25";
        out.push_back(line);
      }
  return out;
}

std::string replaced(std::string line, const std::string& by) {
  return line.replace(line.find('$'), 1, by);
}

/// Makes a draw of up to kPerShader of the instructions.
Case caseOf(const Model& model, const Words& lines) {
  Case c = makeCase(0);
  c.draw.fog = c.draw.alphaTest = false;
  const auto n = [](uint32_t i) { return std::to_string(i); };
  std::string vs = "vs_2_0\ndcl_position v0\n", ps;
  for (uint32_t i = 0; i < kInputs; ++i) vs += "dcl_texcoord" + n(i) + " v" + n(i + 1) + "\n";
  if (model.vertex()) {
    vs.replace(0, 6, model.name);
    const bool three = model.version.major == 3;
    if (three) {
      vs += "dcl_position o0\n";
      for (uint32_t i = 0; i < kPerShader; ++i) vs += "dcl_texcoord" + n(i) + " o" + n(i + 1) + "\n";
    }
    for (uint32_t i = 1; i <= 3; ++i) vs += "mov r" + n(i) + ", v" + n(i) + "\n";
    for (uint32_t i = 0; i < kPerShader; ++i) vs += "mov r" + n(i + 4) + ", v4\n";
    if (lines[0].find('(') != std::string::npos || lines.back().find('(') != std::string::npos)
      vs += "setp_gt p0, r1, r2\n";
    for (uint32_t i = 0; i < lines.size(); ++i) vs += replaced(lines[i], "r" + n(i + 4)) + "\n";
    vs += three ? "mov o0, v0\n" : "mov oPos, v0\n";
    for (uint32_t i = 0; i < kPerShader; ++i)
      vs += std::string("mov ") + (three ? "o" + n(i + 1) : "oT" + n(i)) + ", r" + n(i + 4) + "\n";
    ps = "ps_2_0\ndcl t0\ndcl t1\ndcl t2\ndcl t3\n";
    for (uint32_t i = 0; i < kPerShader; ++i) ps += "mov r" + n(i) + ", t" + n(i) + "\n";
    for (uint32_t i = 0; i < kPerShader; ++i) ps += "mov oC" + n(i) + ", r" + n(i) + "\n";
  } else if (model.pixel1()) {
    // Colours in -1..1 come through texture coordinates: the models read them in different ways.
    vs += "mov oPos, v0\nmov oD0, v1\nmov oD1, v2\nmov oT0, v3\n";
    ps =
        std::string(model.name) + "\n" +
        (model.version.minor == 4 ? "texcrd r1.rgb, t0\nphase\nmov r1.a, v0\n" : "texcoord t0\nmov r1, t0\n");
    ps += "mov r0, v1\n" + replaced(lines[0], "r0") + "\n";
  } else {
    vs += "mov oPos, v0\nmov oT0, v1\nmov oT1, v2\nmov oT2, v3\nmov oT3, v4\n";
    const bool three = model.version.major == 3;
    ps = std::string(model.name) + "\n";
    for (uint32_t i = 0; i < 4; ++i)
      ps += three ? "dcl_texcoord" + n(i) + " v" + n(i) + "\n" : "dcl t" + n(i) + "\n";
    for (uint32_t i = 0; i < 3; ++i) ps += "mov r" + n(i + 1) + (three ? ", v" : ", t") + n(i) + "\n";
    for (uint32_t i = 0; i < kPerShader; ++i) ps += "mov r" + n(i + 4) + (three ? ", v3\n" : ", t3\n");
    if (lines[0].find('(') != std::string::npos || lines.back().find('(') != std::string::npos)
      ps += "setp_gt p0, r1, r2\n";
    for (uint32_t i = 0; i < lines.size(); ++i) ps += replaced(lines[i], "r" + n(i + 4)) + "\n";
    for (uint32_t i = 0; i < kPerShader; ++i) ps += "mov oC" + n(i) + ", r" + n(i + 4) + "\n";
  }
  c.draw.vs = vs;
  c.draw.ps = ps;
  return c;
}

class EveryInstruction : public testing::TestWithParam<Model> {};

TEST_P(EveryInstruction, WithEveryModifier) {
  const Model& model = GetParam();
  Comparison total;
  uint32_t instructions = 0, differences = 0;
  for (const OpcodeInfo& info : d3d9::allOpcodes()) {
    if (!isPlainArithmetic(info) || !info.inModel(model.version)) continue;
    const Words all = variants(info, model);
    const size_t most = model.pixel1() ? 1 : kPerShader;
    for (size_t from = 0; from < all.size(); from += most) {
      const Words some(all.begin() + static_cast<std::ptrdiff_t>(from),
                       all.begin() + static_cast<std::ptrdiff_t>(std::min(from + most, all.size())));
      const Comparison result = compareCase(caseOf(model, some));
      instructions += static_cast<uint32_t>(some.size());
      total.compared += result.compared;
      total.components += result.components;
      if (result.mismatch.empty()) continue;
      ADD_FAILURE() << model.name << " " << info.name << ": " << result.mismatch;
      if (++differences == 5) return;
    }
  }
  std::cout << instructions << " instructions, " << total.components << " components, " << total.compared
            << " compared closely\n";
  EXPECT_GE(instructions, 50u);
  EXPECT_GT(total.compared * 2, total.components) << "the comparison must not come to nothing";
}

INSTANTIATE_TEST_SUITE_P(, EveryInstruction, testing::ValuesIn(kModels),
                         [](const auto& model) { return std::string(model.param.name); });

}  // namespace
}  // namespace aerogpu::shader::oracle
