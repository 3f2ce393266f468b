// SPDX-License-Identifier: MIT
#include "renderer/bench/direct_compositor.h"

#include <cstring>

#include "renderer/bench/direct_vk.h"

namespace aerogpu::bench {

namespace {

constexpr uint32_t kPlacedVert[] = {
#include "renderer/bench/placed.vert.inc"
};
constexpr uint32_t kPlain[] = {
#include "renderer/bench/plain.frag.inc"
};
constexpr uint32_t kBlur[] = {
#include "renderer/bench/blur.frag.inc"
};
constexpr uint32_t kKeyed[] = {
#include "renderer/bench/keyed.frag.inc"
};

struct Constants {
  float place[4];
  float value[4];
};

constexpr VkImageLayout kUndefined = VK_IMAGE_LAYOUT_UNDEFINED,
                        kSource = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                        kDestination = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        kTarget = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                        kSampled = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;

VkOffset3D corner(uint32_t x, uint32_t y, int32_t z) {
  return {static_cast<int32_t>(x), static_cast<int32_t>(y), z};
}

}  // namespace

DirectCompositor::DirectCompositor(uint32_t width, uint32_t height) {
  m_nearest = createSampler(VK_FILTER_NEAREST);
  m_linear = createSampler(VK_FILTER_LINEAR);
  createPipelines();
  m_quad = createBuffer(sizeof kQuad, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  std::memcpy(m_quad.mapped, kQuad, sizeof kQuad);
  m_staging = createBuffer(kWindowBytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  m_shown = createBuffer(kWindowBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  constexpr VkImageUsageFlags kCopied = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  m_screen = createImage(width, height, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | kCopied);
  for (Texture& glass : m_glass)
    glass =
        createTexture(kWindowWidth / kBlurScale, kWindowHeight / kBlurScale,
                      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | kCopied, m_linear);
  for (uint32_t i = 0; i < kWindows; ++i) {
    m_windows[i] =
        createTexture(kWindowWidth, kWindowHeight, VK_IMAGE_USAGE_SAMPLED_BIT | kCopied, m_nearest);
    m_narrow[i] = createImage(kWindowWidth, kWindowHeight, kCopied, VK_FORMAT_R5G6B5_UNORM_PACK16);
    const std::vector<uint32_t> texels = windowTexels(i);
    std::memcpy(m_staging.mapped, texels.data(), kWindowBytes);
    begin();
    barrier(m_commands, m_windows[i].image.image, kUndefined, kDestination);
    copyFromStaging(m_windows[i].image);
    barrier(m_commands, m_windows[i].image.image, kDestination, kSampled);
    barrier(m_commands, m_narrow[i].image, kUndefined, kDestination);
    copyFromStaging(m_narrow[i]);
    barrier(m_commands, m_narrow[i].image, kDestination, kSource);
    submitAndWait();
  }
  begin();
  barrier(m_commands, m_screen.image, kUndefined, kDestination);
  const VkClearColorValue black{};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(m_commands, m_screen.image, kDestination, &black, 1, &all);
  barrier(m_commands, m_screen.image, kDestination, kTarget);
  submitAndWait();
}

DirectCompositor::~DirectCompositor() {
  vkDeviceWaitIdle(m_device);
  for (Texture& window : m_windows) destroyImage(window.image);
  for (Texture& glass : m_glass) destroyImage(glass.image);
  for (DirectImage& narrow : m_narrow) destroyImage(narrow);
  destroyImage(m_screen);
  for (DirectBuffer* b : {&m_quad, &m_staging, &m_shown}) destroyBuffer(*b);
  for (VkPipeline pipeline : {m_plain, m_blended, m_blur, m_keyed})
    vkDestroyPipeline(m_device, pipeline, nullptr);
  for (VkSampler sampler : {m_nearest, m_linear}) vkDestroySampler(m_device, sampler, nullptr);
  vkDestroyDescriptorPool(m_device, m_descriptors, nullptr);
  vkDestroyPipelineLayout(m_device, m_layout, nullptr);
  vkDestroyDescriptorSetLayout(m_device, m_setLayout, nullptr);
}

VkSampler DirectCompositor::createSampler(VkFilter filter) {
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = info.minFilter = filter;
  info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  VkSampler sampler;
  need(vkCreateSampler(m_device, &info, nullptr, &sampler), "vkCreateSampler");
  return sampler;
}

void DirectCompositor::createPipelines() {
  const VkDescriptorSetLayoutBinding texture{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                                             VK_SHADER_STAGE_FRAGMENT_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set.bindingCount = 1;
  set.pBindings = &texture;
  need(vkCreateDescriptorSetLayout(m_device, &set, nullptr, &m_setLayout), "vkCreateDescriptorSetLayout");
  const VkPushConstantRange constants{VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                                      sizeof(Constants)};
  VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout.setLayoutCount = layout.pushConstantRangeCount = 1;
  layout.pSetLayouts = &m_setLayout;
  layout.pPushConstantRanges = &constants;
  need(vkCreatePipelineLayout(m_device, &layout, nullptr, &m_layout), "vkCreatePipelineLayout");
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kWindows + 2};
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = kWindows + 2;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  need(vkCreateDescriptorPool(m_device, &pool, nullptr, &m_descriptors), "vkCreateDescriptorPool");

  const VkVertexInputBindingDescription binding{0, sizeof kQuad[0], VK_VERTEX_INPUT_RATE_VERTEX};
  const VkVertexInputAttributeDescription attribute{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};
  VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  input.vertexBindingDescriptionCount = input.vertexAttributeDescriptionCount = 1;
  input.pVertexBindingDescriptions = &binding;
  input.pVertexAttributeDescriptions = &attribute;
  const VkShaderModule vertex = module(kPlacedVert), plain = module(kPlain), blur = module(kBlur),
                       keyed = module(kKeyed);
  m_plain = createPipeline(vertex, plain, input, m_layout, false);
  m_blended = createPipeline(vertex, plain, input, m_layout, true);
  m_blur = createPipeline(vertex, blur, input, m_layout, false);
  m_keyed = createPipeline(vertex, keyed, input, m_layout, false);
  for (VkShaderModule each : {vertex, plain, blur, keyed}) vkDestroyShaderModule(m_device, each, nullptr);
}

DirectCompositor::Texture DirectCompositor::createTexture(uint32_t width, uint32_t height,
                                                          VkImageUsageFlags usage, VkSampler sampler) {
  Texture texture{createImage(width, height, usage)};
  texture.set = createTextureSet(m_descriptors, m_setLayout, texture.image.view, sampler);
  return texture;
}

void DirectCompositor::copyFromStaging(const DirectImage& image) {
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {image.width, image.height, 1};
  vkCmdCopyBufferToImage(m_commands, m_staging.buffer, image.image, kDestination, 1, &copy);
}

void DirectCompositor::beginPass(const DirectImage& target, const Place& area, bool keeps) {
  VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  color.imageView = target.view;
  color.imageLayout = kTarget;
  color.loadOp = keeps ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
  rendering.renderArea = {{static_cast<int32_t>(area.x), static_cast<int32_t>(area.y)},
                          {area.width, area.height}};
  rendering.layerCount = 1;
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachments = &color;
  vkCmdBeginRendering(m_commands, &rendering);
  const VkViewport viewport{0, 0, static_cast<float>(target.width), static_cast<float>(target.height), 0, 1};
  vkCmdSetViewport(m_commands, 0, 1, &viewport);
  vkCmdSetScissor(m_commands, 0, 1, &rendering.renderArea);
  const VkDeviceSize zero = 0;
  vkCmdBindVertexBuffers(m_commands, 0, 1, &m_quad.buffer, &zero);
}

void DirectCompositor::quad(VkPipeline pipeline, const Texture& texture, const DirectImage& target,
                            const Place& place, const float (&value)[4]) {
  const auto width = static_cast<float>(target.width), height = static_cast<float>(target.height);
  Constants constants{
      {static_cast<float>(place.width) * 2 / width, static_cast<float>(place.height) * 2 / height,
       static_cast<float>(place.x) * 2 / width - 1, static_cast<float>(place.y) * 2 / height - 1},
      {}};
  std::memcpy(constants.value, value, sizeof value);
  vkCmdBindPipeline(m_commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdBindDescriptorSets(m_commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, 0, 1, &texture.set, 0,
                          nullptr);
  vkCmdPushConstants(m_commands, m_layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                     sizeof constants, &constants);
  vkCmdDraw(m_commands, 6, 1, 0, 0);
}

void DirectCompositor::drawFrame(const uint8_t* texels) {
  constexpr float kNone[4] = {};
  constexpr Place kDamage = windowPlace(kChanged), kBehind = windowPlace(kGlass);
  constexpr uint32_t kWidth = kWindowWidth / kBlurScale, kHeight = kWindowHeight / kBlurScale;
  constexpr Place kAll{0, 0, kWidth, kHeight};
  std::memcpy(m_staging.mapped, texels, kWindowBytes);
  begin();
  const DirectImage& changed = m_windows[kChanged].image;
  barrier(m_commands, changed.image, kUndefined, kDestination);
  copyFromStaging(changed);
  barrier(m_commands, changed.image, kDestination, kSampled);
  beginPass(m_screen, kDamage, true);
  quad(m_plain, m_windows[0], m_screen, {0, 0, m_screen.width, m_screen.height}, kNone);
  for (uint32_t i = 0; i < kGlass; ++i) quad(m_blended, m_windows[i], m_screen, windowPlace(i), kNone);
  vkCmdEndRendering(m_commands);

  const DirectImage &first = m_glass[0].image, &second = m_glass[1].image;
  barrier(m_commands, m_screen.image, kTarget, kSource);
  barrier(m_commands, first.image, kUndefined, kDestination);
  VkImageBlit blit{};
  blit.srcSubresource = blit.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  blit.srcOffsets[0] = corner(kBehind.x, kBehind.y, 0);
  blit.srcOffsets[1] = corner(kBehind.x + kBehind.width, kBehind.y + kBehind.height, 1);
  blit.dstOffsets[1] = corner(kWidth, kHeight, 1);
  vkCmdBlitImage(m_commands, m_screen.image, kSource, first.image, kDestination, 1, &blit, VK_FILTER_LINEAR);
  barrier(m_commands, m_screen.image, kSource, kTarget);
  barrier(m_commands, first.image, kDestination, kSampled);
  barrier(m_commands, second.image, kUndefined, kTarget);
  beginPass(second, kAll, false);
  quad(m_blur, m_glass[0], second, kAll, {1.0f / kWidth, 0, 0, 0});
  vkCmdEndRendering(m_commands);
  barrier(m_commands, second.image, kTarget, kSampled);
  barrier(m_commands, first.image, kSampled, kTarget);
  beginPass(first, kAll, false);
  quad(m_blur, m_glass[1], first, kAll, {0, 1.0f / kHeight, 0, 0});
  vkCmdEndRendering(m_commands);
  barrier(m_commands, first.image, kTarget, kSampled);

  beginPass(m_screen, kDamage, true);
  quad(m_plain, m_glass[0], m_screen, kBehind, kNone);
  for (uint32_t i = kGlass; i < kWindows; ++i) quad(m_blended, m_windows[i], m_screen, windowPlace(i), kNone);
  vkCmdEndRendering(m_commands);
  barrier(m_commands, m_screen.image, kTarget, kSource);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageOffset = corner(kDamage.x, kDamage.y, 0);
  copy.imageExtent = {kDamage.width, kDamage.height, 1};
  vkCmdCopyImageToBuffer(m_commands, m_screen.image, kSource, m_shown.buffer, 1, &copy);
  barrier(m_commands, m_screen.image, kSource, kTarget);
  submitAndWait();
}

void DirectCompositor::blitAll(const DirectImage* const (&sources)[kWindows], VkFilter filter, bool halves) {
  barrier(m_commands, m_screen.image, kTarget, kDestination);
  for (uint32_t i = 0; i < kWindows; ++i) {
    const Place to = halves ? thumbnailPlace(i) : windowPlace(i);
    VkImageBlit blit{};
    blit.srcSubresource = blit.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    blit.srcOffsets[1] = corner(kWindowWidth, kWindowHeight, 1);
    blit.dstOffsets[0] = corner(to.x, to.y, 0);
    blit.dstOffsets[1] = corner(to.x + to.width, to.y + to.height, 1);
    vkCmdBlitImage(m_commands, sources[i]->image, kSource, m_screen.image, kDestination, 1, &blit, filter);
    // The next window may overlap this one and must come after it; thumbnails lie side by side.
    const bool last = i + 1 == kWindows;
    if (last || !halves) barrier(m_commands, m_screen.image, kDestination, last ? kTarget : kDestination);
  }
}

void DirectCompositor::stretch() {
  const DirectImage* sources[kWindows];
  begin();
  for (uint32_t i = 0; i < kWindows; ++i) {
    sources[i] = &m_windows[i].image;
    barrier(m_commands, sources[i]->image, kSampled, kSource);
  }
  blitAll(sources, VK_FILTER_LINEAR, true);
  for (const DirectImage* source : sources) barrier(m_commands, source->image, kSource, kSampled);
  submitAndWait();
}

void DirectCompositor::convert() {
  const DirectImage* sources[kWindows];
  for (uint32_t i = 0; i < kWindows; ++i) sources[i] = &m_narrow[i];
  begin();
  blitAll(sources, VK_FILTER_NEAREST, false);
  submitAndWait();
}

void DirectCompositor::keyed() {
  float key[4];  // red, green, blue, alpha of a BGRA word
  for (uint32_t i = 0; i < 4; ++i)
    key[i] = static_cast<float>(kKeyColor >> (i == 3 ? 24 : 16 - i * 8) & 0xFF);
  begin();
  beginPass(m_screen, {0, 0, m_screen.width, m_screen.height}, true);
  for (uint32_t i = 0; i < kWindows; ++i) quad(m_keyed, m_windows[i], m_screen, windowPlace(i), key);
  vkCmdEndRendering(m_commands);
  barrier(m_commands, m_screen.image, kTarget, kTarget);
  submitAndWait();
}

}  // namespace aerogpu::bench
