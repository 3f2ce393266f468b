// SPDX-License-Identifier: MIT
// The part of the Vulkan double that plays a profile's device: reports what it offers, keeps its memory types
// (non-coherent memory is a copy until it is flushed or invalidated), and notes every call that goes past its
// limits, which the validation layer below cannot know. Test code; any thread.
#pragma once

#include <string>
#include <vector>

#include "renderer/test/vulkan_profiles.h"

namespace aerogpu::test {

/// Instead of `real`, which is the loader's function of that name; `real` where nothing is to be played.
PFN_vkVoidFunction playInstance(PFN_vkGetInstanceProcAddr get, VkInstance instance, const char* name,
                                PFN_vkVoidFunction real);
/// The same for functions of a device.
PFN_vkVoidFunction playDevice(const char* name, PFN_vkVoidFunction real);

/// Rules broken since the last call.
std::vector<std::string> takeBrokenRules();
/// The most bytes of a VkBuffer, with what the driver adds to it, that lay beside the part of it that was
/// bound as vertices since the last call.
VkDeviceSize takeBytesBesideVertices();
/// Device memory alive in memory that is not the device's own, in bytes.
VkDeviceSize bytesOffDevice();

}  // namespace aerogpu::test
