// SPDX-License-Identifier: MIT
// Images: creation, layout tracking and views (see texture.h). Transfers are in transfer.cpp.
#include "renderer/vulkan/objects/texture.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::vk {
namespace {

constexpr VkAccessFlags2 kWriteAccess =
    VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT |
    VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
constexpr size_t kMaxViews =
    256;  // per texture; a guest cannot ask for more distinct ones than this at a time

}  // namespace

bool canView(const core::TextureDesc& desc, VkImageViewType type, uint32_t layers) {
  switch (type) {
    case VK_IMAGE_VIEW_TYPE_3D:
      return desc.kind == core::TextureKind::Volume;
    case VK_IMAGE_VIEW_TYPE_CUBE:
    case VK_IMAGE_VIEW_TYPE_CUBE_ARRAY:
      return core::canBeCube(desc, layers);
    default:
      return desc.kind != core::TextureKind::Volume && desc.samples == 1 && !core::isYuv(desc.format);
  }
}

Result<std::unique_ptr<core::GpuTexture>> TextureObject::create(Gpu& gpu, const core::TextureDesc& desc) {
  Device& device = *gpu.device;
  const DeviceTable& vk = device.vk();
  auto format = mapFormat(device, desc.format);
  if (!format) return format.error();
  std::unique_ptr<TextureObject> self(new TextureObject(gpu, desc, *format));

  const bool block = format->info->blockPixels > 1;
  const VkFormat formats[2] = {format->linear, format->srgb};
  VkImageFormatListCreateInfo list{VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO};
  list.viewFormatCount = 2;
  list.pViewFormats = formats;
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  if (format->srgb != VK_FORMAT_UNDEFINED) {
    info.pNext = &list;
    info.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
  }
  if (core::canBeCube(desc, desc.arrayLayers)) info.flags |= VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  const bool volume = desc.kind == core::TextureKind::Volume;
  info.imageType = volume ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
  info.format = format->linear;
  info.extent = {desc.width, desc.height, desc.depth};
  info.mipLevels = desc.mipLevels;
  info.arrayLayers = desc.arrayLayers;
  info.samples = static_cast<VkSampleCountFlagBits>(desc.samples);  // the bits are the counts
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const VkFormatFeatureFlags2 features = self->m_features = device.formatFeatures(format->linear);
  const bool supported = block && !device.caps().blockCompression ? false
                         : format->info->depth ? features & VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT
                                               : features & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT;
  if (!supported)
    return Error{ErrorCode::Backend, "this GPU has no textures of that format", format->info->name};
  if (features & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT) info.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
  if (format->info->depth)
    info.usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  else if (format->drawn() && !volume && (features & VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT))
    info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  self->m_usage = info.usage;
  if (!device.fits(info))
    return Error{ErrorCode::Backend,
                 "this GPU has no such images in that size",
                 format->info->name,
                 {{"width", desc.width},
                  {"height", desc.height},
                  {"depth", desc.depth},
                  {"array_layers", desc.arrayLayers},
                  {"sample_count", desc.samples}}};
  VkResult result = vk.CreateImage(device.handle(), &info, nullptr, &self->m_image);
  if (result != VK_SUCCESS) return device.fail(result, "vkCreateImage");

  VkImageMemoryRequirementsInfo2 query{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2};
  query.image = self->m_image;
  VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  vk.GetImageMemoryRequirements2(device.handle(), &query, &needs);
  self->m_charge = HostMemoryCharge::take(
      gpu.hostMemory, needs.memoryRequirements.size + sizeof(TextureObject), HostMemoryKind::Textures);
  if (!self->m_charge.ok())
    return refused(ErrorCode::Backend, "host memory limit reached",
                   {{"bytes", needs.memoryRequirements.size}});
  self->m_pool = &gpu.imagePool(needs.memoryRequirements.memoryTypeBits);
  auto memory = self->m_pool->allocate(needs.memoryRequirements.size, needs.memoryRequirements.alignment);
  if (!memory) return memory.error();
  self->m_memory = *memory;
  VkBindImageMemoryInfo bind{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO};
  bind.image = self->m_image;
  bind.memory = memory->block->memory;
  bind.memoryOffset = memory->offset;
  result = vk.BindImageMemory2(device.handle(), 1, &bind);
  if (result != VK_SUCCESS) return device.fail(result, "vkBindImageMemory2");
  device.name(VK_OBJECT_TYPE_IMAGE, reinterpret_cast<uint64_t>(self->m_image), format->info->name);
  return std::unique_ptr<core::GpuTexture>(std::move(self));
}

TextureObject::~TextureObject() {
  Recorder& recorder = *m_gpu.recorder;
  if (m_earlyUpdates) {
    recorder.remove(*this);
    endEarly();
  }
  for (const auto& [key, view] : m_views) recorder.retire(Retired::Kind::ImageView, view.handle);
  recorder.retire(Retired::Kind::Image, m_image);
  if (m_memory) recorder.retire(*m_pool, m_memory);
}

Result<CachedView> TextureObject::view(const ViewKey& key) {
  for (const auto& [known, view] : m_views)
    if (known == key) return view;
  if (m_views.size() >= kMaxViews) {
    for (const auto& [known, view] : m_views) m_gpu.recorder->retire(Retired::Kind::ImageView, view.handle);
    m_views.clear();
    m_viewCharges.clear();
  }
  HostMemoryCharge charge = HostMemoryCharge::take(m_gpu.hostMemory, kViewBytes, HostMemoryKind::Textures);
  if (!charge.ok()) return Error{ErrorCode::Backend, "host memory limit reached by views", {}};
  VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  info.image = m_image;
  info.viewType = key.type;
  info.format = key.format;
  info.components = key.components.mapping();
  info.subresourceRange = {key.aspects, key.baseMip, key.mipCount, key.baseLayer, key.layerCount};
  CachedView view;
  const VkResult result =
      m_gpu.device->vk().CreateImageView(m_gpu.device->handle(), &info, nullptr, &view.handle);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateImageView");
  view.serial = m_gpu.nextSerial++;
  m_views.emplace_back(key, view);
  m_viewCharges.push_back(std::move(charge));
  return view;
}

bool TextureObject::needsBarrier(VkImageLayout layout, VkPipelineStageFlags2 stages,
                                 VkAccessFlags2 access) const {
  if (m_undefined || layout != m_layout) return true;
  if (access & kWriteAccess) return m_writeStages != 0 || m_readStages != 0;
  return m_writeStages != 0 && ((stages & ~m_visibleStages) != 0 || (access & ~m_visibleAccess) != 0);
}

void TextureObject::barrier(VkCommandBuffer commands, VkImageLayout layout, VkPipelineStageFlags2 stages,
                            VkAccessFlags2 access) {
  VkImageMemoryBarrier2 image{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
  image.srcStageMask = m_writeStages | m_readStages;
  image.srcAccessMask = m_writeAccess;
  image.dstStageMask = stages;
  image.dstAccessMask = access;
  image.oldLayout = m_layout;
  image.newLayout = layout;
  image.srcQueueFamilyIndex = image.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  image.image = m_image;
  image.subresourceRange = {m_format.aspects(), 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  info.imageMemoryBarrierCount = 1;
  info.pImageMemoryBarriers = &image;
  m_gpu.device->vk().CmdPipelineBarrier2(commands, &info);
  const bool transition = layout != m_layout;
  m_layout = layout;
  if (access & kWriteAccess) {
    m_writeStages = stages;
    m_writeAccess = access & kWriteAccess;
    m_readStages = m_visibleStages = 0;
    m_visibleAccess = 0;
    return;
  }
  if (transition) {
    // The transition is a write that only these stages see; later readers wait for it through them. It makes
    // itself available (Vulkan 1.3, "Image Layout Transition"), so no later barrier names an access for it.
    m_visibleStages = stages;
    m_visibleAccess = access;
    m_writeStages = stages;
    m_writeAccess = 0;
  } else {
    m_visibleStages |= stages;
    m_visibleAccess |= access;
  }
  m_readStages |= stages;
}

Result<void> TextureObject::ensureDefined() {
  return m_undefined ? zero() : Result<void>{};
}

void TextureObject::copyZeros(VkCommandBuffer commands, const MemoryRange& zeros, core::Subresource sub,
                              const core::Box& box) {
  VkBufferImageCopy2 region{VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2};
  region.bufferOffset = zeros.offset;
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, sub.mip, sub.layer, 1};
  region.imageOffset = offsetOf(box);
  region.imageExtent = extentOf(box);
  VkCopyBufferToImageInfo2 copy{VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2};
  copy.srcBuffer = zeros.buffer();
  copy.dstImage = m_image;
  copy.dstImageLayout = m_layout;
  copy.regionCount = 1;
  copy.pRegions = &region;
  m_gpu.device->vk().CmdCopyBufferToImage2(commands, &copy);
}

Result<void> TextureObject::zero() {
  Recorder& recorder = *m_gpu.recorder;
  if (auto opened = recorder.open(); !opened) return opened;
  const DeviceTable& vk = m_gpu.device->vk();
  constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  const VkImageSubresourceRange all{m_format.aspects(), 0, VK_REMAINING_MIP_LEVELS, 0,
                                    VK_REMAINING_ARRAY_LAYERS};
  if (m_format.info->blockPixels == 1) {
    VkCommandBuffer commands = recorder.early();
    barrier(commands, kLayout, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT);
    if (m_format.info->depth) {
      const VkClearDepthStencilValue value{};
      vk.CmdClearDepthStencilImage(commands, m_image, kLayout, &value, 1, &all);
    } else {
      const VkClearColorValue value{};
      vk.CmdClearColorImage(commands, m_image, kLayout, &value, 1, &all);
    }
  } else {
    // Block-compressed images cannot be cleared: zeros are copied.
    const uint64_t blockBytes = m_format.info->blockBytes;
    const auto blocks = [](uint32_t pixels) { return uint64_t{(pixels + 3) / 4}; };
    const uint64_t rowBytes = blocks(m_desc.width) * blockBytes;
    const uint64_t rows =
        std::max<uint64_t>(1, std::min(blocks(m_desc.height), (uint64_t{4} << 20) / rowBytes));
    auto zeros = recorder.stage(rowBytes * rows);
    if (!zeros) return zeros.error();
    std::memset(zeros->mapped(), 0, rowBytes * rows);
    VkCommandBuffer commands = recorder.early();
    barrier(commands, kLayout, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT);
    for (uint32_t layer = 0; layer < m_desc.arrayLayers; ++layer) {
      for (uint32_t mip = 0; mip < m_desc.mipLevels; ++mip) {
        const uint32_t height = mipHeight(mip), step = static_cast<uint32_t>(rows) * 4;
        for (uint32_t z = 0; z < mipDepth(mip); ++z)
          for (uint32_t y = 0; y < height; y += step)
            copyZeros(commands, *zeros, {mip, layer}, {0, y, z, mipWidth(mip), std::min(step, height - y)});
      }
    }
  }
  m_lastUse = recorder.batch();
  m_undefined = false;
  return {};
}

void TextureObject::prepare(VkImageLayout layout, VkPipelineStageFlags2 stages, VkAccessFlags2 access) {
  Recorder& recorder = *m_gpu.recorder;
  if (m_undefined) (void)zero();  // only staging can fail; the image is then undefined but never host memory
  if (needsBarrier(layout, stages, access)) {
    // Before its first use in this batch the image can change its layout ahead of everything, without ending
    // the render pass.
    const bool early = m_lastMainUse != recorder.batch();
    barrier(early ? recorder.early() : recorder.outsidePass(), layout, stages, access);
    if (!early) m_mainChange = recorder.batch();
  } else if (!(access & kWriteAccess)) {
    m_readStages |= stages;
  }
  m_lastUse = m_lastMainUse = recorder.batch();
  if (access & kWriteAccess) m_mainChange = recorder.batch();
}

VkCommandBuffer TextureObject::transferCommands(VkImageLayout layout, VkAccessFlags2 access) {
  Recorder& recorder = *m_gpu.recorder;
  const bool early = m_lastMainUse != recorder.batch();
  VkCommandBuffer commands = early ? recorder.early() : recorder.outsidePass();
  if (!early) m_mainChange = recorder.batch();
  if (needsBarrier(layout, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, access))
    barrier(commands, layout, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, access);
  m_lastUse = recorder.batch();
  return commands;
}

TextureObject::UpdateCommands TextureObject::updateCommands(core::UpdatePromise promise,
                                                            core::Subresource sub, const core::Box& box) {
  constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  constexpr VkAccessFlags2 kAccess = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  Recorder& recorder = *m_gpu.recorder;
  const uint64_t batch = recorder.batch();
  // Later promises are about what follows the DISCARD only.
  if (promise.discard && m_lastMainUse == batch) m_mainChange = batch;
  if (!promise.noOverwrite || m_lastMainUse != batch || m_mainChange == batch)
    return {transferCommands(kLayout, kAccess), kLayout};
  const bool first = !m_earlyUpdates;
  if (first) {
    m_earlyUpdates = std::make_unique<EarlyUpdates>();
    m_earlyUpdates->here = tracked();
    m_earlyUpdates->home = m_layout;
    recorder.atEndOfEarly(*this);
  }
  // Copies to different boxes need no order; those to one need that of the packets.
  auto& boxes = m_earlyUpdates->boxes;
  const bool again = std::any_of(boxes.begin(), boxes.end(), [&](const auto& done) {
    return done.first == sub && core::overlap(done.second, box);
  });
  if (first || again || boxes.size() == EarlyUpdates::kMostBoxes) {
    const Tracked others = tracked();
    setTracked(m_earlyUpdates->here);
    barrier(recorder.early(), kLayout, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, kAccess);
    m_earlyUpdates->here = tracked();
    setTracked(others);
    boxes.clear();
  }
  boxes.emplace_back(sub, box);
  return {recorder.early(), kLayout};
}

void TextureObject::endEarly() {
  const std::unique_ptr<EarlyUpdates> updates = std::move(m_earlyUpdates);
  const Tracked others = tracked();
  setTracked(updates->here);
  // All that the batch's other commands do comes behind this.
  barrier(m_gpu.recorder->early(), updates->home, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
          VK_ACCESS_2_MEMORY_READ_BIT);
  setTracked(others);
}

void TextureObject::setTracked(const Tracked& state) {
  m_layout = state.layout;
  m_writeStages = state.writeStages;
  m_readStages = state.readStages;
  m_visibleStages = state.visibleStages;
  m_writeAccess = state.writeAccess;
  m_visibleAccess = state.visibleAccess;
}

}  // namespace aerogpu::vk
