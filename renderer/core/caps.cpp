// SPDX-License-Identifier: MIT
#include "renderer/core/caps.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "aerogpu/aerogpu_caps.h"
#include "aerogpu/aerogpu_extension.h"
#include "renderer/core/announced.h"
#include "renderer/core/input_layout.h"
#include "renderer/core/spaces.h"

namespace aerogpu::core {

namespace {

constexpr size_t kMostOfAName = 512;  // Vulkan's names have 256 bytes at most, a driver has two
constexpr size_t kMostFormats = 176;
static_assert(sizeof(aerogpu_caps) + kMostFormats * sizeof(aerogpu_format_caps) + 2 * (kMostOfAName + 1) <=
              AEROGPU_EXT_REG_CAPS_BYTES);

/// Appends a name with its zero and returns its offset.
uint32_t append(std::vector<uint8_t>& block, const char* name) {
  const auto offset = static_cast<uint32_t>(block.size());
  const size_t length = std::min(std::strlen(name), kMostOfAName);
  block.insert(block.end(), name, name + length);
  block.push_back(0);
  return offset;
}

/// Appends the uses of textures of each format.
uint32_t appendFormats(std::vector<uint8_t>& block, const Announced& announced, uint32_t& count) {
  const auto offset = static_cast<uint32_t>(block.size());
  count = 0;
  for (const FormatInfo& info : allFormats()) {
    if (count == kMostFormats) break;
    const FormatCaps can = announced.formatCaps(info.format);
    const aerogpu_format_caps entry{static_cast<uint32_t>(info.format), can.caps, can.samples, 0};
    const auto* bytes = reinterpret_cast<const uint8_t*>(&entry);
    block.insert(block.end(), bytes, bytes + sizeof entry);
    ++count;
  }
  return offset;
}

}  // namespace

namespace {

/// Returns what beside vertex elements is possible.
uint32_t possibleTextureCaps(const FormatInfo& format) {
  if (format.isYuv()) return AEROGPU_FORMAT_CAP_BLIT_SRC;
  if (format.isInteger()) {
    constexpr uint32_t kRead =
        AEROGPU_FORMAT_CAP_SAMPLE | AEROGPU_FORMAT_CAP_VERTEX_SAMPLE | AEROGPU_FORMAT_CAP_CUBE;
    if (!rendersPlainly(format)) return kRead;
    return kRead | AEROGPU_FORMAT_CAP_VOLUME | AEROGPU_FORMAT_CAP_TARGET;
  }
  uint32_t caps = AEROGPU_FORMAT_CAP_SAMPLE | AEROGPU_FORMAT_CAP_FILTER | AEROGPU_FORMAT_CAP_VERTEX_SAMPLE |
                  AEROGPU_FORMAT_CAP_CUBE | AEROGPU_FORMAT_CAP_BORDER;
  if (isGathered(format)) caps |= AEROGPU_FORMAT_CAP_GATHER;
  if (format.depth) {
    caps |= AEROGPU_FORMAT_CAP_DEPTH;
    if (format.stencil) caps |= AEROGPU_FORMAT_CAP_STENCIL;
    return format.compares ? caps | AEROGPU_FORMAT_CAP_COMPARE : caps;
  }
  if (format.shows != FormatInfo::Shows::Texels) return caps;
  caps |= AEROGPU_FORMAT_CAP_VOLUME;
  if (hasSrgbTwin(format) || decodedByShader(format)) caps |= AEROGPU_FORMAT_CAP_SRGB_READ;
  if (!takesColors(format)) return caps;
  caps |= AEROGPU_FORMAT_CAP_BLIT_SRC | AEROGPU_FORMAT_CAP_BLIT_DST | AEROGPU_FORMAT_CAP_AUTO_MIPS;
  if (!rendersPlainly(format)) return caps;
  caps |= AEROGPU_FORMAT_CAP_TARGET | AEROGPU_FORMAT_CAP_BLEND;
  return hasSrgbTwin(format) ? caps | AEROGPU_FORMAT_CAP_SRGB_WRITE : caps;
}

/// True if elements of EXT_CREATE_LAYOUT can have the format.
bool isOfVertices(const FormatInfo& format) {
  return isDxgi(format.format) && !format.typeless && !format.depth && !format.srgb &&
         format.format != AEROGPU_FORMAT_DXGI_B8G8R8X8_UNORM &&
         dxgiVertexBytes(uint32_t{format.format} - kFirstDxgiFormat) != 0;
}

}  // namespace

uint32_t possibleFormatCaps(const FormatInfo& format) {
  return possibleTextureCaps(format) | (isOfVertices(format) ? AEROGPU_FORMAT_CAP_VERTEX : 0);
}

std::vector<uint8_t> capsBlock(const Backend& backend, const Announced& announced, uint64_t maxHostmem) {
  const BackendLimits& limits = announced.limits();
  std::vector<uint8_t> block(sizeof(aerogpu_caps));
  aerogpu_caps caps{};
  caps.magic = AEROGPU_CAPS_MAGIC;
  caps.version = AEROGPU_CAPS_VERSION;
  caps.struct_bytes = sizeof caps;
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
  caps.formats_offset = appendFormats(block, announced, caps.format_count);
  caps.device_name_offset = append(block, backend.deviceName());
  caps.driver_name_offset = append(block, backend.driverName());
  caps.format_entry_bytes = sizeof(aerogpu_format_caps);
  caps.flags = limits.capsFlags;
  caps.max_vertex_streams = kMaxVertexStreams;
  caps.max_clip_planes = limits.maxClipPlanes;
  caps.max_color_targets = limits.maxColorTargets;
  caps.max_point_size_f32 = std::bit_cast<uint32_t>(limits.maxPointSize);
  caps.missing_vertex_types = limits.missingVertexTypes;
  caps.size_bytes = static_cast<uint32_t>(block.size());
  std::memcpy(block.data(), &caps, sizeof caps);
  return block;
}

}  // namespace aerogpu::core
