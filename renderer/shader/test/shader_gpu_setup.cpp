// SPDX-License-Identifier: MIT
// Device, textures and layouts of the shader test harness (shader_gpu.h). Instance and device are the
// renderer's own. Buffers, images and layouts are not: a mistake in the renderer's would show here as one of
// the translator, and draws here have no batches, no interludes and nothing that is used again.
#include <algorithm>
#include <cstring>

#include "aerogpu/d3d9/assembler.h"
#include "renderer/shader/test/shader_gpu.h"
#include "renderer/vulkan/device/device.h"
#include "renderer/vulkan/device/instance.h"

namespace aerogpu::shader::test {
namespace {

VkImageType imageType(VkImageViewType type) {
  return type == VK_IMAGE_VIEW_TYPE_3D ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
}

}  // namespace

std::vector<uint32_t> assembled(std::string_view source, std::string& error) {
  d3d9::Assembly a = d3d9::assemble(source);
  if (!a.ok()) error += a.errorText() + "\n" + std::string(source);
  return std::move(a.tokens);
}

ShaderGpu::ShaderGpu() = default;

std::unique_ptr<ShaderGpu> ShaderGpu::create(std::string& error) {
  std::unique_ptr<ShaderGpu> gpu(new ShaderGpu);
  if (!gpu->init(error)) return nullptr;
  return gpu;
}

void ShaderGpu::check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) m_errors += std::string(what) + " failed: " + std::to_string(result) + "\n";
}

void ShaderGpu::onLog(void* self, aerogpu_log_level, const char* line) {
  static_cast<ShaderGpu*>(self)->m_errors += std::string(line) + "\n";
}

bool ShaderGpu::init(std::string& error) {
  // Uses the renderer's own device, with the validation layer if there is one.
  for (const bool validation : {true, false}) {
    m_instance = vk::Instance::create(validation, m_log, error, false);
    if (m_instance) break;
  }
  if (!m_instance) return false;
  m_gpu = m_instance->choose("", error);
  if (!m_gpu) return false;
  m_owner = vk::Device::create(*m_instance, m_gpu, error);
  if (!m_owner) return false;
  m_device = m_owner->handle();
  m_queue = m_owner->queue();
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = m_owner->queueFamily();
  check(vkCreateCommandPool(m_device, &pool, nullptr, &m_pool), "command pool");
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = m_pool;
  allocate.commandBufferCount = 1;
  check(vkAllocateCommandBuffers(m_device, &allocate, &m_commands), "command buffer");
  if (createLayouts() && createTextures() && m_errors.empty()) return true;
  error = m_errors;
  return false;
}

bool ShaderGpu::createLayouts() {
  VkDescriptorSetLayoutBinding samplers[kPsSamplerCount + kVsSamplerCount]{};
  for (uint32_t i = 0; i < kPsSamplerCount + kVsSamplerCount; ++i)
    samplers[i] = {i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                   VkShaderStageFlags(i >= kVsSamplerBinding ? VK_SHADER_STAGE_VERTEX_BIT
                                                             : VK_SHADER_STAGE_FRAGMENT_BIT),
                   nullptr};
  VkDescriptorSetLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  for (const uint32_t set : {kVsConstantSet, kPsConstantSet}) {
    const VkDescriptorSetLayoutBinding constants{
        kConstantBinding, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1,
        VkShaderStageFlags(set == kVsConstantSet ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT),
        nullptr};
    info.bindingCount = 1;
    info.pBindings = &constants;
    check(vkCreateDescriptorSetLayout(m_device, &info, nullptr, &m_setLayouts[set]), "set layout");
  }
  info.bindingCount = kPsSamplerCount + kVsSamplerCount;
  info.pBindings = samplers;
  check(vkCreateDescriptorSetLayout(m_device, &info, nullptr, &m_setLayouts[kTextureSet]), "set layout");
  const VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                                  sizeof(PushConstants)};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = kSetCount;
  layout.pSetLayouts = m_setLayouts;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &range;
  check(vkCreatePipelineLayout(m_device, &layout, nullptr, &m_layout), "pipeline layout");
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2},
                                        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 20}};
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = kSetCount;
  pool.poolSizeCount = 2;
  pool.pPoolSizes = sizes;
  check(vkCreateDescriptorPool(m_device, &pool, nullptr, &m_descriptors), "descriptor pool");
  VkSamplerCreateInfo sampler{};
  sampler.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  sampler.addressModeU = sampler.addressModeV = sampler.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  sampler.maxLod = VK_LOD_CLAMP_NONE;
  check(vkCreateSampler(m_device, &sampler, nullptr, &m_sampler), "sampler");
  sampler.compareEnable = VK_TRUE;
  sampler.compareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
  check(vkCreateSampler(m_device, &sampler, nullptr, &m_shadowSampler), "sampler");
  return m_errors.empty();
}

bool ShaderGpu::createTextures() {
  std::vector<float> texels;
  const auto texel = [&](float x, float y, float z) { texels.insert(texels.end(), {x, y, z, 1}); };
  for (uint32_t mip = 0; mip < 3; ++mip)
    for (uint32_t y = 0; y < 4u >> mip; ++y)
      for (uint32_t x = 0; x < 4u >> mip; ++x) texel(float(x), float(y), float(mip));
  m_texture2D = makeTexture({.width = 4, .height = 4, .mips = 3}, texels);
  texels.clear();
  for (uint32_t face = 0; face < 6; ++face) texel(float(face), 0, 0);
  m_textureCube = makeTexture({.type = VK_IMAGE_VIEW_TYPE_CUBE}, texels);
  texels.clear();
  for (uint32_t i = 0; i < 64; ++i) texel(float(i & 3), float(i >> 2 & 3), float(i >> 4));
  m_texture3D = makeTexture({.type = VK_IMAGE_VIEW_TYPE_3D, .width = 4, .height = 4, .depth = 4}, texels);
  m_textureDepth = makeTexture({.format = VK_FORMAT_D32_SFLOAT}, {0.5f});
  return m_errors.empty();
}

uint32_t ShaderGpu::memoryType(uint32_t bits, VkMemoryPropertyFlags flags) const {
  const VkPhysicalDeviceMemoryProperties& properties = m_owner->memory();
  for (uint32_t i = 0; i < properties.memoryTypeCount; ++i)
    if (bits >> i & 1 && (properties.memoryTypes[i].propertyFlags & flags) == flags) return i;
  return 0;
}

ShaderGpu::Buffer ShaderGpu::makeBuffer(VkDeviceSize size, VkBufferUsageFlags usage) {
  Buffer out;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = std::max<VkDeviceSize>(size, 16);
  info.usage = usage;
  check(vkCreateBuffer(m_device, &info, nullptr, &out.buffer), "buffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(m_device, out.buffer, &needs);
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = memoryType(
      needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  check(vkAllocateMemory(m_device, &allocate, nullptr, &out.memory), "memory");
  check(vkBindBufferMemory(m_device, out.buffer, out.memory, 0), "bind");
  check(vkMapMemory(m_device, out.memory, 0, VK_WHOLE_SIZE, 0, &out.data), "map");
  std::memset(out.data, 0, info.size);
  return out;
}

ShaderGpu::Image ShaderGpu::makeImage(const ImageSpec& spec) {
  Image out;
  const bool cube = spec.type == VK_IMAGE_VIEW_TYPE_CUBE;
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0;
  info.imageType = imageType(spec.type);
  info.format = spec.format;
  info.extent = {spec.width, spec.height, spec.depth};
  info.mipLevels = spec.mips;
  info.arrayLayers = cube ? 6 : 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = spec.usage;
  check(vkCreateImage(m_device, &info, nullptr, &out.image), "image");
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(m_device, out.image, &needs);
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = memoryType(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  check(vkAllocateMemory(m_device, &allocate, nullptr, &out.memory), "memory");
  check(vkBindImageMemory(m_device, out.image, out.memory, 0), "bind");
  VkImageViewCreateInfo view{};
  view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  view.image = out.image;
  view.viewType = spec.type;
  view.format = spec.format;
  view.subresourceRange = {
      VkImageAspectFlags(spec.format == VK_FORMAT_D32_SFLOAT ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                             : VK_IMAGE_ASPECT_COLOR_BIT),
      0, spec.mips, 0, info.arrayLayers};
  check(vkCreateImageView(m_device, &view, nullptr, &out.view), "view");
  return out;
}

/// Makes a texture. `texels`: mip after mip (2D) or layer after layer, in the image's format.
ShaderGpu::Image ShaderGpu::makeTexture(const ImageSpec& wanted, const std::vector<float>& texels) {
  ImageSpec spec = wanted;
  spec.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  Image out = makeImage(spec);
  const bool depth = spec.format == VK_FORMAT_D32_SFLOAT;
  const VkImageAspectFlags aspect = depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
  const uint32_t layers = spec.type == VK_IMAGE_VIEW_TYPE_CUBE ? 6 : 1;
  Buffer staging = makeBuffer(texels.size() * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  std::memcpy(staging.data, texels.data(), texels.size() * 4);
  std::vector<VkBufferImageCopy> copies;
  VkDeviceSize offset = 0;
  for (uint32_t mip = 0; mip < spec.mips; ++mip) {
    VkBufferImageCopy copy{};
    copy.bufferOffset = offset;
    copy.imageSubresource = {aspect, mip, 0, layers};
    copy.imageExtent = {spec.width >> mip, spec.height >> mip, spec.depth};
    copies.push_back(copy);
    offset += VkDeviceSize{copy.imageExtent.width} * copy.imageExtent.height * 16;
  }
  begin();
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = out.image;
  barrier.subresourceRange = {aspect, 0, spec.mips, 0, layers};
  vkCmdPipelineBarrier(m_commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                       nullptr, 0, nullptr, 1, &barrier);
  vkCmdCopyBufferToImage(m_commands, staging.buffer, out.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                         static_cast<uint32_t>(copies.size()), copies.data());
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  vkCmdPipelineBarrier(m_commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, 0, 0,
                       nullptr, 0, nullptr, 1, &barrier);
  submit();
  destroy(staging);
  return out;
}

void ShaderGpu::destroy(Buffer& buffer) {
  vkDestroyBuffer(m_device, buffer.buffer, nullptr);
  vkFreeMemory(m_device, buffer.memory, nullptr);
  buffer = {};
}

void ShaderGpu::destroy(Image& image) {
  vkDestroyImageView(m_device, image.view, nullptr);
  vkDestroyImage(m_device, image.image, nullptr);
  vkFreeMemory(m_device, image.memory, nullptr);
  image = {};
}

ShaderGpu::~ShaderGpu() {
  if (m_device) {
    for (Image* image : {&m_texture2D, &m_textureCube, &m_texture3D, &m_textureDepth}) destroy(*image);
    vkDestroySampler(m_device, m_sampler, nullptr);
    vkDestroySampler(m_device, m_shadowSampler, nullptr);
    vkDestroyDescriptorPool(m_device, m_descriptors, nullptr);
    vkDestroyPipelineLayout(m_device, m_layout, nullptr);
    for (VkDescriptorSetLayout layout : m_setLayouts) vkDestroyDescriptorSetLayout(m_device, layout, nullptr);
    vkDestroyCommandPool(m_device, m_pool, nullptr);
  }
}

}  // namespace aerogpu::shader::test
