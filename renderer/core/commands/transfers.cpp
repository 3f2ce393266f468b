// SPDX-License-Identifier: MIT
// Bytes from guest memory and from packets to the GPU, copies on the GPU, and write-backs.
#include <memory>
#include <span>
#include <utility>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/announced.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/format.h"
#include "renderer/core/gpu_objects.h"
#include "renderer/core/guest_access.h"
#include "renderer/core/handle_table.h"
#include "renderer/core/stats.h"
#include "renderer/core/submission.h"
#include "renderer/core/texture_box.h"
#include "renderer/core/work_meter.h"
#include "renderer/core/write_clock.h"

namespace aerogpu::core {

namespace {

/// True if [a, a + size) and [b, b + size) share a byte.
bool overlaps(uint64_t a, uint64_t b, uint64_t size) {
  return a < b + size && b < a + size;
}

/// Writes bytes of the packet to [offset, offset + size) of the texture's layout, which lies inside.
Result<void> uploadTexture(Submission& s, Texture& texture, uint64_t offset, std::span<const uint8_t> bytes) {
  if (texture.desc.samples > 1)
    return refused(ErrorCode::CmdDecode, "upload to a texture of several samples",
                   {{"sample_count", texture.desc.samples}});
  const FormatInfo& format = *findFormat(texture.desc.format);
  // An upload has only its own bytes, so it must hold whole blocks where it starts or ends inside a row.
  bool whole = true;
  uint64_t covered = 0;
  const auto measure = [&](Subresource sub, const Box& box, uint64_t at) -> Result<void> {
    const uint64_t pitch = texture.layout.mip(sub.mip).pitch;
    const BoxRows part(format, box);
    if (at < offset || at + (part.rows - 1) * pitch + part.rowBytes > offset + bytes.size()) whole = false;
    covered += part.rows * part.rowBytes;
    return {};
  };
  if (auto measured = texture.layout.forEachBox(offset, bytes.size(), measure); !measured) return measured;
  if (!whole)
    return refused(
        ErrorCode::CmdDecode, "upload splits a texel block",
        {{"offset_bytes", offset}, {"size_bytes", bytes.size()}, {"bytes of a block", format.blockBytes}});
  if (auto taken = s.work.take(Work::Bytes, covered); !taken) return taken;
  s.stats.uploadBytes.add(covered);
  return texture.layout.forEachBox(offset, bytes.size(),
                                   [&](Subresource sub, const Box& box, uint64_t at) -> Result<void> {
                                     SpanSource source(bytes.subspan(at - offset));
                                     const TextureLayout::Mip& mip = texture.layout.mip(sub.mip);
                                     s.writes.note(texture);
                                     return texture.gpu->write(sub, box, {mip.pitch, mip.slicePitch}, source);
                                   });
}

}  // namespace

Result<void> runResourceDirtyRange(Submission& s, const aerogpu_cmd_resource_dirty_range& c) {
  if (Buffer* buffer = s.handles.get<Buffer>(c.resource_handle)) {
    if (c.offset_bytes > buffer->desc.sizeBytes || c.size_bytes > buffer->desc.sizeBytes - c.offset_bytes)
      return refused(ErrorCode::OutOfBounds, "dirty range reaches past the buffer",
                     {{"offset_bytes", c.offset_bytes},
                      {"size_bytes", c.size_bytes},
                      {"limit", buffer->desc.sizeBytes}});
    const auto entry = s.guest.backingEntry(buffer->backing, c.offset_bytes, c.size_bytes, false);
    if (!entry) return entry.error();
    if (c.size_bytes == 0) return {};
    if (auto taken = s.work.take(Work::Bytes, c.size_bytes); !taken) return taken;
    const ByteRows bytes{buffer->backing.offset + c.offset_bytes, c.size_bytes, c.size_bytes, 1};
    return s.guest.read(**entry, bytes, [&](ByteSource& source) {
      s.writes.note(*buffer);
      return buffer->gpu->write(c.offset_bytes, c.size_bytes, source);
    });
  }
  Texture* texture = s.handles.get<Texture>(c.resource_handle);
  if (!texture)
    return refused(ErrorCode::CmdDecode, "no such resource", {{"resource_handle", c.resource_handle}});
  const uint64_t total = texture->layout.totalBytes();
  if (c.offset_bytes > total || c.size_bytes > total - c.offset_bytes)
    return refused(ErrorCode::OutOfBounds, "dirty range reaches past the texture",
                   {{"offset_bytes", c.offset_bytes}, {"size_bytes", c.size_bytes}, {"limit", total}});
  const auto entry = s.guest.backingEntry(texture->backing, 0, total, false);
  if (!entry) return entry.error();
  if (auto taken = s.work.take(Work::Bytes, c.size_bytes); !taken) return taken;
  const FormatInfo& format = *findFormat(texture->desc.format);
  return texture->layout.forEachBox(
      c.offset_bytes, c.size_bytes, [&](Subresource sub, const Box& box, uint64_t offset) -> Result<void> {
        const TextureLayout::Mip& mip = texture->layout.mip(sub.mip);
        const BoxRows part(format, box);
        const ByteRows rows{texture->backing.offset + offset, part.rowBytes, mip.pitch, part.rows};
        return s.guest.read(**entry, rows, [&](ByteSource& source) {
          s.writes.note(*texture);
          return texture->gpu->write(sub, box, {mip.pitch, mip.slicePitch}, source);
        });
      });
}

Result<void> runUploadResource(Submission& s, const aerogpu_cmd_upload_resource& c,
                               std::span<const uint8_t> bytes) {
  if (Buffer* buffer = s.handles.get<Buffer>(c.resource_handle)) {
    if (c.offset_bytes > buffer->desc.sizeBytes || bytes.size() > buffer->desc.sizeBytes - c.offset_bytes)
      return refused(ErrorCode::OutOfBounds, "upload reaches past the buffer",
                     {{"offset_bytes", c.offset_bytes},
                      {"size_bytes", c.size_bytes},
                      {"limit", buffer->desc.sizeBytes}});
    if (bytes.empty()) return {};
    SpanSource source(bytes);
    if (auto taken = s.work.take(Work::Bytes, bytes.size()); !taken) return taken;
    s.stats.uploadBytes.add(bytes.size());
    s.writes.note(*buffer);
    return buffer->gpu->write(c.offset_bytes, bytes.size(), source);
  }
  Texture* texture = s.handles.get<Texture>(c.resource_handle);
  if (!texture)
    return refused(ErrorCode::CmdDecode, "no such resource", {{"resource_handle", c.resource_handle}});
  const uint64_t total = texture->layout.totalBytes();
  if (c.offset_bytes > total || bytes.size() > total - c.offset_bytes)
    return refused(ErrorCode::OutOfBounds, "upload reaches past the texture",
                   {{"offset_bytes", c.offset_bytes}, {"size_bytes", c.size_bytes}, {"limit", total}});
  return uploadTexture(s, *texture, c.offset_bytes, bytes);
}

Result<void> runCopyBuffer(Submission& s, const aerogpu_cmd_copy_buffer& c) {
  const auto dst = s.handles.need<Buffer>(c.dst_buffer, "no such destination buffer");
  if (!dst) return dst.error();
  const auto src = s.handles.need<Buffer>(c.src_buffer, "no such source buffer");
  if (!src) return src.error();
  if ((c.dst_offset_bytes | c.src_offset_bytes | c.size_bytes) % 4 != 0 &&
      !s.announced.has(AEROGPU_CAPS_D3D10_RESOURCES))
    return refused(ErrorCode::CmdDecode, "buffer copy is not a multiple of 4",
                   {{"dst_offset_bytes", c.dst_offset_bytes},
                    {"src_offset_bytes", c.src_offset_bytes},
                    {"size_bytes", c.size_bytes}});
  const auto inside = [&](const char* field, uint64_t offset, const Buffer& buffer) -> Result<void> {
    const uint64_t size = buffer.desc.sizeBytes;
    if (offset <= size && c.size_bytes <= size - offset) return {};
    return refused(ErrorCode::OutOfBounds, "copy reaches past a buffer",
                   {{field, offset}, {"size_bytes", c.size_bytes}, {"limit", size}});
  };
  if (auto fits = inside("dst_offset_bytes", c.dst_offset_bytes, **dst); !fits) return fits;
  if (auto fits = inside("src_offset_bytes", c.src_offset_bytes, **src); !fits) return fits;
  if (*dst == *src && overlaps(c.dst_offset_bytes, c.src_offset_bytes, c.size_bytes))
    return refused(ErrorCode::CmdDecode, "copy overlaps itself",
                   {{"dst_offset_bytes", c.dst_offset_bytes},
                    {"src_offset_bytes", c.src_offset_bytes},
                    {"size_bytes", c.size_bytes}});
  std::unique_ptr<ByteSink> sink;
  if (c.flags & AEROGPU_COPY_FLAG_WRITEBACK_DST) {
    const auto entry = s.guest.backingEntry((*dst)->backing, c.dst_offset_bytes, c.size_bytes, true);
    if (!entry) return entry.error();
    if (c.size_bytes == 0) return {};
    auto made =
        s.guest.sinkAt(**entry, {(*dst)->backing.offset + c.dst_offset_bytes, c.size_bytes, c.size_bytes, 1});
    if (!made) return made.error();
    sink = std::move(*made);
  }
  if (c.size_bytes == 0) return {};
  if (auto taken = s.work.take(Work::Bytes, sink ? c.size_bytes * 2 : c.size_bytes); !taken) return taken;
  s.writes.note(**dst);
  GpuBuffer& gpu = *(*dst)->gpu;
  if (auto copied = gpu.copyFrom(c.dst_offset_bytes, *(*src)->gpu, c.src_offset_bytes, c.size_bytes); !copied)
    return copied;
  if (!sink) return {};
  s.stats.readbackBytes.add(c.size_bytes);
  return gpu.read(c.dst_offset_bytes, c.size_bytes, std::move(sink));
}

Result<void> runCopyTexture2d(Submission& s, const aerogpu_cmd_copy_texture2d& c) {
  const auto dst = s.handles.need<Texture>(c.dst_texture, "no such destination texture");
  if (!dst) return dst.error();
  const auto src = s.handles.need<Texture>(c.src_texture, "no such source texture");
  if (!src) return src.error();
  if ((*dst)->desc.format != (*src)->desc.format &&
      !copyCompatible(*findFormat((*dst)->desc.format), *findFormat((*src)->desc.format)))
    return refused(ErrorCode::CmdDecode, "texture formats differ",
                   {{"dst_texture", c.dst_texture},
                    {"its format", uint32_t{(*dst)->desc.format}},
                    {"src_texture", c.src_texture},
                    {"its format", uint32_t{(*src)->desc.format}}});
  if ((*dst)->desc.samples != (*src)->desc.samples)
    return refused(ErrorCode::CmdDecode, "numbers of samples differ",
                   {{"dst_texture", c.dst_texture},
                    {"its samples", (*dst)->desc.samples},
                    {"src_texture", c.src_texture},
                    {"its samples", (*src)->desc.samples}});
  if (((*dst)->desc.kind == TextureKind::Texture1D) != ((*src)->desc.kind == TextureKind::Texture1D))
    return refused(ErrorCode::CmdDecode, "copy between a 1D texture and another kind",
                   {{"dst_texture", c.dst_texture}, {"src_texture", c.src_texture}});
  const Slice to((*dst)->desc, c.dst_mip_level, c.dst_array_layer);
  const Slice from((*src)->desc, c.src_mip_level, c.src_array_layer);
  const Subresource dstSub = to.sub, srcSub = from.sub;
  const Box dstBox{c.dst_x, c.dst_y, to.z, c.width, c.height};
  const Box srcBox{c.src_x, c.src_y, from.z, c.width, c.height};
  if (auto inside = checkBox(**dst, dstSub, dstBox, "array_layer"); !inside) return inside;
  if (auto inside = checkBox(**src, srcSub, srcBox, "array_layer"); !inside) return inside;
  if (c.width == 0 || c.height == 0) return {};
  if (*dst == *src && dstSub == srcSub && to.z == from.z && overlaps(c.dst_x, c.src_x, c.width) &&
      overlaps(c.dst_y, c.src_y, c.height))
    return refused(
        ErrorCode::CmdDecode, "copy overlaps itself",
        {{"dst_x", c.dst_x}, {"dst_y", c.dst_y}, {"src_x", c.src_x}, {"src_y", c.src_y}, {"width", c.width}});
  std::unique_ptr<ByteSink> sink;
  if (c.flags & AEROGPU_COPY_FLAG_WRITEBACK_DST) {
    auto made = s.guest.sinkOf(**dst, dstSub, dstBox);
    if (!made) return made.error();
    sink = std::move(*made);
  }
  const BoxRows part(*findFormat((*dst)->desc.format), dstBox);
  const uint64_t bytes = part.rowBytes * part.rows;
  if (auto taken = s.work.take(Work::Bytes, sink ? bytes * 2 : bytes); !taken) return taken;
  s.writes.note(**dst);
  GpuTexture& gpu = *(*dst)->gpu;
  if (auto copied = gpu.copyFrom(dstSub, c.dst_x, c.dst_y, to.z, *(*src)->gpu, srcSub, srcBox); !copied)
    return copied;
  if (!sink) return {};
  s.stats.readbackBytes.add(bytes);
  return gpu.read(dstSub, dstBox, std::move(sink));
}

}  // namespace aerogpu::core
