// SPDX-License-Identifier: MIT
// Guest memory that a resource gets after it was made. ATTACH-1 to ATTACH-5.
#include "renderer/core/commands/commands.h"
#include "renderer/core/gpu_objects.h"
#include "renderer/core/guest_access.h"
#include "renderer/core/handle_table.h"
#include "renderer/core/resource_index.h"
#include "renderer/core/selected_space.h"
#include "renderer/core/submission.h"

namespace aerogpu::core {

Result<void> runExtAttachBacking(Submission& s, const aerogpu_cmd_ext_attach_backing& c) {
  const bool detach = c.backing_alloc_id == 0;
  if (Buffer* buffer = s.handles.get<Buffer>(c.resource_handle)) {
    if (auto own = s.space.needOwn(*buffer); !own) return own;
    const Backing backing{c.backing_alloc_id, c.backing_offset_bytes, 0};
    if (!detach)
      if (auto entry = s.guest.backingEntry(backing, 0, buffer->desc.sizeBytes, false); !entry)
        return entry.error();
    buffer->backing = backing;
    return {};
  }
  Texture* texture = s.handles.get<Texture>(c.resource_handle);
  if (!texture)
    return refused(ErrorCode::CmdDecode, "no such resource", {{"resource_handle", c.resource_handle}});
  if (auto own = s.space.needOwn(*texture); !own) return own;
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
    const auto found = s.guest.backingEntry(backing, 0, layout->totalBytes(), false);
    if (!found) return found.error();
    entry = *found;
  }
  s.resources.backings.remove(*texture);
  texture->backing = backing;
  texture->layout = *layout;
  if (entry && texture->ofKernel) s.resources.backings.add(*texture, *entry);
  return {};
}

}  // namespace aerogpu::core
