// SPDX-License-Identifier: MIT
// All but plain arithmetic, in every form that a shader model has: textures, flow control, predicates,
// registers by index, declarations, the texture instructions of models 1.x. Each shader is translated, its
// module validated, run, and compared with the reference interpreter; this file and instructions_test.cpp
// together must cover each instruction of each model. Source: the instruction and register tables of the
// models in the Direct3D 9 "asm shader reference".
#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <sstream>

#include "aerogpu/d3d9/opcodes.h"
#include "renderer/shader/test/oracle/cases.h"
#include "renderer/shader/test/oracle/models.h"
#include "renderer/shader/test/run_shader.h"
#include "renderer/shader/test/validate.h"

namespace aerogpu::shader::oracle {
namespace {

/// A shader's lines, separated by '|'. Before them r1 to r3 are loaded, and after them r4 to r7 are written
/// to outputs; those of models 1.x for pixels are the whole shader, with the result in r0. "@" stands for
/// each comparison in turn. '+' begins lines after the outputs, such as subroutines; a last "+" means that
/// the lines write the outputs of a vertex shader themselves.
struct Form {
  const char* models;
  const char* lines;
};

#define ALL_VS "vs_1_1 vs_2_0 vs_2_x vs_3_0"
#define VS_2 "vs_2_0 vs_2_x vs_3_0"
#define FLOW "vs_2_0 vs_2_x vs_3_0 ps_2_x ps_3_0"
#define DYNAMIC "vs_2_x vs_3_0 ps_2_x ps_3_0"
#define LOOPS "vs_2_0 vs_2_x vs_3_0 ps_3_0"
#define PS_2 "ps_2_0 ps_2_x ps_3_0"

constexpr Form kForms[] = {
    // Constants by address register, with every modifier and swizzle of a source.
    {"vs_1_1",
     "mov a0.x, v4.y|mov r4, c[a0.x + 8]|add r5, -c[a0.x + 9].wzyx, r1|nop|mad r6, r1, r2, c[a0.x].x"},
    {"vs_1_1",
     "mov a0.x, -v4.w|mov r4, c[a0.x + 12]|m4x4 r5, r1, c[a0.x + 12]|mov a0.x, v4.x|mov r6, c[a0.x + 4]"},
    {VS_2,
     "mova a0, v4|mov r4, c[a0.x + 8]|mov r5, -c[a0.y + 8].wzyx|add r6, c[a0.z + 9], r1|mul r7, r2, c[a0.w]"},
    {VS_2,
     "mova a0.x, v4.w|nop|mova a0.yw, v4.xzxy|mov r4, c[a0.x + 1]|mov r5, c[a0.y + 2]|mov r6, c[a0.w + 3]"},
    {VS_2, "mova a0.x, v4|m3x2 r4.xy, r1, c[a0.x + 5]|m3x3 r5.xyz, r1, c[a0.x + 6]|m4x3 r6.xyz, r1, c[a0.x]"},
    {"vs_3_0", "mova a0, v4.x|mov r4, c[a0.x + 8]_abs|mov r5, -c[a0.y + 9]_abs|mov r6, c3_abs.yzxw|nop"},
    // Inputs and outputs by index.
    {"vs_3_0", "mova a0, c24|mov r4, v[a0.x]|mov r5, v[a0.x + 1].wzyx|mov r6, -v[a0.x + 2]_abs"},
    {"vs_3_0", "defi i1, 2, 1, 1, 0|loop aL, i1|add r4, r4, v[aL + 1]|mov r5, -v[aL].yzxw|endloop"},
    {"vs_3_0", "defi i1, 3, 0, 1, 0|mov o1, r1|mov o2, r1|loop aL, i1|mov o[aL + 2], v[aL + 1]|endloop|+"},
    {"vs_3_0", "mova a0, c24|mov o1, r1|mov o3, r3|mov o4, r2|mov o[a0.x + 1], c[a0.x + 4]|+"},
    {"ps_3_0", "defi i1, 3, 0, 1, 0|loop aL, i1|add r4, r4, v[aL]|mov r5, -v[aL + 1].wzyx|endloop"},
    {"ps_3_0", "mov r4, c3_abs|mov r5, -c4_abs.zyxw|mov r6, v1_abs|mov r7, -v2_abs"},
    // Branches.
    {FLOW, "if b0|mov r4, r1|else|mov r4, r2|endif|if !b1|mov r5, r1|endif|if b2|else|mov r6, r3|endif"},
    {FLOW, "defb b0, true|defb b3, false|if b0|if b3|mov r4, r1|else|if !b3|mov r4, r2|endif|endif|endif"},
    {DYNAMIC, "if_@ r1.x, r2.y|mov r4, r1|else|mov r4, r2|endif|if_@ -r3.z, c2.w|mov r5, c3|endif"},
    {DYNAMIC, "setp_@ p0, r1, r2|if p0.x|mov r4, r1|endif|if !p0.y|mov r5, r2|else|mov r5, r3|endif"},
    {DYNAMIC,
     "if_gt r1.x, c0.x|if_lt r2.x, c1.y|if_ge r3.z, c2.z|if_le r1.w, c3.w|mov r4, r2|endif|endif|mov r5, "
     "r3|else|"
     "mov r6, r1|endif|endif"},
    // Loops.
    {FLOW, "rep i0|add r4, r4, r1|endrep|rep i1|mov r5, r2|rep i2|add r6, r6, c1|endrep|endrep"},
    {FLOW,
     "defi i3, 0, 0, 0, 0|rep i3|mov r4, r1|endrep|defi i0, 3, 0, 0, 0|rep i0|if b0|add r5, r5, "
     "r2|endif|endrep"},
    {LOOPS,
     "loop aL, i0|add r4, r4, r1|endloop|defi i1, 3, 2, -1, 0|loop aL, i1|mul r5, r5, r2|rep i2|"
     "add r6, r6, c2|endrep|endloop"},
    {VS_2,
     "loop aL, i0|mov r4, c[aL + 4]|loop aL, i1|add r5, r5, -c[aL + 8].wzyx|endloop|add r6, r6, "
     "c[aL]|endloop"},
    {DYNAMIC, "rep i0|add r4, r4, c1|break_@ r4.x, r1.x|add r5, r5, c2|endrep"},
    {DYNAMIC,
     "setp_@ p0, r1, r2|rep i1|add r4, r4, c1|breakp p0.x|add r5, r5, c2|breakp !p0.w|mov r6, r3|endrep"},
    {DYNAMIC,
     "rep i0|rep i1|add r4, r4, c1|if_gt r4.x, c2.x|break|endif|add r5, r5, c3|endrep|add r6, r6, r1|endrep"},
    {"vs_3_0 ps_3_0", "loop aL, i0|add r4, r4, c1|break_ge r4.y, c4.y|endloop"},
    // Subroutines.
    {FLOW,
     "call l0|callnz l1, b0|callnz l2, !b1|+ret|label l0|mov r4, r1|ret|label l1|call l2|mov r5, r2|ret|"
     "label l2|add r6, r3, c3|ret"},
    {FLOW, "rep i0|call l0|endrep|+ret|label l0|add r4, r4, r1|if b0|add r5, r5, r2|endif|ret"},
    {DYNAMIC,
     "setp_@ p0, r1, r3|callnz l0, p0.x|callnz l1, !p0.z|+ret|label l0|mov r4, r1|ret|label l1|mov r5, "
     "r2|ret"},
    {LOOPS, "loop aL, i0|call l0|endloop|+ret|label l0|add r4, r4, c2|rep i1|add r5, r5, c1|endrep|ret"},
    {VS_2, "loop aL, i0|call l0|endloop|+ret|label l0|add r4, r4, c[aL + 3]|ret"},
    // Predicates.
    {DYNAMIC,
     "setp_@ p0, r1, r2|(p0) mov r4, r1|(!p0) mov r5, r2|(p0.x) add r6, r1, r3|(!p0.w) mul r7.xz, r1, r2"},
    {DYNAMIC,
     "setp_gt p0.xy, r1, -r2|setp_@ p0.zw, r3.wzyx, c2|(p0) mov r4, r1|(p0) setp_lt p0, r2, r3|(p0) mov r5, "
     "r2"},
    {"vs_2_x vs_3_0",
     "setp_gt p0, r1, r2|mova a0, c24|(p0) mova a0, c24.y|mov r4, c[a0.x + 1]|mov r5, c[a0.w + 2]"},
    // Textures of models 2 and 3; a destination's mask, predicate and the sampler's swizzle from 2_x and 3_0
    // on.
    {PS_2,
     "dcl_2d s0|dcl_cube s1|dcl_volume s2|texld r4, t0, s0|texld r5, r1, s1|texld r6, r2, s2|texld_pp r7, "
     "t1, s2"},
    {PS_2,
     "dcl_2d s15|dcl_cube s14|dcl_volume s13|texldp r4, t0, s15|texldp r5, r2, s13|texldb r6, r1, s14|texldb "
     "r7, t1, s15"},
    {PS_2, "texkill r1|nop|mov r4, r2"},
    {PS_2, "texkill t1|mov r4, r2"},
    {"ps_2_x ps_3_0", "texkill r1.xy|texkill r2.w|mov r4, r2"},
    {"ps_2_x ps_3_0",
     "dcl_2d s0|dcl_cube s1|dcl_volume s2|texldd r4, t0, s0, r1, r2|texldd r5, r2.wzyx, s1, c0, -r3|"
     "texldd r6, r1, s2, c1.xxyy, r2"},
    {"ps_2_x ps_3_0",
     "dcl_2d s0|setp_gt p0, r1, r2|(p0) texld r4, r3, s0|(!p0.x) texldp r5, r2, s0|(p0.y) texldb r6, r1, s0|"
     "(p0) texldd r7, r1, s0, r2, r3"},
    {"ps_2_x ps_3_0", "dsx r4, r1|dsy r5, -r2.wzyx|dsx_sat r6.xz, c1|setp_gt p0, r1, r2|(p0) dsy r7, r3"},
    {"ps_2_x ps_3_0", "setp_gt p0, r1, r2|(p0) texkill r3|mov r4, r2"},
    {"ps_3_0",
     "dcl_2d s0|dcl_cube s1|dcl_volume s2|texld r4.xz, t0.wzyx, s0.yzxw|texld_sat r5.w, r1, s2.x|"
     "texldp r6.yz, r2.xyzz, s0.wwxy|texldb_pp r7, r3, s1.zyxw"},
    {"ps_3_0",
     "dcl_2d s0|dcl_cube s1|dcl_volume s2|texldl r4, t0, s0|texldl r5.xy, r1.xyzx, s1.wzyx|"
     "setp_gt p0, r1, r2|(p0) texldl r6, r2, s2|texldl r7, c3, s0"},
    {"vs_3_0",
     "dcl_2d s0|dcl_cube s1|dcl_volume s2|dcl_2d s3|texldl r4, v1, s0|texldl r5.xz, r2.wzyx, s1.yzxw|"
     "setp_gt p0, r1, r2|(p0) texldl r6, r3, s2|texldl r7, c3, s3"},
    // Results of pixel shaders.
    {PS_2, "mov r4, r1|mov oDepth, r2.x"},
    {"ps_3_0",
     "dcl vPos.xy|dcl vFace|mov r4, vPos.xyxy|cmp r5, vFace, r1, r2|if_gt vFace, c31.x|mov r6, r3|endif|"
     "add r7, -vPos.x, r1"},
    // ps_1_1 to 1_3: the result of each texture instruction for t0, sampled or as coordinates, with its one
    // modifier.
    {"ps_1_1 ps_1_2 ps_1_3", "tex t0|texcoord t1|tex t2|tex t3|mov r0, t2|add r0, r0, t1|add r0, r0, t3"},
    {"ps_1_1 ps_1_2 ps_1_3", "texcoord t0|texkill t1|texkill t0|mov r0, t0"},
    {"ps_1_1 ps_1_2 ps_1_3", "texcoord t0|texreg2ar t1, t0|texreg2gb t2, t0|add r0, t1, t2"},
    {"ps_1_1 ps_1_2 ps_1_3", "texcoord t0|texbem t1, t0|texbeml t2, t0|add r0, t1, t2"},
    {"ps_1_1 ps_1_2 ps_1_3", "tex t0|texbem t1, t0_bx2|texbeml t2, t0_bx2|texbem t3, t1|add r0, t2, t3"},
    {"ps_1_1 ps_1_2 ps_1_3", "texcoord t0|texm3x2pad t1, t0|texm3x2tex t2, t0|mov r0, t2"},
    {"ps_1_1 ps_1_2 ps_1_3", "texcoord t0|texm3x2pad t1, t0_bx2|texm3x2tex t2, t0_bx2|mov r0, t2"},
    {"ps_1_1 ps_1_2 ps_1_3", "texcoord t0|texm3x3pad t1, t0|texm3x3pad t2, t0|texm3x3tex t3, t0|mov r0, t3"},
    {"ps_1_1 ps_1_2 ps_1_3",
     "texcoord t0|texm3x3pad t1, t0_bx2|texm3x3pad t2, t0_bx2|texm3x3tex t3, t0_bx2|mov r0, t3"},
    {"ps_1_1 ps_1_2 ps_1_3",
     "texcoord t0|texm3x3pad t1, t0_bx2|texm3x3pad t2, t0_bx2|texm3x3spec t3, t0_bx2, c2|mov r0, t3"},
    {"ps_1_1 ps_1_2 ps_1_3",
     "texcoord t0|texm3x3pad t1, t0|texm3x3pad t2, t0|texm3x3vspec t3, t0|mov r0, t3"},
    {"ps_1_2 ps_1_3",
     "texcoord t0|texm3x3pad t1, t0_bx2|texm3x3pad t2, t0_bx2|texm3x3 t3, t0_bx2|mov r0, t3"},
    {"ps_1_2 ps_1_3", "texcoord t0|texdp3 t1, t0|texdp3 t2, t0_bx2|add r0, t1, t2"},
    {"ps_1_2 ps_1_3",
     "texcoord t0|texdp3tex t1, t0|texdp3tex t2, t0_bx2|texreg2rgb t3, t0|add r0, t1, t2|add r0, r0, t3"},
    {"ps_1_3", "texcoord t0|texm3x2pad t1, t0|texm3x2depth t2, t0|mov r0, t0"},
    {"ps_1_3", "texcoord t0|texm3x2pad t1, t0_bx2|texm3x2depth t2, t0_bx2|mov r0, t0"},
    {"ps_1_1 ps_1_2 ps_1_3",
     "texcoord t0|mov r0, t0|mad_x2 r1.rgb, t0, v0, c1|+mov_sat r1.a, v1|nop|add r0.rgb, r1, r0|+mov r0.a, "
     "r1.b"},
    // ps_1_4: two phases, coordinates with a selector and a divisor.
    {"ps_1_4",
     "texcrd r0.rgb, t0|texcrd r1.rgb, t1.xyz|texcrd r2.rg, t2_dw.xyw|phase|mov r0.a, v0|mov r1.a, v0|"
     "mov r2.ba, v0|add r0, r0, r1|add r0.rg, r0, r2"},
    {"ps_1_4",
     "texld r0, t0|texld r1, t1.xyz|texld r2, t2_dw.xyw|phase|mov r0.a, v0|mov r1.a, v1|add r0, r0, r1|add "
     "r0.rgb, r0, r2"},
    {"ps_1_4",
     "texld r0, t0_dz.xyz|texcrd r1.rg, t1_dz|mov r1.b, c0|phase|texld r2, r0|texld r3, r1_dz|mov r0.a, v0|"
     "add r0.rgb, r2, r3"},
    {"ps_1_4",
     "texcrd r0.rgb, t0|texcrd r1.rgb, t1|bem r2.rg, r0, r1|bem r3.rg, c1, r0|mov r2.b, c2|mov r3.b, "
     "c2|phase|"
     "texld r4, r2|mov r0.a, v0|add r0.rgb, r4, r3"},
    {"ps_1_4", "texcrd r0.rgb, t0|texkill t1|phase|texkill r0|mov r0.a, v0|nop"},
    {"ps_1_4", "texcrd r5.rgb, t0|phase|texdepth r5|mov r0, v0"},
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) out.push_back(part);
  return out;
}

std::string n(uint32_t number) {
  return std::to_string(number);
}

/// True for lines that come before the executable ones.
bool declares(const std::string& line) {
  return line.starts_with("dcl") || line.starts_with("def");
}

std::string vertexShader(const Model& model, const std::vector<std::string>& lines) {
  const bool three = model.version.major == 3;
  std::string out = std::string(model.name) + "\n", body, behind;
  bool ownOutputs = false, after = false;
  for (std::string line : lines) {
    if (line.starts_with('+')) {
      ownOutputs = line == "+";
      after = !ownOutputs;
      line.erase(0, 1);
    }
    (after ? behind : declares(line) ? out : body) += line + "\n";
  }
  out += "dcl_position v0\n";
  for (uint32_t i = 0; i < kInputs; ++i) out += "dcl_texcoord" + n(i) + " v" + n(i + 1) + "\n";
  if (three) {
    out += "dcl_position o0\n";
    for (uint32_t i = 0; i < 4; ++i) out += "dcl_texcoord" + n(i) + " o" + n(i + 1) + "\n";
  }
  for (uint32_t i = 1; i <= 3; ++i) out += "mov r" + n(i) + ", v" + n(i) + "\n";
  for (uint32_t i = 0; i < 4; ++i) out += "mov r" + n(i + 4) + ", v4\n";
  out += body + (three ? "mov o0, v0\n" : "mov oPos, v0\n");
  for (uint32_t i = 0; i < 4 && !ownOutputs; ++i)
    out += std::string("mov ") + (three ? "o" + n(i + 1) : "oT" + n(i)) + ", r" + n(i + 4) + "\n";
  return out + behind;
}

/// Returns a pixel shader with the lines; t# stands for v# in model 3.
std::string pixelShader(const Model& model, const std::vector<std::string>& lines) {
  const bool three = model.version.major == 3;
  std::string out = std::string(model.name) + "\n", body, behind;
  if (model.version.major == 1) {
    for (const std::string& line : lines) out += line + "\n";
    return out;
  }
  bool after = false;
  for (std::string line : lines) {
    if (line.starts_with('+')) {
      after = true;
      line.erase(0, 1);
    }
    if (three)
      for (size_t at = line.find(" t"); at != std::string::npos; at = line.find(" t", at + 1))
        if (std::isdigit(static_cast<unsigned char>(line[at + 2]))) line[at + 1] = 'v';
    (after ? behind : declares(line) ? out : body) += line + "\n";
  }
  for (uint32_t i = 0; i < 4; ++i)
    out += three ? "dcl_texcoord" + n(i) + " v" + n(i) + "\n" : "dcl t" + n(i) + "\n";
  for (uint32_t i = 0; i < 3; ++i) out += "mov r" + n(i + 1) + (three ? ", v" : ", t") + n(i) + "\n";
  for (uint32_t i = 0; i < 4; ++i) out += "mov r" + n(i + 4) + (three ? ", v3\n" : ", t3\n");
  out += body;
  for (uint32_t i = 0; i < 4; ++i) out += "mov oC" + n(i) + ", r" + n(i + 4) + "\n";
  return out + behind;
}

Case drawOf(const Model& model, const std::string& shader) {
  Case c = makeCase(0);
  c.draw.fog = c.draw.alphaTest = false;
  c.draw.projectedBy = {};
  for (uint32_t i = 0; i < 6; ++i) {
    const float f = static_cast<float>(i);
    c.draw.stages.push_back({{0.25f, -0.125f * f, 0.5f, 0.25f * f}, 0.5f, 0.25f * f, {}});
  }
  if (model.vertex()) {
    c.draw.vs = shader;
    c.draw.ps = "ps_2_0\ndcl t0\ndcl t1\ndcl t2\ndcl t3\n";
    for (uint32_t i = 0; i < 4; ++i) c.draw.ps += "mov r" + n(i) + ", t" + n(i) + "\n";
    for (uint32_t i = 0; i < 4; ++i) c.draw.ps += "mov oC" + n(i) + ", r" + n(i) + "\n";
    return c;
  }
  c.draw.vs = "vs_2_0\ndcl_position v0\n";
  for (uint32_t i = 0; i < kInputs; ++i) c.draw.vs += "dcl_texcoord" + n(i) + " v" + n(i + 1) + "\n";
  c.draw.vs += "mov oPos, v0\nmov oD0, v3\nmov oD1, v4\n";
  for (uint32_t i = 0; i < kInputs; ++i) c.draw.vs += "mov oT" + n(i) + ", v" + n(i + 1) + "\n";
  c.draw.ps = shader;
  return c;
}

std::vector<std::string> shadersOf(const Model& model) {
  std::vector<std::string> out;
  for (const Form& form : kForms) {
    if (std::string(form.models).find(model.name) == std::string::npos) continue;
    const std::string lines = form.lines;
    const bool each = lines.find('@') != std::string::npos;
    for (const char* comparison : {"gt", "eq", "ge", "lt", "ne", "le"}) {
      std::string text = lines;
      for (size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, comparison);
      const auto parts = split(text, '|');
      out.push_back(model.vertex() ? vertexShader(model, parts) : pixelShader(model, parts));
      if (!each) break;
    }
  }
  return out;
}

/// True if a form must have the instruction. The translator accepts instructions of the extended models 2_x
/// in shaders 2.0 too, where they cannot be written.
bool mustBeInAForm(const d3d9::OpcodeInfo& info, const Model& model) {
  if (isPlainArithmetic(info) || (info.flags & d3d9::kDefinition)) return false;
  const bool plain2 = model.version.model() == 0x200;
  switch (info.opcode) {
    case d3d9::Opcode::Comment:
    case d3d9::Opcode::End:
      return false;
    case d3d9::Opcode::IfC:
    case d3d9::Opcode::Break:
    case d3d9::Opcode::BreakC:
    case d3d9::Opcode::BreakP:
    case d3d9::Opcode::SetP:
    case d3d9::Opcode::Dsx:
    case d3d9::Opcode::Dsy:
    case d3d9::Opcode::TexLdd:
      return !plain2;
    default:
      return !(plain2 && !model.vertex() && (info.flags & d3d9::kFlow));
  }
}

class EveryForm : public testing::TestWithParam<Model> {};

TEST_P(EveryForm, OfWhatIsNoArithmetic) {
  const Model& model = GetParam();
  Comparison total;
  uint32_t shaders = 0;
  std::set<d3d9::Opcode> seen;
  for (const std::string& text : shadersOf(model)) {
    SCOPED_TRACE(text);
    const std::vector<uint32_t> tokens = test::tokens(text);
    ASSERT_FALSE(tokens.empty());
    const auto program = parse(tokens);
    ASSERT_TRUE(program.ok()) << program.error().message;
    const auto module = emit(*program);
    ASSERT_TRUE(module.ok()) << module.error().message;
    ASSERT_EQ(test::validate(module->words), "");
    for (const Instruction& in : decode(tokens).instructions) seen.insert(in.opcode);
    const Comparison result = compareCase(drawOf(model, text));
    EXPECT_EQ(result.mismatch, "");
    total.compared += result.compared;
    total.components += result.components;
    total.pixels += result.pixels;
    total.gaveUp += result.gaveUp;
    ++shaders;
  }
  std::cout << shaders << " shaders, " << total.components << " components, " << total.compared
            << " compared closely; " << total.gaveUp << " of " << total.pixels << " pixels undecided\n";
  EXPECT_GT(total.compared * 2, total.components) << "the comparison must not come to nothing";
  EXPECT_LT(total.gaveUp * 3, total.pixels);
  for (const d3d9::OpcodeInfo& info : d3d9::allOpcodes()) {
    if (!info.inModel(model.version) || !mustBeInAForm(info, model)) continue;
    EXPECT_TRUE(seen.contains(info.opcode)) << info.name << " is in no form";
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryForm, testing::ValuesIn(kModels),
                         [](const auto& model) { return std::string(model.param.name); });

/// An input that a pixel shader 3.0 declares by usage and index comes from the output declared with them.
TEST(EveryUsage, LinksOutputsAndInputs) {
  const Model vs = kModels[3];
  ASSERT_STREQ(vs.name, "vs_3_0");
  for (uint32_t usage = 0; usage < d3d9::kUsageCount; ++usage)
    for (const uint32_t index : {0u, 1u, 15u}) {
      const std::string name = std::string(d3d9::usageName(usage));
      if (index == 0 && (name == "position" || name == "psize")) continue;  // they are the rasterizer's
      const std::string semantic = "dcl_" + name + (index ? n(index) : "");
      SCOPED_TRACE(semantic);
      Case c = drawOf(vs,
                      "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_texcoord1 v2\ndcl_texcoord2 v3\n"
                      "dcl_texcoord3 v4\ndcl_position o0\n" +
                          semantic + " o1\nmov o0, v0\nmov o1, v1\n");
      c.draw.ps = "ps_3_0\n" + semantic + " v3\nmov oC0, v3\n";
      const Comparison result = compareCase(c);
      EXPECT_EQ(result.mismatch, "");
      EXPECT_GT(result.compared, 0u);
    }
}

/// A vertex shader's input may have any usage; only its register counts.
TEST(EveryUsage, OfVertexInputs) {
  for (const char* model : {"vs_1_1", "vs_2_0", "vs_3_0"})
    for (uint32_t usage = 0; usage < d3d9::kUsageCount; ++usage) {
      const std::string name = std::string(d3d9::usageName(usage));
      SCOPED_TRACE(std::string(model) + " " + name);
      const bool three = std::string(model) == "vs_3_0";
      Case c = drawOf(kModels[1], std::string(model) + "\ndcl_position v0\n" +
                                      (name == "position" ? "dcl_position1" : "dcl_" + name) +
                                      " v1\ndcl_texcoord5 v2\ndcl_texcoord6 v3\ndcl_texcoord7 v4\n" +
                                      (three ? "dcl_position o0\ndcl_texcoord o1\ndcl_texcoord1 o2\n"
                                               "dcl_texcoord2 o3\ndcl_texcoord3 o4\n"
                                             : "") +
                                      "mov " + (three ? "o0" : "oPos") + ", v0\n");
      for (uint32_t i = 0; i < 4; ++i)
        c.draw.vs +=
            std::string("mov ") + (three ? "o" + n(i + 1) : "oT" + n(i)) + ", v" + n(1 + i % 2) + "\n";
      const Comparison result = compareCase(c);
      EXPECT_EQ(result.mismatch, "");
      EXPECT_GT(result.compared, 0u);
    }
}

}  // namespace
}  // namespace aerogpu::shader::oracle
