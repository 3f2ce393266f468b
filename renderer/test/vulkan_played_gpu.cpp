// SPDX-License-Identifier: MIT
// What a played GPU reports of itself: limits, features, formats, memory types, queue families, extensions.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "renderer/test/vulkan_device_rules.h"
#include "renderer/test/vulkan_played.h"

namespace aerogpu::test::played {
namespace {

/// True for formats that the back end can do without and that Vulkan 1.3 does not require ("Required Format
/// Support").
bool optional(VkFormat format) {
  constexpr VkFormat kOptional[] = {VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_R8G8B8A8_USCALED,
                                    VK_FORMAT_R16G16_SSCALED, VK_FORMAT_R16G16B16A16_SSCALED,
                                    VK_FORMAT_A2B10G10R10_USCALED_PACK32};
  return std::find(std::begin(kOptional), std::end(kOptional), format) != std::end(kOptional);
}

/// Returns the features that images of a format must have; all of them unless a case here says otherwise.
/// Vulkan 1.3, "Required Format Support", for the formats of which it requires less than drivers offer.
VkFormatFeatureFlags2 requiredFeatures(VkFormat format) {
  constexpr VkFormatFeatureFlags2 kMoved =
      VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
  constexpr VkFormatFeatureFlags2 kSampled =
      kMoved | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_BLIT_SRC_BIT;
  constexpr VkFormatFeatureFlags2 kFiltered = kSampled | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
  switch (format) {
    case VK_FORMAT_R4G4_UNORM_PACK8:
    case VK_FORMAT_A4R4G4B4_UNORM_PACK16:
    case VK_FORMAT_A2R10G10B10_UNORM_PACK32:
    case VK_FORMAT_R16_UNORM:
    case VK_FORMAT_R16G16_UNORM:
    case VK_FORMAT_R16G16B16A16_UNORM:
    case VK_FORMAT_R16G16_SNORM:
    case VK_FORMAT_R16G16B16A16_SNORM:
      return 0;
    case VK_FORMAT_B4G4R4A4_UNORM_PACK16:
    case VK_FORMAT_R8G8_SNORM:
    case VK_FORMAT_R8G8B8A8_SNORM:
      return kFiltered;
    case VK_FORMAT_R32_SFLOAT:
    case VK_FORMAT_R32G32_SFLOAT:
    case VK_FORMAT_R32G32B32A32_SFLOAT:
      return kSampled | VK_FORMAT_FEATURE_2_BLIT_DST_BIT | VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT;
    default:
      return ~VkFormatFeatureFlags2{0};
  }
}

}  // namespace

bool hidden(const DeviceProfile& profile, VkFormat format) {
  if (profile.requiredOnly) return optional(format);
  return std::find(profile.hiddenFormats.begin(), profile.hiddenFormats.end(), format) !=
         profile.hiddenFormats.end();
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice device,
                                                        VkPhysicalDeviceProperties2* out) {
  real.GetPhysicalDeviceProperties2(device, out);
  const DeviceProfile* const profile = profileOf(device);
  if (!profile) return;
  checkChain(*profile, out->pNext);
  out->properties.deviceType = profile->type;
  if (profile->version) out->properties.apiVersion = profile->version;
  profile->limit(out->properties.limits);
  if (auto* texels = find<VkPhysicalDeviceTexelBufferAlignmentProperties>(
          out->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_PROPERTIES)) {
    const VkDeviceSize bytes = out->properties.limits.minTexelBufferOffsetAlignment;
    for (VkDeviceSize* a :
         {&texels->storageTexelBufferOffsetAlignmentBytes, &texels->uniformTexelBufferOffsetAlignmentBytes})
      *a = std::max(*a, bytes);
    if (profile->requiredOnly)
      texels->storageTexelBufferOffsetSingleTexelAlignment =
          texels->uniformTexelBufferOffsetSingleTexelAlignment = VK_FALSE;
  }
  const std::scoped_lock lock(state.mutex);
  state.limits = out->properties.limits;
}

/// Leaves the features that Vulkan 1.3 requires (section "Feature Requirements"), among them all that came
/// after 1.1, and those that the back end requires.
VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice device,
                                                      VkPhysicalDeviceFeatures2* out) {
  real.GetPhysicalDeviceFeatures2(device, out);
  const DeviceProfile* const profile = profileOf(device);
  if (profile) checkChain(*profile, out->pNext);
  if (!profile || !profile->requiredOnly) return;
  const VkPhysicalDeviceFeatures all = out->features;
  out->features = {};
  out->features.robustBufferAccess = all.robustBufferAccess;
  out->features.independentBlend = all.independentBlend;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFormatProperties2(VkPhysicalDevice device, VkFormat format,
                                                              VkFormatProperties2* out) {
  real.GetPhysicalDeviceFormatProperties2(device, format, out);
  const DeviceProfile* const profile = profileOf(device);
  if (!profile) return;
  checkNow(profile->version == 0 || !hidden(*profile, format),
           "vkGetPhysicalDeviceFormatProperties2: a format of a later version");
  if (!hidden(*profile, format)) {
    if (!profile->requiredOnly) return;
    const VkFormatFeatureFlags2 required = requiredFeatures(format);
    out->formatProperties.optimalTilingFeatures &= static_cast<VkFormatFeatureFlags>(required & 0x7FFFFFFF);
    if (auto* props = find<VkFormatProperties3>(out->pNext, VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3))
      props->optimalTilingFeatures &= required;
    return;
  }
  out->formatProperties = {};
  if (auto* props = find<VkFormatProperties3>(out->pNext, VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3))
    props->linearTilingFeatures = props->optimalTilingFeatures = props->bufferFeatures = 0;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceImageFormatProperties2(
    VkPhysicalDevice device, const VkPhysicalDeviceImageFormatInfo2* info, VkImageFormatProperties2* out) {
  const DeviceProfile* const profile = profileOf(device);
  if (!profile) return real.GetPhysicalDeviceImageFormatProperties2(device, info, out);
  if (hidden(*profile, info->format)) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  if (profile->requiredOnly) {
    const VkFormatFeatureFlags2 required = requiredFeatures(info->format);
    const auto lacks = [&](VkImageUsageFlags usage, VkFormatFeatureFlags2 feature) {
      return (info->usage & usage) && !(required & feature);
    };
    if (required == 0 || lacks(VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT) ||
        lacks(VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT))
      return VK_ERROR_FORMAT_NOT_SUPPORTED;
  }
  const VkResult result = real.GetPhysicalDeviceImageFormatProperties2(device, info, out);
  if (result != VK_SUCCESS) return result;
  VkImageFormatProperties& p = out->imageFormatProperties;
  const std::scoped_lock lock(state.mutex);
  p.maxExtent.width = std::min(p.maxExtent.width, state.limits.maxImageDimension2D);
  p.maxExtent.height = std::min(p.maxExtent.height, state.limits.maxImageDimension2D);
  p.maxArrayLayers = std::min(p.maxArrayLayers, state.limits.maxImageArrayLayers);
  return result;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice device,
                                                              VkPhysicalDeviceMemoryProperties2* out) {
  const DeviceProfile* const profile = profileOf(device);
  if (!profile) return real.GetPhysicalDeviceMemoryProperties2(device, out);
  VkPhysicalDeviceMemoryProperties2 plain{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, nullptr, {}};
  real.GetPhysicalDeviceMemoryProperties2(device, &plain);
  out->memoryProperties = plain.memoryProperties;
  VkPhysicalDeviceMemoryProperties& p = out->memoryProperties;
  if (auto* budget = find<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(
          out->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT)) {
    const std::scoped_lock lock(state.mutex);
    check(state.hasBudget, "VK_EXT_memory_budget is not there");
    for (uint32_t i = 0; i < profile->heaps.size(); ++i) {
      budget->heapUsage[i] = state.heapUse[i];
      budget->heapBudget[i] = i == 0 && state.heapRoom != 0 ? state.heapRoom : profile->heaps[i];
    }
  }
  constexpr VkMemoryPropertyFlags kHost =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  // All memory lies in one type of the driver, as in llvmpipe: the host sees all of it.
  for (state.realType = 0; state.realType < p.memoryTypeCount; ++state.realType)
    if ((p.memoryTypes[state.realType].propertyFlags & kHost) == kHost) break;
  p = {};
  p.memoryHeapCount = static_cast<uint32_t>(profile->heaps.size());
  for (uint32_t i = 0; i < p.memoryHeapCount; ++i)
    p.memoryHeaps[i] = {profile->heaps[i], i == 1 ? 0u : uint32_t{VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}};
  p.memoryTypeCount = static_cast<uint32_t>(profile->types.size());
  for (uint32_t i = 0; i < p.memoryTypeCount; ++i)
    p.memoryTypes[i] = {profile->types[i].flags, profile->types[i].heap};
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice device, uint32_t* count,
                                                                   VkQueueFamilyProperties2* out) {
  const DeviceProfile* const profile = profileOf(device);
  if (!profile) return real.GetPhysicalDeviceQueueFamilyProperties2(device, count, out);
  const auto& families = profile->families;
  if (out) {
    uint32_t one = 1;
    VkQueueFamilyProperties2 first{VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2, nullptr, {}};
    real.GetPhysicalDeviceQueueFamilyProperties2(device, &one, &first);
    *count = std::min(*count, static_cast<uint32_t>(families.size()));
    for (uint32_t i = 0; i < *count; ++i) {
      out[i].queueFamilyProperties = first.queueFamilyProperties;
      out[i].queueFamilyProperties.queueFlags = families[i];
      out[i].queueFamilyProperties.timestampValidBits = 0;
    }
  }
  *count = static_cast<uint32_t>(families.size());
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char* layer,
                                                                  uint32_t* count,
                                                                  VkExtensionProperties* out) {
  const DeviceProfile* const profile = profileOf(device);
  if (!profile) return real.EnumerateDeviceExtensionProperties(device, layer, count, out);
  uint32_t all = 0;
  VkResult result = real.EnumerateDeviceExtensionProperties(device, layer, &all, nullptr);
  if (result != VK_SUCCESS) return result;
  std::vector<VkExtensionProperties> list(all);
  result = real.EnumerateDeviceExtensionProperties(device, layer, &all, list.data());
  if (result != VK_SUCCESS) return result;
  std::erase_if(list, [&](const VkExtensionProperties& e) { return hides(*profile, e.extensionName); });
  VkExtensionProperties budget{VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, 1};
  const auto isBudget = [&](const VkExtensionProperties& e) {
    return std::strcmp(e.extensionName, budget.extensionName) == 0;
  };
  if (!hides(*profile, budget.extensionName) && std::none_of(list.begin(), list.end(), isBudget))
    list.push_back(budget);
  if (out) {
    *count = std::min(*count, static_cast<uint32_t>(list.size()));
    std::copy_n(list.begin(), *count, out);
  } else {
    *count = static_cast<uint32_t>(list.size());
  }
  return VK_SUCCESS;
}

}  // namespace aerogpu::test::played
