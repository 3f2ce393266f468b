// SPDX-License-Identifier: MIT
// See vulkan_double.h. An answer here is always less than the driver's, so that the validation layer, which
// sits below, can still judge every call.
#include "renderer/test/vulkan_double.h"

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "renderer/test/vulkan_device_rules.h"
#include "renderer/vulkan/device/functions.h"

namespace aerogpu::test {
namespace {

std::atomic<Loss> g_next{Loss::None};
std::atomic<bool> g_lost{false}, g_refuse{false}, g_refuseImports{false}, g_old{false}, g_hang{false};
std::atomic<int> g_slowMs{-1};
std::atomic<int> g_imagesLeft{0}, g_imageFailures{0};
std::atomic<unsigned> g_hurry{0};
std::atomic<int> g_ranOut{0};
std::atomic<uint64_t> g_shortestSleep{UINT64_MAX};
std::atomic<int> g_devices{0}, g_imports{0}, g_batches{0}, g_passes{0}, g_looks{0};

struct Count {
  std::atomic<int> alive{0}, most{0};
};
Count g_counts[4];
Count& countOf(Counted kind) {
  return g_counts[static_cast<int>(kind)];
}

// The loader's entry points, which find the instance or device by the handle: they serve any number of both.
PFN_vkGetPhysicalDeviceProperties2 g_getProperties;
PFN_vkCreateDevice g_createDevice;
PFN_vkDestroyDevice g_destroyDevice;
PFN_vkGetDeviceProcAddr g_getDeviceProc;
PFN_vkCreateInstance g_createInstance;
// The second is what devices that are older than the function have.
PFN_vkQueueSubmit2 g_submit, g_submitOld;
PFN_vkWaitSemaphores g_wait, g_waitOld;
PFN_vkCmdBeginRendering g_beginRendering, g_beginRenderingOld;
PFN_vkGetMemoryHostPointerPropertiesEXT g_hostPointer;

VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2* out) {
  g_getProperties(device, out);
  if (g_old.load()) out->properties.apiVersion = VK_API_VERSION_1_0;
}

/// With a profile's version as the program's own, the driver and the validation layer take a device for one
/// of that version.
VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo* info,
                                              const VkAllocationCallbacks* callbacks, VkInstance* out) {
  const DeviceProfile* const profile = deviceProfile();
  if (!profile || profile->version == 0) return g_createInstance(info, callbacks, out);
  VkApplicationInfo app = *info->pApplicationInfo;
  app.apiVersion = profile->version;
  VkInstanceCreateInfo actual = *info;
  actual.pApplicationInfo = &app;
  return g_createInstance(&actual, callbacks, out);
}

VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* callbacks, VkDevice* out) {
  if (g_refuse.load()) return VK_ERROR_INITIALIZATION_FAILED;
  VkDeviceCreateInfo actual = *info;
  VkDeviceQueueCreateInfo queue = *info->pQueueCreateInfos;
  std::vector<const char*> extensions;
  if (profileOf(physical)) {  // the driver's first family represents the profile's
    queue.queueFamilyIndex = 0;
    actual.pQueueCreateInfos = &queue;
    // Played above the driver, which need not have it.
    extensions.assign(info->ppEnabledExtensionNames,
                      info->ppEnabledExtensionNames + info->enabledExtensionCount);
    std::erase_if(extensions, [](const char* name) {
      return std::strcmp(name, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME) == 0;
    });
    actual.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    actual.ppEnabledExtensionNames = extensions.data();
  }
  checkDevice(physical, *info);
  const VkResult result = g_createDevice(physical, &actual, callbacks, out);
  if (result == VK_SUCCESS) {
    noteDevice(*out, physical);
    g_devices.fetch_add(1);
    g_lost.store(false);
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL destroyDevice(VkDevice device, const VkAllocationCallbacks* callbacks) {
  g_destroyDevice(device, callbacks);
  g_devices.fetch_sub(1);
}

bool loses(Loss here) {
  if (Loss expected = here; g_next.compare_exchange_strong(expected, Loss::None)) g_lost.store(true);
  return g_lost.load();
}

template <PFN_vkQueueSubmit2& real>
VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo2* infos,
                                      VkFence fence) {
  g_batches.fetch_add(1);
  return loses(Loss::AtSubmit) ? VK_ERROR_DEVICE_LOST : real(queue, count, infos, fence);
}

/// Lets the work itself finish: a lost device ends its work in finite time (Vulkan 1.3, "Lost Device"), and
/// objects may be destroyed afterwards.
template <PFN_vkWaitSemaphores& real>
VKAPI_ATTR VkResult VKAPI_CALL wait(VkDevice device, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
  for (uint64_t known = g_shortestSleep.load();
       timeout != 0 && timeout < known && !g_shortestSleep.compare_exchange_weak(known, timeout);) {
  }
  if (g_hang.load()) return VK_TIMEOUT;
  if (timeout == 0) g_looks.fetch_add(1);
  if (const int ms = g_slowMs.load(); ms >= 0) {
    if (timeout == 0) return VK_TIMEOUT;
    if (ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  }
  if (g_hurry.load() != 0) timeout = 0;
  const VkResult result = real(device, info, timeout);
  if (result == VK_TIMEOUT && timeout != 0) g_ranOut.fetch_add(1);
  if (result == VK_TIMEOUT && timeout == 0 && g_hurry.load() != 0) g_hurry.fetch_sub(1);
  return loses(Loss::AtWait) ? VK_ERROR_DEVICE_LOST : result;
}

/// True if an image fails now.
bool failsImage() {
  if (g_imageFailures.load() == 0 || g_imagesLeft.fetch_sub(1) > 0) return false;
  g_imageFailures.fetch_sub(1);
  return true;
}

#define AEROGPU_COUNTED(COUNT) COUNT(Sampler) COUNT(PipelineLayout) COUNT(ShaderModule) COUNT(Image)
#define AEROGPU_COUNT(Type)                                                                            \
  PFN_vkCreate##Type g_create##Type;                                                                   \
  PFN_vkDestroy##Type g_destroy##Type;                                                                 \
  VKAPI_ATTR VkResult VKAPI_CALL create##Type(VkDevice device, const Vk##Type##CreateInfo* info,       \
                                              const VkAllocationCallbacks* callbacks, Vk##Type* out) { \
    if (Counted::Type == Counted::Image && failsImage()) return VK_ERROR_OUT_OF_DEVICE_MEMORY;         \
    const VkResult result = g_create##Type(device, info, callbacks, out);                              \
    if (result == VK_SUCCESS) {                                                                        \
      Count& count = countOf(Counted::Type);                                                           \
      const int now = count.alive.fetch_add(1) + 1;                                                    \
      if (now > count.most.load()) count.most.store(now); /* the render thread alone creates */        \
    }                                                                                                  \
    return result;                                                                                     \
  }                                                                                                    \
  VKAPI_ATTR void VKAPI_CALL destroy##Type(VkDevice device, Vk##Type object,                           \
                                           const VkAllocationCallbacks* callbacks) {                   \
    if (object) countOf(Counted::Type).alive.fetch_sub(1);                                             \
    g_destroy##Type(device, object, callbacks);                                                        \
  }
AEROGPU_COUNTED(AEROGPU_COUNT)
#undef AEROGPU_COUNT

VKAPI_ATTR VkResult VKAPI_CALL hostPointer(VkDevice device, VkExternalMemoryHandleTypeFlagBits type,
                                           const void* pointer, VkMemoryHostPointerPropertiesEXT* out) {
  g_imports.fetch_add(1);
  return g_refuseImports.load() ? VK_ERROR_INVALID_EXTERNAL_HANDLE
                                : g_hostPointer(device, type, pointer, out);
}

template <class Function>
PFN_vkVoidFunction replace(PFN_vkVoidFunction real, Function& slot, Function ours) {
  slot = reinterpret_cast<Function>(real);
  return reinterpret_cast<PFN_vkVoidFunction>(ours);
}

template <PFN_vkCmdBeginRendering& real>
VKAPI_ATTR void VKAPI_CALL beginRendering(VkCommandBuffer commands, const VkRenderingInfo* info) {
  g_passes.fetch_add(1);
  real(commands, info);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL deviceProc(VkDevice device, const char* name) {
  if (isTooNew(device, name)) return nullptr;
  const PFN_vkVoidFunction real = g_getDeviceProc(device, name);
  if (!real) return real;
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  const auto ours = [](auto function) { return reinterpret_cast<PFN_vkVoidFunction>(function); };
  if (is("vkDestroyDevice")) return ours(&destroyDevice);
  if (is("vkQueueSubmit2")) return ours(&submit<g_submit>);
  if (is("vkQueueSubmit2KHR")) return ours(&submit<g_submitOld>);
  if (is("vkWaitSemaphores")) return ours(&wait<g_wait>);
  if (is("vkWaitSemaphoresKHR")) return ours(&wait<g_waitOld>);
  if (is("vkCmdBeginRendering")) return ours(&beginRendering<g_beginRendering>);
  if (is("vkCmdBeginRenderingKHR")) return ours(&beginRendering<g_beginRenderingOld>);
#define AEROGPU_COUNT(Type)                                                                             \
  if (!std::strcmp(name, "vkCreate" #Type)) return reinterpret_cast<PFN_vkVoidFunction>(&create##Type); \
  if (!std::strcmp(name, "vkDestroy" #Type)) return reinterpret_cast<PFN_vkVoidFunction>(&destroy##Type);
  AEROGPU_COUNTED(AEROGPU_COUNT)
#undef AEROGPU_COUNT
  if (!std::strcmp(name, "vkGetMemoryHostPointerPropertiesEXT"))
    return reinterpret_cast<PFN_vkVoidFunction>(&hostPointer);
  return playDevice(name, real);
}

PFN_vkVoidFunction instanceProc(PFN_vkGetInstanceProcAddr get, VkInstance instance, const char* name) {
  const PFN_vkVoidFunction real = get(instance, name);
  if (!real) return real;
  if (!std::strcmp(name, "vkGetDeviceProcAddr")) {
    g_submit = reinterpret_cast<PFN_vkQueueSubmit2>(get(instance, "vkQueueSubmit2"));
    g_submitOld = reinterpret_cast<PFN_vkQueueSubmit2>(get(instance, "vkQueueSubmit2KHR"));
    g_wait = reinterpret_cast<PFN_vkWaitSemaphores>(get(instance, "vkWaitSemaphores"));
    g_waitOld = reinterpret_cast<PFN_vkWaitSemaphores>(get(instance, "vkWaitSemaphoresKHR"));
    g_destroyDevice = reinterpret_cast<PFN_vkDestroyDevice>(get(instance, "vkDestroyDevice"));
    (void)playInstance(get, instance, name, real);
    g_beginRendering = reinterpret_cast<PFN_vkCmdBeginRendering>(
        playDevice("vkCmdBeginRendering", get(instance, "vkCmdBeginRendering")));
    g_beginRenderingOld = reinterpret_cast<PFN_vkCmdBeginRendering>(
        playDevice("vkCmdBeginRenderingKHR", get(instance, "vkCmdBeginRenderingKHR")));
#define AEROGPU_COUNT(Type)                                                                                \
  g_create##Type =                                                                                         \
      reinterpret_cast<PFN_vkCreate##Type>(playDevice("vkCreate" #Type, get(instance, "vkCreate" #Type))); \
  g_destroy##Type = reinterpret_cast<PFN_vkDestroy##Type>(                                                 \
      playDevice("vkDestroy" #Type, get(instance, "vkDestroy" #Type)));
    AEROGPU_COUNTED(AEROGPU_COUNT)
#undef AEROGPU_COUNT
    g_hostPointer = reinterpret_cast<PFN_vkGetMemoryHostPointerPropertiesEXT>(playDevice(
        "vkGetMemoryHostPointerPropertiesEXT", get(instance, "vkGetMemoryHostPointerPropertiesEXT")));
    return replace(real, g_getDeviceProc, &deviceProc);
  }
  if (!std::strcmp(name, "vkCreateDevice")) return replace(real, g_createDevice, &createDevice);
  const PFN_vkVoidFunction played = playInstance(get, instance, name, real);
  if (!std::strcmp(name, "vkGetPhysicalDeviceProperties2"))
    return replace(played, g_getProperties, &properties);
  return played;
}

PFN_vkVoidFunction globalProc(const char* name, PFN_vkVoidFunction real) {
  return std::strcmp(name, "vkCreateInstance") ? real : replace(real, g_createInstance, &createInstance);
}

}  // namespace

bool deviceIsBare() {
  return deviceProfile() && deviceProfile()->requiredOnly;
}

void loseDevice(Loss where) {
  g_next.store(where);
}

void refuseDevices(bool refuse) {
  g_refuse.store(refuse);
}

void failImages(int after, int times) {
  g_imagesLeft.store(after);
  g_imageFailures.store(times);
}

int objectsAlive(Counted kind) {
  return countOf(kind).alive.load();
}
int mostObjectsAlive(Counted kind) {
  Count& count = countOf(kind);
  return count.most.exchange(count.alive.load());
}
void refuseImports(bool refuse) {
  g_refuseImports.store(refuse);
}

int importsAsked() {
  return g_imports.load();
}

void slowDevices(std::optional<int> ms) {
  g_slowMs.store(ms.value_or(-1));
}

int looks() {
  return g_looks.load();
}

uint64_t shortestSleep() {
  return g_shortestSleep.exchange(UINT64_MAX);
}

int batchesSubmitted() {
  return g_batches.load();
}

int passesBegun() {
  return g_passes.load();
}

void ageDevices(bool old) {
  g_old.store(old);
}

void hurry(unsigned waits) {
  g_hurry.store(waits);
}

int waitsRunOut() {
  return g_ranOut.load();
}

void hangDevices(bool hang) {
  g_hang.store(hang);
}

int devicesAlive() {
  return g_devices.load();
}

}  // namespace aerogpu::test

/// Hidden: only this executable's own calls come here; the loader and its layers keep their functions.
extern "C" __attribute__((visibility("hidden"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance instance, const char* name) {
  // No other code here names the loader, so it is not among the executable's own libraries.
  static void* const loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_NODELETE);
  static const auto real =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(loader ? dlsym(loader, "vkGetInstanceProcAddr") : nullptr);
  if (!real) return nullptr;
  if (!instance) return aerogpu::test::globalProc(name, real(instance, name));
  return aerogpu::test::instanceProc(real, instance, name);
}
