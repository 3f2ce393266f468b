// SPDX-License-Identifier: MIT
// Extensions that drivers offer but the Vulkan headers of Debian 12 (1.3.239) do not declare. Names and
// numbers: the Vulkan registry, VK_EXT_depth_bias_control (extension 284).
#pragma once

#include <vulkan/vulkan.h>

#ifndef VK_EXT_depth_bias_control
#define VK_EXT_depth_bias_control 1
#define VK_EXT_DEPTH_BIAS_CONTROL_EXTENSION_NAME "VK_EXT_depth_bias_control"
constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_BIAS_CONTROL_FEATURES_EXT =
    static_cast<VkStructureType>(1000283000);
constexpr auto VK_STRUCTURE_TYPE_DEPTH_BIAS_INFO_EXT = static_cast<VkStructureType>(1000283001);
constexpr auto VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT =
    static_cast<VkStructureType>(1000283002);

enum VkDepthBiasRepresentationEXT : uint32_t {
  VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORMAT_EXT = 0,
  VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORCE_UNORM_EXT = 1,
  VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT = 2,
};
struct VkPhysicalDeviceDepthBiasControlFeaturesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 depthBiasControl;
  VkBool32 leastRepresentableValueForceUnormRepresentation;
  VkBool32 floatRepresentation;
  VkBool32 depthBiasExact;
};
struct VkDepthBiasInfoEXT {
  VkStructureType sType;
  const void* pNext;
  float depthBiasConstantFactor;
  float depthBiasClamp;
  float depthBiasSlopeFactor;
};
struct VkDepthBiasRepresentationInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkDepthBiasRepresentationEXT depthBiasRepresentation;
  VkBool32 depthBiasExact;
};
using PFN_vkCmdSetDepthBias2EXT = void(VKAPI_PTR*)(VkCommandBuffer commands, const VkDepthBiasInfoEXT* info);
#endif
