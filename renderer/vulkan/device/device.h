// SPDX-License-Identifier: MIT
// The logical device, its queue, what it can do, and its function table. Shared by all of renderer/vulkan.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/vulkan/device/functions.h"
#include "renderer/vulkan/device/instance.h"

namespace aerogpu::vk {

/// What imported host memory is used for.
inline constexpr VkBufferUsageFlags kHostImportUsage =
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

/// What the device offers beyond Vulkan 1.3. A missing item has a fallback where it is used.
struct DeviceCaps {
  bool dynamicVertexInput = false;  ///< VK_EXT_vertex_input_dynamic_state
  bool dynamicBlend = false;        ///< blend enable, equation and write mask of EDS3
  bool dynamicPolygonMode = false;
  bool dynamicDepthClamp = false;  ///< depth clamp and depth clip enable
  bool dynamicSampleMask = false;
  bool depthClipEnable = false;  ///< VK_EXT_depth_clip_enable
  bool bresenhamLines = false;
  bool customBorderColor = false;
  bool nullDescriptor = false;
  bool robustAccess2 = false;
  bool instanceDivisor = false, zeroDivisor = false;
  bool pushDescriptor = false;
  /// Of pointers and sizes of host memory that is imported for transfers; 0 when there is none of that.
  uint64_t hostImportAlignment = 0;
  bool depthClamp = false, fillModeNonSolid = false, wideLines = false, largePoints = false;
  bool samplerAnisotropy = false, mirrorClampToEdge = false, blockCompression = false;
  bool clipDistance = false, dualSourceBlend = false;
  bool d24s8 = false;  ///< else D32_SFLOAT_S8_UINT stands in
  bool a1r5g5b5 = false;
  bool a4r4g4b4 = false, a2r10g10b10 = false, r4g4 = false;  ///< sampled; else others stand in
  bool borderColorSwizzle = false;      ///< VK_EXT_border_color_swizzle: border colours of swizzled views
  bool borderSwizzleFromImage = false;  ///< and samplers need not say how those are swizzled
  /// What lies out of range reads as anything in the VkBuffer, and may be written there: robustBufferAccess2
  /// is missing (Vulkan 1.3, "robustBufferAccess"), or vkCmdBindVertexBuffers2's pSizes bound nothing.
  bool boundByBuffers = false;
  bool triangleFans = true;
  bool demoteToHelper = false;
  bool exactOcclusion = false;     ///< occlusion queries count; else they say whether there was any sample
  bool floatDepthBias = false;     ///< VK_EXT_depth_bias_control: a bias is added as it is
  bool exactDepthBias = false;     ///< and never scaled
  bool unrestrictedDepth = false;  ///< VK_EXT_depth_range_unrestricted: viewports may leave [0, 1]
  float maxAnisotropy = 1;
  float pointSizeMin = 1, pointSizeMax = 1;
};

/// Owned by the back end. Queue submission is the render thread's; the rest is immutable after creation.
class Device {
public:
  static std::unique_ptr<Device> create(const Instance& instance, VkPhysicalDevice physical,
                                        std::string& error);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceTable& vk() const { return m_vk; }
  VkDevice handle() const { return m_device; }
  VkQueue queue() const { return m_queue; }
  uint32_t queueFamily() const { return m_family; }
  const DeviceCaps& caps() const { return m_caps; }
  const VkPhysicalDeviceProperties& properties() const { return m_properties; }
  const VkPhysicalDeviceLimits& limits() const { return m_properties.limits; }
  /// The driver's name and version, for people.
  const std::string& driver() const { return m_driver; }
  const VkPhysicalDeviceMemoryProperties& memory() const { return m_memory; }
  /// Largest VkBuffer in bytes.
  VkDeviceSize maxBufferSize() const { return m_properties13.maxBufferSize; }
  /// What the offset of a buffer view with texels of that size is a multiple of.
  VkDeviceSize texelAlignment(VkDeviceSize texelBytes) const;
  /// Whether such an image can be created, and in that size. Render thread, as formatFeatures().
  bool fits(const VkImageCreateInfo& image) const;

  /// vkAllocateMemory, refused where it is not allowed: past the heap's size or the number of allocations.
  VkResult allocate(const VkMemoryAllocateInfo& info, VkDeviceMemory* memory);
  void free(VkDeviceMemory memory);
  VkFormatFeatureFlags2 formatFeatures(VkFormat format) const;
  VkFormatFeatureFlags2 bufferFormatFeatures(VkFormat format) const;

  /// Shown by validation messages and tools; a no-op without the validation layer.
  void name(VkObjectType type, uint64_t handle, const char* name) const;

  /// Any thread: the device is gone until recover().
  void markLost() { m_lost.store(true, std::memory_order_release); }
  bool lost() const { return m_lost.load(std::memory_order_acquire); }
  /// Any thread: the same, and it may still be working: nothing that it uses may be destroyed.
  void markHung() {
    m_hung.store(true, std::memory_order_release);
    markLost();
  }
  bool hung() const { return m_hung.load(std::memory_order_acquire); }
  /// Notes a lost device on the way from a VkResult to an Error.
  Error fail(VkResult result, const char* what);

private:
  Device(const Instance& instance, VkPhysicalDevice physical) : m_instance(instance), m_physical(physical) {}

  const Instance& m_instance;
  VkPhysicalDevice m_physical;
  DeviceTable m_vk;
  VkDevice m_device = VK_NULL_HANDLE;
  VkQueue m_queue = VK_NULL_HANDLE;
  uint32_t m_family = 0;
  DeviceCaps m_caps;
  VkPhysicalDeviceProperties m_properties{};
  std::string m_driver;
  VkPhysicalDeviceVulkan13Properties m_properties13{};
  VkPhysicalDeviceMemoryProperties m_memory{};
  uint32_t m_allocations = 0;  ///< of device memory; render thread only
  /// What the driver said of images of a kind, which textures are made of one after the other; a few for each
  /// format.
  struct ImageKind {
    VkFormat format;
    VkImageType type;
    VkImageTiling tiling;
    VkImageUsageFlags usage;
    VkImageCreateFlags flags;
    bool listed;  ///< with VkImageFormatListCreateInfo, which follows from the format
    bool operator==(const ImageKind&) const = default;
  };
  mutable std::vector<std::pair<ImageKind, std::optional<VkImageFormatProperties>>> m_imageKinds;
  mutable std::vector<std::pair<VkFormat, VkFormatFeatureFlags2>> m_formatFeatures;
  std::atomic<bool> m_lost{false}, m_hung{false};
};

}  // namespace aerogpu::vk
