// SPDX-License-Identifier: MIT
#include "renderer/core/caps.h"

#include <algorithm>
#include <cstring>

#include "aerogpu/aerogpu_caps.h"
#include "aerogpu/aerogpu_extension.h"
#include "renderer/core/spaces.h"

namespace aerogpu::core {

namespace {

constexpr size_t kMostOfAName = 512;  // Vulkan's have 256 bytes at most, a driver is two of them
static_assert(sizeof(aerogpu_caps) + 2 * (kMostOfAName + 1) <= AEROGPU_EXT_REG_CAPS_BYTES);

/// Appends a name with its zero; returns where it lies.
uint32_t append(std::vector<uint8_t>& block, const char* name) {
  const auto offset = static_cast<uint32_t>(block.size());
  const size_t length = std::min(std::strlen(name), kMostOfAName);
  block.insert(block.end(), name, name + length);
  block.push_back(0);
  return offset;
}

}  // namespace

std::vector<uint8_t> capsBlock(const Backend& backend, uint64_t maxHostmem) {
  const BackendLimits& limits = backend.limits();
  std::vector<uint8_t> block(sizeof(aerogpu_caps));
  aerogpu_caps caps{};
  caps.magic = AEROGPU_CAPS_MAGIC;
  caps.version = AEROGPU_CAPS_VERSION;
  caps.struct_bytes = sizeof caps;
  caps.device_name_offset = append(block, backend.deviceName());
  caps.driver_name_offset = append(block, backend.driverName());
  caps.max_texture_2d = limits.maxTextureSize;
  caps.max_texture_volume = limits.maxVolumeSize;
  caps.max_texture_cube = limits.maxCubeSize;
  caps.max_array_layers = limits.maxArrayLayers;
  caps.max_anisotropy = limits.maxAnisotropy;
  caps.color_samples = limits.colorSamples;
  caps.depth_samples = limits.depthSamples;
  caps.max_objects = Spaces::kMaxObjects;
  caps.max_buffer_bytes = limits.maxBufferBytes;
  caps.max_host_bytes = maxHostmem;
  caps.size_bytes = static_cast<uint32_t>(block.size());
  std::memcpy(block.data(), &caps, sizeof caps);
  return block;
}

}  // namespace aerogpu::core
