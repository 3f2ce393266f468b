// SPDX-License-Identifier: MIT
// Boxes of a texture's subresources, few enough that a new one is held against all of them: whether it meets
// one. Their edges are signed words side by side, of which a processor compares eight or more at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "renderer/core/resource_desc.h"

namespace aerogpu::vk {

class BoxSet {
public:
  static constexpr size_t kMost = 64;

  BoxSet() { clear(); }
  bool full() const { return m_count == kMost; }
  void clear() {
    m_lo[0].fill(INT16_MAX);  // which no box lies behind
    m_count = 0;
  }
  /// The set is not full, and the box lies in its subresource.
  void add(core::Subresource sub, const core::Box& box) {
    const Edges edges(sub, box);
    for (size_t axis = 0; axis < kAxes; ++axis) {
      m_lo[axis][m_count] = edges.lo[axis];
      m_hi[axis][m_count] = edges.hi[axis];
    }
    ++m_count;
  }
  /// Whether the box, which lies in its subresource, has texels in common with one of the set.
  bool meets(core::Subresource sub, const core::Box& box) const {
    const Edges edges(sub, box);
    for (size_t begin = 0; begin < m_count; begin += kAtOnce) {
      int16_t met = 0;
      for (size_t i = begin; i < begin + kAtOnce; ++i) {
        int16_t both = -1;
        for (size_t axis = 0; axis < kAxes; ++axis) {
          both = static_cast<int16_t>(both & -(m_lo[axis][i] < edges.hi[axis]));
          both = static_cast<int16_t>(both & -(m_hi[axis][i] > edges.lo[axis]));
        }
        met = static_cast<int16_t>(met | both);
      }
      if (met) return true;
    }
    return false;
  }

private:
  static constexpr size_t kAxes = 3, kAtOnce = 16;
  static constexpr int kPlanes = 2048;  ///< most slices of a volume, and layers of what has no slices
  static_assert(kMost % kAtOnce == 0);

  struct Edges {
    Edges(core::Subresource sub, const core::Box& box)
        : lo{word(box.x), word(box.y), word(sub.mip * kPlanes + sub.layer + box.z)},
          hi{word(box.x + box.width), word(box.y + box.height),
             word(sub.mip * kPlanes + sub.layer + box.z + box.depth)} {}
    static int16_t word(uint32_t value) { return static_cast<int16_t>(value); }
    int16_t lo[kAxes], hi[kAxes];
  };

  /// Behind `m_count` boxes without texels.
  std::array<std::array<int16_t, kMost>, kAxes> m_lo{}, m_hi{};
  size_t m_count = 0;
};

}  // namespace aerogpu::vk
