// SPDX-License-Identifier: MIT
#include "blt.h"

#include <bit>

#include "aerogpu/d3d9/state_values.h"
#include "aerogpu/d3d9/states.h"
#include "blt.ps.h"
#include "blt.vs.h"
#include "lock.h"

namespace aero {
namespace {

using Rs = aerogpu::d3d9::RenderStateType;
using Samp = aerogpu::d3d9::SamplerStateType;

/** Position in clip space and texture coordinates of a corner. */
struct Corner {
  float x, y, u, v;
};

constexpr aerogpu::d3d9::VertexElement kElements[] = {
    {0, 0, aerogpu::d3d9::DeclType::Float2, aerogpu::d3d9::DeclMethod::Default, aerogpu::d3d9::Usage::Position, 0},
    {0, 8, aerogpu::d3d9::DeclType::Float2, aerogpu::d3d9::DeclMethod::Default, aerogpu::d3d9::Usage::TexCoord, 0},
    aerogpu::d3d9::kDeclEnd};

template <class Enum> constexpr uint32_t number(Enum value) {
  return static_cast<uint32_t>(value);
}

bool overlap(const Rect &a, const Rect &b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Both rectangles lie inside of their surfaces, or else there is nothing to copy in a way that has a meaning. */
bool take(const RECT &rect, const Surface &surface, Rect &out) {
  out = clipped(rect, surface.width, surface.height);
  return !out.isEmpty() && static_cast<LONG>(out.left) == rect.left && static_cast<LONG>(out.top) == rect.top &&
         static_cast<LONG>(out.right) == rect.right && static_cast<LONG>(out.bottom) == rect.bottom;
}

const uint8_t *pixelOf(const Surface &surface, const FormatRow &format, const Rect &rect) {
  const RowSpan span = rowsOf(format, rect);
  return surface.system + uint64_t{span.firstRow} * surface.systemPitch + span.firstByte;
}

}  // namespace

HRESULT Blits::result(bool sent) {
  const HRESULT error = m_wire.context.takeError();
  return failed(error) || sent ? error : kOutOfMemory;
}

void Blits::destroy() {
  m_vertexShader.destroy(m_wire);
  m_pixelShader.destroy(m_wire);
  m_wire.destroy<aerogpu_cmd_destroy_input_layout>(m_layout);
}

bool Blits::makeObjects() {
  if (m_layout) return true;
  if (!m_vertexShader.handle() &&
      failed(m_vertexShader.create(m_wire, AEROGPU_SHADER_STAGE_VERTEX, k_blt_vs, sizeof k_blt_vs)))
    return false;
  if (!m_pixelShader.handle() &&
      failed(m_pixelShader.create(m_wire, AEROGPU_SHADER_STAGE_PIXEL, k_blt_ps, sizeof k_blt_ps)))
    return false;
  const uint32_t layout = m_wire.take();
  auto *packet = layout ? m_wire.context.append<aerogpu_cmd_create_input_layout>(sizeof kElements) : nullptr;
  if (!packet) return false;
  packet->input_layout_handle = layout;
  memcpy(Context::elementsOf(packet), kElements, sizeof kElements);
  m_layout = layout;
  return true;
}

HRESULT Blits::blt(const D3DDDIARG_BLT &args) {
  Resource *source = Resource::from(args.hSrcResource), *destination = Resource::from(args.hDstResource);
  if (!source || !destination) return kNotAvailable;
  Surface *from = source->surface(args.SrcSubResourceIndex), *to = destination->surface(args.DstSubResourceIndex);
  if (!from || !to) return kNotAvailable;
  if (args.Flags.SrcColorKey || args.Flags.DstColorKey) return kNotImplemented;
  // The frame that Windows composes is told of with the submission that holds the last part of it.
  if (args.Flags.EndPresentToDwm) m_wire.context.demandSubmit();
  // Between two of its own the runtime copies by itself.
  if (!from->image && !to->image) return kOk;
  Mapping mapping = {};
  if (!take(args.SrcRect, *from, mapping.from) || !take(args.DstRect, *to, mapping.to)) return kOk;
  mapping.linear = args.Flags.Linear;
  mapping.mirrorX = args.Flags.MirrorLeftRight;
  mapping.mirrorY = args.Flags.MirrorUpDown;
  mapping.toSrgb = args.Flags.LinearToSrgb;
  if (from->image && to->image) return videoToVideo(*from, *to, mapping);

  const bool straight = mapping.from.width() == mapping.to.width() && mapping.from.height() == mapping.to.height() &&
                        !mapping.mirrorX && !mapping.mirrorY && !mapping.toSrgb;
  const Image &image = *(from->image ? from : to)->image;
  const FormatRow *other = (from->image ? destination : source)->format();
  if (!straight || !other || other->device != image.format->device) return kNotImplemented;
  if (from->image) {
    if (!to->system) return kOk;
    return readSurface(m_wire, *from, mapping.from, const_cast<uint8_t *>(pixelOf(*to, *other, mapping.to)),
                       to->systemPitch);
  }
  if (!from->system) return kOk;
  return writeSurface(m_wire, *to, mapping.to, pixelOf(*from, *other, mapping.from), from->systemPitch);
}

HRESULT Blits::videoToVideo(Surface &from, Surface &to, const Mapping &mapping) {
  const FormatRow &source = *from.image->format, &destination = *to.image->format;
  const bool same = &from == &to;
  const bool straight = mapping.from.width() == mapping.to.width() && mapping.from.height() == mapping.to.height() &&
                        !mapping.mirrorX && !mapping.mirrorY && !mapping.toSrgb;
  const bool blocks = mapping.to == wholeBlocks(destination, mapping.to, to.width, to.height) &&
                      mapping.from == wholeBlocks(source, mapping.from, from.width, from.height);
  if (straight && source.device == destination.device && blocks && !(same && overlap(mapping.from, mapping.to))) {
    if (!m_wire.context.ensure(sizeof(aerogpu_cmd_copy_texture2d), 2)) return result(false);
    if (from.image->crossesContexts) m_wire.context.use(from.image->memory, false);
    if (to.image->crossesContexts) m_wire.context.use(to.image->memory, true);
    to.memoryStale = true;
    return result(copyPixels(m_wire, to.image->handle, to.level, to.layer, mapping.to.left, mapping.to.top,
                             from.image->handle, from.level, from.layer, mapping.from, AEROGPU_COPY_FLAG_NONE));
  }
  if (source.depth || destination.depth || destination.block != 1) return kNotImplemented;
  to.memoryStale = true;
  if (!same && from.image != to.image) {
    const uint32_t view = surfaceView(m_wire, from);
    return result(view && drawMapped(from, view, to, mapping));
  }
  // A texture is not read while it is drawn to, so its pixels go through another one.
  uint32_t copy = m_wire.take();
  aerogpu_cmd_create_texture2d create = {};
  create.texture_handle = copy;
  create.usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE;
  create.format = source.device;
  create.width = from.width;
  create.height = from.height;
  create.mip_levels = 1;
  create.array_layers = 1;
  const Rect area = wholeBlocks(source, mapping.from, from.width, from.height);
  const bool sent = copy && m_wire.context.send(create) &&
                    copyPixels(m_wire, copy, 0, 0, area.left, area.top, from.image->handle, from.level, from.layer,
                               area, AEROGPU_COPY_FLAG_NONE) &&
                    drawMapped(from, copy, to, mapping);
  m_wire.destroy<aerogpu_cmd_destroy_resource>(copy);
  m_pipeline.forgetObjects();
  return result(sent);
}

bool Blits::drawMapped(Surface &from, uint32_t fromView, Surface &to, const Mapping &mapping) {
  const uint32_t target = makeObjects() ? surfaceView(m_wire, to) : 0;
  if (!target || m_pipeline.prepareClear() == Prepared::Failed) return false;
  Context &context = m_wire.context;

  const struct {
    Rs state;
    uint32_t value;
  } kStates[] = {{Rs::ZEnable, 0},           {Rs::FillMode, number(aerogpu::d3d9::FillMode::Solid)},
                 {Rs::AlphaTestEnable, 0},   {Rs::CullMode, number(aerogpu::d3d9::CullMode::None)},
                 {Rs::AlphaBlendEnable, 0},  {Rs::FogEnable, 0},
                 {Rs::StencilEnable, 0},     {Rs::ColorWriteEnable, 15},
                 {Rs::ScissorTestEnable, 0}, {Rs::SrgbWriteEnable, mapping.toSrgb}};
  for (const auto &each : kStates)
    if (!m_pipeline.renderStates.force(context, number(each.state), each.value)) return false;
  const uint32_t filter =
      number(mapping.linear ? aerogpu::d3d9::TextureFilter::Linear : aerogpu::d3d9::TextureFilter::Point);
  const uint32_t clamp = number(aerogpu::d3d9::TextureAddress::Clamp);
  const struct {
    Samp state;
    uint32_t value;
  } kSampler[] = {{Samp::AddressU, clamp},   {Samp::AddressV, clamp}, {Samp::MagFilter, filter},
                  {Samp::MinFilter, filter}, {Samp::MipFilter, 0},    {Samp::MipMapLodBias, 0},
                  {Samp::MaxMipLevel, 0},    {Samp::SrgbTexture, 0}};
  for (const auto &each : kSampler)
    if (!m_pipeline.samplers.force(context, 0, number(each.state), each.value)) return false;

  // Pixel centres are whole numbers: pixel n reaches from n - 1/2 to n + 1/2.
  const auto clipX = [&](uint32_t x) { return (static_cast<float>(x) - 0.5f) * 2 / static_cast<float>(to.width) - 1; };
  const auto clipY = [&](uint32_t y) { return 1 - (static_cast<float>(y) - 0.5f) * 2 / static_cast<float>(to.height); };
  float left = static_cast<float>(mapping.from.left) / static_cast<float>(from.width);
  float right = static_cast<float>(mapping.from.right) / static_cast<float>(from.width);
  float top = static_cast<float>(mapping.from.top) / static_cast<float>(from.height);
  float bottom = static_cast<float>(mapping.from.bottom) / static_cast<float>(from.height);
  if (mapping.mirrorX) std::swap(left, right);
  if (mapping.mirrorY) std::swap(top, bottom);
  const Rect &area = mapping.to;
  const Corner corners[4] = {{clipX(area.left), clipY(area.top), left, top},
                             {clipX(area.right), clipY(area.top), right, top},
                             {clipX(area.left), clipY(area.bottom), left, bottom},
                             {clipX(area.right), clipY(area.bottom), right, bottom}};
  ViewportState viewport;
  viewport.width = to.width;
  viewport.height = to.height;
  uint32_t offset;
  if (!m_pipeline.forceTexture(0, fromView) || !m_pipeline.forceTargets(&target, 1, 0) ||
      !m_pipeline.forceViewport(viewport) ||
      !m_pipeline.forceShaders(m_vertexShader.handle(), m_pixelShader.handle()) || !m_pipeline.forceLayout(m_layout) ||
      !m_draws.ring().place(m_wire, corners, sizeof corners, offset) ||
      !m_pipeline.bindStream(0, {m_draws.ring().handle(), offset, sizeof(Corner)}) ||
      !m_pipeline.bindTopology(AEROGPU_TOPOLOGY_TRIANGLESTRIP) || !context.ensure(sizeof(aerogpu_cmd_draw), 2))
    return false;
  if (from.image->crossesContexts) context.use(from.image->memory, false);
  if (to.image->crossesContexts) context.use(to.image->memory, true);
  aerogpu_cmd_draw draw = {};
  draw.vertex_count = 4;
  draw.instance_count = 1;
  return context.send(draw);
}

HRESULT Blits::colorFill(const D3DDDIARG_COLORFILL &args) {
  Resource *resource = Resource::from(args.hResource);
  Surface *surface = resource ? resource->surface(args.SubResourceIndex) : nullptr;
  if (!surface) return kNotAvailable;
  if (args.Flags.PresentToDwm) m_wire.context.demandSubmit();
  if (!surface->image) return kOk;  // the runtime fills its own memory
  const FormatRow &format = *surface->image->format;
  if (format.depth || format.block != 1) return kNotImplemented;
  const Rect rect = clipped(args.DstRect, surface->width, surface->height);
  if (rect.isEmpty()) return kOk;
  const uint32_t target = surfaceView(m_wire, *surface);
  ViewportState viewport;
  viewport.x = rect.left;
  viewport.y = rect.top;
  viewport.width = rect.width();
  viewport.height = rect.height();
  surface->memoryStale = true;
  Context &context = m_wire.context;
  if (!target || m_pipeline.prepareClear() == Prepared::Failed ||
      !m_pipeline.renderStates.force(context, number(Rs::ScissorTestEnable), 0) ||
      !m_pipeline.renderStates.force(context, number(Rs::SrgbWriteEnable), 0) ||
      !m_pipeline.forceTargets(&target, 1, 0) || !m_pipeline.forceViewport(viewport) ||
      !context.ensure(sizeof(aerogpu_cmd_clear), 1))
    return result(false);
  if (surface->image->crossesContexts) context.use(surface->image->memory, true);
  aerogpu_cmd_clear clear = {};
  clear.flags = AEROGPU_CLEAR_COLOR;
  for (uint32_t i = 0; i < 4; i++) {
    constexpr uint32_t kShift[] = {16, 8, 0, 24};  // D3DCOLOR is ARGB
    clear.color_rgba_f32[i] = std::bit_cast<uint32_t>(static_cast<float>(args.Color >> kShift[i] & 0xFF) / 255.0f);
  }
  return result(context.send(clear));
}

HRESULT Blits::texBlt(const D3DDDIARG_TEXBLT &args) {
  Resource *source = Resource::from(args.hSrcResource), *destination = Resource::from(args.hDstResource);
  if (!source || !destination || !source->surfaceCount() || !destination->surfaceCount()) return kNotAvailable;
  const FormatRow *format = destination->format();
  if (!format || !source->format() || source->format()->device != format->device) return kNotImplemented;
  const uint32_t fromLevels = source->levels(), toLevels = destination->levels();
  const bool cube = destination->flags().CubeMap;
  const uint32_t face = cube ? args.CubeMapFace : 0;
  // The destination may begin at a lower level of the source.
  uint32_t skipped = 0;
  const Surface &top = *destination->surface(0);
  while (skipped + 1 < fromLevels &&
         (source->surface(skipped)->width > top.width || source->surface(skipped)->height > top.height))
    skipped++;
  for (uint32_t level = 0; level < toLevels && skipped + level < fromLevels; level++) {
    const uint32_t shift = skipped + level;
    Surface *from = source->surface(face * fromLevels + shift), *to = destination->surface(face * toLevels + level);
    if (!from || !to) break;
    // What is half covered at a lower level is covered.
    const auto up = [shift](LONG value) {
      return static_cast<LONG>((int64_t{value} + (int64_t{1} << shift) - 1) >> shift);
    };
    const RECT part = {args.SrcRect.left >> shift, args.SrcRect.top >> shift, up(args.SrcRect.right),
                       up(args.SrcRect.bottom)};
    Rect rect = wholeBlocks(*format, clipped(part, from->width, from->height), from->width, from->height);
    const uint32_t x = static_cast<uint32_t>(args.DstPoint.x > 0 ? args.DstPoint.x : 0) >> level;
    const uint32_t y = static_cast<uint32_t>(args.DstPoint.y > 0 ? args.DstPoint.y : 0) >> level;
    if (rect.isEmpty() || x >= to->width || y >= to->height) continue;
    if (rect.width() > to->width - x) rect.right = rect.left + to->width - x;
    if (rect.height() > to->height - y) rect.bottom = rect.top + to->height - y;
    const Rect area = {x, y, x + rect.width(), y + rect.height()};
    HRESULT result = kOk;
    if (from->system && to->image)
      result = writeSurface(m_wire, *to, area, pixelOf(*from, *format, rect), from->systemPitch);
    else if (from->image && to->system)
      result = readSurface(m_wire, *from, rect, const_cast<uint8_t *>(pixelOf(*to, *format, area)), to->systemPitch);
    else if (from->image && to->image)
      result = videoToVideo(*from, *to, {rect, area, false, false, false, false});
    if (failed(result)) return result;
  }
  return kOk;
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
