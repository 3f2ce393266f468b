// SPDX-License-Identifier: MIT
// Texture uploads, copies and read-backs. D24S8 words are split into the two planes that Vulkan copies
// (Vulkan 1.3, "Copying Data Between Buffers and Images": depth of D24 in the low 24 bits of a word, stencil
// in bytes).
#include <algorithm>
#include <cstring>

#include "renderer/core/texture_layout.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {
namespace {

constexpr uint64_t kChunkBytes = uint64_t{4} << 20;  // one chunk of staging memory

Error unreadableTexture() {
  return Error{ErrorCode::OutOfBounds, "guest memory of a texture cannot be read", {}};
}

/// Splits a row of D24S8 words.
void splitRow(const uint8_t* words, uint32_t pixels, bool toFloat, uint8_t* depth, uint8_t* stencil) {
  for (uint32_t x = 0; x < pixels; ++x) {
    uint32_t word;
    std::memcpy(&word, words + uint64_t{x} * 4, 4);
    stencil[x] = static_cast<uint8_t>(word >> 24);
    word &= 0xFFFFFFu;
    if (toFloat) {
      const float value = static_cast<float>(word / 16777215.0);
      std::memcpy(&word, &value, 4);
    }
    std::memcpy(depth + uint64_t{x} * 4, &word, 4);
  }
}

}  // namespace

uint32_t TextureObject::rowTexels(const uint8_t* host, uint64_t pitch) const {
  const core::FormatInfo& info = *m_format.info;
  const uint64_t align = info.depth ? std::max<uint64_t>(info.blockBytes, 4) : info.blockBytes;
  const uint64_t texels = pitch / info.blockBytes * info.blockPixels;
  if (info.stencil || m_format.conversion != Conversion::None ||
      reinterpret_cast<uintptr_t>(host) % align != 0 || pitch % info.blockBytes != 0 || texels > INT32_MAX)
    return 0;
  return static_cast<uint32_t>(texels);
}

Result<bool> TextureObject::writeInPlace(core::Subresource sub, const core::Box& box, core::Pitches pitches,
                                         core::ByteSource& source, core::UpdatePromise promise) {
  const core::FormatInfo& info = *m_format.info;
  auto lent = source.lend();
  const uint32_t rowLength = lent ? rowTexels(lent->first(), pitches.row) : 0;
  if (rowLength == 0) return false;
  auto import = m_gpu.imports->import(std::move(lent));
  if (!import) return false;
  if (auto opened = m_gpu.recorder->open(); !opened) return opened.error();
  if (isAll(box)) m_undefined = false;  // every byte will be written
  if (auto defined = ensureDefined(); !defined) return defined.error();
  VkBufferImageCopy2 region{VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2};
  region.bufferOffset = import->offset();
  region.bufferRowLength = rowLength;
  region.imageSubresource = layersOf(info.depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, sub);
  region.imageOffset = offsetOf(box);
  region.imageExtent = extentOf(box);
  copy(updateCommands(promise, sub, box), import->buffer(), {&region, 1});
  m_gpu.recorder->keep(std::move(import));
  return true;
}

Result<void> TextureObject::update(core::Subresource sub, const core::Box& box, core::Pitches pitches,
                                   core::ByteSource& source, core::UpdatePromise promise) {
  const core::FormatInfo& info = *m_format.info;
  const core::BoxRows part(info, box);
  const bool even = box.depth == 1 || pitches.slice == part.perSlice * pitches.row;
  const uint64_t span = (box.depth - 1) * pitches.slice + (part.perSlice - 1) * pitches.row + part.rowBytes;
  if (even && m_gpu.imports->wants(part.rowBytes * part.rows, span))
    if (auto written = writeInPlace(sub, box, pitches, source, promise); !written || *written)
      return written ? Result<void>{} : written.error();
  if (imageRowBytes(box) * part.rows <= kChunkBytes)
    return writePiece(sub, box, part, 0, pitches, source, isAll(box), promise);
  // Pieces of staging memory: several whole slices, or rows of one.
  const uint64_t piece = std::max<uint64_t>(1, kChunkBytes / imageRowBytes(box));  // rows
  const auto rows = static_cast<uint32_t>(std::min<uint64_t>(part.perSlice, piece));
  const auto slices =
      static_cast<uint32_t>(std::clamp<uint64_t>(rows < part.perSlice ? 1 : piece / rows, 1, box.depth));
  for (uint32_t z = 0; z < box.depth; z += slices) {
    for (uint32_t y = 0; y < part.perSlice; y += rows) {
      core::Box now = box;
      now.z = box.z + z;
      now.depth = std::min(slices, box.depth - z);
      now.y = box.y + y * info.blockPixels;
      now.height = std::min(rows * info.blockPixels, box.height - y * info.blockPixels);
      if (auto written = writePiece(sub, now, core::BoxRows(info, now), z * pitches.slice + y * pitches.row,
                                    pitches, source, false, promise);
          !written)
        return written;
    }
  }
  return {};
}

Result<void> TextureObject::writePiece(core::Subresource sub, const core::Box& box, const core::BoxRows& part,
                                       uint64_t from, core::Pitches pitches, core::ByteSource& source,
                                       bool whole, core::UpdatePromise promise) {
  Recorder& recorder = *m_gpu.recorder;
  const core::FormatInfo& info = *m_format.info;
  if (auto opened = recorder.open(); !opened) return opened;
  const uint64_t depthBytes = imageRowBytes(box) * part.rows;
  auto staged = recorder.stage(depthBytes + (info.stencil ? depthBytes / 4 : 0));
  if (!staged) return staged.error();
  uint8_t* out = staged->mapped();
  if (info.stencil) {
    const bool toFloat = m_format.linear == VK_FORMAT_D32_SFLOAT_S8_UINT;
    std::vector<uint8_t> row(part.rowBytes);
    for (uint32_t y = 0; y < part.rows; ++y) {
      if (!source.read(from + uint64_t{y} * pitches.row, row.data(), part.rowBytes))
        return unreadableTexture();
      splitRow(row.data(), box.width, toFloat, out + y * part.rowBytes,
               out + depthBytes + y * (part.rowBytes / 4));
    }
  } else if (m_format.conversion != Conversion::None) {
    std::vector<uint8_t> row(part.rowBytes);
    for (uint32_t z = 0; z < box.depth; ++z, from += pitches.slice)
      for (uint32_t y = 0; y < part.perSlice; ++y, out += imageRowBytes(box)) {
        if (!source.read(from + uint64_t{y} * pitches.row, row.data(), part.rowBytes))
          return unreadableTexture();
        toImage(m_format.conversion, row.data(), box.width, out);
      }
  } else {
    for (uint32_t z = 0; z < box.depth; ++z, from += pitches.slice) {
      if (pitches.row == part.rowBytes || part.perSlice == 1) {
        const uint64_t bytes = part.rowBytes * part.perSlice;
        if (!source.read(from, out, bytes)) return unreadableTexture();
        out += bytes;
        continue;
      }
      for (uint32_t y = 0; y < part.perSlice; ++y, out += part.rowBytes)
        if (!source.read(from + uint64_t{y} * pitches.row, out, part.rowBytes)) return unreadableTexture();
    }
  }
  if (m_undefined && whole) m_undefined = false;  // every byte will be written
  if (auto defined = ensureDefined(); !defined) return defined;

  std::array<VkBufferImageCopy2, 2> planes;
  planes[0] = {VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
               nullptr,
               staged->offset,
               0,
               0,
               layersOf(info.depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, sub),
               offsetOf(box),
               extentOf(box)};
  if (info.stencil) {
    planes[1] = planes[0];
    planes[1].bufferOffset += depthBytes;
    planes[1].imageSubresource.aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT;
  }
  const size_t count = info.stencil ? 2 : 1;
  const UpdateCommands to = updateCommands(promise, sub, box);
  if (!to.early) {
    copy(to, staged->buffer(), {planes.data(), count});
    return {};
  }
  // Programs update an image box by box: records one command for many boxes.
  EarlyUpdates& updates = *m_earlyUpdates;
  if (updates.from != staged->buffer()) recordCopies();
  updates.from = staged->buffer();
  for (size_t i = 0; i < count; ++i) updates.copies.push_back(planes[i]);
  return {};
}

Result<void> TextureObject::readPlanes(core::Subresource sub, const core::Box& box, const Target& target) {
  return readAspect(m_format.info->depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, sub, box,
                    target);
}

Result<void> TextureObject::readAspect(VkImageAspectFlags aspect, core::Subresource sub, const core::Box& box,
                                       const Target& target) {
  if (auto defined = ensureDefined(); !defined) return defined;
  VkBufferImageCopy2 regions[2] = {{VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2},
                                   {VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2}};
  regions[0].bufferOffset = target.offset;
  regions[0].bufferRowLength = target.rowLength;
  regions[0].imageSubresource = layersOf(aspect, sub);
  regions[0].imageOffset = offsetOf(box);
  regions[0].imageExtent = extentOf(box);
  regions[1] = regions[0];
  regions[1].bufferOffset = target.stencilOffset;
  regions[1].imageSubresource.aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT;
  prepare(m_mixedUse ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
          VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_READ_BIT);
  VkCopyImageToBufferInfo2 copy{VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2};
  copy.srcImage = m_image;
  copy.srcImageLayout = m_layout;
  copy.dstBuffer = target.buffer;
  copy.regionCount = target.stencilOffset ? 2 : 1;
  copy.pRegions = regions;
  m_gpu.device->vk().CmdCopyImageToBuffer2(m_gpu.recorder->outsidePass(), &copy);
  m_gpu.recorder->hostReads();
  return {};
}

Result<bool> TextureObject::readInPlace(core::Subresource sub, const core::Box& box,
                                        const Readback& readback) {
  const uint64_t bytes = readback.rowBytes * readback.rows;
  if (!m_gpu.recorder->endsSoon() || !m_gpu.imports->wants(bytes, bytes)) return false;
  uint64_t pitch = 0;
  auto lent = readback.sink->lend(pitch);
  const uint32_t rowLength = lent ? rowTexels(lent->first(), pitch) : 0;
  if (rowLength == 0 || !m_gpu.imports->wants(bytes, lent->size())) return false;
  auto import = m_gpu.imports->import(std::move(lent));
  if (!import) return false;
  m_gpu.recorder->orderHostCopies();
  if (auto copied = readPlanes(sub, box, {import->buffer(), import->offset(), rowLength, 0}); !copied)
    return copied.error();
  m_gpu.recorder->keepTarget(std::move(import));
  return true;
}

Result<void> TextureObject::read(core::Subresource sub, const core::Box& box,
                                 std::unique_ptr<core::ByteSink> sink) {
  Recorder& recorder = *m_gpu.recorder;
  if (auto opened = recorder.openToRead(); !opened) return opened;
  const core::FormatInfo& info = *m_format.info;
  const core::BoxRows part(info, box);
  Readback readback;
  readback.sink = std::move(sink);
  readback.rowBytes = part.rowBytes;
  readback.pitch = imageRowBytes(box);
  readback.rows = part.rows;
  readback.conversion = m_format.conversion;
  const uint64_t bytes = readback.pitch * readback.rows;
  if (auto read = readInPlace(sub, box, readback); !read || *read)
    return read ? Result<void>{} : read.error();
  auto staged = recorder.stageReadback(bytes + (info.stencil ? bytes / 4 : 0));
  if (!staged) return staged.error();
  const Target target{staged->buffer(), staged->offset, 0, info.stencil ? staged->offset + bytes : 0};
  if (auto copied = readPlanes(sub, box, target); !copied) return copied;
  readback.memory = *staged;
  readback.pixels = staged->mapped();
  if (info.stencil) {
    readback.stencil = staged->mapped() + bytes;
    readback.pack = m_format.linear == VK_FORMAT_D32_SFLOAT_S8_UINT ? DepthPack::FromD32 : DepthPack::FromD24;
  }
  recorder.addReadback(std::move(readback));
  return {};
}

Result<void> TextureObject::copyToHost(const MemoryRange& target, std::span<const core::Box> boxes) {
  if (auto opened = m_gpu.recorder->open(); !opened) return opened;
  if (auto defined = ensureDefined(); !defined) return defined;
  std::vector<VkBufferImageCopy2> regions;
  for (const core::Box& box : boxes) {
    VkBufferImageCopy2 region{VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2};
    region.bufferOffset = target.offset + (uint64_t{box.y} * m_desc.width + box.x) * m_format.texelBytes();
    region.bufferRowLength = m_desc.width;
    region.imageSubresource = layersOf(VK_IMAGE_ASPECT_COLOR_BIT, {});
    region.imageOffset = offsetOf(box);
    region.imageExtent = extentOf(box);
    regions.push_back(region);
  }
  prepare(m_mixedUse ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
          VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_READ_BIT);
  VkCopyImageToBufferInfo2 copy{VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2};
  copy.srcImage = m_image;
  copy.srcImageLayout = m_layout;
  copy.dstBuffer = target.buffer();
  copy.regionCount = static_cast<uint32_t>(regions.size());
  copy.pRegions = regions.data();
  m_gpu.device->vk().CmdCopyImageToBuffer2(m_gpu.recorder->outsidePass(), &copy);
  m_gpu.recorder->hostReads();
  return {};
}

Result<VkCommandBuffer> TextureObject::prepareTransfer(TextureObject& src) {
  Recorder& recorder = *m_gpu.recorder;
  if (auto opened = recorder.open(); !opened) return opened.error();
  if (auto defined = src.ensureDefined(); !defined) return defined.error();
  if (auto defined = ensureDefined(); !defined) return defined.error();
  constexpr VkPipelineStageFlags2 kStage = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  constexpr VkAccessFlags2 kRead = VK_ACCESS_2_TRANSFER_READ_BIT, kWrite = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  if (&src == this) {
    prepare(VK_IMAGE_LAYOUT_GENERAL, kStage, kRead | kWrite);
  } else {
    src.prepare(src.m_mixedUse ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, kStage,
                kRead);
    prepare(VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kStage, kWrite);
  }
  return recorder.outsidePass();
}

Result<void> TextureObject::copyFrom(core::Subresource sub, uint32_t x, uint32_t y, uint32_t z,
                                     core::GpuTexture& from, core::Subresource srcSub,
                                     const core::Box& srcBox) {
  const core::BlitBox box{{x, y, z, srcBox.width, srcBox.height, srcBox.depth}, srcBox};
  return copyRegions(sub, static_cast<TextureObject&>(from), srcSub, {&box, 1});
}

Result<void> TextureObject::resolveFrom(core::Subresource sub, core::GpuTexture& from,
                                        core::Subresource srcSub, const core::Box& box) {
  return resolveTo(sub, offsetOf(box), static_cast<TextureObject&>(from), srcSub, box);
}

Result<void> TextureObject::copyRegions(core::Subresource sub, TextureObject& src, core::Subresource srcSub,
                                        std::span<const core::BlitBox> boxes) {
  auto commands = prepareTransfer(src);
  if (!commands) return commands.error();
  std::array<VkImageCopy2, kCopiesAtOnce> regions;
  for (size_t i = 0; i < boxes.size(); ++i) {
    regions[i] = {VK_STRUCTURE_TYPE_IMAGE_COPY_2};
    regions[i].srcSubresource = layersOf(m_format.aspects(), srcSub);
    regions[i].srcOffset = offsetOf(boxes[i].from);
    regions[i].dstSubresource = layersOf(m_format.aspects(), sub);
    regions[i].dstOffset = offsetOf(boxes[i].to);
    regions[i].extent = extentOf(boxes[i].from);
  }
  VkCopyImageInfo2 copy{VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2};
  copy.srcImage = src.m_image;
  copy.srcImageLayout = src.m_layout;
  copy.dstImage = m_image;
  copy.dstImageLayout = m_layout;
  copy.regionCount = static_cast<uint32_t>(boxes.size());
  copy.pRegions = regions.data();
  m_gpu.device->vk().CmdCopyImage2(*commands, &copy);
  return {};
}

Result<void> TextureObject::resolveTo(core::Subresource sub, const VkOffset3D& to, TextureObject& src,
                                      core::Subresource srcSub, const core::Box& box) {
  auto commands = prepareTransfer(src);
  if (!commands) return commands.error();
  VkImageResolve2 region{VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2};
  region.srcSubresource = layersOf(m_format.aspects(), srcSub);
  region.srcOffset = offsetOf(box);
  region.dstSubresource = layersOf(m_format.aspects(), sub);
  region.dstOffset = to;
  region.extent = extentOf(box);
  VkResolveImageInfo2 resolve{VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2};
  resolve.srcImage = src.m_image;
  resolve.srcImageLayout = src.m_layout;
  resolve.dstImage = m_image;
  resolve.dstImageLayout = m_layout;
  resolve.regionCount = 1;
  resolve.pRegions = &region;
  m_gpu.device->vk().CmdResolveImage2(*commands, &resolve);
  return {};
}

}  // namespace aerogpu::vk
