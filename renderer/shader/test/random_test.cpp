// SPDX-License-Identifier: MIT
// Random programs that follow the rules: all must be accepted, and every module must pass spirv-val. Flow
// control, calls, indices, predicates and modifiers meet here in combinations that no one writes by hand.
#include <random>

#include "renderer/shader/test/validate.h"

namespace aerogpu::shader::test {
namespace {

class Generator {
public:
  Generator(uint32_t seed, bool vertex, uint32_t major) : m_rng(seed), m_vertex(vertex), m_major(major) {}

  std::string program() {
    header();
    m_routines = below(4);
    block(12 + below(20), 0, 0);
    for (uint32_t r = 0; r < m_routines; ++r) {
      m_out += (r ? "" : "ret\n") + std::string("label l") + std::to_string(r) + "\n";
      m_current = r + 1;
      block(1 + below(8), 0, 0);
      m_out += "ret\n";
    }
    return std::move(m_out);
  }

private:
  uint32_t below(uint32_t n) { return m_rng() % n; }
  bool chance(uint32_t percent) { return below(100) < percent; }
  std::string number(uint32_t n) { return std::to_string(below(n)); }

  void header() {
    const std::string model = m_major == 3 ? "3_0\n" : "2_x\n";
    m_out = (m_vertex ? "vs_" : "ps_") + model;
    if (m_vertex) {
      m_out += "dcl_position v0\ndcl_texcoord3 v1\ndcl_color v2\n";
      if (m_major == 3)
        m_out +=
            "dcl_position o0\ndcl_texcoord o1.xy\ndcl_normal o1.zw\ndcl_color o2.xyz\ndcl_psize "
            "o3.x\ndcl_fog o4\n"
            "dcl_2d s0\ndcl_cube s1\ndcl_volume s2\n";
    } else {
      m_out += "dcl_2d s0\ndcl_cube s1\ndcl_volume s2\n";
      m_out += m_major == 3 ? "dcl_texcoord v0.xy\ndcl_normal v0.zw\ndcl_color v1_centroid\ndcl_fog v2.x\n"
                              "dcl vPos.xy\ndcl vFace\n"
                            : "dcl v0\ndcl v1\ndcl t0\ndcl t2\n";
      const size_t centroid = m_out.find("dcl_color v1_centroid");
      if (centroid != std::string::npos) m_out.replace(centroid, 21, "dcl_color_centroid v1");
    }
    if (chance(50)) m_out += "def c3, 1, 2, -3, 0.5\n";
    if (chance(50)) m_out += "defi i1, 3, 1, 2, 0\n";
    if (chance(50)) m_out += "defb b1, true\n";
  }

  std::string swizzle() {
    if (chance(40)) return "";
    std::string s = ".";
    for (int i = 0; i < 4; ++i) s += "xyzw"[below(4)];
    return s;
  }

  std::string component() { return std::string(".") + "xyzw"[below(4)]; }

  std::string mask() {
    if (chance(40)) return "";
    std::string s;
    for (int i = 0; i < 4; ++i)
      if (chance(50)) s += "xyzw"[i];
    return s.empty() ? "" : "." + s;
  }

  std::string index() {
    if (m_vertex && chance(60)) return "a0" + component();
    return m_inLoop ? "aL" : m_vertex ? "a0" + component() : "";
  }

  std::string readable() {
    const std::string by = chance(30) ? index() : "";
    switch (below(m_vertex || m_major < 3 ? 4 : 5)) {
      case 0:
        return m_vertex && !by.empty() ? "c[" + by + " + " + number(20) + "]" : "c" + number(8);
      case 1:
        if (m_major == 3 && by == "aL") return "v[aL]";
        if (!m_vertex && m_major < 3 && chance(50)) return chance(50) ? "t0" : "t2";
        return "v" + number(m_vertex || m_major == 3 ? 3 : 2);
      case 4:
        return chance(50) ? "vPos" : "vFace";
      default:
        return "r" + number(6);
    }
  }

  std::string source(const std::string& suffix) {
    const bool absolute = m_major == 3 && chance(15);
    return (chance(25) ? "-" : "") + readable() + (absolute ? "_abs" : "") + suffix;
  }

  std::string writable() {
    if (chance(70)) return "r" + number(6) + mask();
    if (m_vertex && m_major == 3) return (m_inLoop && chance(30) ? "o[aL]" : "o" + number(5)) + mask();
    if (m_vertex) {
      const char* names[] = {"oPos", "oD0", "oD1", "oT0", "oT3", "oFog.x", "oPts.x"};
      return names[below(7)];
    }
    return "r" + number(6);
  }

  void arithmetic() {
    static constexpr struct {
      const char* name;
      int sources;
      bool scalar, vertexOnly, pixelOnly;
    } kOps[] = {
        {"mov", 1, false, false, false}, {"add", 2, false, false, false}, {"mul", 2, false, false, false},
        {"mad", 3, false, false, false}, {"dp3", 2, false, false, false}, {"dp4", 2, false, false, false},
        {"min", 2, false, false, false}, {"max", 2, false, false, false}, {"rcp", 1, true, false, false},
        {"rsq", 1, true, false, false},  {"exp", 1, true, false, false},  {"log", 1, true, false, false},
        {"pow", 2, true, false, false},  {"frc", 1, false, false, false}, {"abs", 1, false, false, false},
        {"nrm", 1, false, false, false}, {"lrp", 3, false, false, false}, {"slt", 2, false, true, false},
        {"sge", 2, false, true, false},  {"lit", 1, false, true, false},  {"dst", 2, false, true, false},
        {"cmp", 3, false, false, true},  {"dsx", 1, false, false, true},  {"dsy", 1, false, false, true}};
    const auto& op = kOps[below(std::size(kOps))];
    if ((op.vertexOnly && !m_vertex) || (op.pixelOnly && m_vertex)) return arithmetic();
    if (m_havePredicate && chance(20)) m_out += chance(50) ? "(p0) " : "(!p0" + component() + ") ";
    m_out += op.name + std::string(chance(15) ? "_sat" : "") + " " + writable();
    for (int i = 0; i < op.sources; ++i) m_out += ", " + source(op.scalar ? component() : swizzle());
    m_out += "\n";
  }

  void special(uint32_t loops) {
    static constexpr const char* kCompare[] = {"_gt", "_eq", "_ge", "_lt", "_ne", "_le"};
    const bool samples = !m_vertex || m_major == 3;
    switch (below(8)) {
      case 0:
        m_out += "setp" + std::string(kCompare[below(6)]) + " p0" + mask() + ", " + source(swizzle()) + ", " +
                 source(swizzle()) + "\n";
        m_havePredicate = true;
        return;
      case 1:
        if (m_vertex) m_out += "mova a0" + mask() + ", " + source(swizzle()) + "\n";
        return;
      case 2:
        if (!m_vertex) m_out += "texkill r" + number(6) + "\n";
        return;
      case 3:
        if (samples && m_major == 3) m_out += "texldl r" + number(6) + ", r0, s" + number(3) + "\n";
        return;
      case 4:
        if (!m_vertex)
          m_out += std::string(chance(30)   ? "texldp"
                               : chance(30) ? "texldb"
                                            : "texld") +
                   " r" + number(6) + ", r1, s" + number(3) + "\n";
        return;
      case 5:
        if (!m_vertex) m_out += "texldd r" + number(6) + ", r1, s" + number(3) + ", r2, r3\n";
        return;
      case 6:
        if (loops)
          m_out += chance(50) ? "break" + std::string(kCompare[below(6)]) + " r0.x, c1.y\n" : "break\n";
        return;
      default:
        if (m_current < m_routines) {
          const std::string label = "l" + std::to_string(m_current + below(m_routines - m_current));
          m_out += chance(50) ? "call " + label + "\n"
                              : "callnz " + label + ", " + (chance(50) ? "!" : "") + "b" + number(3) + "\n";
        }
    }
  }

  void block(uint32_t length, uint32_t depth, uint32_t loops) {
    for (uint32_t i = 0; i < length; ++i) {
      if (depth < 5 && chance(18)) {
        const std::string conditions[] = {"if b" + number(3), "if !b" + number(3),
                                          "if_lt r0" + component() + ", c0.x",
                                          m_havePredicate ? "if p0" + component() : "if b0"};
        if (loops < 3 && chance(45)) {
          const bool rep = chance(50) || (!m_vertex && m_major < 3);
          m_out += rep ? "rep i" + number(3) + "\n" : "loop aL, i" + number(3) + "\n";
          const bool before = m_inLoop;
          m_inLoop = m_inLoop || !rep;
          block(below(6), depth + 1, loops + 1);
          m_inLoop = before;
          m_out += rep ? "endrep\n" : "endloop\n";
        } else {
          m_out += conditions[below(4)] + "\n";
          block(below(5), depth + 1, loops);
          if (chance(50)) {
            m_out += "else\n";
            block(below(5), depth + 1, loops);
          }
          m_out += "endif\n";
        }
      } else if (chance(30)) {
        special(loops);
      } else {
        arithmetic();
      }
    }
    if (depth == 0 && !m_vertex && m_current == 0)
      m_out += "mov oC0, r0\nmov oC2, r1\n" + std::string(chance(30) ? "mov oDepth, r2.x\n" : "");
  }

  std::mt19937 m_rng;
  bool m_vertex;
  uint32_t m_major;
  std::string m_out;
  bool m_inLoop = false, m_havePredicate = false;
  uint32_t m_routines = 0, m_current = 0;
};

TEST(Random, ProgramsTranslateToValidModules) {
  constexpr uint32_t kPrograms = 500;
  for (uint32_t seed = 0; seed < kPrograms; ++seed) {
    const bool vertex = seed & 1;
    const uint32_t major = seed & 2 ? 3 : 2;
    const std::string source = Generator(seed, vertex, major).program();
    const auto p = parse(tokens(source));
    ASSERT_TRUE(p.ok()) << p.error().message << " at token " << p.error().tokenOffset << "\n" << source;
    const std::vector<Varying> linked = {
        {d3d9::Usage::Color, 0, 0, 15}, {d3d9::Usage::TexCoord, 0, 1, 15}, {d3d9::Usage::Normal, 0, 2, 12}};
    EmitOptions options;
    if (vertex) {
      options.clipPlaneCount = seed >> 2 & 3;
      options.points = seed & 16;
    } else {
      if (seed & 4) options.linkedOutputs = linked;
      options.flatShade = seed & 8;
      options.shadowSamplers = seed & 16 ? 7 : 0;
      options.gatheredSamplers = seed & 32 ? 0x2FFFF : 0;
    }
    const auto m = emit(*p, options);
    ASSERT_TRUE(m.ok()) << m.error().message << "\n" << source;
    ASSERT_EQ(validate(m->words), "") << "seed " << seed << "\n" << source;
  }
}

}  // namespace
}  // namespace aerogpu::shader::test
