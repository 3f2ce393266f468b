// SPDX-License-Identifier: MIT
#include "renderer/bench/direct_device.h"

#include <cstdio>
#include <cstdlib>

namespace aerogpu::bench {

void need(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "aerogpu-bench: %s failed with %d\n", what, result);
  std::exit(1);
}

DirectDevice::DirectDevice() {
  VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  app.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo instance{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  instance.pApplicationInfo = &app;
  need(vkCreateInstance(&instance, nullptr, &m_instance), "vkCreateInstance");
  uint32_t count = 1;
  const VkResult found = vkEnumeratePhysicalDevices(m_instance, &count, &m_gpu);
  if (found != VK_SUCCESS && found != VK_INCOMPLETE) need(found, "vkEnumeratePhysicalDevices");
  if (count == 0) need(VK_ERROR_INITIALIZATION_FAILED, "finding a GPU");
  vkGetPhysicalDeviceProperties(m_gpu, &m_properties);
  vkGetPhysicalDeviceMemoryProperties(m_gpu, &m_memory);
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkPhysicalDeviceVulkan13Features features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  features.dynamicRendering = features.synchronization2 = VK_TRUE;
  VkDeviceCreateInfo device{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  device.pNext = &features;
  VkPhysicalDeviceFeatures offered{}, core{};
  vkGetPhysicalDeviceFeatures(m_gpu, &offered);
  if (!offered.occlusionQueryPrecise) need(VK_ERROR_FEATURE_NOT_PRESENT, "finding queries that count");
  core.occlusionQueryPrecise = VK_TRUE;
  device.pEnabledFeatures = &core;
  device.queueCreateInfoCount = 1;
  device.pQueueCreateInfos = &queue;
  need(vkCreateDevice(m_gpu, &device, nullptr, &m_device), "vkCreateDevice");
  vkGetDeviceQueue(m_device, 0, 0, &m_queue);
}

DirectDevice::~DirectDevice() {
  vkDestroyDevice(m_device, nullptr);
  vkDestroyInstance(m_instance, nullptr);
}

uint32_t DirectDevice::memoryType(uint32_t bits, VkMemoryPropertyFlags flags) const {
  for (uint32_t i = 0; i < m_memory.memoryTypeCount; ++i)
    if ((bits >> i & 1) && (m_memory.memoryTypes[i].propertyFlags & flags) == flags) return i;
  need(VK_ERROR_OUT_OF_DEVICE_MEMORY, "finding a memory type");
  return 0;
}

DirectBuffer DirectDevice::createBuffer(VkDeviceSize size, VkBufferUsageFlags usage) {
  DirectBuffer b;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size;
  info.usage = usage;
  need(vkCreateBuffer(m_device, &info, nullptr, &b.buffer), "vkCreateBuffer");
  VkMemoryRequirements wanted;
  vkGetBufferMemoryRequirements(m_device, b.buffer, &wanted);
  VkMemoryAllocateInfo memory{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  memory.allocationSize = wanted.size;
  memory.memoryTypeIndex = memoryType(
      wanted.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  need(vkAllocateMemory(m_device, &memory, nullptr, &b.memory), "vkAllocateMemory");
  need(vkBindBufferMemory(m_device, b.buffer, b.memory, 0), "vkBindBufferMemory");
  need(vkMapMemory(m_device, b.memory, 0, VK_WHOLE_SIZE, 0, reinterpret_cast<void**>(&b.mapped)),
       "vkMapMemory");
  return b;
}

void DirectDevice::destroyBuffer(DirectBuffer& buffer) {
  vkDestroyBuffer(m_device, buffer.buffer, nullptr);
  vkFreeMemory(m_device, buffer.memory, nullptr);
  buffer = {};
}

DirectImage DirectDevice::createImage(uint32_t width, uint32_t height, VkImageUsageFlags usage,
                                      VkFormat format) {
  DirectImage image;
  image.width = width;
  image.height = height;
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {width, height, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = usage;
  need(vkCreateImage(m_device, &info, nullptr, &image.image), "vkCreateImage");
  VkMemoryRequirements wanted;
  vkGetImageMemoryRequirements(m_device, image.image, &wanted);
  VkMemoryAllocateInfo memory{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  memory.allocationSize = wanted.size;
  memory.memoryTypeIndex = memoryType(wanted.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  need(vkAllocateMemory(m_device, &memory, nullptr, &image.memory), "vkAllocateMemory");
  need(vkBindImageMemory(m_device, image.image, image.memory, 0), "vkBindImageMemory");
  if (usage & (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT)) {
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = image.image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    need(vkCreateImageView(m_device, &view, nullptr, &image.view), "vkCreateImageView");
  }
  return image;
}

void DirectDevice::destroyImage(DirectImage& image) {
  vkDestroyImageView(m_device, image.view, nullptr);
  vkDestroyImage(m_device, image.image, nullptr);
  vkFreeMemory(m_device, image.memory, nullptr);
  image = {};
}

VkDescriptorSet DirectDevice::allocateSet(VkDescriptorPool pool, VkDescriptorSetLayout layout) {
  VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  info.descriptorPool = pool;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  VkDescriptorSet set;
  need(vkAllocateDescriptorSets(m_device, &info, &set), "vkAllocateDescriptorSets");
  return set;
}

VkDescriptorSet DirectDevice::createTextureSet(VkDescriptorPool pool, VkDescriptorSetLayout layout,
                                               VkImageView view, VkSampler sampler) {
  const VkDescriptorSet set = allocateSet(pool, layout);
  const VkDescriptorImageInfo image{sampler, view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = set;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  write.pImageInfo = &image;
  vkUpdateDescriptorSets(m_device, 1, &write, 0, nullptr);
  return set;
}

VkShaderModule DirectDevice::module(std::span<const uint32_t> words) {
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  VkShaderModule made;
  need(vkCreateShaderModule(m_device, &info, nullptr, &made), "vkCreateShaderModule");
  return made;
}

VkPipeline DirectDevice::createPipeline(VkShaderModule vertex, VkShaderModule fragment,
                                        const VkPipelineVertexInputStateCreateInfo& input,
                                        VkPipelineLayout layout, bool blended) {
  VkPipelineInputAssemblyStateCreateInfo assembly{
      VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  viewport.viewportCount = viewport.scissorCount = 1;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  const VkDynamicState dynamics[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
  dynamic.dynamicStateCount = 2;
  dynamic.pDynamicStates = dynamics;
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &kDirectFormat;
  VkPipelineShaderStageCreateInfo stages[2] = {{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO},
                                               {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO}};
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = vertex;
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = fragment;
  stages[0].pName = stages[1].pName = "main";
  VkPipelineColorBlendAttachmentState blend{};
  blend.blendEnable = blended;
  blend.srcColorBlendFactor = blend.srcAlphaBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
  blend.dstColorBlendFactor = blend.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  blend.colorWriteMask = 0xF;
  VkPipelineColorBlendStateCreateInfo blending{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blending.attachmentCount = 1;
  blending.pAttachments = &blend;
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  info.pNext = &rendering;
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pColorBlendState = &blending;
  info.pDynamicState = &dynamic;
  info.layout = layout;
  VkPipeline made;
  need(vkCreateGraphicsPipelines(m_device, VK_NULL_HANDLE, 1, &info, nullptr, &made),
       "vkCreateGraphicsPipelines");
  return made;
}

void DirectDevice::barrier(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to) {
  VkImageMemoryBarrier2 b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
  b.srcStageMask = b.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  b.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
  b.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
  b.oldLayout = from;
  b.newLayout = to;
  b.image = image;
  b.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  info.imageMemoryBarrierCount = 1;
  info.pImageMemoryBarriers = &b;
  vkCmdPipelineBarrier2(commands, &info);
}

DirectCommands::DirectCommands() {
  VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  need(vkCreateCommandPool(m_device, &pool, nullptr, &m_pool), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo commands{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  commands.commandPool = m_pool;
  commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands.commandBufferCount = 1;
  need(vkAllocateCommandBuffers(m_device, &commands, &m_commands), "vkAllocateCommandBuffers");
  VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  need(vkCreateFence(m_device, &fence, nullptr, &m_fence), "vkCreateFence");
}

DirectCommands::~DirectCommands() {
  vkDestroyFence(m_device, m_fence, nullptr);
  vkDestroyCommandPool(m_device, m_pool, nullptr);
}

void DirectCommands::begin() {
  need(vkResetCommandPool(m_device, m_pool, 0), "vkResetCommandPool");
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  need(vkBeginCommandBuffer(m_commands, &info), "vkBeginCommandBuffer");
}

void DirectCommands::submitAndWait() {
  need(vkEndCommandBuffer(m_commands), "vkEndCommandBuffer");
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = 1;
  info.pCommandBuffers = &m_commands;
  need(vkQueueSubmit(m_queue, 1, &info, m_fence), "vkQueueSubmit");
  need(vkWaitForFences(m_device, 1, &m_fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  need(vkResetFences(m_device, 1, &m_fence), "vkResetFences");
}

}  // namespace aerogpu::bench
