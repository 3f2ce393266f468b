// SPDX-License-Identifier: MIT
// A Vulkan device, and the buffers and images that plain Vulkan programs make on it: common to the
// yardsticks.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>

namespace aerogpu::bench {

/// Ends the process with a message if Vulkan fails: there is nothing to measure then.
void need(VkResult result, const char* what);

/// The format of most images, and of all targets.
inline constexpr VkFormat kDirectFormat = VK_FORMAT_B8G8R8A8_UNORM;

struct DirectBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint8_t* mapped = nullptr;
};

struct DirectImage {
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
  uint32_t width = 0, height = 0;
};

/// The first GPU, and one queue of it. One thread.
class DirectDevice {
public:
  DirectDevice();
  ~DirectDevice();
  DirectDevice(const DirectDevice&) = delete;
  DirectDevice& operator=(const DirectDevice&) = delete;

  DirectImage createImage(uint32_t width, uint32_t height, VkImageUsageFlags usage,
                          VkFormat format = kDirectFormat);
  void destroyImage(DirectImage& image);
  const char* deviceName() const { return m_properties.deviceName; }

protected:
  /// Creates a buffer that stays mapped.
  DirectBuffer createBuffer(VkDeviceSize size, VkBufferUsageFlags usage);
  void destroyBuffer(DirectBuffer& buffer);
  VkShaderModule module(std::span<const uint32_t> words);
  /// Draws triangles to one image; later ones cover earlier ones or, `blended`, are mixed with them by alpha.
  /// Viewport and scissor are dynamic.
  VkPipeline createPipeline(VkShaderModule vertex, VkShaderModule fragment,
                            const VkPipelineVertexInputStateCreateInfo& input, VkPipelineLayout layout,
                            bool blended);
  /// Returns a set in which nothing is written yet.
  VkDescriptorSet allocateSet(VkDescriptorPool pool, VkDescriptorSetLayout layout);
  /// Returns a set whose binding 0 is the image, for shaders to sample.
  VkDescriptorSet createTextureSet(VkDescriptorPool pool, VkDescriptorSetLayout layout, VkImageView view,
                                   VkSampler sampler);
  uint32_t memoryType(uint32_t bits, VkMemoryPropertyFlags flags) const;
  static void barrier(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to);

  VkInstance m_instance = VK_NULL_HANDLE;
  VkPhysicalDevice m_gpu = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties m_properties{};
  VkPhysicalDeviceMemoryProperties m_memory{};
  VkDevice m_device = VK_NULL_HANDLE;
  VkQueue m_queue = VK_NULL_HANDLE;
};

/// A device with one command buffer, whose end is waited for.
class DirectCommands : public DirectDevice {
public:
  DirectCommands();
  ~DirectCommands();
  DirectCommands(const DirectCommands&) = delete;
  DirectCommands& operator=(const DirectCommands&) = delete;

protected:
  void begin();
  void submitAndWait();

  VkCommandPool m_pool = VK_NULL_HANDLE;
  VkCommandBuffer m_commands = VK_NULL_HANDLE;
  VkFence m_fence = VK_NULL_HANDLE;
};

}  // namespace aerogpu::bench
