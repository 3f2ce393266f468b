// SPDX-License-Identifier: MIT
// Puts a device and its pools together (see gpu.h).
#include "renderer/vulkan/objects/gpu.h"

namespace aerogpu::vk {
namespace {

constexpr VkBufferUsageFlags kBufferUsage =
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
    VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
    VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;
constexpr VkBufferUsageFlags kReadUsage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr uint64_t kBlockBytes = uint64_t{8} << 20;

}  // namespace

Gpu::Gpu(HostMemory& accounts, core::Stats& counters, Log& logger, const std::atomic<bool>& interruption)
    : hostMemory(accounts), stats(counters), log(logger), interrupted(interruption) {}

Gpu::~Gpu() = default;

std::unique_ptr<Gpu> Gpu::create(const Instance& instance, VkPhysicalDevice physical,
                                 const core::BackendConfig& config, std::string& error) {
  auto self = std::make_unique<Gpu>(config.hostMemory, config.stats, config.log, config.interrupted);
  self->device = Device::create(instance, physical, error);
  if (!self->device) return nullptr;
  // Every implementation has a type that is both; buffers without exotic flags can live there (Vulkan 1.3,
  // "Device Memory"). On a discrete GPU the part of its memory that the host sees can be small.
  constexpr VkMemoryPropertyFlags kHost =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  Device& device = *self->device;
  const auto onDevice = memoryTypes(device, ~0u, kHost, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  const auto cached = memoryTypes(device, ~0u, kHost, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  // Some integrated GPUs have cached memory without coherence only. Reads of uncached memory are slower than
  // an invalidation, by far.
  const auto readable =
      memoryTypes(device, ~0u, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  if (onDevice.empty() || cached.empty()) {
    error = "the device has no host-visible memory";
    return nullptr;
  }
  VkBufferUsageFlags usage = kBufferUsage;
  if (device.caps().transformFeedback)
    usage |= VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
             VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  self->buffers = std::make_unique<MemoryPool>(device, onDevice, usage, kBlockBytes, "buffers",
                                               device.caps().boundByBuffers);
  if (device.caps().boundByBuffers)
    config.log.line(AEROGPU_LOG_INFO,
                    "each buffer has a VkBuffer of its own, for nothing else bounds what draws read");
  self->host = std::make_unique<MemoryPool>(device, cached, kBufferUsage, kBlockBytes, "host memory");
  self->fromDevice = std::make_unique<MemoryPool>(device, readable.empty() ? cached : readable, kReadUsage,
                                                  kBlockBytes, "read-backs");
  self->frames = std::make_unique<FramePool>(*self->fromDevice, config.hostMemory, config.frameReserve);
  self->windows = std::make_unique<WindowPool>(*self->buffers);
  self->imports = std::make_unique<HostImporter>(device);
  self->stopWords = std::make_unique<StopWords>(device, *self->buffers);
  self->recorder =
      std::make_unique<Recorder>(device, *self->host, *self->fromDevice, *self->stopWords, config);
  self->storedImages = std::make_unique<ImageStore>(device, *self->recorder, config.hostMemory);
  self->blits = std::make_unique<BlitDraws>(device, *self->recorder);
  self->sampleCopies = std::make_unique<SampleCopies>(device, *self->recorder);
  Result<void> created = self->stopWords->create();
  if (created) created = self->recorder->create();
  if (!created) {
    error = std::string(created.error().what) + ": " + created.error().detail;
    return nullptr;
  }
  return self;
}

}  // namespace aerogpu::vk
