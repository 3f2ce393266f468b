// SPDX-License-Identifier: MIT
// The table of format.h. DXGI names list 16-bit formats from the lowest bit (B5G6R5: blue in bits 0-4),
// Vulkan's PACK16 names and Direct3D 9's names from the highest, hence R5G6B5 and A1R5G5B5.
#include "renderer/vulkan/objects/format.h"

#include <algorithm>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/caps.h"
#include "renderer/core/input_layout.h"
#include "renderer/vulkan/objects/dxgi_format.h"

namespace aerogpu::vk {
namespace {

constexpr Components kSame{}, kOpaque{0, 0, 0, k1};

struct Row {
  aerogpu_format format;
  VkFormat linear, srgb;
  Components components{};
  Conversion conversion = Conversion::None;
};

constexpr Row kRows[] = {
    {AEROGPU_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB},
    {AEROGPU_FORMAT_B8G8R8X8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB, kOpaque},
    {AEROGPU_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB},
    {AEROGPU_FORMAT_R8G8B8X8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, kOpaque},
    {AEROGPU_FORMAT_B5G6R5_UNORM, VK_FORMAT_R5G6B5_UNORM_PACK16, VK_FORMAT_UNDEFINED, kOpaque},
    {AEROGPU_FORMAT_B5G5R5A1_UNORM, VK_FORMAT_A1R5G5B5_UNORM_PACK16, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB},
    {AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB, kOpaque},
    {AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB},
    {AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, kOpaque},
    {AEROGPU_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_D32_FLOAT, VK_FORMAT_D32_SFLOAT, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_BC1_RGBA_UNORM, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_FORMAT_BC1_RGBA_SRGB_BLOCK},
    {AEROGPU_FORMAT_BC1_RGBA_UNORM_SRGB, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_FORMAT_BC1_RGBA_SRGB_BLOCK},
    {AEROGPU_FORMAT_BC2_RGBA_UNORM, VK_FORMAT_BC2_UNORM_BLOCK, VK_FORMAT_BC2_SRGB_BLOCK},
    {AEROGPU_FORMAT_BC2_RGBA_UNORM_SRGB, VK_FORMAT_BC2_UNORM_BLOCK, VK_FORMAT_BC2_SRGB_BLOCK},
    {AEROGPU_FORMAT_BC3_RGBA_UNORM, VK_FORMAT_BC3_UNORM_BLOCK, VK_FORMAT_BC3_SRGB_BLOCK},
    {AEROGPU_FORMAT_BC3_RGBA_UNORM_SRGB, VK_FORMAT_BC3_UNORM_BLOCK, VK_FORMAT_BC3_SRGB_BLOCK},
    {AEROGPU_FORMAT_BC7_RGBA_UNORM, VK_FORMAT_BC7_UNORM_BLOCK, VK_FORMAT_BC7_SRGB_BLOCK},
    {AEROGPU_FORMAT_BC7_RGBA_UNORM_SRGB, VK_FORMAT_BC7_UNORM_BLOCK, VK_FORMAT_BC7_SRGB_BLOCK},
    {AEROGPU_FORMAT_D3D9_R8G8B8, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_UNDEFINED, kOpaque, Conversion::R8G8B8},
    {AEROGPU_FORMAT_D3D9_X1R5G5B5, VK_FORMAT_A1R5G5B5_UNORM_PACK16, VK_FORMAT_UNDEFINED, kOpaque},
    {AEROGPU_FORMAT_D3D9_A4R4G4B4, VK_FORMAT_A4R4G4B4_UNORM_PACK16, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_D3D9_X4R4G4B4, VK_FORMAT_A4R4G4B4_UNORM_PACK16, VK_FORMAT_UNDEFINED, kOpaque},
    {AEROGPU_FORMAT_D3D9_A8, VK_FORMAT_R8_UNORM, VK_FORMAT_UNDEFINED, {k0, k0, k0, kR}},
    {AEROGPU_FORMAT_D3D9_A2B10G10R10, VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_D3D9_A2R10G10B10, VK_FORMAT_A2R10G10B10_UNORM_PACK32, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_D3D9_G16R16, VK_FORMAT_R16G16_UNORM, VK_FORMAT_UNDEFINED, {0, 0, k1, k1}},
    {AEROGPU_FORMAT_D3D9_A16B16G16R16, VK_FORMAT_R16G16B16A16_UNORM, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_D3D9_L8, VK_FORMAT_R8_UNORM, VK_FORMAT_UNDEFINED, {kR, kR, kR, k1}},
    {AEROGPU_FORMAT_D3D9_A8L8, VK_FORMAT_R8G8_UNORM, VK_FORMAT_UNDEFINED, {kR, kR, kR, kG}},
    {AEROGPU_FORMAT_D3D9_A4L4, VK_FORMAT_R4G4_UNORM_PACK8, VK_FORMAT_UNDEFINED, {kG, kG, kG, kR}},
    {AEROGPU_FORMAT_D3D9_L16, VK_FORMAT_R16_UNORM, VK_FORMAT_UNDEFINED, {kR, kR, kR, k1}},
    {AEROGPU_FORMAT_D3D9_V8U8, VK_FORMAT_R8G8_SNORM, VK_FORMAT_UNDEFINED, {0, 0, k1, k1}},
    {AEROGPU_FORMAT_D3D9_L6V5U5, VK_FORMAT_R16G16B16A16_SNORM, VK_FORMAT_UNDEFINED, kOpaque,
     Conversion::L6V5U5},
    {AEROGPU_FORMAT_D3D9_X8L8V8U8, VK_FORMAT_R16G16B16A16_SNORM, VK_FORMAT_UNDEFINED, kOpaque,
     Conversion::X8L8V8U8},
    {AEROGPU_FORMAT_D3D9_Q8W8V8U8, VK_FORMAT_R8G8B8A8_SNORM, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_D3D9_V16U16, VK_FORMAT_R16G16_SNORM, VK_FORMAT_UNDEFINED, {0, 0, k1, k1}},
    {AEROGPU_FORMAT_D3D9_A2W10V10U10, VK_FORMAT_R16G16B16A16_SNORM, VK_FORMAT_UNDEFINED, kSame,
     Conversion::A2W10V10U10},
    {AEROGPU_FORMAT_D3D9_Q16W16V16U16, VK_FORMAT_R16G16B16A16_SNORM, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_D3D9_R16F, VK_FORMAT_R16_SFLOAT, VK_FORMAT_UNDEFINED, {0, k1, k1, k1}},
    {AEROGPU_FORMAT_D3D9_G16R16F, VK_FORMAT_R16G16_SFLOAT, VK_FORMAT_UNDEFINED, {0, 0, k1, k1}},
    {AEROGPU_FORMAT_D3D9_A16B16G16R16F, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_D3D9_R32F, VK_FORMAT_R32_SFLOAT, VK_FORMAT_UNDEFINED, {0, k1, k1, k1}},
    {AEROGPU_FORMAT_D3D9_G32R32F, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_UNDEFINED, {0, 0, k1, k1}},
    {AEROGPU_FORMAT_D3D9_A32B32G32R32F, VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_D3D9_ATI1, VK_FORMAT_BC4_UNORM_BLOCK, VK_FORMAT_UNDEFINED, {kR, kR, kR, kR}},
    {AEROGPU_FORMAT_D3D9_ATI2, VK_FORMAT_BC5_UNORM_BLOCK, VK_FORMAT_UNDEFINED, {kG, kR, k1, k1}},
    {AEROGPU_FORMAT_D3D9_D16, VK_FORMAT_D16_UNORM, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_D3D9_INTZ, VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_UNDEFINED, {kR, kR, kR, kR}},
    {AEROGPU_FORMAT_D3D9_DF16, VK_FORMAT_D16_UNORM, VK_FORMAT_UNDEFINED, {kR, k0, k0, k1}},
    // A texel is a pixel's part of its pair: luma, and U or V.
    {AEROGPU_FORMAT_D3D9_YUY2, VK_FORMAT_R8G8_UNORM, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_D3D9_UYVY, VK_FORMAT_R8G8_UNORM, VK_FORMAT_UNDEFINED, {kG, kR, 0, 0}},
    // The planes' bytes, row by row of the texture.
    {AEROGPU_FORMAT_D3D9_NV12, VK_FORMAT_R8_UNORM, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_D3D9_YV12, VK_FORMAT_R8_UNORM, VK_FORMAT_UNDEFINED},
    {AEROGPU_FORMAT_D3D9_DF24, VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_UNDEFINED, {kR, k0, k0, k1}},
};

/// Replaces a format that Vulkan 1.3 does not require by one that it requires of every GPU. The bits of a
/// texel stay in place, so channels differ in place, which sampling can undo and rendering cannot.
void fallBack(VkFormatInfo& out, const DeviceCaps& caps) {
  const auto use = [&](VkFormat format, const Components& components) {
    out.linear = format;
    const bool opaque = out.info->opaque;
    out.components = components;
    if (opaque) out.components.a = k1;
    out.plain = false;
  };
  if (out.linear == VK_FORMAT_D24_UNORM_S8_UINT && !caps.d24s8) out.linear = VK_FORMAT_D32_SFLOAT_S8_UINT;
  if (out.linear == VK_FORMAT_A4R4G4B4_UNORM_PACK16 && !caps.a4r4g4b4)
    use(VK_FORMAT_B4G4R4A4_UNORM_PACK16, {kG, kR, kA, kB});
  if (out.linear == VK_FORMAT_A2R10G10B10_UNORM_PACK32 && !caps.a2r10g10b10)
    use(VK_FORMAT_A2B10G10R10_UNORM_PACK32, {kB, kG, kR, kA});
  if (out.linear == VK_FORMAT_R4G4_UNORM_PACK8 && !caps.r4g4) {
    use(VK_FORMAT_R8G8_UNORM, {kR, kR, kR, kG});
    out.conversion = Conversion::A4L4;
  }
}

}  // namespace

shader::BlitOutput VkFormatInfo::blitOutput() const {
  shader::BlitOutput out;
  const uint8_t views[4] = {components.r, components.g, components.b, components.a};
  for (uint8_t i = 0; i < 4; ++i) {
    // True for the first channel of a color that is read from this one.
    const auto shown = [&](uint8_t c) { return views[c] == 0 ? c == i : views[c] == kR + i; };
    uint8_t c = 0;
    while (c < 4 && !shown(c)) ++c;
    out.from[i] = c < 4 ? c : i;
    if (conversion == Conversion::None) continue;
    const core::Channel& channel = info->channels[out.from[i]];
    if (!channel.stored()) {
      out.from[i] = shader::BlitOutput::kOne;
      continue;
    }
    const bool isUneven = channel.type == core::Channel::Type::SnormUneven;
    const bool isSigned = channel.type == core::Channel::Type::Snorm || isUneven;
    out.uneven |= isUneven;
    const int steps = (1 << (isSigned ? channel.bits - 1 : channel.bits)) - 1;
    out.steps[i] = static_cast<int16_t>(isSigned ? -steps : steps);
  }
  return out;
}

std::array<uint8_t, 4> VkFormatInfo::narrow() const {
  std::array<uint8_t, 4> steps{};
  bool narrow = false;
  for (size_t i = 0; i < steps.size(); ++i) {
    // Signed channels of so few bits are kept in wider ones.
    const core::Channel& channel = info->channels[i];
    if (channel.type != core::Channel::Type::Unorm || channel.bits > 8) continue;
    steps[i] = static_cast<uint8_t>((1u << channel.bits) - 1);
    narrow |= channel.bits < 8;
  }
  return narrow ? steps : std::array<uint8_t, 4>{};
}

std::vector<VkFormat> viewFormats(const VkFormatInfo& format) {
  if (!format.info->typeless)
    return format.srgb == VK_FORMAT_UNDEFINED ? std::vector<VkFormat>{}
                                              : std::vector{format.linear, format.srgb};
  std::vector<VkFormat> out;
  const auto add = [&](VkFormat one) {
    if (one != VK_FORMAT_UNDEFINED && std::ranges::find(out, one) == out.end()) out.push_back(one);
  };
  for (const core::FormatInfo& info : core::allFormats()) {
    if (info.family != format.info->format) continue;
    const DxgiFormat* row = findDxgi(uint32_t{info.format} - core::kFirstDxgiFormat);
    add(row->linear);
    add(row->srgb);
  }
  return out;
}

VkFormat numbersOf(const core::FormatInfo& format) {
  if (!format.isInteger()) return VK_FORMAT_R32_SFLOAT;
  return format.channels[0].type == core::Channel::Type::Sint ? VK_FORMAT_R32_SINT : VK_FORMAT_R32_UINT;
}

Result<VkFormatInfo> mapFormat(const Device& device, aerogpu_format format) {
  if (core::isDxgi(format)) {
    const DxgiFormat* row = findDxgi(uint32_t{format} - core::kFirstDxgiFormat);
    const core::FormatInfo* info = core::findFormat(format);
    if (!row || !info) return Error{ErrorCode::Backend, "format unknown to the Vulkan back end", {}};
    VkFormatInfo out;
    out.linear = row->linear;
    out.srgb = row->srgb;
    out.components = row->components;
    out.info = info;
    out.plain = core::rendersPlainly(*info);
    fallBack(out, device.caps());
    return out;
  }
  for (const Row& row : kRows) {
    if (row.format != format) continue;
    VkFormatInfo out;
    out.linear = row.linear;
    out.srgb = row.srgb;
    out.components = row.components;
    out.conversion = row.conversion;
    out.info = core::findFormat(format);
    out.plain = core::rendersPlainly(*out.info) && row.conversion == Conversion::None;
    fallBack(out, device.caps());
    return out;
  }
  return Error{ErrorCode::Backend, "format unknown to the Vulkan back end", {}};
}

core::FormatCaps formatCaps(const Device& device, aerogpu_format format) {
  const auto mapped = mapFormat(device, format);
  if (!mapped) return {};
  const VkFormatInfo& f = *mapped;
  const DeviceCaps& can = device.caps();
  if (f.info->blockPixels > 1 && !can.blockCompression) return {};
  const VkFormatFeatureFlags features = device.formatFeatures(f.linear);
  const auto has = [&](VkFormatFeatureFlags bits) { return (features & bits) == bits; };
  uint32_t caps = core::possibleFormatCaps(*f.info);
  const auto needs = [&](bool there, uint32_t bits) {
    if (!there) caps &= ~bits;
  };
  constexpr VkFormatFeatureFlags kMoved =
      VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
  const bool sampled = has(VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT);
  const bool isDepth = f.info->depth || f.info->shows != core::FormatInfo::Shows::Texels;
  if (!has(kMoved) || (!isDepth && !sampled) ||
      (isDepth && !has(VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)))
    return {};
  constexpr uint32_t kSampling = AEROGPU_FORMAT_CAP_SAMPLE | AEROGPU_FORMAT_CAP_VERTEX_SAMPLE |
                                 AEROGPU_FORMAT_CAP_FILTER | AEROGPU_FORMAT_CAP_COMPARE |
                                 AEROGPU_FORMAT_CAP_SRGB_READ | AEROGPU_FORMAT_CAP_CUBE |
                                 AEROGPU_FORMAT_CAP_VOLUME | AEROGPU_FORMAT_CAP_BLIT_SRC |
                                 AEROGPU_FORMAT_CAP_BORDER | AEROGPU_FORMAT_CAP_GATHER;
  needs(sampled, kSampling);
  needs(has(VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT), AEROGPU_FORMAT_CAP_FILTER);
  needs(can.customBorderColor && (can.borderColorSwizzle || f.components == Components{}),
        AEROGPU_FORMAT_CAP_BORDER);
  const bool target = f.plain && has(VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT);
  needs(target, AEROGPU_FORMAT_CAP_TARGET | AEROGPU_FORMAT_CAP_BLEND | AEROGPU_FORMAT_CAP_SRGB_WRITE);
  const bool attached = f.drawn() && has(VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT);
  needs(attached, AEROGPU_FORMAT_CAP_BLIT_DST | AEROGPU_FORMAT_CAP_AUTO_MIPS);
  needs(has(VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT), AEROGPU_FORMAT_CAP_BLEND);
  if (caps & AEROGPU_FORMAT_CAP_VERTEX) {
    const VkFormat element = dxgiVertexFormat(uint32_t{format} - core::kFirstDxgiFormat);
    needs(device.bufferFormatFeatures(element) & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT,
          AEROGPU_FORMAT_CAP_VERTEX);
  }
  if (f.srgb != VK_FORMAT_UNDEFINED) {
    const VkFormatFeatureFlags twin = device.formatFeatures(f.srgb);
    needs(twin & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT, AEROGPU_FORMAT_CAP_SRGB_READ);
    needs(twin & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT, AEROGPU_FORMAT_CAP_SRGB_WRITE);
  }

  VkImageCreateInfo image{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  image.format = f.linear;
  image.extent = {4, 4, 1};
  image.mipLevels = image.arrayLayers = 1;
  image.samples = VK_SAMPLE_COUNT_1_BIT;
  image.tiling = VK_IMAGE_TILING_OPTIMAL;
  image.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  if (sampled) image.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
  image.imageType = VK_IMAGE_TYPE_3D;
  needs(device.fits(image), AEROGPU_FORMAT_CAP_VOLUME);
  image.imageType = VK_IMAGE_TYPE_2D;
  if (isDepth)
    image.usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  else if (attached)
    image.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  image.arrayLayers = 6;
  image.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  needs(device.fits(image), AEROGPU_FORMAT_CAP_CUBE);
  core::FormatCaps out{caps, 0};
  if (!f.info->depth && !target) return out;
  // DXF-12
  if (f.info->isInteger()) {
    out.samples = 1;
    return out;
  }
  image.arrayLayers = 1;
  image.flags = 0;
  const VkPhysicalDeviceLimits& limits = device.limits();
  const VkSampleCountFlags drawn =
      f.info->depth ? limits.framebufferDepthSampleCounts &
                          (f.info->stencil ? limits.framebufferStencilSampleCounts : ~VkSampleCountFlags{0})
                    : limits.framebufferColorSampleCounts;
  for (uint32_t samples = 1; samples <= 16; samples *= 2) {
    image.samples = static_cast<VkSampleCountFlagBits>(samples);
    if ((drawn & samples) && device.fits(image)) out.samples |= samples;  // bit n: 2^n
  }
  return out;
}

}  // namespace aerogpu::vk
