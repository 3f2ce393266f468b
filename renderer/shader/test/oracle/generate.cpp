// SPDX-License-Identifier: MIT
// Random shaders of models 1.1 to 3.0 that follow the rules of the Direct3D 9 "asm shader reference"
// (cases.h).
#include <cctype>
#include <iterator>

#include "renderer/shader/test/oracle/cases.h"
#include "renderer/shader/test/run_shader.h"

namespace aerogpu::shader::oracle {
namespace {

struct Model {
  bool vertex;
  uint32_t major, minor;  ///< minor 1 of model 2 is 2_x
  std::string name() const {
    return std::string(vertex ? "vs_" : "ps_") + std::to_string(major) +
           (major == 2 && minor ? "_x" : "_" + std::to_string(minor));
  }
  bool staticFlow() const { return vertex ? major >= 2 : major >= 3 || (major == 2 && minor); }
  bool dynamicFlow() const { return major >= 3 || (major == 2 && minor); }
};

enum Rule : uint32_t { kScalar = 1, kNoSwizzle = 2, kOwnTemp = 4 };

struct Op {
  const char* name;
  uint32_t sources;
  uint32_t vs, ps;        ///< first model, 0 = none
  const char* mask = "";  ///< the only masks allowed, by '|'
  uint32_t rules = 0;
};

constexpr Op kOps[] = {
    {"mov", 1, 11, 20},
    {"add", 2, 11, 20},
    {"sub", 2, 11, 20},
    {"mul", 2, 11, 20},
    {"mad", 3, 11, 20},
    {"dp3", 2, 11, 20},
    {"dp4", 2, 11, 20},
    {"min", 2, 11, 20},
    {"max", 2, 11, 20},
    {"rcp", 1, 11, 20, "", kScalar},
    {"rsq", 1, 11, 20, "", kScalar},
    {"exp", 1, 11, 20, "", kScalar},
    {"log", 1, 11, 20, "", kScalar},
    {"expp", 1, 11, 0, "", kScalar},
    {"logp", 1, 11, 0, "", kScalar},
    {"slt", 2, 11, 0},
    {"sge", 2, 11, 0},
    {"lit", 1, 11, 0},
    {"dst", 2, 11, 0},
    {"frc", 1, 20, 20},
    {"frc", 1, 11, 0, "y|xy"},
    {"abs", 1, 20, 20},
    {"crs", 2, 20, 20, "x|y|z|xy|xz|yz|xyz", kNoSwizzle | kOwnTemp},
    {"lrp", 3, 20, 20},
    {"nrm", 1, 20, 20, "xyz|xyzw", kNoSwizzle | kOwnTemp},
    {"pow", 2, 20, 20, "", kScalar | kOwnTemp},
    {"sgn", 1, 20, 0, "", kOwnTemp},
    {"sincos", 1, 20, 20, "x|y|xy", kScalar | kOwnTemp},
    {"cmp", 3, 0, 20},
    {"dp2add", 3, 0, 20},
    {"m4x4", 1, 11, 20, "xyzw", kOwnTemp},
    {"m4x3", 1, 11, 20, "xyz", kOwnTemp},
    {"m3x4", 1, 11, 20, "xyzw", kOwnTemp},
    {"m3x3", 1, 11, 20, "xyz", kOwnTemp},
    {"m3x2", 1, 11, 20, "xy", kOwnTemp},
};

constexpr uint32_t kTemps = 6;
constexpr const char* kCompare[] = {"gt", "eq", "ge", "lt", "ne", "le"};

class Generator {
public:
  Generator(Dice& dice, Model model, bool gradients) : m_dice(dice), m_model(model), m_gradients(gradients) {}

  std::string run() {
    m_out = m_model.name() + "\n";
    declare();
    m_routines = m_model.staticFlow() ? m_dice.below(3) : 0;
    for (uint32_t r = 0; r < kTemps; ++r)
      line("mov r" + std::to_string(r) + ", " + (m_dice.chance(70) ? input() : "c" + number(8)));
    block(6 + m_dice.below(14), 0);
    finish();
    for (uint32_t r = 0; r < m_routines; ++r) {
      if (r == 0) line("ret");
      line("label l" + std::to_string(r));
      m_current = r + 1;
      m_predicate = false;
      block(1 + m_dice.below(5), 1);
      line("ret");
    }
    return std::move(m_out);
  }

private:
  void line(const std::string& s) { m_out += s + "\n"; }
  std::string number(uint32_t n) { return std::to_string(m_dice.below(n)); }

  void declare() {
    if (m_model.vertex) {
      line("dcl_position v0");
      for (uint32_t i = 0; i < kInputs; ++i)
        line("dcl_texcoord" + std::to_string(i) + " v" + std::to_string(i + 1));
      if (m_model.major == 3)
        for (const char* s :
             {"dcl_position o0", "dcl_texcoord o1", "dcl_texcoord1 o2.xy", "dcl_normal o2.zw", "dcl_color o3",
              "dcl_texcoord3 o4", "dcl_fog o5.x", "dcl_2d s0", "dcl_volume s1"})
          line(s);
    } else {
      for (const char* s : {"dcl_2d s0", "dcl_cube s1", "dcl_volume s2"}) line(s);
      if (m_model.major == 3)
        for (const char* s : {"dcl_texcoord v0", "dcl_texcoord1 v1.xy", "dcl_normal v1.zw", "dcl_color v2",
                              "dcl_texcoord3 v3", "dcl vPos.xy", "dcl vFace"})
          line(s);
      else
        for (const char* s : {"dcl t0", "dcl t1", "dcl t2", "dcl v0", "dcl v1"}) line(s);
    }
    const auto values = [&] {
      std::string s;
      for (int i = 0; i < 4; ++i) s += (i ? ", " : "") + std::to_string(m_dice.number());
      return s;
    };
    for (const uint32_t c : {2u, 5u, 13u})
      if (m_dice.chance(40)) line("def c" + std::to_string(c) + ", " + values());
    if (!m_model.staticFlow()) return;
    if (m_dice.chance(50)) line("defi i1, " + number(4) + ", " + number(3) + ", " + number(3) + ", 0");
    if (m_dice.chance(50)) line(std::string("defb b1, ") + (m_dice.chance(50) ? "true" : "false"));
  }

  std::string input() {
    if (m_model.vertex) return "v" + std::to_string(1 + m_dice.below(kInputs));
    if (m_model.major == 3) return "v" + number(4);
    static constexpr const char* kNames[] = {"t0", "t1", "t2", "v0", "v1"};
    return m_dice.of(kNames);
  }
  std::string component() { return std::string(".") + "xyzw"[m_dice.below(4)]; }
  std::string swizzle() {
    if (m_dice.chance(40)) return "";
    if (m_dice.chance(20)) return component();
    std::string s = ".";
    for (int i = 0; i < 4; ++i) s += "xyzw"[m_dice.below(4)];
    // Pixel shaders of model 2.0 know few swizzles.
    static constexpr const char* kFew[] = {"", ".x", ".y", ".z", ".w", ".yzxw", ".zxyw", ".wzyx"};
    return !m_model.vertex && m_model.major == 2 && !m_model.minor ? m_dice.of(kFew) : s;
  }
  std::string mask() {
    if (m_dice.chance(40)) return "";
    std::string s;
    for (int i = 0; i < 4; ++i)
      if (m_dice.chance(50)) s += "xyzw"[i];
    return s.empty() ? "" : "." + s;
  }
  static std::string piece(const std::string& list, uint32_t n) {
    size_t at = 0;
    while (n--) at = list.find('|', at) + 1;
    return list.substr(at, list.find('|', at) - at);
  }

  /// Returns a register that arithmetic can read, without modifiers.
  std::string readable() {
    if (m_model.vertex && m_haveAddress && m_dice.chance(10))
      return "c[a0" +
             (m_model.major == 1
                  ? ".x"
                  : std::string(1, '.') +
                        "xyzw"[m_addressMask[m_dice.below(static_cast<uint32_t>(m_addressMask.size()))]]) +
             " + " + std::to_string(8 + m_dice.below(8)) + "]";
    if (m_loops && m_dice.chance(25)) {
      if (m_model.vertex && m_dice.chance(60)) return "c[aL + " + std::to_string(10 + m_dice.below(6)) + "]";
      if (m_model.major == 3) return m_model.vertex ? "v[aL + 1]" : "v[aL]";
    }
    if (!m_model.vertex && m_model.major == 3 && m_dice.chance(4)) return m_gradients ? "r0" : "vPos.xyxy";
    switch (m_dice.below(8)) {
      case 0:
      case 1:
        return "c" + number(8);
      case 2:
      case 3:
        return input();
      default:
        return "r" + number(kTemps);
    }
  }
  std::string source(const std::string& suffix) {
    std::string reg = readable();
    const bool swizzled = reg.find("vPos") != std::string::npos;
    const bool constant = reg[0] == 'c';
    const bool absolute = m_model.major == 3 && !constant && m_dice.chance(15);
    if (swizzled) reg = "vPos", m_usesPosition = true;
    return (m_dice.chance(25) ? "-" : "") + reg + (absolute ? "_abs" : "") + (swizzled ? ".xyxy" : suffix);
  }

  std::string guard() {
    if (!m_predicate || !m_dice.chance(30)) return "";
    return std::string("(") + (m_dice.chance(40) ? "!" : "") + "p0" + (m_dice.chance(40) ? component() : "") +
           ") ";
  }

  void arithmetic() {
    const Op& op = m_dice.of(kOps);
    const uint32_t first = m_model.vertex ? op.vs : op.ps;
    if (!first || m_model.major * 10 + m_model.minor < first) return arithmetic();
    const std::string name = op.name;
    const uint32_t target = m_dice.below(kTemps);
    std::string written = mask();
    if (*op.mask)
      written = "." + piece(op.mask, m_dice.below(1 + static_cast<uint32_t>(std::count(
                                                          op.mask, op.mask + std::strlen(op.mask), '|'))));
    std::string s =
        guard() + name + (m_dice.chance(12) && m_model.major + !m_model.vertex >= 2 ? "_sat" : "") +
        (!m_model.vertex && m_dice.chance(10) ? "_pp" : "") + " r" + std::to_string(target) + written;
    for (uint32_t i = 0; i < op.sources; ++i) {
      std::string read;
      do read = source(op.rules & kScalar ? component() : op.rules & kNoSwizzle ? "" : swizzle());
      while ((op.rules & kOwnTemp) && read.find("r" + std::to_string(target)) != std::string::npos);
      if (name == "dp2add" && i == 2) read = "r" + number(kTemps) + component();
      s += ", " + read;
    }
    if (std::isdigit(static_cast<unsigned char>(name[1]))) s += ", c" + number(5);
    if (name == "sgn" || (name == "sincos" && m_model.major == 2))
      s += name == "sgn" ? ", r7, r8" : ", c20, c21";
    line(s);
  }

  void sample() {
    const std::string target = "r" + number(kTemps);
    // Model 2 has no modifiers and swizzles here, and writes whole registers.
    const bool free = m_model.major == 3;
    const std::string at = m_dice.chance(50) && !m_model.vertex ? input() : "r" + number(kTemps);
    const std::string s =
        " s" + number(m_model.vertex ? 2 : 3) + (free && m_dice.chance(30) ? swizzle() : "");
    const std::string written = free ? mask() : "", read = at + (free ? swizzle() : "");
    if (m_model.vertex || (free && m_dice.chance(40))) {
      line(guard() + "texldl " + target + written + ", " + read + "," + s);
    } else if (m_model.minor + free && m_dice.chance(25)) {
      line(guard() + "texldd " + target + mask() + ", " + at + swizzle() + "," + s + ", " +
           source(swizzle()) + ", " + source(swizzle()));
    } else if (m_depth == 0 && !m_usesPosition) {
      static constexpr const char* kNames[] = {"texld", "texld", "texldp", "texldb"};
      line(m_dice.of(kNames) + std::string(" ") + target + written + ", " + read + "," + s);
    }
  }

  void special() {
    switch (m_dice.below(7)) {
      case 0:
        if (!m_model.dynamicFlow()) return;
        line((m_dice.chance(30) ? guard() : "") + "setp_" + m_dice.of(kCompare) + " p0" +
             (m_predicate ? mask() : "") + ", " + source(swizzle()) + ", " + source(swizzle()));
        m_predicate = true;
        return;
      case 1: {
        if (!m_model.vertex || m_depth) return;
        const std::string from = m_dice.chance(70) ? "v4" : "c24";
        if (m_model.major == 1) {
          line("mov a0.x, " + from + component());
        } else {
          const std::string written = m_haveAddress ? mask() : "";
          line("mova a0" + written + ", " + from + swizzle());
        }
        m_haveAddress = true;
        return;
      }
      case 2:
        if (!m_model.vertex && m_dice.chance(40))
          line("texkill r" + number(kTemps) + (m_model.dynamicFlow() ? mask() : ""));
        return;
      case 3:
      case 4:
        if (!m_model.vertex || m_model.major == 3) sample();
        return;
      case 5:
        if (m_gradients && m_depth == 0 && m_model.dynamicFlow())
          line(std::string(m_dice.chance(50) ? "dsx" : "dsy") + " r" + number(kTemps) + mask() + ", " +
               source(swizzle()));
        return;
      default:
        if (m_current >= m_routines) return;
        const std::string label = "l" + std::to_string(m_current + m_dice.below(m_routines - m_current));
        if (m_dice.chance(50))
          line("call " + label);
        else if (m_predicate && m_dice.chance(50))
          line("callnz " + label + ", " + (m_dice.chance(50) ? "!" : "") + "p0" + component());
        else
          line("callnz " + label + ", " + (m_dice.chance(50) ? "!" : "") + "b" + number(4));
    }
  }

  std::string scalar() { return (m_dice.chance(20) ? "-r" : "r") + number(kTemps) + component(); }

  void branch() {
    const uint32_t kinds = m_model.dynamicFlow() ? 3 : 1;
    switch (m_dice.below(kinds)) {
      case 0:
        line(std::string("if ") + (m_dice.chance(50) ? "!" : "") + "b" + number(4));
        break;
      case 1:
        line(std::string("if_") + m_dice.of(kCompare) + " " + scalar() + ", " +
             (m_dice.chance(50) ? scalar() : "c" + number(8) + component()));
        break;
      default:
        line(m_predicate ? std::string("if ") + (m_dice.chance(50) ? "!" : "") + "p0" + component()
                         : "if b0");
    }
    ++m_depth;
    block(1 + m_dice.below(4), m_depth);
    if (m_dice.chance(50)) {
      line("else");
      block(1 + m_dice.below(4), m_depth);
    }
    --m_depth;
    line("endif");
  }

  void repeat() {
    const bool loop = m_dice.chance(60) && (m_model.vertex || m_model.major == 3);
    line((loop ? "loop aL, i" : "rep i") + number(4));
    ++m_depth;
    ++m_nested;
    m_loops += loop;
    block(1 + m_dice.below(4), m_depth);
    if (m_model.dynamicFlow() && m_dice.chance(50)) {
      switch (m_dice.below(3)) {
        case 0:
          line(std::string("break_") + m_dice.of(kCompare) + " " + scalar() + ", " + scalar());
          break;
        case 1:
          line(m_predicate ? std::string("breakp ") + (m_dice.chance(50) ? "!" : "") + "p0" + component()
                           : "nop");
          break;
        default:
          line("if_" + std::string(m_dice.of(kCompare)) + " " + scalar() + ", " + scalar());
          line("break");
          line("endif");
      }
      block(m_dice.below(3), m_depth);
    }
    m_loops -= loop;
    --m_nested;
    --m_depth;
    line(loop ? "endloop" : "endrep");
  }

  void block(uint32_t length, uint32_t depth) {
    const uint32_t before = m_depth;
    m_depth = depth;
    for (uint32_t i = 0; i < length; ++i) {
      if (m_model.staticFlow() && depth < 4 && m_dice.chance(12))
        branch();
      else if (m_model.staticFlow() && depth < 4 && m_nested < 2 && m_dice.chance(9))
        repeat();
      else if (m_dice.chance(30))
        special();
      else
        arithmetic();
    }
    m_depth = before;
  }

  void output(const std::string& reg, uint32_t temp) {
    const std::string r = std::to_string(temp), next = std::to_string((temp + 1) % kTemps);
    const bool sat = m_model.vertex && m_model.major == 3 && m_dice.chance(10);
    if (m_model.vertex && m_dice.chance(30)) {
      line("mad " + reg + ", r" + r + swizzle() + ", c" + number(8) + ", -r" + next);
    } else if (m_model.vertex && m_dice.chance(30)) {
      line("mov " + reg + ".xz, r" + r);
      line("mul " + reg + ".yw, r" + next + ", c3");
    } else {
      line(std::string(sat ? "mov_sat " : "mov ") + reg + ", r" + r);
    }
  }

  void finish() {
    if (!m_model.vertex) {
      for (uint32_t i = 0; i < 4; ++i) {
        const std::string n = std::to_string(i);
        line(m_model.major == 3 && m_dice.chance(30) ? "add_sat oC" + n + ", r" + n + ", r5"
                                                     : "mov oC" + n + ", r" + n);
      }
      if (m_dice.chance(25)) line("mov oDepth, r4" + component());
      return;
    }
    if (m_model.major < 3) {
      line("mov oPos, v0");
      static constexpr const char* kNames[] = {"oT0", "oT1", "oT2", "oD0", "oD1"};
      for (uint32_t i = 0; i < std::size(kNames); ++i) output(kNames[i], i);
      line(std::string("mov oFog") + (m_model.major == 1 || m_dice.chance(50) ? ".x, r5.x" : ", r5.y"));
      return;
    }
    line("mov o0, v0");
    for (uint32_t i = 1; i < 5; ++i) output("o" + std::to_string(i), i - 1);
    line("mov o5.x, r5.x");
    if (m_dice.chance(25)) {  // output registers by index: o3 and o4 again
      line("defi i3, 2, 0, 1, 0");
      line("loop aL, i3");
      line("add o[aL + 3], r5, c[aL + 4]");
      line("endloop");
    }
  }
  Dice& m_dice;
  Model m_model;
  bool m_gradients;
  std::string m_out;
  uint32_t m_depth = 0, m_loops = 0, m_nested = 0, m_routines = 0, m_current = 0;
  bool m_predicate = false, m_haveAddress = false, m_usesPosition = false;
  std::vector<uint32_t> m_addressMask = {0, 1, 2, 3};
};

}  // namespace

float Dice::number() {
  switch (below(10)) {
    case 0:
      return 0;
    case 1:
      return chance(50) ? 1 : -1;
    case 2:
    case 3:
    case 4:
      return static_cast<float>(static_cast<int>(below(17)) - 8) / 8;
    case 5:
    case 6:
      return static_cast<float>(static_cast<int>(below(13)) - 6);
    case 7:
      return chance(10) ? 1e6f : 100.5f;
    default:
      return (static_cast<float>(below(1 << 20)) / (1 << 19) - 1) * 2;
  }
}

Case makeCase(uint32_t seed) {
  Dice dice(seed * 2654435761u + 12345);
  Case c;
  static constexpr struct {
    Model vs, ps;
  } kPairs[] = {{{true, 2, 0}, {false, 2, 0}}, {{true, 3, 0}, {false, 3, 0}}, {{true, 2, 1}, {false, 2, 1}},
                {{true, 3, 0}, {false, 3, 0}}, {{true, 1, 1}, {false, 1, 1}}, {{true, 2, 0}, {false, 1, 4}},
                {{true, 2, 1}, {false, 2, 1}}, {{true, 1, 1}, {false, 1, 3}}};
  const auto& pair = kPairs[seed % std::size(kPairs)];
  c.quad = pair.ps.major > 1 && seed / std::size(kPairs) % 4 == 3;
  const auto through = [&] {  // the pixel shader gets plain inputs
    std::string s = pair.vs.name() + "\ndcl_position v0\n";
    for (uint32_t i = 0; i < kInputs; ++i)
      s += "dcl_texcoord" + std::to_string(i) + " v" + std::to_string(i + 1) + "\n";
    if (pair.vs.major == 3)
      return s +
             "dcl_position o0\ndcl_texcoord o1\ndcl_texcoord1 o2.xy\ndcl_normal o2.zw\ndcl_color "
             "o3\ndcl_texcoord3 o4\n"
             "mov o0, v0\nmov o1, v1\nmov o2, v2\nmov o3, v3\nmov o4, v4\n";
    return s +
           "mov oPos, v0\nmov oT0, v1\nmov oT1, v2\nmov oT2, v3\nmov oT3, v4\nmov oD0, v3\nmov oD1, v4\nmov "
           "oFog, v1.x\n";
  };
  c.draw.vs = c.quad || dice.chance(30) ? through() : Generator(dice, pair.vs, false).run();
  c.draw.ps = pair.ps.major == 1 ? pixelShader1(dice, dice.chance(50) ? pair.ps.minor : 1 + dice.below(4))
                                 : Generator(dice, pair.ps, c.quad).run();
  for (uint32_t i = 0; i < 32; ++i) {
    c.draw.vsFloats.push_back(i == 24 ? test::Vec4{1, 4, 2.25f, 5.75f} : dice.vector());
    c.draw.psFloats.push_back(dice.vector());
  }
  for (auto* ints : {&c.draw.vsInts, &c.draw.psInts})
    for (uint32_t i = 0; i < 4; ++i)
      ints->push_back({static_cast<int>(dice.below(5)), static_cast<int>(dice.below(4)),
                       static_cast<int>(dice.below(4)) - 1, 0});
  if (pair.ps.major == 1) {
    for (uint32_t i = 0; i < 6; ++i) {
      const test::Vec4 m = dice.vector();
      c.draw.stages.push_back({{m[0] / 8, m[1] / 8, m[2] / 8, m[3] / 8}, dice.number(), dice.number(), {}});
    }
    for (uint8_t& by : c.draw.projectedBy)
      if (dice.chance(15)) by = static_cast<uint8_t>(1 + dice.below(3));
  }
  c.draw.push.vsBools = dice.below(16);
  c.draw.push.psBools = dice.below(16);
  if (c.quad) {
    // Inputs a + b x + c y, from corners whose sums floats hold exactly.
    constexpr uint32_t kSide = 8;
    c.draw.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    c.draw.width = c.draw.height = kSide;
    std::vector<test::Vec4> base, across, down;
    const auto sixteenths = [&](uint32_t n) {
      return static_cast<float>(static_cast<int>(dice.below(2 * n + 1)) - static_cast<int>(n)) / 16;
    };
    for (uint32_t i = 0; i < kInputs; ++i) {
      base.push_back({sixteenths(32), sixteenths(32), sixteenths(32), sixteenths(32)});
      across.push_back({sixteenths(16), sixteenths(16), sixteenths(4), sixteenths(4)});
      down.push_back({sixteenths(16), sixteenths(16), sixteenths(4), sixteenths(4)});
    }
    const float corners[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}};
    for (const auto& corner : corners) {
      std::vector<test::Vec4> vertex{{corner[0] * 2 - 1, 1 - corner[1] * 2, 0.25f, 1}};
      for (uint32_t i = 0; i < kInputs; ++i) {
        test::Vec4 value;
        for (size_t k = 0; k < 4; ++k)
          value[k] = base[i][k] + (across[i][k] * corner[0] + down[i][k] * corner[1]) * kSide;
        vertex.push_back(value);
      }
      c.draw.vertices.push_back(vertex);
    }
  } else {
    std::vector<std::vector<test::Vec4>> rows;
    for (uint32_t i = 0; i < 32; ++i) {
      std::vector<test::Vec4> row;
      for (uint32_t k = 0; k + 1 < kInputs; ++k) row.push_back(dice.vector());
      const auto small = [&] {
        return static_cast<float>(dice.below(32)) / 4 + (dice.chance(50) ? 0 : 0.125f);
      };
      row.push_back({small(), small(), small(), small()});
      rows.push_back(row);
    }
    test::setRow(c.draw, rows);
    for (auto& vertex : c.draw.vertices) vertex[0][2] = 0.25f;
  }
  if (pair.ps.major < 3 && dice.chance(20)) {
    c.draw.fog = true;
    c.draw.push.fogColor[0] = 0.25f;
    c.draw.push.fogColor[1] = 0.75f;
    c.draw.push.fogColor[2] = 1;
  }
  if (dice.chance(20)) {
    c.draw.alphaTest = true;
    c.draw.push.alphaFunc = 1 + dice.below(8);
    c.draw.push.alphaRef = static_cast<float>(dice.below(5)) / 4;
  }
  return c;
}

}  // namespace aerogpu::shader::oracle
