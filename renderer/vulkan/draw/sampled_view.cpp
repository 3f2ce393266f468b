// SPDX-License-Identifier: MIT
#include "renderer/vulkan/draw/sampled_view.h"

namespace aerogpu::vk {

Result<ViewKey> sampledViewKey(const Gpu& gpu, const core::ShaderResourceBinding& bound, VkImageViewType type,
                               bool srgb) {
  ViewKey key;
  const VkFormatInfo& own = TextureObject::of(*bound.texture).format();
  VkFormatInfo format = own;
  key.mipCount = bound.texture->desc.mipLevels;
  key.layerCount = bound.texture->desc.arrayLayers;
  if (const core::View* view = bound.view.get()) {
    auto mapped = mapFormat(*gpu.device, view->desc.format);
    if (!mapped) return mapped.error();
    format = *mapped;
    key.baseMip = view->desc.baseMip;
    key.mipCount = view->desc.mipCount;
    key.baseLayer = view->desc.baseLayer;
    key.layerCount = view->desc.layerCount;
  }
  key.type = type;
  if (type == VK_IMAGE_VIEW_TYPE_3D) key.baseLayer = 0;  // all slices (DXR-3)
  if (type == VK_IMAGE_VIEW_TYPE_1D || type == VK_IMAGE_VIEW_TYPE_2D || type == VK_IMAGE_VIEW_TYPE_3D)
    key.layerCount = 1;
  if (type == VK_IMAGE_VIEW_TYPE_CUBE) key.layerCount = 6;
  if (type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY) key.layerCount -= key.layerCount % 6;
  key.format = srgb && format.srgb != VK_FORMAT_UNDEFINED ? format.srgb : format.asDeclared();
  if (own.info->depth) {
    key.format = own.linear;
    key.aspects = format.info->shows == core::FormatInfo::Shows::Stencil
                      ? VkImageAspectFlags{VK_IMAGE_ASPECT_STENCIL_BIT}
                      : VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT};
  }
  key.components = format.components;
  return key;
}

Result<CachedView> sampledView(Gpu& gpu, const Targets& targets, core::Texture& texture, const ViewKey& key) {
  TextureObject& object = TextureObject::of(texture);
  const auto relation = targets.relation(texture, key.baseMip, key.mipCount, key.baseLayer, key.layerCount);
  if (relation == Targets::Relation::Overlap) return CachedView{};
  if (relation == Targets::Relation::Disjoint && !object.mixedUse()) {
    // From now on both uses share one layout; the open pass still uses the other.
    object.setMixedUse();
    gpu.recorder->outsidePass();
  }
  auto made = object.view(key);
  if (!made) return made;
  object.prepare(object.sampledLayout(), kShaderStages, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT);
  return made;
}

}  // namespace aerogpu::vk
