// SPDX-License-Identifier: MIT
// aerogpu_list_vulkan_devices(): tries each device as the back end would.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "aerogpu/vulkan_devices.h"
#include "renderer/vulkan/device/device.h"
#include "renderer/vulkan/device/instance.h"

namespace aerogpu::vk {
namespace {

const char* kindOf(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete GPU";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated GPU";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual GPU";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "CPU";
    default:
      return "other device";
  }
}

std::vector<VkPhysicalDevice> devicesOf(const Instance& instance) {
  uint32_t count = 0;
  instance.vk().EnumeratePhysicalDevices(instance.handle(), &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  instance.vk().EnumeratePhysicalDevices(instance.handle(), &count, devices.data());
  devices.resize(count);
  return devices;
}

/// Returns why the back end cannot run on a device; empty if it can.
std::string whyUnfit(const Instance& instance, VkPhysicalDevice physical,
                     const VkPhysicalDeviceProperties& properties) {
  std::string error;
  if (Device::create(instance, physical, error)) return {};
  // The list shows the name, with which the message begins, anyway.
  if (error.starts_with(properties.deviceName)) error.erase(0, std::strlen(properties.deviceName));
  return error.erase(0, std::min(error.find_first_not_of(": "), error.size()));
}

}  // namespace
}  // namespace aerogpu::vk

extern "C" bool aerogpu_list_vulkan_devices(void (*each)(void* opaque, const aerogpu_vulkan_device* device),
                                            void* opaque, char* error, size_t error_size) {
  using namespace aerogpu;
  Log silent([](void*, enum aerogpu_log_level, const char*) {}, nullptr);
  std::string text, ignored;
  const auto instance = vk::Instance::create(false, silent, text);
  const auto devices = instance ? vk::devicesOf(*instance) : std::vector<VkPhysicalDevice>();
  if (instance && devices.empty()) text = "no Vulkan device on this host";
  if (devices.empty()) {
    if (error && error_size) std::snprintf(error, error_size, "%s", text.c_str());
    return false;
  }
  const VkPhysicalDevice chosen = instance->choose("", ignored);
  for (size_t i = 0; i < devices.size(); ++i) {
    VkPhysicalDeviceProperties2 props{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    instance->vk().GetPhysicalDeviceProperties2(devices[i], &props);
    const std::string unfit = vk::whyUnfit(*instance, devices[i], props.properties);
    aerogpu_vulkan_device device{};
    device.struct_size = sizeof device;
    device.index = static_cast<uint32_t>(i);
    device.name = props.properties.deviceName;
    device.kind = vk::kindOf(props.properties.deviceType);
    device.unfit = unfit.empty() ? nullptr : unfit.c_str();
    device.chosen = devices[i] == chosen;
    each(opaque, &device);
  }
  return true;
}
