// SPDX-License-Identifier: MIT
// The table of vulkan_profiles.h. Sources: Vulkan 1.3, "Limits", table "Required Limits" (bare); Mesa's
// radv_physical_device.c (amd) and anv_device.c for chips whose GPU does not share the processor's cache
// (atom); vulkan.gpuinfo.org, GeForce with the 470 driver (nvidia); Mesa 23's vulkan_hasvk/anv_device.c for
// Ivy Bridge and Haswell, which have Vulkan 1.2 (old12), and that at 1.1 without any part of a later version
// that the back end can do without (old). Host-visible device memory is so small
// that tests fill it.
#include "renderer/test/vulkan_profiles.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace aerogpu::test {
namespace {

template <class T>
void atMost(T& value, T limit) {
  value = std::min(value, limit);
}
template <class T>
void atLeast(T& value, T limit) {
  value = std::max(value, limit);
}

void alignments(VkPhysicalDeviceLimits& l, VkDeviceSize uniform, VkDeviceSize texel, VkDeviceSize atom) {
  atLeast(l.minUniformBufferOffsetAlignment, uniform);
  atLeast(l.minStorageBufferOffsetAlignment, uniform);
  atLeast(l.minTexelBufferOffsetAlignment, texel);
  atLeast(l.nonCoherentAtomSize, atom);
}

void requiredLimits(VkPhysicalDeviceLimits& l) {
  alignments(l, 256, 256, 256);
  atMost(l.maxImageDimension2D, 4096u);
  atMost(l.maxImageDimensionCube, 4096u);
  atMost(l.maxImageArrayLayers, 256u);
  atMost(l.maxTexelBufferElements, 65536u);
  atMost(l.maxUniformBufferRange, 16384u);
  atMost(l.maxPushConstantsSize, 128u);
  atMost(l.maxMemoryAllocationCount, 4096u);
  atMost(l.maxSamplerAllocationCount, 4000u);
  atLeast(l.bufferImageGranularity, VkDeviceSize{131072});
  atMost(l.maxBoundDescriptorSets, 4u);
  atMost(l.maxPerStageDescriptorSamplers, 16u);
  atMost(l.maxPerStageDescriptorUniformBuffers, 12u);
  atMost(l.maxPerStageDescriptorStorageBuffers, 4u);
  atMost(l.maxPerStageDescriptorSampledImages, 16u);
  atMost(l.maxPerStageDescriptorStorageImages, 4u);
  atMost(l.maxPerStageResources, 128u);
  atMost(l.maxVertexInputAttributes, 16u);
  atMost(l.maxVertexInputBindings, 16u);
  atMost(l.maxVertexInputAttributeOffset, 2047u);
  atMost(l.maxVertexInputBindingStride, 2048u);
  atMost(l.maxFragmentOutputAttachments, 4u);
  atMost(l.maxColorAttachments, 4u);
  for (uint32_t& count : l.maxComputeWorkGroupCount) atMost(count, 65535u);
  atMost(l.maxSamplerLodBias, 2.0f);
  atMost(l.maxSamplerAnisotropy, 1.0f);
  for (uint32_t& size : l.maxViewportDimensions) atMost(size, 4096u);
  l.viewportBoundsRange[0] = std::max(l.viewportBoundsRange[0], -8192.0f);
  l.viewportBoundsRange[1] = std::min(l.viewportBoundsRange[1], 8191.0f);
  atMost(l.maxFramebufferWidth, 4096u);
  atMost(l.maxFramebufferHeight, 4096u);
  l.pointSizeRange[0] = l.pointSizeRange[1] = 1;
  l.timestampComputeAndGraphics = VK_FALSE;
}

void amdLimits(VkPhysicalDeviceLimits& l) {
  alignments(l, 4, 4, 64);
  atMost(l.maxImageDimension2D, 16384u);
  atMost(l.maxSamplerLodBias, 16.0f);
  atMost(l.maxPushConstantsSize, 256u);
}

void nvidiaLimits(VkPhysicalDeviceLimits& l) {
  alignments(l, 256, 16, 64);
  atLeast(l.bufferImageGranularity, VkDeviceSize{1024});
  atMost(l.maxUniformBufferRange, 65536u);
  atMost(l.maxPushConstantsSize, 256u);
  atMost(l.maxMemoryAllocationCount, 4096u);
  atMost(l.maxSamplerAllocationCount, 4000u);
  atMost(l.maxSamplerLodBias, 15.0f);
}

void atomLimits(VkPhysicalDeviceLimits& l) {
  alignments(l, 64, 16, 64);
  atMost(l.maxImageDimension2D, 16384u);
  atMost(l.maxSamplerLodBias, 16.0f);
  atMost(l.maxPushConstantsSize, 128u);
}

void hasvkLimits(VkPhysicalDeviceLimits& l) {
  alignments(l, 64, 16, 64);
  atMost(l.maxImageDimension2D, 16384u);
  atMost(l.maxSamplerLodBias, 16.0f);
  atMost(l.maxPushConstantsSize, 128u);
}

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                kCoherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                                kUncachedAmd = VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD |
                                               VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;
constexpr VkQueueFlags kAll = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;

constexpr VkDeviceSize kTwoHeaps[] = {2048 * kMiB, 2048 * kMiB};
constexpr VkDeviceSize kDiscreteHeaps[] = {2048 * kMiB, 2048 * kMiB, 16 * kMiB};
constexpr VkDeviceSize kOneHeap[] = {2048 * kMiB};

constexpr DeviceProfile::MemoryType kBareTypes[] = {{kLocal, 0}, {kHost | kCoherent, 1}};
constexpr DeviceProfile::MemoryType kAmdTypes[] = {
    {kLocal | kUncachedAmd, 0},      {kLocal, 0},
    {kHost | kCoherent, 1},          {kLocal | kHost | kCoherent | kUncachedAmd, 2},
    {kLocal | kHost | kCoherent, 2}, {kHost | kCoherent | kCached, 1}};
constexpr DeviceProfile::MemoryType kNvidiaTypes[] = {{0, 1},
                                                      {kLocal, 0},
                                                      {kHost | kCoherent, 1},
                                                      {kHost | kCoherent | kCached, 1},
                                                      {kLocal | kHost | kCoherent, 2}};
constexpr DeviceProfile::MemoryType kAtomTypes[] = {{kLocal | kHost | kCoherent, 0},
                                                    {kLocal | kHost | kCached, 0}};
constexpr DeviceProfile::MemoryType kHasvkTypes[] = {{kLocal | kHost | kCoherent | kCached, 0}};

constexpr VkQueueFlags kGraphicsLast[] = {VK_QUEUE_TRANSFER_BIT, VK_QUEUE_COMPUTE_BIT, kAll};
constexpr VkQueueFlags kGraphicsFirst[] = {kAll, VK_QUEUE_TRANSFER_BIT, VK_QUEUE_COMPUTE_BIT};
constexpr VkQueueFlags kOneFamily[] = {kAll};

constexpr const char* kNoDepthBiasControl[] = {"VK_EXT_depth_bias_control",
                                               "VK_EXT_vertex_input_dynamic_state"};
constexpr const char* kNoHostImport[] = {"VK_EXT_external_memory_host", "VK_EXT_depth_bias_control"};
constexpr const char* kNotInHasvk[] = {"VK_EXT_border_color_swizzle",    "VK_EXT_custom_border_color",
                                       "VK_EXT_depth_bias_control",      "VK_EXT_depth_range_unrestricted",
                                       "VK_EXT_extended_dynamic_state3", "VK_EXT_vertex_input_dynamic_state"};
constexpr const char* kNotInOld[] = {"VK_EXT_border_color_swizzle",
                                     "VK_EXT_custom_border_color",
                                     "VK_EXT_depth_bias_control",
                                     "VK_EXT_depth_range_unrestricted",
                                     "VK_EXT_extended_dynamic_state3",
                                     "VK_EXT_vertex_input_dynamic_state",
                                     "VK_EXT_4444_formats",
                                     "VK_EXT_texel_buffer_alignment",
                                     "VK_KHR_driver_properties",
                                     "VK_KHR_format_feature_flags2",
                                     "VK_KHR_image_format_list",
                                     "VK_KHR_sampler_mirror_clamp_to_edge",
                                     "VK_EXT_host_query_reset",
                                     "VK_EXT_separate_stencil_usage",
                                     "VK_KHR_separate_depth_stencil_layouts"};
constexpr VkFormat kNo4444[] = {VK_FORMAT_A4R4G4B4_UNORM_PACK16, VK_FORMAT_A4B4G4R4_UNORM_PACK16};
constexpr VkFormat kNoD24[] = {VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_X8_D24_UNORM_PACK32};

constexpr DeviceProfile kProfiles[] = {
    {"bare",
     VK_PHYSICAL_DEVICE_TYPE_OTHER,
     true,
     {},
     {},
     requiredLimits,
     kTwoHeaps,
     kBareTypes,
     0b11,
     0b01,
     kGraphicsLast,
     2},
    {"amd", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, false, kNoDepthBiasControl, kNoD24, amdLimits,
     kDiscreteHeaps, kAmdTypes, 0b111111, 0b111111, kGraphicsFirst, 0},
    {"nvidia",
     VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     false,
     {},
     {},
     nvidiaLimits,
     kDiscreteHeaps,
     kNvidiaTypes,
     0b11111,
     0b00011,
     kGraphicsFirst,
     0},
    {"atom",
     VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
     false,
     kNoHostImport,
     {},
     atomLimits,
     kOneHeap,
     kAtomTypes,
     0b11,
     0b11,
     kOneFamily,
     0},
    {"old", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, false, kNotInOld, kNo4444, hasvkLimits, kOneHeap,
     kHasvkTypes, 0b1, 0b1, kOneFamily, 0, VK_API_VERSION_1_1},
    {"old12",
     VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
     false,
     kNotInHasvk,
     {},
     hasvkLimits,
     kOneHeap,
     kHasvkTypes,
     0b1,
     0b1,
     kOneFamily,
     0,
     VK_API_VERSION_1_2},
};

}  // namespace

static const DeviceProfile* profileNamed(const char* name) {
  for (const DeviceProfile& profile : kProfiles)
    if (name && std::strcmp(profile.name, name) == 0) return &profile;
  return nullptr;
}

static std::atomic<const DeviceProfile*>& chosenProfile() {
  static std::atomic<const DeviceProfile*> profile = profileNamed(std::getenv(kDeviceVariable));
  return profile;
}

const DeviceProfile* deviceProfile() {
  return chosenProfile().load();
}

void playProfile(const char* name) {
  chosenProfile().store(profileNamed(name));
}

}  // namespace aerogpu::test
