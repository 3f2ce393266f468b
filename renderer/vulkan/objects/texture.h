// SPDX-License-Identifier: MIT
// A guest texture: an optimally tiled image whose layout and last accesses are tracked as a whole. Uploads to
// a texture that the batch has not used yet move ahead of the batch's draws. Render thread only.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "renderer/base/recycled.h"
#include "renderer/core/backend.h"
#include "renderer/vulkan/objects/box_set.h"
#include "renderer/vulkan/objects/format.h"
#include "renderer/vulkan/objects/gpu.h"
#include "renderer/vulkan/objects/image_store.h"

namespace aerogpu::vk {

/// One image view of a texture; the fields are its identity.
struct ViewKey {
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D;
  VkImageAspectFlags aspects = VK_IMAGE_ASPECT_COLOR_BIT;
  uint32_t baseMip = 0, mipCount = 1, baseLayer = 0, layerCount = 1;
  Components components{};  ///< identity for attachments
  bool operator==(const ViewKey&) const = default;
};

/// True if a shader that declares a view of `type` can sample `layers` layers of the texture through one.
bool canView(const core::TextureDesc& desc, VkImageViewType type, uint32_t layers);

/// A box in Vulkan's terms.
inline VkOffset3D offsetOf(const core::Box& box) {
  return {static_cast<int32_t>(box.x), static_cast<int32_t>(box.y), static_cast<int32_t>(box.z)};
}
inline VkExtent3D extentOf(const core::Box& box) {
  return {box.width, box.height, box.depth};
}
inline VkRect2D rectOf(const core::Box& box) {
  return {{static_cast<int32_t>(box.x), static_cast<int32_t>(box.y)}, {box.width, box.height}};
}
/// Returns the smallest rectangle that holds both.
VkRect2D rectAround(const VkRect2D& a, const VkRect2D& b);
inline VkImageSubresourceLayers layersOf(VkImageAspectFlags aspects, core::Subresource sub) {
  return {aspects, sub.mip, sub.layer, 1};
}

struct CachedView {
  VkImageView handle = VK_NULL_HANDLE;
  uint64_t serial = 0;  ///< never used for another view
};

class TextureObject final : public core::GpuTexture, public Recycled<TextureObject>, private EarlyUser {
public:
  /// Creates a texture that reads as zero.
  static Result<std::unique_ptr<core::GpuTexture>> create(Gpu& gpu, const core::TextureDesc& desc);
  ~TextureObject() override;

  static TextureObject& of(core::Texture& texture) { return static_cast<TextureObject&>(*texture.gpu); }

  Result<void> update(core::Subresource sub, const core::Box& box, core::Pitches pitches,
                      core::ByteSource& source, core::UpdatePromise promise) override;
  Result<void> copyFrom(core::Subresource sub, uint32_t x, uint32_t y, uint32_t z, core::GpuTexture& from,
                        core::Subresource srcSub, const core::Box& srcBox) override;
  Result<void> resolveFrom(core::Subresource sub, core::GpuTexture& from, core::Subresource srcSub,
                           const core::Box& box) override;
  Result<void> read(core::Subresource sub, const core::Box& box,
                    std::unique_ptr<core::ByteSink> sink) override;
  bool needsPlanes() const override {
    return m_desc.samples > 1 || m_format.linear == VK_FORMAT_D32_SFLOAT_S8_UINT;
  }
  Result<void> readPlane(const core::TexelPart& part, const core::Box& box,
                         std::unique_ptr<core::ByteSink> sink) override;
  Result<void> writePlane(const core::TexelPart& part, const core::Box& box,
                          core::ByteSource& source) override;
  Result<void> fill(core::Subresource sub, std::span<const core::Box> boxes,
                    const core::ClearArgs& args) override;
  Result<void> blit(core::Subresource sub, core::GpuTexture& from, core::Subresource srcSub,
                    std::span<const core::BlitBox> boxes, const core::BlitArgs& args) override;
  /// Copies these boxes of mip 0 of layer 0, which do not overlap, into `target`, in tight rows.
  Result<void> copyToHost(const MemoryRange& target, std::span<const core::Box> boxes);

  /// Returns an image view; lives as long as the texture.
  Result<CachedView> view(const ViewKey& key);

  /// Brings the image into `layout` for `access` in `stages` (ends the render pass if that needs a barrier).
  void prepare(VkImageLayout layout, VkPipelineStageFlags2 stages, VkAccessFlags2 access);
  /// True if prepare() would need a barrier.
  bool needsBarrier(VkImageLayout layout, VkPipelineStageFlags2 stages, VkAccessFlags2 access) const;
  /// Return the layouts for sampling and for targets: General once both happened in one pass.
  VkImageLayout sampledLayout() const {
    return m_mixedUse ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  }
  VkImageLayout targetLayout() const {
    if (m_mixedUse) return VK_IMAGE_LAYOUT_GENERAL;
    return m_format.info->depth ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
                                : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  }
  void setMixedUse() { m_mixedUse = true; }
  bool mixedUse() const { return m_mixedUse; }

  const VkFormatInfo& format() const { return m_format; }
  /// True if the guest's draws can go to it.
  bool isTarget() const { return (m_format.plain || m_format.info->depth) && isAttachment(); }
  /// True if draws can go to views of the format, which the texture has.
  bool isTargetAs(const core::FormatInfo& format) const;
  /// Returns the type of views of one or several layers, or slices, that are attachments.
  VkImageViewType attachmentType(uint32_t layers = 1) const {
    if (m_desc.kind == core::TextureKind::Texture1D)
      return layers > 1 ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
    return layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
  }
  /// True if it can be an attachment, of fills and of blits that know how its channels lie.
  bool isAttachment() const {
    return m_usage & (VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  }
  /// True if samplers may filter it, and targets of it blend.
  bool filters() const { return m_features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT; }
  bool blends() const { return m_features & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT; }
  const core::TextureDesc& desc() const { return m_desc; }
  VkImage image() const { return m_image; }

  uint64_t targetPass = 0;  ///< pass in which it is a target

private:
  TextureObject(Gpu& gpu, const core::TextureDesc& desc, StoredImage& stored, HostMemoryCharge charge);
  /// Clears an image that was never written, in the early commands.
  Result<void> zero();
  void copyZeros(VkCommandBuffer commands, const MemoryRange& zeros, core::Subresource sub,
                 const core::Box& box);
  Result<void> ensureDefined();
  VkCommandBuffer transferCommands(VkImageLayout layout, VkAccessFlags2 access);
  /// The tracked state of the image at the end of the commands.
  struct Tracked {
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
    VkPipelineStageFlags2 writeStages = 0, readStages = 0, visibleStages = 0;
    VkAccessFlags2 writeAccess = 0, visibleAccess = 0;
  };
  /// The commands for a copy from memory to `box`, and the image's layout in them. Bytes that the guest
  /// promises to be unused are written ahead of the batch's other commands, though these use the image.
  struct UpdateCommands {
    VkCommandBuffer commands;
    VkImageLayout layout;
    bool early;  ///< may be recorded later, before EarlyUpdates' next barrier
  };
  UpdateCommands updateCommands(core::UpdatePromise promise, core::Subresource sub, const core::Box& box);
  void copy(const UpdateCommands& to, VkBuffer from, std::span<const VkBufferImageCopy2> regions) const;
  void endEarly() override;
  Tracked tracked() const {
    return {m_layout, m_writeStages, m_readStages, m_visibleStages, m_writeAccess, m_visibleAccess};
  }
  void setTracked(const Tracked& state);
  void barrier(VkCommandBuffer commands, VkImageLayout layout, VkPipelineStageFlags2 stages,
               VkAccessFlags2 access);
  /// Returns the bytes of a row of blocks of `box` in the image.
  uint64_t imageRowBytes(const core::Box& box) const {
    return uint64_t{m_format.info->blocks(box.width)} * m_format.texelBytes();
  }
  uint32_t mipWidth(uint32_t mip) const { return std::max(1u, m_desc.width >> mip); }
  uint32_t mipHeight(uint32_t mip) const { return std::max(1u, m_desc.height >> mip); }
  uint32_t mipDepth(uint32_t mip) const { return std::max(1u, m_desc.depth >> mip); }
  /// True if the box is the whole texture.
  bool isAll(const core::Box& box) const {
    return m_desc.mipLevels == 1 && m_desc.arrayLayers == 1 && box.width == m_desc.width &&
           box.height == m_desc.height && box.depth == m_desc.depth;
  }
  core::Box all(core::Subresource sub) const {
    return {0, 0, 0, mipWidth(sub.mip), mipHeight(sub.mip), mipDepth(sub.mip)};
  }
  /// Returns a view of one mip and layer, as a target.
  Result<CachedView> targetView(core::Subresource sub, VkFormat format);
  /// Begins a pass with the view as the only target, which clears `area` as `clear` says; null clears
  /// nothing. `samples`: the pass also samples another subresource of the texture.
  void beginPassOn(VkImageView view, const VkRect2D& area, const core::ClearArgs* clear,
                   bool samples = false);
  VkClearValue clearValue(const core::ClearArgs& args) const;
  /// Returns the color that the texels of a fill have, so that no GPU's rounding gives others. The format is
  /// plain, the view linear: sRGB is encoded here.
  VkClearColorValue exactColor(const core::ClearArgs& args) const;
  Result<void> fillTarget(core::Subresource sub, std::span<const core::Box> boxes,
                          const core::ClearArgs& args);
  /// Fills a whole subresource of a texture that is no target.
  Result<void> fillImage(core::Subresource sub, const core::ClearArgs& args);

  Result<void> copyBoxes(core::Subresource sub, TextureObject& src, core::Subresource srcSub,
                         std::span<const core::BlitBox> boxes);
  /// Most boxes of one copyRegions(); they neither overlap nor read what they write.
  static constexpr size_t kCopiesAtOnce = 32;
  Result<void> copyRegions(core::Subresource sub, TextureObject& src, core::Subresource srcSub,
                           std::span<const core::BlitBox> boxes);
  Result<void> resolveTo(core::Subresource sub, const VkOffset3D& to, TextureObject& src,
                         core::Subresource srcSub, const core::Box& box);
  /// Draws from another subresource, of one sample. `kept`: the old texels of the only box, for the target's
  /// color key.
  Result<void> blitByDraw(core::Subresource sub, TextureObject& src, core::Subresource srcSub,
                          std::span<const core::BlitBox> boxes, const core::BlitArgs& args,
                          TextureObject* kept);
  Result<void> blitByCommand(core::Subresource sub, TextureObject& src, core::Subresource srcSub,
                             std::span<const core::BlitBox> boxes, const core::BlitArgs& args);
  /// Returns a texture of `kind` that holds a copy of `box`, with `samples` a texel: as many as here, or one
  /// that is their mean.
  Result<std::unique_ptr<core::GpuTexture>> hold(core::Subresource sub, const core::Box& box,
                                                 uint32_t samples, core::TextureKind kind);
  /// Returns a texture that holds the first sample of each texel of a whole depth texture.
  Result<std::unique_ptr<core::GpuTexture>> holdFirstSamples();
  // Planes of texels (planes.cpp).
  /// Returns a texture for a box of a plane of this one. Nobody is charged: it is small, and dies with its
  /// batch.
  Result<std::unique_ptr<TextureObject>> planeOf(const core::Box& box, core::TexelPlane plane,
                                                 uint32_t samples = 1);
  /// Returns a copy of the box, of all samples; likewise.
  Result<std::unique_ptr<TextureObject>> copyOf(core::Subresource sub, const core::Box& box);
  Result<std::unique_ptr<TextureObject>> temporary(aerogpu_format format, const core::Box& box,
                                                   uint32_t samples);
  /// Returns the depth of one sample of a box, all of it drawn.
  Result<std::unique_ptr<TextureObject>> depthOfSample(const core::TexelPart& part, const core::Box& box);
  /// Writes to `exact`, of as many samples, the numbers beside those of `near` that this texture's depth is.
  Result<void> compareDepth(uint32_t sample, TextureObject& near, TextureObject& exact);
  /// Draws a plane of one sample of a box to `held`; or, without `out`, from there.
  Result<void> drawPlane(const core::TexelPart& part, const core::Box& box, TextureObject& held, bool out,
                         uint32_t stencilBits = 0);
  /// Write a plane of a box, which fits in one piece of staging memory: of several samples, of one.
  Result<void> writeSample(const core::TexelPart& part, const core::Box& box, std::span<const uint8_t> bytes);
  Result<void> writeAspect(const core::TexelPart& part, const core::Box& box, std::span<const uint8_t> bytes);
  core::TextureKind plainKind() const {
    return m_desc.kind == core::TextureKind::Cube ? core::TextureKind::Texture2D : m_desc.kind;
  }
  /// Brings this image and `src`, both defined, into the layouts of a transfer from there to here; returns
  /// the command buffer to record it in.
  Result<VkCommandBuffer> prepareTransfer(TextureObject& src);
  /// The target of a read-back: rows `rowLength` texels apart, 0 = tight; then, if not at 0, the stencil
  /// plane.
  struct Target {
    VkBuffer buffer;
    uint64_t offset;
    uint32_t rowLength;
    uint64_t stencilOffset;
  };
  Result<void> readPlanes(core::Subresource sub, const core::Box& box, const Target& target);
  /// Copies one aspect; then, if the target has a place for it, stencil.
  Result<void> readAspect(VkImageAspectFlags aspect, core::Subresource sub, const core::Box& box,
                          const Target& target);
  /// Writes without a copy in between, if the HostImporter wants the bytes and all rows are one pitch apart;
  /// false, and nothing is done, if that is impossible.
  Result<bool> writeInPlace(core::Subresource sub, const core::Box& box, core::Pitches pitches,
                            core::ByteSource& source, core::UpdatePromise promise);
  /// Writes through staging memory: `box`, of `part`, fits in one piece of it, and begins at byte `from`.
  /// `whole`: it is the whole texture.
  Result<void> writePiece(core::Subresource sub, const core::Box& box, const core::BoxRows& part,
                          uint64_t from, core::Pitches pitches, core::ByteSource& source, bool whole,
                          core::UpdatePromise promise);
  Result<bool> readInPlace(core::Subresource sub, const core::Box& box, const Readback& readback);
  /// Returns `pitch` in texels, for a copy from or to `host`; 0 if Vulkan cannot copy there ("Copying Data
  /// Between Buffers and Images": whole texel blocks, words for depth) or the planes of depth and stencil
  /// must be separated.
  uint32_t rowTexels(const uint8_t* host, uint64_t pitch) const;

  Gpu& m_gpu;
  const core::TextureDesc m_desc;
  const VkFormatInfo m_format;
  StoredImage& m_stored;
  const VkImage m_image;
  const VkImageUsageFlags m_usage;
  const VkFormatFeatureFlags m_features;
  HostMemoryCharge m_charge;
  std::vector<std::pair<ViewKey, CachedView>> m_views;
  std::vector<HostMemoryCharge> m_viewCharges;
  VkImageLayout m_layout = VK_IMAGE_LAYOUT_UNDEFINED;
  VkPipelineStageFlags2 m_writeStages = 0, m_readStages = 0, m_visibleStages = 0;
  VkAccessFlags2 m_writeAccess = 0, m_visibleAccess = 0;
  uint64_t m_lastUse = 0;      // batch
  uint64_t m_lastMainUse = 0;  // batch whose ordinary (not early) commands use it
  uint64_t m_mainChange = 0;   // batch whose ordinary commands write it or change its layout
  bool m_undefined = true, m_mixedUse = false;
  /// Updates with a promise, in the early commands of the open batch: the batch's other commands find the
  /// image as if the updates came before them.
  struct EarlyUpdates {
    explicit EarlyUpdates(uint32_t side) : boxes(side) { copies.reserve(BoxSet::kMost); }
    Tracked here;                            ///< state in the early commands
    VkImageLayout home;                      ///< layout for the others
    BoxSet boxes;                            ///< written since the last barrier
    std::vector<VkBufferImageCopy2> copies;  ///< to boxes, not recorded yet
    VkBuffer from = VK_NULL_HANDLE;          ///< source of all
  };
  void recordCopies();
  std::unique_ptr<EarlyUpdates> m_earlyUpdates;
};

}  // namespace aerogpu::vk
