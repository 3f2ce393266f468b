// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/transfers/blt.h"

#include <bit>

#include "aerogpu/d3d9/states.h"
#include "guest-drivers/umd-d3d9/resources/compose_rects.h"
#include "guest-drivers/umd-d3d9/resources/surface_copies.h"

namespace aero {
namespace {

using Rs = aerogpu::d3d9::RenderStateType;

bool overlap(const Rect &a, const Rect &b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Returns false unless a rectangle lies within its surface, because the result of a copy is undefined then. */
bool take(const RECT &rect, const Surface &surface, Rect &out) {
  out = clipped(rect, surface.width, surface.height);
  return !out.isEmpty() && static_cast<LONG>(out.left) == rect.left && static_cast<LONG>(out.top) == rect.top &&
         static_cast<LONG>(out.right) == rect.right && static_cast<LONG>(out.bottom) == rect.bottom;
}

const uint8_t *pixelOf(const Surface &surface, const FormatRow &format, const Rect &rect) {
  const RowSpan span = rowsOf(format, rect);
  return surface.system + uint64_t{span.firstRow} * surface.systemPitch + span.firstByte;
}

/** True if the device compares texels of the format with a key: those of unsigned channels in at most four bytes
 * (BLIT-18). */
bool canHaveKey(const FormatRow &format) {
  return format.block == 1 && format.blockBytes <= 4 && !format.depth && !format.isYuv() &&
         ((format.d3d >= D3DDDIFMT_R8G8B8 && format.d3d < D3DDDIFMT_V8U8) || format.d3d == D3DDDIFMT_L16);
}

aerogpu_ext_rect wireRect(const Rect &rect) {
  return {rect.left, rect.top, rect.right, rect.bottom};
}

}  // namespace

HRESULT Blits::blt(const D3DDDIARG_BLT &args) {
  Resource *source = Resource::from(args.hSrcResource), *destination = Resource::from(args.hDstResource);
  if (!source || !destination) return kNotAvailable;
  Surface *from = source->surface(args.SrcSubResourceIndex), *to = destination->surface(args.DstSubResourceIndex);
  if (!from || !to) return kNotAvailable;
  // The next submission announces the frame to Windows' compositor, so it must happen even if the batch is empty.
  if (args.Flags.EndPresentToDwm) m_objects.context.demandSubmit();
  // The runtime itself copies between two of its own surfaces.
  const bool isRuntimes = source->isSystemMemory() && destination->isSystemMemory();
  const bool isOfBits = (source->isBitmap() || destination->isBitmap()) && !isRuntimes;
  if (!from->image && !to->image && !isOfBits) return kOk;
  Mapping mapping = {};
  if (!take(args.SrcRect, *from, mapping.from) || !take(args.DstRect, *to, mapping.to)) return kOk;
  mapping.linear = args.Flags.Linear;
  mapping.mirrorX = args.Flags.MirrorLeftRight;
  mapping.mirrorY = args.Flags.MirrorUpDown;
  mapping.toSrgb = args.Flags.LinearToSrgb;
  mapping.hasKey = args.Flags.SrcColorKey;
  mapping.key = args.ColorKey;
  mapping.hasTargetKey = args.Flags.DstColorKey;
  if (isOfBits)
    return mapping.isStraight() ? copyBits(*source, args.SrcSubResourceIndex, mapping.from, *destination,
                                           args.DstSubResourceIndex, mapping.to.left, mapping.to.top)
                                : kNotImplemented;
  if (from->image && to->image) return videoToVideo(*from, *to, mapping);

  const Image &image = *(from->image ? from : to)->image;
  const FormatRow *other = (from->image ? destination : source)->format();
  if (!other || (from->image ? !to->system : !from->system)) return kOk;
  const bool bytes = mapping.isStraight() && other->device == image.format->device;
  if (bytes && !other->isPlanar) {  // no page says where the runtime's memory has the colours
    const Box source{mapping.from, 0, 1}, area{mapping.to, 0, 1};
    return from->image ? readSurface(m_objects, *from, source, *to, *other, area)
                       : writeSurface(m_objects, *to, area, *from, *other, source);
  }
  if (other->isTight || other->isNull() || other->isPlanar) return kNotImplemented;
  if (from->image)
    return readMapped(*from, *other, mapping, const_cast<uint8_t *>(pixelOf(*to, *other, mapping.to)), to->systemPitch);
  return writeMapped(*other, pixelOf(*from, *other, mapping.from), from->systemPitch, *to, mapping);
}

/** Makes a texture of the size of `size`, for this copy only. */
bool Blits::Temporary::create(DeviceObjects &objects, const FormatRow &format, const Rect &size, uint32_t usage) {
  image.format = &format;
  if (!image.layout.set(format, size.width(), size.height(), 0, 1, 1, 1)) return false;
  image.handle = objects.take();
  aerogpu_cmd_create_texture2d create = {};
  create.texture_handle = image.handle;
  create.usage_flags = usage;
  create.format = format.device;
  create.width = size.width();
  create.height = size.height();
  create.mip_levels = 1;
  create.array_layers = 1;
  create.row_pitch_bytes = image.layout.level(0).pitch;
  if (!image.handle || !objects.context.send(create)) return false;
  surface.width = size.width();
  surface.height = size.height();
  surface.image = &image;
  return true;
}

/** Sends the runtime's pixels at `memory` to the device unchanged, and scales and converts them there. */
HRESULT Blits::writeMapped(const FormatRow &format, const uint8_t *memory, uint32_t pitch, Surface &to,
                           const Mapping &mapping) {
  if (format.depth != to.image->format->depth) return kNotImplemented;
  Temporary copy;
  Mapping inner = mapping;
  inner.from = {0, 0, mapping.from.width(), mapping.from.height()};
  HRESULT result = kOutOfMemory;
  if (copy.create(m_objects, format, mapping.from, AEROGPU_RESOURCE_USAGE_TEXTURE) &&
      copy.image.upload(m_objects, {0, 0, inner.from}, memory, pitch, 0))
    result = videoToVideo(copy.surface, to, inner);
  copy.image.destroy(m_objects);
  m_pipeline.forgetObjects();
  const HRESULT error = m_objects.context.takeError();
  return failed(error) ? error : result;
}

/** Scales and converts on the device, then reads the result back. */
HRESULT Blits::readMapped(Surface &from, const FormatRow &format, const Mapping &mapping, uint8_t *memory,
                          uint32_t pitch) {
  if (format.depth != from.image->format->depth || format.block != 1 || mapping.hasKey || mapping.hasTargetKey)
    return kNotImplemented;
  Temporary copy;
  Mapping inner = mapping;
  inner.to = {0, 0, mapping.to.width(), mapping.to.height()};
  HRESULT result = kOutOfMemory;
  if (copy.create(m_objects, format, mapping.to, AEROGPU_RESOURCE_USAGE_RENDER_TARGET)) {
    result = videoToVideo(from, copy.surface, inner);
    if (!failed(result)) result = readSurface(m_objects, copy.surface, inner.to, memory, pitch);
  }
  m_objects.destroy<aerogpu_cmd_destroy_resource>(copy.surface.view);
  copy.image.destroy(m_objects);
  m_pipeline.forgetObjects();
  const HRESULT error = m_objects.context.takeError();
  return failed(error) ? error : result;
}

/** Sends one EXT_BLIT, which uses and changes no state. */
bool Blits::sendBlit(Surface &from, Surface &to, const Mapping &mapping) {
  Context &context = m_objects.context;
  if (!context.ensure(sizeof(aerogpu_cmd_ext_blit) + sizeof(aerogpu_ext_blit_rect), 2)) return false;
  if (from.image->crossesContexts) context.use(from.image->memory, false);
  if (to.image->crossesContexts) context.use(to.image->memory, true);
  auto *packet = context.append<aerogpu_cmd_ext_blit>(1);
  packet->dst_texture = to.image->handle;
  packet->dst_mip_level = to.level;
  packet->dst_array_layer = to.layer;
  packet->src_texture = from.image->handle;
  packet->src_mip_level = from.level;
  packet->src_array_layer = from.layer;
  packet->flags =
      (mapping.linear && !mapping.hasKey ? AEROGPU_EXT_BLIT_LINEAR : 0) |
      (mapping.mirrorX ? AEROGPU_EXT_BLIT_MIRROR_X : 0) | (mapping.mirrorY ? AEROGPU_EXT_BLIT_MIRROR_Y : 0) |
      (mapping.toSrgb ? AEROGPU_EXT_BLIT_SRGB_ENCODE : 0) | (mapping.hasKey ? AEROGPU_EXT_BLIT_SRC_COLOR_KEY : 0) |
      (mapping.hasTargetKey ? AEROGPU_EXT_BLIT_DST_COLOR_KEY : 0);
  packet->color_key = mapping.key;
  aerogpu_ext_blit_rect &rects = *Context::elementsOf(packet);
  rects.dst = wireRect(mapping.to);
  rects.src = wireRect(mapping.from);
  return true;
}

HRESULT Blits::videoToVideo(Surface &from, Surface &to, const Mapping &mapping) {
  const FormatRow &source = *from.image->format, &destination = *to.image->format;
  if (destination.isPlanar) {  // only a copy of all its planes is possible
    const bool whole = mapping.from.left == 0 && mapping.from.top == 0 && mapping.from.right + 1 >= from.width &&
                       mapping.from.bottom + 1 >= from.height / 3 * 2;
    if (source.device != destination.device || !mapping.isStraight() || !(mapping.from == mapping.to) || !whole ||
        from.image == to.image || from.width != to.width || from.height != to.height)
      return kNotImplemented;
    to.markWritten();
    const Rect planes = {0, 0, from.width, from.height};
    return m_objects.context.result(
        copyPixels(m_objects, to.image->handle, 0, 0, 0, 0, from.image->handle, 0, 0, planes, AEROGPU_COPY_FLAG_NONE));
  }
  if ((mapping.hasKey && !canHaveKey(source)) || (mapping.hasTargetKey && !canHaveKey(destination)))
    return kNotImplemented;
  const bool same = &from == &to;
  const bool blocks = mapping.to == wholeBlocks(destination, mapping.to, to.width, to.height) &&
                      mapping.from == wholeBlocks(source, mapping.from, from.width, from.height);
  const bool copies = mapping.isStraight() && source.device == destination.device && blocks;
  const bool colours = !source.depth && !destination.depth && source.block == 1 && destination.block == 1 &&
                       (copies || !destination.isYuv());
  if (m_objects.context.runtime().has(AEROGPU_EXT_FEATURE_HI_BLIT) && (copies || colours)) {
    to.markWritten();
    return m_objects.context.result(sendBlit(from, to, mapping));
  }
  if (mapping.hasKey || mapping.hasTargetKey) return kNotImplemented;
  if (copies && !(same && overlap(mapping.from, mapping.to))) {
    if (!m_objects.context.ensure(sizeof(aerogpu_cmd_copy_texture2d), 2)) return m_objects.context.result(false);
    if (from.image->crossesContexts) m_objects.context.use(from.image->memory, false);
    if (to.image->crossesContexts) m_objects.context.use(to.image->memory, true);
    to.markWritten();
    return m_objects.context.result(copyPixels(m_objects, to.image->handle, to.level, to.layer, mapping.to.left,
                                               mapping.to.top, from.image->handle, from.level, from.layer, mapping.from,
                                               AEROGPU_COPY_FLAG_NONE));
  }
  if (source.depth || destination.depth || destination.block != 1 || destination.isYuv()) return kNotImplemented;
  to.markWritten();
  if (!same && from.image != to.image) {
    const uint32_t view = surfaceView(m_objects, from);
    return m_objects.context.result(view && drawMapped(from, view, to, mapping));
  }
  // A draw cannot read its own target, so the pixels go through another texture.
  uint32_t copy = m_objects.take();
  aerogpu_cmd_create_texture2d create = {};
  create.texture_handle = copy;
  create.usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE;
  create.format = source.device;
  create.width = from.width;
  create.height = from.height;
  create.mip_levels = 1;
  create.array_layers = 1;
  const Rect area = wholeBlocks(source, mapping.from, from.width, from.height);
  const bool sent = copy && m_objects.context.send(create) &&
                    copyPixels(m_objects, copy, 0, 0, area.left, area.top, from.image->handle, from.level, from.layer,
                               area, AEROGPU_COPY_FLAG_NONE) &&
                    drawMapped(from, copy, to, mapping);
  m_objects.destroy<aerogpu_cmd_destroy_resource>(copy);
  m_pipeline.forgetObjects();
  return m_objects.context.result(sent);
}

HRESULT Blits::colorFill(const D3DDDIARG_COLORFILL &args) {
  Resource *resource = Resource::from(args.hResource);
  Surface *surface = resource ? resource->surface(args.SubResourceIndex) : nullptr;
  if (!surface) return kNotAvailable;
  if (args.Flags.PresentToDwm) m_objects.context.demandSubmit();
  // The runtime fills its own memory.
  if (!surface->image) return resource->ownsBits() ? kNotImplemented : kOk;
  const FormatRow &format = *surface->image->format;
  if (format.depth || format.isTight) return kNotImplemented;
  if (format.isYuv()) return fillVideo(*surface, args.DstRect, args.Color);
  const Rect rect = clipped(args.DstRect, surface->width, surface->height);
  if (rect.isEmpty()) return kOk;
  if (format.block != 1)
    return fillBlocks(*surface, wholeBlocks(format, rect, surface->width, surface->height), args.Color);
  surface->markWritten();
  Context &context = m_objects.context;
  uint32_t color[4];
  for (uint32_t i = 0; i < 4; i++) {
    constexpr uint32_t kShift[] = {16, 8, 0, 24};  // D3DCOLOR is ARGB
    color[i] = std::bit_cast<uint32_t>(static_cast<float>(args.Color >> kShift[i] & 0xFF) / 255.0f);
  }
  if (format.d3d == D3DDDIFMT_P8) color[0] = color[2];  // the lowest byte is the index
  if (context.runtime().has(AEROGPU_EXT_FEATURE_HI_BLIT)) {
    aerogpu_cmd_ext_fill *packet = appendFill(*surface, rect);
    if (!packet) return m_objects.context.result(false);
    packet->flags = AEROGPU_EXT_FILL_COLOR;
    memcpy(packet->color_rgba_f32, color, sizeof color);
    return m_objects.context.result(true);
  }
  const uint32_t target = surfaceView(m_objects, *surface);
  ViewportState viewport;
  viewport.x = rect.left;
  viewport.y = rect.top;
  viewport.width = rect.width();
  viewport.height = rect.height();
  if (!target || m_pipeline.prepareClear() == Prepared::Failed ||
      !m_pipeline.renderStates.force(context, static_cast<uint32_t>(Rs::ScissorTestEnable), 0) ||
      !m_pipeline.renderStates.force(context, static_cast<uint32_t>(Rs::SrgbWriteEnable), 0) ||
      !m_pipeline.targets.force(context, &target, 1, 0) || !m_pipeline.viewport.force(context, viewport) ||
      !context.ensure(sizeof(aerogpu_cmd_clear), 1))
    return m_objects.context.result(false);
  if (surface->image->crossesContexts) context.use(surface->image->memory, true);
  aerogpu_cmd_clear clear = {};
  clear.flags = AEROGPU_CLEAR_COLOR;
  memcpy(clear.color_rgba_f32, color, sizeof color);
  return m_objects.context.result(context.send(clear));
}

/** Fills blocks with one colour (page "Compressed Texture Formats"): both end colours are equal. BC1 blocks are opaque,
 * BC2 has 4 bits of alpha a texel, BC3 has two ends of alpha. */
HRESULT Blits::fillBlocks(Surface &surface, const Rect &rect, uint32_t color) {
  const FormatRow &format = *surface.image->format;
  const RowSpan span = rowsOf(format, rect);
  const uint32_t alpha = color >> 24;
  const auto nearest = [color](uint32_t shift, uint32_t most) { return ((color >> shift & 0xFF) * most + 127) / 255; };
  const auto ends = static_cast<uint16_t>(nearest(16, 31) << 11 | nearest(8, 63) << 5 | nearest(0, 31));
  uint8_t block[16] = {};
  if (format.device == AEROGPU_FORMAT_BC2_RGBA_UNORM) memset(block, static_cast<int>((alpha * 15 + 127) / 255 * 17), 8);
  if (format.device == AEROGPU_FORMAT_BC3_RGBA_UNORM) block[0] = block[1] = static_cast<uint8_t>(alpha);
  uint8_t *colors = block + format.blockBytes - 8;
  memcpy(colors, &ends, sizeof ends);
  memcpy(colors + 2, &ends, sizeof ends);
  auto *row = static_cast<uint8_t *>(heapAllocate(span.bytes));
  if (!row) return kOutOfMemory;
  for (uint32_t at = 0; at < span.bytes; at += format.blockBytes) memcpy(row + at, block, format.blockBytes);
  const HRESULT result = writeSurface(m_objects, surface, rect, row, 0);  // the source is one row, with pitch 0
  heapFree(row);
  return result;
}

/** Appends a fill of one rectangle; the caller sets the value. */
aerogpu_cmd_ext_fill *Blits::appendFill(Surface &surface, const Rect &rect) {
  Context &context = m_objects.context;
  if (!context.ensure(sizeof(aerogpu_cmd_ext_fill) + sizeof(aerogpu_ext_rect), 1)) return nullptr;
  if (surface.image->crossesContexts) context.use(surface.image->memory, true);
  auto *packet = context.append<aerogpu_cmd_ext_fill>(1);
  packet->texture = surface.image->handle;
  packet->mip_level = surface.level;
  packet->array_layer = surface.layer;
  *Context::elementsOf(packet) = wireRect(rect);
  return packet;
}

HRESULT Blits::depthFill(const D3DDDIARG_DEPTHFILL &args) {
  Resource *resource = Resource::from(args.hResource);
  Surface *surface = resource ? resource->surface(args.SubResourceIndex) : nullptr;
  if (!surface) return kNotAvailable;
  // The runtime fills its own memory.
  if (!surface->image) return resource->ownsBits() ? kNotImplemented : kOk;
  if (!surface->image->format->depth || !m_objects.context.runtime().has(AEROGPU_EXT_FEATURE_HI_BLIT))
    return kNotImplemented;
  const Rect rect = clipped(args.DstRect, surface->width, surface->height);
  if (rect.isEmpty()) return kOk;
  // The value is a texel in the runtime's format, whatever the device's format is.
  float depth = 0;
  bool hasStencil = false;
  uint32_t stencil = args.Depth & 0xFF;
  switch (resource->format()->d3d) {
  case D3DDDIFMT_D16:
  case D3DDDIFMT_D16_LOCKABLE:
    depth = static_cast<float>(args.Depth & 0xFFFF) / 65535.0f;
    break;
  case D3DDDIFMT_D24S8:  // the depth is in the highest bits
  case D3DDDIFMT_D24X8:
    depth = static_cast<float>((args.Depth >> 8) / 16777215.0);
    hasStencil = surface->image->format->stencil;
    break;
  case D3DDDIFMT_S8D24:  // the depth is in the lowest bits
  case D3DDDIFMT_X8D24:
    depth = static_cast<float>((args.Depth & 0xFFFFFF) / 16777215.0);
    hasStencil = surface->image->format->stencil;
    stencil = args.Depth >> 24;
    break;
  case D3DDDIFMT_D32F_LOCKABLE:
    depth = std::bit_cast<float>(args.Depth);
    break;
  default:
    return kNotImplemented;
  }
  if (!(depth >= 0)) depth = 0;
  if (depth > 1) depth = 1;
  aerogpu_cmd_ext_fill *packet = appendFill(*surface, rect);
  if (!packet) return m_objects.context.result(false);
  surface->markWritten();
  packet->flags = AEROGPU_EXT_FILL_DEPTH | (hasStencil ? AEROGPU_EXT_FILL_STENCIL : 0);
  packet->depth_f32 = std::bit_cast<uint32_t>(depth);
  packet->stencil = stencil;
  return m_objects.context.result(true);
}

HRESULT Blits::resolveDepth() {
  const Target &target = m_pipeline.targets.depth();
  Resource *texture = m_pipeline.textures.wanted(0);
  Surface *from = target.surface, *to = texture ? texture->surface(0) : nullptr;
  if (!from || !to || from == to || !to->image || from->width != to->width || from->height != to->height) return kOk;
  if (!m_objects.context.runtime().has(AEROGPU_EXT_FEATURE_HI_BLIT)) return kOk;
  // What programs sample is another format with the same bytes, which the device copies as an equal one (FMT-9).
  const auto stored = [](const Surface &surface) {
    const uint32_t device = surface.image->format->device;
    const bool is24 = device == AEROGPU_FORMAT_D3D9_INTZ || device == AEROGPU_FORMAT_D3D9_DF24;
    return is24                                 ? uint32_t{AEROGPU_FORMAT_D24_UNORM_S8_UINT}
           : device == AEROGPU_FORMAT_D3D9_DF16 ? uint32_t{AEROGPU_FORMAT_D3D9_D16}
                                                : device;
  };
  if (!to->image->format->depth || stored(*from) != stored(*to) || to->image->sampleCount > 1) return kOk;
  Mapping mapping;
  mapping.from = mapping.to = {0, 0, from->width, from->height};
  to->markWritten();
  return m_objects.context.result(sendBlit(*from, *to, mapping));
}

HRESULT Blits::bufBlt(const D3DDDIARG_BUFFERBLT &args) {
  Resource *source = Resource::from(args.hSrcResource), *destination = Resource::from(args.hDstResource);
  if (!source || !destination || !source->isBuffer() || !destination->isBuffer()) return kNotAvailable;
  BufferStore &from = source->buffer(), &to = destination->buffer();
  const uint32_t begin = args.SrcRange.Offset, offset = args.Offset;
  if (begin >= from.size || offset >= to.size) return kOk;
  uint32_t bytes = args.SrcRange.Size;
  if (bytes > from.size - begin) bytes = from.size - begin;
  if (bytes > to.size - offset) bytes = to.size - offset;
  memmove(to.bytes + offset, from.bytes + begin, bytes);
  to.markDirty(offset, offset + bytes);
  return kOk;
}

}  // namespace aero
