// SPDX-License-Identifier: MIT
// A reference interpreter of D3D9 token streams (vs_1_1 to vs_3_0, ps_1_1 to ps_3_0), written from the
// Direct3D 9 "asm shader reference" and not from the translator: the two share only the table of opcodes.
// Numbers are ranges (range.h). Tests only; one thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aerogpu/d3d9/opcodes.h"
#include "renderer/shader/d3d9_interface.h"
#include "renderer/shader/test/oracle/range.h"

namespace aerogpu::shader::oracle {

using Vector = std::array<Range, 4>;
using Flags = std::array<std::optional<bool>, 4>;  ///< nothing = undecidable

inline Vector splat(const Range& r) {
  return {r, r, r, r};
}
inline Vector anyVector() {
  return splat(Range::any());
}

struct Operand {
  d3d9::RegisterType type = d3d9::RegisterType::Temp;
  uint32_t number = 0;
  uint8_t swizzle = d3d9::kIdentitySwizzle;
  d3d9::SourceModifier modifier = d3d9::SourceModifier::None;
  uint8_t mask = 0xF, resultModifiers = 0;
  int shift = 0;
  bool relative = false, byLoop = false;  ///< indexed by aL, else by a0
  uint32_t indexComponent = 0;
};

struct Instruction {
  d3d9::Opcode opcode = d3d9::Opcode::Nop;
  uint32_t control = 0;
  bool predicated = false, coissued = false;
  bool hasDestination = false;
  Operand destination, predicate;
  std::vector<Operand> sources;
  size_t jump = 0;  ///< where the block that it opens continues, or the loop that it closes begins
};

struct Declaration {
  d3d9::RegisterType type;
  uint32_t number;
  uint8_t mask;
  d3d9::Usage usage;
  uint32_t usageIndex;
};

/// Register files with the application's values, or with those of def, defi, defb.
struct Constants {
  std::array<std::array<float, 4>, 256> f{};
  std::array<std::array<int32_t, 4>, 16> i{};
  uint32_t b = 0;
  std::array<BumpStage, 8> stages{};     ///< bump matrices and luminance, ps_1_x
  std::array<uint8_t, 4> projectedBy{};  ///< the component that divides t#, 0 = none
};

struct Code {
  d3d9::Version version;
  std::vector<Instruction> instructions;
  std::vector<Declaration> declarations;
  std::array<d3d9::SamplerType, 16> samplers{};
  std::vector<std::pair<uint32_t, std::array<float, 4>>> floats;
  std::vector<std::pair<uint32_t, std::array<int32_t, 4>>> ints;
  std::vector<std::pair<uint32_t, bool>> bools;
  std::string error;  ///< not empty: the stream cannot be read

  bool pixel() const { return version.stage == d3d9::Stage::Pixel; }
  bool pixel1() const { return pixel() && version.major == 1; }
  Constants with(const Constants& application) const;
};

/// Reads a stream that the assembler made.
Code decode(std::span<const uint32_t> tokens);

/// Returns a sample. `coordinate` is normalised, the level of detail is a range.
using Sample = Vector (*)(d3d9::SamplerType type, const Vector& coordinate, const Range& lod);
/// Returns log2 of the number of texels of the largest level that a pixel covers, from the gradients of the
/// coordinate.
using LevelOf = Range (*)(d3d9::SamplerType type, const Vector& dx, const Vector& dy);

/// One invocation. run() stops where neighbouring pixels must be compared; the owner sets the gradients and
/// calls it again.
class Lane {
public:
  enum class Stop { Done, Gradient };

  Lane(const Code& code, const Constants& constants, Sample sample, LevelOf levelOf);

  // Inputs; unset ones are unknown.
  std::array<Vector, 16> v;
  std::array<Vector, 8> t;
  Vector position = anyVector();  ///< vPos
  Range face = Range::any();      ///< vFace

  Stop run();
  /// Returns, at Stop::Gradient, the value whose gradients are needed; at() returns the place.
  const Vector& gradientSource() const { return m_gradientSource; }
  size_t at() const { return m_pc; }
  void setGradients(const Vector& dx, const Vector& dy);

  // Results. A component that was not written is unknown.
  bool gaveUp = false;  ///< a branch or an index was undecidable
  std::optional<bool> killed = false;
  std::array<Vector, 16> o;  ///< o#; before model 3: oT0.. at 0
  std::array<Vector, 2> d;
  Vector oPosition = anyVector(), oFog = anyVector(), oPointSize = anyVector();
  std::array<Vector, 4> color;
  uint32_t colorsWritten = 0;
  std::optional<Range> depth;
  const Vector& temp(size_t n) const { return m_r[n]; }

private:
  struct Loop {
    size_t begin;
    int32_t left, counter, step;
    bool countsLoop;
  };

  void giveUp() { gaveUp = true; }
  bool decided(const std::optional<bool>& b);
  Vector fetch(const Operand& s, uint32_t offset = 0);
  Vector read(const Operand& s, uint32_t offset = 0);
  Vector* writable(const Operand& d);
  int32_t index(const Operand& s);
  Flags predicateOf(const Operand& p) const;
  std::optional<bool> condition(const Operand& s);
  void write(const Instruction& in, Vector value);
  void put(const Instruction& in, const Vector& value);
  void leaveLoop();
  bool flow(const Instruction& in);
  bool needsGradient(const Instruction& in) const;
  void execute(const Instruction& in);
  Vector arithmetic(const Instruction& in);
  Vector texture(const Instruction& in);
  void pixel1(const Instruction& in);
  Vector row(const Operand& s) { return read(s); }

  const Code& m_code;
  const Constants& m_constants;
  Sample m_sample;
  LevelOf m_levelOf;
  size_t m_pc = 0;
  uint64_t m_steps = 0;
  std::array<Vector, 32> m_r;
  std::array<Vector, 8> m_tValue;  ///< ps_1_1 to 1_3: content of the t registers
  std::array<int32_t, 4> m_a{};
  Flags m_p;
  std::vector<Loop> m_loops;
  std::vector<size_t> m_calls;
  Vector m_gradientSource = anyVector(), m_dx = anyVector(), m_dy = anyVector();
  bool m_haveGradients = false;
  std::vector<std::pair<const Instruction*, Vector>> m_delayed;  ///< first half of a co-issued pair
  std::array<Range, 3> m_rows;                                   ///< dot products of texm3x* pads
  uint32_t m_rowCount = 0;
  std::array<Range, 3> m_eye;
};

/// Runs two by two pixels in lock-step: 0 is the upper left one, 1 to its right, 2 below it.
void runQuad(std::array<Lane, 4>& lanes);
/// Runs a pixel whose neighbours have equal inputs (a point).
void runAlone(Lane& lane);

/// Tests `a` against `b` as D3DSHADER_COMPARISON says.
std::optional<bool> compare(uint32_t comparison, const Range& a, const Range& b);

}  // namespace aerogpu::shader::oracle
