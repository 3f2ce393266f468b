// SPDX-License-Identifier: MIT
#include "renderer/core/announced.h"

#include <algorithm>
#include <bit>

#include "renderer/core/caps_base.h"
#include "renderer/core/format.h"

namespace aerogpu::core {

Announced::Announced(const Backend& backend)
    : m_ownLimits(backend.limits()), m_limits(m_ownLimits), m_told(m_ownLimits) {
  for (const FormatInfo& info : allFormats()) m_ownFormats[info.format] = backend.formatCaps(info.format);
  m_formats = m_ownFormats;
}

void Announced::intersect(const BackendLimits& limits, const std::map<uint32_t, FormatCaps>& formats) {
  const auto lower = [](auto& ours, auto theirs) { ours = std::min(ours, theirs); };
  lower(m_limits.maxTextureSize, limits.maxTextureSize);
  lower(m_limits.maxVolumeSize, limits.maxVolumeSize);
  lower(m_limits.maxCubeSize, limits.maxCubeSize);
  lower(m_limits.maxArrayLayers, limits.maxArrayLayers);
  lower(m_limits.maxBufferBytes, limits.maxBufferBytes);
  lower(m_limits.maxAnisotropy, limits.maxAnisotropy);
  lower(m_limits.maxColorTargets, limits.maxColorTargets);
  lower(m_limits.maxClipPlanes, limits.maxClipPlanes);
  lower(m_limits.maxPointSize, limits.maxPointSize);
  m_limits.colorSamples &= limits.colorSamples;
  m_limits.depthSamples &= limits.depthSamples;
  m_limits.capsFlags &= limits.capsFlags;
  m_limits.missingVertexTypes |= limits.missingVertexTypes;
  for (auto& [format, ours] : m_formats) {
    const auto theirs = formats.find(format);
    ours.caps &= theirs == formats.end() ? 0 : theirs->second.caps;
    ours.samples &= theirs == formats.end() ? 0 : theirs->second.samples;
  }
}

bool Announced::restrictTo(std::string_view set) {
  if (set == "host") return true;
  if (set != "base" && set != "base-1") return false;
  intersect(base1Limits(), base1Formats());
  m_told = m_limits;
  return true;
}

void Announced::moveTo(const Backend& backend, const CapsBlock& promised) {
  *this = Announced(backend);
  adopt(promised);
}

void Announced::adopt(const CapsBlock& promised) {
  const aerogpu_caps& caps = promised.caps;
  BackendLimits limits;
  limits.maxTextureSize = caps.max_texture_2d;
  limits.maxVolumeSize = caps.max_texture_volume;
  limits.maxCubeSize = caps.max_texture_cube;
  limits.maxArrayLayers = caps.max_array_layers;
  limits.maxBufferBytes = caps.max_buffer_bytes;
  limits.maxAnisotropy = caps.max_anisotropy;
  limits.colorSamples = caps.color_samples;
  limits.depthSamples = caps.depth_samples;
  limits.capsFlags = caps.flags;
  limits.maxColorTargets = caps.max_color_targets;
  limits.maxClipPlanes = caps.max_clip_planes;
  limits.maxPointSize = std::bit_cast<float>(caps.max_point_size_f32);
  limits.missingVertexTypes = caps.missing_vertex_types;
  m_limits = m_ownLimits;
  m_formats = m_ownFormats;
  intersect(limits, promised.formats);
  m_told = limits;
  m_lacking.clear();
  m_noted.clear();
  for (const auto& [format, told] : promised.formats) {
    const auto own = m_ownFormats.find(format);
    if (own == m_ownFormats.end()) continue;
    m_lacking[format] = {told.caps & ~own->second.caps, told.samples & ~own->second.samples};
  }
}

}  // namespace aerogpu::core
