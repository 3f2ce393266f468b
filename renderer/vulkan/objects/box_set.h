// SPDX-License-Identifier: MIT
// Boxes in the subresources of a texture: tells if a new one meets one of them. Most meet none, which a
// coarse grid shows; else the new box is compared with all of them, few enough for that. Their edges are
// signed words side by side, of which a processor compares eight or more at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "renderer/core/resource_desc.h"

namespace aerogpu::vk {

class BoxSet {
public:
  static constexpr size_t kMost = 64;

  /// `side`: the texture's longest side, texels.
  explicit BoxSet(uint32_t side)
      : m_cellShift(static_cast<uint32_t>(std::bit_width((side - 1) / static_cast<uint32_t>(kCells)))) {
    clear();
  }
  bool full() const { return m_count == kMost; }
  void clear() {
    m_rows.fill(0);
    m_lo[0].fill(INT16_MAX);  // no box lies after it
    m_count = 0;
  }
  /// Adds the box. False, without a change, if the box has texels in common with one of the set. The set is
  /// not full, and the box lies in its subresource.
  bool add(core::Subresource sub, const core::Box& box) {
    const Edges edges(sub, box);
    const Cells cells(*this, sub, box);
    uint64_t taken = 0;
    for (uint32_t i = 0; i < cells.rowCount; ++i) taken |= m_rows[(cells.firstRow + i) % kCells];
    if ((taken & cells.columns) && meets(edges)) return false;
    for (uint32_t i = 0; i < cells.rowCount; ++i) m_rows[(cells.firstRow + i) % kCells] |= cells.columns;
    for (size_t axis = 0; axis < kAxes; ++axis) {
      m_lo[axis][m_count] = edges.lo[axis];
      m_hi[axis][m_count] = edges.hi[axis];
    }
    ++m_count;
    return true;
  }

private:
  static constexpr size_t kAxes = 3, kAtOnce = 16, kCells = 64;
  static constexpr int kPlanes = 2048;  ///< most slices of a volume, and layers of other textures
  static_assert(kMost % kAtOnce == 0);

  struct Edges {
    Edges(core::Subresource sub, const core::Box& box)
        : lo{word(box.x), word(box.y), word(sub.mip * kPlanes + sub.layer + box.z)},
          hi{word(box.x + box.width), word(box.y + box.height),
             word(sub.mip * kPlanes + sub.layer + box.z + box.depth)} {}
    static int16_t word(uint32_t value) { return static_cast<int16_t>(value); }
    int16_t lo[kAxes], hi[kAxes];
  };
  /// The part of the grid that a box covers. Planes share it, each from another row on.
  struct Cells {
    Cells(const BoxSet& set, core::Subresource sub, const core::Box& box) {
      const uint32_t shift = set.m_cellShift;
      const uint32_t left = box.x >> shift, right = (box.x + box.width - 1) >> shift;
      columns = ~uint64_t{0} >> (kCells - 1 - (right - left)) << left;
      const uint32_t top = box.y >> shift;
      firstRow = top + (sub.mip * kPlanes + sub.layer + box.z) * 7;
      rowCount = box.depth > 1 ? kCells : ((box.y + box.height - 1) >> shift) - top + 1;
    }
    uint64_t columns;
    uint32_t firstRow, rowCount;
  };
  /// Compares the edges with each box.
  bool meets(const Edges& edges) const {
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

  uint32_t m_cellShift;  ///< the logarithm of a cell's side, texels
  size_t m_count = 0;
  std::array<uint64_t, kCells> m_rows;  ///< of cells: a bit for each that a box may have texels in
  /// After the first `m_count`, boxes without texels.
  std::array<std::array<int16_t, kMost>, kAxes> m_lo{}, m_hi{};
};

}  // namespace aerogpu::vk
