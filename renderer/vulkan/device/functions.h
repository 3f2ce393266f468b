// SPDX-License-Identifier: MIT
// Vulkan's entry points as tables: one row per function, loaded with vkGetInstanceProcAddr and
// vkGetDeviceProcAddr so that calls go straight to the driver. All of renderer/vulkan uses them.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include "renderer/vulkan/device/newer_extensions.h"

namespace aerogpu::vk {

#define AEROGPU_VK_GLOBAL_FUNCTIONS(F) \
  F(CreateInstance)                    \
  F(EnumerateInstanceVersion)          \
  F(EnumerateInstanceLayerProperties)  \
  F(EnumerateInstanceExtensionProperties)

#define AEROGPU_VK_INSTANCE_FUNCTIONS(F)       \
  F(DestroyInstance)                           \
  F(EnumeratePhysicalDevices)                  \
  F(GetPhysicalDeviceProperties2)              \
  F(GetPhysicalDeviceFeatures2)                \
  F(GetPhysicalDeviceQueueFamilyProperties2)   \
  F(GetPhysicalDeviceMemoryProperties2)        \
  F(GetPhysicalDeviceFormatProperties2)        \
  F(GetPhysicalDeviceImageFormatProperties2)   \
  F(GetPhysicalDeviceExternalBufferProperties) \
  F(EnumerateDeviceExtensionProperties)        \
  F(CreateDevice)                              \
  F(GetDeviceProcAddr)                         \
  F(CreateDebugUtilsMessengerEXT)              \
  F(DestroyDebugUtilsMessengerEXT)

// Functions of extensions may be null; callers check DeviceCaps first.
#define AEROGPU_VK_DEVICE_FUNCTIONS(F)  \
  F(DestroyDevice)                      \
  F(GetDeviceQueue)                     \
  F(DeviceWaitIdle)                     \
  F(QueueSubmit2)                       \
  F(AllocateMemory)                     \
  F(FreeMemory)                         \
  F(MapMemory)                          \
  F(InvalidateMappedMemoryRanges)       \
  F(CreateBuffer)                       \
  F(DestroyBuffer)                      \
  F(GetBufferMemoryRequirements2)       \
  F(BindBufferMemory2)                  \
  F(CreateBufferView)                   \
  F(DestroyBufferView)                  \
  F(CreateImage)                        \
  F(DestroyImage)                       \
  F(GetImageMemoryRequirements2)        \
  F(BindImageMemory2)                   \
  F(CreateImageView)                    \
  F(DestroyImageView)                   \
  F(CreateSampler)                      \
  F(DestroySampler)                     \
  F(CreateSemaphore)                    \
  F(DestroySemaphore)                   \
  F(WaitSemaphores)                     \
  F(GetSemaphoreCounterValue)           \
  F(CreateCommandPool)                  \
  F(DestroyCommandPool)                 \
  F(ResetCommandPool)                   \
  F(AllocateCommandBuffers)             \
  F(BeginCommandBuffer)                 \
  F(EndCommandBuffer)                   \
  F(CreateShaderModule)                 \
  F(DestroyShaderModule)                \
  F(CreatePipelineCache)                \
  F(DestroyPipelineCache)               \
  F(GetPipelineCacheData)               \
  F(CreatePipelineLayout)               \
  F(DestroyPipelineLayout)              \
  F(CreateGraphicsPipelines)            \
  F(CreateComputePipelines)             \
  F(DestroyPipeline)                    \
  F(CreateDescriptorSetLayout)          \
  F(DestroyDescriptorSetLayout)         \
  F(CreateDescriptorPool)               \
  F(DestroyDescriptorPool)              \
  F(ResetDescriptorPool)                \
  F(AllocateDescriptorSets)             \
  F(UpdateDescriptorSets)               \
  F(CmdPipelineBarrier2)                \
  F(CmdBeginRendering)                  \
  F(CmdEndRendering)                    \
  F(CmdBindPipeline)                    \
  F(CmdBindDescriptorSets)              \
  F(CmdPushConstants)                   \
  F(CmdBindVertexBuffers2)              \
  F(CmdBindIndexBuffer)                 \
  F(CmdDraw)                            \
  F(CmdDrawIndexed)                     \
  F(CmdDispatch)                        \
  F(CmdBindTransformFeedbackBuffersEXT) \
  F(CmdBeginTransformFeedbackEXT)       \
  F(CmdEndTransformFeedbackEXT)         \
  F(CmdDrawIndirectByteCountEXT)        \
  F(CmdClearAttachments)                \
  F(CmdClearColorImage)                 \
  F(CmdClearDepthStencilImage)          \
  F(CreateQueryPool)                    \
  F(DestroyQueryPool)                   \
  F(CmdResetQueryPool)                  \
  F(CmdBeginQuery)                      \
  F(CmdEndQuery)                        \
  F(CmdWriteTimestamp2)                 \
  F(CmdCopyQueryPoolResults)            \
  F(CmdFillBuffer)                      \
  F(CmdCopyBuffer2)                     \
  F(CmdCopyImage2)                      \
  F(CmdResolveImage2)                   \
  F(CmdBlitImage2)                      \
  F(CmdCopyBufferToImage2)              \
  F(CmdCopyImageToBuffer2)              \
  F(CmdSetViewportWithCount)            \
  F(CmdSetScissorWithCount)             \
  F(CmdSetCullMode)                     \
  F(CmdSetFrontFace)                    \
  F(CmdSetPrimitiveTopology)            \
  F(CmdSetPrimitiveRestartEnable)       \
  F(CmdSetDepthTestEnable)              \
  F(CmdSetDepthWriteEnable)             \
  F(CmdSetDepthCompareOp)               \
  F(CmdSetStencilTestEnable)            \
  F(CmdSetStencilOp)                    \
  F(CmdSetStencilCompareMask)           \
  F(CmdSetStencilWriteMask)             \
  F(CmdSetStencilReference)             \
  F(CmdSetDepthBiasEnable)              \
  F(CmdSetDepthBias)                    \
  F(CmdSetDepthBias2EXT)                \
  F(CmdSetBlendConstants)               \
  F(CmdPushDescriptorSetKHR)            \
  F(CmdSetVertexInputEXT)               \
  F(CmdSetColorBlendEnableEXT)          \
  F(CmdSetColorBlendEquationEXT)        \
  F(CmdSetColorWriteMaskEXT)            \
  F(CmdSetPolygonModeEXT)               \
  F(CmdSetDepthClampEnableEXT)          \
  F(CmdSetDepthClipEnableEXT)           \
  F(CmdSetSampleMaskEXT)                \
  F(GetMemoryHostPointerPropertiesEXT)  \
  F(SetDebugUtilsObjectNameEXT)

#define AEROGPU_VK_MEMBER(name) PFN_vk##name name = nullptr;
struct GlobalTable {
  AEROGPU_VK_GLOBAL_FUNCTIONS(AEROGPU_VK_MEMBER)
};
struct InstanceTable {
  AEROGPU_VK_INSTANCE_FUNCTIONS(AEROGPU_VK_MEMBER)
};
struct DeviceTable {
  AEROGPU_VK_DEVICE_FUNCTIONS(AEROGPU_VK_MEMBER)
};
#undef AEROGPU_VK_MEMBER

/// Loads the loader's functions that need no instance.
GlobalTable loadGlobalTable();
InstanceTable loadInstanceTable(VkInstance instance);
/// `version`: of the device. Before 1.3 many functions have only the names of their extensions.
DeviceTable loadDeviceTable(const InstanceTable& instance, VkDevice device, uint32_t version);

}  // namespace aerogpu::vk
