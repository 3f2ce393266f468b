// SPDX-License-Identifier: MIT
// Device creation (features: features.h), and what the device says of itself.
#include "renderer/vulkan/device/device.h"

#include <algorithm>
#include <vector>

#include "renderer/vulkan/device/features.h"
#include "renderer/vulkan/device/vk_result.h"

namespace aerogpu::vk {
namespace {

/// Returns DeviceCaps::hostImportAlignment; 0 if buffers on imported memory need dedicated allocations too.
uint64_t hostImportAlignment(const InstanceTable& vk, VkPhysicalDevice physical) {
  VkPhysicalDeviceExternalBufferInfo info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO};
  info.usage = kHostImportUsage;
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkExternalBufferProperties buffers{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  vk.GetPhysicalDeviceExternalBufferProperties(physical, &info, &buffers);
  const VkExternalMemoryFeatureFlags features = buffers.externalMemoryProperties.externalMemoryFeatures;
  if (!(features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) ||
      (features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT))
    return 0;
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 props{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &host};
  vk.GetPhysicalDeviceProperties2(physical, &props);
  return host.minImportedHostPointerAlignment;
}

std::string nameOf(const InstanceTable& vk, VkPhysicalDevice physical) {
  VkPhysicalDeviceProperties2 props{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  vk.GetPhysicalDeviceProperties2(physical, &props);
  return props.properties.deviceName;
}

}  // namespace

void Device::readProperties(const DeviceFeatures& features) {
  const InstanceTable& ivk = m_instance.vk();
  VkPhysicalDeviceMaintenance4Properties maintenance4{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
  VkPhysicalDeviceTexelBufferAlignmentProperties texels{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_PROPERTIES};
  VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceProperties2 props{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &maintenance4};
  void** tail = &maintenance4.pNext;
  const bool hasTexels = features.uses(VK_EXT_TEXEL_BUFFER_ALIGNMENT_EXTENSION_NAME, VK_API_VERSION_1_3);
  if (hasTexels) {
    *tail = &texels;
    tail = &texels.pNext;
  }
  const bool hasDriver = features.uses(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME, VK_API_VERSION_1_2);
  if (hasDriver) *tail = &driver;
  ivk.GetPhysicalDeviceProperties2(m_physical, &props);
  m_properties = props.properties;
  // A number that each vendor reads in its own way (Vulkan 1.3, VkPhysicalDeviceProperties).
  m_driver = hasDriver ? driver.driverName : "driver " + std::to_string(m_properties.driverVersion);
  if (driver.driverInfo[0]) m_driver += std::string(" ") + driver.driverInfo;
  m_driverId = driver.driverID;
  m_maxBufferSize = maintenance4.maxBufferSize;
  if (!hasTexels)
    texels.storageTexelBufferOffsetAlignmentBytes = texels.uniformTexelBufferOffsetAlignmentBytes =
        limits().minTexelBufferOffsetAlignment;
  m_texelAlignment = texels;
  m_texelAlignment.pNext = nullptr;
  VkPhysicalDeviceMemoryProperties2 memory{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  ivk.GetPhysicalDeviceMemoryProperties2(m_physical, &memory);
  m_memory = memory.memoryProperties;
}

bool Device::findQueueFamily() {
  const InstanceTable& ivk = m_instance.vk();
  uint32_t count = 0;
  ivk.GetPhysicalDeviceQueueFamilyProperties2(m_physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties2> families(count, {VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2});
  ivk.GetPhysicalDeviceQueueFamilyProperties2(m_physical, &count, families.data());
  constexpr VkQueueFlags kNeeded = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  for (m_family = 0; m_family < count; ++m_family)
    if ((families[m_family].queueFamilyProperties.queueFlags & kNeeded) == kNeeded) return true;
  return false;
}

void Device::findStreamLimits() {
  VkPhysicalDeviceTransformFeedbackPropertiesEXT streams{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 props{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &streams};
  m_instance.vk().GetPhysicalDeviceProperties2(m_physical, &props);
  constexpr uint32_t kBuffers = 4;  // D3D10_SO_BUFFER_SLOT_COUNT
  if (streams.maxTransformFeedbackBuffers < kBuffers || !streams.transformFeedbackQueries ||
      !streams.transformFeedbackDraw)
    return;
  m_caps.streamBytes = streams.maxTransformFeedbackStreamDataSize;
  m_caps.streamStride = streams.maxTransformFeedbackBufferDataStride;
  m_caps.streamBufferBytes = streams.maxTransformFeedbackBufferSize & ~VkDeviceSize{3};
}

void Device::findCaps(const DeviceFeatures& features) {
  DeviceCaps& caps = m_caps;
  if (caps.transformFeedback) findStreamLimits();
  // lavapipe 22.3 ignores the sizes of vertex buffers; all its versions are treated alike, and so is a driver
  // that does not say which it is.
  caps.boundByBuffers =
      !caps.robustAccess2 || m_driverId == VK_DRIVER_ID_MESA_LLVMPIPE || m_driverId == VkDriverId{};
  m_hasBudget = features.enabled(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  if (features.enabled(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
    caps.hostImportAlignment = hostImportAlignment(m_instance.vk(), m_physical);
  caps.maxAnisotropy = limits().maxSamplerAnisotropy;
  if (caps.largePoints) {  // else 1 is the only size (Vulkan 1.3, "Features", largePoints)
    caps.pointSizeMin = limits().pointSizeRange[0];
    caps.pointSizeMax = limits().pointSizeRange[1];
  }
  caps.d24s8 =
      (formatFeatures(VK_FORMAT_D24_UNORM_S8_UINT) & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT) != 0;
  const auto samples = [&](VkFormat format) {
    return (formatFeatures(format) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) != 0;
  };
  caps.a1r5g5b5 = samples(VK_FORMAT_A1R5G5B5_UNORM_PACK16);
  caps.a4r4g4b4 = caps.a4r4g4b4 && samples(VK_FORMAT_A4R4G4B4_UNORM_PACK16);
  caps.a2r10g10b10 = samples(VK_FORMAT_A2R10G10B10_UNORM_PACK32);
  // NVIDIA's driver samples it, and does not draw to it.
  caps.r4g4 = samples(VK_FORMAT_R4G4_UNORM_PACK8) &&
              (formatFeatures(VK_FORMAT_R4G4_UNORM_PACK8) & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT);
}

VkResult Device::open(const DeviceFeatures& features) {
  const InstanceTable& ivk = m_instance.vk();
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueFamilyIndex = m_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features.chosen()};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(features.extensions().size());
  info.ppEnabledExtensionNames = features.extensions().data();
  const VkResult result = ivk.CreateDevice(m_physical, &info, nullptr, &m_device);
  if (result != VK_SUCCESS) return result;
  m_vk = loadDeviceTable(ivk, m_device, features.version());
  m_vk.GetDeviceQueue(m_device, m_family, 0, &m_queue);
  return VK_SUCCESS;
}

std::unique_ptr<Device> Device::create(const Instance& instance, VkPhysicalDevice physical,
                                       std::string& error) {
  std::unique_ptr<Device> self(new Device(instance, physical));
  DeviceFeatures features(instance.vk(), physical);
  if (const std::string lacks = features.lacks(); !lacks.empty()) {
    error = nameOf(instance.vk(), physical) + ": " + lacks;
    return nullptr;
  }
  features.choose(self->m_caps);
  self->readProperties(features);
  const std::string name = self->m_properties.deviceName;
  if (!self->findQueueFamily()) {
    error = name + " has no queue for graphics and compute";
    return nullptr;
  }
  self->findCaps(features);
  if (const VkResult result = self->open(features); result != VK_SUCCESS) {
    error = name + ": vkCreateDevice: " + resultName(result);
    return nullptr;
  }
  return self;
}

Device::~Device() {
  if (!m_device) return;
  m_vk.DeviceWaitIdle(m_device);
  m_vk.DestroyDevice(m_device, nullptr);
}

VkFormatFeatureFlags Device::formatFeatures(VkFormat format) const {
  for (const auto& [known, features] : m_formatFeatures)
    if (known == format) return features;
  VkFormatProperties2 props{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2};
  m_instance.vk().GetPhysicalDeviceFormatProperties2(m_physical, format, &props);
  m_formatFeatures.emplace_back(format, props.formatProperties.optimalTilingFeatures);
  return props.formatProperties.optimalTilingFeatures;
}

VkFormatFeatureFlags Device::bufferFormatFeatures(VkFormat format) const {
  VkFormatProperties2 props{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2};
  m_instance.vk().GetPhysicalDeviceFormatProperties2(m_physical, format, &props);
  return props.formatProperties.bufferFeatures;
}

bool Device::isInBudget(uint32_t heap, VkDeviceSize bytes) const {
  if (!m_hasBudget) return true;
  // Drivers that allocate more than there is make room later, when work is submitted: slowly, or by failing
  // it, which is a lost GPU. An allocation that fails now costs one object.
  VkPhysicalDeviceMemoryBudgetPropertiesEXT now{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 memory{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &now};
  m_instance.vk().GetPhysicalDeviceMemoryProperties2(m_physical, &memory);
  const VkDeviceSize budget = now.heapBudget[heap], used = now.heapUsage[heap];
  return used <= budget && bytes <= budget - used;
}

VkResult Device::allocate(const VkMemoryAllocateInfo& info, VkDeviceMemory* memory) {
  const uint32_t heap = m_memory.memoryTypes[info.memoryTypeIndex].heapIndex;
  if (info.allocationSize > m_memory.memoryHeaps[heap].size) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  if (m_allocations >= limits().maxMemoryAllocationCount) return VK_ERROR_TOO_MANY_OBJECTS;
  if (!isInBudget(heap, info.allocationSize)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  const VkResult result = m_vk.AllocateMemory(m_device, &info, nullptr, memory);
  if (result == VK_SUCCESS) ++m_allocations;
  return result;
}

void Device::free(VkDeviceMemory memory) {
  if (!memory) return;
  m_vk.FreeMemory(m_device, memory, nullptr);
  --m_allocations;
}

VkDeviceSize Device::texelAlignment(VkDeviceSize texelBytes) const {
  // VkBufferViewCreateInfo, offset-02749 to -02751; a Vulkan 1.3 device has the feature texelBufferAlignment.
  const VkPhysicalDeviceTexelBufferAlignmentProperties& p = m_texelAlignment;
  const auto least = [&](VkDeviceSize bytes, VkBool32 single) {
    return single ? std::min(bytes, texelBytes) : bytes;
  };
  return std::max(
      least(p.storageTexelBufferOffsetAlignmentBytes, p.storageTexelBufferOffsetSingleTexelAlignment),
      least(p.uniformTexelBufferOffsetAlignmentBytes, p.uniformTexelBufferOffsetSingleTexelAlignment));
}

bool Device::fits(const VkImageCreateInfo& image) const {
  const ImageKind kind{image.format, image.imageType, image.tiling,
                       image.usage,  image.flags,     image.pNext != nullptr};
  const auto isIt = [&](const auto& entry) { return entry.first == kind; };
  auto known = std::find_if(m_imageKinds.begin(), m_imageKinds.end(), isIt);
  if (known == m_imageKinds.end()) {
    VkPhysicalDeviceImageFormatInfo2 info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2, image.pNext};
    info.format = image.format;
    info.type = image.imageType;
    info.tiling = image.tiling;
    info.usage = image.usage;
    info.flags = image.flags;
    VkImageFormatProperties2 props{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    std::optional<VkImageFormatProperties> said;
    if (m_instance.vk().GetPhysicalDeviceImageFormatProperties2(m_physical, &info, &props) == VK_SUCCESS)
      said = props.imageFormatProperties;
    known = m_imageKinds.emplace(m_imageKinds.end(), kind, said);
  }
  if (!known->second) return false;
  const VkImageFormatProperties& most = *known->second;
  return image.extent.width <= most.maxExtent.width && image.extent.height <= most.maxExtent.height &&
         image.extent.depth <= most.maxExtent.depth && (image.samples & most.sampleCounts) != 0 &&
         image.mipLevels <= most.maxMipLevels && image.arrayLayers <= most.maxArrayLayers;
}

void Device::name(VkObjectType type, uint64_t handle, const char* name) const {
  if (!m_instance.validation() || !m_vk.SetDebugUtilsObjectNameEXT) return;
  VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
  info.objectType = type;
  info.objectHandle = handle;
  info.pObjectName = name;
  m_vk.SetDebugUtilsObjectNameEXT(m_device, &info);
}

Error Device::fail(VkResult result, const char* what) {
  if (result == VK_ERROR_DEVICE_LOST) markLost();
  return vkError(result, what);
}

}  // namespace aerogpu::vk
