// SPDX-License-Identifier: MIT
// See vulkan_device_rules.h: limits that calls must keep, and which functions are played.
#include "renderer/test/vulkan_device_rules.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "renderer/test/vulkan_played.h"

namespace aerogpu::test {
namespace {

uint32_t g_samplers = 0;            // with the state's mutex
VkDeviceSize g_besideVertices = 0;  // with the state's mutex

}  // namespace

namespace played {

const DeviceProfile* playedAs(VkDevice device) {
  const std::scoped_lock lock(state.gpusMutex);
  const auto found = state.devices.find(device);
  return found == state.devices.end() ? nullptr : found->second;
}

bool hides(const DeviceProfile& profile, const char* extension) {
  const std::scoped_lock lock(state.mutex);
  // The driver's own would tell of heaps that are not there.
  if (std::strcmp(extension, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME) == 0) return !state.hasBudget;
  return profile.requiredOnly || state.hiddenExtension == extension ||
         std::any_of(profile.hiddenExtensions.begin(), profile.hiddenExtensions.end(),
                     [&](const char* name) { return std::strcmp(name, extension) == 0; });
}

/// Call with state.mutex held.
void check(bool kept, const char* rule) {
  if (!kept && state.broken.size() < 32) state.broken.emplace_back(rule);
}
void checkNow(bool kept, const char* rule) {
  if (kept) return;
  const std::scoped_lock lock(state.mutex);
  check(kept, rule);
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue* queue) {
  const DeviceProfile* const profile = playedAs(device);
  if (!profile) return real.GetDeviceQueue(device, family, index, queue);
  checkNow(family == profile->graphicsFamily, "vkGetDeviceQueue: not the family with graphics");
  real.GetDeviceQueue(device, 0, index, queue);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo* info,
                                                 const VkAllocationCallbacks* callbacks, VkCommandPool* out) {
  const DeviceProfile* const profile = playedAs(device);
  if (!profile) return real.CreateCommandPool(device, info, callbacks, out);
  checkNow(info->queueFamilyIndex == profile->graphicsFamily,
           "vkCreateCommandPool: not the family with graphics");
  VkCommandPoolCreateInfo first = *info;
  first.queueFamilyIndex = 0;
  return real.CreateCommandPool(device, &first, callbacks, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateImage(VkDevice device, const VkImageCreateInfo* info,
                                           const VkAllocationCallbacks* callbacks, VkImage* out) {
  const DeviceProfile* const profile = playedAs(device);
  if (!profile) return real.CreateImage(device, info, callbacks, out);
  checkChain(*profile, const_cast<void*>(info->pNext));
  checkNow(info->extent.width <= state.limits.maxImageDimension2D &&
               info->extent.height <= state.limits.maxImageDimension2D,
           "maxImageDimension2D");
  checkNow(info->arrayLayers <= state.limits.maxImageArrayLayers, "maxImageArrayLayers");
  checkNow(!hidden(*profile, info->format), "vkCreateImage: a format that is not there");
  return real.CreateImage(device, info, callbacks, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBufferView(VkDevice device, const VkBufferViewCreateInfo* info,
                                                const VkAllocationCallbacks* callbacks, VkBufferView* out) {
  const DeviceProfile* const profile = playedAs(device);
  if (!profile) return real.CreateBufferView(device, info, callbacks, out);
  const VkDeviceSize single =  // of R32 texels
      hides(*profile, "VK_EXT_texel_buffer_alignment") ? state.limits.minTexelBufferOffsetAlignment : 4;
  checkNow(info->offset % std::min(state.limits.minTexelBufferOffsetAlignment, single) == 0,
           "minTexelBufferOffsetAlignment");
  checkNow(info->range == VK_WHOLE_SIZE || info->range / 4 <= state.limits.maxTexelBufferElements,
           "maxTexelBufferElements");
  return real.CreateBufferView(device, info, callbacks, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateSampler(VkDevice device, const VkSamplerCreateInfo* info,
                                             const VkAllocationCallbacks* callbacks, VkSampler* out) {
  {
    const std::scoped_lock lock(state.mutex);
    check(std::max(info->mipLodBias, -info->mipLodBias) <= state.limits.maxSamplerLodBias,
          "maxSamplerLodBias");
    check(!info->anisotropyEnable || info->maxAnisotropy <= state.limits.maxSamplerAnisotropy,
          "maxSamplerAnisotropy");
    check(++g_samplers <= state.limits.maxSamplerAllocationCount, "maxSamplerAllocationCount");
  }
  return real.CreateSampler(device, info, callbacks, out);
}

VKAPI_ATTR void VKAPI_CALL DestroySampler(VkDevice device, VkSampler sampler,
                                          const VkAllocationCallbacks* callbacks) {
  {
    const std::scoped_lock lock(state.mutex);
    g_samplers -= sampler != VK_NULL_HANDLE;
  }
  real.DestroySampler(device, sampler, callbacks);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorSetLayout(VkDevice device,
                                                         const VkDescriptorSetLayoutCreateInfo* info,
                                                         const VkAllocationCallbacks* callbacks,
                                                         VkDescriptorSetLayout* out) {
  // A stage has one or two sets here, and only one of them holds more than a constant buffer.
  for (const VkShaderStageFlags stage :
       {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT, VK_SHADER_STAGE_COMPUTE_BIT}) {
    uint32_t samplers = 0, images = 0, uniforms = 0, storage = 0, all = 0;
    for (uint32_t i = 0; i < info->bindingCount; ++i) {
      const VkDescriptorSetLayoutBinding& b = info->pBindings[i];
      if (!(b.stageFlags & stage)) continue;
      const VkDescriptorType t = b.descriptorType;
      const bool combined = t == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
      if (combined || t == VK_DESCRIPTOR_TYPE_SAMPLER) samplers += b.descriptorCount;
      if (combined || t == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE || t == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER)
        images += b.descriptorCount;
      if (t == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || t == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC)
        uniforms += b.descriptorCount;
      if (t == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER) storage += b.descriptorCount;
      if (t != VK_DESCRIPTOR_TYPE_SAMPLER) all += b.descriptorCount;
    }
    checkNow(samplers <= state.limits.maxPerStageDescriptorSamplers, "maxPerStageDescriptorSamplers");
    checkNow(images <= state.limits.maxPerStageDescriptorSampledImages, "maxPerStageDescriptorSampledImages");
    checkNow(uniforms <= state.limits.maxPerStageDescriptorUniformBuffers,
             "maxPerStageDescriptorUniformBuffers");
    checkNow(storage <= state.limits.maxPerStageDescriptorStorageImages,
             "maxPerStageDescriptorStorageImages");
    checkNow(all <= state.limits.maxPerStageResources, "maxPerStageResources");
  }
  return real.CreateDescriptorSetLayout(device, info, callbacks, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo* info,
                                                    const VkAllocationCallbacks* callbacks,
                                                    VkPipelineLayout* out) {
  checkNow(info->setLayoutCount <= state.limits.maxBoundDescriptorSets, "maxBoundDescriptorSets");
  for (uint32_t i = 0; i < info->pushConstantRangeCount; ++i)
    checkNow(info->pPushConstantRanges[i].offset + info->pPushConstantRanges[i].size <=
                 state.limits.maxPushConstantsSize,
             "maxPushConstantsSize");
  return real.CreatePipelineLayout(device, info, callbacks, out);
}

VKAPI_ATTR void VKAPI_CALL UpdateDescriptorSets(VkDevice device, uint32_t writeCount,
                                                const VkWriteDescriptorSet* writes, uint32_t copyCount,
                                                const VkCopyDescriptorSet* copies) {
  for (uint32_t i = 0; i < writeCount; ++i) {
    if (writes[i].descriptorType != VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER &&
        writes[i].descriptorType != VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC)
      continue;
    const VkDescriptorBufferInfo& b = *writes[i].pBufferInfo;
    checkNow(b.offset % state.limits.minUniformBufferOffsetAlignment == 0,
             "minUniformBufferOffsetAlignment: descriptor");
    checkNow(b.range <= state.limits.maxUniformBufferRange, "maxUniformBufferRange");
  }
  real.UpdateDescriptorSets(device, writeCount, writes, copyCount, copies);
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorSets(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                 VkPipelineLayout layout, uint32_t first, uint32_t count,
                                                 const VkDescriptorSet* sets, uint32_t offsetCount,
                                                 const uint32_t* offsets) {
  for (uint32_t i = 0; i < offsetCount; ++i)
    checkNow(offsets[i] % state.limits.minUniformBufferOffsetAlignment == 0,
             "minUniformBufferOffsetAlignment: offset");
  real.CmdBindDescriptorSets(commands, point, layout, first, count, sets, offsetCount, offsets);
}

template <const Real& table>
VKAPI_ATTR void VKAPI_CALL CmdBeginRendering(VkCommandBuffer commands, const VkRenderingInfo* info) {
  checkNow(info->colorAttachmentCount <= state.limits.maxColorAttachments, "maxColorAttachments");
  checkNow(info->renderArea.extent.width <= state.limits.maxFramebufferWidth &&
               info->renderArea.extent.height <= state.limits.maxFramebufferHeight,
           "maxFramebufferWidth");
  table.CmdBeginRendering(commands, info);
}

template <const Real& table>
VKAPI_ATTR void VKAPI_CALL CmdSetViewportWithCount(VkCommandBuffer commands, uint32_t count,
                                                   const VkViewport* viewports) {
  for (uint32_t i = 0; i < count; ++i) {
    const VkViewport& v = viewports[i];
    const float low = std::min(v.y, v.y + v.height), high = std::max(v.y, v.y + v.height);
    checkNow(v.width <= static_cast<float>(state.limits.maxViewportDimensions[0]) &&
                 high - low <= static_cast<float>(state.limits.maxViewportDimensions[1]),
             "maxViewportDimensions");
    checkNow(std::min(v.x, low) >= state.limits.viewportBoundsRange[0] &&
                 std::max(v.x + v.width, high) <= state.limits.viewportBoundsRange[1],
             "viewportBoundsRange");
  }
  table.CmdSetViewportWithCount(commands, count, viewports);
}

template <const Real& table>
VKAPI_ATTR void VKAPI_CALL CmdBindVertexBuffers2(VkCommandBuffer commands, uint32_t first, uint32_t count,
                                                 const VkBuffer* buffers, const VkDeviceSize* offsets,
                                                 const VkDeviceSize* sizes, const VkDeviceSize* strides) {
  checkNow(first + count <= state.limits.maxVertexInputBindings, "maxVertexInputBindings");
  for (uint32_t i = 0; strides && i < count; ++i)
    checkNow(strides[i] <= state.limits.maxVertexInputBindingStride, "maxVertexInputBindingStride");
  {
    const std::scoped_lock lock(state.mutex);
    for (uint32_t i = 0; sizes && i < count; ++i)
      g_besideVertices = std::max(g_besideVertices, state.bufferBytes[buffers[i]] - sizes[i]);
  }
  table.CmdBindVertexBuffers2(commands, first, count, buffers, offsets, sizes, strides);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
  const uint32_t* most = state.limits.maxComputeWorkGroupCount;
  checkNow(x <= most[0] && y <= most[1] && z <= most[2], "maxComputeWorkGroupCount");
  real.CmdDispatch(commands, x, y, z);
}

}  // namespace played

using namespace played;

namespace {

/// Notes what the GPUs of a new instance are played as.
void noteGpus(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
  const auto enumerate =
      reinterpret_cast<PFN_vkEnumeratePhysicalDevices>(get(instance, "vkEnumeratePhysicalDevices"));
  uint32_t count = 0;
  enumerate(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> gpus(count);
  enumerate(instance, &count, gpus.data());
  const std::scoped_lock lock(state.gpusMutex);
  for (const VkPhysicalDevice gpu : gpus) state.gpus[gpu] = deviceProfile();
}

}  // namespace

PFN_vkVoidFunction playInstance(PFN_vkGetInstanceProcAddr get, VkInstance instance, const char* name,
                                PFN_vkVoidFunction loaders) {
  if (!std::strcmp(name, "vkGetDeviceProcAddr")) noteGpus(get, instance);
  if (!deviceProfile()) return loaders;
#define F(command)                                                 \
  if (!std::strcmp(name, "vk" #command)) {                         \
    real.command = reinterpret_cast<PFN_vk##command>(loaders);     \
    return reinterpret_cast<PFN_vkVoidFunction>(&played::command); \
  }
  AEROGPU_PLAYED_INSTANCE(F)
#undef F
#define F(command, ...) real.command = reinterpret_cast<PFN_vk##command>(get(instance, "vk" #command));
  if (!std::strcmp(name, "vkGetDeviceProcAddr")) {
    AEROGPU_PLAYED_DEVICE(F)
    AEROGPU_PLAYED_RENAMED(F)
  }
#undef F
#define F(command, suffix) \
  realOld.command = reinterpret_cast<PFN_vk##command>(get(instance, "vk" #command #suffix));
  if (!std::strcmp(name, "vkGetDeviceProcAddr")) {
    AEROGPU_PLAYED_RENAMED(F)
  }
#undef F
  return loaders;
}

const DeviceProfile* profileOf(VkPhysicalDevice gpu) {
  const std::scoped_lock lock(state.gpusMutex);
  const auto found = state.gpus.find(gpu);
  return found == state.gpus.end() ? nullptr : found->second;
}

bool deviceLacks(const char* extension) {
  return deviceProfile() && hides(*deviceProfile(), extension);
}

void noteDevice(VkDevice device, VkPhysicalDevice gpu) {
  const DeviceProfile* const profile = profileOf(gpu);
  const std::scoped_lock lock(state.gpusMutex);
  state.devices[device] = profile;
}

PFN_vkVoidFunction playDevice(const char* name, PFN_vkVoidFunction loaders) {
  if (!deviceProfile() || !loaders) return loaders;
#define F(command) \
  if (!std::strcmp(name, "vk" #command)) return reinterpret_cast<PFN_vkVoidFunction>(&played::command);
  AEROGPU_PLAYED_DEVICE(F)
#undef F
#define F(command, suffix)                                               \
  if (!std::strcmp(name, "vk" #command))                                 \
    return reinterpret_cast<PFN_vkVoidFunction>(&played::command<real>); \
  if (!std::strcmp(name, "vk" #command #suffix))                         \
    return reinterpret_cast<PFN_vkVoidFunction>(&played::command<realOld>);
  AEROGPU_PLAYED_RENAMED(F)
#undef F
  return loaders;
}

void checkDevice(VkPhysicalDevice gpu, const VkDeviceCreateInfo& info) {
  const DeviceProfile* const profile = profileOf(gpu);
  if (!profile) return;
  checkChain(*profile, const_cast<void*>(info.pNext));
  for (uint32_t i = 0; i < info.enabledExtensionCount; ++i)
    checkNow(!hides(*profile, info.ppEnabledExtensionNames[i]),
             "vkCreateDevice: an extension that is not there");
}

void hideExtension(const char* name) {
  const std::scoped_lock lock(state.mutex);
  state.hiddenExtension = name;
}

std::vector<std::string> takeBrokenRules() {
  const std::scoped_lock lock(state.mutex);
  return std::exchange(state.broken, {});
}

VkDeviceSize takeBytesBesideVertices() {
  const std::scoped_lock lock(state.mutex);
  return std::exchange(g_besideVertices, 0);
}

}  // namespace aerogpu::test
