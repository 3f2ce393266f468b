// SPDX-License-Identifier: MIT
// Fills of textures: render pass clears, and copies of texels to textures that are no render target.
#include <algorithm>
#include <cstring>

#include "renderer/core/texel.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {
namespace {

/// Repeats one texel.
class TexelSource final : public core::ByteSource {
public:
  TexelSource(const core::FormatInfo& format, const core::ClearArgs& args) : m_size(format.blockBytes) {
    core::clearTexel(format, args, m_texel.data());
  }
  bool read(uint64_t offset, void* dst, uint64_t size) override {
    auto* to = static_cast<uint8_t*>(dst);
    for (uint64_t i = 0; i < size; ++i) to[i] = m_texel[(offset + i) % m_size];
    return true;
  }

private:
  std::array<uint8_t, 16> m_texel{};
  const uint64_t m_size;
};

}  // namespace

VkRect2D rectAround(const VkRect2D& a, const VkRect2D& b) {
  const int32_t x = std::min(a.offset.x, b.offset.x), y = std::min(a.offset.y, b.offset.y);
  const auto end = [](int32_t at, uint32_t size) { return static_cast<uint32_t>(at) + size; };
  return {
      {x, y},
      {std::max(end(a.offset.x, a.extent.width), end(b.offset.x, b.extent.width)) - static_cast<uint32_t>(x),
       std::max(end(a.offset.y, a.extent.height), end(b.offset.y, b.extent.height)) -
           static_cast<uint32_t>(y)}};
}

Result<CachedView> TextureObject::targetView(core::Subresource sub, VkFormat format) {
  ViewKey key;
  key.format = format;
  key.aspects = m_format.aspects();
  key.baseMip = sub.mip;
  key.baseLayer = sub.layer;
  key.type = attachmentType();
  return view(key);
}

void TextureObject::beginPassOn(VkImageView view, const VkRect2D& area, const core::ClearArgs* clear,
                                bool samples) {
  const bool isDepth = m_format.info->depth;
  VkPipelineStageFlags2 stages = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
  VkAccessFlags2 access = VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
  if (isDepth) {
    stages = VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
    access = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
  }
  if (samples) {
    stages |= VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
    access |= VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
  }
  m_gpu.recorder->outsidePass();
  prepare(samples ? VK_IMAGE_LAYOUT_GENERAL : targetLayout(), stages, access);
  VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  color.imageView = view;
  color.imageLayout = m_layout;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingAttachmentInfo depth = color, stencil = color;
  if (clear && clear->color) {
    color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.clearValue = clearValue(*clear);
  }
  if (clear && clear->depth) depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  if (clear && clear->stencil) stencil.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  if (clear && isDepth) depth.clearValue = stencil.clearValue = clearValue(*clear);
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea = area;
  info.layerCount = 1;
  info.colorAttachmentCount = isDepth ? 0 : 1;
  info.pColorAttachments = &color;
  info.pDepthAttachment = isDepth ? &depth : nullptr;
  info.pStencilAttachment = m_format.info->stencil ? &stencil : nullptr;
  m_gpu.recorder->beginPass(info);
}

VkClearColorValue TextureObject::exactColor(const core::ClearArgs& args) const {
  const core::FormatInfo& as = core::filledFormat(m_desc, args);
  VkClearColorValue value{};
  if (as.isInteger()) {
    std::ranges::copy(core::toIntegers(as, args.rgba), value.uint32);
    return value;
  }
  uint8_t texel[16] = {};
  core::clearTexel(as, args, texel);
  const core::Rgba color = core::readTexel(as, false, texel);
  std::copy(color.begin(), color.end(), value.float32);
  return value;
}

VkClearValue TextureObject::clearValue(const core::ClearArgs& args) const {
  VkClearValue value{};
  if (args.color && m_format.plain) {
    value.color = exactColor(args);
    const core::FormatInfo& as = core::filledFormat(m_desc, args);
    if (as.opaque && !as.isInteger()) value.color.float32[3] = 1;
  } else if (args.color) {
    std::copy(args.rgba.begin(), args.rgba.end(), value.color.float32);
    if (m_format.info->opaque) value.color.float32[3] = 1;
  } else {
    value.depthStencil = {core::clearDepth(args.depthValue), args.stencilValue & 0xFF};
  }
  return value;
}

Result<void> TextureObject::fillTarget(core::Subresource sub, std::span<const core::Box> boxes,
                                       const core::ClearArgs& args) {
  if (auto opened = m_gpu.recorder->open(); !opened) return opened;
  const bool srgb = args.color && !m_format.plain && core::asSrgb(m_desc.format, args.encodeSrgb);
  VkFormat format = srgb ? m_format.srgb : m_format.linear;
  if (args.color && args.as != AEROGPU_FORMAT_INVALID && args.as != m_desc.format) {
    // Texels are encoded by exactColor().
    auto mapped = mapFormat(*m_gpu.device, args.as);
    if (!mapped) return mapped.error();
    format = mapped->linear;
  }
  auto target = targetView(sub, format);
  if (!target) return target.error();
  if (boxes.size() == 1) {
    beginPassOn(target->handle, rectOf(boxes[0]), &args);
    m_gpu.recorder->outsidePass();
    return {};
  }
  std::vector<VkClearRect> rects;
  VkRect2D area = rectOf(boxes[0]);
  for (const core::Box& box : boxes) {
    rects.push_back({rectOf(box), 0, 1});
    area = rectAround(area, rectOf(box));
  }
  beginPassOn(target->handle, area, nullptr);
  VkClearAttachment clear{};
  clear.aspectMask = (args.color ? uint32_t{VK_IMAGE_ASPECT_COLOR_BIT} : 0u) |
                     (args.depth ? uint32_t{VK_IMAGE_ASPECT_DEPTH_BIT} : 0u) |
                     (args.stencil ? uint32_t{VK_IMAGE_ASPECT_STENCIL_BIT} : 0u);
  clear.clearValue = clearValue(args);
  m_gpu.device->vk().CmdClearAttachments(m_gpu.recorder->commands(), 1, &clear,
                                         static_cast<uint32_t>(rects.size()), rects.data());
  m_gpu.recorder->outsidePass();
  return {};
}

Result<void> TextureObject::fillImage(core::Subresource sub, const core::ClearArgs& args) {
  if (auto opened = m_gpu.recorder->open(); !opened) return opened;
  if (auto defined = ensureDefined(); !defined) return defined;
  const VkClearColorValue value = exactColor(args);
  const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, sub.mip, 1, sub.layer, 1};
  VkCommandBuffer commands =
      transferCommands(VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_ACCESS_2_TRANSFER_WRITE_BIT);
  m_gpu.device->vk().CmdClearColorImage(commands, m_image, m_layout, &value, 1, &range);
  return {};
}

bool TextureObject::isTargetAs(const core::FormatInfo& format) const {
  const auto mapped = mapFormat(*m_gpu.device, format.format);
  return mapped && mapped->plain &&
         (m_gpu.device->formatFeatures(mapped->linear) & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) != 0;
}

Result<void> TextureObject::fill(core::Subresource sub, std::span<const core::Box> boxes,
                                 const core::ClearArgs& args) {
  if (auto checked = core::checkFill(m_desc, sub, boxes, args); !checked) return checked;
  const core::Box whole = all(sub);
  const core::FormatInfo& as = core::filledFormat(m_desc, args);
  // Other members of a family may be no targets of this GPU.
  const bool drawn = isTarget() && !core::hasSlices(m_desc) && (!m_format.info->typeless || isTargetAs(as));
  if (drawn) return fillTarget(sub, boxes.empty() ? std::span(&whole, 1) : boxes, args);
  if (boxes.empty() && m_format.plain && as.format == m_desc.format) return fillImage(sub, args);
  TexelSource source(as, args);
  for (const core::Box& box : boxes.empty() ? std::span(&whole, 1) : boxes) {
    const uint64_t row = uint64_t{box.width} * m_format.info->blockBytes;
    if (auto written = write(sub, box, {row, row * box.height}, source); !written) return written;
  }
  return {};
}

}  // namespace aerogpu::vk
