// SPDX-License-Identifier: MIT
#include "renderer/null/texture.h"

#include "renderer/core/texel.h"
#include "renderer/core/texel_planes.h"

namespace aerogpu::null {

using namespace core;

namespace {

/// A place between the texels of one axis of a box.
struct Sample {
  uint32_t first, second;  ///< texels around it, counted from the box
  float weight;            ///< of the second
};

/// Returns where texel `at` of `size` samples `srcSize` texels. Whole numbers throughout: no rounding decides
/// a texel.
Sample sampleOf(uint32_t at, uint32_t size, uint32_t srcSize, bool mirror, BlitFilter filter) {
  const uint64_t i = mirror ? size - 1 - at : at, whole = uint64_t{size} * 2;
  const uint64_t u = (i * 2 + 1) * srcSize;  // by 1 / whole
  if (filter == BlitFilter::Point) {
    const auto texel = static_cast<uint32_t>(u / whole);
    return {texel, texel, 0};
  }
  const uint64_t right = u + size;  // half a texel further: in the texel with the next center
  const uint64_t second = right / whole;
  return {static_cast<uint32_t>(std::max<uint64_t>(second, 1) - 1),
          static_cast<uint32_t>(std::min<uint64_t>(second, srcSize - 1)),
          static_cast<float>(right % whole) / static_cast<float>(whole)};
}

Rgba mix(const Rgba& a, const Rgba& b, float weight) {
  Rgba out;
  for (size_t i = 0; i < 4; ++i) out[i] = a[i] * (1 - weight) + b[i] * weight;
  return out;
}

/// True if a texel is the color key.
bool isKey(const FormatInfo& format, const uint8_t* texel, uint32_t key) {
  uint32_t bits = 0;
  std::memcpy(&bits, texel, format.blockBytes);
  return ((bits ^ key) & keyMask(format)) == 0;
}

}  // namespace

NullTexture::Region NullTexture::region(Subresource sub, const Box& box) {
  const TextureLayout::Mip& mip = layout.mip(sub.mip);
  const BoxRows part(format, box);
  return {bytes.data() + layout.offsetOf(sub) + layout.boxOffset(sub.mip, box),
          mip.pitch,
          mip.slicePitch,
          part.rowBytes,
          part.perSlice,
          box.depth};
}

Result<void> NullTexture::update(Subresource sub, const Box& box, Pitches pitches, ByteSource& source,
                                 UpdatePromise) {
  const Region to = region(sub, box);
  for (uint64_t z = 0; z < to.slices; ++z)
    for (uint64_t y = 0; y < to.rows; ++y)
      if (!source.read(z * pitches.slice + y * pitches.row, to.row(z, y), to.rowBytes)) return unreadable();
  return {};
}

Result<void> NullTexture::copyFrom(Subresource sub, uint32_t x, uint32_t y, uint32_t z, GpuTexture& src,
                                   Subresource srcSub, const Box& srcBox) {
  const Region from = static_cast<NullTexture&>(src).region(srcSub, srcBox);
  const Region to = region(sub, {x, y, z, srcBox.width, srcBox.height, srcBox.depth});
  for (uint64_t slice = 0; slice < from.slices; ++slice)
    for (uint64_t row = 0; row < from.rows; ++row)
      std::memmove(to.row(slice, row), from.row(slice, row), from.rowBytes);
  return {};
}

Result<void> NullTexture::read(Subresource sub, const Box& box, std::unique_ptr<ByteSink> sink) {
  const Region from = region(sub, box);
  for (uint64_t z = 0; z < from.slices; ++z)
    if (auto written = sink->write(from.row(z, 0), from.pitch, from.rowBytes, from.rows); !written)
      return written;
  return {};
}

Result<void> NullTexture::readPlane(const TexelPart& part, const Box& box, std::unique_ptr<ByteSink> sink) {
  const Region from = region(part.sub, box);
  const uint64_t rowBytes = uint64_t{box.width} * planeBytes(format, part.plane);
  std::vector<uint8_t> plane(rowBytes * box.height);
  for (uint64_t y = 0; y < from.rows; ++y)
    takePlane(format, part.plane, from.row(0, y), box.width, plane.data() + y * rowBytes);
  return sink->write(plane.data(), rowBytes, rowBytes, from.rows);
}

Result<void> NullTexture::writePlane(const TexelPart& part, const Box& box, ByteSource& source) {
  const Region to = region(part.sub, box);
  std::vector<uint8_t> row(uint64_t{box.width} * planeBytes(format, part.plane));
  for (uint64_t y = 0; y < to.rows; ++y) {
    if (!source.read(y * row.size(), row.data(), row.size())) return unreadable();
    putPlane(format, part.plane, row.data(), box.width, to.row(0, y));
  }
  return {};
}

void NullTexture::fillRegion(const Region& to, const FormatInfo& as, const ClearArgs& args) {
  for (uint64_t z = 0; z < to.slices; ++z)
    for (uint64_t y = 0; y < to.rows; ++y)
      for (uint8_t* texel = to.row(z, y); texel < to.row(z, y) + to.rowBytes; texel += as.blockBytes)
        clearTexel(as, args, texel);
}

void NullTexture::clearTarget(const ViewDesc& view, uint32_t layers, const ClearArgs& args) {
  for (uint32_t layer = view.baseLayer; layer < view.baseLayer + layers; ++layer) {
    Subresource sub{view.baseMip, layer};
    Box box = all(sub);
    if (hasSlices(desc)) {
      sub.layer = 0;
      box.z = layer;
      box.depth = 1;
    }
    fillRegion(region(sub, box), *findFormat(view.format), args);
  }
}

Result<void> NullTexture::fill(Subresource sub, std::span<const Box> boxes, const ClearArgs& args) {
  if (auto checked = checkFill(desc, sub, boxes, args); !checked) return checked;
  const FormatInfo& as = filledFormat(desc, args);
  if (boxes.empty()) fillRegion(region(sub, all(sub)), as, args);
  for (const Box& box : boxes) fillRegion(region(sub, box), as, args);
  return {};
}

Result<void> NullTexture::blit(Subresource sub, GpuTexture& from, Subresource srcSub,
                               std::span<const BlitBox> boxes, const BlitArgs& args) {
  auto& src = static_cast<NullTexture&>(from);
  auto kind = checkBlit(desc, sub, src.desc, srcSub, boxes, args);
  if (!kind) return kind.error();
  const bool decodes = asSrgb(src.desc.format, args.decodeSrgb);
  const YuvPicture picture{src.format, src.bytes.data(), src.layout.mip(0).pitch, src.desc.width,
                           src.desc.height};
  const bool srgb = asSrgb(desc.format, args.encodeSrgb);
  std::vector<uint8_t> held;
  for (const BlitBox& box : boxes) {
    Region in = src.region(srcSub, box.from);
    if (&src == this) {  // read before it is written
      held.clear();
      for (uint64_t z = 0; z < in.slices; ++z)
        for (uint64_t y = 0; y < in.rows; ++y)
          held.insert(held.end(), in.row(z, y), in.row(z, y) + in.rowBytes);
      in.first = held.data();
      in.pitch = in.rowBytes;
      in.slicePitch = in.rowBytes * in.rows;
    }
    const Region out = region(sub, box.to);
    const auto texel = [&](uint32_t x, uint32_t y, uint32_t z) {
      return in.row(z, y) + uint64_t{x} * src.format.blockBytes;
    };
    const auto color = [&](uint32_t x, uint32_t y, uint32_t z) {
      return src.format.isYuv() ? picture.at(box.from.x + x, box.from.y + y)
                                : readTexel(src.format, decodes, texel(x, y, z));
    };
    for (uint32_t z = 0; z < out.slices; ++z) {
      const Sample w = sampleOf(z, box.to.depth, box.from.depth, false, args.filter);
      for (uint32_t y = 0; y < out.rows; ++y) {
        uint8_t* to = out.row(z, y);
        if (*kind != BlitKind::Color) {
          std::copy_n(in.row(z, y), in.rowBytes, to);
          continue;
        }
        const Sample v = sampleOf(y, box.to.height, box.from.height, box.mirrorY, args.filter);
        for (uint32_t x = 0; x < box.to.width; ++x, to += format.blockBytes) {
          const Sample u = sampleOf(x, box.to.width, box.from.width, box.mirrorX, args.filter);
          if (args.colorKey && isKey(src.format, texel(u.first, v.first, w.first), *args.colorKey)) continue;
          if (args.targetKey && !isKey(format, to, *args.targetKey)) continue;
          const auto row = [&](uint32_t at, uint32_t slice) {
            return mix(color(u.first, at, slice), color(u.second, at, slice), u.weight);
          };
          const auto plane = [&](uint32_t slice) {
            return mix(row(v.first, slice), row(v.second, slice), v.weight);
          };
          const Rgba written = args.filter == BlitFilter::Point
                                   ? color(u.first, v.first, w.first)
                                   : mix(plane(w.first), plane(w.second), w.weight);
          writeTexel(format, srgb, written, to);
        }
      }
    }
  }
  return {};
}

}  // namespace aerogpu::null
