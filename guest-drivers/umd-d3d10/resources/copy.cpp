// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d10/resources/copy.h"

namespace aero {
namespace {

/** A rectangle of a subresource; of a volume, in one slice. */
struct Place {
  Resource &resource;
  uint32_t subresource;
  Rect rect;
  uint32_t slice;

  /** Returns what packets without a third dimension call its layer (TEX-7). */
  uint32_t layer() const { return resource.isVolume() ? slice : resource.layerOf(subresource); }
};

template <class Packet> void setBox(Packet &packet, const Place &place) {
  packet.mip_level = place.resource.levelOf(place.subresource);
  packet.array_layer = place.resource.layerOf(place.subresource);
  packet.x = place.rect.left;
  packet.y = place.rect.top;
  packet.z = place.slice;
  packet.width = place.rect.width();
  packet.height = place.rect.height();
  packet.depth = 1;
}

/** Where the rectangle of a staging texture begins. */
uint64_t memoryOffset(const Place &place) {
  const LevelLayout &level = place.resource.layout().level(place.resource.levelOf(place.subresource));
  const RowSpan span = rowsOf(place.resource.format(), place.rect);
  return place.resource.offsetOf(place.subresource) + place.slice * level.sliceBytes() +
         uint64_t{span.firstRow} * level.pitch + span.firstByte;
}

/** True if texels of one are texels of the other: of one family, and both depth or neither. */
bool isFamily(const Resource &a, const Resource &b) {
  return a.format().family == b.format().family && a.format().isDepth == b.format().isDepth;
}

const LevelLayout &levelOf(const Place &place) {
  return place.resource.layout().level(place.resource.levelOf(place.subresource));
}

HRESULT copyBuffer(DeviceObjects &objects, Resource &target, uint64_t to, Resource &source, uint64_t from,
                   uint64_t bytes) {
  if (from + bytes > source.bytes() || to + bytes > target.bytes()) return kInvalidArgument;
  // A device without DXR-7 copies whole words. Buffers are made of whole words, so what ends with both may be longer.
  if (bytes % 4 && from + bytes == source.bytes() && to + bytes == target.bytes()) bytes = (bytes + 3) & ~uint64_t{3};
  if ((to % 4 || from % 4 || bytes % 4) && !objects.formats.hasShapes()) return kNotAvailable;
  if (!bytes) return kOk;
  Context &context = objects.context;
  if (!context.ensure(sizeof(aerogpu_cmd_copy_buffer), 1)) return context.result(false);
  if (target.isStaging()) context.use(target.identity.memory, true);
  auto *packet = context.appendFitting<aerogpu_cmd_copy_buffer>();
  packet->dst_buffer = target.identity.handle;
  packet->src_buffer = source.identity.handle;
  packet->dst_offset_bytes = to;
  packet->src_offset_bytes = from;
  packet->size_bytes = bytes;
  packet->flags = target.isStaging() ? AEROGPU_COPY_FLAG_WRITEBACK_DST : AEROGPU_COPY_FLAG_NONE;
  return kOk;
}

HRESULT readTexture(DeviceObjects &objects, const Place &target, const Place &source) {
  Context &context = objects.context;
  if (!touch(context, sizeof(aerogpu_cmd_ext_read_texture), target.resource, &source.resource))
    return context.result(false);
  context.use(target.resource.identity.memory, true);
  auto *packet = context.appendFitting<aerogpu_cmd_ext_read_texture>();
  packet->texture = source.resource.identity.handle;
  setBox(*packet, source);
  packet->dst_alloc_id = target.resource.identity.memory.id;
  packet->dst_row_pitch_bytes = levelOf(target).pitch;
  packet->dst_slice_pitch_bytes = levelOf(target).sliceBytes();
  packet->dst_offset_bytes = memoryOffset(target);
  return kOk;
}

HRESULT writeTexture(DeviceObjects &objects, const Place &target, const Place &source) {
  Context &context = objects.context;
  if (!touch(context, sizeof(aerogpu_cmd_ext_update_texture), target.resource)) return context.result(false);
  context.use(source.resource.identity.memory, false);
  auto *packet = context.appendFitting<aerogpu_cmd_ext_update_texture>();
  packet->texture = target.resource.identity.handle;
  setBox(*packet, target);
  packet->src_alloc_id = source.resource.identity.memory.id;
  packet->src_row_pitch_bytes = levelOf(source).pitch;
  packet->src_slice_pitch_bytes = levelOf(source).sliceBytes();
  packet->src_offset_bytes = memoryOffset(source);
  return kOk;
}

/** Copies between staging textures, which the processor does. */
HRESULT copyMemory(DeviceObjects &objects, const Place &target, const Place &source) {
  Context &context = objects.context;
  const Runtime &runtime = context.runtime();
  const HRESULT submitted = context.submit();
  if (failed(submitted)) return submitted;
  const D3DKMT_HANDLE to = target.resource.identity.memory.handle, from = source.resource.identity.memory.handle;
  void *toBytes = nullptr, *fromBytes = nullptr;
  HRESULT result = runtime.lock(to, {}, toBytes);
  if (failed(result)) return result;
  fromBytes = toBytes;
  if (from != to) result = runtime.lock(from, {}, fromBytes);
  if (!failed(result)) {
    const RowSpan span = rowsOf(source.resource.format(), source.rect);
    auto *out = static_cast<uint8_t *>(toBytes) + memoryOffset(target);
    const auto *in = static_cast<const uint8_t *>(fromBytes) + memoryOffset(source);
    for (uint32_t row = 0; row < span.rows; row++)
      memmove(out + uint64_t{row} * levelOf(target).pitch, in + uint64_t{row} * levelOf(source).pitch, span.bytes);
    if (from != to) runtime.unlock(from);
  }
  const HRESULT unlocked = runtime.unlock(to);
  return failed(result) ? result : unlocked;
}

HRESULT copyTexels(DeviceObjects &objects, const Place &target, const Place &source) {
  Context &context = objects.context;
  if (target.resource.isMemory())
    return source.resource.isMemory() ? copyMemory(objects, target, source) : readTexture(objects, target, source);
  if (source.resource.isMemory()) return writeTexture(objects, target, source);
  if (!touch(context, sizeof(aerogpu_cmd_copy_texture2d), target.resource, &source.resource))
    return context.result(false);
  auto *packet = context.appendFitting<aerogpu_cmd_copy_texture2d>();
  packet->dst_texture = target.resource.identity.handle;
  packet->src_texture = source.resource.identity.handle;
  packet->dst_mip_level = target.resource.levelOf(target.subresource);
  packet->dst_array_layer = target.layer();
  packet->src_mip_level = source.resource.levelOf(source.subresource);
  packet->src_array_layer = source.layer();
  packet->dst_x = target.rect.left;
  packet->dst_y = target.rect.top;
  packet->src_x = source.rect.left;
  packet->src_y = source.rect.top;
  packet->width = source.rect.width();
  packet->height = source.rect.height();
  return kOk;
}

}  // namespace

HRESULT copyRegion(DeviceObjects &objects, Resource &target, uint32_t targetSubresource, uint32_t x, uint32_t y,
                   uint32_t z, Resource &source, uint32_t sourceSubresource, const D3D10_DDI_BOX *box) {
  if (target.isBuffer() != source.isBuffer() || target.isRow() != source.isRow() ||
      targetSubresource >= target.subresources() || sourceSubresource >= source.subresources() ||
      (box && (box->left < 0 || box->top < 0 || box->front < 0)))
    return kInvalidArgument;
  if (box && (box->right <= box->left || box->bottom <= box->top || box->back <= box->front)) return kOk;
  if (target.isBuffer()) {
    const auto from = static_cast<uint64_t>(box ? box->left : 0);
    const uint64_t end = box ? static_cast<uint64_t>(box->right) : source.bytes();
    return copyBuffer(objects, target, x, source, from, end - from);
  }
  if (target.samples() > 1 || source.samples() > 1 || !isFamily(target, source)) return kNotAvailable;
  const LevelLayout &from = source.layout().level(source.levelOf(sourceSubresource));
  const LevelLayout &to = target.layout().level(target.levelOf(targetSubresource));
  Rect rect = {0, 0, from.width, from.height};
  if (box)
    rect = {static_cast<uint32_t>(box->left), static_cast<uint32_t>(box->top), static_cast<uint32_t>(box->right),
            static_cast<uint32_t>(box->bottom)};
  // The last block of a level may reach past its edge.
  const uint32_t blocks = source.format().block - 1;
  if (rect.right > from.width + blocks || rect.bottom > from.height + blocks || x >= to.width || y >= to.height)
    return kInvalidArgument;
  if (rect.right > from.width) rect.right = from.width;
  if (rect.bottom > from.height) rect.bottom = from.height;
  if (rect.width() > to.width - x + blocks || rect.height() > to.height - y + blocks) return kInvalidArgument;
  if (rect.width() > to.width - x) rect.right = rect.left + to.width - x;
  if (rect.height() > to.height - y) rect.bottom = rect.top + to.height - y;
  const uint32_t front = box ? static_cast<uint32_t>(box->front) : 0;
  const uint32_t slices = (box ? static_cast<uint32_t>(box->back) : from.depth) - front;
  if (front + slices > from.depth || z >= to.depth || slices > to.depth - z) return kInvalidArgument;
  for (uint32_t i = 0; i < slices; i++) {
    const HRESULT result =
        copyTexels(objects, {target, targetSubresource, {x, y, x + rect.width(), y + rect.height()}, z + i},
                   {source, sourceSubresource, rect, front + i});
    if (failed(result)) return result;
  }
  return kOk;
}

HRESULT copyResource(DeviceObjects &objects, Resource &target, Resource &source) {
  if (target.subresources() != source.subresources()) return kInvalidArgument;
  for (uint32_t i = 0; i < source.subresources(); i++) {
    const HRESULT result = copyRegion(objects, target, i, 0, 0, 0, source, i, nullptr);
    if (failed(result)) return result;
  }
  return kOk;
}

HRESULT blitSubresource(DeviceObjects &objects, Resource &target, uint32_t targetSubresource, const Rect &rect,
                        Resource &source, uint32_t sourceSubresource, uint32_t flags) {
  if (target.isBuffer() || source.isBuffer() || targetSubresource >= target.subresources() ||
      sourceSubresource >= source.subresources())
    return kInvalidArgument;
  if (target.isMemory() || source.isMemory()) return kNotAvailable;
  const LevelLayout &from = source.layout().level(source.levelOf(sourceSubresource));
  const LevelLayout &to = target.layout().level(target.levelOf(targetSubresource));
  if (rect.isEmpty() || rect.right > to.width || rect.bottom > to.height) return kInvalidArgument;
  if (rect.width() != from.width || rect.height() != from.height) flags |= AEROGPU_EXT_BLIT_LINEAR;
  Context &context = objects.context;
  if (!touch(context, sizeof(aerogpu_cmd_ext_blit) + sizeof(aerogpu_ext_blit_rect), target, &source))
    return context.result(false);
  auto *packet = context.appendFitting<aerogpu_cmd_ext_blit>(1);
  packet->dst_texture = target.identity.handle;
  packet->dst_mip_level = target.levelOf(targetSubresource);
  packet->dst_array_layer = target.layerOf(targetSubresource);
  packet->src_texture = source.identity.handle;
  packet->src_mip_level = source.levelOf(sourceSubresource);
  packet->src_array_layer = source.layerOf(sourceSubresource);
  packet->flags = flags;
  *Context::elementsOf(packet) = {{rect.left, rect.top, rect.right, rect.bottom}, {0, 0, from.width, from.height}};
  return kOk;
}

HRESULT resolveSubresource(DeviceObjects &objects, Resource &target, uint32_t targetSubresource, Resource &source,
                           uint32_t sourceSubresource, bool isSrgb) {
  if (target.isBuffer() || !isFamily(target, source)) return kNotAvailable;
  const LevelLayout &level = target.layout().level(target.levelOf(targetSubresource));
  return blitSubresource(objects, target, targetSubresource, {0, 0, level.width, level.height}, source,
                         sourceSubresource,
                         isSrgb ? AEROGPU_EXT_BLIT_SRGB_DECODE | AEROGPU_EXT_BLIT_SRGB_ENCODE : AEROGPU_EXT_BLIT_NONE);
}

}  // namespace aero
