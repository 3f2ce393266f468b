// SPDX-License-Identifier: MIT
// Executor: updates from and reads to any allocation of the table. UPD-1 to UPD-10.
#include "renderer/core/executor.h"

namespace aerogpu::core {

namespace {

template <class Packet>
Box boxOf(const Packet& c) {
  return {c.x, c.y, c.z, c.width, c.height, c.depth};
}

}  // namespace

Result<void> Executor::checkBox(const Texture& texture, Subresource sub, const Box& box, const char* slice) {
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

template <class Packet>
Result<void> Executor::checkTransfer(const Packet& c, const Texture& texture) {
  if (texture.desc.samples > 1)
    return refused(ErrorCode::CmdDecode, "the texture has several samples a texel",
                   {{"samples", texture.desc.samples}});
  return checkBox(texture, {c.mip_level, c.array_layer}, boxOf(c));
}

Result<Executor::BoxMemory> Executor::boxMemory(const Texture& texture, const Box& box,
                                                const AllocTable::Entry& entry, uint64_t offset,
                                                uint64_t rowPitch, uint64_t slicePitch) const {
  const BoxRows part(*findFormat(texture.desc.format), box);
  BoxMemory m{&entry, offset, rowPitch, slicePitch, part.rowBytes, part.perSlice, box.depth};
  if (m.rows > 1 && rowPitch < m.rowBytes)
    return refused(ErrorCode::CmdDecode, "row pitch is shorter than a row",
                   {{"row pitch", rowPitch}, {"limit", m.rowBytes}});
  if (m.rows == 1) m.rowPitch = m.rowBytes;
  const uint64_t slice = (m.rows - 1) * m.rowPitch + m.rowBytes;  // at most 2^14 times 2^32
  if (m.slices > 1 && slicePitch < slice)
    return refused(ErrorCode::CmdDecode, "slice pitch is shorter than a slice",
                   {{"slice pitch", slicePitch}, {"limit", slice}});
  if (m.slices == 1) m.slicePitch = slice;
  // Without a sum or a product that wraps: what is left of the allocation behind each part.
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

Result<void> Executor::run(const aerogpu_cmd_ext_update_buffer& c) {
  const auto buffer = m_space.handles().need<Buffer>(c.buffer, "no such buffer");
  if (!buffer) return buffer.error();
  const uint64_t size = (*buffer)->desc.sizeBytes;
  if (c.dst_offset_bytes > size || c.size_bytes > size - c.dst_offset_bytes)
    return refused(ErrorCode::OutOfBounds, "update reaches past the buffer",
                   {{"dst_offset_bytes", c.dst_offset_bytes}, {"size_bytes", c.size_bytes}, {"limit", size}});
  const AllocTable::Entry* entry = m_guest.find(c.src_alloc_id);
  if (!entry)
    return refused(ErrorCode::CmdDecode, "allocation is not in the submission's table",
                   {{"src_alloc_id", c.src_alloc_id}});
  if (c.src_offset_bytes > entry->size || c.size_bytes > entry->size - c.src_offset_bytes)
    return refused(
        ErrorCode::OutOfBounds, "update reaches past its allocation",
        {{"src_offset_bytes", c.src_offset_bytes}, {"size_bytes", c.size_bytes}, {"limit", entry->size}});
  if (c.size_bytes == 0) return {};
  if (auto taken = m_work.take(Work::Bytes, c.size_bytes); !taken) return taken;
  const UpdatePromise promise{(c.flags & AEROGPU_EXT_UPDATE_DISCARD) != 0,
                              (c.flags & AEROGPU_EXT_UPDATE_NO_OVERWRITE) != 0};
  return m_guest.read(*entry, {c.src_offset_bytes, c.size_bytes, c.size_bytes, 1}, [&](ByteSource& source) {
    return (*buffer)->gpu->update(c.dst_offset_bytes, c.size_bytes, source, promise);
  });
}

Result<void> Executor::run(const aerogpu_cmd_ext_update_texture& c) {
  const auto texture = m_space.handles().need<Texture>(c.texture, "no such texture");
  if (!texture) return texture.error();
  if (auto inside = checkTransfer(c, **texture); !inside) return inside;
  const AllocTable::Entry* entry = m_guest.find(c.src_alloc_id);
  if (!entry)
    return refused(ErrorCode::CmdDecode, "allocation is not in the submission's table",
                   {{"src_alloc_id", c.src_alloc_id}});
  if (c.width == 0 || c.height == 0 || c.depth == 0) return {};
  Box box = boxOf(c);
  const auto memory =
      boxMemory(**texture, box, *entry, c.src_offset_bytes, c.src_row_pitch_bytes, c.src_slice_pitch_bytes);
  if (!memory) return memory.error();
  if (auto taken = m_work.take(Work::Bytes, memory->bytes()); !taken) return taken;
  const Subresource sub{c.mip_level, c.array_layer};
  const UpdatePromise promise{(c.flags & AEROGPU_EXT_UPDATE_DISCARD) != 0,
                              (c.flags & AEROGPU_EXT_UPDATE_NO_OVERWRITE) != 0};
  const auto update = [&](const ByteRows& rows) {
    return m_guest.read(*entry, rows, [&](ByteSource& source) {
      ++(*texture)->writes;
      return (*texture)->gpu->update(sub, box, {memory->rowPitch, memory->slicePitch}, source, promise);
    });
  };
  if (memory->even()) return update(memory->all());
  box.depth = 1;
  for (uint32_t z = 0; z < c.depth; ++z, ++box.z)
    if (auto done = update(memory->slice(z)); !done) return done;
  return {};
}

Result<void> Executor::run(const aerogpu_cmd_ext_read_texture& c) {
  const auto texture = m_space.handles().need<Texture>(c.texture, "no such texture");
  if (!texture) return texture.error();
  if (auto inside = checkTransfer(c, **texture); !inside) return inside;
  const AllocTable::Entry* entry = m_guest.find(c.dst_alloc_id);
  if (!entry)
    return refused(ErrorCode::CmdDecode, "allocation is not in the submission's table",
                   {{"dst_alloc_id", c.dst_alloc_id}});
  if (entry->readOnly)
    return refused(ErrorCode::OutOfBounds, "read to a read-only allocation",
                   {{"dst_alloc_id", c.dst_alloc_id}});
  if (c.width == 0 || c.height == 0 || c.depth == 0) return {};
  Box box = boxOf(c);
  const auto memory =
      boxMemory(**texture, box, *entry, c.dst_offset_bytes, c.dst_row_pitch_bytes, c.dst_slice_pitch_bytes);
  if (!memory) return memory.error();
  if (auto taken = m_work.take(Work::Bytes, memory->bytes()); !taken) return taken;
  const Subresource sub{c.mip_level, c.array_layer};
  GpuTexture& gpu = *(*texture)->gpu;
  const auto read = [&](const ByteRows& rows) -> Result<void> {
    auto sink = m_guest.sinkAt(*entry, rows);
    if (!sink) return sink.error();
    m_env.stats.readbackBytes.add(rows.rowBytes * rows.rows);
    return gpu.read(sub, box, std::move(*sink));
  };
  if (memory->even()) return read(memory->all());
  box.depth = 1;
  for (uint32_t z = 0; z < c.depth; ++z, ++box.z)
    if (auto done = read(memory->slice(z)); !done) return done;
  return {};
}

}  // namespace aerogpu::core
