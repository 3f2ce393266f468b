// SPDX-License-Identifier: MIT
// Samplers by their D3D9 state. Render thread only.
#pragma once

#include <unordered_map>

#include "renderer/core/state.h"
#include "renderer/vulkan/device/gpu.h"
#include "renderer/vulkan/objects/format.h"

namespace aerogpu::vk {

struct CachedSampler {
  VkSampler handle = VK_NULL_HANDLE;
  uint64_t serial = 0;  ///< never used for another sampler
};

/// What is sampled, as far as a sampler depends on it.
struct SampledAs {
  bool compare = false;  ///< D3D9's shadow maps compare less-or-equal
  bool filters = true;   ///< else the nearest texel is taken
  bool srgb = false;
  Components components{};  ///< border colors are shown through the view's
};

class SamplerCache {
public:
  explicit SamplerCache(Gpu& gpu) : m_gpu(gpu) {}
  ~SamplerCache();
  Result<CachedSampler> get(const core::SamplerState& state, const SampledAs& as);
  /// The samplers of a dropped cache still wait for the GPU: with another full one they would be too many.
  bool crowded() const { return m_droppedIn && !m_gpu.recorder->finished(m_droppedIn); }

private:
  static constexpr size_t kMax =
      1024;  ///< two caches and a draw are below 4000, Vulkan's maxSamplerAllocationCount
  struct Key {
    uint64_t words[3];
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& k) const {
      return static_cast<size_t>((k.words[0] * 0x9E3779B97F4A7C15u ^ k.words[1]) * 0xC2B2AE3D27D4EB4Fu ^
                                 k.words[2]);
    }
  };
  Gpu& m_gpu;
  uint64_t m_nextSerial = 1;
  uint64_t m_droppedIn = 0;  ///< batch after which the last dropped cache goes; 0 = none was dropped
  std::unordered_map<Key, CachedSampler, Hash> m_samplers;
};

}  // namespace aerogpu::vk
