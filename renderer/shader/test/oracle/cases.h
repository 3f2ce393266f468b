// SPDX-License-Identifier: MIT
// Random shader pairs with inputs and constants, and their comparison: the GPU's results must lie in the
// ranges that the interpreter (oracle.h) computes. Tests only; one thread.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "renderer/shader/test/oracle/oracle.h"
#include "renderer/shader/test/shader_gpu.h"

namespace aerogpu::shader::oracle {

/// Vectors of a vertex besides its position: v1 to v4. The last one holds small numbers, for indices.
inline constexpr uint32_t kInputs = 4;

/// A draw: one point a pixel, or a quad whose inputs change linearly (then gradients are not zero).
struct Case {
  test::Draw draw;
  bool quad = false;
};

/// Makes case number `seed` of the endless list. The model pair and the kind follow from the seed.
Case makeCase(uint32_t seed);

struct Comparison {
  std::string mismatch;     ///< empty: all decidable results were right
  uint64_t compared = 0;    ///< components whose range was narrower than 1e-3 of their size
  uint64_t components = 0;  ///< all that shaders wrote
  uint64_t pixels = 0, gaveUp = 0;
};

/// Draws and compares.
Comparison compareCase(const Case& c);

/// Returns the case with the fewest lines of assembly that still differ.
Case shrunk(Case c);

/// Random choices that do not depend on the standard library.
class Dice {
public:
  explicit Dice(uint32_t seed) : m_rng(seed) {}
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(m_rng() % n); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <class T, size_t N>
  const T& of(const T (&list)[N]) {
    return list[below(N)];
  }
  /// Returns zeros, small fractions, whole numbers, now and then a large one.
  float number();
  test::Vec4 vector() { return {number(), number(), number(), number()}; }

private:
  std::mt19937 m_rng;
};

/// True for an instruction that only computes a register from others (instructions_test.cpp); forms_test.cpp
/// has the rest.
inline bool isPlainArithmetic(const d3d9::OpcodeInfo& info) {
  switch (info.opcode) {
    case d3d9::Opcode::MovA:
    case d3d9::Opcode::SetP:
    case d3d9::Opcode::Dsx:
    case d3d9::Opcode::Dsy:
    case d3d9::Opcode::Bem:
      return false;
    default:
      return !(info.flags & (d3d9::kFlow | d3d9::kDefinition)) && info.destinations == 1 &&
             !info.name.starts_with("tex");
  }
}

// generate_ps1.cpp
std::string pixelShader1(Dice& dice, uint32_t minor);

}  // namespace aerogpu::shader::oracle
