// SPDX-License-Identifier: MIT
// One device with all that is made on it and that its objects share; replaced as a whole when a lost device
// is recovered. Render thread only.
#pragma once

#include <atomic>
#include <memory>

#include "renderer/base/host_memory.h"
#include "renderer/base/log.h"
#include "renderer/core/backend_config.h"
#include "renderer/core/state.h"
#include "renderer/core/stats.h"
#include "renderer/vulkan/device/blit_draws.h"
#include "renderer/vulkan/device/frame_pool.h"
#include "renderer/vulkan/device/host_import.h"
#include "renderer/vulkan/device/memory.h"
#include "renderer/vulkan/device/recorder.h"
#include "renderer/vulkan/device/sample_copies.h"
#include "renderer/vulkan/device/stop_words.h"
#include "renderer/vulkan/device/window_pool.h"
#include "renderer/vulkan/objects/buffer_renames.h"
#include "renderer/vulkan/objects/held_copies.h"
#include "renderer/vulkan/objects/image_store.h"

namespace aerogpu::vk {

/// Host memory that is charged for a view of an image or of texels, bytes.
inline constexpr uint64_t kViewBytes = 512;

struct Gpu {
  Gpu(HostMemory& hostMemory, core::Stats& stats, Log& log, const std::atomic<bool>& interrupted);
  ~Gpu();

  /// Opens `physical` and creates everything below.
  static std::unique_ptr<Gpu> create(const Instance& instance, VkPhysicalDevice physical,
                                     const core::BackendConfig& config, std::string& error);

  HostMemory& hostMemory;
  core::Stats& stats;
  Log& log;
  const std::atomic<bool>& interrupted;  ///< aerogpu_renderer_interrupt
  // Destroyed in reverse order.
  std::unique_ptr<Device> device;
  std::unique_ptr<MemoryPool> buffers;       ///< guest buffers: host-visible, on the device where that exists
  std::unique_ptr<MemoryPool> host;          ///< staging: host-cached where that is coherent
  std::unique_ptr<MemoryPool> fromDevice;    ///< what the host reads: host-cached, coherent or not
  std::unique_ptr<ImageStore> storedImages;  ///< made after the recorder, which gives images back to it
  std::unique_ptr<FramePool> frames;
  std::unique_ptr<WindowPool> windows;
  std::unique_ptr<HostImporter> imports;
  std::unique_ptr<StopWords> stopWords;
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<BlitDraws> blits;
  std::unique_ptr<SampleCopies> sampleCopies;
  uint64_t nextSerial = 1;  ///< identities of views, modules, layouts: never used twice
  BufferRenames renames;    ///< examined by the next draw
  HeldCopies heldCopies;
};

}  // namespace aerogpu::vk
