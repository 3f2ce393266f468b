// SPDX-License-Identifier: MIT
// texture_layout.h: the layout of a texture in its memory (docs/abi/allocation-table.md ALLOC-10 to ALLOC-12, of
// volumes docs/abi/formats.md TEX-4). Any thread.
#pragma once

#include <stdint.h>

#include "guest-drivers/umd-common/base/ddi.h"

namespace aero {

constexpr uint32_t kMaxEdge = 16384;  // pixels; the caps announce how much of it the device supports
constexpr uint32_t kMaxLevels = 15;

/** Returns the pixels of a level. */
constexpr uint32_t levelSize(uint32_t size, uint32_t level) {
  return size >> level ? size >> level : 1;
}

/** Returns the levels of a full chain: one for each halving of the longest side. */
constexpr uint32_t fullChain(uint32_t width, uint32_t height, uint32_t depth) {
  uint32_t levels = 1;
  for (uint32_t longest = width | height | depth; longest > 1; longest >>= 1) levels++;
  return levels;
}

/** Left and top inclusive, right and bottom exclusive; pixels. */
struct Rect {
  uint32_t left = 0, top = 0, right = 0, bottom = 0;
  constexpr uint32_t width() const { return right - left; }
  constexpr uint32_t height() const { return bottom - top; }
  constexpr bool isEmpty() const { return left >= right || top >= bottom; }
  bool operator==(const Rect &) const = default;
};

/** A rectangle in the slices from `front` on and before `back`. */
struct Box {
  Rect rect;
  uint32_t front = 0, back = 1;
  bool isEmpty() const { return rect.isEmpty() || front >= back; }
  bool operator==(const Box &) const = default;
};

/** Returns the part of `rect` in a surface of `width` by `height`; empty if there is none. */
constexpr Rect clipped(const RECT &rect, uint32_t width, uint32_t height) {
  const auto inside = [](LONG value, uint32_t limit) {
    return value <= 0 ? 0 : static_cast<uint32_t>(value) < limit ? static_cast<uint32_t>(value) : limit;
  };
  const Rect out = {inside(rect.left, width), inside(rect.top, height), inside(rect.right, width),
                    inside(rect.bottom, height)};
  return out.isEmpty() ? Rect{} : out;
}

struct LevelLayout {
  uint32_t width = 0, height = 0;   // pixels
  uint32_t depth = 1;               // slices
  uint32_t rows = 0, rowBytes = 0;  // rows of pixels or blocks
  uint32_t pitch = 0;               // bytes from row to row
  uint64_t offset = 0;              // position in a layer
  uint64_t sliceBytes() const { return uint64_t{pitch} * rows; }
  uint64_t bytes() const { return sliceBytes() * depth; }
};

class TextureLayout {
public:
  /** Returns false if a dimension is 0 or over the limits. `format` has `block`, the edge of a block, and `blockBytes`.
   * `depth` above 0 makes a volume, which has one layer; `pitchAlign` (a power of two) is that of level 0. */
  template <class Format>
  bool set(const Format &format, uint32_t width, uint32_t height, uint32_t depth, uint32_t levels, uint32_t layers,
           uint32_t pitchAlign, uint32_t mostLayers = 6) {
    if (!width || !height || !levels || !layers || width > kMaxEdge || height > kMaxEdge || depth > kMaxEdge ||
        levels > fullChain(width, height, depth) || layers > (depth ? 1 : mostLayers))
      return false;
    m_levels = levels;
    m_layers = layers;
    m_isVolume = depth > 0;
    uint64_t offset = 0;
    for (uint32_t level = 0; level < levels; level++) {
      LevelLayout &out = m_level[level];
      out.width = levelSize(width, level);
      out.height = levelSize(height, level);
      out.depth = levelSize(depth, level);
      out.rows = (out.height + format.block - 1) / format.block;
      out.rowBytes = (out.width + format.block - 1) / format.block * format.blockBytes;
      out.pitch = level ? out.rowBytes : (out.rowBytes + pitchAlign - 1) & ~(pitchAlign - 1);
      out.offset = offset;
      offset += out.bytes();
    }
    m_layerBytes = offset;
    return true;
  }

  uint32_t levels() const { return m_levels; }
  uint32_t layers() const { return m_layers; }
  const LevelLayout &level(uint32_t level) const { return m_level[level]; }
  bool isVolume() const { return m_isVolume; }
  /** Returns the offset of a level of a layer; of a volume, that of slice `layer` of a level. */
  uint64_t offset(uint32_t level, uint32_t layer) const {
    return m_level[level].offset + layer * (m_isVolume ? m_level[level].sliceBytes() : m_layerBytes);
  }
  uint64_t bytes() const { return m_layerBytes * m_layers; }

private:
  LevelLayout m_level[kMaxLevels];
  uint32_t m_levels = 0, m_layers = 0;
  bool m_isVolume = false;
  uint64_t m_layerBytes = 0;
};

/** A rectangle of pixels as rows of bytes: where each begins, how long it is, how many there are. */
struct RowSpan {
  uint32_t firstRow, rows, firstByte, bytes;
};

/** Returns the rows of `rect`, which must lie in the level. Blocks that it cuts count as a whole. */
template <class Format> constexpr RowSpan rowsOf(const Format &format, const Rect &rect) {
  const uint32_t left = rect.left / format.block, right = (rect.right + format.block - 1) / format.block;
  const uint32_t top = rect.top / format.block, bottom = (rect.bottom + format.block - 1) / format.block;
  return {top, bottom - top, left * format.blockBytes, (right - left) * format.blockBytes};
}

}  // namespace aero
