// SPDX-License-Identifier: MIT
// Executor: guest memory that a resource gets after it was made. ATTACH-1 to ATTACH-5.
#include "renderer/core/executor.h"

namespace aerogpu::core {

Result<void> Executor::run(const aerogpu_cmd_ext_attach_backing& c) {
  const bool detach = c.backing_alloc_id == 0;
  if (Buffer* buffer = m_space.handles().get<Buffer>(c.resource_handle)) {
    if (auto own = m_space.needOwn(*buffer); !own) return own;
    const Backing backing{c.backing_alloc_id, c.backing_offset_bytes, 0};
    if (!detach)
      if (auto entry = m_guest.backingEntry(backing, 0, buffer->desc.sizeBytes, false); !entry)
        return entry.error();
    buffer->backing = backing;
    return {};
  }
  Texture* texture = m_space.handles().get<Texture>(c.resource_handle);
  if (!texture)
    return refused(ErrorCode::CmdDecode, "no such resource", {{"resource_handle", c.resource_handle}});
  if (auto own = m_space.needOwn(*texture); !own) return own;
  if (!detach && texture->desc.samples > 1)
    return refused(ErrorCode::CmdDecode, "several samples with guest memory",
                   {{"sample_count", texture->desc.samples}, {"backing_alloc_id", c.backing_alloc_id}});
  if (!detach && c.row_pitch_bytes == 0)
    return refused(ErrorCode::CmdDecode, "backed texture without a row pitch",
                   {{"row_pitch_bytes", c.row_pitch_bytes}});
  const auto layout = TextureLayout::make(texture->desc, c.row_pitch_bytes);
  if (!layout) return layout.error();
  const Backing backing{c.backing_alloc_id, c.backing_offset_bytes, c.row_pitch_bytes};
  const AllocTable::Entry* entry = nullptr;
  if (!detach) {
    const auto found = m_guest.backingEntry(backing, 0, layout->totalBytes(), false);
    if (!found) return found.error();
    entry = *found;
  }
  m_resources.backings.remove(*texture);
  texture->backing = backing;
  texture->layout = *layout;
  if (entry && texture->ofKernel) m_resources.backings.add(*texture, *entry);
  return {};
}

}  // namespace aerogpu::core
