// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/resources/image.h"

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/aerogpu_wddm_alloc_extension.h"
#include "guest-drivers/common/device_format.h"

namespace aero {
namespace {

/** If a batch has less room than this, the next piece goes into a new batch. */
constexpr uint32_t kMinCarried = 1024;

/** The pitch of surfaces that others read; Windows' own surfaces have it too. */
constexpr uint32_t kSharedPitchAlign = 64;

bool createTexture(DeviceObjects &objects, uint32_t handle, const FormatRow &format, const TextureLayout &layout,
                   uint32_t usage, Allocation &memory) {
  if (!objects.context.ensure(sizeof(aerogpu_cmd_create_texture2d), 1)) return false;
  if (memory) objects.context.use(memory, false);
  aerogpu_cmd_create_texture2d create = {};
  create.texture_handle = handle;
  create.usage_flags = usage;
  create.format = format.device;
  create.width = layout.level(0).width;
  create.height = layout.level(0).height;
  create.mip_levels = layout.levels();
  create.array_layers = layout.layers();
  create.row_pitch_bytes = layout.level(0).pitch;
  create.backing_alloc_id = memory.id;
  return objects.context.send(create);
}

/** Sets the texels of a part as in EXT_UPDATE_TEXTURE and EXT_READ_TEXTURE: layers of a volume are its slices. */
template <class Packet> void setBox(Packet &packet, const ImagePart &part, bool isVolume) {
  packet.mip_level = part.level;
  packet.array_layer = isVolume ? 0 : part.layer;
  packet.x = part.rect.left;
  packet.y = part.rect.top;
  packet.z = isVolume ? part.layer : 0;
  packet.width = part.rect.width();
  packet.height = part.rect.height();
  packet.depth = part.slices;
}

}  // namespace

bool Image::plan(const Runtime &runtime, const FormatRow &row, const ImageSize &size, const ImageUse &use,
                 AllocationRequest &request) {
  format = &row;
  crossesContexts = use.shared || use.primary;
  if (!layout.set(row, size.width, size.height, size.depth, size.levels, size.layers,
                  crossesContexts ? kSharedPitchAlign : 1))
    return false;
  sampleCount = use.sampleCount;
  request = {};
  if (sampleCount > 1) return !crossesContexts && !size.depth && size.levels == 1 && size.layers == 1;
  // Back buffers are plain surfaces; the kernel driver draws presents, in the formats that it knows.
  const bool presented = use.target && !use.texture && !use.depth && !crossesContexts && size.levels == 1 &&
                         size.layers == 1 && deviceFormat(static_cast<uint32_t>(row.d3d)) == row.device;
  // A target is locked through staging, so memory of its own would only hold old pixels. It has none, unless the kernel
  // driver presents it: that takes an allocation, of one page (PRIV-28), or of full size without handle spaces.
  const bool drawn = (use.target || use.depth) && !crossesContexts;
  if (drawn && !presented) return true;
  // A present shows the memory of a surface. It can show an image without memory only if the device has blits.
  isSmall = !drawn && !crossesContexts && (use.texture || runtime.has(AEROGPU_EXT_FEATURE_HI_BLIT)) &&
            layout.bytes() <= (use.dynamic ? kSmallDynamicBytes : kSmallBytes);
  if (isSmall) return true;
  cpuVisible = !drawn && !crossesContexts;
  request.bytes = layout.bytes();
  if (cpuVisible) request.flags |= AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE;
  if (use.shared) request.flags |= AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
  // To the kernel driver a volume is bytes, and so is a texture whose format it does not know.
  if (size.depth || !row.isOfKernel()) return true;
  if (presented)
    request.flags |=
        AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_PRESENTED | (runtime.spaces() ? AEROGPU_WDDM_ALLOC_PRIV_FLAG_EXT_GPU_ONLY : 0);
  request.width = size.width;
  request.height = size.height;
  request.d3dFormat = static_cast<uint32_t>(row.d3d);
  request.pitch = layout.level(0).pitch;
  return true;
}

uint8_t *Image::processBytes(uint32_t level, uint32_t layer) {
  if (!bytes) bytes = static_cast<uint8_t *>(heapAllocate(static_cast<size_t>(layout.bytes())));
  return bytes ? bytes + layout.offset(level, layer) : nullptr;
}

bool Image::makeTexture(DeviceObjects &objects, uint32_t usage, uint32_t samples) {
  if (!layout.isVolume() && samples == 1) return createTexture(objects, handle, *format, layout, usage, memory);
  if (!objects.context.ensure(sizeof(aerogpu_cmd_ext_create_texture), 1)) return false;
  if (memory) objects.context.use(memory, false);
  aerogpu_cmd_ext_create_texture create = {};
  create.texture_handle = handle;
  create.usage_flags = usage;
  create.format = format->device;
  create.kind = layout.isVolume() ? AEROGPU_EXT_TEXTURE_VOLUME : AEROGPU_EXT_TEXTURE_2D;
  create.width = layout.level(0).width;
  create.height = layout.level(0).height;
  create.depth = layout.level(0).depth;
  create.mip_levels = layout.levels();
  create.array_layers = layout.layers();
  create.sample_count = samples;
  create.row_pitch_bytes = memory ? layout.level(0).pitch : 0;
  create.backing_alloc_id = memory.id;
  return objects.context.send(create);
}

HRESULT Image::create(DeviceObjects &objects, const ImageUse &use) {
  if (memory.imported) return import(objects);
  handle = objects.take();
  uint32_t usage = 0;
  if (use.texture) usage |= AEROGPU_RESOURCE_USAGE_TEXTURE;
  if (use.target) usage |= AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
  if (use.depth) usage |= AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL;
  if (use.primary) usage |= AEROGPU_RESOURCE_USAGE_SCANOUT;
  bool made = handle && makeTexture(objects, usage, sampleCount);
  if (made && use.shared && memory.token) {
    aerogpu_cmd_export_shared_surface share = {};
    share.resource_handle = handle;
    share.share_token = memory.token;
    made = objects.context.send(share);
  }
  if (made) return kOk;
  const HRESULT result = objects.context.takeError();
  return failed(result) ? result : kOutOfMemory;
}

HRESULT Image::open(DeviceObjects &objects, const FormatRow &row, uint32_t width, uint32_t height,
                    const Allocation &allocation) {
  format = &row;
  crossesContexts = true;
  memory = allocation;
  if (!layout.set(row, width, height, 0, 1, 1, 1)) return kNotAvailable;
  return import(objects);
}

HRESULT Image::import(DeviceObjects &objects) {
  handle = objects.take();
  if (!handle || !objects.context.ensure(sizeof(aerogpu_cmd_import_shared_surface), 1))
    return objects.context.takeError();
  objects.context.use(memory, false);
  aerogpu_cmd_import_shared_surface import = {};
  import.out_resource_handle = handle;
  import.share_token = memory.token;
  return objects.context.send(import) ? kOk : objects.context.takeError();
}

void Image::destroy(DeviceObjects &objects) {
  objects.destroy<aerogpu_cmd_destroy_resource>(handle);
  for (Staging &each : staging) {
    objects.destroy<aerogpu_cmd_destroy_resource>(each.handle);
    objects.context.release(each.memory);
    each = {};
  }
  heapFree(bytes);
  bytes = nullptr;
  objects.context.release(memory);
}

bool Image::upload(DeviceObjects &objects, const ImagePart &part, const void *source, uint32_t sourcePitch,
                   uint64_t sourceSlicePitch) {
  const auto *from = static_cast<const uint8_t *>(source);
  for (uint32_t i = 0; i < part.slices; i++)
    if (!uploadSlice(objects, part, part.layer + i, from + i * sourceSlicePitch, sourcePitch)) return false;
  return true;
}

bool Image::uploadSlice(DeviceObjects &objects, const ImagePart &part, uint32_t layer, const uint8_t *from,
                        uint32_t sourcePitch) {
  const LevelLayout &to = layout.level(part.level);
  const RowSpan span = rowsOf(*format, part.rect);
  const uint64_t base = layout.offset(part.level, layer) + span.firstByte;
  // Adjacent rows without gaps go together; otherwise each row is one packet, or several.
  const bool together = span.bytes == to.pitch;
  const uint32_t unit = format->blockBytes;
  uint32_t row = 0, column = 0;
  while (row < span.rows) {
    Context &context = objects.context;
    if (!context.ensure(sizeof(aerogpu_cmd_upload_resource) +
                        (span.bytes < kMinCarried ? span.bytes + 3 : kMinCarried)))
      return false;
    size_t most = (context.room() - sizeof(aerogpu_cmd_upload_resource)) & ~size_t{3};
    if (most > kMaxCarried) most = kMaxCarried;
    uint32_t rows = 1, bytes = span.bytes - column;
    if (together && !column && most >= to.pitch) {
      rows = static_cast<uint32_t>(most / to.pitch);
      if (rows > span.rows - row) rows = span.rows - row;
      bytes = rows * to.pitch;
    } else if (bytes > most) {
      bytes = static_cast<uint32_t>(most / unit * unit);
    }
    auto *packet = context.append<aerogpu_cmd_upload_resource>(bytes);
    if (!packet || !bytes) return false;
    packet->resource_handle = handle;
    packet->offset_bytes = base + uint64_t{span.firstRow + row} * to.pitch + column;
    uint8_t *data = Context::elementsOf(packet);
    const uint8_t *at = from + uint64_t{row} * sourcePitch + column;
    if (rows == 1 || sourcePitch == to.pitch) {
      memcpy(data, at, bytes);
    } else {
      for (uint32_t i = 0; i < rows; i++) memcpy(data + size_t{i} * to.pitch, at + size_t{i} * sourcePitch, span.bytes);
    }
    if (rows > 1 || column + bytes == span.bytes) {
      row += rows;
      column = 0;
    } else {
      column += bytes;
    }
  }
  return true;
}

bool Image::markDirty(DeviceObjects &objects, const ImagePart &part, bool wholeRows) {
  const LevelLayout &of = layout.level(part.level);
  const RowSpan span = rowsOf(*format, part.rect);
  const bool together = wholeRows || span.bytes == of.rowBytes;
  const uint32_t packets = together ? 1 : span.rows;
  const uint64_t bytes = together ? uint64_t{span.rows - 1} * of.pitch + span.bytes : span.bytes;
  for (uint32_t slice = 0; slice < part.slices; slice++) {
    const uint64_t base =
        layout.offset(part.level, part.layer + slice) + uint64_t{span.firstRow} * of.pitch + span.firstByte;
    for (uint32_t i = 0; i < packets; i++) {
      if (!objects.context.ensure(sizeof(aerogpu_cmd_resource_dirty_range), 1)) return false;
      objects.context.use(memory, false);
      aerogpu_cmd_resource_dirty_range dirty = {};
      dirty.resource_handle = handle;
      dirty.offset_bytes = base + uint64_t{i} * of.pitch;
      dirty.size_bytes = bytes;
      if (!objects.context.send(dirty)) return false;
    }
  }
  return true;
}

HRESULT Image::takeStaging(DeviceObjects &objects, uint32_t width, uint32_t height, uint32_t slices, bool wait,
                           Staging *&out, void **locked) {
  out = nullptr;
  if (locked) *locked = nullptr;
  Context &context = objects.context;
  Staging *room = nullptr, *oldest = nullptr;
  for (Staging &each : staging) {
    if (each.locked) continue;
    if (!each.memory || each.width != width || each.height != height || each.slices != slices) {
      if (!room) room = &each;
      continue;
    }
    if (!each.reader && !context.isPending(each.memory)) {
      if (each.isDone()) {
        out = &each;
        return kOk;
      }
      void *bytes;
      D3DDDICB_LOCKFLAGS flags = {};
      flags.DonotWait = 1;
      const HRESULT result = each.lock(context.runtime(), flags, bytes);
      if (!failed(result)) {
        if (locked)
          *locked = bytes;
        else
          context.runtime().unlock(each.memory.handle);
        out = &each;
        return kOk;
      }
      if (result != kWasStillDrawing) return result;
    }
    if (!oldest || each.memory.batch < oldest->memory.batch) oldest = &each;
  }
  if (!room) {
    if (!oldest) return kNotAvailable;  // the program holds all of them locked
    if (!wait) return kWasStillDrawing;
    oldest->reader = nullptr;
    out = oldest;  // a lock of it waits
    return context.isPending(oldest->memory) ? context.submit() : kOk;
  }

  objects.destroy<aerogpu_cmd_destroy_resource>(room->handle);
  context.release(room->memory);
  *room = {};
  TextureLayout one;
  if (!one.set(*format, width, height, layout.isVolume() ? slices : 0, 1, 1, 1)) return kNotAvailable;
  AllocationRequest request;
  request.bytes = one.bytes();
  request.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE | AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING;
  if (!layout.isVolume() && format->isOfKernel()) {
    request.width = width;
    request.height = height;
    request.d3dFormat = static_cast<uint32_t>(format->d3d);
    request.pitch = one.level(0).pitch;
  }
  const HRESULT result = allocate(context.runtime(), request, room->memory);
  if (failed(result)) return result;
  room->width = width;
  room->height = height;
  room->slices = slices;
  room->pitch = one.level(0).pitch;
  room->slicePitch = one.level(0).sliceBytes();
  if (!context.runtime().has(AEROGPU_EXT_FEATURE_HI_UPDATES)) {
    room->handle = objects.take();
    if (!room->handle ||
        !createTexture(objects, room->handle, *format, one, AEROGPU_RESOURCE_USAGE_NONE, room->memory)) {
      context.release(room->memory);
      *room = {};
      const HRESULT error = context.takeError();
      return failed(error) ? error : kOutOfMemory;
    }
  }
  out = room;
  return kOk;
}

bool copyPixels(DeviceObjects &objects, uint32_t to, uint32_t toLevel, uint32_t toLayer, uint32_t x, uint32_t y,
                uint32_t from, uint32_t fromLevel, uint32_t fromLayer, const Rect &rect, uint32_t flags) {
  aerogpu_cmd_copy_texture2d copy = {};
  copy.dst_texture = to;
  copy.src_texture = from;
  copy.dst_mip_level = toLevel;
  copy.dst_array_layer = toLayer;
  copy.src_mip_level = fromLevel;
  copy.src_array_layer = fromLayer;
  copy.dst_x = x;
  copy.dst_y = y;
  copy.src_x = rect.left;
  copy.src_y = rect.top;
  copy.width = rect.width();
  copy.height = rect.height();
  copy.flags = flags;
  return objects.context.send(copy);
}

uint64_t Image::stagingOffset(const ImagePart &part, const Staging &staging) const {
  const RowSpan span = rowsOf(*format, part.rect);
  return (layout.isVolume() ? part.layer * staging.slicePitch : 0) + uint64_t{span.firstRow} * staging.pitch +
         span.firstByte;
}

// copyOut() is copyIn() the other way: its packets call the guest memory's fields dst_, those of copyIn() src_.
bool Image::copyOut(DeviceObjects &objects, const ImagePart &part, Staging &to) {
  if (to.handle) {
    if (!objects.context.ensure(sizeof(aerogpu_cmd_copy_texture2d), 1)) return false;
    objects.context.use(to.memory, true);
    return copyPixels(objects, to.handle, 0, 0, part.rect.left, part.rect.top, handle, part.level, part.layer,
                      part.rect, AEROGPU_COPY_FLAG_WRITEBACK_DST);
  }
  if (!objects.context.ensure(sizeof(aerogpu_cmd_ext_read_texture), 1)) return false;
  objects.context.use(to.memory, true);
  aerogpu_cmd_ext_read_texture read = {};
  read.texture = handle;
  setBox(read, part, layout.isVolume());
  read.dst_alloc_id = to.memory.id;
  read.dst_row_pitch_bytes = to.pitch;
  read.dst_slice_pitch_bytes = to.slicePitch;
  read.dst_offset_bytes = stagingOffset(part, to);
  return objects.context.send(read);
}

// copyIn() is copyOut() the other way: its packets call the guest memory's fields src_, those of copyOut() dst_.
bool Image::copyIn(DeviceObjects &objects, const ImagePart &part, Staging &from) {
  if (from.handle) {
    if (!objects.context.ensure(sizeof(aerogpu_cmd_resource_dirty_range) + sizeof(aerogpu_cmd_copy_texture2d), 1))
      return false;
    const RowSpan span = rowsOf(*format, part.rect);
    objects.context.use(from.memory, false);
    aerogpu_cmd_resource_dirty_range dirty = {};
    dirty.resource_handle = from.handle;
    dirty.offset_bytes = stagingOffset(part, from);
    dirty.size_bytes = uint64_t{span.rows - 1} * from.pitch + span.bytes;
    return objects.context.send(dirty) &&
           copyPixels(objects, handle, part.level, part.layer, part.rect.left, part.rect.top, from.handle, 0, 0,
                      part.rect, AEROGPU_COPY_FLAG_NONE);
  }
  if (!objects.context.ensure(sizeof(aerogpu_cmd_ext_update_texture), 1)) return false;
  objects.context.use(from.memory, false);
  aerogpu_cmd_ext_update_texture update = {};
  update.texture = handle;
  setBox(update, part, layout.isVolume());
  update.src_alloc_id = from.memory.id;
  update.src_row_pitch_bytes = from.pitch;
  update.src_slice_pitch_bytes = from.slicePitch;
  update.src_offset_bytes = stagingOffset(part, from);
  return objects.context.send(update);
}

}  // namespace aero
