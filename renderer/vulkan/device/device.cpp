// SPDX-License-Identifier: MIT
// Device creation: features are asked for as far as they exist (see DeviceCaps).
#include "renderer/vulkan/device/device.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "renderer/vulkan/device/vk_result.h"

namespace aerogpu::vk {
namespace {

/// The device's extensions, and the list of those to enable.
class Extensions {
public:
  Extensions(const InstanceTable& vk, VkPhysicalDevice device) {
    uint32_t count = 0;
    vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
    m_present.resize(count);
    vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, m_present.data());
  }
  bool has(const char* name) const {
    for (const VkExtensionProperties& e : m_present)
      if (std::strcmp(e.extensionName, name) == 0) return true;
    return false;
  }
  void enable(const char* name) { m_enabled.push_back(name); }
  const std::vector<const char*>& enabled() const { return m_enabled; }

private:
  std::vector<VkExtensionProperties> m_present;
  std::vector<const char*> m_enabled;
};

/// A chain of feature structures of those extensions that exist.
struct FeatureChain {
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT vertexInput{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT};
  VkPhysicalDeviceExtendedDynamicState3FeaturesEXT eds3{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT};
  VkPhysicalDeviceDepthClipEnableFeaturesEXT depthClip{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT};
  VkPhysicalDeviceDepthBiasControlFeaturesEXT depthBias{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_BIAS_CONTROL_FEATURES_EXT, nullptr, 0, 0, 0, 0};
  VkPhysicalDeviceDepthClampZeroOneFeaturesEXT zeroOne{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLAMP_ZERO_ONE_FEATURES_EXT};
  VkPhysicalDeviceLineRasterizationFeaturesEXT lines{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT};
  VkPhysicalDeviceCustomBorderColorFeaturesEXT border{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT};
  VkPhysicalDeviceBorderColorSwizzleFeaturesEXT borderSwizzle{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BORDER_COLOR_SWIZZLE_FEATURES_EXT};
  VkPhysicalDeviceRobustness2FeaturesEXT robustness{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
  VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT divisor{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT};

  explicit FeatureChain(const Extensions& ext) {
    core.pNext = &v11;
    v11.pNext = &v12;
    v12.pNext = &v13;
    m_tail = &v13.pNext;
    link(ext, VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME, vertexInput);
    link(ext, VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME, eds3);
    link(ext, VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME, depthClip);
    link(ext, VK_EXT_DEPTH_BIAS_CONTROL_EXTENSION_NAME, depthBias);
    link(ext, VK_EXT_DEPTH_CLAMP_ZERO_ONE_EXTENSION_NAME, zeroOne);
    link(ext, VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME, lines);
    link(ext, VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME, border);
    link(ext, VK_EXT_BORDER_COLOR_SWIZZLE_EXTENSION_NAME, borderSwizzle);
    link(ext, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, robustness);
    link(ext, VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME, divisor);
  }
  FeatureChain(const FeatureChain&) = delete;
  FeatureChain& operator=(const FeatureChain&) = delete;

private:
  template <class T>
  void link(const Extensions& ext, const char* name, T& features) {
    if (!ext.has(name)) return;
    *m_tail = &features;
    m_tail = &features.pNext;
  }
  void** m_tail;
};

/// 0 when buffers on imported host memory are not to be had, or only with an allocation dedicated to each.
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

}  // namespace

std::unique_ptr<Device> Device::create(const Instance& instance, VkPhysicalDevice physical,
                                       std::string& error) {
  const InstanceTable& ivk = instance.vk();
  std::unique_ptr<Device> self(new Device(instance, physical));

  VkPhysicalDeviceVulkan13Properties v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
  VkPhysicalDeviceVulkan12Properties v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
  v13.pNext = &v12;
  VkPhysicalDeviceProperties2 props{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &v13};
  ivk.GetPhysicalDeviceProperties2(physical, &props);
  self->m_driver = v12.driverName;
  if (v12.driverInfo[0]) self->m_driver += std::string(" ") + v12.driverInfo;
  self->m_properties = props.properties;
  self->m_properties13 = v13;
  self->m_properties13.pNext = nullptr;
  VkPhysicalDeviceMemoryProperties2 memory{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  ivk.GetPhysicalDeviceMemoryProperties2(physical, &memory);
  self->m_memory = memory.memoryProperties;

  uint32_t familyCount = 0;
  ivk.GetPhysicalDeviceQueueFamilyProperties2(physical, &familyCount, nullptr);
  std::vector<VkQueueFamilyProperties2> families(familyCount, {VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2});
  ivk.GetPhysicalDeviceQueueFamilyProperties2(physical, &familyCount, families.data());
  constexpr VkQueueFlags kNeeded = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  while (self->m_family < familyCount &&
         (families[self->m_family].queueFamilyProperties.queueFlags & kNeeded) != kNeeded)
    ++self->m_family;
  if (self->m_family == familyCount) {
    error = std::string(props.properties.deviceName) + " has no queue for graphics and compute";
    return nullptr;
  }

  Extensions ext(ivk, physical);
  FeatureChain have(ext), want(ext);
  ivk.GetPhysicalDeviceFeatures2(physical, &have.core);
  if (!have.v12.timelineSemaphore || !have.v13.dynamicRendering || !have.v13.synchronization2) {
    error = std::string(props.properties.deviceName) + " lacks mandatory features of Vulkan 1.3";
    return nullptr;
  }
  // Direct3D 9's colour write masks differ by target, and no blend state could stand in for that.
  if (!have.core.features.independentBlend) {
    error = std::string(props.properties.deviceName) + " cannot blend each target on its own";
    return nullptr;
  }
  want.v12.timelineSemaphore = want.v13.dynamicRendering = want.v13.synchronization2 = VK_TRUE;
  want.v13.maintenance4 = have.v13.maintenance4;

  DeviceCaps& caps = self->m_caps;
  const auto take = [](VkBool32& wanted, VkBool32 there) {
    wanted = there;
    return there == VK_TRUE;
  };
  const VkPhysicalDeviceFeatures& f = have.core.features;
  VkPhysicalDeviceFeatures& w = want.core.features;
  take(w.robustBufferAccess, f.robustBufferAccess);
  take(w.fullDrawIndexUint32, f.fullDrawIndexUint32);
  take(w.imageCubeArray, f.imageCubeArray);
  take(w.geometryShader, f.geometryShader);  // for topologies with adjacency
  w.independentBlend = VK_TRUE;
  caps.dualSourceBlend = take(w.dualSrcBlend, f.dualSrcBlend);
  caps.depthClamp = take(w.depthClamp, f.depthClamp);
  caps.exactOcclusion = take(w.occlusionQueryPrecise, f.occlusionQueryPrecise);
  caps.fillModeNonSolid = take(w.fillModeNonSolid, f.fillModeNonSolid);
  caps.largePoints = take(w.largePoints, f.largePoints);
  caps.samplerAnisotropy = take(w.samplerAnisotropy, f.samplerAnisotropy);
  caps.blockCompression = take(w.textureCompressionBC, f.textureCompressionBC);
  caps.clipDistance = take(w.shaderClipDistance, f.shaderClipDistance);
  take(w.shaderCullDistance, f.shaderCullDistance);
  take(w.vertexPipelineStoresAndAtomics, f.vertexPipelineStoresAndAtomics);
  take(w.fragmentStoresAndAtomics, f.fragmentStoresAndAtomics);
  take(w.shaderImageGatherExtended, f.shaderImageGatherExtended);
  take(w.shaderStorageImageReadWithoutFormat, f.shaderStorageImageReadWithoutFormat);
  take(w.shaderStorageImageWriteWithoutFormat, f.shaderStorageImageWriteWithoutFormat);
  take(w.shaderFloat64, f.shaderFloat64);
  take(w.sampleRateShading, f.sampleRateShading);
  caps.mirrorClampToEdge = take(want.v12.samplerMirrorClampToEdge, have.v12.samplerMirrorClampToEdge);
  caps.demoteToHelper =
      take(want.v13.shaderDemoteToHelperInvocation, have.v13.shaderDemoteToHelperInvocation);
  take(want.v13.robustImageAccess, have.v13.robustImageAccess);

  if (have.vertexInput.vertexInputDynamicState) {
    ext.enable(VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME);
    want.vertexInput.vertexInputDynamicState = VK_TRUE;
    caps.dynamicVertexInput = true;
  }
  if (ext.has(VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME)) {
    ext.enable(VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME);
    const auto& e = have.eds3;
    auto& x = want.eds3;
    if (e.extendedDynamicState3ColorBlendEnable && e.extendedDynamicState3ColorBlendEquation &&
        e.extendedDynamicState3ColorWriteMask) {
      x.extendedDynamicState3ColorBlendEnable = x.extendedDynamicState3ColorBlendEquation =
          x.extendedDynamicState3ColorWriteMask = VK_TRUE;
      caps.dynamicBlend = true;
    }
    caps.dynamicPolygonMode = take(x.extendedDynamicState3PolygonMode, e.extendedDynamicState3PolygonMode);
    caps.dynamicSampleMask = take(x.extendedDynamicState3SampleMask, e.extendedDynamicState3SampleMask);
    if (e.extendedDynamicState3DepthClampEnable && e.extendedDynamicState3DepthClipEnable &&
        have.depthClip.depthClipEnable && caps.depthClamp) {
      x.extendedDynamicState3DepthClampEnable = x.extendedDynamicState3DepthClipEnable = VK_TRUE;
      caps.dynamicDepthClamp = true;
    }
  }
  if (have.depthClip.depthClipEnable) {
    ext.enable(VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME);
    want.depthClip.depthClipEnable = VK_TRUE;
    caps.depthClipEnable = true;
  }
  if (have.depthBias.depthBiasControl && have.depthBias.floatRepresentation) {
    ext.enable(VK_EXT_DEPTH_BIAS_CONTROL_EXTENSION_NAME);
    want.depthBias.depthBiasControl = want.depthBias.floatRepresentation = VK_TRUE;
    caps.floatDepthBias = true;
    caps.exactDepthBias = take(want.depthBias.depthBiasExact, have.depthBias.depthBiasExact);
  } else if (ext.has(VK_EXT_DEPTH_RANGE_UNRESTRICTED_EXTENSION_NAME)) {
    ext.enable(VK_EXT_DEPTH_RANGE_UNRESTRICTED_EXTENSION_NAME);
    caps.unrestrictedDepth = true;
  }
  if (have.zeroOne.depthClampZeroOne) {  // a bias that leads past 1 ends there, in float formats too
    ext.enable(VK_EXT_DEPTH_CLAMP_ZERO_ONE_EXTENSION_NAME);
    want.zeroOne.depthClampZeroOne = VK_TRUE;
  }
  if (have.lines.bresenhamLines) {
    ext.enable(VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME);
    want.lines.bresenhamLines = VK_TRUE;
    caps.bresenhamLines = true;
  }
  if (have.border.customBorderColors && have.border.customBorderColorWithoutFormat) {
    ext.enable(VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME);
    want.border.customBorderColors = want.border.customBorderColorWithoutFormat = VK_TRUE;
    caps.customBorderColor = true;
    if (have.borderSwizzle.borderColorSwizzle) {  // the extension requires the one before it
      ext.enable(VK_EXT_BORDER_COLOR_SWIZZLE_EXTENSION_NAME);
      caps.borderColorSwizzle = true;
      want.borderSwizzle.borderColorSwizzle = VK_TRUE;
      caps.borderSwizzleFromImage = take(want.borderSwizzle.borderColorSwizzleFromImage,
                                         have.borderSwizzle.borderColorSwizzleFromImage);
    }
  }
  if (ext.has(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME)) {
    ext.enable(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME);
    if (f.robustBufferAccess)
      caps.robustAccess2 = take(want.robustness.robustBufferAccess2, have.robustness.robustBufferAccess2);
    caps.nullDescriptor = take(want.robustness.nullDescriptor, have.robustness.nullDescriptor);
  }
  // lavapipe 22.3 forgets vertex buffers' sizes; what other versions do is not asked.
  caps.boundByBuffers = !caps.robustAccess2 || v12.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
  if (have.divisor.vertexAttributeInstanceRateDivisor) {
    ext.enable(VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME);
    want.divisor.vertexAttributeInstanceRateDivisor = VK_TRUE;
    caps.instanceDivisor = true;
    caps.zeroDivisor = take(want.divisor.vertexAttributeInstanceRateZeroDivisor,
                            have.divisor.vertexAttributeInstanceRateZeroDivisor);
  }
  if (ext.has(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME)) {
    ext.enable(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
    caps.pushDescriptor = true;
  }
  if (ext.has(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
    ext.enable(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    caps.hostImportAlignment = hostImportAlignment(ivk, physical);
  }
  // A portability device says which features it lacks; only triangle fans matter here.
  // VK_KHR_portability_subset.
  if (ext.has("VK_KHR_portability_subset")) {
    ext.enable("VK_KHR_portability_subset");
    caps.triangleFans = false;
  }
  caps.maxAnisotropy = props.properties.limits.maxSamplerAnisotropy;
  if (caps.largePoints) {  // else 1 is the only size (Vulkan 1.3, "Features", largePoints)
    caps.pointSizeMin = props.properties.limits.pointSizeRange[0];
    caps.pointSizeMax = props.properties.limits.pointSizeRange[1];
  }
  caps.d24s8 = (self->formatFeatures(VK_FORMAT_D24_UNORM_S8_UINT) &
                VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT) != 0;
  const auto samples = [&](VkFormat format) {
    return (self->formatFeatures(format) & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT) != 0;
  };
  caps.a1r5g5b5 = samples(VK_FORMAT_A1R5G5B5_UNORM_PACK16);
  caps.a4r4g4b4 = samples(VK_FORMAT_A4R4G4B4_UNORM_PACK16);
  caps.a2r10g10b10 = samples(VK_FORMAT_A2R10G10B10_UNORM_PACK32);
  caps.r4g4 = samples(VK_FORMAT_R4G4_UNORM_PACK8);

  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueFamilyIndex = self->m_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &want.core};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(ext.enabled().size());
  info.ppEnabledExtensionNames = ext.enabled().data();
  const VkResult result = ivk.CreateDevice(physical, &info, nullptr, &self->m_device);
  if (result != VK_SUCCESS) {
    error = std::string(props.properties.deviceName) + ": vkCreateDevice: " + resultName(result);
    return nullptr;
  }
  self->m_vk = loadDeviceTable(ivk, self->m_device);
  self->m_vk.GetDeviceQueue(self->m_device, self->m_family, 0, &self->m_queue);
  return self;
}

Device::~Device() {
  if (!m_device) return;
  m_vk.DeviceWaitIdle(m_device);
  m_vk.DestroyDevice(m_device, nullptr);
}

VkFormatFeatureFlags2 Device::formatFeatures(VkFormat format) const {
  for (const auto& [known, features] : m_formatFeatures)
    if (known == format) return features;
  VkFormatProperties3 props3{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
  VkFormatProperties2 props{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &props3};
  m_instance.vk().GetPhysicalDeviceFormatProperties2(m_physical, format, &props);
  m_formatFeatures.emplace_back(format, props3.optimalTilingFeatures);
  return props3.optimalTilingFeatures;
}

VkFormatFeatureFlags2 Device::bufferFormatFeatures(VkFormat format) const {
  VkFormatProperties3 props3{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
  VkFormatProperties2 props{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &props3};
  m_instance.vk().GetPhysicalDeviceFormatProperties2(m_physical, format, &props);
  return props3.bufferFeatures;
}

VkResult Device::allocate(const VkMemoryAllocateInfo& info, VkDeviceMemory* memory) {
  const uint32_t heap = m_memory.memoryTypes[info.memoryTypeIndex].heapIndex;
  if (info.allocationSize > m_memory.memoryHeaps[heap].size) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  if (m_allocations >= limits().maxMemoryAllocationCount) return VK_ERROR_TOO_MANY_OBJECTS;
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
  const VkPhysicalDeviceVulkan13Properties& p = m_properties13;
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
