// SPDX-License-Identifier: MIT
// Random shader pairs with inputs and constants, and their comparison: what the GPU wrote must lie in the
// ranges that the interpreter (oracle.h) computes. Tests only; one thread.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "renderer/shader/test/oracle/oracle.h"
#include "renderer/shader/test/shader_gpu.h"

namespace aerogpu::shader::oracle {

/// Vectors a vertex brings besides its position: v1 to v4. The last one holds small numbers, for indices.
inline constexpr uint32_t kInputs = 4;

/// A draw: one point a pixel, or a quad whose inputs change linearly (then gradients are not zero).
struct Case {
  test::Draw draw;
  bool quad = false;
};

/// Number `seed` of the endless list of cases. The model pair and the kind follow from the seed.
Case makeCase(uint32_t seed);

struct Comparison {
  std::string mismatch;     ///< empty: all that could be told was right
  uint64_t compared = 0;    ///< components whose range was narrower than 1e-3 of their size
  uint64_t components = 0;  ///< all that shaders wrote
  uint64_t pixels = 0, gaveUp = 0;
};

/// Draws and compares.
Comparison compareCase(const Case& c);

/// The same case with as few lines of assembly as still differ.
Case shrunk(Case c);

/// A random choice that is the same with every standard library.
class Dice {
public:
  explicit Dice(uint32_t seed) : m_rng(seed) {}
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(m_rng() % n); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <class T, size_t N>
  const T& of(const T (&list)[N]) {
    return list[below(N)];
  }
  /// Zeros, small fractions, whole numbers, now and then a large one.
  float number();
  test::Vec4 vector() { return {number(), number(), number(), number()}; }

private:
  std::mt19937 m_rng;
};

/// An instruction that computes a register of others and has nothing else to it (instructions_test.cpp); the
/// rest is in forms_test.cpp.
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
