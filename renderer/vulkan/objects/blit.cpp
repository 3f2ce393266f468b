// SPDX-License-Identifier: MIT
// Blits of textures: copies where bytes suffice, else a draw, which takes the same texels on every GPU;
// Vulkan's own command only to textures that are no render target, above all volumes.
#include <algorithm>

#include "renderer/core/texel.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {
namespace {

using core::BlitBox;
using core::Box;

/// True if `later` has to wait for `earlier`: both write common texels, or, within one subresource, one of
/// them reads texels that the other writes.
bool waitsFor(const BlitBox& later, const BlitBox& earlier, bool within) {
  if (core::overlap(later.to, earlier.to)) return true;
  return within && (core::overlap(later.from, earlier.to) || core::overlap(later.to, earlier.from));
}

/// The color keys of a source and of a target.
struct Keys {
  core::KeyRange source{}, target{};
};

shader::BlitConstants constantsOf(const BlitBox& box, const Keys& keys, const core::TextureDesc& src,
                                  uint32_t mip) {
  const auto number = [](uint32_t n) { return static_cast<int32_t>(n); };
  const auto part = [&](uint32_t side) { return 1 / static_cast<float>(std::max(side >> mip, 1u)); };
  shader::BlitConstants out{
      {number(box.to.x), number(box.to.y), number(box.to.width), number(box.to.height)},
      {number(box.from.x), number(box.from.y), number(box.from.width), number(box.from.height)},
      {box.mirrorX, box.mirrorY},
      number(box.from.z),
      0,
      {part(src.width), part(src.height), part(src.depth), 0},
      {},
      {},
      {},
      {}};
  if (core::isYuv(src.format)) {
    out.slice = number(src.width);
    out.rows = number(core::findFormat(src.format)->pictureRows(src.height));
  }
  std::copy(keys.source.low.begin(), keys.source.low.end(), out.keyLow);
  std::copy(keys.source.high.begin(), keys.source.high.end(), out.keyHigh);
  std::copy(keys.target.low.begin(), keys.target.low.end(), out.targetLow);
  std::copy(keys.target.high.begin(), keys.target.high.end(), out.targetHigh);
  return out;
}

shader::BlitYuv yuvOf(const core::FormatInfo& format) {
  switch (format.yuv) {
    case core::Yuv::Pairs:
      return shader::BlitYuv::Pairs;
    case core::Yuv::TwoPlanes:
      return shader::BlitYuv::TwoPlanes;
    case core::Yuv::ThreePlanes:
      return shader::BlitYuv::ThreePlanes;
    default:
      return shader::BlitYuv::None;
  }
}

shader::BlitSampling samplingOf(std::span<const BlitBox> boxes, core::BlitFilter filter,
                                const shader::BlitShader& shader) {
  const auto each = [&](uint32_t times) {
    return std::all_of(boxes.begin(), boxes.end(), [&](const BlitBox& box) {
      return box.to.width * times == box.from.width && box.to.height * times == box.from.height;
    });
  };
  if (each(1)) return shader::BlitSampling::Same;
  if (filter == core::BlitFilter::Point) return shader::BlitSampling::Point;
  return shader.exactSamples() && each(2) ? shader::BlitSampling::Halves : shader::BlitSampling::Linear;
}

bool isWithin(const VkRect2D& inner, const VkRect2D& outer) {
  const VkRect2D both = rectAround(inner, outer);
  return both.extent.width == outer.extent.width && both.extent.height == outer.extent.height;
}

VkOffset3D endOf(const Box& box) {
  return offsetOf({box.x + box.width, box.y + box.height, box.z + box.depth});
}

}  // namespace

Result<std::unique_ptr<core::GpuTexture>> TextureObject::holdFirstSamples() {
  core::TextureDesc desc = m_desc;
  desc.samples = 1;
  const uint64_t texels = uint64_t{m_desc.width} * m_desc.height;
  if (auto noted = m_gpu.heldCopies.note(*m_gpu.recorder, texels * m_format.info->blockBytes); !noted)
    return noted.error();
  auto made = create(m_gpu, desc);
  if (!made) return made;
  auto& held = static_cast<TextureObject&>(**made);
  if (auto opened = m_gpu.recorder->open(); !opened) return opened.error();
  auto from = targetView({}, m_format.linear);
  if (!from) return from.error();
  auto to = held.targetView({}, held.m_format.linear);
  if (!to) return to.error();
  Recorder& recorder = *m_gpu.recorder;
  recorder.beginInterlude();
  recorder.outsidePass();
  // A resolve of depth takes place in the stage of colours (Vulkan 1.3, "Render Pass Multisample Resolve").
  constexpr VkPipelineStageFlags2 kStages = VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
                                            VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT |
                                            VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
  constexpr VkAccessFlags2 kAccess =
      VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT |
      VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
  prepare(targetLayout(), kStages, kAccess);
  held.prepare(held.targetLayout(), kStages, kAccess);
  VkRenderingAttachmentInfo depth{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  depth.imageView = from->handle;
  depth.imageLayout = m_layout;
  depth.resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;  // the one mode that every GPU has
  depth.resolveImageView = to->handle;
  depth.resolveImageLayout = held.m_layout;
  depth.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  depth.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea.extent = {m_desc.width, m_desc.height};
  info.layerCount = 1;
  info.pDepthAttachment = &depth;
  info.pStencilAttachment = m_format.info->stencil ? &depth : nullptr;
  recorder.beginPass(info);
  recorder.outsidePass();
  recorder.endInterlude();
  return made;
}

Result<std::unique_ptr<core::GpuTexture>> TextureObject::hold(core::Subresource sub, const Box& box,
                                                              uint32_t samples, core::TextureKind kind) {
  core::TextureDesc desc;
  desc.kind = kind;
  desc.format = m_desc.format;
  desc.width = box.width;
  desc.height = box.height;
  desc.depth = box.depth;
  desc.samples = samples;
  const uint64_t texels = uint64_t{box.width} * box.height * box.depth;
  if (auto noted = m_gpu.heldCopies.note(*m_gpu.recorder, texels * samples * m_format.texelBytes()); !noted)
    return noted.error();
  auto made = create(m_gpu, desc);
  if (!made) return made;
  auto& held = static_cast<TextureObject&>(**made);
  held.m_undefined = false;  // every byte will be written
  const BlitBox all{{0, 0, 0, box.width, box.height, box.depth}, box};
  auto filled = samples == m_desc.samples ? held.copyRegions({}, *this, sub, {&all, 1})
                                          : held.resolveTo({}, {}, *this, sub, box);
  if (!filled) return filled.error();
  return made;
}

Result<void> TextureObject::copyBoxes(core::Subresource sub, TextureObject& src, core::Subresource srcSub,
                                      std::span<const BlitBox> boxes) {
  const bool within = &src == this && sub == srcSub;
  size_t first = 0;  // first box of those that are copied at once
  const auto copy = [&](size_t end) {
    const size_t from = std::exchange(first, end);
    return from == end ? Result<void>{} : copyRegions(sub, src, srcSub, boxes.subspan(from, end - from));
  };
  for (size_t i = 0; i < boxes.size(); ++i) {
    const auto pending = boxes.subspan(first, i - first);
    const bool waits = std::any_of(pending.begin(), pending.end(),
                                   [&](const BlitBox& b) { return waitsFor(boxes[i], b, within); });
    if (waits || pending.size() == kCopiesAtOnce)
      if (auto copied = copy(i); !copied) return copied;
    if (!within || !core::overlap(boxes[i].to, boxes[i].from)) continue;
    if (auto copied = copy(i); !copied) return copied;
    first = i + 1;
    auto held = hold(srcSub, boxes[i].from, m_desc.samples, plainKind());
    if (!held) return held.error();
    const Box& to = boxes[i].to;
    if (auto copied = copyFrom(sub, to.x, to.y, to.z, **held, {}, {0, 0, 0, to.width, to.height, to.depth});
        !copied)
      return copied;
  }
  return copy(boxes.size());
}

Result<void> TextureObject::blitByDraw(core::Subresource sub, TextureObject& src, core::Subresource srcSub,
                                       std::span<const BlitBox> boxes, const core::BlitArgs& args,
                                       TextureObject* kept) {
  Recorder& recorder = *m_gpu.recorder;
  if (auto opened = recorder.open(); !opened) return opened;
  const bool decodes = core::asSrgb(src.m_desc.format, args.decodeSrgb);
  const bool volume = src.m_desc.kind == core::TextureKind::Volume;
  ViewKey read;
  read.format = decodes ? src.m_format.srgb : src.m_format.linear;
  read.type = volume ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D;
  read.baseMip = srcSub.mip;
  read.baseLayer = srcSub.layer;
  read.components = src.m_format.components;
  auto source = src.view(read);
  if (!source) return source.error();
  const VkFormat format = core::asSrgb(m_desc.format, args.encodeSrgb) ? m_format.srgb : m_format.linear;
  auto target = targetView(sub, format);
  if (!target) return target.error();
  const bool own = &src == this;
  const VkImageLayout layout = own ? VK_IMAGE_LAYOUT_GENERAL : src.sampledLayout();
  shader::BlitShader shader;
  shader.volume = volume;
  shader.narrow = src.m_format.narrow();
  shader.yuv = yuvOf(*src.m_format.info);
  shader.colorKey = args.colorKey.has_value();
  shader.targetKey = kept != nullptr;
  shader.output = m_format.blitOutput();
  shader.sampling = samplingOf(boxes, args.filter, shader);
  CachedView before;
  if (kept) {
    ViewKey whole;
    whole.format = m_format.linear;
    whole.components = m_format.components;
    auto view = kept->view(whole);
    if (!view) return view.error();
    before = *view;
  }
  auto bindings = m_gpu.blits->choose({format, shader},
                                      {source->handle, source->serial, layout, before.handle, before.serial});
  if (!bindings) return bindings.error();

  VkRect2D area = rectOf(boxes[0].to);
  for (const BlitBox& box : boxes) area = rectAround(area, rectOf(box.to));
  if (!own) src.prepare(layout, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT);
  if (kept)
    kept->prepare(VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                  VK_ACCESS_2_SHADER_SAMPLED_READ_BIT);
  // Successive blits to one texture: all but the first continue in one pass over the whole texture.
  BlitDraws::Pass& last = m_gpu.blits->last;
  const bool again = !own && last.target == target->serial && recorder.leftOpen(last.id);
  if (!again || !isWithin(area, last.area)) {
    if (again) area = {{0, 0}, {mipWidth(sub.mip), mipHeight(sub.mip)}};
    recorder.beginInterlude();
    beginPassOn(target->handle, area, nullptr, own);
    last = {recorder.passId(), target->serial, area};
  }
  m_gpu.blits->bind(*bindings);
  Keys keys;
  if (args.colorKey) keys.source = core::keyRange(*src.m_format.info, decodes, *args.colorKey);
  if (args.targetKey) keys.target = core::keyRange(*m_format.info, false, *args.targetKey);
  for (const BlitBox& box : boxes) m_gpu.blits->draw(constantsOf(box, keys, src.m_desc, srcSub.mip));
  if (own)
    recorder.endInterlude();
  else
    recorder.leaveInterludeOpen();
  return {};
}

Result<void> TextureObject::blitByCommand(core::Subresource sub, TextureObject& src, core::Subresource srcSub,
                                          std::span<const BlitBox> boxes, const core::BlitArgs& args) {
  const bool linear = args.filter == core::BlitFilter::Linear;
  const Device& device = *m_gpu.device;
  const VkFormatFeatureFlags read =
      VK_FORMAT_FEATURE_BLIT_SRC_BIT |
      (linear ? VkFormatFeatureFlags{VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT} : 0);
  if ((device.formatFeatures(src.m_format.linear) & read) != read ||
      !(device.formatFeatures(m_format.linear) & VK_FORMAT_FEATURE_BLIT_DST_BIT))
    return Error{ErrorCode::Backend, "this GPU has no blit between these formats", {}};
  // Both images have linear formats, and treat the byte of X8 as a byte.
  const bool decodes = core::asSrgb(src.m_desc.format, args.decodeSrgb);
  if (decodes != core::asSrgb(m_desc.format, args.encodeSrgb) || (decodes && linear) ||
      (src.m_format.info->opaque && !m_format.info->opaque) || src.m_format.info->isYuv() || args.colorKey ||
      args.targetKey || (m_desc.format != src.m_desc.format && (!m_format.plain || !src.m_format.plain)))
    return Error{ErrorCode::Backend, "blit that takes a draw, to what cannot be a render target", {}};

  Recorder& recorder = *m_gpu.recorder;
  if (auto opened = recorder.open(); !opened) return opened;
  recorder.beginInterlude();
  Result<void> done;
  for (const BlitBox& box : boxes) {
    auto commands = prepareTransfer(src);  // after the previous box, which may overlap
    if (!commands) done = commands.error();
    if (!done) break;
    VkImageBlit2 region{VK_STRUCTURE_TYPE_IMAGE_BLIT_2};
    region.srcSubresource = layersOf(VK_IMAGE_ASPECT_COLOR_BIT, srcSub);
    region.srcOffsets[0] = offsetOf(box.from);
    region.srcOffsets[1] = endOf(box.from);
    if (box.mirrorX) std::swap(region.srcOffsets[0].x, region.srcOffsets[1].x);
    if (box.mirrorY) std::swap(region.srcOffsets[0].y, region.srcOffsets[1].y);
    region.dstSubresource = layersOf(VK_IMAGE_ASPECT_COLOR_BIT, sub);
    region.dstOffsets[0] = offsetOf(box.to);
    region.dstOffsets[1] = endOf(box.to);
    VkBlitImageInfo2 info{VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2};
    info.srcImage = src.m_image;
    info.srcImageLayout = src.m_layout;
    info.dstImage = m_image;
    info.dstImageLayout = m_layout;
    info.regionCount = 1;
    info.pRegions = &region;
    info.filter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    device.vk().CmdBlitImage2(*commands, &info);
  }
  recorder.endInterlude();
  return done;
}

Result<void> TextureObject::blit(core::Subresource sub, core::GpuTexture& from, core::Subresource srcSub,
                                 std::span<const BlitBox> boxes, const core::BlitArgs& args) {
  auto& src = static_cast<TextureObject&>(from);
  auto kind = core::checkBlit(m_desc, sub, src.m_desc, srcSub, boxes, args);
  if (!kind) return kind.error();
  if (boxes.empty()) return {};
  if (*kind == core::BlitKind::DepthResolve) {
    auto held = src.holdFirstSamples();
    if (!held) return held.error();
    return copyBoxes(sub, static_cast<TextureObject&>(**held), {}, boxes);
  }
  if (*kind == core::BlitKind::Copy) return copyBoxes(sub, src, srcSub, boxes);
  // The draw reads from and writes to images of two dimensions, or reads slices of three.
  const bool drawn = isAttachment() && plainKind() == core::TextureKind::Texture2D &&
                     (src.m_usage & VK_IMAGE_USAGE_SAMPLED_BIT);
  const auto blitFrom = [&](TextureObject& source, core::Subresource part, std::span<const BlitBox> list,
                            TextureObject* kept = nullptr) {
    return drawn ? blitByDraw(sub, source, part, list, args, kept)
                 : blitByCommand(sub, source, part, list, args);
  };
  // vkCmdBlitImage between 2D images and volumes is rare, and drivers have bugs: lavapipe ignores the slice.
  const bool alike = drawn || src.plainKind() == plainKind();
  const bool apart = &src != this || (drawn && sub != srcSub);
  const bool direct = src.m_desc.samples == 1 && apart && alike, keyed = drawn && args.targetKey;
  if (direct && !keyed) return blitFrom(src, srcSub, boxes);
  for (const BlitBox& box : boxes) {
    std::unique_ptr<core::GpuTexture> before;
    if (keyed) {
      auto held = hold(sub, box.to, 1, plainKind());
      if (!held) return held.error();
      before = std::move(*held);
    }
    auto* const kept = static_cast<TextureObject*>(before.get());
    if (direct) {
      if (auto done = blitFrom(src, srcSub, {&box, 1}, kept); !done) return done;
      continue;
    }
    const bool resolves = src.m_desc.samples > 1;
    auto held = src.hold(srcSub, box.from, 1, drawn || resolves ? src.plainKind() : plainKind());
    if (!held) return held.error();
    const Box all{0, 0, 0, box.from.width, box.from.height, box.from.depth};
    if (resolves && !drawn) {
      auto again = static_cast<TextureObject&>(**held).hold({}, all, 1, plainKind());
      if (!again) return again.error();
      held = std::move(again);
    }
    BlitBox here = box;
    here.from = all;
    if (auto done = blitFrom(static_cast<TextureObject&>(**held), {}, {&here, 1}, kept); !done) return done;
  }
  return {};
}

}  // namespace aerogpu::vk
