// SPDX-License-Identifier: MIT
#include "renderer/core/texture_layout.h"

namespace aerogpu::core {

Result<TextureLayout> TextureLayout::make(const TextureDesc& desc, uint32_t rowPitch) {
  constexpr uint64_t kMaxBytes = uint64_t{1} << 40;
  const FormatInfo* format = findFormat(desc.format);
  if (!format)
    return refused(ErrorCode::CmdDecode, "unknown format", {{"format", static_cast<uint32_t>(desc.format)}});
  if (desc.mipLevels > kMaxMips)
    return refused(ErrorCode::CmdDecode, "texture has too many mips",
                   {{"mip_levels", desc.mipLevels}, {"limit", kMaxMips}});
  const auto tooLarge = [&] {
    return refused(ErrorCode::OutOfBounds, "texture is too large",
                   {{"width", desc.width},
                    {"height", desc.height},
                    {"row_pitch_bytes", rowPitch},
                    {"array_layers", desc.arrayLayers},
                    {"limit", kMaxBytes}});
  };
  TextureLayout layout;
  layout.m_mipCount = desc.mipLevels;
  layout.m_layers = desc.arrayLayers;
  layout.m_blockPixels = format->blockPixels;
  layout.m_blockBytes = format->blockBytes;
  layout.m_blockShift = format->blockShift();
  layout.m_width = desc.width;
  layout.m_height = desc.height;
  layout.m_depth = desc.depth;
  layout.m_rowPitch = rowPitch;
  for (uint32_t level = 0; level < desc.mipLevels; ++level) {
    layout.m_offsets[level] = layout.m_layerBytes;
    // The offset of a size that is too large may have wrapped; the factors that are checked have not.
    const Mip m = layout.mip(level);
    if (m.pitch < m.rowBytes)
      return refused(ErrorCode::CmdDecode, "row pitch is shorter than a row",
                     {{"row_pitch_bytes", rowPitch}, {"limit", m.rowBytes}});
    if (m.pitch > kMaxBytes / m.rows || m.slicePitch > kMaxBytes / m.depth) return tooLarge();
    layout.m_layerBytes += m.size;
  }
  if (layout.m_layerBytes > kMaxBytes / desc.arrayLayers) return tooLarge();
  return layout;
}

}  // namespace aerogpu::core
