// SPDX-License-Identifier: MIT
// Graphics and compute pipelines by their content, and the VkPipelineCache that survives a restart. What the
// device can change dynamically is not part of the key. Render thread only.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "renderer/vulkan/draw/pipeline_key.h"
#include "renderer/vulkan/objects/cache_shares.h"
#include "renderer/vulkan/objects/gpu.h"

namespace aerogpu::vk {

class PipelineCache {
public:
  /// `folder` empty: nothing is kept on disk.
  PipelineCache(Gpu& gpu, std::string folder);
  ~PipelineCache();

  Result<VkPipeline> graphics(const PipelineKey& key, VkShaderModule vs, VkShaderModule ps,
                              VkPipelineLayout layout);
  Result<VkPipeline> compute(uint64_t module, VkShaderModule cs, VkPipelineLayout layout);
  /// Changes when pipelines were dropped: handles from before are no longer valid.
  uint32_t generation() const { return m_generation; }
  /// Writes the file if pipelines were made since; called when the GPU is idle for a while and at the end.
  void save();
  /// Whose `account` is has ended (core::Backend).
  void processEnds(const HostMemory& account);

  static constexpr size_t kMaxPipelines = 8192;  ///< of all; one process may have half
  static constexpr uint64_t kBytes = 16 << 10;   ///< what one is charged: nobody can ask the driver

private:
  static constexpr uint64_t kMaxFileBytes = uint64_t{64} << 20;
  /// Of either map; the graphics key is the map's own.
  struct Entry {
    const PipelineKey* graphics;
    uint64_t compute;
  };
  struct Pipeline {
    VkPipeline handle = VK_NULL_HANDLE;
    HostMemoryCharge charge;
  };
  Result<VkPipeline> build(const PipelineKey& key, VkShaderModule vs, VkShaderModule ps,
                           VkPipelineLayout layout, VkPipelineCache cache);
  /// A cache object that starts with `bytes`; the one before goes.
  void open(const std::vector<uint8_t>& bytes);
  /// Room and memory for one more pipeline of `owner`. Backend: there is no memory.
  Result<HostMemoryCharge> makeRoom(const HostMemory* owner);
  /// Where the driver keeps what it makes for `owner`: VK_NULL_HANDLE when that has put in its part. No entry
  /// can be taken out of a VkPipelineCache, so that it is emptied when everybody's parts have filled it.
  VkPipelineCache cacheFor(const HostMemory* owner);
  void drop(const Entry& entry);
  /// Calls for room in m_shares with drop().
  template <class Ask>
  bool dropped(Ask ask);
  using Shares = CacheShares<Entry>;
  std::string path() const;
  std::vector<uint8_t> load() const;

  Gpu& m_gpu;
  const std::string m_folder;
  VkPipelineCache m_cache = VK_NULL_HANDLE;
  std::unordered_map<PipelineKey, Pipeline, PipelineKeyHash> m_graphics;
  std::unordered_map<uint64_t, Pipeline> m_compute;
  Shares m_shares{{kMaxPipelines, kMaxPipelines / 8}};
  std::unordered_map<const HostMemory*, size_t> m_cached;  ///< pipelines in m_cache since open(), by owner
  size_t m_cachedOfAll = 0;
  uint32_t m_generation = 0;
  uint64_t m_made = 0;  ///< since the last save
};

}  // namespace aerogpu::vk
