// SPDX-License-Identifier: MIT
#include "renderer/vulkan/draw/target_copies.h"

#include <algorithm>

#include "renderer/vulkan/objects/targets.h"

namespace aerogpu::vk {

void TargetCopies::begin() {
  const uint64_t batch = m_gpu.recorder->batch();
  std::erase_if(m_copies, [&](const Copy& c) { return c.batch + kMaxIdleBatches < batch; });
  if (m_copies.size() > kMaxKept) m_copies.erase(m_copies.begin(), m_copies.end() - kMaxKept);
  for (Copy& copy : m_copies) copy.used = false;
}

Result<TextureObject*> TargetCopies::image(const core::TextureDesc& desc) {
  const auto found = std::find_if(m_copies.begin(), m_copies.end(), [&](const Copy& c) {
    return !c.used && static_cast<TextureObject&>(*c.image).desc() == desc;
  });
  Copy copy;
  if (found != m_copies.end()) {
    copy = std::move(*found);
    m_copies.erase(found);
  } else {
    auto made = TextureObject::create(m_gpu, desc);
    if (!made) return made.error();
    copy.image = std::move(*made);
  }
  copy.batch = m_gpu.recorder->batch();
  copy.used = true;
  m_copies.push_back(std::move(copy));
  return static_cast<TextureObject*>(m_copies.back().image.get());
}

Result<CachedView> TargetCopies::copy(core::Texture& texture, const ViewKey& key, VkImageLayout& layout,
                                      uint64_t& bytes) {
  TextureObject& source = TextureObject::of(texture);
  core::TextureDesc desc = source.desc();
  desc.kind = core::TextureKind::Texture2D;
  desc.width = std::max(1u, desc.width >> key.baseMip);
  desc.height = std::max(1u, desc.height >> key.baseMip);
  desc.mipLevels = key.mipCount;
  desc.arrayLayers = key.layerCount;
  auto object = image(desc);
  if (!object) return object.error();
  for (uint32_t mip = 0; mip < key.mipCount; ++mip) {
    const core::TextureLayout::Mip& from = texture.layout.mip(key.baseMip + mip);
    const core::Box box{0, 0, 0, std::max(1u, desc.width >> mip), std::max(1u, desc.height >> mip), 1};
    for (uint32_t layer = 0; layer < key.layerCount; ++layer) {
      auto copied =
          (*object)->copyFrom({mip, layer}, 0, 0, 0, source, {key.baseMip + mip, key.baseLayer + layer}, box);
      if (!copied) return copied.error();
      bytes += uint64_t{from.rows} * from.rowBytes;
    }
  }
  ViewKey shown = key;
  shown.baseMip = shown.baseLayer = 0;
  auto view = (*object)->view(shown);
  if (!view) return view;
  layout = (*object)->sampledLayout();
  (*object)->prepare(layout, kShaderStages, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT);
  return view;
}

}  // namespace aerogpu::vk
