// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/gdi/gdi_operation.h"

#include "aerogpu/aerogpu_cmd_binding.h"
#include "aerogpu/aerogpu_cmd_draw.h"
#include "aerogpu/aerogpu_cmd_resource.h"
#include "aerogpu/aerogpu_cmd_shader.h"
#include "aerogpu/aerogpu_cmd_state.h"
#include "aerogpu/aerogpu_format.h"

namespace aero {
namespace {

/** Up to this many rectangles are copied into scratch one by one; more are copied as one bounding box. */
constexpr uint32_t kSingleCopies = 4;

/** A surface as the operation addresses it: its texture, or a "passing" one, which is made for the operation over the
 *  same memory because the command has another pitch. */
struct View {
  uint32_t texture = 0;
  int64_t width = 0, height = 0;
  uint32_t pitch = 0;
  int64_t firstRow = 0;  // the row of the surface that is row 0 of the texture
  bool passing = false;  // the texture is made for this operation
  uint32_t passingWidth = 0, passingHeight = 0;
};

uint32_t texelBytes(uint32_t format) {
  if (format == AEROGPU_FORMAT_D3D9_L8) return 1;
  return format == AEROGPU_FORMAT_B5G6R5_UNORM || format == AEROGPU_FORMAT_B5G5R5A1_UNORM ? 2 : 4;
}

/** Fills in the 32 registers of gdi_rop.psa. For bit i of a channel, and bit p of the pattern, the operation is
 *  f(s, d) = f00 + (f10 - f00) s + (f01 - f00) d + (f11 - f10 - f01 + f00) s d. The shader has the bits s and d as 0 or
 *  1/2, and adds up channel values from 0 to 1. */
void ropConstants(uint32_t *words, uint8_t rop, uint32_t pattern) {
  for (uint32_t bit = 0; bit < 8; bit++)
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t p = gdiChannel(pattern, i) >> bit & 1;
      const auto f = [&](uint32_t s, uint32_t d) { return int64_t{rop >> (p << 2 | s << 1 | d) & 1}; };
      const int64_t terms[4] = {f(0, 0), 2 * (f(1, 0) - f(0, 0)), 2 * (f(0, 1) - f(0, 0)),
                                4 * (f(1, 1) - f(1, 0) - f(0, 1) + f(0, 0))};
      for (uint32_t term = 0; term < 4; term++)
        words[4 * (4 * bit + term) + i] = floatRatio(terms[term] * (int64_t{1} << bit), 255);
    }
}

class Operation {
public:
  Operation(PacketWriter &packets, uint32_t firstHandle, GdiPlan &plan, uint32_t &steps)
      : m_packets(packets), m_resources{firstHandle}, m_plan(plan), m_steps(steps) {}

  GdiStatus run();

private:
  bool prepare(bool &supported);
  bool resolve(const GdiSurface &surface, uint32_t commandPitch, uint32_t passingTexture, View &view) const;
  bool narrow(View &view, const GdiSurface &surface, const GdiBox &box) const;
  GdiBox pieceAt(uint32_t i, const GdiBox &within) const;
  GdiBox sourceBox(const GdiBox &box) const;
  bool scaled() const { return m_plan.x.scaled() || m_plan.y.scaled(); }

  bool writeHead();
  bool walk();
  GdiBox halfOf(const GdiBox &cell, bool later) const;
  [[gnu::noinline]] bool walkCell(const GdiBox &cell);  // keeps its pieces out of its callers' stack frames
  bool step(const GdiBox &cell, const GdiPiece *pieces, uint32_t count);
  void copyStep(const GdiBox &cell, const GdiPiece *pieces, uint32_t count);
  void drawStep(const GdiBox &cell, const GdiPiece *pieces, uint32_t count);
  void writeBack(const GdiBox &cell, const GdiPiece *pieces, uint32_t count);
  void toScratch(bool source, const GdiBox &origin, const GdiPiece *pieces, uint32_t count);
  void finish();

  void makePassing(const View &view, const GdiSurface &surface);
  void destroyPassing(const View &view);
  void dirty(const View &view, const GdiSurface &surface, const GdiBox &box);
  void copyTexture(uint32_t dst, int64_t dstX, int64_t dstY, uint32_t src, const GdiBox &srcBox, uint32_t flags);
  void bindTexture(uint32_t slot, uint32_t texture);
  uint32_t *constants(uint32_t stage, uint32_t first, uint32_t count);
  void mapping(const GdiBox &cell, const GdiBox &source);

  PacketWriter &m_packets;
  GdiResources m_resources;
  GdiPlan &m_plan;
  uint32_t &m_steps;
  uint32_t m_step = 0;  // of this call's walk
  View m_dst, m_src;
  GdiBox m_box;  // of everything that is drawn
  bool m_sameTexture = false;
  bool m_overlapping = false;     // ...and pixels that are drawn to are source pixels too
  bool m_throughScratch = false;  // source pixels go through scratch
  uint32_t m_dstScratch = 0, m_srcScratch = 0;
};

/** Finds the texture and its bounds; narrow() then places a `passing` view. Returns false if the surface cannot be
 *  drawn. */
bool Operation::resolve(const GdiSurface &surface, uint32_t commandPitch, uint32_t passingTexture, View &view) const {
  if (!surface.texture || !surface.width || !surface.height || surface.width > kMaxTextureSide ||
      surface.height > kMaxTextureSide)
    return false;
  view = {.texture = surface.texture, .width = surface.width, .height = surface.height, .pitch = surface.pitch};
  if (!surface.pitchOfCommand || !commandPitch || commandPitch == surface.pitch) return true;
  if (texelBytes(surface.format) != 4 || commandPitch % 4 || !surface.allocId) return false;
  view.texture = passingTexture;
  view.pitch = commandPitch;
  view.width = minimum(commandPitch / 4, kMaxTextureSide);
  view.height = static_cast<int64_t>(surface.bytes / commandPitch);
  view.passing = true;
  return view.height > 0;
}

/** Makes a passing view begin at the first row of `box` and hold all its rows. */
bool Operation::narrow(View &view, const GdiSurface &surface, const GdiBox &box) const {
  if (!view.passing) return true;
  if (int64_t{box.top} * view.pitch > 0xFFFFFFFFll || box.height() > kMaxTextureSide) return false;
  if (static_cast<uint64_t>(box.bottom) * view.pitch > surface.bytes) return false;
  view.firstRow = box.top;
  view.passingWidth = static_cast<uint32_t>(view.width);
  view.passingHeight = static_cast<uint32_t>(box.height());
  return true;
}

/** Returns rectangle i of the list, clipped to `within`. */
GdiBox Operation::pieceAt(uint32_t i, const GdiBox &within) const {
  const GdiRect rect = m_plan.rects.at(i);
  GdiBox box = {rect.left, rect.top, rect.right, rect.bottom};
  if (m_plan.dst.bytePixels) box = {box.left >> 2, box.top, box.right >> 2, box.bottom};
  return box.clipped(within);
}

/** Returns the source pixels that the pixels of `box` need. */
GdiBox Operation::sourceBox(const GdiBox &box) const {
  const int64_t x0 = m_plan.x.sourceOf(box.left), x1 = m_plan.x.sourceOf(box.right - 1);
  const int64_t y0 = m_plan.y.sourceOf(box.top), y1 = m_plan.y.sourceOf(box.bottom - 1);
  return GdiBox::of(minimum(x0, x1), minimum(y0, y1), maximum(x0, x1) + 1, maximum(y0, y1) + 1);
}

/** Returns true if there is something to draw, and the driver can. If not, `supported` tells which: true means that
 *  there is nothing to draw. */
bool Operation::prepare(bool &supported) {
  supported = false;
  if (!resolve(m_plan.dst, m_plan.dstPitch, m_resources.passingDst(), m_dst)) return false;
  int64_t left = 0, top = 0, right = m_dst.width, bottom = m_dst.height;
  if (m_plan.src.texture) {
    const GdiAxis *const axes[] = {&m_plan.x, &m_plan.y};
    for (const GdiAxis *axis : axes) {
      if (axis->dstSize > kMaxCoordinate || axis->srcSize > kMaxCoordinate) return false;
      if (axis->dstSize <= 0 || axis->srcSize <= 0) {
        supported = true;
        return false;
      }
    }
    if (!resolve(m_plan.src, m_plan.srcPitch, m_resources.passingSrc(), m_src)) return false;
    // A stretched or mirrored area is clipped to its rectangle, and an axis without scaling to the source's bounds.
    const auto clip = [](const GdiAxis &axis, int64_t size, int64_t &low, int64_t &high) {
      if (axis.scaled() || axis.mirror) {
        low = maximum(low, axis.dst0);
        high = minimum(high, axis.dst0 + axis.dstSize);
      }
      if (axis.scaled()) return;
      const int64_t first = axis.mirror ? axis.dst0 + axis.src0 + axis.srcSize - size : axis.dst0 - axis.src0;
      low = maximum(low, first);
      high = minimum(high, first + size);
    };
    clip(m_plan.x, m_src.width, left, right);
    clip(m_plan.y, m_src.height, top, bottom);
    m_sameTexture = m_src.texture == m_dst.texture;
    // Two textures over the same memory do not see each other's pixels within an operation.
    if (!m_sameTexture && m_plan.src.allocId && m_plan.src.allocId == m_plan.dst.allocId) return false;
  }
  const GdiRect &clip = m_plan.clip;
  const GdiBox bounds = GdiBox::of(left, top, right, bottom).clipped({clip.left, clip.top, clip.right, clip.bottom});
  for (uint32_t i = 0; i < m_plan.rects.count; i++) {
    if (m_plan.dst.bytePixels) {
      const GdiRect rect = m_plan.rects.at(i);
      if (rect.left % 4 || rect.right % 4) return false;
    }
    const GdiBox piece = pieceAt(i, bounds);
    if (!piece.empty()) m_box = m_box.joined(piece);
  }
  supported = true;
  if (m_box.empty()) return false;
  supported = false;

  m_dstScratch = m_resources.dstScratch(m_plan.dst.format);
  if ((m_plan.reads == GdiReads::Copy || (m_plan.dst.cpuRead && !m_plan.texelCopy)) && !m_dstScratch) return false;
  if (m_sameTexture) {
    m_overlapping = overlap(sourceBox(m_box), m_box);
    if (m_overlapping && scaled()) return false;
    m_throughScratch = !m_plan.texelCopy || m_overlapping;
    m_srcScratch = m_resources.srcScratch(m_plan.src.format);
    if (m_throughScratch && !m_srcScratch) return false;
  }
  if (!narrow(m_dst, m_plan.dst, m_box)) return false;
  if (m_plan.src.texture) {
    const GdiBox source = sourceBox(m_box).clipped(GdiBox::of(0, 0, m_src.width, m_src.height));
    if (source.empty() || !narrow(m_src, m_plan.src, source)) return false;
  }
  supported = true;
  return true;
}

GdiStatus Operation::run() {
  bool supported;
  if (!prepare(supported)) return supported ? GdiStatus::Done : GdiStatus::Unsupported;
  const size_t mark = m_packets.used();
  const uint32_t before = m_steps;
  if (!writeHead()) {
    m_packets.rewind(mark);
    return GdiStatus::Full;
  }
  const bool whole = walk();
  if (m_steps == before)
    m_packets.rewind(mark);
  else
    finish();
  return whole ? GdiStatus::Done : GdiStatus::Full;
}

// ---- Cells and steps

/** Draws the operation in cells, each small enough for scratch and for exact arithmetic. If the area moves within one
 *  texture, their order is such that no cell is overwritten before it is read. Returns false if the buffer is full. */
bool Operation::walk() {
  const bool source = m_plan.src.texture != 0;
  int64_t width = source ? minimum(exactSpan(m_plan.x), kMaxTextureSide) : kMaxTextureSide;
  int64_t height = source ? minimum(exactSpan(m_plan.y), kMaxTextureSide) : kMaxTextureSide;
  if (m_plan.reads == GdiReads::Copy || m_plan.dst.cpuRead || m_throughScratch) {
    width = minimum(width, kScratchWidth);
    height = minimum(height, kScratchHeight);
  }
  if (m_throughScratch) {
    width = minimum(width, scratchSpan(m_plan.x, kScratchWidth));
    height = minimum(height, scratchSpan(m_plan.y, kScratchHeight));
  }
  const int64_t columns = (m_box.width() + width - 1) / width;
  const int64_t rows = (m_box.height() + height - 1) / height;
  const bool lastColumnFirst = m_sameTexture && m_plan.x.dst0 > m_plan.x.src0;
  const bool lastRowFirst = m_sameTexture && m_plan.y.dst0 > m_plan.y.src0;
  for (int64_t i = 0; i < rows; i++) {
    const int64_t top = m_box.top + (lastRowFirst ? rows - 1 - i : i) * height;
    for (int64_t j = 0; j < columns; j++) {
      const int64_t left = m_box.left + (lastColumnFirst ? columns - 1 - j : j) * width;
      if (!walkCell(GdiBox::of(left, top, left + width, top + height).clipped(m_box))) return false;
    }
  }
  return true;
}

/** Returns the half of a cell that has to be drawn first if the area moves within one texture, or the `later` half. */
GdiBox Operation::halfOf(const GdiBox &cell, bool later) const {
  GdiBox half = cell;
  const bool wide = cell.width() >= cell.height();
  const bool farFirst = wide ? m_plan.x.dst0 > m_plan.x.src0 : m_plan.y.dst0 > m_plan.y.src0;
  const bool far = farFirst != later;
  if (wide)
    (far ? half.left : half.right) = static_cast<int32_t>(cell.left + cell.width() / 2);
  else
    (far ? half.top : half.bottom) = static_cast<int32_t>(cell.top + cell.height() / 2);
  return half;
}

/** Draws a cell in one or more steps. If source and destination overlap, a step would read pixels that an earlier step
 *  of the cell drew, so the cell is halved until each part needs one step; the halves have the order of the cells.
 *  Kernel stacks are small, so the current part is kept as a path with one bit for each halving. */
bool Operation::walkCell(const GdiBox &whole) {
  constexpr uint32_t kDepth = 31;  // 16384 x 16384 halves 28 times
  uint32_t depth = 0, path = 0;
  for (;;) {
    GdiBox cell = whole;
    for (uint32_t level = depth; level--;) cell = halfOf(cell, path >> level & 1);
    GdiPiece pieces[kGdiRectsPerDraw];
    uint32_t count = 0;
    bool split = false;
    for (uint32_t i = 0; i < m_plan.rects.count && !split; i++) {
      const GdiBox piece = pieceAt(i, cell);
      if (piece.empty()) continue;
      if (count == kGdiRectsPerDraw) {
        split = m_overlapping && depth < kDepth && (cell.width() > 1 || cell.height() > 1);
        if (split) break;
        if (!step(cell, pieces, count)) return false;
        count = 0;
      }
      pieces[count++] = GdiPiece::of(piece);
    }
    if (split) {
      depth++;
      path <<= 1;
      continue;
    }
    if (count && !step(cell, pieces, count)) return false;
    for (; depth && (path & 1); depth--) path >>= 1;
    if (!depth) return true;
    path |= 1;
  }
}

/** Appends one step, unless an earlier buffer has it. Returns false, and appends nothing, if it does not fit. */
bool Operation::step(const GdiBox &cell, const GdiPiece *pieces, uint32_t count) {
  if (m_step++ < m_steps) return true;  // in an earlier buffer
  const size_t mark = m_packets.used();
  if (m_plan.texelCopy)
    copyStep(cell, pieces, count);
  else
    drawStep(cell, pieces, count);
  if (m_packets.full() || m_packets.room() < kGdiEndBytes) {
    m_packets.rewind(mark);
    return false;
  }
  m_steps++;
  return true;
}

void Operation::copyStep(const GdiBox &cell, const GdiPiece *pieces, uint32_t count) {
  const uint32_t flags = m_plan.dst.cpuRead ? AEROGPU_COPY_FLAG_WRITEBACK_DST : AEROGPU_COPY_FLAG_NONE;
  const GdiBox region = sourceBox(cell);
  if (m_throughScratch) toScratch(true, region, pieces, count);
  for (uint32_t i = 0; i < count; i++) {
    const GdiBox from = sourceBox(pieces[i].box());
    const int64_t left = m_throughScratch ? region.left : 0, top = m_throughScratch ? region.top : m_src.firstRow;
    copyTexture(m_dst.texture, pieces[i].left, pieces[i].top - m_dst.firstRow,
                m_throughScratch ? m_srcScratch : m_src.texture, from.moved(-left, -top), flags);
  }
}

void Operation::drawStep(const GdiBox &cell, const GdiPiece *pieces, uint32_t count) {
  if (m_plan.reads == GdiReads::Copy) toScratch(false, cell, pieces, count);
  if (m_plan.src.texture) {
    const GdiBox region = sourceBox(cell);
    if (m_throughScratch) toScratch(true, region, pieces, count);
    mapping(cell, region);
  } else if (m_plan.reads == GdiReads::Copy) {
    mapping(cell, cell);
  }
  if (uint32_t *words = constants(AEROGPU_SHADER_STAGE_VERTEX, kFirstRectRegister, count))
    for (uint32_t i = 0; i < count; i++) {
      words[size_t{4} * i] = floatInt(pieces[i].left);
      words[4 * i + 1] = floatInt(pieces[i].top - m_dst.firstRow);
      words[4 * i + 2] = floatInt(pieces[i].right);
      words[4 * i + 3] = floatInt(pieces[i].bottom - m_dst.firstRow);
    }
  if (auto *packet = m_packets.append<aerogpu_cmd_draw>()) {
    packet->vertex_count = 6 * count;
    packet->instance_count = 1;
  }
  if (m_plan.dst.cpuRead) writeBack(cell, pieces, count);
}

/** Writes exactly the drawn pixels back to memory, because the CPU may have changed pixels beside them. */
void Operation::writeBack(const GdiBox &cell, const GdiPiece *pieces, uint32_t count) {
  toScratch(false, cell, pieces, count);
  for (uint32_t i = 0; i < count; i++) {
    const GdiBox piece = pieces[i].box();
    copyTexture(m_dst.texture, piece.left, piece.top - m_dst.firstRow, m_dstScratch,
                piece.moved(-int64_t{cell.left}, -int64_t{cell.top}), AEROGPU_COPY_FLAG_WRITEBACK_DST);
  }
}

/** Copies the pieces of the destination, or with `source` the source pixels that they need, into scratch, whose pixel
 *  (0, 0) is the upper left corner of `origin`. */
void Operation::toScratch(bool source, const GdiBox &origin, const GdiPiece *pieces, uint32_t count) {
  const View &view = source ? m_src : m_dst;
  const auto boxOf = [&](uint32_t i) {
    return source ? sourceBox(pieces[i].box()).clipped(GdiBox::of(0, 0, m_src.width, m_src.height)) : pieces[i].box();
  };
  const auto copy = [&](const GdiBox &box) {
    if (box.empty()) return;
    copyTexture(source ? m_srcScratch : m_dstScratch, int64_t{box.left} - origin.left, int64_t{box.top} - origin.top,
                view.texture, box.moved(0, -view.firstRow), AEROGPU_COPY_FLAG_NONE);
  };
  if (count <= kSingleCopies) {
    for (uint32_t i = 0; i < count; i++) copy(boxOf(i));
    return;
  }
  GdiBox all;
  for (uint32_t i = 0; i < count; i++) {
    const GdiBox box = boxOf(i);
    if (!box.empty()) all = all.joined(box);
  }
  copy(all);
}

// ---- Packets

bool Operation::writeHead() {
  makePassing(m_dst, m_plan.dst);
  if (m_plan.src.texture) {
    makePassing(m_src, m_plan.src);
    if (m_plan.src.cpuWritten || m_src.passing) dirty(m_src, m_plan.src, sourceBox(m_box));
  }
  if (m_plan.reads != GdiReads::Nothing && (m_plan.dst.cpuWritten || m_dst.passing)) dirty(m_dst, m_plan.dst, m_box);
  if (m_plan.texelCopy) return !m_packets.full() && m_packets.room() >= kGdiEndBytes;

  if (m_plan.gamma.cpuWritten && m_plan.gamma.texture) {
    View gamma;
    if (resolve(m_plan.gamma, 0, 0, gamma)) dirty(gamma, m_plan.gamma, GdiBox::of(0, 0, gamma.width, gamma.height));
  }

  const uint32_t dstCopy = m_plan.reads == GdiReads::Copy ? m_dstScratch : 0;
  // The shader for raster operations reads sampler 0 even if the operation has no source, so one is always bound.
  const uint32_t source = !m_plan.src.texture ? dstCopy : m_throughScratch ? m_srcScratch : m_src.texture;
  bindTexture(0, source);
  bindTexture(1, dstCopy);
  bindTexture(2, m_plan.gamma.texture);
  if (auto *packet = m_packets.append<aerogpu_cmd_set_render_targets>()) {
    packet->color_count = 1;
    packet->colors[0] = m_dst.texture;
  }
  const int64_t width = m_dst.passing ? m_dst.passingWidth : m_dst.width;
  const int64_t height = m_dst.passing ? m_dst.passingHeight : m_dst.height;
  if (auto *packet = m_packets.append<aerogpu_cmd_set_viewport>()) {
    packet->width_f32 = floatInt(width);
    packet->height_f32 = floatInt(height);
    packet->max_depth_f32 = kFloatOne;
  }
  if (auto *packet = m_packets.append<aerogpu_cmd_set_blend_state>()) {
    aerogpu_blend_state &state = packet->state;
    state.enable = m_plan.reads == GdiReads::Blend;
    state.src_factor = state.src_factor_alpha = state.enable ? m_plan.blendSrc : uint32_t{AEROGPU_BLEND_ONE};
    state.dst_factor = state.dst_factor_alpha = state.enable ? m_plan.blendDst : uint32_t{AEROGPU_BLEND_ZERO};
    state.color_write_mask = 0xF;
    for (uint32_t i = 0; i < 4; i++) state.blend_constant_rgba_f32[i] = m_plan.blendConstant;
    state.sample_mask = 0xFFFFFFFFu;
  }
  if (auto *packet = m_packets.append<aerogpu_cmd_bind_shaders>()) {
    packet->vs = m_resources.vertexShader();
    packet->ps = m_resources.shader(m_plan.shader);
  }
  // D3D9 has pixel centres at integers, so edges lie half a pixel before them.
  if (uint32_t *words = constants(AEROGPU_SHADER_STAGE_VERTEX, 0, 1)) {
    words[0] = floatRatio(2, width);
    words[1] = floatRatio(-2, height);
    words[2] = floatRatio(-1 - width, width);
    words[3] = floatRatio(1 + height, height);
  }
  if (m_plan.shader == GdiShader::Rop) {
    if (uint32_t *words = constants(AEROGPU_SHADER_STAGE_PIXEL, kFirstRopRegister, 32))
      ropConstants(words, m_plan.rop, m_plan.pattern);
  } else if (uint32_t *words = constants(AEROGPU_SHADER_STAGE_PIXEL, 4, m_plan.constantCount)) {
    memcpy(words, m_plan.constants, size_t{m_plan.constantCount} * sizeof m_plan.constants[0]);
  }
  return !m_packets.full() && m_packets.room() >= kGdiEndBytes;
}

/** Destroys the passing textures. This always fits: kGdiEndBytes are enough for two such packets and gdiEnd(). */
void Operation::finish() {
  destroyPassing(m_dst);
  if (m_plan.src.texture) destroyPassing(m_src);
}

void Operation::makePassing(const View &view, const GdiSurface &surface) {
  if (!view.passing) return;
  auto *packet = m_packets.append<aerogpu_cmd_create_texture2d>();
  if (!packet) return;
  packet->texture_handle = view.texture;
  packet->usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
  packet->format = surface.format;
  packet->width = view.passingWidth;
  packet->height = view.passingHeight;
  packet->mip_levels = 1;
  packet->array_layers = 1;
  packet->row_pitch_bytes = view.pitch;
  packet->backing_alloc_id = surface.allocId;
  packet->backing_offset_bytes = static_cast<uint32_t>(view.firstRow * view.pitch);
}

void Operation::destroyPassing(const View &view) {
  if (!view.passing) return;
  if (auto *packet = m_packets.append<aerogpu_cmd_destroy_resource>()) packet->resource_handle = view.texture;
}

void Operation::dirty(const View &view, const GdiSurface &surface, const GdiBox &wanted) {
  const GdiBox box = wanted.clipped(GdiBox::of(0, 0, view.width, view.height));
  if (box.empty()) return;
  auto *packet = m_packets.append<aerogpu_cmd_resource_dirty_range>();
  if (!packet) return;
  const int64_t pixel = texelBytes(surface.format);
  packet->resource_handle = view.texture;
  packet->offset_bytes = static_cast<uint64_t>((box.top - view.firstRow) * view.pitch + box.left * pixel);
  packet->size_bytes = static_cast<uint64_t>((box.height() - 1) * view.pitch + box.width() * pixel);
}

void Operation::copyTexture(uint32_t dst, int64_t dstX, int64_t dstY, uint32_t src, const GdiBox &srcBox,
                            uint32_t flags) {
  auto *packet = m_packets.append<aerogpu_cmd_copy_texture2d>();
  if (!packet) return;
  packet->dst_texture = dst;
  packet->src_texture = src;
  packet->dst_x = static_cast<uint32_t>(dstX);
  packet->dst_y = static_cast<uint32_t>(dstY);
  packet->src_x = static_cast<uint32_t>(srcBox.left);
  packet->src_y = static_cast<uint32_t>(srcBox.top);
  packet->width = static_cast<uint32_t>(srcBox.width());
  packet->height = static_cast<uint32_t>(srcBox.height());
  packet->flags = flags;
}

void Operation::bindTexture(uint32_t slot, uint32_t texture) {
  auto *packet = m_packets.append<aerogpu_cmd_set_texture>();
  if (!packet) return;
  packet->shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
  packet->slot = slot;
  packet->texture = texture;
}

uint32_t *Operation::constants(uint32_t stage, uint32_t first, uint32_t count) {
  auto *packet = m_packets.append<aerogpu_cmd_set_shader_constants_f>(count);
  if (!packet) return nullptr;
  packet->stage = stage;
  packet->start_register = first;
  // Packets are only 4-byte aligned, and so is what follows them.
  return reinterpret_cast<uint32_t *>(PacketWriter::elementsOf(packet));
}

/** Sets c0 to c2 of the pixel shaders for a cell that reads the source pixels `region`. */
void Operation::mapping(const GdiBox &cell, const GdiBox &region) {
  uint32_t *words = constants(AEROGPU_SHADER_STAGE_PIXEL, 0, 3);
  if (!words) return;
  const auto map = [&](const GdiAxis &axis, int64_t start, int64_t row0, int64_t shift, int64_t size, uint32_t *at) {
    int64_t base = start - axis.dst0;
    at[0] = kFloatOne;
    at[2] = floatRatio(1, 2);
    if (axis.scaled()) {
      const int64_t exact = (2 * base + 1) * axis.srcSize, step = 2 * axis.dstSize;
      at[0] = floatRatio(axis.srcSize, axis.dstSize);
      at[2] = floatRatio(2 * (exact % step) + 1, 2 * step);
      base = exact / step;
    }
    at[4] = floatInt(start - row0);
    base = (axis.mirror ? axis.src0 + axis.srcSize - 1 - base : axis.src0 + base) - shift;
    at[8] = floatRatio(axis.mirror ? -1 : 1, size);
    at[10] = floatRatio(2 * base + 1, 2 * size);
  };
  int64_t width = kScratchWidth, height = kScratchHeight, left = region.left, top = region.top;
  if (!m_throughScratch) {
    width = m_src.passing ? m_src.passingWidth : maximum(m_src.width, 1);
    height = m_src.passing ? m_src.passingHeight : maximum(m_src.height, 1);
    left = 0;
    top = m_src.firstRow;
  }
  map(m_plan.x, cell.left, 0, left, width, words);
  map(m_plan.y, cell.top, m_dst.firstRow, top, height, words + 1);
}

}  // namespace

GdiStatus gdiRun(PacketWriter &packets, uint32_t firstHandle, GdiPlan &plan, uint32_t &steps) {
  return Operation(packets, firstHandle, plan, steps).run();
}

}  // namespace aero
