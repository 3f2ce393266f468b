// SPDX-License-Identifier: MIT
// Updates from and reads to any allocation of the table. UPD-1 to UPD-10, UPD-14.
#include <utility>

#include "renderer/core/commands/commands.h"
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

template <class Packet>
Box boxOf(const Packet& c) {
  return {c.x, c.y, c.z, c.width, c.height, c.depth};
}

/// Checks texture and box of EXT_UPDATE_TEXTURE or EXT_READ_TEXTURE.
template <class Packet>
Result<void> checkTransfer(const Packet& c, const Texture& texture) {
  if (texture.desc.samples > 1)
    return refused(ErrorCode::CmdDecode, "the texture has several samples a texel",
                   {{"samples", texture.desc.samples}});
  return checkBox(texture, {c.mip_level, c.array_layer}, boxOf(c));
}

/// Finds the allocation that `field` of a packet names.
Result<const AllocTable::Entry*> needEntry(const Submission& s, const char* field, uint32_t allocId) {
  if (const AllocTable::Entry* entry = s.guest.find(allocId)) return entry;
  return refused(ErrorCode::CmdDecode, "allocation is not in the submission's table", {{field, allocId}});
}

/// Moves a box at once, or by slices where these are not as far apart as rows. `move`: Result<void>(Box,
/// ByteRows).
template <class Move>
Result<void> moveBox(Box box, const BoxMemory& memory, const Move& move) {
  if (memory.even()) return move(box, memory.all());
  box.depth = 1;
  for (uint32_t z = 0; z < memory.slices; ++z, ++box.z)
    if (auto done = move(box, memory.slice(z)); !done) return done;
  return {};
}

}  // namespace

Result<void> runExtUpdateBuffer(Submission& s, const aerogpu_cmd_ext_update_buffer& c) {
  const auto buffer = s.handles.need<Buffer>(c.buffer, "no such buffer");
  if (!buffer) return buffer.error();
  const uint64_t size = (*buffer)->desc.sizeBytes;
  if (c.dst_offset_bytes > size || c.size_bytes > size - c.dst_offset_bytes)
    return refused(ErrorCode::OutOfBounds, "update reaches past the buffer",
                   {{"dst_offset_bytes", c.dst_offset_bytes}, {"size_bytes", c.size_bytes}, {"limit", size}});
  const auto entry = needEntry(s, "src_alloc_id", c.src_alloc_id);
  if (!entry) return entry.error();
  if (c.src_offset_bytes > (*entry)->size || c.size_bytes > (*entry)->size - c.src_offset_bytes)
    return refused(
        ErrorCode::OutOfBounds, "update reaches past its allocation",
        {{"src_offset_bytes", c.src_offset_bytes}, {"size_bytes", c.size_bytes}, {"limit", (*entry)->size}});
  if (c.size_bytes == 0) return {};
  if (auto taken = s.work.take(Work::Bytes, c.size_bytes); !taken) return taken;
  const UpdatePromise promise{(c.flags & AEROGPU_EXT_UPDATE_DISCARD) != 0,
                              (c.flags & AEROGPU_EXT_UPDATE_NO_OVERWRITE) != 0};
  return s.guest.read(**entry, {c.src_offset_bytes, c.size_bytes, c.size_bytes, 1}, [&](ByteSource& source) {
    s.writes.note(**buffer);
    return (*buffer)->gpu->update(c.dst_offset_bytes, c.size_bytes, source, promise);
  });
}

Result<void> runExtUpdateTexture(Submission& s, const aerogpu_cmd_ext_update_texture& c) {
  const auto texture = s.handles.need<Texture>(c.texture, "no such texture");
  if (!texture) return texture.error();
  if (auto inside = checkTransfer(c, **texture); !inside) return inside;
  const auto entry = needEntry(s, "src_alloc_id", c.src_alloc_id);
  if (!entry) return entry.error();
  if (c.width == 0 || c.height == 0 || c.depth == 0) return {};
  const Box box = boxOf(c);
  const auto memory =
      boxMemory(**texture, box, **entry, c.src_offset_bytes, c.src_row_pitch_bytes, c.src_slice_pitch_bytes);
  if (!memory) return memory.error();
  if (auto taken = s.work.take(Work::Bytes, memory->bytes()); !taken) return taken;
  const Subresource sub{c.mip_level, c.array_layer};
  const UpdatePromise promise{(c.flags & AEROGPU_EXT_UPDATE_DISCARD) != 0,
                              (c.flags & AEROGPU_EXT_UPDATE_NO_OVERWRITE) != 0};
  return moveBox(box, *memory, [&](const Box& part, const ByteRows& rows) {
    return s.guest.read(**entry, rows, [&](ByteSource& source) {
      s.writes.note(**texture);
      return (*texture)->gpu->update(sub, part, {memory->rowPitch, memory->slicePitch}, source, promise);
    });
  });
}

Result<void> runExtReadTexture(Submission& s, const aerogpu_cmd_ext_read_texture& c) {
  const auto texture = s.handles.need<Texture>(c.texture, "no such texture");
  if (!texture) return texture.error();
  if (auto inside = checkTransfer(c, **texture); !inside) return inside;
  const auto entry = needEntry(s, "dst_alloc_id", c.dst_alloc_id);
  if (!entry) return entry.error();
  if ((*entry)->readOnly)
    return refused(ErrorCode::OutOfBounds, "read to a read-only allocation",
                   {{"dst_alloc_id", c.dst_alloc_id}});
  if (c.width == 0 || c.height == 0 || c.depth == 0) return {};
  const Box box = boxOf(c);
  const auto memory =
      boxMemory(**texture, box, **entry, c.dst_offset_bytes, c.dst_row_pitch_bytes, c.dst_slice_pitch_bytes);
  if (!memory) return memory.error();
  if (auto taken = s.work.take(Work::Bytes, memory->bytes()); !taken) return taken;
  const Subresource sub{c.mip_level, c.array_layer};
  GpuTexture& gpu = *(*texture)->gpu;
  return moveBox(box, *memory, [&](const Box& part, const ByteRows& rows) -> Result<void> {
    auto sink = s.guest.sinkAt(**entry, rows);
    if (!sink) return sink.error();
    s.stats.readbackBytes.add(rows.rowBytes * rows.rows);
    return gpu.read(sub, part, std::move(*sink));
  });
}

}  // namespace aerogpu::core
