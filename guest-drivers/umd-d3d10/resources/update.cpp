// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/resources/update.h"

namespace aero {

void copyLevel(uint8_t *target, const LevelLayout &level, const uint8_t *source, uint32_t rowPitch,
               uint32_t slicePitch) {
  for (uint32_t slice = 0; slice < level.depth; slice++, target += level.sliceBytes(), source += slicePitch)
    for (uint32_t row = 0; row < level.rows; row++)
      memcpy(target + uint64_t{row} * level.pitch, source + uint64_t{row} * rowPitch, level.rowBytes);
}

HRESULT updateBuffer(DeviceObjects &objects, Resource &buffer, uint32_t offset, const uint8_t *source, uint32_t bytes,
                     uint32_t flags) {
  Context &context = objects.context;
  if (bytes < UploadMemory::kLeastBytes)  // fewer bytes are better carried by the packet
    return uploadBytes(objects, buffer.identity.handle, offset, source, bytes) ? kOk : context.result(false);
  while (bytes) {
    const uint32_t piece = bytes < UploadMemory::kMostBytes ? bytes : UploadMemory::kMostBytes;
    UploadMemory::Place place;
    if (!objects.uploads.place(piece, sizeof(aerogpu_cmd_ext_update_buffer), 0, place)) return context.result(false);
    memcpy(place.bytes, source, piece);
    auto *packet = context.appendFitting<aerogpu_cmd_ext_update_buffer>();
    packet->buffer = buffer.identity.handle;
    packet->flags = flags;
    packet->dst_offset_bytes = offset;
    packet->size_bytes = piece;
    packet->src_alloc_id = place.id;
    packet->src_offset_bytes = place.offset;
    // The first packet has discarded the rest of the buffer.
    if (flags & AEROGPU_EXT_UPDATE_DISCARD) flags = AEROGPU_EXT_UPDATE_NO_OVERWRITE;
    offset += piece;
    source += piece;
    bytes -= piece;
  }
  return kOk;
}

namespace {

/** Sends texels of a rectangle of a slice. */
HRESULT updateSlice(DeviceObjects &objects, Resource &texture, uint32_t subresource, const Rect &rect, uint32_t slice,
                    const uint8_t *source, uint32_t sourcePitch) {
  Context &context = objects.context;
  const FormatRow &format = texture.format();
  const RowSpan span = rowsOf(format, rect);
  const uint32_t most = UploadMemory::kMostBytes / span.bytes;
  for (uint32_t row = 0; row < span.rows;) {
    const uint32_t rows = span.rows - row < most ? span.rows - row : most;
    UploadMemory::Place place;
    if (!objects.uploads.place(rows * span.bytes, sizeof(aerogpu_cmd_ext_update_texture), 1, place))
      return context.result(false);
    if (texture.identity.crossesContexts) context.use(texture.identity.memory, true);
    for (uint32_t i = 0; i < rows; i++)
      memcpy(place.bytes + size_t{i} * span.bytes, source + uint64_t{row + i} * sourcePitch, span.bytes);
    const uint32_t top = rect.top + row * format.block;
    const uint32_t below = rect.bottom - top;
    auto *packet = context.appendFitting<aerogpu_cmd_ext_update_texture>();
    packet->texture = texture.identity.handle;
    packet->mip_level = texture.levelOf(subresource);
    packet->array_layer = texture.layerOf(subresource);
    packet->x = rect.left;
    packet->y = top;
    packet->z = slice;
    packet->width = rect.width();
    packet->height = rows * format.block < below ? rows * format.block : below;
    packet->depth = 1;
    packet->src_alloc_id = place.id;
    packet->src_row_pitch_bytes = span.bytes;
    packet->src_slice_pitch_bytes = uint64_t{rows} * span.bytes;
    packet->src_offset_bytes = place.offset;
    row += rows;
  }
  return kOk;
}

}  // namespace

HRESULT updateTexture(DeviceObjects &objects, Resource &texture, uint32_t subresource, const Box &box,
                      const uint8_t *source, uint32_t rowPitch, uint64_t slicePitch) {
  for (uint32_t slice = box.front; slice < box.back; slice++, source += slicePitch) {
    const HRESULT result = updateSlice(objects, texture, subresource, box.rect, slice, source, rowPitch);
    if (failed(result)) return result;
  }
  return kOk;
}

HRESULT updateSubresource(DeviceObjects &objects, Resource &resource, uint32_t subresource, const D3D10_DDI_BOX *box,
                          const uint8_t *source, uint32_t rowPitch, uint32_t slicePitch) {
  if (subresource >= resource.subresources() || (box && (box->left < 0 || box->top < 0 || box->front < 0)))
    return kInvalidArgument;
  if (resource.isStaging() || resource.samples() > 1) return kNotAvailable;
  if (resource.isBuffer()) {
    const uint32_t begin = box ? static_cast<uint32_t>(box->left) : 0;
    const uint32_t end = box ? static_cast<uint32_t>(box->right) : resource.bytes();
    if (begin >= end) return kOk;
    if (end > resource.bytes()) return kInvalidArgument;
    return updateBuffer(objects, resource, begin, source, end - begin, AEROGPU_EXT_UPDATE_NONE);
  }
  const LevelLayout &level = resource.layout().level(resource.levelOf(subresource));
  Box part = {{0, 0, level.width, level.height}, 0, level.depth};
  if (box) {
    if (box->right <= box->left || box->bottom <= box->top || box->back <= box->front) return kOk;
    part = {{static_cast<uint32_t>(box->left), static_cast<uint32_t>(box->top), static_cast<uint32_t>(box->right),
             static_cast<uint32_t>(box->bottom)},
            static_cast<uint32_t>(box->front),
            static_cast<uint32_t>(box->back)};
    Rect &rect = part.rect;
    // A box of blocks may end past the edge of a level that is no multiple of them.
    if (rect.right > level.width) rect.right = level.width;
    if (rect.bottom > level.height) rect.bottom = level.height;
    if (rect.isEmpty() || part.back > level.depth) return kInvalidArgument;
  }
  return updateTexture(objects, resource, subresource, part, source, rowPitch, slicePitch);
}

HRESULT markWritten(DeviceObjects &objects, Resource &staging) {
  Context &context = objects.context;
  if (!context.ensure(sizeof(aerogpu_cmd_resource_dirty_range), 1)) return context.result(false);
  context.use(staging.identity.memory, false);
  auto *packet = context.appendFitting<aerogpu_cmd_resource_dirty_range>();
  packet->resource_handle = staging.identity.handle;
  packet->size_bytes = staging.bytes();
  return kOk;
}

HRESULT writeMemory(DeviceObjects &objects, Resource &staging, uint32_t subresource, const uint8_t *source,
                    uint32_t rowPitch, uint32_t slicePitch) {
  const Runtime &runtime = objects.context.runtime();
  const D3DKMT_HANDLE allocation = staging.identity.memory.handle;
  if (objects.context.isPending(staging.identity.memory))
    objects.context.submit();  // locked memory is not rendered with
  void *memory = nullptr;
  HRESULT result = runtime.lock(allocation, {}, memory);
  if (failed(result)) return result;
  uint8_t *bytes = static_cast<uint8_t *>(memory) + staging.offsetOf(subresource);
  if (staging.isBuffer())
    memcpy(bytes, source, staging.bytes());
  else
    copyLevel(bytes, staging.layout().level(staging.levelOf(subresource)), source, rowPitch, slicePitch);
  result = runtime.unlock(allocation);
  return failed(result) || !staging.isBuffer() ? result : markWritten(objects, staging);
}

}  // namespace aero
