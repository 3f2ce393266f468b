// SPDX-License-Identifier: MIT
#include "renderer/core/texture_verbs.h"

#include "renderer/core/format.h"

namespace aerogpu::core {

namespace {

Error outside(const char* what) {
  return Error{ErrorCode::OutOfBounds, what};
}

bool within(uint32_t at, uint32_t size, uint32_t all) {
  return size != 0 && at < all && size <= all - at;
}

bool inside(const TextureDesc& desc, uint32_t mip, const Box& box) {
  return within(box.x, box.width, std::max(1u, desc.width >> mip)) &&
         within(box.y, box.height, std::max(1u, desc.height >> mip)) &&
         within(box.z, box.depth, std::max(1u, desc.depth >> mip));
}

bool exists(const TextureDesc& desc, Subresource sub) {
  return sub.mip < desc.mipLevels && sub.layer < desc.arrayLayers;
}

bool sameSize(const BlitBox& box) {
  return box.to.width == box.from.width && box.to.height == box.from.height &&
         box.to.depth == box.from.depth && !box.mirrorX && !box.mirrorY;
}

/// True if a box begins and ends with blocks, or at the edge.
bool wholeBlocks(const TextureDesc& desc, uint32_t mip, const Box& box, uint32_t side) {
  const auto ends = [&](uint32_t at, uint32_t size, uint32_t all) {
    return at % side == 0 && (size % side == 0 || at + size == std::max(1u, all >> mip));
  };
  return ends(box.x, box.width, desc.width) && ends(box.y, box.height, desc.height);
}

bool meet(uint32_t a, uint32_t aSize, uint32_t b, uint32_t bSize) {
  return uint64_t{a} < uint64_t{b} + bSize && uint64_t{b} < uint64_t{a} + aSize;
}

}  // namespace

bool asSrgb(aerogpu_format format, bool asked) {
  const FormatInfo& info = *findFormat(format);
  return info.srgb || (asked && hasSrgbTwin(info));
}

bool hasColorKey(const FormatInfo& format) {
  if (!takesColors(format) || format.blockBytes > 4) return false;
  return std::all_of(format.channels.begin(), format.channels.end(),
                     [](const Channel& c) { return !c.stored() || c.type == Channel::Type::Unorm; });
}

bool overlap(const Box& a, const Box& b) {
  return meet(a.x, a.width, b.x, b.width) && meet(a.y, a.height, b.y, b.height) &&
         meet(a.z, a.depth, b.z, b.depth);
}

Result<void> checkFill(uint64_t bytes, uint64_t offset, uint64_t size) {
  if (size == 0 || offset >= bytes || size > bytes - offset)
    return refused(ErrorCode::OutOfBounds, "fill reaches past its buffer",
                   {{"offset", offset}, {"size", size}, {"limit", bytes}});
  if (offset % 4 != 0 || size % 4 != 0)
    return refused(ErrorCode::CmdDecode, "fill of a buffer is not by whole words",
                   {{"offset", offset}, {"size", size}});
  return {};
}

Result<void> checkFill(const TextureDesc& desc, Subresource sub, std::span<const Box> boxes,
                       const ClearArgs& args) {
  const FormatInfo& info = *findFormat(desc.format);
  if (info.blockPixels > 1) return Error{ErrorCode::CmdDecode, "block-compressed textures cannot be filled"};
  if (!canBeFilled(info) || !canBeFilled(filledFormat(desc, args)))
    return Error{ErrorCode::CmdDecode, "textures of that format cannot be filled"};
  if (!args.color && !args.depth && !args.stencil)
    return Error{ErrorCode::CmdDecode, "fill with neither color, depth nor stencil"};
  if (args.color == info.depth || (args.depth && !info.depth) || (args.stencil && !info.stencil))
    return Error{ErrorCode::CmdDecode, "fill with what the texture's format has not"};
  if (!exists(desc, sub)) return outside("fill of a mip or layer that does not exist");
  for (const Box& box : boxes)
    if (!inside(desc, sub.mip, box)) return outside("box to fill is empty or not inside of the texture");
  return {};
}

Result<BlitKind> checkBlit(const TextureDesc& to, Subresource sub, const TextureDesc& from,
                           Subresource srcSub, std::span<const BlitBox> boxes, const BlitArgs& args) {
  const FormatInfo &format = *findFormat(to.format), &srcFormat = *findFormat(from.format);
  if (!exists(to, sub) || !exists(from, srcSub)) return outside("blit of a mip or layer that does not exist");
  const bool row = to.kind == TextureKind::Texture1D;
  if (row != (from.kind == TextureKind::Texture1D))
    return Error{ErrorCode::CmdDecode, "blit between a 1D texture and another kind"};
  if (row && (args.colorKey || args.targetKey))
    return Error{ErrorCode::CmdDecode, "color key of a 1D texture"};
  if (args.colorKey && (!hasColorKey(srcFormat) || args.filter == BlitFilter::Linear))
    return Error{ErrorCode::CmdDecode, "color key of a format that has none, or of weighed texels"};
  if (args.targetKey && !hasColorKey(format))
    return Error{ErrorCode::CmdDecode, "color key of a destination whose format has none"};
  TextureDesc picture = from;
  if (!format.isYuv()) picture.height = srcFormat.pictureRows(from.height);
  bool copies = !args.colorKey && !args.targetKey && areTwins(format, srcFormat) &&
                (format.opaque || !srcFormat.opaque) &&
                asSrgb(to.format, args.encodeSrgb) == asSrgb(from.format, args.decodeSrgb) &&
                to.samples == from.samples;
  for (const BlitBox& box : boxes) {
    if (!inside(to, sub.mip, box.to) || !inside(picture, srcSub.mip, box.from))
      return outside("box of a blit is empty or not inside of its texture");
    if (box.to.depth != box.from.depth && !(hasSlices(to) && hasSlices(from)))
      return Error{ErrorCode::CmdDecode, "blit to another number of slices"};
    copies = copies && sameSize(box);
    if (!wholeBlocks(to, sub.mip, box.to, format.blockPixels) ||
        !wholeBlocks(from, srcSub.mip, box.from, srcFormat.blockPixels))
      return Error{ErrorCode::CmdDecode, "box of a blit cuts blocks"};
  }
  if (copies) return BlitKind::Copy;
  const bool resolves = from.samples > 1 && to.samples == 1 && areTwins(format, srcFormat);
  if (format.depth && resolves && std::all_of(boxes.begin(), boxes.end(), sameSize))
    return BlitKind::DepthResolve;
  if (format.depth || srcFormat.depth)
    return Error{ErrorCode::CmdDecode, "depth can only be copied, to its own format and size"};
  if (format.blockPixels > 1 || srcFormat.blockPixels > 1)
    return Error{ErrorCode::CmdDecode, "blocks can only be copied, to their own format and size"};
  if (format.isYuv())
    return Error{ErrorCode::CmdDecode, "YUV can only be copied, to its own format and size"};
  if (!takesColors(format) || (!srcFormat.isYuv() && !takesColors(srcFormat)))
    return Error{ErrorCode::CmdDecode,
                 "texels of that format can only be copied, to their own format and size"};
  if (to.samples > 1) return Error{ErrorCode::CmdDecode, "blit to a texture of several samples"};
  return BlitKind::Color;
}

}  // namespace aerogpu::core
