// SPDX-License-Identifier: MIT
#include "renderer/core/texture_layout.h"

namespace aerogpu::core {

Result<TextureLayout> TextureLayout::make(const TextureDesc& desc, uint32_t rowPitch) {
  constexpr uint64_t kMaxBytes = uint64_t{1} << 40;
  const FormatInfo* format = findFormat(desc.format);
  if (!format) return Error{ErrorCode::CmdDecode, "unknown format"};
  if (desc.mipLevels > kMaxMips) return Error{ErrorCode::CmdDecode, "texture has too many mips"};
  TextureLayout layout;
  layout.m_mipCount = desc.mipLevels;
  layout.m_layers = desc.arrayLayers;
  layout.m_blockPixels = format->blockPixels;
  layout.m_blockBytes = format->blockBytes;
  for (uint32_t level = 0; level < desc.mipLevels; ++level) {
    Mip& m = layout.m_mips[level];
    m.width = std::max(desc.width >> level, 1u);
    m.height = std::max(desc.height >> level, 1u);
    m.depth = std::max(desc.depth >> level, 1u);
    m.columns = (m.width - 1) / format->blockPixels + 1;
    m.rows = (m.height - 1) / format->blockPixels + 1;
    m.rowBytes = uint64_t{m.columns} * format->blockBytes;
    m.pitch = m.rowBytes;
    if (level == 0 && rowPitch != 0) {
      if (rowPitch < m.rowBytes) return Error{ErrorCode::CmdDecode, "row pitch is shorter than a row"};
      m.pitch = rowPitch;
    }
    m.offset = layout.m_layerBytes;
    if (m.pitch > kMaxBytes / m.rows) return Error{ErrorCode::OutOfBounds, "texture is too large"};
    m.slicePitch = m.pitch * m.rows;
    if (m.slicePitch > kMaxBytes / m.depth) return Error{ErrorCode::OutOfBounds, "texture is too large"};
    m.size = m.slicePitch * m.depth;
    layout.m_layerBytes += m.size;
  }
  if (layout.m_layerBytes > kMaxBytes / desc.arrayLayers)
    return Error{ErrorCode::OutOfBounds, "texture is too large"};
  return layout;
}

}  // namespace aerogpu::core
