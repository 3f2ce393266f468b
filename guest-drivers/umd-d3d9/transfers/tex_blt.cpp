// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/transfers/tex_blt.h"

#include "guest-drivers/umd-d3d9/resources/compose_rects.h"
#include "guest-drivers/umd-d3d9/resources/surface_copies.h"

namespace aero {
namespace {

HRESULT copyOnDevice(DeviceObjects &objects, Surface &from, const Box &box, Surface &to, const Box &area) {
  Image &source = *from.image, &destination = *to.image;
  to.markWritten();
  for (uint32_t slice = 0; slice < area.back - area.front; slice++) {
    if (!objects.context.ensure(sizeof(aerogpu_cmd_copy_texture2d), 2)) return objects.context.takeError();
    if (source.crossesContexts) objects.context.use(source.memory, false);
    if (destination.crossesContexts) objects.context.use(destination.memory, true);
    if (!copyPixels(objects, destination.handle, to.level, to.layer + area.front + slice, area.rect.left, area.rect.top,
                    source.handle, from.level, from.layer + box.front + slice, box.rect, AEROGPU_COPY_FLAG_NONE))
      return objects.context.takeError();
  }
  return kOk;
}

HRESULT copyBox(DeviceObjects &objects, const FormatRow &format, Surface &from, const Box &box, Surface &to,
                const Box &area) {
  if (from.image && to.image) return copyOnDevice(objects, from, box, to, area);
  if (from.system && to.image) return writeSurface(objects, to, area, from, format, box);
  if (from.image && to.system) return readSurface(objects, from, box, to, format, area);
  return kOk;  // the runtime itself copies between two of its own resources
}

/** A part of the first level of the source, and its place in the first level of the destination. */
struct Transfer {
  uint32_t face = 0;
  RECT rect = {};
  uint32_t front = 0, back = 1;
  uint32_t x = 0, y = 0, z = 0;
};

/** Returns the end of a range of the first level in the level `shift`: a partly covered texel counts as covered. */
constexpr uint32_t upShifted(uint32_t value, uint32_t shift) {
  return static_cast<uint32_t>((uint64_t{value} + (uint64_t{1} << shift) - 1) >> shift);
}

HRESULT transfer(DeviceObjects &objects, Resource *source, Resource *destination, const Transfer &what) {
  if (!source || !destination || !source->surfaceCount() || !destination->surfaceCount()) return kNotAvailable;
  const FormatRow *format = destination->format();
  const bool isOfBits = source->isBitmap() && destination->isBitmap();
  if (!isOfBits && (!format || !source->format() || source->format()->device != format->device || format->isPlanar))
    return kNotImplemented;
  if (isOfBits && source->isSystemMemory() && destination->isSystemMemory())
    return kOk;  // the runtime copies, as in copyBox()
  const uint32_t fromLevels = source->levels(), toLevels = destination->levels();
  // The destination's first level may be a lower level of the source.
  uint32_t skipped = 0;
  const Surface &top = *destination->surface(0);
  const auto isLarger = [&top](const Surface &surface) {
    return surface.width > top.width || surface.height > top.height || surface.depth > top.depth;
  };
  while (skipped + 1 < fromLevels && isLarger(*source->surface(skipped))) skipped++;
  for (uint32_t level = 0; level < toLevels && skipped + level < fromLevels; level++) {
    const uint32_t shift = skipped + level;
    const uint32_t sourceIndex = what.face * fromLevels + shift, destinationIndex = what.face * toLevels + level;
    Surface *from = source->surface(sourceIndex);
    Surface *to = destination->surface(destinationIndex);
    if (!from || !to) break;
    const auto up = [shift](LONG value) {
      return static_cast<LONG>((int64_t{value} + (int64_t{1} << shift) - 1) >> shift);
    };
    const RECT part = {what.rect.left >> shift, what.rect.top >> shift, up(what.rect.right), up(what.rect.bottom)};
    Box box;
    box.rect = clipped(part, from->width, from->height);
    if (!isOfBits) box.rect = wholeBlocks(*format, box.rect, from->width, from->height);
    box.front = what.front >> shift;
    box.back = upShifted(what.back, shift);
    if (box.back > from->depth) box.back = from->depth;
    const uint32_t x = what.x >> level, y = what.y >> level, z = what.z >> level;
    if (box.isEmpty() || x >= to->width || y >= to->height || z >= to->depth) continue;
    const auto fit = [](uint32_t begin, uint32_t &end, uint32_t room) {
      if (end - begin > room) end = begin + room;
    };
    fit(box.rect.left, box.rect.right, to->width - x);
    fit(box.rect.top, box.rect.bottom, to->height - y);
    fit(box.front, box.back, to->depth - z);
    const Box area = {{x, y, x + box.rect.width(), y + box.rect.height()}, z, z + box.back - box.front};
    const HRESULT result = isOfBits ? copyBits(*source, sourceIndex, box.rect, *destination, destinationIndex, x, y)
                                    : copyBox(objects, *format, *from, box, *to, area);
    if (failed(result)) return result;
  }
  return kOk;
}

}  // namespace

HRESULT texBlt(DeviceObjects &objects, const D3DDDIARG_TEXBLT &args) {
  Resource *destination = Resource::from(args.hDstResource);
  Transfer what;
  what.face = destination && destination->flags().CubeMap ? args.CubeMapFace : 0;
  what.rect = args.SrcRect;
  what.x = args.DstPoint.x > 0 ? static_cast<uint32_t>(args.DstPoint.x) : 0;
  what.y = args.DstPoint.y > 0 ? static_cast<uint32_t>(args.DstPoint.y) : 0;
  return transfer(objects, Resource::from(args.hSrcResource), destination, what);
}

HRESULT volBlt(DeviceObjects &objects, const D3DDDIARG_VOLUMEBLT &args) {
  Transfer what;
  const auto edge = [](UINT value) { return static_cast<LONG>(value < kMaxEdge ? value : kMaxEdge); };
  what.rect = {edge(args.SrcBox.Left), edge(args.SrcBox.Top), edge(args.SrcBox.Right), edge(args.SrcBox.Bottom)};
  what.front = args.SrcBox.Front;
  what.back = args.SrcBox.Back;
  what.x = args.DstX;
  what.y = args.DstY;
  what.z = args.DstZ;
  return transfer(objects, Resource::from(args.hSrcResource), Resource::from(args.hDstResource), what);
}

HRESULT generateMips(DeviceObjects &objects, const D3DDDIARG_GENERATEMIPSUBLEVELS &args) {
  Resource *resource = Resource::from(args.hResource);
  if (!resource) return kNotAvailable;
  // Point is the only filter that does not weigh texels.
  return resource->generateLevels(objects, args.Filter == D3DDDITEXF_POINT || args.Filter == D3DDDITEXF_NONE);
}

}  // namespace aero
