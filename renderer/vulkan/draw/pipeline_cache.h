// SPDX-License-Identifier: MIT
// Graphics and compute pipelines by their content, and the VkPipelineCache that survives a restart. State
// that the device can change dynamically is not part of the key. Render thread only.
#pragma once

#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "renderer/shader/d3d9_interface.h"
#include "renderer/vulkan/objects/cache_shares.h"
#include "renderer/vulkan/objects/gpu.h"
#include "renderer/vulkan/objects/input_layout.h"

namespace aerogpu::vk {

/// Words without padding: hashed and compared as bytes. The last group is zero if it is dynamic.
struct PipelineKey {
  uint64_t vs = 0, ps = 0;  ///< serials of modules; ps 0 = none
  uint64_t layout = 0;      ///< PipelineLayout::content
  uint32_t colorFormats[core::kMaxColorTargets] = {};
  uint32_t colorCount = 0, depthFormat = 0, stencilFormat = 0;
  uint32_t topologyClass = 0;   ///< a VkPrimitiveTopology that stands for its class
  uint32_t specialization = 0;  ///< bit n = specialisation constant n
  uint32_t polygonMode = 0, depthClip = 0;
  uint32_t blend[core::kMaxColorTargets] = {};  ///< packBlend()
  uint32_t attributeCount = 0, bindingCount = 0;
  uint32_t attributes[VertexFetch::kMax] = {};  ///< location 8, binding 8, offset 16 bits
  uint32_t attributeFormats[VertexFetch::kMax] = {};
  uint32_t divisors[VertexFetch::kMax] = {};
  uint32_t samples = 1;  ///< a texel
  uint32_t sampleMask = ~0u;
  uint32_t alphaToCoverage = 0;
  bool operator==(const PipelineKey&) const = default;
};
static_assert(std::has_unique_object_representations_v<PipelineKey>);

/// Blend state of one target in Vulkan's terms.
struct TargetBlend {
  VkBool32 enable = VK_FALSE;
  VkColorBlendEquationEXT equation{};
  VkColorComponentFlags writeMask = 0xF;
};
uint32_t packBlend(const TargetBlend& blend);
TargetBlend unpackBlend(uint32_t packed);

class PipelineCache {
public:
  /// `folder` empty: keeps nothing on disk.
  PipelineCache(Gpu& gpu, std::string folder);
  ~PipelineCache();

  Result<VkPipeline> graphics(const PipelineKey& key, VkShaderModule vs, VkShaderModule ps,
                              VkPipelineLayout layout);
  Result<VkPipeline> compute(uint64_t module, VkShaderModule cs, VkPipelineLayout layout);
  /// Changes when pipelines are dropped: earlier handles are no longer valid.
  uint32_t generation() const { return m_generation; }
  /// Writes the file if pipelines were made since; called when the GPU is idle for a while and at the end.
  void save();
  /// The process of `account` has ended (core::Backend).
  void processEnds(const HostMemory& account);

  static constexpr size_t kMaxPipelines = 8192;  ///< in all; one process may have half
  static constexpr uint64_t kBytes = 16 << 10;   ///< charge of one: the driver's real size cannot be queried

private:
  static constexpr uint64_t kMaxFileBytes = uint64_t{64} << 20;
  /// An entry of either map; the graphics map keeps its own key.
  struct Entry {
    const PipelineKey* graphics;
    uint64_t compute;
  };
  struct KeyHash {
    size_t operator()(const PipelineKey& key) const;
  };
  struct Pipeline {
    VkPipeline handle = VK_NULL_HANDLE;
    HostMemoryCharge charge;
  };
  Result<VkPipeline> build(const PipelineKey& key, VkShaderModule vs, VkShaderModule ps,
                           VkPipelineLayout layout, VkPipelineCache cache);
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
  std::unordered_map<PipelineKey, Pipeline, KeyHash> m_graphics;
  std::unordered_map<uint64_t, Pipeline> m_compute;
  Shares m_shares{{kMaxPipelines, kMaxPipelines / 8}};
  std::unordered_map<const HostMemory*, size_t> m_cached;  ///< pipelines in m_cache since open(), by owner
  size_t m_cachedOfAll = 0;
  uint32_t m_generation = 0;
  uint64_t m_made = 0;  ///< since the last save
};

}  // namespace aerogpu::vk
