// SPDX-License-Identifier: MIT
// Textures of the null back end: bytes in host memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "renderer/core/gpu_objects.h"

namespace aerogpu::null {

inline Error unreadable() {
  return Error{ErrorCode::OutOfBounds, "allocation is no readable guest memory"};
}

/// Keeps mips and layers tight, one after the other, and one sample a texel: all samples of a texel are
/// equal, since draws do nothing.
class NullTexture final : public core::GpuTexture {
public:
  NullTexture(const core::TextureDesc& desc, const core::TextureLayout& layout)
      : desc(desc), layout(layout), format(*core::findFormat(desc.format)) {}
  const core::TextureDesc desc;
  const core::TextureLayout layout;
  const core::FormatInfo& format;
  HostMemoryCharge charge;
  std::vector<uint8_t> bytes;

  /// A box in the bytes of the texture.
  struct Region {
    uint8_t* first;
    uint64_t pitch, slicePitch, rowBytes, rows;  ///< rows of one slice
    uint32_t slices;

    uint8_t* row(uint64_t slice, uint64_t y) const { return first + slice * slicePitch + y * pitch; }
  };
  Region region(core::Subresource sub, const core::Box& box);
  core::Box all(core::Subresource sub) const {
    const core::TextureLayout::Mip& mip = layout.mip(sub.mip);
    return {0, 0, 0, mip.width, mip.height, mip.depth};
  }

  Result<void> update(core::Subresource sub, const core::Box& box, core::Pitches pitches,
                      core::ByteSource& source, core::UpdatePromise promise) override;
  Result<void> copyFrom(core::Subresource sub, uint32_t x, uint32_t y, uint32_t z, core::GpuTexture& src,
                        core::Subresource srcSub, const core::Box& srcBox) override;
  Result<void> resolveFrom(core::Subresource sub, core::GpuTexture& src, core::Subresource srcSub,
                           const core::Box& box) override {
    return copyFrom(sub, box.x, box.y, box.z, src, srcSub, box);
  }
  Result<void> read(core::Subresource sub, const core::Box& box,
                    std::unique_ptr<core::ByteSink> sink) override;
  bool needsPlanes() const override { return desc.samples > 1; }
  Result<void> readPlane(const core::TexelPart& part, const core::Box& box,
                         std::unique_ptr<core::ByteSink> sink) override;
  Result<void> writePlane(const core::TexelPart& part, const core::Box& box,
                          core::ByteSource& source) override;
  Result<void> fill(core::Subresource sub, std::span<const core::Box> boxes,
                    const core::ClearArgs& args) override;
  Result<void> blit(core::Subresource sub, core::GpuTexture& from, core::Subresource srcSub,
                    std::span<const core::BlitBox> boxes, const core::BlitArgs& args) override;

  /// Clears the first layers of a target's view, of a volume its first slices (DXR-3).
  void clearTarget(const core::ViewDesc& view, uint32_t layers, const core::ClearArgs& args);

private:
  static void fillRegion(const Region& to, const core::FormatInfo& as, const core::ClearArgs& args);
};

}  // namespace aerogpu::null
