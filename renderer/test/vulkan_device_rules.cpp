// SPDX-License-Identifier: MIT
// See vulkan_device_rules.h. Rules are cited by the member of VkPhysicalDeviceLimits, or the command, that
// states them in the Vulkan 1.3 specification.
#include "renderer/test/vulkan_device_rules.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "renderer/vulkan/device/newer_extensions.h"

namespace aerogpu::test {
namespace {

#define AEROGPU_PLAYED_INSTANCE(F)           \
  F(GetPhysicalDeviceProperties2)            \
  F(GetPhysicalDeviceFeatures2)              \
  F(GetPhysicalDeviceFormatProperties2)      \
  F(GetPhysicalDeviceImageFormatProperties2) \
  F(GetPhysicalDeviceMemoryProperties2)      \
  F(GetPhysicalDeviceQueueFamilyProperties2) \
  F(EnumerateDeviceExtensionProperties)
#define AEROGPU_PLAYED_DEVICE(F)       \
  F(GetDeviceQueue)                    \
  F(CreateCommandPool)                 \
  F(AllocateMemory)                    \
  F(FreeMemory)                        \
  F(MapMemory)                         \
  F(FlushMappedMemoryRanges)           \
  F(InvalidateMappedMemoryRanges)      \
  F(GetBufferMemoryRequirements2)      \
  F(GetImageMemoryRequirements2)       \
  F(GetMemoryHostPointerPropertiesEXT) \
  F(BindBufferMemory2)                 \
  F(BindImageMemory2)                  \
  F(CreateImage)                       \
  F(CreateBufferView)                  \
  F(CreateSampler)                     \
  F(DestroySampler)                    \
  F(CreateDescriptorSetLayout)         \
  F(CreatePipelineLayout)              \
  F(UpdateDescriptorSets)              \
  F(CmdBindDescriptorSets)             \
  F(CmdDispatch)
// Functions of Vulkan 1.3, and what ends their names before.
#define AEROGPU_PLAYED_RENAMED(F) \
  F(CmdBeginRendering, KHR)       \
  F(CmdSetViewportWithCount, EXT) \
  F(CmdBindVertexBuffers2, EXT)

struct Real {
#define F(name, ...) PFN_vk##name name = nullptr;
  AEROGPU_PLAYED_INSTANCE(F)
  AEROGPU_PLAYED_DEVICE(F)
  AEROGPU_PLAYED_RENAMED(F)
#undef F
} real, realOld;  // realOld: those that were renamed, by their older names

struct Memory {
  uint32_t type = 0, heap = 0;
  VkDeviceSize size = 0;
  uint8_t* device = nullptr;             ///< mapped, of memory that is not coherent
  std::unique_ptr<uint8_t[]> host;       ///< the host's view of it
  bool buffers = false, images = false;  ///< bound
};

std::mutex g_mutex;
std::map<VkDeviceMemory, Memory> g_memory;
std::map<uint32_t, VkDeviceSize> g_heapUse;
VkDeviceSize g_heapRoom = 0;  // of heap 0, for all devices; 0: all of it
bool g_hasBudget = false;
int g_heapRefusals = 0;
std::vector<std::string> g_broken;
std::map<VkBuffer, VkDeviceSize> g_bufferBytes;  // of memory that is bound
VkDeviceSize g_besideVertices = 0;
VkPhysicalDeviceLimits g_limits{};
uint32_t g_realType = 0, g_samplers = 0;

// What each GPU and each device is played as; null: the driver's own.
std::mutex g_playedMutex;
std::map<VkPhysicalDevice, const DeviceProfile*> g_playedGpus;
std::map<VkDevice, const DeviceProfile*> g_playedDevices;

const DeviceProfile* playedAs(VkDevice device) {
  const std::scoped_lock lock(g_playedMutex);
  const auto found = g_playedDevices.find(device);
  return found == g_playedDevices.end() ? nullptr : found->second;
}

/// Notes what the GPUs of a new instance are played as.
void noteGpus(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
  const auto enumerate =
      reinterpret_cast<PFN_vkEnumeratePhysicalDevices>(get(instance, "vkEnumeratePhysicalDevices"));
  uint32_t count = 0;
  enumerate(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> gpus(count);
  enumerate(instance, &count, gpus.data());
  const std::scoped_lock lock(g_playedMutex);
  for (const VkPhysicalDevice gpu : gpus) g_playedGpus[gpu] = deviceProfile();
}

// An extension that no device has, besides those that a profile hides.
std::string g_hiddenExtension;

bool hides(const DeviceProfile& profile, const char* extension) {
  const std::scoped_lock lock(g_mutex);
  // The driver's own would tell of heaps that are not there.
  if (std::strcmp(extension, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME) == 0) return !g_hasBudget;
  return profile.requiredOnly || g_hiddenExtension == extension ||
         std::any_of(profile.hiddenExtensions.begin(), profile.hiddenExtensions.end(),
                     [&](const char* name) { return std::strcmp(name, extension) == 0; });
}

/// Call with g_mutex held.
void check(bool kept, const char* rule) {
  if (!kept && g_broken.size() < 32) g_broken.emplace_back(rule);
}
void checkNow(bool kept, const char* rule) {
  if (kept) return;
  const std::scoped_lock lock(g_mutex);
  check(kept, rule);
}

template <class T>
T* find(void* chain, VkStructureType type) {
  for (auto* next = static_cast<VkBaseOutStructure*>(chain); next; next = next->pNext)
    if (next->sType == type) return reinterpret_cast<T*>(next);
  return nullptr;
}

/// Notes structures that a device of the profile's version does not know, and takes the values out of them.
void checkChain(const DeviceProfile& profile, void* chain) {
  if (profile.version == 0) return;
  constexpr std::pair<VkStructureType, uint32_t> kSince[] = {
      {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, VK_API_VERSION_1_2},
      {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, VK_API_VERSION_1_2},
      {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, VK_API_VERSION_1_2},
      {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, VK_API_VERSION_1_2},
      {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, VK_API_VERSION_1_3},
      {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES, VK_API_VERSION_1_3}};
  for (const auto& [type, since] : kSince)
    checkNow(profile.version >= since || !find<VkBaseOutStructure>(chain, type),
             "a structure of all features or properties of a later version");
  // Those of parts of a later version are its extensions' before.
  struct Part {
    VkStructureType type;
    const char* extension;
    uint32_t since;
  };
  constexpr Part kParts[] = {
      {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, "VK_KHR_timeline_semaphore",
       VK_API_VERSION_1_2},
      {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, "VK_KHR_driver_properties", VK_API_VERSION_1_2},
      {VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO, "VK_KHR_image_format_list", VK_API_VERSION_1_2},
      {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES, "VK_KHR_synchronization2",
       VK_API_VERSION_1_3},
      {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, "VK_KHR_dynamic_rendering",
       VK_API_VERSION_1_3},
      {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, "VK_KHR_maintenance4", VK_API_VERSION_1_3},
      {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES, "VK_EXT_image_robustness",
       VK_API_VERSION_1_3},
      {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_PROPERTIES, "VK_EXT_texel_buffer_alignment",
       VK_API_VERSION_1_3}};
  for (const Part& part : kParts)
    checkNow(profile.version >= part.since || !hides(profile, part.extension) ||
                 !find<VkBaseOutStructure>(chain, part.type),
             part.extension);
}

namespace played {

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
  const std::scoped_lock lock(g_mutex);
  g_limits = out->properties.limits;
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

/// True for formats that the back end can do without and that Vulkan 1.3 does not require ("Required Format
/// Support").
bool optional(VkFormat format) {
  constexpr VkFormat kOptional[] = {VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_R8G8B8A8_USCALED,
                                    VK_FORMAT_R16G16_SSCALED, VK_FORMAT_R16G16B16A16_SSCALED,
                                    VK_FORMAT_A2B10G10R10_USCALED_PACK32};
  return std::find(std::begin(kOptional), std::end(kOptional), format) != std::end(kOptional);
}

bool hidden(const DeviceProfile& profile, VkFormat format) {
  if (profile.requiredOnly) return optional(format);
  return std::find(profile.hiddenFormats.begin(), profile.hiddenFormats.end(), format) !=
         profile.hiddenFormats.end();
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
  const std::scoped_lock lock(g_mutex);
  p.maxExtent.width = std::min(p.maxExtent.width, g_limits.maxImageDimension2D);
  p.maxExtent.height = std::min(p.maxExtent.height, g_limits.maxImageDimension2D);
  p.maxArrayLayers = std::min(p.maxArrayLayers, g_limits.maxImageArrayLayers);
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
    const std::scoped_lock lock(g_mutex);
    check(g_hasBudget, "VK_EXT_memory_budget is not there");
    for (uint32_t i = 0; i < profile->heaps.size(); ++i) {
      budget->heapUsage[i] = g_heapUse[i];
      budget->heapBudget[i] = i == 0 && g_heapRoom != 0 ? g_heapRoom : profile->heaps[i];
    }
  }
  constexpr VkMemoryPropertyFlags kHost =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  // All memory lies in one type of the driver, as in llvmpipe: the host sees all of it.
  for (g_realType = 0; g_realType < p.memoryTypeCount; ++g_realType)
    if ((p.memoryTypes[g_realType].propertyFlags & kHost) == kHost) break;
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

VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info,
                                              const VkAllocationCallbacks* callbacks, VkDeviceMemory* out) {
  const DeviceProfile* const profile = playedAs(device);
  if (!profile) return real.AllocateMemory(device, info, callbacks, out);
  const std::scoped_lock lock(g_mutex);
  const auto& types = profile->types;
  check(info->memoryTypeIndex < types.size(), "vkAllocateMemory: no such memory type");
  if (info->memoryTypeIndex >= types.size()) return VK_ERROR_UNKNOWN;
  const DeviceProfile::MemoryType& type = types[info->memoryTypeIndex];
  check((type.flags & ~VkMemoryPropertyFlags{0xF}) == 0,
        "vkAllocateMemory: a memory type that takes a feature");
  check(info->allocationSize <= profile->heaps[type.heap], "vkAllocateMemory: larger than its heap");
  check(g_memory.size() < g_limits.maxMemoryAllocationCount, "maxMemoryAllocationCount");
  VkDeviceSize room = profile->heaps[type.heap];
  if (type.heap == 0 && g_heapRoom != 0) room = std::min(room, g_heapRoom);
  if (g_heapUse[type.heap] + info->allocationSize > room) {
    ++g_heapRefusals;
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  VkMemoryAllocateInfo actual = *info;
  actual.memoryTypeIndex = g_realType;
  const VkResult result = real.AllocateMemory(device, &actual, callbacks, out);
  if (result != VK_SUCCESS) return result;
  g_heapUse[type.heap] += info->allocationSize;
  Memory& memory = g_memory[*out];
  memory.type = info->memoryTypeIndex;
  memory.heap = type.heap;
  memory.size = info->allocationSize;
  return result;
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice device, VkDeviceMemory memory,
                                      const VkAllocationCallbacks* callbacks) {
  const std::scoped_lock lock(g_mutex);
  if (const auto it = g_memory.find(memory); it != g_memory.end()) {
    g_heapUse[it->second.heap] -= it->second.size;
    g_memory.erase(it);
  }
  real.FreeMemory(device, memory, callbacks);
}

VKAPI_ATTR VkResult VKAPI_CALL MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                         VkDeviceSize size, VkMemoryMapFlags flags, void** out) {
  const DeviceProfile* const profile = playedAs(device);
  if (!profile) return real.MapMemory(device, memory, offset, size, flags, out);
  const std::scoped_lock lock(g_mutex);
  Memory& m = g_memory[memory];
  const VkMemoryPropertyFlags type = profile->types[m.type].flags;
  check((type & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0, "vkMapMemory: memory that the host cannot see");
  if (!(type & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)) return VK_ERROR_MEMORY_MAP_FAILED;
  const VkResult result = real.MapMemory(device, memory, offset, size, flags, out);
  if (result != VK_SUCCESS || (type & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)) return result;
  check(offset == 0 && size == VK_WHOLE_SIZE, "the double maps whole allocations only");
  m.device = static_cast<uint8_t*>(*out);
  m.host = std::make_unique<uint8_t[]>(m.size);
  std::memset(m.host.get(), 0xA5, m.size);  // its content must not be relied upon
  *out = m.host.get();
  return result;
}

/// Copies between the two copies of memory that is not coherent.
void move(uint32_t count, const VkMappedMemoryRange* ranges, bool toDevice) {
  const std::scoped_lock lock(g_mutex);
  for (uint32_t i = 0; i < count; ++i) {
    Memory& m = g_memory[ranges[i].memory];
    const VkDeviceSize offset = ranges[i].offset, atom = g_limits.nonCoherentAtomSize;
    const bool whole = ranges[i].size == VK_WHOLE_SIZE;
    const VkDeviceSize size = whole ? m.size - std::min(offset, m.size) : ranges[i].size;
    check(offset % atom == 0, "nonCoherentAtomSize: offset");
    check(whole || size % atom == 0 || offset + size == m.size, "nonCoherentAtomSize: size");
    check(offset <= m.size && size <= m.size - offset, "VkMappedMemoryRange: past the memory");
    if (!m.device || offset > m.size || size > m.size - offset) continue;
    if (toDevice)
      std::memcpy(m.device + offset, m.host.get() + offset, size);
    else
      std::memcpy(m.host.get() + offset, m.device + offset, size);
  }
}

VKAPI_ATTR VkResult VKAPI_CALL FlushMappedMemoryRanges(VkDevice, uint32_t count,
                                                       const VkMappedMemoryRange* ranges) {
  move(count, ranges, true);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL InvalidateMappedMemoryRanges(VkDevice, uint32_t count,
                                                            const VkMappedMemoryRange* ranges) {
  move(count, ranges, false);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements2(VkDevice device,
                                                        const VkBufferMemoryRequirementsInfo2* info,
                                                        VkMemoryRequirements2* out) {
  real.GetBufferMemoryRequirements2(device, info, out);
  if (const DeviceProfile* profile = playedAs(device))
    out->memoryRequirements.memoryTypeBits = profile->bufferTypes;
}

VKAPI_ATTR void VKAPI_CALL GetImageMemoryRequirements2(VkDevice device,
                                                       const VkImageMemoryRequirementsInfo2* info,
                                                       VkMemoryRequirements2* out) {
  real.GetImageMemoryRequirements2(device, info, out);
  if (const DeviceProfile* profile = playedAs(device))
    out->memoryRequirements.memoryTypeBits = profile->imageTypes;
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryHostPointerPropertiesEXT(VkDevice device,
                                                                 VkExternalMemoryHandleTypeFlagBits handle,
                                                                 const void* pointer,
                                                                 VkMemoryHostPointerPropertiesEXT* out) {
  const VkResult result = real.GetMemoryHostPointerPropertiesEXT(device, handle, pointer, out);
  const DeviceProfile* const profile = playedAs(device);
  if (!profile) return result;
  out->memoryTypeBits = 0;
  const uint32_t hosts =
      profile->heaps.size() > 1;  // the host's memory is not the device's if it has its own
  for (uint32_t i = 0; i < profile->types.size(); ++i)
    if ((profile->types[i].flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) && profile->types[i].heap == hosts)
      out->memoryTypeBits |= 1u << i;
  return result;
}

void bind(VkDevice device, VkDeviceMemory memory, bool image) {
  const DeviceProfile* const profile = playedAs(device);
  if (!profile) return;
  const std::scoped_lock lock(g_mutex);
  Memory& m = g_memory[memory];
  const uint32_t bits = image ? profile->imageTypes : profile->bufferTypes;
  check((bits >> m.type & 1) != 0, "memoryTypeBits of what is bound");
  (image ? m.images : m.buffers) = true;
  check(!(m.images && m.buffers) || g_limits.bufferImageGranularity == 1, "bufferImageGranularity");
}

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory2(VkDevice device, uint32_t count,
                                                 const VkBindBufferMemoryInfo* infos) {
  for (uint32_t i = 0; i < count; ++i) {
    bind(device, infos[i].memory, false);
    VkBufferMemoryRequirementsInfo2 query{VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2};
    query.buffer = infos[i].buffer;
    VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    real.GetBufferMemoryRequirements2(device, &query, &needs);
    const std::scoped_lock lock(g_mutex);
    g_bufferBytes[infos[i].buffer] = needs.memoryRequirements.size;
  }
  return real.BindBufferMemory2(device, count, infos);
}

VKAPI_ATTR VkResult VKAPI_CALL BindImageMemory2(VkDevice device, uint32_t count,
                                                const VkBindImageMemoryInfo* infos) {
  for (uint32_t i = 0; i < count; ++i) bind(device, infos[i].memory, true);
  return real.BindImageMemory2(device, count, infos);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateImage(VkDevice device, const VkImageCreateInfo* info,
                                           const VkAllocationCallbacks* callbacks, VkImage* out) {
  const DeviceProfile* const profile = playedAs(device);
  if (!profile) return real.CreateImage(device, info, callbacks, out);
  checkChain(*profile, const_cast<void*>(info->pNext));
  checkNow(info->extent.width <= g_limits.maxImageDimension2D &&
               info->extent.height <= g_limits.maxImageDimension2D,
           "maxImageDimension2D");
  checkNow(info->arrayLayers <= g_limits.maxImageArrayLayers, "maxImageArrayLayers");
  checkNow(!hidden(*profile, info->format), "vkCreateImage: a format that is not there");
  return real.CreateImage(device, info, callbacks, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBufferView(VkDevice device, const VkBufferViewCreateInfo* info,
                                                const VkAllocationCallbacks* callbacks, VkBufferView* out) {
  const DeviceProfile* const profile = playedAs(device);
  if (!profile) return real.CreateBufferView(device, info, callbacks, out);
  const VkDeviceSize single =  // of R32 texels
      hides(*profile, "VK_EXT_texel_buffer_alignment") ? g_limits.minTexelBufferOffsetAlignment : 4;
  checkNow(info->offset % std::min(g_limits.minTexelBufferOffsetAlignment, single) == 0,
           "minTexelBufferOffsetAlignment");
  checkNow(info->range == VK_WHOLE_SIZE || info->range / 4 <= g_limits.maxTexelBufferElements,
           "maxTexelBufferElements");
  return real.CreateBufferView(device, info, callbacks, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateSampler(VkDevice device, const VkSamplerCreateInfo* info,
                                             const VkAllocationCallbacks* callbacks, VkSampler* out) {
  {
    const std::scoped_lock lock(g_mutex);
    check(std::max(info->mipLodBias, -info->mipLodBias) <= g_limits.maxSamplerLodBias, "maxSamplerLodBias");
    check(!info->anisotropyEnable || info->maxAnisotropy <= g_limits.maxSamplerAnisotropy,
          "maxSamplerAnisotropy");
    check(++g_samplers <= g_limits.maxSamplerAllocationCount, "maxSamplerAllocationCount");
  }
  return real.CreateSampler(device, info, callbacks, out);
}

VKAPI_ATTR void VKAPI_CALL DestroySampler(VkDevice device, VkSampler sampler,
                                          const VkAllocationCallbacks* callbacks) {
  {
    const std::scoped_lock lock(g_mutex);
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
    checkNow(samplers <= g_limits.maxPerStageDescriptorSamplers, "maxPerStageDescriptorSamplers");
    checkNow(images <= g_limits.maxPerStageDescriptorSampledImages, "maxPerStageDescriptorSampledImages");
    checkNow(uniforms <= g_limits.maxPerStageDescriptorUniformBuffers, "maxPerStageDescriptorUniformBuffers");
    checkNow(storage <= g_limits.maxPerStageDescriptorStorageImages, "maxPerStageDescriptorStorageImages");
    checkNow(all <= g_limits.maxPerStageResources, "maxPerStageResources");
  }
  return real.CreateDescriptorSetLayout(device, info, callbacks, out);
}

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo* info,
                                                    const VkAllocationCallbacks* callbacks,
                                                    VkPipelineLayout* out) {
  checkNow(info->setLayoutCount <= g_limits.maxBoundDescriptorSets, "maxBoundDescriptorSets");
  for (uint32_t i = 0; i < info->pushConstantRangeCount; ++i)
    checkNow(info->pPushConstantRanges[i].offset + info->pPushConstantRanges[i].size <=
                 g_limits.maxPushConstantsSize,
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
    checkNow(b.offset % g_limits.minUniformBufferOffsetAlignment == 0,
             "minUniformBufferOffsetAlignment: descriptor");
    checkNow(b.range <= g_limits.maxUniformBufferRange, "maxUniformBufferRange");
  }
  real.UpdateDescriptorSets(device, writeCount, writes, copyCount, copies);
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorSets(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                 VkPipelineLayout layout, uint32_t first, uint32_t count,
                                                 const VkDescriptorSet* sets, uint32_t offsetCount,
                                                 const uint32_t* offsets) {
  for (uint32_t i = 0; i < offsetCount; ++i)
    checkNow(offsets[i] % g_limits.minUniformBufferOffsetAlignment == 0,
             "minUniformBufferOffsetAlignment: offset");
  real.CmdBindDescriptorSets(commands, point, layout, first, count, sets, offsetCount, offsets);
}

template <const Real& table>
VKAPI_ATTR void VKAPI_CALL CmdBeginRendering(VkCommandBuffer commands, const VkRenderingInfo* info) {
  checkNow(info->colorAttachmentCount <= g_limits.maxColorAttachments, "maxColorAttachments");
  checkNow(info->renderArea.extent.width <= g_limits.maxFramebufferWidth &&
               info->renderArea.extent.height <= g_limits.maxFramebufferHeight,
           "maxFramebufferWidth");
  table.CmdBeginRendering(commands, info);
}

template <const Real& table>
VKAPI_ATTR void VKAPI_CALL CmdSetViewportWithCount(VkCommandBuffer commands, uint32_t count,
                                                   const VkViewport* viewports) {
  for (uint32_t i = 0; i < count; ++i) {
    const VkViewport& v = viewports[i];
    const float low = std::min(v.y, v.y + v.height), high = std::max(v.y, v.y + v.height);
    checkNow(v.width <= static_cast<float>(g_limits.maxViewportDimensions[0]) &&
                 high - low <= static_cast<float>(g_limits.maxViewportDimensions[1]),
             "maxViewportDimensions");
    checkNow(std::min(v.x, low) >= g_limits.viewportBoundsRange[0] &&
                 std::max(v.x + v.width, high) <= g_limits.viewportBoundsRange[1],
             "viewportBoundsRange");
  }
  table.CmdSetViewportWithCount(commands, count, viewports);
}

template <const Real& table>
VKAPI_ATTR void VKAPI_CALL CmdBindVertexBuffers2(VkCommandBuffer commands, uint32_t first, uint32_t count,
                                                 const VkBuffer* buffers, const VkDeviceSize* offsets,
                                                 const VkDeviceSize* sizes, const VkDeviceSize* strides) {
  checkNow(first + count <= g_limits.maxVertexInputBindings, "maxVertexInputBindings");
  for (uint32_t i = 0; strides && i < count; ++i)
    checkNow(strides[i] <= g_limits.maxVertexInputBindingStride, "maxVertexInputBindingStride");
  {
    const std::scoped_lock lock(g_mutex);
    for (uint32_t i = 0; sizes && i < count; ++i)
      g_besideVertices = std::max(g_besideVertices, g_bufferBytes[buffers[i]] - sizes[i]);
  }
  table.CmdBindVertexBuffers2(commands, first, count, buffers, offsets, sizes, strides);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
  const uint32_t* most = g_limits.maxComputeWorkGroupCount;
  checkNow(x <= most[0] && y <= most[1] && z <= most[2], "maxComputeWorkGroupCount");
  real.CmdDispatch(commands, x, y, z);
}

}  // namespace played
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
  const std::scoped_lock lock(g_playedMutex);
  const auto found = g_playedGpus.find(gpu);
  return found == g_playedGpus.end() ? nullptr : found->second;
}

bool deviceLacks(const char* extension) {
  return deviceProfile() && hides(*deviceProfile(), extension);
}

void noteDevice(VkDevice device, VkPhysicalDevice gpu) {
  const DeviceProfile* const profile = profileOf(gpu);
  const std::scoped_lock lock(g_playedMutex);
  g_playedDevices[device] = profile;
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

bool isTooNew(VkDevice device, const char* name) {
  // The commands of devices that Vulkan 1.2 and 1.3 made their own (the specification's appendix "Core
  // Revisions").
  constexpr const char* k12[] = {"vkCmdDrawIndirectCount",
                                 "vkCmdDrawIndexedIndirectCount",
                                 "vkCreateRenderPass2",
                                 "vkCmdBeginRenderPass2",
                                 "vkCmdNextSubpass2",
                                 "vkCmdEndRenderPass2",
                                 "vkResetQueryPool",
                                 "vkGetSemaphoreCounterValue",
                                 "vkWaitSemaphores",
                                 "vkSignalSemaphore",
                                 "vkGetBufferDeviceAddress",
                                 "vkGetBufferOpaqueCaptureAddress",
                                 "vkGetDeviceMemoryOpaqueCaptureAddress"};
  constexpr const char* k13[] = {"vkCreatePrivateDataSlot",
                                 "vkDestroyPrivateDataSlot",
                                 "vkSetPrivateData",
                                 "vkGetPrivateData",
                                 "vkCmdSetEvent2",
                                 "vkCmdResetEvent2",
                                 "vkCmdWaitEvents2",
                                 "vkCmdPipelineBarrier2",
                                 "vkCmdWriteTimestamp2",
                                 "vkQueueSubmit2",
                                 "vkCmdCopyBuffer2",
                                 "vkCmdCopyImage2",
                                 "vkCmdCopyBufferToImage2",
                                 "vkCmdCopyImageToBuffer2",
                                 "vkCmdBlitImage2",
                                 "vkCmdResolveImage2",
                                 "vkCmdBeginRendering",
                                 "vkCmdEndRendering",
                                 "vkCmdSetCullMode",
                                 "vkCmdSetFrontFace",
                                 "vkCmdSetPrimitiveTopology",
                                 "vkCmdSetViewportWithCount",
                                 "vkCmdSetScissorWithCount",
                                 "vkCmdBindVertexBuffers2",
                                 "vkCmdSetDepthTestEnable",
                                 "vkCmdSetDepthWriteEnable",
                                 "vkCmdSetDepthCompareOp",
                                 "vkCmdSetDepthBoundsTestEnable",
                                 "vkCmdSetStencilTestEnable",
                                 "vkCmdSetStencilOp",
                                 "vkCmdSetRasterizerDiscardEnable",
                                 "vkCmdSetDepthBiasEnable",
                                 "vkCmdSetPrimitiveRestartEnable",
                                 "vkGetDeviceBufferMemoryRequirements",
                                 "vkGetDeviceImageMemoryRequirements",
                                 "vkGetDeviceImageSparseMemoryRequirements"};
  const DeviceProfile* const profile = playedAs(device);
  if (!profile || profile->version == 0) return false;
  const auto isOneOf = [&](const auto& names) {
    return std::any_of(std::begin(names), std::end(names),
                       [&](const char* each) { return std::strcmp(each, name) == 0; });
  };
  const bool tooNew = (profile->version < VK_API_VERSION_1_2 && isOneOf(k12)) ||
                      (profile->version < VK_API_VERSION_1_3 && isOneOf(k13));
  checkNow(!tooNew, name);
  return tooNew;
}

void checkDevice(VkPhysicalDevice gpu, const VkDeviceCreateInfo& info) {
  const DeviceProfile* const profile = profileOf(gpu);
  if (!profile) return;
  checkChain(*profile, const_cast<void*>(info.pNext));
  for (uint32_t i = 0; i < info.enabledExtensionCount; ++i)
    checkNow(!hides(*profile, info.ppEnabledExtensionNames[i]),
             "vkCreateDevice: an extension that is not there");
}

void limitHeap(VkDeviceSize bytes, bool hasBudget) {
  const std::scoped_lock lock(g_mutex);
  g_heapRoom = bytes;
  g_hasBudget = hasBudget;
  g_heapRefusals = 0;
}

int heapRefusals() {
  const std::scoped_lock lock(g_mutex);
  return g_heapRefusals;
}

VkDeviceSize heapBytes() {
  const std::scoped_lock lock(g_mutex);
  return g_heapUse[0];
}

void hideExtension(const char* name) {
  const std::scoped_lock lock(g_mutex);
  g_hiddenExtension = name;
}

std::vector<std::string> takeBrokenRules() {
  const std::scoped_lock lock(g_mutex);
  return std::exchange(g_broken, {});
}

VkDeviceSize takeBytesBesideVertices() {
  const std::scoped_lock lock(g_mutex);
  return std::exchange(g_besideVertices, 0);
}

VkDeviceSize bytesOffDevice() {
  const std::scoped_lock lock(g_mutex);
  VkDeviceSize bytes = 0;
  for (const auto& [handle, memory] : g_memory)
    if (memory.heap == 1) bytes += memory.size;
  return bytes;
}

}  // namespace aerogpu::test
