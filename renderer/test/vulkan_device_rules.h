// SPDX-License-Identifier: MIT
// The part of the Vulkan double that plays a profile's device: reports its abilities, keeps its memory types
// (non-coherent memory is a copy until it is flushed or invalidated), and notes every call that passes its
// limits, which the validation layer below cannot know. Test code; any thread.
#pragma once

#include <string>
#include <vector>

#include "renderer/test/vulkan_profiles.h"

namespace aerogpu::test {

/// Returns a replacement for `real`, the loader's function of that name; `real` itself if there is nothing to
/// play.
PFN_vkVoidFunction playInstance(PFN_vkGetInstanceProcAddr get, VkInstance instance, const char* name,
                                PFN_vkVoidFunction real);
/// Returns a replacement for a function of a device, likewise.
PFN_vkVoidFunction playDevice(const char* name, PFN_vkVoidFunction real);

/// Returns what a GPU is played as; null: the driver's own.
const DeviceProfile* profileOf(VkPhysicalDevice gpu);
/// True if a profile is played whose device does not have this extension, nor a version that it is part of.
bool deviceLacks(const char* extension);
/// Notes a new device of a GPU.
void noteDevice(VkDevice device, VkPhysicalDevice gpu);

/// True if a device's own version does not have the command: it has it under an extension's name, or not at
/// all. That it was asked for is a broken rule.
bool isTooNew(VkDevice device, const char* name);
/// Looks at what a device is made with.
void checkDevice(VkPhysicalDevice gpu, const VkDeviceCreateInfo& info);
/// Takes one more extension from all devices that play a profile; "": none.
void hideExtension(const char* name);

/// Leaves all devices that play a profile, together, so many bytes of heap 0, as if other programs had the
/// rest; 0: all of it. `hasBudget`: the devices of later instances say so (VK_EXT_memory_budget).
void limitHeap(VkDeviceSize bytes, bool hasBudget = false);
/// Returns how many allocations the heaps had no room for since limitHeap().
int heapRefusals();
/// Returns the bytes of living allocations in heap 0.
VkDeviceSize heapBytes();

/// Returns the rules broken since the last call.
std::vector<std::string> takeBrokenRules();
/// Returns the most bytes of a VkBuffer, with those that the driver adds, that lay outside of its part bound
/// as vertices, since the last call.
VkDeviceSize takeBytesBesideVertices();
/// Returns the bytes of living allocations in memory that is not the device's own.
VkDeviceSize bytesOffDevice();

}  // namespace aerogpu::test
