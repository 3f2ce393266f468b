// SPDX-License-Identifier: MIT
// The layout of a texture's bytes in its backing and in uploads: all mips of layer 0, then of layer 1,
// without padding; mip 0 rows are `rowPitch` apart, smaller mips are tight (docs/abi/allocation-table.md).
// All slices of a volume's mip follow one another, each its rows times the mip's pitch, before the next mip
// begins. Several samples a texel have no layout: the bytes are those of one sample.
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

  /// `rowPitch` 0 = tight. Fails if the pitch is too small or the size passes 2^40 bytes. The descriptor's
  /// counts were checked.
  static Result<TextureLayout> make(const TextureDesc& desc, uint32_t rowPitch);

  struct Mip {
    uint32_t width, height, depth;  ///< texels
    uint32_t columns, rows;         ///< blocks, of one slice
    uint64_t pitch, rowBytes;       ///< bytes
    uint64_t slicePitch;            ///< bytes: `rows` times `pitch`
    uint64_t offset, size;          ///< bytes, within a layer
  };
  /// Computes the mip at each call, so that layouts, of which every texture has one, are small.
  Mip mip(uint32_t level) const {
    Mip m;
    m.width = std::max(m_width >> level, 1u);
    m.height = std::max(m_height >> level, 1u);
    m.depth = std::max(m_depth >> level, 1u);
    m.columns = ((m.width - 1) >> m_blockShift) + 1;
    m.rows = ((m.height - 1) >> m_blockShift) + 1;
    m.rowBytes = uint64_t{m.columns} * m_blockBytes;
    m.pitch = level == 0 && m_rowPitch != 0 ? m_rowPitch : m.rowBytes;
    m.slicePitch = m.pitch * m.rows;
    m.offset = m_offsets[level];
    m.size = m.slicePitch * m.depth;
    return m;
  }
  uint64_t offsetOf(Subresource sub) const { return sub.layer * m_layerBytes + m_offsets[sub.mip]; }
  uint64_t totalBytes() const { return m_layerBytes * m_layers; }

  /// Returns the bytes of `box`'s first block from the start of the subresource.
  uint64_t boxOffset(uint32_t level, const Box& box) const {
    const Mip m = mip(level);
    return box.z * m.slicePitch + uint64_t{box.y >> m_blockShift} * m.pitch +
           uint64_t{box.x >> m_blockShift} * m_blockBytes;
  }

  /// Calls `visit(Subresource, Box, offset)` for block-aligned boxes that together hold every texel of bytes
  /// [offset, offset + size), rounded out to whole blocks; `offset` is the place of the box's first byte in
  /// the layout. A box of several slices holds them whole, so that the rows of all slices are mip().pitch
  /// apart. Stops at the first error. The range lies inside the layout.
  template <class Visit>
  Result<void> forEachBox(uint64_t offset, uint64_t size, Visit visit) const;

private:
  std::array<uint64_t, kMaxMips> m_offsets{};  ///< of the mips, bytes within a layer
  uint32_t m_width = 1, m_height = 1, m_depth = 1, m_rowPitch = 0;
  uint32_t m_mipCount = 0, m_layers = 0;
  uint32_t m_blockPixels = 1, m_blockShift = 0, m_blockBytes = 4;  ///< a side, its logarithm
  uint64_t m_layerBytes = 0;
};

/// True if the scanout and frames can be made of such a texture.
inline bool canBeShown(const TextureDesc& desc) {
  return desc.kind != TextureKind::Volume && desc.samples == 1 && scanoutFormat(*findFormat(desc.format));
}

/// True if a scanout of palette indices, and its frames, can be made of such a texture (PAL-4).
inline bool holdsIndices(const TextureDesc& desc) {
  return desc.kind != TextureKind::Volume && desc.samples == 1 && desc.format == AEROGPU_FORMAT_D3D9_L8;
}

/// The rows of blocks of a box, over all its slices, and the bytes of a row.
struct BoxRows {
  BoxRows(const FormatInfo& format, const Box& box)
      : rowBytes(uint64_t{format.blocks(box.width)} * format.blockBytes),
        perSlice(format.blocks(box.height)),
        rows(uint64_t{perSlice} * box.depth) {}
  uint64_t rowBytes;
  uint32_t perSlice;
  uint64_t rows;
};

template <class Visit>
Result<void> TextureLayout::forEachBox(uint64_t offset, uint64_t size, Visit visit) const {
  const uint64_t end = offset + size;
  for (uint64_t layer = offset / m_layerBytes; layer < m_layers && layer * m_layerBytes < end; ++layer) {
    for (uint32_t level = 0; level < m_mipCount; ++level) {
      const Mip m = mip(level);
      const Subresource sub{level, static_cast<uint32_t>(layer)};
      const uint64_t base = offsetOf(sub);
      if (base >= end || base + m.size <= offset) continue;
      const uint64_t from = std::max(offset, base) - base;
      const uint64_t to = std::min(end, base + m.size) - base;  // exclusive, > from
      uint32_t z = 0, slices = 1;
      const auto emit = [&](uint64_t row, uint64_t rowCount, uint64_t fromByte,
                            uint64_t toByte) -> Result<void> {
        toByte = std::min(toByte, m.rowBytes);
        if (fromByte >= toByte || rowCount == 0) return {};  // only padding
        const uint64_t firstBlock = fromByte / m_blockBytes;
        const uint64_t lastBlock = (toByte + m_blockBytes - 1) / m_blockBytes;
        Box box;
        box.x = static_cast<uint32_t>(firstBlock * m_blockPixels);
        box.y = static_cast<uint32_t>(row * m_blockPixels);
        box.z = z;
        box.width = static_cast<uint32_t>(std::min<uint64_t>(lastBlock * m_blockPixels, m.width)) - box.x;
        box.height =
            static_cast<uint32_t>(std::min<uint64_t>((row + rowCount) * m_blockPixels, m.height)) - box.y;
        box.depth = slices;
        return visit(sub, box, base + z * m.slicePitch + row * m.pitch + firstBlock * m_blockBytes);
      };
      // Visits bytes [first, last) of one slice, whose last row may end short.
      const auto slice = [&](uint64_t first, uint64_t last) -> Result<void> {
        uint64_t row = first / m.pitch;
        const uint64_t lastRow = (last - 1) / m.pitch;
        if (row == lastRow) return emit(row, 1, first % m.pitch, last - row * m.pitch);
        if (first % m.pitch != 0) {
          if (auto done = emit(row, 1, first % m.pitch, m.pitch); !done) return done;
          ++row;
        }
        const bool lastIsWhole = last - lastRow * m.pitch >= m.rowBytes;
        const uint64_t wholeEnd = lastIsWhole ? lastRow + 1 : lastRow;
        if (auto done = emit(row, wholeEnd - row, 0, m.pitch); !done) return done;
        return lastIsWhole ? Result<void>{} : emit(lastRow, 1, 0, last - lastRow * m.pitch);
      };
      for (uint64_t at = from; at < to; at = (uint64_t{z} + slices) * m.slicePitch) {
        z = static_cast<uint32_t>(at / m.slicePitch);
        slices = 1;
        const uint64_t start = z * m.slicePitch;
        if (at == start && to - start > m.slicePitch) {  // whole slices in one box
          slices = static_cast<uint32_t>((to - start) / m.slicePitch);
          if (auto done = emit(0, m.rows, 0, m.pitch); !done) return done;
          continue;
        }
        if (auto done = slice(at - start, std::min(to - start, m.slicePitch)); !done) return done;
      }
    }
  }
  return {};
}

}  // namespace aerogpu::core
