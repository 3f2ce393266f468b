// SPDX-License-Identifier: MIT
// D3D9 sampler states in Vulkan's terms (see sampler_cache.h). The finest level (D3DSAMP_MAXMIPLEVEL) is the
// lower end of the level of detail, as in the algorithm of the page "texldl". Vulkan clamps before it chooses
// between the two filters, Direct3D 9 after it: with a finest level above 0, Vulkan filters a magnified
// texture as a minified one. Direct3D 10 leaves the order open, and Direct3D 11 has Vulkan's.
#include "renderer/vulkan/objects/sampler_cache.h"

#include <algorithm>
#include <array>
#include <bit>

#include "renderer/d3d9/samplers.h"
#include "renderer/vulkan/objects/compare_op.h"

namespace aerogpu::vk {
namespace {

using core::AddressMode;
using core::Filter;

VkSamplerAddressMode addressMode(AddressMode mode, const DeviceCaps& caps) {
  switch (mode) {
    case AddressMode::Wrap:
      return VK_SAMPLER_ADDRESS_MODE_REPEAT;
    case AddressMode::Mirror:
      return VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
    case AddressMode::Clamp:
      return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    case AddressMode::Border:
      return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    case AddressMode::MirrorOnce:
      return caps.mirrorClampToEdge ? VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE
                                    : VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
  }
  return VK_SAMPLER_ADDRESS_MODE_REPEAT;
}

VkFilter filter(Filter f) {
  return f >= Filter::Linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
}

using Color = std::array<uint32_t, 4>;  // RGBA, IEEE 754 bits

/// Returns the image's channels that a view with `components` shows as `color`, as far as possible.
Color behind(const Color& color, const Components& components) {
  if (components == Components{}) return color;
  const uint8_t shown[4] = {components.r, components.g, components.b, components.a};
  Color out{};
  for (int i = 3; i >= 0; --i) {  // red last: luminance takes it
    int from = shown[i] == VK_COMPONENT_SWIZZLE_IDENTITY ? i : shown[i] - VK_COMPONENT_SWIZZLE_R;
    if (from < 0) continue;  // zero or one
    out[static_cast<size_t>(from)] = color[static_cast<size_t>(i)];
  }
  // Sets channels that no component shows so as to make a color that every device has.
  const auto known = [&](int channel) {
    for (int i = 0; i < 4; ++i)
      if (shown[i] == VK_COMPONENT_SWIZZLE_R + channel ||
          (shown[i] == VK_COMPONENT_SWIZZLE_IDENTITY && i == channel))
        return true;
    return false;
  };
  for (int channel = 0; channel < 4; ++channel)
    if (!known(channel)) out[static_cast<size_t>(channel)] = color[static_cast<size_t>(channel)];
  return out;
}

constexpr uint32_t kOneBits = 0x3F800000;
constexpr Color kTransparentBlack{}, kOpaqueBlack{0, 0, 0, kOneBits},
    kOpaqueWhite{kOneBits, kOneBits, kOneBits, kOneBits};

/// Returns the nearest of the three border colours that every device has.
VkBorderColor standardBorder(const Color& color) {
  constexpr float kHalf = 128.0f / 255.0f;
  const auto channel = [&](size_t i) { return std::bit_cast<float>(color[i]); };
  if (!(channel(3) >= kHalf)) return VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
  return channel(0) + channel(1) + channel(2) >= 3 * kHalf ? VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE
                                                           : VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK;
}

static_assert(core::kAnyLod == VK_LOD_CLAMP_NONE);

}  // namespace

SamplerCache::~SamplerCache() {
  for (const auto& [key, entry] : m_samplers)
    m_gpu.recorder->retire(Retired::Kind::Sampler, entry.sampler.handle);
}

void SamplerCache::drop(const Key& key) {
  if (m_gpu.recorder->finished(m_droppedIn)) m_dropped = 0;
  const auto it = m_samplers.find(key);
  m_gpu.recorder->retire(Retired::Kind::Sampler, it->second.sampler.handle);
  m_samplers.erase(it);
  ++m_dropped;
  m_droppedIn = m_gpu.recorder->batch();
}

void SamplerCache::processEnds(const HostMemory& account) {
  m_shares.ownerEnds(&account, [this](const Key* key) { drop(*key); });
}

Result<CachedSampler> SamplerCache::get(const core::SamplerState& state, const SampledAs& as) {
  const DeviceCaps& caps = m_gpu.device->caps();
  core::SamplerState s = d3d9::effective(state);
  if (!as.filters) {
    s.mag = s.min = Filter::Point;
    s.mip = std::min(s.mip, Filter::Point);
    s.maxAnisotropy = 1;
  }
  const Color color = s.border == kTransparentBlack ? s.border : behind(s.border, as.components);
  const bool standard = color == kTransparentBlack || color == kOpaqueBlack || color == kOpaqueWhite;
  // Only opaque black and custom colours need more information in the sampler.
  const bool mapped = caps.borderColorSwizzle && !caps.borderSwizzleFromImage && color != kTransparentBlack &&
                      color != kOpaqueWhite && as.components != Components{};
  const Components components = mapped ? as.components : Components{};
  Key key{};
  key.words[0] = static_cast<uint64_t>(s.u) | static_cast<uint64_t>(s.v) << 4 |
                 static_cast<uint64_t>(s.w) << 8 | static_cast<uint64_t>(s.mag) << 12 |
                 static_cast<uint64_t>(s.min) << 16 | static_cast<uint64_t>(s.mip) << 20 |
                 uint64_t{s.maxAnisotropy} << 24 |
                 (as.compare ? static_cast<uint64_t>(*as.compare) << 32 : 0);
  key.words[1] = uint64_t{components.r} | uint64_t{components.g} << 4 | uint64_t{components.b} << 8 |
                 uint64_t{components.a} << 12 | uint64_t{mapped && as.srgb} << 16;
  key.words[2] = std::bit_cast<uint32_t>(s.lodBias);
  key.words[3] = std::bit_cast<uint32_t>(s.minLod) | uint64_t{std::bit_cast<uint32_t>(s.maxLod)} << 32;
  key.words[4] = color[0] | uint64_t{color[1]} << 32;
  key.words[5] = color[2] | uint64_t{color[3]} << 32;
  if (const auto it = m_samplers.find(key); it != m_samplers.end()) return it->second.sampler;
  const HostMemory* owner = Shares::ownerNow(m_gpu.hostMemory);
  const auto dropOne = [this](const Key* oldest) { drop(*oldest); };
  m_shares.makeRoom(owner, m_shares.mostOf(owner, kBytes), dropOne);
  const auto charged = [&] { return HostMemoryCharge::take(m_gpu.hostMemory, kBytes); };
  HostMemoryCharge charge = charged();
  while (!charge.ok() && m_shares.giveUp(owner, dropOne)) charge = charged();
  if (!charge.ok())
    return refused(ErrorCode::Backend, "host memory limit reached by samplers", {{"bytes", kBytes}});
  const float maxBias = m_gpu.device->limits().maxSamplerLodBias;
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = filter(s.mag);
  info.minFilter = filter(s.min);
  info.mipmapMode = s.mip >= Filter::Linear ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST;
  // Without mip-mapping the level stays 0, but lambda may exceed 0 so that the minification filter is used
  // (Vulkan 1.3, "Samplers", note on maxLod).
  info.minLod = s.minLod;
  info.maxLod = s.mip == Filter::None ? info.minLod + 0.25f : std::max(s.minLod, s.maxLod);
  info.mipLodBias = std::clamp(s.lodBias, -maxBias, maxBias);
  info.addressModeU = addressMode(s.u, caps);
  info.addressModeV = addressMode(s.v, caps);
  info.addressModeW = addressMode(s.w, caps);
  if (s.maxAnisotropy > 1 && caps.samplerAnisotropy) {
    info.anisotropyEnable = VK_TRUE;
    info.maxAnisotropy = std::min(static_cast<float>(s.maxAnisotropy), caps.maxAnisotropy);
  }
  if (as.compare) {
    info.compareEnable = VK_TRUE;
    info.compareOp = compareOp(*as.compare);
  }
  VkSamplerCustomBorderColorCreateInfoEXT custom{
      VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT};
  info.borderColor = standardBorder(color);
  if (!standard && caps.customBorderColor) {
    info.pNext = &custom;
    info.borderColor = VK_BORDER_COLOR_FLOAT_CUSTOM_EXT;
    for (size_t i = 0; i < color.size(); ++i) custom.customBorderColor.uint32[i] = color[i];
  }
  VkSamplerBorderColorComponentMappingCreateInfoEXT mapping{
      VK_STRUCTURE_TYPE_SAMPLER_BORDER_COLOR_COMPONENT_MAPPING_CREATE_INFO_EXT};
  if (mapped) {
    mapping.components = components.mapping();
    mapping.srgb = as.srgb;
    mapping.pNext = info.pNext;
    info.pNext = &mapping;
  }
  CachedSampler sampler;
  const VkResult result =
      m_gpu.device->vk().CreateSampler(m_gpu.device->handle(), &info, nullptr, &sampler.handle);
  if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateSampler");
  sampler.serial = m_nextSerial++;
  const auto made = m_samplers.emplace(key, Entry{sampler, std::move(charge)}).first;
  m_shares.add(owner, &made->first);
  return sampler;
}

}  // namespace aerogpu::vk
