// SPDX-License-Identifier: MIT
// Dynamic rendering on the bound targets (see targets.h).
#include "renderer/vulkan/objects/targets.h"

#include <algorithm>

#include "renderer/core/texel.h"

namespace aerogpu::vk {

namespace {

shader::NumberClass classOf(const core::FormatInfo& format) {
  if (!format.isInteger()) return shader::NumberClass::Float;
  return numbersOf(format) == VK_FORMAT_R32_SINT ? shader::NumberClass::Int : shader::NumberClass::Uint;
}

}  // namespace

Result<Targets::Attachment> Targets::attach(const core::TargetBinding& binding, uint32_t layers,
                                            bool srgbWrite, VkFormat& format) const {
  Attachment out;
  if (!binding.texture || !binding.texture->gpu) return out;
  TextureObject& texture = TextureObject::of(*binding.texture);
  if (!texture.isTarget())
    return Error{ErrorCode::Backend, "this GPU has no render targets of that format",
                 texture.format().info->name};
  VkFormatInfo view = texture.format();
  if (binding.view) {
    auto mapped = mapFormat(*m_gpu.device, binding.view->desc.format);
    if (!mapped) return mapped.error();
    view = *mapped;
    out.mip = binding.view->desc.baseMip;
    out.layer = binding.view->desc.baseLayer;
  }
  if (!texture.format().info->depth && !view.plain)
    return Error{ErrorCode::Backend, "views of that format are no render targets", view.info->name};
  if (texture.format().info->depth != view.info->depth)
    return Error{ErrorCode::Backend, "views of depth for shaders are no render targets", view.info->name};
  if (texture.format().info->typeless && !texture.isTargetAs(*view.info))
    return Error{ErrorCode::Backend, "this GPU has no render targets of that format", view.info->name};
  out.format = view.info;
  format = srgbWrite && view.srgb != VK_FORMAT_UNDEFINED ? view.srgb : view.asDeclared();
  ViewKey key;
  key.format = format;
  key.aspects = texture.format().aspects();
  key.baseMip = out.mip;
  key.baseLayer = out.layer;
  key.layerCount = layers;
  key.type = texture.attachmentType(layers);
  auto handle = texture.view(key);
  if (!handle) return handle.error();
  out.view = handle->handle;
  out.texture = binding.texture;
  return out;
}

void Targets::reset() {
  m_colors = {};
  m_depth = {};
  m_depthSmaller = m_depthReadOnly = false;
  const uint32_t generation = m_info.generation + 1;
  m_info = {};
  m_info.generation = generation;
}

Result<void> Targets::update(const core::DrawState& state, bool changed, bool depthWanted) {
  if (!changed && (!m_depthSmaller || depthWanted == (m_depth.view != VK_NULL_HANDLE))) return {};
  TargetInfo info;
  bool mixed = false;  // sample counts differ
  std::array<Attachment, core::kMaxColorTargets> colors;
  Attachment depth;
  info.extent = {UINT32_MAX, UINT32_MAX};
  info.samples = 0;
  info.layers = state.targetLayers;
  const auto shrink = [&](const Attachment& a) {
    const uint32_t samples = a.texture->desc.samples;
    mixed = mixed || (info.samples != 0 && info.samples != samples);
    info.samples = samples;
    info.extent.width = std::min(info.extent.width, std::max(1u, a.texture->desc.width >> a.mip));
    info.extent.height = std::min(info.extent.height, std::max(1u, a.texture->desc.height >> a.mip));
  };
  for (uint32_t i = 0; i < state.colorTargetCount; ++i) {
    auto attachment = attach(state.colorTargets[i], info.layers, state.blend.srgbWrite, info.colorFormats[i]);
    if (!attachment) return attachment.error();
    colors[i] = std::move(*attachment);
    if (!colors[i].view) continue;
    if (i >= m_gpu.device->limits().maxColorAttachments)
      return refused(ErrorCode::Backend, "this GPU has fewer render targets",
                     {{"target", i}, {"of", m_gpu.device->limits().maxColorAttachments}});
    shrink(colors[i]);
    const core::FormatInfo& format = *colors[i].format;
    if (format.opaque) info.opaqueMask |= 1u << i;
    const TextureObject& texture = TextureObject::of(*colors[i].texture);
    const bool blends = texture.format().info->typeless ? m_gpu.device->formatFeatures(info.colorFormats[i]) &
                                                              VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT
                                                        : texture.blends();
    if (!blends) info.unblendedMask |= 1u << i;
    if (i == 0) info.red = format.channels[0];
    info.classes |= shader::classesOf(i, classOf(format));
    info.colorCount = i + 1;
  }
  auto attachment = attach(state.depthTarget, info.layers, false, info.depthFormat);
  if (!attachment) return attachment.error();
  depth = std::move(*attachment);
  m_depthSmaller = false;
  if (depth.view) {
    const VkExtent2D colors = info.extent;
    shrink(depth);
    m_depthSmaller =
        info.colorCount != 0 && (info.extent.width < colors.width || info.extent.height < colors.height);
    if (m_depthSmaller && !depthWanted) {
      info.extent = colors;
      info.depthFormat = VK_FORMAT_UNDEFINED;
      depth = {};
    }
  }
  if (depth.view) {
    if (TextureObject::of(*depth.texture).format().info->stencil) info.stencilFormat = info.depthFormat;
  }
  if (mixed) return Error{ErrorCode::Backend, "render targets have different sample counts", {}};
  bool same = depth.view == m_depth.view && info.colorCount == m_info.colorCount;
  for (uint32_t i = 0; i < info.colorCount; ++i) same = same && colors[i].view == m_colors[i].view;
  if (same) return {};
  if (m_gpu.recorder->isOpen()) m_gpu.recorder->outsidePass();
  info.generation = m_info.generation + 1;
  m_info = info;
  m_colors = std::move(colors);
  m_depth = std::move(depth);
  return {};
}

VkClearColorValue Targets::clearColor(const Attachment& target, const core::ClearArgs& args) {
  VkClearColorValue value{};
  if (target.format->isInteger()) {
    const std::array<uint32_t, 4> numbers = core::toIntegers(*target.format, args.rgba);
    std::ranges::copy(numbers, value.uint32);
  } else {
    std::ranges::copy(args.rgba, value.float32);
  }
  return value;
}

void Targets::beginWith(const core::ClearArgs* clear) {
  Recorder& recorder = *m_gpu.recorder;
  std::array<VkRenderingAttachmentInfo, core::kMaxColorTargets> colors;
  colors.fill({VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO});
  const auto prepare = [&](Attachment& a, VkPipelineStageFlags2 stages, VkAccessFlags2 access) {
    TextureObject& texture = TextureObject::of(*a.texture);
    texture.prepare(texture.targetLayout(), stages, access);
  };
  for (uint32_t i = 0; i < m_info.colorCount; ++i)
    if (m_colors[i].view)
      prepare(m_colors[i], VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
              VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT);
  constexpr VkPipelineStageFlags2 kDepthStages =
      VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
  if (m_depth.view && m_depthReadOnly) {
    TextureObject& texture = TextureObject::of(*m_depth.texture);
    texture.prepare(readOnlyLayout(texture), kDepthStages | kShaderStages,
                    VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT);
  } else if (m_depth.view) {
    prepare(m_depth, kDepthStages,
            VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT);
  }
  const uint64_t pass = recorder.nextPassId();
  const auto fill = [&](VkRenderingAttachmentInfo& info, Attachment& a) {
    TextureObject& texture = TextureObject::of(*a.texture);
    texture.targetPass = pass;
    info.imageView = a.view;
    info.imageLayout = texture.targetLayout();
    info.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    info.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  };
  for (uint32_t i = 0; i < m_info.colorCount; ++i) {
    if (!m_colors[i].view) continue;
    fill(colors[i], m_colors[i]);
    if (clear && clear->color) {
      colors[i].loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
      colors[i].clearValue.color = clearColor(m_colors[i], *clear);
    }
  }
  VkRenderingAttachmentInfo depth{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO}, stencil = depth;
  if (m_depth.view) {
    fill(depth, m_depth);
    if (m_depthReadOnly) {
      depth.imageLayout = readOnlyLayout(TextureObject::of(*m_depth.texture));
      depth.storeOp = VK_ATTACHMENT_STORE_OP_NONE;
    }
    stencil = depth;
    if (clear && clear->depth) {
      depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
      depth.clearValue.depthStencil.depth = clear->depthValue;
    }
    if (clear && clear->stencil) {
      stencil.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
      stencil.clearValue.depthStencil.stencil = clear->stencilValue & 0xFF;
    }
  }
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea.extent = m_info.any() ? m_info.extent : VkExtent2D{1, 1};
  info.layerCount = m_info.layers;
  info.colorAttachmentCount = m_info.colorCount;
  info.pColorAttachments = colors.data();
  info.pDepthAttachment = m_depth.view ? &depth : nullptr;
  info.pStencilAttachment = m_info.stencilFormat != VK_FORMAT_UNDEFINED ? &stencil : nullptr;
  recorder.beginPass(info);
}

Targets::Relation Targets::relation(const core::Texture& texture, uint32_t baseMip, uint32_t mipCount,
                                    uint32_t baseLayer, uint32_t layerCount) const {
  Relation found = Relation::None;
  const auto look = [&](const Attachment& a) {
    if (a.texture.get() != &texture) return;
    const bool layers = core::hasSlices(texture.desc) ||  // shaders see all slices
                        (a.layer < baseLayer + layerCount && baseLayer < a.layer + m_info.layers);
    const bool overlap = a.mip >= baseMip && a.mip - baseMip < mipCount && layers;
    if (overlap) found = Relation::Overlap;
    if (!overlap && found == Relation::None) found = Relation::Disjoint;
  };
  for (uint32_t i = 0; i < m_info.colorCount; ++i) look(m_colors[i]);
  look(m_depth);
  return found;
}

void Targets::setDepthReadOnly(bool readOnly) {
  if (m_depthReadOnly == readOnly) return;
  m_depthReadOnly = readOnly;
  if (m_gpu.recorder->isOpen()) m_gpu.recorder->outsidePass();
}

bool Targets::begin(bool evenWithout) {
  if (!m_info.any() && !evenWithout) return false;
  if (!m_gpu.recorder->inPass()) beginWith(nullptr);
  return true;
}

void Targets::clear(const core::ClearArgs& wanted, VkRect2D rect) {
  core::ClearArgs args = wanted;
  setDepthReadOnly(false);
  args.depth = args.depth && m_depth.view;
  args.stencil = args.stencil && m_info.stencilFormat != VK_FORMAT_UNDEFINED;
  args.depthValue = args.depthValue >= 0 ? std::min(args.depthValue, 1.0f) : 0.0f;  // NaN becomes 0
  const int64_t right = std::min<int64_t>(int64_t{rect.offset.x} + rect.extent.width, m_info.extent.width);
  const int64_t bottom = std::min<int64_t>(int64_t{rect.offset.y} + rect.extent.height, m_info.extent.height);
  const int64_t left = std::max(rect.offset.x, 0), top = std::max(rect.offset.y, 0);
  if (!m_info.any() || left >= right || top >= bottom || !(args.color || args.depth || args.stencil)) return;
  const bool whole = left == 0 && top == 0 && right == m_info.extent.width && bottom == m_info.extent.height;
  if (whole && !m_gpu.recorder->inPass()) return beginWith(&args);
  begin();
  std::array<VkClearAttachment, core::kMaxColorTargets + 1> clears{};
  uint32_t count = 0;
  for (uint32_t i = 0; args.color && i < m_info.colorCount; ++i) {
    if (!m_colors[i].view) continue;
    clears[count].aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
    clears[count].colorAttachment = i;
    clears[count].clearValue.color = clearColor(m_colors[i], args);
    ++count;
  }
  if (args.depth || args.stencil) {
    clears[count].aspectMask = (args.depth ? uint32_t{VK_IMAGE_ASPECT_DEPTH_BIT} : 0u) |
                               (args.stencil ? uint32_t{VK_IMAGE_ASPECT_STENCIL_BIT} : 0u);
    clears[count].clearValue.depthStencil = {args.depthValue, args.stencilValue & 0xFF};
    ++count;
  }
  if (count == 0) return;
  VkClearRect area{};
  area.rect.offset = {static_cast<int32_t>(left), static_cast<int32_t>(top)};
  area.rect.extent = {static_cast<uint32_t>(right - left), static_cast<uint32_t>(bottom - top)};
  area.layerCount = m_info.layers;
  m_gpu.recorder->noDrawComes();
  m_gpu.device->vk().CmdClearAttachments(m_gpu.recorder->commands(), count, clears.data(), 1, &area);
}

}  // namespace aerogpu::vk
