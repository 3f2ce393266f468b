// SPDX-License-Identifier: MIT
// Random pixel shaders 1.1 to 1.4 (cases.h): a texture part, then arithmetic with modifiers, shifts and
// co-issued pairs. Rules: "ps_1_x Instructions" and "Registers" of the Direct3D 9 "asm shader reference".
#include "renderer/shader/test/oracle/cases.h"

namespace aerogpu::shader::oracle {
namespace {

class Generator1 {
public:
  Generator1(Dice& dice, uint32_t minor) : m_dice(dice), m_minor(minor) {}

  std::string run() {
    m_out = "ps_1_" + std::to_string(m_minor) + "\n";
    for (const char* c : {"c1", "c6"})
      if (m_dice.chance(50)) {
        m_out += std::string("def ") + c;
        for (int i = 0; i < 4; ++i) m_out += ", " + std::to_string(m_dice.number() / 8);
        m_out += "\n";
      }
    if (m_minor < 4) {
      textures();
      m_temps = 2;
    } else {
      for (int i = 0; i < 3; ++i) load(i, "t" + number(4), false);
      if (m_dice.chance(70)) {
        m_temps = 3;
        arithmetic(2 + m_dice.below(4), false);
        if (m_dice.chance(40)) line("bem r" + number(3) + ".rg, " + source4() + ", " + source4());
        line("phase");
        for (int i = 3; i < 5; ++i) load(i, m_dice.chance(50) ? "t" + number(4) : "r" + number(3), true);
        m_temps = 5;
        for (int i = 0; i < 3; ++i)
          line("mov r" + std::to_string(i) + ".a, " + (m_dice.chance(50) ? "v0" : "c" + number(8)));
      }
      m_temps = 3;
    }
    if (m_minor < 4) {
      line("mov r0, " + plain());
      line("mov r1, " + plain());
    }
    arithmetic(3 + m_dice.below(6), true);
    return std::move(m_out);
  }

private:
  void line(const std::string& s) { m_out += s + "\n"; }
  std::string number(uint32_t n) { return std::to_string(m_dice.below(n)); }

  /// Writes texture instructions: t0 is a plain texture or coordinate; later textures may depend on it.
  void textures() {
    line(m_dice.chance(60) ? "texcoord t0" : "tex t0");
    const std::string bx2 = m_dice.chance(30) ? "_bx2" : "", any = m_minor >= 2 ? bx2 : "";
    if (m_dice.chance(25)) {
      line("tex t1");
      line((m_dice.chance(50) ? "texbem t2, t" : "texbeml t2, t") + number(2));
      line((m_dice.chance(50) ? "texbem t3, t" : "texbeml t3, t") + number(3));
      return;
    }
    switch (m_dice.below(m_minor >= 2 ? 10 : 7)) {
      case 0:
        line("texm3x2pad t1, t0" + bx2);
        line("texm3x2tex t2, t0" + bx2);
        line("texcoord t3");
        return;
      case 1:
        line("texm3x3pad t1, t0" + bx2);
        line("texm3x3pad t2, t0" + bx2);
        line("texm3x3tex t3, t0" + bx2);
        m_pads = true;
        return;
      case 2:
        line("texm3x3pad t1, t0" + bx2);
        line("texm3x3pad t2, t0" + bx2);
        line(m_dice.chance(50) ? "texm3x3spec t3, t0" + bx2 + ", c2" : "texm3x3vspec t3, t0" + bx2);
        m_pads = true;
        return;
      case 3:
        line("texreg2ar t1, t0");
        line("texreg2gb t2, t0");
        line("tex t3");
        return;
      case 7:
        line("texm3x3pad t1, t0" + any);
        line("texm3x3pad t2, t0" + any);
        line("texm3x3 t3, t0" + any);
        m_pads = true;
        return;
      case 8:
        line("texdp3 t1, t0" + any);
        line("texdp3tex t2, t0" + any);
        line("texreg2rgb t3, t0");
        return;
      default:
        for (const char* t : {"t1", "t2", "t3"})
          line((m_dice.chance(50) ? "tex " : "texcoord ") + std::string(t));
        if (m_dice.chance(20)) line("texkill t" + number(4));
    }
  }

  /// Writes a load of a texture or a coordinate in ps_1_4.
  void load(int target, const std::string& from, bool second) {
    const std::string r = "r" + std::to_string(target);
    if (from[0] == 'r')
      line("texld " + r + ", " + from + (m_dice.chance(30) ? "_dz" : ""));
    else if (m_dice.chance(25))
      line("texcrd " + r + ".rg, " + from + "_dw.xyw");
    else if (m_dice.chance(40))
      line("texcrd " + r + ".rgb, " + from);
    else
      line("texld " + r + ", " + from);
    if (second && m_dice.chance(20)) line("texkill " + r);
    if (m_dice.chance(second ? 0 : 15)) line("texkill " + from);
  }

  /// Returns a register without modifiers.
  std::string plain() {
    for (;;) switch (m_dice.below(6)) {
        case 0:
          return "c" + number(8);
        case 1:
          if (m_colors) return "v" + number(2);
          break;
        case 2:
        case 3:
          if (m_minor < 4) return m_pads ? (m_dice.chance(50) ? "t0" : "t3") : "t" + number(4);
          break;
        default:
          if (m_readable) return "r" + number(m_temps);
          break;
      }
  }

  std::string source(bool alpha) {
    const std::string reg = plain();
    static constexpr const char* kBefore[] = {"", "", "-", "1-", "", "-", "", "-"};
    static constexpr const char* kAfter[] = {"", "", "", "", "_bias", "_bias", "_bx2", "_bx2"};
    std::string before, after;
    if (reg[0] != 'c') {
      const uint32_t modifier = m_dice.below(m_minor == 4 ? 10 : 8);
      before = modifier < 8 ? kBefore[modifier] : modifier == 8 ? "" : "-";
      after = modifier < 8 ? kAfter[modifier] : "_x2";
    }
    static constexpr const char* kSelectors4[] = {"", "", ".r", ".g", ".b", ".a"};
    std::string selector = m_minor == 4 ? m_dice.of(kSelectors4) : m_dice.chance(25) ? ".a" : "";
    if (selector.empty() && alpha && m_dice.chance(50)) selector = ".b";
    return before + reg + after + selector;
  }

  /// Returns a source of bem: r# or c#.
  std::string source4() { return (m_dice.chance(70) ? "r" : "c") + number(3); }

  std::string modifiers() {
    static constexpr const char* kOld[] = {"", "", "", "_x2", "_x4", "_d2"};
    static constexpr const char* kNew[] = {"", "", "_x2", "_x4", "_x8", "_d2", "_d4", "_d8"};
    return (m_minor == 4 ? m_dice.of(kNew) : m_dice.of(kOld)) + std::string(m_dice.chance(30) ? "_sat" : "");
  }

  void instruction(const std::string& mask, const char* prefix) {
    static constexpr struct {
      const char* name;
      uint32_t sources, minor;
    } kOps[] = {{"mov", 1, 1}, {"add", 2, 1}, {"sub", 2, 1}, {"mul", 2, 1}, {"mad", 3, 1},
                {"lrp", 3, 1}, {"dp3", 2, 1}, {"dp4", 2, 2}, {"cmp", 3, 2}, {"cnd", 3, 1}};
    const auto& op = m_dice.of(kOps);
    const std::string name = op.name;
    const bool alpha = mask == ".a";
    // A pair has one vector and one scalar pipe: so no dot products.
    if (op.minor > m_minor || ((*prefix || !mask.empty()) && name[0] == 'd'))
      return instruction(mask, prefix);
    const uint32_t target = m_dice.below(m_temps);
    std::string s = prefix + name + modifiers() + " r" + std::to_string(target) + mask;
    for (uint32_t i = 0; i < op.sources; ++i) {
      std::string read = source(alpha);
      if (name == "cnd" && i == 0 && m_minor < 4) read = "r0.a";
      s += ", " + read;
    }
    line(s);
  }

  void arithmetic(uint32_t count, bool colors) {
    m_colors = colors;
    m_readable = true;
    for (uint32_t i = 0; i < count; ++i) {
      if (m_dice.chance(30)) {
        instruction(".rgb", "");
        instruction(".a", "+");
      } else if (m_dice.chance(30)) {
        static constexpr const char* kMasks[] = {".rgb", ".a", ".rgba"};
        static constexpr const char* kMasks4[] = {".r", ".g", ".rb", ".ga", ".a"};
        instruction(m_minor == 4 ? m_dice.of(kMasks4) : m_dice.of(kMasks), "");
      } else {
        instruction("", "");
      }
    }
    // The result.
    if (colors) line("mov" + std::string(m_dice.chance(30) ? "_sat" : "") + " r0, r" + number(m_temps));
  }

  Dice& m_dice;
  uint32_t m_minor;
  std::string m_out;
  uint32_t m_temps = 2;
  bool m_colors = true, m_readable = false, m_pads = false;
};

}  // namespace

std::string pixelShader1(Dice& dice, uint32_t minor) {
  return Generator1(dice, minor).run();
}

}  // namespace aerogpu::shader::oracle
