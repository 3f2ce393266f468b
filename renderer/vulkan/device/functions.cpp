// SPDX-License-Identifier: MIT
// Loads the tables of functions.h.
#include "renderer/vulkan/device/functions.h"

#include <string>

extern "C" VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance,
                                                                          const char* name);

namespace aerogpu::vk {

GlobalTable loadGlobalTable() {
  GlobalTable table;
#define AEROGPU_VK_LOAD(name) \
  table.name = reinterpret_cast<PFN_vk##name>(vkGetInstanceProcAddr(VK_NULL_HANDLE, "vk" #name));
  AEROGPU_VK_GLOBAL_FUNCTIONS(AEROGPU_VK_LOAD)
#undef AEROGPU_VK_LOAD
  return table;
}

InstanceTable loadInstanceTable(VkInstance instance) {
  InstanceTable table;
#define AEROGPU_VK_LOAD(name) \
  table.name = reinterpret_cast<PFN_vk##name>(vkGetInstanceProcAddr(instance, "vk" #name));
  AEROGPU_VK_INSTANCE_FUNCTIONS(AEROGPU_VK_LOAD)
#undef AEROGPU_VK_LOAD
  return table;
}

static PFN_vkVoidFunction loadDeviceFunction(const InstanceTable& instance, VkDevice device, uint32_t version,
                                             const std::string& name) {
  // An older device answers to a later version's name with null or, by mistake, with anything. The suffix
  // of a function that was always part of Vulkan or of its extension finds nothing.
  if (version < VK_API_VERSION_1_3)
    for (const char* suffix : {"KHR", "EXT"})
      if (const auto found = instance.GetDeviceProcAddr(device, (name + suffix).c_str())) return found;
  return instance.GetDeviceProcAddr(device, name.c_str());
}

DeviceTable loadDeviceTable(const InstanceTable& instance, VkDevice device, uint32_t version) {
  DeviceTable table;
#define AEROGPU_VK_LOAD(name) \
  table.name = reinterpret_cast<PFN_vk##name>(loadDeviceFunction(instance, device, version, "vk" #name));
  AEROGPU_VK_DEVICE_FUNCTIONS(AEROGPU_VK_LOAD)
#undef AEROGPU_VK_LOAD
  return table;
}

}  // namespace aerogpu::vk
