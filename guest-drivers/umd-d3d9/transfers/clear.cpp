// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/transfers/clear.h"

#include <bit>

#include "aerogpu/aerogpu_extension.h"
#include "aerogpu/d3d9/states.h"

namespace aero {
namespace {

constexpr uint32_t kClearTarget = 1, kClearDepth = 2, kClearStencil = 4, kComputeRects = 8;  // D3DCLEAR_*
constexpr uint32_t kScissorTest = static_cast<uint32_t>(aerogpu::d3d9::RenderStateType::ScissorTestEnable);
constexpr uint32_t kSrgbWrite = static_cast<uint32_t>(aerogpu::d3d9::RenderStateType::SrgbWriteEnable);

LONG smaller(LONG a, LONG b) {
  return a < b ? a : b;
}
LONG larger(LONG a, LONG b) {
  return a > b ? a : b;
}

/** The smallest size of several surfaces; 0 while there is none. */
struct Least {
  uint32_t width = 0, height = 0;
  bool isUneven = false;
  void include(const Surface &surface) {
    isUneven |= width && (surface.width != width || surface.height != height);
    if (!width || surface.width < width) width = surface.width;
    if (!height || surface.height < height) height = surface.height;
  }
};

RECT intersection(const RECT &a, const RECT &b) {
  return {larger(a.left, b.left), larger(a.top, b.top), smaller(a.right, b.right), smaller(a.bottom, b.bottom)};
}

bool isEmpty(const RECT &rect) {
  return rect.left >= rect.right || rect.top >= rect.bottom;
}

}  // namespace

/** Fills rectangles of one surface, clipped to `bound` and the surface. */
bool Clears::fill(Surface &surface, const aerogpu_cmd_ext_fill &what, const RECT &bound, uint32_t count,
                  const RECT *rects) {
  constexpr uint32_t kMost = 256;  // limit of a packet; the device takes 1024 (BLIT-2)
  aerogpu_ext_rect areas[kMost];
  const RECT all = intersection(bound, {0, 0, static_cast<LONG>(surface.width), static_cast<LONG>(surface.height)});
  Context &context = m_objects.context;
  for (uint32_t i = 0; i < count;) {
    uint32_t used = 0;
    for (; i < count && used < kMost; i++) {
      const RECT rect = intersection(rects[i], all);
      if (isEmpty(rect)) continue;
      areas[used++] = {static_cast<uint32_t>(rect.left), static_cast<uint32_t>(rect.top),
                       static_cast<uint32_t>(rect.right), static_cast<uint32_t>(rect.bottom)};
    }
    for (uint32_t at = 0; at < used;) {
      if (!context.ensure(sizeof what + sizeof areas[0], 1)) return false;
      // Rectangles that do not fit go into the next batch.
      const size_t fits = (context.room() - sizeof what) / sizeof areas[0];
      const uint32_t piece = fits < used - at ? static_cast<uint32_t>(fits) : used - at;
      if (surface.image->crossesContexts) context.use(surface.image->memory, true);
      auto *packet = context.append<aerogpu_cmd_ext_fill>(piece);
      if (!packet) return false;
      const aerogpu_cmd_hdr header = packet->hdr;
      *packet = what;
      packet->hdr = header;
      packet->texture = surface.image->handle;
      packet->mip_level = surface.level;
      packet->array_layer = surface.layer;
      packet->rect_count = piece;
      memcpy(Context::elementsOf(packet), areas + at, piece * sizeof areas[0]);
      at += piece;
    }
  }
  return true;
}

/** Fills several rectangles with one packet for each surface instead of two for each rectangle. */
bool Clears::fillBound(const aerogpu_cmd_clear &clear, const RECT &bound, uint32_t count, const RECT *rects) {
  aerogpu_cmd_ext_fill what = {};
  memcpy(what.color_rgba_f32, clear.color_rgba_f32, sizeof what.color_rgba_f32);
  what.depth_f32 = clear.depth_f32;
  what.stencil = clear.stencil;
  bool sent = true;
  if (clear.flags & AEROGPU_CLEAR_COLOR) {
    what.flags = AEROGPU_EXT_FILL_COLOR;
    if (m_pipeline.renderStates.get(kSrgbWrite)) what.flags |= AEROGPU_EXT_FILL_SRGB_ENCODE;
    for (uint32_t i = 0; sent && i < kMaxTargets; i++)
      if (Surface *target = m_pipeline.targets.color(i).surface) sent = fill(*target, what, bound, count, rects);
  }
  what.flags = (clear.flags & AEROGPU_CLEAR_DEPTH ? AEROGPU_EXT_FILL_DEPTH : 0) |
               (clear.flags & AEROGPU_CLEAR_STENCIL ? AEROGPU_EXT_FILL_STENCIL : 0);
  if (sent && what.flags) sent = fill(*m_pipeline.targets.depth().surface, what, bound, count, rects);
  return sent;
}

HRESULT Clears::clear(const D3DDDIARG_CLEAR &args, uint32_t count, const RECT *rects) {
  aerogpu_cmd_clear packet = {};
  const Surface *depth = m_pipeline.targets.depth().surface;
  const bool hasTarget = m_pipeline.targets.hasColor();
  if (args.Flags & kClearTarget && hasTarget) packet.flags |= AEROGPU_CLEAR_COLOR;
  if (args.Flags & kClearDepth && depth) packet.flags |= AEROGPU_CLEAR_DEPTH;
  if (args.Flags & kClearStencil && depth && depth->image->format->stencil) packet.flags |= AEROGPU_CLEAR_STENCIL;
  if (!packet.flags) return kOk;
  for (uint32_t i = 0; i < 4; i++) {
    constexpr uint32_t kShift[] = {16, 8, 0, 24};  // D3DCOLOR is ARGB
    packet.color_rgba_f32[i] = std::bit_cast<uint32_t>(static_cast<float>(args.FillColor >> kShift[i] & 0xFF) / 255.0f);
  }
  const float z = args.FillDepth >= 0 ? args.FillDepth <= 1 ? args.FillDepth : 1 : 0;  // not-a-number is 0
  packet.depth_f32 = std::bit_cast<uint32_t>(z);
  packet.stencil = args.FillStencil & 0xFF;

  // Without a rectangle the viewport is cleared; the page contradicts itself where COMPUTERECTS is not set.
  const ViewportState &viewport = m_pipeline.viewport.wanted();
  constexpr LONG kFar = 1 << 20;
  const auto edge = [](uint64_t value) { return value < kFar ? static_cast<LONG>(value) : kFar; };
  RECT bound = {edge(viewport.x), edge(viewport.y), edge(uint64_t{viewport.x} + viewport.width),
                edge(uint64_t{viewport.y} + viewport.height)};
  if (m_pipeline.isScissorOn()) bound = intersection(bound, m_pipeline.scissor.wanted());
  const RECT everything = {0, 0, kFar, kFar};
  const bool clips = !count || !rects || args.Flags & kComputeRects;
  if (!rects) count = 0;
  if (count > 1 && m_objects.context.runtime().has(AEROGPU_EXT_FEATURE_HI_BLIT))
    return m_objects.context.result(fillBound(packet, clips ? bound : everything, count, rects));

  const auto send = [&](const aerogpu_cmd_clear &clear) {
    bool sent = true;
    for (uint32_t i = 0; sent && i < (count ? count : 1); i++) {
      const RECT rect = intersection(count ? rects[i] : bound, clips ? bound : everything);
      if (isEmpty(rect)) continue;
      ViewportState area = viewport;
      area.x = static_cast<uint32_t>(rect.left);
      area.y = static_cast<uint32_t>(rect.top);
      area.width = static_cast<uint32_t>(rect.right - rect.left);
      area.height = static_cast<uint32_t>(rect.bottom - rect.top);
      sent = m_pipeline.viewport.force(m_objects.context, area);
      auto *out = sent ? m_pipeline.appendDraw<aerogpu_cmd_clear>() : nullptr;
      if (out) {
        const aerogpu_cmd_hdr header = out->hdr;
        *out = clear;
        out->hdr = header;
      }
      sent = out != nullptr;
    }
    return sent;
  };

  bool sent =
      m_pipeline.prepareClear() == Prepared::Ready && m_pipeline.renderStates.force(m_objects.context, kScissorTest, 0);
  // The device clears the area that all bound surfaces share (DRAW-6), Direct3D each surface to its own size.
  Least least;
  if (depth) least.include(*depth);
  for (uint32_t i = 0; i < kMaxTargets; i++)
    if (m_pipeline.targets.color(i).surface) least.include(*m_pipeline.targets.color(i).surface);
  bool reaches = false;
  for (uint32_t i = 0; least.isUneven && i < (count ? count : 1); i++) {
    const RECT rect = intersection(count ? rects[i] : bound, clips ? bound : everything);
    reaches |= rect.right > static_cast<LONG>(least.width) || rect.bottom > static_cast<LONG>(least.height);
  }
  if (!reaches) return m_objects.context.result(sent && send(packet));
  aerogpu_cmd_clear one = packet;
  one.flags = packet.flags & AEROGPU_CLEAR_COLOR;
  for (uint32_t i = 0; sent && one.flags && i < kMaxTargets; i++) {
    Surface *surface = m_pipeline.targets.color(i).surface;
    if (!surface) continue;
    const uint32_t view = surfaceView(m_objects, *surface);
    sent = view && m_pipeline.targets.force(m_objects.context, &view, 1, 0) && send(one);
  }
  one.flags = packet.flags & ~static_cast<uint32_t>(AEROGPU_CLEAR_COLOR);
  if (sent && one.flags) {
    const uint32_t view = surfaceView(m_objects, *m_pipeline.targets.depth().surface);
    sent = view && m_pipeline.targets.force(m_objects.context, nullptr, 0, view) && send(one);
  }
  return m_objects.context.result(sent);
}

}  // namespace aero
