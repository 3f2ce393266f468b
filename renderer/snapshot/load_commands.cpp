// SPDX-License-Identifier: MIT
#include "renderer/snapshot/load_commands.h"

#include <utility>
#include <variant>

#include "renderer/core/context_table.h"
#include "renderer/core/guest_access.h"
#include "renderer/core/guest_clock.h"
#include "renderer/core/queries.h"
#include "renderer/core/selected_space.h"
#include "renderer/core/texel_planes.h"
#include "renderer/core/texture_box.h"
#include "renderer/core/work_meter.h"
#include "renderer/core/write_clock.h"
#include "renderer/snapshot/loading.h"
#include "renderer/snapshot/wait.h"

namespace aerogpu::snapshot {

using namespace core;

namespace {

Result<Space*> needSpace(Loading& l, uint32_t number) {
  if (Space* space = l.parts.spaces.find(number)) return space;
  return refused(ErrorCode::CmdDecode, "no such space", {{"space", number}});
}

Result<void> beginQuery(Loading& l, uint32_t slot, QueryKind kind, const QueryNumbers& counted) {
  if (slot >= ContextQueries::kSlots)
    return refused(ErrorCode::OutOfBounds, "no such query slot",
                   {{"slot", slot}, {"of", ContextQueries::kSlots}});
  const auto queries = l.parts.contexts.needQueries();
  if (!queries) return queries.error();
  return (*queries)->begin(l.parts.backend, slot, kind, counted);
}

}  // namespace

Result<void> runLoadOwner(Loading& l, const aerogpu_cmd_load_owner& c) {
  const auto space = needSpace(l, c.charge_space);
  if (!space) return space.error();
  l.parts.hostMemory.setShare((*space)->share);
  l.parts.space.setMadeInKernel(c.of_kernel != 0);
  l.space = c.charge_space;
  return {};
}

Result<void> runLoadName(Loading& l, const aerogpu_cmd_load_name& c) {
  const auto space = needSpace(l, c.space);
  if (!space) return space.error();
  const Object* object = l.parts.handles.find(c.object);
  if (!object) return refused(ErrorCode::CmdDecode, "no such object", {{"object", c.object}});
  if (auto named = l.parts.space.name(**space, c.handle, *object); !named) return named;
  if (const auto* buffer = std::get_if<Ref<Buffer>>(object)) ++(*buffer)->handleCount;
  if (const auto* texture = std::get_if<Ref<Texture>>(object)) ++(*texture)->handleCount;
  ++l.names;
  return {};
}

Result<void> runLoadContext(Loading& l, const aerogpu_cmd_load_context& c) {
  const auto space = needSpace(l, c.space);
  if (!space) return space.error();
  if ((*space)->contexts.contains(c.context))
    return refused(ErrorCode::CmdDecode, "the context is there already",
                   {{"space", c.space}, {"context", c.context}});
  l.parts.contexts.leave();
  l.parts.contexts.dropAll(l.objects);  // packets have another context from here on
  l.parts.hostMemory.setShare((*space)->share);
  if (auto selected = l.parts.contexts.select(**space, true, c.context); !selected) return selected;
  l.parts.contexts.noteChange(c.changed != 0);
  l.space = c.space;
  ++l.contexts;
  return {};
}

Result<void> runLoadQuery(Loading& l, const aerogpu_cmd_load_query& c) {
  return beginQuery(l, c.slot, QueryKind::Occlusion, {c.count});
}

Result<void> runLoadCounts(Loading& l, const aerogpu_cmd_load_counts& c) {
  if (c.type != AEROGPU_EXT_QUERY_STREAM_STATISTICS)
    return refused(ErrorCode::CmdDecode, "no such type of query", {{"type", c.type}});
  return beginQuery(l, c.slot, QueryKind::Streams, {c.counts[0], c.counts[1]});
}

Result<void> runLoadFilled(Loading& l, const aerogpu_cmd_load_filled& c) {
  const auto buffer = l.parts.handles.need<Buffer>(c.buffer, "no such buffer");
  if (!buffer) return buffer.error();
  if (c.filled_bytes % 4 != 0 || c.filled_bytes > (*buffer)->desc.sizeBytes)
    return refused(ErrorCode::OutOfBounds, "a buffer is not filled so far",
                   {{"filled_bytes", c.filled_bytes}, {"limit", (*buffer)->desc.sizeBytes}});
  return (*buffer)->gpu->setFilled(c.filled_bytes);
}

Result<void> runLoadTexels(Loading& l, const aerogpu_cmd_load_texels& c) {
  const auto texture = l.parts.handles.need<Texture>(c.texture, "no such texture");
  if (!texture) return texture.error();
  const TextureDesc& desc = (*texture)->desc;
  const FormatInfo& format = *findFormat(desc.format);
  if (c.plane > AEROGPU_LOAD_PLANE_STENCIL || !hasPlane(format, static_cast<TexelPlane>(c.plane)))
    return refused(ErrorCode::CmdDecode, "texels of the format have no such plane", {{"plane", c.plane}});
  // Colours of one sample come by EXT_UPDATE_TEXTURE; of depth there may be more bits than that can say.
  if (desc.kind == TextureKind::Volume || (desc.samples == 1 && !format.depth))
    return refused(ErrorCode::CmdDecode, "a texture without planes", {{"samples", desc.samples}});
  if (c.sample >= desc.samples)
    return refused(ErrorCode::OutOfBounds, "no such sample", {{"sample", c.sample}, {"of", desc.samples}});
  const TexelPart part{{c.mip_level, c.array_layer}, c.sample, static_cast<TexelPlane>(c.plane)};
  const Box box{c.x, c.y, 0, c.width, c.height};
  if (auto inside = checkBox(**texture, part.sub, box); !inside) return inside;
  const AllocTable::Entry* entry = l.parts.guest.find(c.src_alloc_id);
  if (!entry)
    return refused(ErrorCode::CmdDecode, "allocation is not in the table",
                   {{"src_alloc_id", c.src_alloc_id}});
  if (c.width == 0 || c.height == 0) return {};
  const uint64_t rowBytes = uint64_t{c.width} * planeBytes(format, part.plane), bytes = rowBytes * c.height;
  if (bytes > entry->size)
    return refused(ErrorCode::OutOfBounds, "texels reach past their allocation",
                   {{"bytes", bytes}, {"limit", entry->size}});
  if (auto taken = l.parts.work.take(Work::Bytes, bytes); !taken) return taken;
  return l.parts.guest.read(*entry, {0, rowBytes, rowBytes, c.height}, [&](ByteSource& source) {
    l.parts.writes.note(**texture);
    return (*texture)->gpu->writePlane(part, box, source);
  });
}

Result<void> runLoadClock(Loading& l, const aerogpu_cmd_load_clock& c) {
  const auto now = gpuTime(l.parts.backend, [&] { return finishWork(l.parts.backend); });
  // Where the GPU has no clock nothing but the number is kept.
  l.parts.clock.goOn(c.nanoseconds, now ? *now : c.nanoseconds);
  return {};
}

}  // namespace aerogpu::snapshot
