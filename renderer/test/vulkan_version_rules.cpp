// SPDX-License-Identifier: MIT
// What a version of Vulkan does not have: commands and structures of later ones.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "renderer/test/vulkan_device_rules.h"
#include "renderer/test/vulkan_played.h"

namespace aerogpu::test {
namespace played {

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

}  // namespace played

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
  const DeviceProfile* const profile = played::playedAs(device);
  if (!profile || profile->version == 0) return false;
  const auto isOneOf = [&](const auto& names) {
    return std::any_of(std::begin(names), std::end(names),
                       [&](const char* each) { return std::strcmp(each, name) == 0; });
  };
  const bool tooNew = (profile->version < VK_API_VERSION_1_2 && isOneOf(k12)) ||
                      (profile->version < VK_API_VERSION_1_3 && isOneOf(k13));
  played::checkNow(!tooNew, name);
  return tooNew;
}

}  // namespace aerogpu::test
