// SPDX-License-Identifier: MIT
// Makes, keeps and drops images (see image_store.h).
#include "renderer/vulkan/objects/image_store.h"

namespace aerogpu::vk {

namespace {

constexpr size_t kIdleShapes = 256;  ///< shapes without an image; more are forgotten

VkImageType imageType(core::TextureKind kind) {
  switch (kind) {
    case core::TextureKind::Volume:
      return VK_IMAGE_TYPE_3D;
    case core::TextureKind::Texture1D:
      return VK_IMAGE_TYPE_1D;
    default:
      return VK_IMAGE_TYPE_2D;
  }
}

VkImageCreateInfo sliceTarget(VkFormat format) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
  info.imageType = VK_IMAGE_TYPE_3D;
  info.format = format;
  info.extent = {4, 4, 4};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
               VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  return info;
}

}  // namespace

bool drawsToSlices(const Device& device, VkFormat format) {
  return device.fits(sliceTarget(format));
}

bool hasRows(const Device& device, VkFormat format) {
  VkImageCreateInfo info = sliceTarget(format);
  info.flags = 0;
  info.imageType = VK_IMAGE_TYPE_1D;
  info.extent = {4, 1, 1};
  return device.fits(info);
}

void StoredImage::finished() {
  m_shape.store.giveBack(this);
}

size_t ImageStore::Hash::operator()(const core::TextureDesc& d) const {
  const SaltedHash hash;
  const uint64_t size = uint64_t{d.width} << 32 | d.height;
  const uint64_t rest = uint64_t{d.depth} << 40 | uint64_t{d.arrayLayers} << 20 |
                        uint64_t{d.mipLevels} << 12 | uint64_t{d.samples} << 4 |
                        static_cast<uint64_t>(d.kind);
  return hash(size ^ hash(rest ^ uint64_t{d.format} << 56));
}

Result<ImageShape*> ImageStore::shape(const core::TextureDesc& desc) {
  core::TextureDesc key = desc;
  key.usage = 0;
  if (const auto known = m_shapes.find(key); known != m_shapes.end()) return &known->second;
  ImageShape made(*this, key);
  if (auto described = describe(made); !described) return described.error();
  return &m_shapes.emplace(key, std::move(made)).first->second;
}

Result<void> ImageStore::describe(ImageShape& shape) const {
  auto format = mapFormat(m_device, shape.desc.format);
  if (!format) return format.error();
  shape.format = *format;
  shape.features = m_device.formatFeatures(format->linear);
  const bool block = format->info->blockPixels > 1;
  const bool supported = block && !m_device.caps().blockCompression ? false
                         : format->info->depth
                             ? shape.features & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT
                             : shape.features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
  if (!supported)
    return Error{ErrorCode::Backend, "this GPU has no textures of that format", format->info->name};
  shape.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  if (shape.features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) shape.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
  if (format->info->depth)
    shape.usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  else if (format->drawn() && (shape.features & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) &&
           (!core::hasSlices(shape.desc) || drawsToSlices(m_device, format->linear)))
    shape.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  return {};
}

Result<void> ImageStore::take(HostMemoryCharge* charge, const ImageShape& shape, uint64_t extraBytes) {
  if (!charge) return {};
  *charge = HostMemoryCharge::take(m_hostMemory, shape.bytes + extraBytes, HostMemoryKind::Textures);
  if (charge->ok()) return {};
  return refused(ErrorCode::Backend, "host memory limit reached", {{"bytes", shape.bytes}});
}

Result<StoredImage*> ImageStore::take(const core::TextureDesc& desc, HostMemoryCharge* charge,
                                      uint64_t extraBytes) {
  auto found = shape(desc);
  if (!found) return found.error();
  ImageShape& shape = **found;
  if (StoredImage* image = shape.kept) {
    if (auto taken = take(charge, shape, extraBytes); !taken) return taken.error();
    shape.kept = std::exchange(image->m_next, nullptr);
    m_keptBytes -= image->m_memory.size;
    --m_kept;
    return image;
  }
  auto made = make(shape, charge, extraBytes);
  if (!made && shape.images == 0) m_shapes.erase(shape.desc);
  return made;
}

Result<StoredImage*> ImageStore::make(ImageShape& shape, HostMemoryCharge* charge, uint64_t extraBytes) {
  const DeviceTable& vk = m_device.vk();
  const core::TextureDesc& desc = shape.desc;
  const std::vector<VkFormat> formats = viewFormats(shape.format);
  VkImageFormatListCreateInfo list{VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO};
  list.viewFormatCount = static_cast<uint32_t>(formats.size());
  list.pViewFormats = formats.data();
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  if (!formats.empty()) {
    if (m_device.caps().imageFormatList) info.pNext = &list;
    info.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
  }
  if (core::canBeCube(desc, desc.arrayLayers)) info.flags |= VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  if (core::hasSlices(desc) && (shape.usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT))
    info.flags |= VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
  info.imageType = imageType(desc.kind);
  info.format = shape.format.linear;
  info.extent = {desc.width, desc.height, desc.depth};
  info.mipLevels = desc.mipLevels;
  info.arrayLayers = desc.arrayLayers;
  info.samples = static_cast<VkSampleCountFlagBits>(desc.samples);  // the bits are the counts
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = shape.usage;
  if (!m_device.fits(info))
    return Error{ErrorCode::Backend,
                 "this GPU has no such images in that size",
                 shape.format.info->name,
                 {{"width", desc.width},
                  {"height", desc.height},
                  {"depth", desc.depth},
                  {"array_layers", desc.arrayLayers},
                  {"sample_count", desc.samples}}};
  VkImage handle = VK_NULL_HANDLE;
  VkResult result = vk.CreateImage(m_device.handle(), &info, nullptr, &handle);
  if (result != VK_SUCCESS) return m_device.fail(result, "vkCreateImage");
  const auto image = new StoredImage(shape, handle);
  ++shape.images;
  if (!shape.pool) {
    // Equal for all images that are made with equal parameters (Vulkan 1.3, "Resource Memory Association").
    VkImageMemoryRequirementsInfo2 query{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2};
    query.image = handle;
    VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vk.GetImageMemoryRequirements2(m_device.handle(), &query, &needs);
    shape.bytes = needs.memoryRequirements.size;
    shape.alignment = needs.memoryRequirements.alignment;
    shape.pool = &pool(needs.memoryRequirements.memoryTypeBits);
  }
  const auto failed = [&](Error error) -> Result<StoredImage*> {
    if (charge) charge->reset();
    destroy(image);
    return error;
  };
  if (auto taken = take(charge, shape, extraBytes); !taken) return failed(taken.error());
  auto memory = this->memory(shape);
  if (!memory) return failed(memory.error());
  image->m_memory = *memory;
  VkBindImageMemoryInfo bind{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO};
  bind.image = handle;
  bind.memory = memory->block->memory;
  bind.memoryOffset = memory->offset;
  result = vk.BindImageMemory2(m_device.handle(), 1, &bind);
  if (result != VK_SUCCESS) return failed(m_device.fail(result, "vkBindImageMemory2"));
  m_device.name(VK_OBJECT_TYPE_IMAGE, reinterpret_cast<uint64_t>(handle), shape.format.info->name);
  return image;
}

Result<MemoryRange> ImageStore::memory(const ImageShape& shape) {
  auto taken = shape.pool->allocate(shape.bytes, shape.alignment);
  if (taken || m_kept == 0) return taken;
  dropAll();
  return shape.pool->allocate(shape.bytes, shape.alignment);
}

MemoryPool& ImageStore::pool(uint32_t typeBits) {
  for (const auto& [bits, pool] : m_pools)
    if (bits == typeBits) return *pool;
  m_pools.emplace_back(
      typeBits, std::make_unique<MemoryPool>(
                    m_device, memoryTypes(m_device, typeBits, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0,
                    uint64_t{16} << 20, "images"));
  return *m_pools.back().second;
}

void ImageStore::giveBack(StoredImage* image) {
  ImageShape& shape = image->m_shape;
  // A lost GPU may work on: its images are destroyed only with the device.
  const bool room = m_kept < kMostImages && m_keptBytes + image->m_memory.size <= kMostBytes;
  if (!room && !m_device.lost()) {
    destroy(image);
    if (shape.images == 0 && m_shapes.size() > kIdleShapes) m_shapes.erase(shape.desc);
    return;
  }
  image->m_batch = m_recorder.batch();
  if (m_kept++ == 0) m_nextAge = image->m_batch + kLongest;
  m_keptBytes += image->m_memory.size;
  image->m_next = std::exchange(shape.kept, image);
}

void ImageStore::destroy(StoredImage* image) {
  m_device.vk().DestroyImage(m_device.handle(), image->m_image, nullptr);
  if (image->m_memory) image->m_shape.pool->giveBack(image->m_memory);
  --image->m_shape.images;
  delete image;
}

void ImageStore::dropKept(ImageShape& shape, uint64_t batch) {
  StoredImage** link = &shape.kept;
  while (*link && (*link)->m_batch >= batch) link = &(*link)->m_next;
  // The rest of the list is older.
  for (StoredImage* image = std::exchange(*link, nullptr); image;) {
    StoredImage* next = image->m_next;
    m_keptBytes -= image->m_memory.size;
    --m_kept;
    destroy(image);
    image = next;
  }
}

void ImageStore::age(uint64_t batch) {
  if (m_kept == 0 || batch < m_nextAge || m_device.lost()) return;
  m_nextAge = batch + kLongest;
  for (auto it = m_shapes.begin(); it != m_shapes.end();) {
    dropKept(it->second, batch - kLongest);
    if (it->second.images == 0 && m_shapes.size() > kIdleShapes)
      it = m_shapes.erase(it);
    else
      ++it;
  }
}

void ImageStore::dropAll() {
  for (auto& [desc, shape] : m_shapes) dropKept(shape, UINT64_MAX);
}

}  // namespace aerogpu::vk
