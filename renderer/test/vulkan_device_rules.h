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
/// Notes a new device of a GPU.
void noteDevice(VkDevice device, VkPhysicalDevice gpu);

/// Returns the rules broken since the last call.
std::vector<std::string> takeBrokenRules();
/// Returns the most bytes of a VkBuffer, with those that the driver adds, that lay outside of its part bound
/// as vertices, since the last call.
VkDeviceSize takeBytesBesideVertices();
/// Returns the bytes of living allocations in memory that is not the device's own.
VkDeviceSize bytesOffDevice();

}  // namespace aerogpu::test
