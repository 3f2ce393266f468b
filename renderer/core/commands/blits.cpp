// SPDX-License-Identifier: MIT
// EXT_BLIT, EXT_FILL, EXT_GENERATE_MIPS (BLIT-1 to BLIT-18).
#include <bit>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/base/log.h"
#include "renderer/core/announced.h"
#include "renderer/core/commands/commands.h"
#include "renderer/core/format.h"
#include "renderer/core/gpu_objects.h"
#include "renderer/core/guest_access.h"
#include "renderer/core/handle_table.h"
#include "renderer/core/packet_scratch.h"
#include "renderer/core/stats.h"
#include "renderer/core/submission.h"
#include "renderer/core/texture_verbs.h"
#include "renderer/core/work_meter.h"
#include "renderer/core/write_clock.h"

namespace aerogpu::core {

namespace {

/// A rectangle as a box of slice `z`; sizes of 0 where it is empty or ends before it begins, which the rules
/// of the verbs refuse.
Box boxOf(const aerogpu_ext_rect& r, uint32_t z) {
  const bool some = r.left < r.right && r.top < r.bottom;
  return {r.left, r.top, z, some ? r.right - r.left : 0, some ? r.bottom - r.top : 0, 1};
}

std::string textOf(const Box& box) {
  return std::to_string(box.width) + "x" + std::to_string(box.height) + " at " + std::to_string(box.x) + "," +
         std::to_string(box.y);
}

bool exists(const Texture& texture, const Slice& slice) {
  return slice.sub.mip < texture.desc.mipLevels && slice.sub.layer < texture.desc.arrayLayers &&
         slice.z < texture.layout.mip(slice.sub.mip).depth;
}

std::string textOf(const Texture& texture, const Slice& slice) {
  const Subresource sub = slice.sub;
  if (!exists(texture, slice))
    return "mip " + std::to_string(sub.mip) + ", layer " + std::to_string(sub.layer + slice.z) + " of " +
           std::to_string(texture.desc.mipLevels) + ", " +
           std::to_string(texture.desc.kind == TextureKind::Volume ? texture.desc.depth
                                                                   : texture.desc.arrayLayers);
  const TextureLayout::Mip& mip = texture.layout.mip(sub.mip);
  return std::to_string(mip.width) + "x" + std::to_string(mip.height) + " " +
         findFormat(texture.desc.format)->name;
}

uint64_t texels(const Box& box) {
  return uint64_t{box.width} * box.height;
}

uint64_t bytesOf(const FormatInfo& format, const Box& box) {
  const BoxRows part(format, box);
  return part.rowBytes * part.rows;
}

/// Runs checkBlit() on the scratch's boxes; an error says which of them it is about.
Result<BlitKind> checkBlitOf(Submission& s, const Texture& dst, const Slice& to, const Texture& src,
                             const Slice& from, const BlitArgs& args) {
  const auto check = [&](std::span<const BlitBox> boxes) {
    if (!exists(dst, to) || !exists(src, from))
      return Result<BlitKind>(
          refused(ErrorCode::OutOfBounds, "blit of a mip or layer that does not exist", {}));
    return checkBlit(dst.desc, to.sub, src.desc, from.sub, boxes, args);
  };
  auto kind = check(s.scratch.blitBoxes);
  if (kind || !s.log.admits(AEROGPU_LOG_GUEST)) return kind;
  // Checks the boxes one by one, to name the one that is wrong.
  std::string& detail = kind.error().detail;
  detail = textOf(src, from) + " to " + textOf(dst, to);
  if (!check({})) return kind;
  for (size_t i = 0; i < s.scratch.blitBoxes.size(); ++i) {
    if (check({&s.scratch.blitBoxes[i], 1})) continue;
    detail += ", rectangle " + std::to_string(i) + ": " + textOf(s.scratch.blitBoxes[i].from) + " to " +
              textOf(s.scratch.blitBoxes[i].to);
    break;
  }
  return kind;
}

}  // namespace

Result<void> runExtBlit(Submission& s, const aerogpu_cmd_ext_blit& c,
                        std::span<const aerogpu_ext_blit_rect> rects) {
  const auto dst = s.handles.need<Texture>(c.dst_texture, "no such destination texture");
  if (!dst) return dst.error();
  const auto src = s.handles.need<Texture>(c.src_texture, "no such source texture");
  if (!src) return src.error();
  const Slice to((*dst)->desc, c.dst_mip_level, c.dst_array_layer);
  const Slice from((*src)->desc, c.src_mip_level, c.src_array_layer);
  const Subresource sub = to.sub, srcSub = from.sub;
  BlitArgs args;
  args.filter = c.flags & AEROGPU_EXT_BLIT_LINEAR ? BlitFilter::Linear : BlitFilter::Point;
  args.decodeSrgb = c.flags & AEROGPU_EXT_BLIT_SRGB_DECODE;
  args.encodeSrgb = c.flags & AEROGPU_EXT_BLIT_SRGB_ENCODE;
  if (c.flags & AEROGPU_EXT_BLIT_SRC_COLOR_KEY) args.colorKey = c.color_key;
  if (c.flags & AEROGPU_EXT_BLIT_DST_COLOR_KEY) args.targetKey = c.color_key;
  s.scratch.blitBoxes.clear();
  for (const aerogpu_ext_blit_rect& rect : rects)
    s.scratch.blitBoxes.push_back({boxOf(rect.dst, to.z), boxOf(rect.src, from.z),
                                   (c.flags & AEROGPU_EXT_BLIT_MIRROR_X) != 0,
                                   (c.flags & AEROGPU_EXT_BLIT_MIRROR_Y) != 0});
  const auto kind = checkBlitOf(s, **dst, to, **src, from, args);
  if (!kind) return kind.error();
  if (rects.empty()) return {};

  const FormatInfo &format = *findFormat((*dst)->desc.format), &srcFormat = *findFormat((*src)->desc.format);
  std::vector<std::unique_ptr<ByteSink>> sinks;
  uint64_t pixels = 0, bytes = 0, written = 0;
  for (const BlitBox& box : s.scratch.blitBoxes) {
    if (*kind == BlitKind::Color) pixels += texels(box.to);
    bytes += bytesOf(srcFormat, box.from);
    if (!(c.flags & AEROGPU_EXT_BLIT_WRITEBACK_DST)) continue;
    auto sink = s.guest.sinkOf(**dst, sub, box.to);
    if (!sink) return sink.error();
    sinks.push_back(std::move(*sink));
    written += bytesOf(format, box.to);
  }
  if (auto taken = s.work.take(Work::Pixels, pixels); !taken) return taken;
  if (auto taken = s.work.take(Work::Bytes, bytes + written); !taken) return taken;
  s.writes.note(**dst);
  GpuTexture& gpu = *(*dst)->gpu;
  if (auto done = gpu.blit(sub, *(*src)->gpu, srcSub, s.scratch.blitBoxes, args); !done) return done;
  s.stats.readbackBytes.add(written);
  for (size_t i = 0; i < sinks.size(); ++i)
    if (auto read = gpu.read(sub, s.scratch.blitBoxes[i].to, std::move(sinks[i])); !read) return read;
  return {};
}

Result<void> runExtFill(Submission& s, const aerogpu_cmd_ext_fill& c,
                        std::span<const aerogpu_ext_rect> rects) {
  // A view stands for a texture, and counts its mips and layers.
  View* view = s.handles.get<View>(c.texture);
  const auto texture =
      view ? Result<Texture*>(view->texture.get()) : s.handles.need<Texture>(c.texture, "no such texture");
  if (!texture) return texture.error();
  ClearArgs args;
  uint32_t firstMip = 0, firstLayer = 0;
  if (view) {
    if (c.mip_level >= view->desc.mipCount ||
        ((*texture)->desc.kind != TextureKind::Volume && c.array_layer >= view->desc.layerCount))
      return refused(ErrorCode::OutOfBounds, "fill of a mip or layer that the view does not show",
                     {{"mip_level", c.mip_level}, {"array_layer", c.array_layer}});
    args.as = view->desc.format;
    firstMip = view->desc.baseMip;
    firstLayer = view->desc.baseLayer;
  }
  const Slice slice((*texture)->desc, c.mip_level + firstMip, c.array_layer + firstLayer);
  const Subresource sub = slice.sub;
  args.color = c.flags & AEROGPU_EXT_FILL_COLOR;
  args.depth = c.flags & AEROGPU_EXT_FILL_DEPTH;
  args.stencil = c.flags & AEROGPU_EXT_FILL_STENCIL;
  args.encodeSrgb = c.flags & AEROGPU_EXT_FILL_SRGB_ENCODE;
  for (size_t i = 0; i < 4; ++i) args.rgba[i] = std::bit_cast<float>(c.color_rgba_f32[i]);
  args.depthValue = std::bit_cast<float>(c.depth_f32);
  args.stencilValue = c.stencil;
  if (args.depth && !(args.depthValue >= 0 && args.depthValue <= 1))
    return refused(ErrorCode::CmdDecode, "fill depth is outside 0..1", {{"depth_f32", args.depthValue}});
  s.scratch.boxes.clear();
  for (const aerogpu_ext_rect& rect : rects) s.scratch.boxes.push_back(boxOf(rect, slice.z));
  if (!exists(**texture, slice))
    return Error{ErrorCode::OutOfBounds, "fill of a mip or layer that does not exist",
                 textOf(**texture, slice)};
  const TextureLayout::Mip& mip = (*texture)->layout.mip(sub.mip);
  if (rects.empty() && (*texture)->desc.kind == TextureKind::Volume)
    s.scratch.boxes.push_back({0, 0, slice.z, mip.width, mip.height, 1});
  if (auto checked = checkFill((*texture)->desc, sub, s.scratch.boxes, args); !checked) {
    checked.error().detail = textOf(**texture, slice);
    checked.error().values = {{"flags", c.flags}, {"rect_count", c.rect_count}};
    return checked;
  }
  const FormatInfo& format = *findFormat((*texture)->desc.format);
  uint64_t bytes = 0;
  for (const Box& box : s.scratch.boxes) bytes += bytesOf(format, box);
  if (s.scratch.boxes.empty()) bytes = mip.rowBytes * mip.rows;
  bytes *= (*texture)->desc.samples;
  if (auto taken = s.work.take(Work::Bytes, bytes); !taken) return taken;
  s.writes.note(**texture);
  return (*texture)->gpu->fill(sub, s.scratch.boxes, args);
}

Result<void> runExtGenerateMips(Submission& s, const aerogpu_cmd_ext_generate_mips& c) {
  const auto found = s.handles.need<Texture>(c.texture, "no such texture");
  if (!found) return found.error();
  Texture& texture = **found;
  const FormatInfo& format = *findFormat(texture.desc.format);
  if (!takesColors(format))
    return Error{
        ErrorCode::CmdDecode, "levels of this format cannot be made", format.name, {{"texture", c.texture}}};
  if (hasSlices(texture.desc) && !s.announced.has(AEROGPU_CAPS_D3D10_RESOURCES))
    return refused(ErrorCode::CmdDecode, "levels of a volume cannot be made",
                   {{"texture", c.texture}, {"depth", texture.desc.depth}});
  BlitArgs args;
  args.filter = c.flags & AEROGPU_EXT_MIPS_LINEAR ? BlitFilter::Linear : BlitFilter::Point;
  args.decodeSrgb = args.encodeSrgb = c.flags & AEROGPU_EXT_MIPS_SRGB;
  const auto whole = [&](uint32_t level) {
    const TextureLayout::Mip& mip = texture.layout.mip(level);
    return Box{0, 0, 0, mip.width, mip.height, mip.depth};
  };
  uint64_t pixels = 0, bytes = 0;
  for (uint32_t level = 1; level < texture.desc.mipLevels; ++level) {
    const Box to = whole(level), from = whole(level - 1);
    pixels += texels(to) * to.depth * texture.desc.arrayLayers;
    bytes += bytesOf(format, from) * texture.desc.arrayLayers;
  }
  if (auto taken = s.work.take(Work::Pixels, pixels); !taken) return taken;
  if (auto taken = s.work.take(Work::Bytes, bytes); !taken) return taken;
  s.writes.note(texture);
  for (uint32_t layer = 0; layer < texture.desc.arrayLayers; ++layer)
    for (uint32_t level = 1; level < texture.desc.mipLevels; ++level) {
      const BlitBox box{whole(level), whole(level - 1)};
      if (auto done = texture.gpu->blit({level, layer}, *texture.gpu, {level - 1, layer}, {&box, 1}, args);
          !done)
        return done;
    }
  return {};
}

}  // namespace aerogpu::core
