// SPDX-License-Identifier: MIT
#include "renderer/bench/direct_vk.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::bench {

namespace {

constexpr uint32_t kQuadVert[] = {
#include "renderer/bench/quad.vert.inc"
};
constexpr uint32_t kColor0[] = {
#include "renderer/bench/color0.frag.inc"
};
constexpr uint32_t kColor1[] = {
#include "renderer/bench/color1.frag.inc"
};
constexpr uint32_t kColor2[] = {
#include "renderer/bench/color2.frag.inc"
};
constexpr uint32_t kColor3[] = {
#include "renderer/bench/color3.frag.inc"
};

constexpr uint32_t kMaxDraws = 8192;
constexpr VkDeviceSize kStagingBytes = VkDeviceSize{64} << 20;
constexpr VkDeviceSize kStreamBytes = VkDeviceSize{4} << 20;

}  // namespace

DirectVk::DirectVk(uint32_t width, uint32_t height) {
  m_target = createImage(width, height,
                         VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                             VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  m_uniforms = createBuffer(VkDeviceSize{kMaxDraws} * kUniformStride, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  m_vertices = createBuffer(sizeof kQuad, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  std::memcpy(m_vertices.mapped, kQuad, sizeof kQuad);
  m_staging =
      createBuffer(kStagingBytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  m_stream = createBuffer(kStreamBytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  createPipelines();
  createTextures();
}

DirectVk::~DirectVk() {
  vkDeviceWaitIdle(m_device);
  for (DirectImage& texture : m_textures) destroyImage(texture);
  destroyImage(m_target);
  vkFreeMemory(m_device, m_room, nullptr);
  for (DirectBuffer* b : {&m_uniforms, &m_vertices, &m_staging, &m_stream}) destroyBuffer(*b);
  for (auto& row : m_pipelines)
    for (VkPipeline pipeline : row) vkDestroyPipeline(m_device, pipeline, nullptr);
  vkDestroyQueryPool(m_device, m_query, nullptr);
  vkDestroySampler(m_device, m_sampler, nullptr);
  vkDestroyDescriptorPool(m_device, m_descriptors, nullptr);
  vkDestroyPipelineLayout(m_device, m_layout, nullptr);
  vkDestroyDescriptorSetLayout(m_device, m_uniformLayout, nullptr);
  vkDestroyDescriptorSetLayout(m_device, m_textureLayout, nullptr);
}

void DirectVk::createPipelines() {
  const auto setLayout = [&](VkDescriptorType type, VkShaderStageFlags stages) {
    const VkDescriptorSetLayoutBinding binding{0, type, 1, stages, nullptr};
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.bindingCount = 1;
    info.pBindings = &binding;
    VkDescriptorSetLayout layout;
    need(vkCreateDescriptorSetLayout(m_device, &info, nullptr, &layout), "vkCreateDescriptorSetLayout");
    return layout;
  };
  m_uniformLayout = setLayout(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, VK_SHADER_STAGE_VERTEX_BIT);
  m_textureLayout = setLayout(VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT);
  const VkDescriptorSetLayout layouts[] = {m_uniformLayout, m_textureLayout};
  VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout.setLayoutCount = 2;
  layout.pSetLayouts = layouts;
  need(vkCreatePipelineLayout(m_device, &layout, nullptr, &m_layout), "vkCreatePipelineLayout");

  const VkShaderModule vertex = module(kQuadVert);
  const std::span<const uint32_t> fragments[kPipelines] = {kColor0, kColor1, kColor2, kColor3};

  const VkVertexInputBindingDescription binding{0, sizeof kQuad[0], VK_VERTEX_INPUT_RATE_VERTEX};
  const VkVertexInputAttributeDescription attribute{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};
  VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  input.vertexBindingDescriptionCount = 1;
  input.pVertexBindingDescriptions = &binding;
  input.vertexAttributeDescriptionCount = 1;
  input.pVertexAttributeDescriptions = &attribute;
  for (uint32_t i = 0; i < kPipelines; ++i) {
    const VkShaderModule fragment = module(fragments[i]);
    for (uint32_t blended = 0; blended < 2; ++blended)
      m_pipelines[blended][i] = createPipeline(vertex, fragment, input, m_layout, blended != 0);
    vkDestroyShaderModule(m_device, fragment, nullptr);
  }
  vkDestroyShaderModule(m_device, vertex, nullptr);
}

void DirectVk::createTextures() {
  VkSamplerCreateInfo sampler{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  need(vkCreateSampler(m_device, &sampler, nullptr, &m_sampler), "vkCreateSampler");
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1},
                                        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kTextures + 1}};
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = 2 + kTextures;
  pool.poolSizeCount = 2;
  pool.pPoolSizes = sizes;
  need(vkCreateDescriptorPool(m_device, &pool, nullptr, &m_descriptors), "vkCreateDescriptorPool");
  m_uniformSet = allocateSet(m_descriptors, m_uniformLayout);
  const VkDescriptorBufferInfo uniform{m_uniforms.buffer, 0, kUniformBytes};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = m_uniformSet;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
  write.pBufferInfo = &uniform;
  vkUpdateDescriptorSets(m_device, 1, &write, 0, nullptr);
  std::vector<uint8_t> texels(size_t{64} * 64 * 4);
  for (uint32_t i = 0; i < kTextures; ++i) {
    m_textures[i] = createImage(64, 64, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    std::fill(texels.begin(), texels.end(), static_cast<uint8_t>(100 + i * 10));
    upload(m_textures[i], texels.data());
    m_textureSets[i] = createTextureSet(m_descriptors, m_textureLayout, m_textures[i].view, m_sampler);
  }
}

void DirectVk::beginPass(bool load) {
  barrier(m_commands, m_target.image,
          load ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL : VK_IMAGE_LAYOUT_UNDEFINED,
          VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  color.imageView = m_target.view;
  color.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  color.loadOp = load ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR;
  color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
  rendering.renderArea = {{0, 0}, {m_target.width, m_target.height}};
  rendering.layerCount = 1;
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachments = &color;
  vkCmdBeginRendering(m_commands, &rendering);
  const VkViewport viewport{0, 0, static_cast<float>(m_target.width), static_cast<float>(m_target.height),
                            0, 1};
  vkCmdSetViewport(m_commands, 0, 1, &viewport);
  vkCmdSetScissor(m_commands, 0, 1, &rendering.renderArea);
}

void DirectVk::drawFrame(std::span<const Draw> draws, bool blend) {
  begin();
  beginPass();
  const VkDeviceSize zero = 0;
  vkCmdBindVertexBuffers(m_commands, 0, 1, &m_vertices.buffer, &zero);
  uint32_t pipeline = UINT32_MAX, texture = UINT32_MAX, slot = 0;
  for (const Draw& draw : draws) {
    if (draw.pipeline != pipeline) {
      pipeline = draw.pipeline;
      vkCmdBindPipeline(m_commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_pipelines[blend][pipeline]);
    }
    if (draw.newConstants) {
      const uint32_t offset = slot++ * kUniformStride;
      std::memcpy(m_uniforms.mapped + offset, draw.place, sizeof draw.place);
      vkCmdBindDescriptorSets(m_commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, 0, 1, &m_uniformSet, 1,
                              &offset);
    }
    if (draw.texture != texture) {
      texture = draw.texture;
      vkCmdBindDescriptorSets(m_commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, 1, 1,
                              &m_textureSets[texture], 0, nullptr);
    }
    vkCmdDraw(m_commands, 6, 1, 0, 0);
  }
  vkCmdEndRendering(m_commands);
  submitAndWait();
}

void DirectVk::bindOneState() {
  constexpr float kPlace[4] = {1, 1, 0, 0};
  const uint32_t offset = 0;
  std::memcpy(m_uniforms.mapped, kPlace, sizeof kPlace);
  vkCmdBindPipeline(m_commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_pipelines[0][0]);
  vkCmdBindDescriptorSets(m_commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, 0, 1, &m_uniformSet, 1,
                          &offset);
  vkCmdBindDescriptorSets(m_commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, 1, 1, &m_textureSets[0], 0,
                          nullptr);
}

void DirectVk::streamFrame(std::span<const StreamedDraw> draws, bool rebinds) {
  begin();
  beginPass();
  bindOneState();
  VkDeviceSize at = 0;
  vkCmdBindVertexBuffers(m_commands, 0, 1, &m_stream.buffer, &at);
  for (const StreamedDraw& draw : draws) {
    std::memcpy(m_stream.mapped + at, draw.vertices, draw.bytes);
    if (rebinds) vkCmdBindVertexBuffers(m_commands, 0, 1, &m_stream.buffer, &at);
    vkCmdDraw(m_commands, draw.count, 1, rebinds ? 0 : static_cast<uint32_t>(at / sizeof kQuad[0]), 0);
    at += draw.bytes;
    if (at + draw.bytes > kStreamBytes) at = 0;
  }
  vkCmdEndRendering(m_commands);
  submitAndWait();
}

void DirectVk::bindUpdated(const DirectImage& image) {
  if (m_updateSet == VK_NULL_HANDLE) {
    VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    info.descriptorPool = m_descriptors;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &m_textureLayout;
    need(vkAllocateDescriptorSets(m_device, &info, &m_updateSet), "vkAllocateDescriptorSets");
  }
  const VkDescriptorImageInfo texture{m_sampler, image.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = m_updateSet;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  write.pImageInfo = &texture;
  vkUpdateDescriptorSets(m_device, 1, &write, 0, nullptr);
  vkCmdBindDescriptorSets(m_commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, 1, 1, &m_updateSet, 0,
                          nullptr);
}

void DirectVk::updateFrame(DirectImage& image, uint32_t side, uint32_t count, const uint8_t* bytes) {
  const uint32_t boxBytes = side * side * 4, perRow = image.width / side;
  std::memcpy(m_staging.mapped, bytes, size_t{boxBytes} * count);
  begin();
  barrier(m_commands, image.image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  std::vector<VkBufferImageCopy> copies(count);
  for (uint32_t i = 0; i < count; ++i) {
    copies[i].bufferOffset = VkDeviceSize{i} * boxBytes;
    copies[i].imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copies[i].imageOffset = {static_cast<int32_t>(i % perRow * side), static_cast<int32_t>(i / perRow * side),
                             0};
    copies[i].imageExtent = {side, side, 1};
  }
  vkCmdCopyBufferToImage(m_commands, m_staging.buffer, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                         count, copies.data());
  barrier(m_commands, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
          VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  beginPass();
  bindOneState();
  bindUpdated(image);
  const VkDeviceSize zero = 0;
  vkCmdBindVertexBuffers(m_commands, 0, 1, &m_stream.buffer, &zero);
  for (uint32_t i = 0; i < count; ++i) vkCmdDraw(m_commands, 6, 1, 0, 0);
  vkCmdEndRendering(m_commands);
  submitAndWait();
}

void DirectVk::updateFrameInOrder(DirectImage& image, uint32_t side, uint32_t count, const uint8_t* bytes) {
  const uint32_t boxBytes = side * side * 4, perRow = image.width / side;
  begin();
  for (uint32_t i = 0; i < count; ++i) {
    std::memcpy(m_staging.mapped + size_t{i} * boxBytes, bytes + size_t{i} * boxBytes, boxBytes);
    barrier(m_commands, image.image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkBufferImageCopy copy{};
    copy.bufferOffset = VkDeviceSize{i} * boxBytes;
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageOffset = {static_cast<int32_t>(i % perRow * side), static_cast<int32_t>(i / perRow * side), 0};
    copy.imageExtent = {side, side, 1};
    vkCmdCopyBufferToImage(m_commands, m_staging.buffer, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                           &copy);
    barrier(m_commands, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    beginPass(i != 0);
    if (i == 0) {
      bindOneState();
      bindUpdated(image);
      const VkDeviceSize zero = 0;
      vkCmdBindVertexBuffers(m_commands, 0, 1, &m_stream.buffer, &zero);
    }
    vkCmdDraw(m_commands, 6, 1, 0, 0);
    vkCmdEndRendering(m_commands);
  }
  submitAndWait();
}

uint64_t DirectVk::countFrame(std::span<const Draw> draws) {
  if (m_query == VK_NULL_HANDLE) {
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_OCCLUSION;
    info.queryCount = 1;
    need(vkCreateQueryPool(m_device, &info, nullptr, &m_query), "vkCreateQueryPool");
  }
  begin();
  vkCmdResetQueryPool(m_commands, m_query, 0, 1);
  beginPass();
  bindOneState();
  const VkDeviceSize zero = 0;
  vkCmdBindVertexBuffers(m_commands, 0, 1, &m_vertices.buffer, &zero);
  vkCmdBeginQuery(m_commands, m_query, 0, VK_QUERY_CONTROL_PRECISE_BIT);
  uint32_t slot = 0;
  for (const Draw& draw : draws) {
    const uint32_t offset = slot++ * kUniformStride;
    std::memcpy(m_uniforms.mapped + offset, draw.place, sizeof draw.place);
    vkCmdBindDescriptorSets(m_commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, 0, 1, &m_uniformSet, 1,
                            &offset);
    vkCmdDraw(m_commands, 6, 1, 0, 0);
  }
  vkCmdEndQuery(m_commands, m_query, 0);
  vkCmdEndRendering(m_commands);
  submitAndWait();
  uint64_t count = 0;
  need(vkGetQueryPoolResults(m_device, m_query, 0, 1, sizeof count, &count, sizeof count,
                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
       "vkGetQueryPoolResults");
  return count;
}

void DirectVk::setVertices(std::span<const uint8_t> bytes) {
  std::memcpy(m_stream.mapped, bytes.data(), std::min<size_t>(bytes.size(), kStreamBytes));
}

void DirectVk::drawVertices(uint32_t count) {
  begin();
  beginPass();
  bindOneState();
  const VkDeviceSize zero = 0;
  vkCmdBindVertexBuffers(m_commands, 0, 1, &m_stream.buffer, &zero);
  vkCmdDraw(m_commands, count, 1, 0, 0);
  vkCmdEndRendering(m_commands);
  submitAndWait();
}

void DirectVk::readBox(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint8_t* out) {
  begin();
  barrier(m_commands, m_target.image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
          VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageOffset = {static_cast<int32_t>(x), static_cast<int32_t>(y), 0};
  copy.imageExtent = {width, height, 1};
  vkCmdCopyImageToBuffer(m_commands, m_target.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, m_staging.buffer,
                         1, &copy);
  barrier(m_commands, m_target.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
          VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  submitAndWait();
  std::memcpy(out, m_staging.mapped, size_t{width} * height * 4);
}

void DirectVk::createAndDestroy(uint32_t count, uint32_t side) {
  // One piece of memory for all, as an engine's allocator has it ready.
  std::vector<VkImage> images(count);
  VkDeviceSize at = 0;
  begin();
  for (VkImage& image : images) {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = kDirectFormat;
    info.extent = {side, side, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage =
        VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    need(vkCreateImage(m_device, &info, nullptr, &image), "vkCreateImage");
    VkMemoryRequirements wanted;
    vkGetImageMemoryRequirements(m_device, image, &wanted);
    if (m_room == VK_NULL_HANDLE) {
      VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
      allocate.allocationSize = (wanted.size + wanted.alignment) * count;
      allocate.memoryTypeIndex = memoryType(wanted.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
      need(vkAllocateMemory(m_device, &allocate, nullptr, &m_room), "vkAllocateMemory");
    }
    at = (at + wanted.alignment - 1) / wanted.alignment * wanted.alignment;
    need(vkBindImageMemory(m_device, image, m_room, at), "vkBindImageMemory");
    at += wanted.size;
  }
  submitAndWait();
  for (VkImage image : images) vkDestroyImage(m_device, image, nullptr);
}

void DirectVk::upload(DirectImage& image, const uint8_t* bytes) {
  const size_t size = size_t{image.width} * image.height * 4;
  std::memcpy(m_staging.mapped, bytes, size);
  begin();
  barrier(m_commands, image.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {image.width, image.height, 1};
  vkCmdCopyBufferToImage(m_commands, m_staging.buffer, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                         &copy);
  barrier(m_commands, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
          VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  submitAndWait();
}

void DirectVk::readBack(uint8_t* out) {
  begin();
  barrier(m_commands, m_target.image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
          VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {m_target.width, m_target.height, 1};
  vkCmdCopyImageToBuffer(m_commands, m_target.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, m_staging.buffer,
                         1, &copy);
  barrier(m_commands, m_target.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
          VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  submitAndWait();
  std::memcpy(out, m_staging.mapped, size_t{m_target.width} * m_target.height * 4);
}

}  // namespace aerogpu::bench
