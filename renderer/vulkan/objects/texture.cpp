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
    case VK_IMAGE_VIEW_TYPE_1D:
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY:
      return desc.kind == core::TextureKind::Texture1D;
    case VK_IMAGE_VIEW_TYPE_CUBE:
    case VK_IMAGE_VIEW_TYPE_CUBE_ARRAY:
      return core::canBeCube(desc, layers);
    default:
      return desc.kind != core::TextureKind::Volume && desc.kind != core::TextureKind::Texture1D &&
             desc.samples == 1 && !core::isYuv(desc.format);
  }
}

Result<std::unique_ptr<core::GpuTexture>> TextureObject::create(Gpu& gpu, const core::TextureDesc& desc) {
  HostMemoryCharge charge;
  auto stored = gpu.storedImages->take(desc, &charge, sizeof(TextureObject));
  if (!stored) return stored.error();
  return std::unique_ptr<core::GpuTexture>(new TextureObject(gpu, desc, **stored, std::move(charge)));
}

TextureObject::TextureObject(Gpu& gpu, const core::TextureDesc& desc, StoredImage& stored,
                             HostMemoryCharge charge)
    : m_gpu(gpu),
      m_desc(desc),
      m_format(stored.shape().format),
      m_stored(stored),
      m_image(stored.image()),
      m_usage(stored.shape().usage),
      m_features(stored.shape().features),
      m_charge(std::move(charge)) {}

TextureObject::~TextureObject() {
  Recorder& recorder = *m_gpu.recorder;
  if (m_earlyUpdates) {
    recorder.remove(*this);
    endEarly();
  }
  for (const auto& [key, view] : m_views) recorder.retire(Retired::Kind::ImageView, view.handle);
  // A GPU that hangs may have been abandoned: what it has finished is unknown.
  if (!m_gpu.device->lost() && m_views.empty() && recorder.finished(m_lastUse))
    m_gpu.storedImages->giveBack(&m_stored);
  else
    recorder.retire(m_stored);
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
  // Formats of a family differ in what the GPU does with them.
  VkImageViewUsageCreateInfo usage{VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO};
  if (m_format.info->typeless) {
    const VkFormatFeatureFlags features = m_gpu.device->formatFeatures(key.format);
    usage.usage = m_usage;
    if (!(features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)) usage.usage &= ~VK_IMAGE_USAGE_SAMPLED_BIT;
    if (!(features & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT))
      usage.usage &= ~VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    info.pNext = &usage;
  }
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
  copy({commands, m_layout, true}, zeros.buffer(), {&region, 1});
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
    // Before its first use in this batch the image can change its layout ahead of all commands, without
    // ending the render pass.
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
  // Later promises concern only uses after the DISCARD.
  if (promise.discard && m_lastMainUse == batch) m_mainChange = batch;
  if (!promise.noOverwrite || m_lastMainUse != batch || m_mainChange == batch)
    return {transferCommands(kLayout, kAccess), kLayout, false};
  const bool first = !m_earlyUpdates;
  if (first) {
    m_earlyUpdates = std::make_unique<EarlyUpdates>(std::max(m_desc.width, m_desc.height));
    m_earlyUpdates->here = tracked();
    m_earlyUpdates->home = m_layout;
    recorder.atEndOfEarly(*this);
  }
  // Copies to different boxes need no order; copies to one box need the order of the packets.
  BoxSet& boxes = m_earlyUpdates->boxes;
  const bool full = boxes.full();
  if (first || full || !boxes.add(sub, box)) {
    recordCopies();
    if (full) recorder.sendEarly();
    const Tracked others = tracked();
    setTracked(m_earlyUpdates->here);
    barrier(recorder.early(), kLayout, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, kAccess);
    m_earlyUpdates->here = tracked();
    setTracked(others);
    boxes.clear();
    boxes.add(sub, box);
  }
  return {recorder.early(), kLayout, true};
}

void TextureObject::copy(const UpdateCommands& to, VkBuffer from,
                         std::span<const VkBufferImageCopy2> regions) const {
  VkCopyBufferToImageInfo2 copy{VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2};
  copy.srcBuffer = from;
  copy.dstImage = m_image;
  copy.dstImageLayout = to.layout;
  copy.regionCount = static_cast<uint32_t>(regions.size());
  copy.pRegions = regions.data();
  m_gpu.device->vk().CmdCopyBufferToImage2(to.commands, &copy);
}

void TextureObject::recordCopies() {
  EarlyUpdates& updates = *m_earlyUpdates;
  if (updates.copies.empty()) return;
  copy({m_gpu.recorder->early(), updates.here.layout, true}, updates.from, updates.copies);
  updates.copies.clear();
}

void TextureObject::endEarly() {
  recordCopies();
  const std::unique_ptr<EarlyUpdates> updates = std::move(m_earlyUpdates);
  const Tracked others = tracked();
  setTracked(updates->here);
  // All other commands of the batch come after this.
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
