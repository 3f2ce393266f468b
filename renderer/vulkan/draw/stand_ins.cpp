// SPDX-License-Identifier: MIT
#include "renderer/vulkan/draw/stand_ins.h"

#include <cstring>

#include "renderer/vulkan/draw/sampled_view.h"

namespace aerogpu::vk {
namespace {

constexpr uint64_t kZeroBytes = 65536;  // the largest constant buffer
// Floats, and integers without and with sign.
constexpr aerogpu_format kZeros[3] = {AEROGPU_FORMAT_B8G8R8A8_UNORM, AEROGPU_FORMAT_DXGI_R8G8B8A8_UINT,
                                      AEROGPU_FORMAT_DXGI_R8G8B8A8_SINT};
// With all channels: one that a format lacks is not 0, but 1 in alpha.
constexpr VkFormat kTexelFormats[3] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_UINT,
                                       VK_FORMAT_R32G32B32A32_SINT};

bool isRow(VkImageViewType type) {
  return type == VK_IMAGE_VIEW_TYPE_1D || type == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
}

}  // namespace

StandIns::~StandIns() {
  for (VkBufferView view : m_texels) m_gpu.recorder->retire(Retired::Kind::BufferView, view);
  if (m_zeros) m_gpu.recorder->retire(*m_gpu.buffers, m_zeros);
}

Result<StandIns::Images> StandIns::make(aerogpu_format format) {
  core::TextureDesc desc;
  desc.width = desc.height = 1;
  desc.format = format;
  desc.kind = core::TextureKind::Cube;
  desc.arrayLayers = 6;
  auto layers = TextureObject::create(m_gpu, desc);
  if (!layers) return layers.error();
  desc.kind = core::TextureKind::Volume;
  desc.arrayLayers = 1;
  auto volume = TextureObject::create(m_gpu, desc);
  if (!volume) return volume.error();
  return Images{std::move(*layers), std::move(*volume), {}};
}

Result<void> StandIns::create() {
  auto opaque = make(AEROGPU_FORMAT_B8G8R8X8_UNORM);
  if (!opaque) return opaque.error();
  m_opaque = std::move(*opaque);
  auto zero = make(kZeros[0]);
  if (!zero) return zero.error();
  m_zero[0] = std::move(*zero);
  auto zeros = m_gpu.buffers->allocate(kZeroBytes, 256);
  if (!zeros) return zeros.error();
  m_zeros = *zeros;
  std::memset(zeros->mapped(), 0, zeros->size);
  for (size_t i = 0; i < 3; ++i) {
    VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
    info.buffer = zeros->buffer();
    info.format = kTexelFormats[i];
    info.offset = zeros->at();
    info.range = 256;
    const VkResult result =
        m_gpu.device->vk().CreateBufferView(m_gpu.device->handle(), &info, nullptr, &m_texels[i]);
    if (result != VK_SUCCESS) return m_gpu.device->fail(result, "vkCreateBufferView");
  }
  return {};
}

Result<CachedView> StandIns::zero(VkFormat numbers, VkImageViewType type, VkImageLayout& layout) {
  const size_t i = numberOf(numbers);
  if (!m_zero[i].layers) {
    auto made = make(kZeros[i]);
    if (!made) return made.error();
    m_zero[i] = std::move(*made);
  }
  if (isRow(type) && !m_zero[i].row) {
    core::TextureDesc desc;
    desc.width = desc.height = 1;
    desc.format = kZeros[i];
    desc.kind = core::TextureKind::Texture1D;
    auto made = TextureObject::create(m_gpu, desc);
    if (!made) return made.error();
    m_zero[i].row = std::move(*made);
  }
  return image(m_zero[i], type, layout);
}

Result<CachedView> StandIns::image(const Images& images, VkImageViewType type, VkImageLayout& layout) {
  auto& texture = static_cast<TextureObject&>(type == VK_IMAGE_VIEW_TYPE_3D ? *images.volume
                                              : isRow(type)                 ? *images.row
                                                                            : *images.layers);
  ViewKey key;
  key.format = texture.format().asDeclared();
  key.type = type;
  key.layerCount = type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY ? 6 : 1;
  key.components = texture.format().components;
  auto view = texture.view(key);
  if (!view) return view;
  layout = texture.sampledLayout();
  texture.prepare(layout, kShaderStages, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT);
  return view;
}

VkBufferView StandIns::texels(VkFormat format) const {
  return m_texels[numberOf(format)];
}

size_t StandIns::numberOf(VkFormat numbers) {
  return numbers == VK_FORMAT_R32_SFLOAT ? 0 : numbers == VK_FORMAT_R32_UINT ? 1 : 2;
}

}  // namespace aerogpu::vk
