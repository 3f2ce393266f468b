// SPDX-License-Identifier: MIT
// Loads the tables of functions.h.
#include "renderer/vulkan/device/functions.h"

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

DeviceTable loadDeviceTable(const InstanceTable& instance, VkDevice device) {
  DeviceTable table;
#define AEROGPU_VK_LOAD(name) \
  table.name = reinterpret_cast<PFN_vk##name>(instance.GetDeviceProcAddr(device, "vk" #name));
  AEROGPU_VK_DEVICE_FUNCTIONS(AEROGPU_VK_LOAD)
#undef AEROGPU_VK_LOAD
  return table;
}

}  // namespace aerogpu::vk
