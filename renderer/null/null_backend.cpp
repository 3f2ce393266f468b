// SPDX-License-Identifier: MIT
// The `null` back end: resources live in host memory, transfers really move bytes, clears fill, nothing is
// drawn. For tests and VMs without Vulkan. Everything completes at once, on the render thread.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "renderer/core/backend_config.h"
#include "renderer/null/clear_value.h"

namespace aerogpu::null {

namespace {

using namespace core;

struct NullBuffer : GpuBuffer {
  HostMemoryCharge charge;
  std::vector<uint8_t> bytes;
};

/// Mips and layers tight, one after the other.
struct NullTexture : GpuTexture {
  HostMemoryCharge charge;
  TextureLayout layout;
  std::vector<uint8_t> bytes;
};

struct NullFrame : aerogpu_frame {
  HostMemoryCharge charge;
  std::vector<uint8_t> bytes;
};

class NullBackend : public Backend {
public:
  explicit NullBackend(const BackendConfig& config)
      : m_hostMemory(config.hostMemory), m_stats(config.stats) {}

  const char* name() const override { return "null"; }
  const char* deviceName() const override { return ""; }
  const BackendLimits& limits() const override { return m_limits; }

  Result<std::unique_ptr<GpuBuffer>> createBuffer(const BufferDesc& desc) override {
    auto buffer = std::make_unique<NullBuffer>();
    buffer->charge = HostMemoryCharge::take(m_hostMemory, desc.sizeBytes);
    if (!buffer->charge.ok()) return Error{ErrorCode::Backend, "max_hostmem is reached"};
    buffer->bytes.resize(desc.sizeBytes);
    return std::unique_ptr<GpuBuffer>(std::move(buffer));
  }

  Result<std::unique_ptr<GpuTexture>> createTexture(const TextureDesc& desc) override {
    auto layout = TextureLayout::make(desc, 0);
    if (!layout) return layout.error();
    auto texture = std::make_unique<NullTexture>();
    texture->layout = *layout;
    texture->charge = HostMemoryCharge::take(m_hostMemory, layout->totalBytes());
    if (!texture->charge.ok()) return Error{ErrorCode::Backend, "max_hostmem is reached"};
    texture->bytes.resize(layout->totalBytes());
    return std::unique_ptr<GpuTexture>(std::move(texture));
  }

  Result<std::unique_ptr<GpuView>> createView(Texture&, const ViewDesc&) override {
    return std::make_unique<GpuView>();
  }

  Result<std::unique_ptr<GpuShader>> createShader(Stage, std::span<const uint8_t> bytes,
                                                  ShaderFamily& family) override {
    uint32_t first = 0;
    std::memcpy(&first, bytes.data(), sizeof first);
    constexpr uint32_t kDxbc = 0x43425844;  // "DXBC"
    const uint32_t type = first >> 16;      // version token: 0xFFFE vertex, 0xFFFF pixel
    if (first != kDxbc && type != 0xFFFE && type != 0xFFFF)
      return Error{ErrorCode::CmdDecode, "neither a D3D9 token stream nor a DXBC container"};
    family = first == kDxbc ? ShaderFamily::Dxbc : ShaderFamily::D3d9;
    return std::make_unique<GpuShader>();
  }

  Result<std::unique_ptr<GpuInputLayout>> createInputLayout(std::span<const InputElement>) override {
    return std::make_unique<GpuInputLayout>();
  }

  Result<void> writeBuffer(Buffer& buffer, uint64_t offset, uint64_t size, ByteSource& source) override {
    if (!source.read(0, bytesOf(buffer) + offset, size)) return unreadable();
    return {};
  }

  Result<void> writeTexture(Texture& texture, Subresource sub, Rect rect, uint32_t rowPitch,
                            ByteSource& source) override {
    const Region region(texture, sub, rect);
    for (uint64_t row = 0; row < region.rows; ++row)
      if (!source.read(row * rowPitch, region.first + row * region.pitch, region.rowBytes))
        return unreadable();
    return {};
  }

  Result<void> copyBuffer(Buffer& dst, uint64_t dstOffset, Buffer& src, uint64_t srcOffset,
                          uint64_t size) override {
    std::memmove(bytesOf(dst) + dstOffset, bytesOf(src) + srcOffset, size);
    return {};
  }

  Result<void> copyTexture(Texture& dst, Subresource dstSub, uint32_t dstX, uint32_t dstY, Texture& src,
                           Subresource srcSub, Rect srcRect) override {
    const Region from(src, srcSub, srcRect);
    const Region to(dst, dstSub, Rect{dstX, dstY, srcRect.width, srcRect.height});
    for (uint64_t row = 0; row < from.rows; ++row)
      std::memmove(to.first + row * to.pitch, from.first + row * from.pitch, from.rowBytes);
    return {};
  }

  Result<void> readBuffer(Buffer& buffer, uint64_t offset, uint64_t size,
                          std::unique_ptr<ByteSink> sink) override {
    return sink->write(bytesOf(buffer) + offset, size, size, 1);
  }

  Result<void> readTexture(Texture& texture, Subresource sub, Rect rect,
                           std::unique_ptr<ByteSink> sink) override {
    const Region region(texture, sub, rect);
    return sink->write(region.first, region.pitch, region.rowBytes, region.rows);
  }

  Result<void> clear(DrawState& state, const ClearArgs& args) override {
    if (args.color)
      for (uint32_t i = 0; i < state.colorTargetCount; ++i) fillTarget(state.colorTargets[i], args);
    if (args.depth || args.stencil) fillTarget(state.depthTarget, args);
    state.dirty = 0;
    return {};
  }

  Result<void> draw(DrawState& state, const DrawArgs&) override {
    state.dirty = 0;
    return {};
  }
  Result<void> drawIndexed(DrawState& state, const DrawIndexedArgs&) override {
    state.dirty = 0;
    return {};
  }
  Result<void> dispatch(DrawState& state, uint32_t, uint32_t, uint32_t) override {
    state.dirty = 0;
    return {};
  }

  Result<void> captureFrame(Texture& texture) override {
    if (!scanoutFormat(*findFormat(texture.desc.format)))
      return Error{ErrorCode::CmdDecode, "the presented texture has no format that can be shown"};
    const Region region(texture, {}, {0, 0, texture.desc.width, texture.desc.height});
    auto frame = std::make_unique<NullFrame>();
    frame->charge = HostMemoryCharge::take(m_hostMemory, region.rows * region.rowBytes);
    if (!frame->charge.ok()) return Error{ErrorCode::Backend, "max_hostmem is reached"};
    frame->bytes.assign(region.first, region.first + region.rows * region.rowBytes);
    frame->struct_size = sizeof(aerogpu_frame);
    frame->width = texture.desc.width;
    frame->height = texture.desc.height;
    frame->stride_bytes = static_cast<uint32_t>(region.rowBytes);
    frame->format = texture.desc.format;
    frame->reserved0 = 0;
    frame->pixels = frame->bytes.data();
    frame->sequence = ++m_frames;
    m_stats.readbackBytes.fetch_add(region.rows * region.rowBytes, std::memory_order_relaxed);
    m_frame = std::move(frame);
    return {};
  }

  void releaseFrame(aerogpu_frame* frame) override { delete static_cast<NullFrame*>(frame); }
  Result<void> flush() override { return {}; }
  bool throttle() override { return true; }
  void endSubmission(std::unique_ptr<Completion> completion) override {
    completion->completed(std::nullopt, m_frame.release());
  }
  bool waitIdle(uint64_t) override { return true; }
  bool recover() override {
    m_frame.reset();
    return true;
  }

private:
  /// A rectangle of a texture's bytes.
  struct Region {
    Region(Texture& texture, Subresource sub, Rect rect) {
      auto& gpu = static_cast<NullTexture&>(*texture.gpu);
      const FormatInfo& format = *findFormat(texture.desc.format);
      pitch = gpu.layout.mip(sub.mip).pitch;
      first = gpu.bytes.data() + gpu.layout.offsetOf(sub) + gpu.layout.rectOffset(sub.mip, rect);
      rowBytes = uint64_t{(rect.width - 1) / format.blockPixels + 1} * format.blockBytes;
      rows = (rect.height - 1) / format.blockPixels + 1;
    }
    uint8_t* first;
    uint64_t pitch, rowBytes, rows;
  };

  static uint8_t* bytesOf(Buffer& buffer) { return static_cast<NullBuffer&>(*buffer.gpu).bytes.data(); }
  static Error unreadable() {
    return Error{ErrorCode::OutOfBounds, "allocation is no readable guest memory"};
  }

  void fillTarget(TargetBinding& binding, const ClearArgs& args) {
    if (!binding.texture) return;
    Texture& texture = *binding.texture;
    const Subresource sub =
        binding.view ? Subresource{binding.view->desc.baseMip, binding.view->desc.baseLayer} : Subresource{};
    const TextureLayout::Mip& mip = static_cast<NullTexture&>(*texture.gpu).layout.mip(sub.mip);
    const Region region(texture, sub, {0, 0, mip.width, mip.height});
    const aerogpu_format format = binding.view ? binding.view->desc.format : texture.desc.format;
    const uint32_t bytes = findFormat(format)->blockBytes;
    for (uint64_t row = 0; row < region.rows; ++row)
      for (uint8_t* texel = region.first + row * region.pitch;
           texel < region.first + row * region.pitch + region.rowBytes; texel += bytes)
        writeClearValue(format, args, texel);
  }

  HostMemory& m_hostMemory;
  Stats& m_stats;
  const BackendLimits m_limits{};
  std::unique_ptr<NullFrame> m_frame;
  uint64_t m_frames = 0;
};

}  // namespace

std::unique_ptr<core::Backend> createBackend(const core::BackendConfig& config) {
  return std::make_unique<NullBackend>(config);
}

}  // namespace aerogpu::null
