// SPDX-License-Identifier: MIT
// Random states, vertices and pixels of the fixed function; a seed gives the same ones on every machine.
// Tests only.
#pragma once

#include <cstdint>
#include <random>

#include "renderer/shader/test/fixed/reference.h"

namespace aerogpu::shader::fixed {

class RandomState {
public:
  explicit RandomState(uint32_t seed) : m_rng(seed) {}

  /// Returns random values of everything that transformation, lighting and coordinates read.
  State vertexState();
  Vertex vertex(const State& state);
  /// Returns random values of everything that the texture stages read. `hard`: eight stages, nearly all with
  /// every argument modified.
  State pixelState(bool hard);
  PixelInputs pixel();

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(m_rng() % n); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  /// Returns a number from `low` to `high`, a multiple of a 4096th of the distance.
  float number(double low, double high) {
    return static_cast<float>(low + (high - low) * below(4097) / 4096.0);
  }

private:
  FloatMatrix affine(double scaleLow, double scaleHigh, double far);
  void declaration(State& s);
  void light(State& s);
  uint32_t color() { return static_cast<uint32_t>(m_rng()); }
  void coordinates(State& s, uint32_t stage);

  std::mt19937 m_rng;
};

}  // namespace aerogpu::shader::fixed
