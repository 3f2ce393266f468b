// SPDX-License-Identifier: MIT
// Instance creation and device choice (see instance.h).
#include "renderer/vulkan/device/instance.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <vector>

#include "renderer/vulkan/device/features.h"
#include "renderer/vulkan/device/vk_result.h"

namespace aerogpu::vk {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

bool hasValidationLayer(const GlobalTable& vk) {
  uint32_t count = 0;
  vk.EnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vk.EnumerateInstanceLayerProperties(&count, layers.data());
  return std::any_of(layers.begin(), layers.end(), [](const VkLayerProperties& layer) {
    return std::strcmp(layer.layerName, kValidationLayer) == 0;
  });
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// A colour output without an attachment is discarded, an output that is not written is undefined (Vulkan
/// 1.3, "Fragment Output Interface"), as in Direct3D, whose programs rely on it. Layers of 1.3.239 warn about
/// the format of the missing attachment, those of 1.4 about the output; they also miss writes in functions
/// that vkd3d-shader makes.
bool isAboutOutputs(const VkDebugUtilsMessengerCallbackDataEXT& data) {
  if (!data.pMessageIdName || !data.pMessage) return false;
  if (std::strstr(data.pMessageIdName, "Shader-InterfaceTypeMismatch"))
    return std::strstr(data.pMessage, "VK_FORMAT_UNDEFINED") != nullptr;
  return std::strstr(data.pMessageIdName, "ShaderOutputNotConsumed") ||
         std::strstr(data.pMessageIdName, "OutputNotWritten");
}

/// A layer of 1.3.239 says this of the structures in newer_extensions.h, which it does not know.
bool isAboutNewerStructures(const VkDebugUtilsMessengerCallbackDataEXT& data) {
  return data.pMessage && std::strstr(data.pMessage, "unknown VkStructureType (1000283");
}

int rank(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

std::unique_ptr<Instance> Instance::create(bool validation, Log& log, std::string& error,
                                           bool synchronization) {
  const GlobalTable global = loadGlobalTable();
  uint32_t version = 0;
  if (!global.EnumerateInstanceVersion || global.EnumerateInstanceVersion(&version) != VK_SUCCESS ||
      version < VK_API_VERSION_1_1) {
    error = "the Vulkan loader does not know Vulkan 1.1";
    return nullptr;
  }
  if (validation && !hasValidationLayer(global)) {
    error = "VK_LAYER_KHRONOS_validation is not installed";
    return nullptr;
  }
  std::unique_ptr<Instance> self(new Instance(log));

  VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = &Instance::onMessage;
  messenger.pUserData = self.get();
  const VkValidationFeatureEnableEXT enables[] = {
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  VkValidationFeaturesEXT features{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, &messenger};
  features.enabledValidationFeatureCount = synchronization ? 1 : 0;
  features.pEnabledValidationFeatures = enables;

  VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  app.pApplicationName = "aerogpu";
  app.apiVersion = VK_API_VERSION_1_3;  // the most that is used; devices may have less (features.h)
  const char* const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                    VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &app;
  if (validation) {
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kValidationLayer;
    info.enabledExtensionCount = 2;
    info.ppEnabledExtensionNames = extensions;
  }
  VkResult result = global.CreateInstance(&info, nullptr, &self->m_instance);
  if (result != VK_SUCCESS) {
    // The loader has several results for no driver, or for none that can be loaded.
    error = std::string("no Vulkan driver can be loaded (vkCreateInstance: ") + resultName(result) + ")";
    return nullptr;
  }
  self->m_vk = loadInstanceTable(self->m_instance);
  if (validation) {
    result =
        self->m_vk.CreateDebugUtilsMessengerEXT(self->m_instance, &messenger, nullptr, &self->m_messenger);
    if (result != VK_SUCCESS) {
      error = std::string("vkCreateDebugUtilsMessengerEXT: ") + resultName(result);
      return nullptr;
    }
  }
  return self;
}

Instance::~Instance() {
  if (m_messenger) m_vk.DestroyDebugUtilsMessengerEXT(m_instance, m_messenger, nullptr);
  if (m_instance) m_vk.DestroyInstance(m_instance, nullptr);
}

VKAPI_ATTR VkBool32 VKAPI_CALL Instance::onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                   VkDebugUtilsMessageTypeFlagsEXT,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* data,
                                                   void* user) {
  if (isAboutOutputs(*data) || isAboutNewerStructures(*data)) return VK_FALSE;
  // Bypasses the rate limit: a user who asks for validation wants every message.
  static_cast<Instance*>(user)->m_log.pass(AEROGPU_LOG_ERROR, std::string("validation: ") + data->pMessage);
  return VK_FALSE;
}

VkPhysicalDevice Instance::choose(const std::string& wanted, std::string& error) const {
  uint32_t count = 0;
  m_vk.EnumeratePhysicalDevices(m_instance, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  m_vk.EnumeratePhysicalDevices(m_instance, &count, devices.data());
  devices.resize(count);

  const bool byIndex =
      !wanted.empty() && wanted.size() < 4 &&
      std::all_of(wanted.begin(), wanted.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  std::string names;
  VkPhysicalDevice best = VK_NULL_HANDLE;
  int bestRank = -1;
  for (uint32_t i = 0; i < count; ++i) {
    VkPhysicalDeviceProperties2 props{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    m_vk.GetPhysicalDeviceProperties2(devices[i], &props);
    names += (i ? ", " : "") + std::to_string(i) + " = " + props.properties.deviceName;
    if (const std::string lacks = DeviceFeatures(m_vk, devices[i]).lacks(); !lacks.empty()) {
      names += " (" + lacks + ")";
      continue;
    }
    if (byIndex && i != static_cast<uint32_t>(std::stoul(wanted))) continue;
    if (!byIndex && !wanted.empty() &&
        lower(props.properties.deviceName).find(lower(wanted)) == std::string::npos)
      continue;
    const int r = rank(props.properties.deviceType);
    if (r > bestRank) {
      best = devices[i];
      bestRank = r;
    }
  }
  if (!best) {
    if (count == 0)
      error = "no Vulkan device on this host";
    else if (wanted.empty())
      error = "no Vulkan device of this host can be used: " + names;
    else
      error = "no Vulkan device matches \"" + wanted + "\" (" + names + ")";
  }
  return best;
}

}  // namespace aerogpu::vk
