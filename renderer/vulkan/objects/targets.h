// SPDX-License-Identifier: MIT
// The render pass for the bound targets, and clears of them. Render thread only.
#pragma once

#include <array>

#include "renderer/core/backend.h"
#include "renderer/shader/dxbc/build.h"
#include "renderer/vulkan/objects/gpu.h"
#include "renderer/vulkan/objects/texture.h"

namespace aerogpu::vk {

/// Stages of shaders that draws and dispatches have.
inline constexpr VkPipelineStageFlags2 kShaderStages = VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT |
                                                       VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT |
                                                       VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;

/// The properties of the targets that a pipeline and the dynamic state depend on.
struct TargetInfo {
  uint32_t colorCount = 0;
  std::array<VkFormat, core::kMaxColorTargets> colorFormats{};  ///< VK_FORMAT_UNDEFINED for holes
  VkFormat depthFormat = VK_FORMAT_UNDEFINED, stencilFormat = VK_FORMAT_UNDEFINED;
  VkExtent2D extent{};
  uint32_t samples = 1;                 ///< a texel, of every target
  uint32_t layers = 1;                  ///< of every target
  uint32_t opaqueMask = 0;              ///< bit per target whose format has X8 instead of alpha
  uint32_t unblendedMask = 0;           ///< bit per target whose format this GPU does not blend
  core::Channel red;                    ///< of target 0
  shader::RegisterClasses classes = 0;  ///< of the colour targets' numbers
  uint32_t generation = 0;              ///< counts changes of any of the above
  bool any() const { return colorCount != 0 || depthFormat != VK_FORMAT_UNDEFINED; }
};

class Targets {
public:
  explicit Targets(Gpu& gpu) : m_gpu(gpu) {}

  /// Takes over the bound targets if `changed`; a batch must be open. Leaves out a depth target that is
  /// smaller than the colour targets unless `depthWanted`, so that it does not cut them.
  Result<void> update(const core::DrawState& state, bool changed, bool depthWanted);
  /// Opens the pass unless it is open. False if there is no target at all; with `evenWithout`, the pass has
  /// none then.
  bool begin(bool evenWithout = false);
  /// Clears as `args` says within `rect` (pixels, clipped to the targets here).
  void clear(const core::ClearArgs& args, VkRect2D rect);
  /// The relation between mips and layers of `texture` and the targets.
  enum class Relation : uint8_t { None, Disjoint, Overlap };
  Relation relation(const core::Texture& texture, uint32_t baseMip, uint32_t mipCount, uint32_t baseLayer,
                    uint32_t layerCount) const;
  /// True if `texture` is the depth target.
  bool isDepth(const core::Texture& texture) const { return m_depth.texture.get() == &texture; }
  /// Sets whether draws leave depth and stencil alone, so that shaders may sample the depth target.
  void setDepthReadOnly(bool readOnly);
  /// Returns the layout of a depth target that shaders sample.
  static VkImageLayout readOnlyLayout(const TextureObject& texture) {
    return texture.mixedUse() ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL;
  }
  /// Releases the targets.
  void reset();
  const TargetInfo& info() const { return m_info; }

private:
  struct Attachment {
    core::Ref<core::Texture> texture;  // kept alive while the pass is open
    VkImageView view = VK_NULL_HANDLE;
    const core::FormatInfo* format = nullptr;
    uint32_t mip = 0, layer = 0;
  };
  /// Returns what a clear writes to a colour target.
  static VkClearColorValue clearColor(const Attachment& target, const core::ClearArgs& args);
  Result<Attachment> attach(const core::TargetBinding& binding, uint32_t layers, bool srgbWrite,
                            VkFormat& format) const;
  void beginWith(const core::ClearArgs* clear);

  Gpu& m_gpu;
  TargetInfo m_info;
  std::array<Attachment, core::kMaxColorTargets> m_colors;
  Attachment m_depth;
  bool m_depthSmaller = false;  ///< than the colour targets; then m_depth is empty unless wanted
  bool m_depthReadOnly = false;
};

}  // namespace aerogpu::vk
