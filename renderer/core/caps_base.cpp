// SPDX-License-Identifier: MIT
#include "renderer/core/caps_base.h"

#include <initializer_list>

#include "aerogpu/aerogpu_caps.h"
#include "aerogpu/aerogpu_format.h"

namespace aerogpu::core {

namespace {

// Uses that most formats share.
constexpr uint32_t kSampled = AEROGPU_FORMAT_CAP_SAMPLE | AEROGPU_FORMAT_CAP_VERTEX_SAMPLE |
                              AEROGPU_FORMAT_CAP_CUBE | AEROGPU_FORMAT_CAP_BORDER;
constexpr uint32_t kFiltered = kSampled | AEROGPU_FORMAT_CAP_FILTER | AEROGPU_FORMAT_CAP_VOLUME;
constexpr uint32_t kBlitted =
    kFiltered | AEROGPU_FORMAT_CAP_BLIT_SRC | AEROGPU_FORMAT_CAP_BLIT_DST | AEROGPU_FORMAT_CAP_AUTO_MIPS;
constexpr uint32_t kTarget = kBlitted | AEROGPU_FORMAT_CAP_TARGET;
constexpr uint32_t kBlended = kTarget | AEROGPU_FORMAT_CAP_BLEND;
constexpr uint32_t kSrgbRead = AEROGPU_FORMAT_CAP_SRGB_READ, kGather = AEROGPU_FORMAT_CAP_GATHER;
constexpr uint32_t kSrgb = kSrgbRead | AEROGPU_FORMAT_CAP_SRGB_WRITE;
constexpr uint32_t kDepth = kSampled | AEROGPU_FORMAT_CAP_DEPTH;
constexpr uint32_t kOneOrFour = 1 | 1 << 2;

struct Group {
  uint32_t caps, samples;
  std::initializer_list<aerogpu_format> formats;
};

std::map<uint32_t, FormatCaps> makeFormats() {
  const Group groups[] = {
      {kBlended | kSrgb,
       kOneOrFour,
       {AEROGPU_FORMAT_B8G8R8A8_UNORM, AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, AEROGPU_FORMAT_B8G8R8X8_UNORM,
        AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB, AEROGPU_FORMAT_R8G8B8A8_UNORM, AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB,
        AEROGPU_FORMAT_R8G8B8X8_UNORM, AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB}},
      {kBlended | kSrgbRead,
       kOneOrFour,
       {AEROGPU_FORMAT_B5G6R5_UNORM, AEROGPU_FORMAT_B5G5R5A1_UNORM, AEROGPU_FORMAT_D3D9_X1R5G5B5}},
      // NVIDIA's GPUs sample 4 bits a channel, but do not draw them.
      {kFiltered | kSrgbRead | AEROGPU_FORMAT_CAP_BLIT_SRC,
       0,
       {AEROGPU_FORMAT_D3D9_A4R4G4B4, AEROGPU_FORMAT_D3D9_X4R4G4B4}},
      {kBlended,
       kOneOrFour,
       {AEROGPU_FORMAT_D3D9_A2B10G10R10, AEROGPU_FORMAT_D3D9_A2R10G10B10, AEROGPU_FORMAT_D3D9_G16R16,
        AEROGPU_FORMAT_D3D9_A16B16G16R16, AEROGPU_FORMAT_D3D9_G16R16F, AEROGPU_FORMAT_D3D9_A16B16G16R16F,
        AEROGPU_FORMAT_D3D9_G32R32F, AEROGPU_FORMAT_D3D9_A32B32G32R32F}},
      {kBlended | kGather,
       kOneOrFour,
       {AEROGPU_FORMAT_D3D9_L8, AEROGPU_FORMAT_D3D9_L16, AEROGPU_FORMAT_D3D9_R16F, AEROGPU_FORMAT_D3D9_R32F}},
      {kTarget,
       kOneOrFour,
       {AEROGPU_FORMAT_D3D9_V8U8, AEROGPU_FORMAT_D3D9_Q8W8V8U8, AEROGPU_FORMAT_D3D9_V16U16,
        AEROGPU_FORMAT_D3D9_Q16W16V16U16}},
      {kBlitted,
       0,
       {AEROGPU_FORMAT_D3D9_R8G8B8, AEROGPU_FORMAT_D3D9_A8L8, AEROGPU_FORMAT_D3D9_A4L4,
        AEROGPU_FORMAT_D3D9_L6V5U5, AEROGPU_FORMAT_D3D9_X8L8V8U8, AEROGPU_FORMAT_D3D9_A2W10V10U10}},
      {kBlitted | kGather, 0, {AEROGPU_FORMAT_D3D9_A8}},
      {kFiltered | kSrgbRead,
       0,
       {AEROGPU_FORMAT_BC1_RGBA_UNORM, AEROGPU_FORMAT_BC1_RGBA_UNORM_SRGB, AEROGPU_FORMAT_BC2_RGBA_UNORM,
        AEROGPU_FORMAT_BC2_RGBA_UNORM_SRGB, AEROGPU_FORMAT_BC3_RGBA_UNORM, AEROGPU_FORMAT_BC3_RGBA_UNORM_SRGB,
        AEROGPU_FORMAT_BC7_RGBA_UNORM, AEROGPU_FORMAT_BC7_RGBA_UNORM_SRGB}},
      {kFiltered, 0, {AEROGPU_FORMAT_D3D9_ATI1, AEROGPU_FORMAT_D3D9_ATI2}},
      {kDepth | AEROGPU_FORMAT_CAP_COMPARE | AEROGPU_FORMAT_CAP_STENCIL,
       kOneOrFour,
       {AEROGPU_FORMAT_D24_UNORM_S8_UINT}},
      {kDepth | AEROGPU_FORMAT_CAP_COMPARE, kOneOrFour, {AEROGPU_FORMAT_D32_FLOAT, AEROGPU_FORMAT_D3D9_D16}},
      {kDepth | AEROGPU_FORMAT_CAP_STENCIL | kGather,
       kOneOrFour,
       {AEROGPU_FORMAT_D3D9_INTZ, AEROGPU_FORMAT_D3D9_DF24}},
      {kDepth | kGather, kOneOrFour, {AEROGPU_FORMAT_D3D9_DF16}},
      {AEROGPU_FORMAT_CAP_BLIT_SRC,
       0,
       {AEROGPU_FORMAT_D3D9_UYVY, AEROGPU_FORMAT_D3D9_YUY2, AEROGPU_FORMAT_D3D9_NV12,
        AEROGPU_FORMAT_D3D9_YV12}},
  };
  std::map<uint32_t, FormatCaps> formats;
  for (const Group& group : groups)
    for (const aerogpu_format format : group.formats) formats[format] = {group.caps, group.samples};
  return formats;
}

}  // namespace

const BackendLimits& base1Limits() {
  static const BackendLimits limits{
      .maxTextureSize = 16384,
      .maxVolumeSize = 2048,
      .maxCubeSize = 16384,
      .maxArrayLayers = 2048,
      .maxBufferBytes = uint64_t{1} << 30,
      .maxAnisotropy = 16,
      .colorSamples = kOneOrFour,
      .depthSamples = kOneOrFour,
      .capsFlags = AEROGPU_CAPS_BORDER_COLORS | AEROGPU_CAPS_MIRROR_ONCE | AEROGPU_CAPS_TRIANGLE_FANS |
                   AEROGPU_CAPS_OCCLUSION_COUNTS | AEROGPU_CAPS_STREAM_STEPS | AEROGPU_CAPS_FILL_MODES,
      .maxColorTargets = 8,
      .maxClipPlanes = 6,
      .maxPointSize = 255,
      .missingVertexTypes = 0,
  };
  return limits;
}

const std::map<uint32_t, FormatCaps>& base1Formats() {
  static const std::map<uint32_t, FormatCaps> formats = makeFormats();
  return formats;
}

}  // namespace aerogpu::core
