// SPDX-License-Identifier: MIT
// The Vulkan instance, the validation messenger, and the choice of a physical device. Created once per back
// end.
#pragma once

#include <memory>
#include <string>

#include "renderer/base/log.h"
#include "renderer/vulkan/device/functions.h"

namespace aerogpu::vk {

/// Owner: Backend, on its thread; messages of the validation layer may come from any thread.
class Instance {
public:
  /// Returns null and a message if there is no Vulkan loader, or no validation layer although it was
  /// asked for. `synchronization`: validation looks for missing barriers too, which makes small draws four
  /// times as slow.
  static std::unique_ptr<Instance> create(bool validation, Log& log, std::string& error,
                                          bool synchronization = true);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// Chooses by index, by part of the name (ignoring case), or the best for "": discrete, integrated,
  /// virtual, CPU. VK_NULL_HANDLE and a message, which says what each device lacks, if none is fit.
  VkPhysicalDevice choose(const std::string& wanted, std::string& error) const;

  const InstanceTable& vk() const { return m_vk; }
  VkInstance handle() const { return m_instance; }
  bool validation() const { return m_messenger != VK_NULL_HANDLE; }

private:
  explicit Instance(Log& log) : m_log(log) {}
  static VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                  VkDebugUtilsMessageTypeFlagsEXT types,
                                                  const VkDebugUtilsMessengerCallbackDataEXT* data,
                                                  void* user);

  Log& m_log;
  InstanceTable m_vk;
  VkInstance m_instance = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT m_messenger = VK_NULL_HANDLE;
};

}  // namespace aerogpu::vk
