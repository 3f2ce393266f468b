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
#include "renderer/vulkan/device/device_caps.h"
#include "renderer/vulkan/device/functions.h"
#include "renderer/vulkan/device/instance.h"

namespace aerogpu::vk {

class DeviceFeatures;

/// The uses of buffers on imported host memory.
inline constexpr VkBufferUsageFlags kHostImportUsage =
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

/// Owned by the back end. The render thread submits to the queue, allocates memory and looks formats up; all
/// else but the lost state is immutable after creation.
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
  VkDriverId driverId() const { return m_driverId; }
  /// Returns the driver's name and version, for people.
  const std::string& driver() const { return m_driver; }
  const VkPhysicalDeviceMemoryProperties& memory() const { return m_memory; }
  /// Returns the size of the largest VkBuffer in bytes.
  VkDeviceSize maxBufferSize() const { return m_maxBufferSize; }
  /// Returns the alignment of offsets of buffer views with texels of that size.
  VkDeviceSize texelAlignment(VkDeviceSize texelBytes) const;
  /// True if such an image of that size can be created. Render thread, like formatFeatures().
  bool fits(const VkImageCreateInfo& image) const;

  /// Calls vkAllocateMemory unless that is not allowed (past the heap's size or the number of allocations),
  /// or would take what the driver leaves to other programs (VK_EXT_memory_budget).
  VkResult allocate(const VkMemoryAllocateInfo& info, VkDeviceMemory* memory);
  void free(VkDeviceMemory memory);
  /// Without those features that only the 64 bits of VkFormatProperties3 can express.
  VkFormatFeatureFlags formatFeatures(VkFormat format) const;
  VkFormatFeatureFlags bufferFormatFeatures(VkFormat format) const;

  /// Names an object for validation messages and tools; does nothing without the validation layer.
  void name(VkObjectType type, uint64_t handle, const char* name) const;

  /// Notes that the device is lost, until recover(). Any thread.
  void markLost() { m_lost.store(true, std::memory_order_release); }
  bool lost() const { return m_lost.load(std::memory_order_acquire); }
  /// Notes that it is lost and may still work: nothing that it uses may be destroyed. Any thread.
  void markHung() {
    m_hung.store(true, std::memory_order_release);
    markLost();
  }
  bool hung() const { return m_hung.load(std::memory_order_acquire); }
  /// Makes an Error of a VkResult, and notes a lost device.
  Error fail(VkResult result, const char* what);

private:
  Device(const Instance& instance, VkPhysicalDevice physical) : m_instance(instance), m_physical(physical) {}
  // The steps of create(), in this order.
  void readProperties(const DeviceFeatures& features);
  /// Finds a family for graphics and compute; false if there is none.
  bool findQueueFamily();
  /// Finds capabilities that do not follow from features: of properties, formats and host memory.
  void findCaps(const DeviceFeatures& features);
  void findStreamLimits();
  VkResult open(const DeviceFeatures& features);
  /// True if the heap's budget has room for so many bytes more, as of now.
  bool isInBudget(uint32_t heap, VkDeviceSize bytes) const;

  const Instance& m_instance;
  VkPhysicalDevice m_physical;
  DeviceTable m_vk;
  VkDevice m_device = VK_NULL_HANDLE;
  VkQueue m_queue = VK_NULL_HANDLE;
  uint32_t m_family = 0;
  DeviceCaps m_caps;
  VkPhysicalDeviceProperties m_properties{};
  std::string m_driver;
  VkDriverId m_driverId{};
  VkDeviceSize m_maxBufferSize = 0;
  VkPhysicalDeviceTexelBufferAlignmentProperties m_texelAlignment{};
  VkPhysicalDeviceMemoryProperties m_memory{};
  bool m_hasBudget = false;    ///< VK_EXT_memory_budget
  uint32_t m_allocations = 0;  ///< of device memory; render thread only
  /// A kind of image. What the driver says of it is kept, since programs make many textures of one kind;
  /// there are a few kinds for each format.
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
  mutable std::vector<std::pair<VkFormat, VkFormatFeatureFlags>> m_formatFeatures;
  std::atomic<bool> m_lost{false}, m_hung{false};
};

}  // namespace aerogpu::vk
