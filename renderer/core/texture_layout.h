// SPDX-License-Identifier: MIT
// Where a texture's bytes lie in its backing and in uploads: all mips of layer 0, then of layer 1, without
// padding; mip 0 rows are `rowPitch` apart, smaller mips are tight. docs/abi/allocation-table.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "renderer/base/result.h"
#include "renderer/core/format.h"
#include "renderer/core/resource_desc.h"

namespace aerogpu::core {

class TextureLayout {
public:
  static constexpr uint32_t kMaxMips = 16;

  /// `rowPitch` 0 = tight. Fails when the pitch is too small or the size passes 2^40 bytes. The descriptor's
  /// counts were checked.
  static Result<TextureLayout> make(const TextureDesc& desc, uint32_t rowPitch);

  struct Mip {
    uint32_t width, height;    ///< pixels
    uint32_t columns, rows;    ///< blocks
    uint64_t pitch, rowBytes;  ///< bytes
    uint64_t offset, size;     ///< bytes, within a layer
  };
  const Mip& mip(uint32_t level) const { return m_mips[level]; }
  uint64_t offsetOf(Subresource sub) const { return sub.layer * m_layerBytes + m_mips[sub.mip].offset; }
  uint64_t totalBytes() const { return m_layerBytes * m_layers; }

  /// Bytes of `rect`'s first block from the start of the subresource.
  uint64_t rectOffset(uint32_t level, Rect rect) const {
    return uint64_t{rect.y} / m_blockPixels * m_mips[level].pitch +
           uint64_t{rect.x} / m_blockPixels * m_blockBytes;
  }

  /// Calls `visit(Subresource, Rect, offset)` for block-aligned rectangles that together hold every texel of
  /// bytes [offset, offset + size), rounded out to whole blocks; `offset` is where the rectangle's first byte
  /// lies in the layout. Stops at the first error. The range lies inside the layout.
  template <class Visit>
  Result<void> forEachRect(uint64_t offset, uint64_t size, Visit visit) const;

private:
  std::array<Mip, kMaxMips> m_mips{};
  uint32_t m_mipCount = 0, m_layers = 0;
  uint32_t m_blockPixels = 1, m_blockBytes = 4;
  uint64_t m_layerBytes = 0;
};

template <class Visit>
Result<void> TextureLayout::forEachRect(uint64_t offset, uint64_t size, Visit visit) const {
  const uint64_t end = offset + size;
  for (uint64_t layer = offset / m_layerBytes; layer < m_layers && layer * m_layerBytes < end; ++layer) {
    for (uint32_t level = 0; level < m_mipCount; ++level) {
      const Mip& m = m_mips[level];
      const Subresource sub{level, static_cast<uint32_t>(layer)};
      const uint64_t base = offsetOf(sub);
      if (base >= end || base + m.size <= offset) continue;
      const uint64_t from = std::max(offset, base) - base;
      const uint64_t to = std::min(end, base + m.size) - base;  // exclusive, > from
      const auto emit = [&](uint64_t row, uint64_t rowCount, uint64_t fromByte,
                            uint64_t toByte) -> Result<void> {
        toByte = std::min(toByte, m.rowBytes);
        if (fromByte >= toByte || rowCount == 0) return {};  // only padding
        const uint64_t firstBlock = fromByte / m_blockBytes;
        const uint64_t lastBlock = (toByte + m_blockBytes - 1) / m_blockBytes;
        Rect rect;
        rect.x = static_cast<uint32_t>(firstBlock * m_blockPixels);
        rect.y = static_cast<uint32_t>(row * m_blockPixels);
        rect.width = static_cast<uint32_t>(std::min<uint64_t>(lastBlock * m_blockPixels, m.width)) - rect.x;
        rect.height =
            static_cast<uint32_t>(std::min<uint64_t>((row + rowCount) * m_blockPixels, m.height)) - rect.y;
        return visit(sub, rect, base + row * m.pitch + firstBlock * m_blockBytes);
      };
      uint64_t row = from / m.pitch;
      const uint64_t lastRow = (to - 1) / m.pitch;
      if (row == lastRow) {
        if (auto done = emit(row, 1, from % m.pitch, to - row * m.pitch); !done) return done;
        continue;
      }
      if (from % m.pitch != 0) {
        if (auto done = emit(row, 1, from % m.pitch, m.pitch); !done) return done;
        ++row;
      }
      const bool lastIsWhole = to - lastRow * m.pitch >= m.rowBytes;
      const uint64_t wholeEnd = lastIsWhole ? lastRow + 1 : lastRow;
      if (auto done = emit(row, wholeEnd - row, 0, m.pitch); !done) return done;
      if (!lastIsWhole)
        if (auto done = emit(lastRow, 1, 0, to - lastRow * m.pitch); !done) return done;
    }
  }
  return {};
}

}  // namespace aerogpu::core
