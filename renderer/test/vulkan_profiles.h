// SPDX-License-Identifier: MIT
// Abilities and limits of absent GPUs: the devices that the Vulkan double can play. Test code.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>

namespace aerogpu::test {

/// The environment variable that names a profile. Read once.
inline constexpr const char* kDeviceVariable = "AEROGPU_TEST_DEVICE";

struct DeviceProfile {
  struct MemoryType {
    VkMemoryPropertyFlags flags;
    uint32_t heap;
  };
  const char* name;
  VkPhysicalDeviceType type;
  /// Only the features and formats that Vulkan 1.3 requires, and no extension.
  bool requiredOnly;
  std::span<const char* const> hiddenExtensions;
  std::span<const VkFormat> hiddenFormats;
  /// Lowers the driver's limits, never raises them.
  void (*limit)(VkPhysicalDeviceLimits& limits);
  std::span<const VkDeviceSize> heaps;  ///< bytes; heap 0 is the device's own
  std::span<const MemoryType> types;
  uint32_t bufferTypes, imageTypes;        ///< memory type bits
  std::span<const VkQueueFlags> families;  ///< queue families
  uint32_t graphicsFamily;                 ///< the one that is the driver's first
  /// Of Vulkan; 0: the driver's. What came later the device has as extensions only.
  uint32_t version = 0;
};

/// Returns the profile that was asked for; null: the unchanged driver.
const DeviceProfile* deviceProfile();
/// Has the GPUs of instances that are made from now on play another profile; "": the unchanged driver. Those
/// of older instances stay as they are.
void playProfile(const char* name);

}  // namespace aerogpu::test
