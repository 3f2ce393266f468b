// SPDX-License-Identifier: MIT
// Graphics and compute pipelines by their content, and the VkPipelineCache that survives a restart. State
// that the device can change dynamically is not part of the key. Render thread only.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "renderer/vulkan/draw/pipeline_key.h"
#include "renderer/vulkan/draw/recent_draws.h"
#include "renderer/vulkan/objects/cache_shares.h"
#include "renderer/vulkan/objects/gpu.h"

namespace aerogpu::vk {

class PipelineCache {
public:
  /// `folder` empty: keeps nothing on disk.
  PipelineCache(Gpu& gpu, std::string folder);
  ~PipelineCache();

  /// A pipeline, valid until generation() changes.
  struct Graphics {
    VkPipeline handle = VK_NULL_HANDLE;
    uint64_t* usedIn = nullptr;  ///< the batch that used it last, for its user to write
  };
  /// `state` chose `key` with `shaders`.
  Result<Graphics> graphics(const PipelineKey& key, const core::DrawState& state, const DrawShaders& shaders);
  Result<VkPipeline> compute(uint64_t module, VkShaderModule cs, VkPipelineLayout layout);
  /// Changes when pipelines are dropped: earlier handles are no longer valid.
  uint32_t generation() const { return m_generation; }
  /// Writes the file if pipelines were made since the last save; called by Draws::reset().
  void save();
  /// Returns draws that need the graphics pipelines used last (core::Backend).
  std::vector<std::unique_ptr<core::DrawState>> recentDraws(size_t most);
  /// Drops some of the pipelines of the owner of `account`, who has ended (core::Backend).
  void processEnds(const HostMemory& account);

  static constexpr size_t kMaxPipelines = 8192;  ///< in all; one process may have half
  static constexpr uint64_t kBytes = 16 << 10;  ///< charge for each: the driver's real size cannot be queried

private:
  static constexpr uint64_t kMaxFileBytes = uint64_t{64} << 20;
  /// An entry of either map; the graphics map keeps its own key.
  struct Entry {
    const PipelineKey* graphics;
    uint64_t compute;
  };
  struct Pipeline {
    VkPipeline handle = VK_NULL_HANDLE;
    HostMemoryCharge charge;
  };
  struct GraphicsPipeline : Pipeline {
    RecentDraw draw;  ///< the one that it was made for
  };
  Result<VkPipeline> build(const PipelineKey& key, const PipelineModules& modules, VkPipelineLayout layout,
                           VkPipelineCache cache);
  /// Opens a cache object that starts with `bytes`; drops the previous one.
  void open(const std::vector<uint8_t>& bytes);
  /// Makes room and memory for one more pipeline of `owner`. Backend if there is no memory.
  Result<HostMemoryCharge> makeRoom(const HostMemory* owner);
  /// Returns the cache for the driver's data of `owner`; VK_NULL_HANDLE if that owner has used up its part.
  /// No entry can be removed from a VkPipelineCache, so it is emptied when the owners' parts have filled it.
  VkPipelineCache cacheFor(const HostMemory* owner);
  void drop(const Entry& entry);
  /// Asks m_shares for room with drop().
  template <class Ask>
  bool dropped(Ask ask);
  using Shares = CacheShares<Entry>;
  std::string path() const;
  std::vector<uint8_t> load() const;

  Gpu& m_gpu;
  const std::string m_folder;
  VkPipelineCache m_cache = VK_NULL_HANDLE;
  std::unordered_map<PipelineKey, GraphicsPipeline, PipelineKeyHash> m_graphics;
  std::unordered_map<uint64_t, Pipeline> m_compute;
  Shares m_shares{{kMaxPipelines, kMaxPipelines / 8}};
  std::unordered_map<const HostMemory*, size_t> m_cached;  ///< pipelines in m_cache since open(), by owner
  size_t m_cachedOfAll = 0;
  uint32_t m_generation = 0;
  uint64_t m_made = 0;  ///< since the last save
};

}  // namespace aerogpu::vk
