// SPDX-License-Identifier: MIT
// Features and extensions that are enabled, and what the renderer can do with them. Used while a device is
// created.
#pragma once

#include <cstring>
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

  explicit FeatureChain(const DeviceExtensions& ext) {
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
  void link(const DeviceExtensions& ext, const char* name, T& features) {
    if (!ext.has(name)) return;
    *m_tail = &features;
    m_tail = &features.pNext;
  }
  void** m_tail;
};

class DeviceFeatures {
public:
  DeviceFeatures(const InstanceTable& vk, VkPhysicalDevice physical);

  /// Returns why the device is unfit, as a text to follow its name; null if it is fit.
  const char* lacks() const;
  /// Chooses all useful features that the device has, and notes in `caps` what they make possible.
  void choose(DeviceCaps& caps);
  /// For VkDeviceCreateInfo, after choose().
  const VkPhysicalDeviceFeatures2& chosen() const { return m_chosen.core; }
  const std::vector<const char*>& extensions() const { return m_enabled; }
  bool enabled(const char* extension) const;

private:
  /// Enables the extension if the device has it; else returns false.
  bool enable(const char* extension);

  const DeviceExtensions m_extensions;
  FeatureChain m_there, m_chosen;
  std::vector<const char*> m_enabled;
};

}  // namespace aerogpu::vk
