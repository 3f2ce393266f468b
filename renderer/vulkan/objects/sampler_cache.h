// SPDX-License-Identifier: MIT
// Samplers by their state. Render thread only.
#pragma once

#include <optional>
#include <unordered_map>

#include "renderer/core/state.h"
#include "renderer/vulkan/objects/cache_shares.h"
#include "renderer/vulkan/objects/format.h"
#include "renderer/vulkan/objects/gpu.h"

namespace aerogpu::vk {

struct CachedSampler {
  VkSampler handle = VK_NULL_HANDLE;
  uint64_t serial = 0;  ///< never used for another sampler
};

/// The properties of the sampled texture that a sampler depends on.
struct SampledAs {
  std::optional<core::CompareFunc> compare;
  bool filters = true;  ///< else the nearest texel is taken
  bool srgb = false;
  Components components{};  ///< the view's, through which border colors are shown
};

class SamplerCache {
public:
  explicit SamplerCache(Gpu& gpu) : m_gpu(gpu) {}
  ~SamplerCache();
  Result<CachedSampler> get(const core::SamplerState& state, const SampledAs& as);
  /// True if kMax dropped samplers still wait for the GPU: no more may be dropped.
  bool crowded() const { return m_dropped >= kMax && !m_gpu.recorder->finished(m_droppedIn); }
  /// Drops some of the samplers of the owner of `account`, who has ended (core::Backend).
  void processEnds(const HostMemory& account);

  /// Most samplers; one process may have half. Two caches and a draw stay below 4000, Vulkan's
  /// maxSamplerAllocationCount.
  static constexpr size_t kMax = 1024;

private:
  static constexpr uint64_t kBytes = 512;  ///< charge of one
  struct Key {
    uint64_t words[6];
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& k) const {
      uint64_t hash = 0;
      for (const uint64_t word : k.words) hash = (hash ^ word) * 0x9E3779B97F4A7C15u ^ hash >> 32;
      return static_cast<size_t>(hash);
    }
  };
  struct Entry {
    CachedSampler sampler;
    HostMemoryCharge charge;
  };
  using Shares = CacheShares<const Key*>;  // the map's own keys
  void drop(const Key& key);

  Gpu& m_gpu;
  uint64_t m_nextSerial = 1;
  uint64_t m_droppedIn = 0;  ///< the batch after which the last dropped ones go
  size_t m_dropped = 0;      ///< the most that wait
  std::unordered_map<Key, Entry, Hash> m_samplers;
  Shares m_shares{{kMax, kMax / 4}};
};

}  // namespace aerogpu::vk
