// SPDX-License-Identifier: MIT
// The arguments of every back end, and the factories of all back ends.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "renderer/base/host_memory.h"
#include "renderer/base/log.h"
#include "renderer/core/backend.h"
#include "renderer/core/sharing.h"
#include "renderer/core/stats.h"

namespace aerogpu::core {

/// References outlive the back end.
struct BackendConfig {
  HostMemory& hostMemory;
  HostMemory& frameReserve;  ///< beside hostMemory, for frames alone (core/frame_memory.h)
  Stats& stats;
  Log& log;
  const std::atomic<bool>& interrupted;  ///< long operations end early, with ErrorCode::Interrupted
  const std::atomic<bool>& closing;      ///< like `interrupted`, for good
  const std::atomic<bool>& holdValues;   ///< no value is written while the GPU is lost
  std::atomic<uint32_t>& faults;         ///< enum aerogpu_renderer_faults, to be played
  std::string vulkanDevice;              ///< index or part of a name; empty = the best
  std::string cacheDir;                  ///< folder of the pipeline cache; empty = none
  bool validation = false;
  Sharing sharing{};

  /// True if the GPU is to be lost now. Any thread; true once for each request.
  bool playsLoss() const {
    constexpr uint32_t kLose = AEROGPU_RENDERER_FAULT_LOSE;
    return (faults.load(std::memory_order_relaxed) & kLose) != 0 && (faults.fetch_and(~kLose) & kLose) != 0;
  }
  /// True if the GPU must not finish any work. Any thread.
  bool playsHang() const {
    return (faults.load(std::memory_order_relaxed) & AEROGPU_RENDERER_FAULT_HANG) != 0;
  }
  bool playsRefusal() const { return (faults.load() & AEROGPU_RENDERER_FAULT_REFUSE) != 0; }
};

}  // namespace aerogpu::core

namespace aerogpu::vk {
/// Returns null and a message if there is no usable Vulkan device.
std::unique_ptr<core::Backend> createBackend(const core::BackendConfig& config, std::string& error);
}  // namespace aerogpu::vk

namespace aerogpu::null {
std::unique_ptr<core::Backend> createBackend(const core::BackendConfig& config);
}  // namespace aerogpu::null
