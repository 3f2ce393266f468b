// SPDX-License-Identifier: MIT
// What the parts of the Vulkan double that plays a profile's device (vulkan_device_rules.h) have in common:
// the functions that they stand in for, what was noted, and how a broken rule is noted. Rules are cited by
// the member of VkPhysicalDeviceLimits, or the command, that states them in the Vulkan 1.3 specification.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "renderer/test/vulkan_profiles.h"

namespace aerogpu::test::played {

#define AEROGPU_PLAYED_INSTANCE(F)           \
  F(GetPhysicalDeviceProperties2)            \
  F(GetPhysicalDeviceFeatures2)              \
  F(GetPhysicalDeviceFormatProperties2)      \
  F(GetPhysicalDeviceImageFormatProperties2) \
  F(GetPhysicalDeviceMemoryProperties2)      \
  F(GetPhysicalDeviceQueueFamilyProperties2) \
  F(EnumerateDeviceExtensionProperties)
#define AEROGPU_PLAYED_DEVICE(F)       \
  F(GetDeviceQueue)                    \
  F(CreateCommandPool)                 \
  F(AllocateMemory)                    \
  F(FreeMemory)                        \
  F(MapMemory)                         \
  F(FlushMappedMemoryRanges)           \
  F(InvalidateMappedMemoryRanges)      \
  F(GetBufferMemoryRequirements2)      \
  F(GetImageMemoryRequirements2)       \
  F(GetMemoryHostPointerPropertiesEXT) \
  F(BindBufferMemory2)                 \
  F(BindImageMemory2)                  \
  F(CreateImage)                       \
  F(CreateBufferView)                  \
  F(CreateSampler)                     \
  F(DestroySampler)                    \
  F(CreateDescriptorSetLayout)         \
  F(CreatePipelineLayout)              \
  F(UpdateDescriptorSets)              \
  F(CmdBindDescriptorSets)             \
  F(CmdDispatch)
// Functions of Vulkan 1.3, and what ends their names before.
#define AEROGPU_PLAYED_RENAMED(F) \
  F(CmdBeginRendering, KHR)       \
  F(CmdSetViewportWithCount, EXT) \
  F(CmdBindVertexBuffers2, EXT)

struct Real {
#define F(name, ...) PFN_vk##name name = nullptr;
  AEROGPU_PLAYED_INSTANCE(F)
  AEROGPU_PLAYED_DEVICE(F)
  AEROGPU_PLAYED_RENAMED(F)
#undef F
};
inline Real real, realOld;  ///< realOld: those that were renamed, by their older names

/// What was noted. `mutex` guards all but what `gpusMutex` does; `limits` and `realType`, which are set when
/// a GPU is asked for them, are also used without it.
struct State {
  std::mutex mutex;
  std::vector<std::string> broken;
  std::string hiddenExtension;  ///< that no device has, besides those that a profile hides
  std::map<uint32_t, VkDeviceSize> heapUse;
  VkDeviceSize heapRoom = 0;  ///< of heap 0, for all devices; 0: all of it
  bool hasBudget = false;
  std::map<VkBuffer, VkDeviceSize> bufferBytes;  ///< of memory that is bound
  VkPhysicalDeviceLimits limits{};               ///< of the device that was asked for last
  uint32_t realType = 0;                         ///< the driver's memory type that all memory lies in

  std::mutex gpusMutex;  ///< of the two below
  /// What each is played as; null: the driver's own.
  std::map<VkPhysicalDevice, const DeviceProfile*> gpus;
  std::map<VkDevice, const DeviceProfile*> devices;
};
inline State state;

/// Returns what a device is played as; null: the driver's own.
const DeviceProfile* playedAs(VkDevice device);
/// True if a profile's device does not have the extension.
bool hides(const DeviceProfile& profile, const char* extension);
/// True if it does not have the format.
bool hidden(const DeviceProfile& profile, VkFormat format);

/// Notes a rule that is not kept. Call with the mutex held.
void check(bool kept, const char* rule);
void checkNow(bool kept, const char* rule);

template <class T>
T* find(void* chain, VkStructureType type) {
  for (auto* next = static_cast<VkBaseOutStructure*>(chain); next; next = next->pNext)
    if (next->sType == type) return reinterpret_cast<T*>(next);
  return nullptr;
}

/// Notes structures that a device of the profile's version does not know.
void checkChain(const DeviceProfile& profile, void* chain);

// The functions that are played, but the renamed ones.
#define F(name) std::remove_pointer_t<PFN_vk##name> name;  // NOLINT(bugprone-macro-parentheses)
AEROGPU_PLAYED_INSTANCE(F)
AEROGPU_PLAYED_DEVICE(F)
#undef F

}  // namespace aerogpu::test::played
