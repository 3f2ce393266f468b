// SPDX-License-Identifier: MIT
// Draws for the tests: a plain one, and the heaviest that are legal (docs/abi/commands.md, LIM-1 to LIM-15),
// minutes of each kind if nothing stopped them. They need a device with Vulkan.
#pragma once

#include <cstdint>

#include "tests-qtest/driver/streams.h"

namespace aerogpu::host {

/// The objects that draws of one device read: a triangle that covers the target, and a shader that writes
/// constant 0 to it.
class CoveringDraws {
public:
  /// Makes them, at the beginning of a stream.
  void make(Stream& stream);
  /// Binds them, and a target of this size.
  void bind(Stream& stream, uint32_t target, uint32_t width, uint32_t height) const;
  /// Clears the target, and covers it with a colour by a draw. 0xAARRGGBB.
  void fill(Stream& stream, uint32_t target, uint32_t width, uint32_t height, uint32_t argb) const;

private:
  uint32_t m_buffer = 0, m_vertex = 0, m_pixel = 0, m_layout = 0;
};

class HeavyWork {
public:
  enum class Kind : uint8_t {
    Samples,    ///< the longest shader, with anisotropic samples, over all of the target repeatedly
    Loops,      ///< nested loops
    Vertices,   ///< as many vertices as a slice of work has, repeatedly
    Pipelines,  ///< the longest shaders, each different
  };
  static constexpr unsigned kKinds = 4;
  static const char* nameOf(Kind kind);

  /// Makes the objects that work() uses, on one device.
  void make(Stream& stream);
  /// Appends the work; that of Pipelines makes objects, which take memory.
  void work(Stream& stream, Kind kind);

private:
  CoveringDraws m_draws;
  uint32_t m_target = 0, m_texture = 0, m_vertex = 0, m_samples = 0, m_loops = 0;
};

}  // namespace aerogpu::host
