// SPDX-License-Identifier: MIT
// Features and extensions that are enabled, and what the renderer can do with them. Used while a device is
// created.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "renderer/vulkan/device/device_caps.h"
#include "renderer/vulkan/device/functions.h"

namespace aerogpu::vk {

/// The extensions that a device has.
class DeviceExtensions {
public:
  DeviceExtensions(const InstanceTable& vk, VkPhysicalDevice device);
  bool has(const char* name) const {
    for (const VkExtensionProperties& e : m_present)
      if (std::strcmp(e.extensionName, name) == 0) return true;
    return false;
  }

private:
  std::vector<VkExtensionProperties> m_present;
};

/// A chain of feature structures of those extensions that exist. What is part of a later version is in the
/// structure of its extension too: newer devices know it (Vulkan 1.3, "Features"), and it may not be chained
/// beside VkPhysicalDeviceVulkan12Features or 13Features (VkDeviceCreateInfo, 02830 and 06532).
struct FeatureChain {
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
  VkPhysicalDeviceSynchronization2Features synchronization2{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES};
  VkPhysicalDeviceDynamicRenderingFeatures dynamicRendering{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES};
  VkPhysicalDeviceMaintenance4Features maintenance4{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES};
  VkPhysicalDeviceImageRobustnessFeatures imageRobustness{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES};
  // Vulkan 1.3 has these without a feature.
  VkPhysicalDeviceExtendedDynamicStateFeaturesEXT eds{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT};
  VkPhysicalDeviceExtendedDynamicState2FeaturesEXT eds2{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT};
  VkPhysicalDeviceTexelBufferAlignmentFeaturesEXT texelAlignment{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_FEATURES_EXT};
  VkPhysicalDevice4444FormatsFeaturesEXT formats4444{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_4444_FORMATS_FEATURES_EXT};
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
  VkPhysicalDeviceTransformFeedbackFeaturesEXT streams{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT};

  /// `version`: as DeviceFeatures::version().
  FeatureChain(const DeviceExtensions& ext, uint32_t version) {
    m_tail = &core.pNext;
    const auto linkPart = [&](uint32_t since, const char* name, auto& features) {
      if (version >= since)
        append(features);
      else
        link(ext, name, features);
    };
    linkPart(VK_API_VERSION_1_2, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME, timeline);
    linkPart(VK_API_VERSION_1_3, VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME, synchronization2);
    linkPart(VK_API_VERSION_1_3, VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME, dynamicRendering);
    linkPart(VK_API_VERSION_1_3, VK_KHR_MAINTENANCE_4_EXTENSION_NAME, maintenance4);
    linkPart(VK_API_VERSION_1_3, VK_EXT_IMAGE_ROBUSTNESS_EXTENSION_NAME, imageRobustness);
    if (version < VK_API_VERSION_1_3) {
      link(ext, VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME, eds);
      link(ext, VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME, eds2);
      link(ext, VK_EXT_TEXEL_BUFFER_ALIGNMENT_EXTENSION_NAME, texelAlignment);
      link(ext, VK_EXT_4444_FORMATS_EXTENSION_NAME, formats4444);
    } else {
      eds.extendedDynamicState = eds2.extendedDynamicState2 = VK_TRUE;
      texelAlignment.texelBufferAlignment = formats4444.formatA4R4G4B4 = VK_TRUE;
    }
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
    link(ext, VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME, streams);
  }
  FeatureChain(const FeatureChain&) = delete;
  FeatureChain& operator=(const FeatureChain&) = delete;

private:
  template <class T>
  void link(const DeviceExtensions& ext, const char* name, T& features) {
    if (ext.has(name)) append(features);
  }
  template <class T>
  void append(T& features) {
    *m_tail = &features;
    m_tail = &features.pNext;
  }
  void** m_tail;
};

class DeviceFeatures {
public:
  DeviceFeatures(const InstanceTable& vk, VkPhysicalDevice physical);

  /// Returns the device's Vulkan version, at most 1.3: VK_API_VERSION_1_3 or another.
  uint32_t version() const { return m_version; }
  /// Returns all that makes the device unfit, as a text to follow its name; empty if it is fit.
  std::string lacks();
  /// Chooses all useful features that the device has, and notes in `caps` what they make possible.
  void choose(DeviceCaps& caps);
  /// For VkDeviceCreateInfo, after choose().
  const VkPhysicalDeviceFeatures2& chosen() const { return m_chosen.core; }
  const std::vector<const char*>& extensions() const { return m_enabled; }
  bool enabled(const char* extension) const;
  /// True if the device has what the extension brings: it is enabled, or part of the device's version.
  bool uses(const char* extension, uint32_t since) const { return m_version >= since || enabled(extension); }

private:
  /// Enables the extension if the device has it; else returns false.
  bool enable(const char* extension);

  const uint32_t m_version;
  const DeviceExtensions m_extensions;
  FeatureChain m_there, m_chosen;
  std::vector<const char*> m_enabled;
};

}  // namespace aerogpu::vk
