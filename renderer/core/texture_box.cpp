// SPDX-License-Identifier: MIT
#include "renderer/core/texture_box.h"

#include "renderer/core/format.h"

namespace aerogpu::core {

Result<void> checkBox(const Texture& texture, Subresource sub, const Box& box, const char* slice) {
  const TextureDesc& desc = texture.desc;
  if (sub.mip >= desc.mipLevels || sub.layer >= desc.arrayLayers)
    return refused(ErrorCode::OutOfBounds, "no such mip or layer",
                   {{"mip_level", sub.mip},
                    {"of", desc.mipLevels},
                    {"array_layer", sub.layer},
                    {"of", desc.arrayLayers}});
  const TextureLayout::Mip& mip = texture.layout.mip(sub.mip);
  const uint64_t right = uint64_t{box.x} + box.width, bottom = uint64_t{box.y} + box.height;
  if (right > mip.width)
    return refused(ErrorCode::OutOfBounds, "box reaches outside",
                   {{"x", box.x}, {"width", box.width}, {"limit", mip.width}});
  if (bottom > mip.height)
    return refused(ErrorCode::OutOfBounds, "box reaches outside",
                   {{"y", box.y}, {"height", box.height}, {"limit", mip.height}});
  if (uint64_t{box.z} + box.depth > mip.depth)
    return refused(ErrorCode::OutOfBounds, "box reaches outside",
                   {{slice, box.z}, {"depth", box.depth}, {"limit", mip.depth}});
  const uint32_t block = findFormat(desc.format)->blockPixels, inBlock = block - 1;  // a power of two
  if (((box.x | box.y) & inBlock) || ((box.width & inBlock) && right != mip.width) ||
      ((box.height & inBlock) && bottom != mip.height))
    return refused(
        ErrorCode::CmdDecode, "box cuts through a block",
        {{"x", box.x}, {"y", box.y}, {"width", box.width}, {"height", box.height}, {"block", block}});
  return {};
}

Result<BoxMemory> boxMemory(const Texture& texture, const Box& box, const AllocTable::Entry& entry,
                            uint64_t offset, uint64_t rowPitch, uint64_t slicePitch) {
  const BoxRows part(*findFormat(texture.desc.format), box);
  BoxMemory m{offset, rowPitch, slicePitch, part.rowBytes, part.perSlice, box.depth};
  if (m.rows > 1 && rowPitch < m.rowBytes)
    return refused(ErrorCode::CmdDecode, "row pitch is shorter than a row",
                   {{"row pitch", rowPitch}, {"limit", m.rowBytes}});
  if (m.rows == 1) m.rowPitch = m.rowBytes;
  const uint64_t slice = (m.rows - 1) * m.rowPitch + m.rowBytes;  // at most 2^14 times 2^32
  if (m.slices > 1 && slicePitch < slice)
    return refused(ErrorCode::CmdDecode, "slice pitch is shorter than a slice",
                   {{"slice pitch", slicePitch}, {"limit", slice}});
  if (m.slices == 1) m.slicePitch = slice;
  // Compares each part with what is left of the allocation, so that no sum or product wraps.
  const uint64_t steps = m.slices - 1;
  if ((steps != 0 && m.slicePitch > entry.size / steps) || offset > entry.size ||
      steps * m.slicePitch > entry.size - offset || slice > entry.size - offset - steps * m.slicePitch)
    return refused(ErrorCode::OutOfBounds, "box reaches past its allocation",
                   {{"offset_bytes", offset},
                    {"row pitch", rowPitch},
                    {"slice pitch", slicePitch},
                    {"limit", entry.size}});
  return m;
}

}  // namespace aerogpu::core
