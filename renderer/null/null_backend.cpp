// SPDX-License-Identifier: MIT
// The `null` back end: resources live in host memory, transfers really move bytes, clears fill, draws do
// nothing. For tests and VMs without Vulkan. All work completes at once, on the render thread.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/backend_config.h"
#include "renderer/core/caps.h"
#include "renderer/core/frame_memory.h"
#include "renderer/core/guest_memory.h"
#include "renderer/core/shader_tokens.h"
#include "renderer/null/texture.h"
#include "renderer/shader/dxbc/build.h"
#include "renderer/shader/dxbc/geometry.h"

namespace aerogpu::null {

namespace {

using namespace core;

class NullBuffer final : public GpuBuffer {
public:
  HostMemoryCharge charge;
  std::vector<uint8_t> bytes;

  Result<void> update(uint64_t offset, uint64_t size, ByteSource& source, UpdatePromise) override {
    if (!source.read(0, bytes.data() + offset, size)) return unreadable();
    return {};
  }
  Result<void> copyFrom(uint64_t dstOffset, GpuBuffer& src, uint64_t srcOffset, uint64_t size) override {
    std::memmove(bytes.data() + dstOffset, static_cast<NullBuffer&>(src).bytes.data() + srcOffset, size);
    return {};
  }
  Result<void> read(uint64_t offset, uint64_t size, std::unique_ptr<ByteSink> sink) override {
    return sink->write(bytes.data() + offset, size, size, 1);
  }
  Result<void> fill(uint64_t offset, uint64_t size, uint32_t pattern) override {
    if (auto checked = checkFill(bytes.size(), offset, size); !checked) return checked;
    for (uint64_t at = offset; at < offset + size; at += sizeof pattern)
      std::memcpy(bytes.data() + at, &pattern, sizeof pattern);
    return {};
  }
  Result<void> setFilled(uint32_t to) override {
    m_filled = to;
    return {};
  }
  Result<uint32_t> filled() override { return m_filled; }

private:
  uint32_t m_filled = 0;  ///< as it was set: draws stream nothing out
};

/// No draws happen, so no sample passes and no primitive is streamed out; all work is done at once, so a
/// timestamp is the present time.
class NullQuery final : public GpuQuery {
public:
  explicit NullQuery(QueryKind kind) : m_kind(kind) {}

  Result<void> begin(const QueryNumbers& counted) override {
    m_numbers = counted;
    return {};
  }
  Result<void> end() override {
    if (m_kind == QueryKind::Timestamp)
      m_numbers[0] = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                               std::chrono::steady_clock::now().time_since_epoch())
                                               .count());
    return {};
  }
  void pause() override {}
  void resume() override {}
  Result<void> result(std::unique_ptr<ByteSink> sink) override {
    const uint64_t bytes = numbersOf(m_kind) * sizeof m_numbers[0];
    return sink->write(reinterpret_cast<const uint8_t*>(m_numbers.data()), bytes, bytes, 1);
  }

private:
  const QueryKind m_kind;
  QueryNumbers m_numbers{};
};

/// Keeps its code for snapshots.
class NullShader final : public GpuShader {
public:
  explicit NullShader(std::span<const uint8_t> code, const TokenCounts& of = {})
      : m_code(code.begin(), code.end()) {
    counts = of;
  }
  std::span<const uint8_t> code() const override { return m_code; }

private:
  const std::vector<uint8_t> m_code;
};

struct NullFrame : aerogpu_frame {
  HostMemoryCharge charge;
  std::vector<uint8_t> bytes;
};

constexpr uint32_t kSamples = 0b111;  // 1, 2 or 4 a texel; one is kept

BackendLimits nullLimits() {
  BackendLimits limits;
  limits.colorSamples = limits.depthSamples = kSamples;
  limits.capsFlags = AEROGPU_CAPS_BORDER_COLORS | AEROGPU_CAPS_MIRROR_ONCE | AEROGPU_CAPS_TRIANGLE_FANS |
                     AEROGPU_CAPS_OCCLUSION_COUNTS | AEROGPU_CAPS_STREAM_STEPS | AEROGPU_CAPS_FILL_MODES |
                     AEROGPU_CAPS_GEOMETRY_SHADERS | AEROGPU_CAPS_D3D10_STATES |
                     AEROGPU_CAPS_D3D10_RESOURCES | AEROGPU_CAPS_STREAM_OUTPUT | AEROGPU_CAPS_LAYERS;
  limits.maxColorTargets = kMaxColorTargets;
  limits.maxClipPlanes = 6;
  return limits;
}

GeometryReach reachOf(const shader::GeometryTraits& traits) {
  return {traits.inputVertices, traits.instances, traits.instances * traits.maxVertices,
          traits.choosesTarget()};
}

shader::TokenProgram programOf(const TokenCounts& counts, std::span<const uint8_t> bytes) {
  const ShaderTokens parts = partsOf(counts, bytes);
  return {parts.tokens, parts.inputs, parts.outputs};
}

class NullBackend : public Backend {
public:
  explicit NullBackend(const BackendConfig& config)
      : m_config(config), m_hostMemory(config.hostMemory), m_stats(config.stats) {}

  const char* name() const override { return "null"; }
  const char* deviceName() const override { return ""; }
  const BackendLimits& limits() const override { return m_limits; }
  /// Draws do nothing, so no ability is missing.
  FormatCaps formatCaps(aerogpu_format format) const override {
    const FormatInfo& info = *findFormat(format);
    const uint32_t samples = info.isInteger() ? 1 : kSamples;  // DXF-12
    return {possibleFormatCaps(info), info.depth || rendersPlainly(info) ? samples : 0};
  }

  Result<std::unique_ptr<GpuBuffer>> createBuffer(const BufferDesc& desc) override {
    if (m_lost) return lostError();
    auto buffer = std::make_unique<NullBuffer>();
    buffer->charge = HostMemoryCharge::take(m_hostMemory, desc.sizeBytes, HostMemoryKind::Buffers);
    if (!buffer->charge.ok()) return Error{ErrorCode::Backend, "max_hostmem is reached"};
    buffer->bytes.resize(desc.sizeBytes);
    return std::unique_ptr<GpuBuffer>(std::move(buffer));
  }

  Result<std::unique_ptr<GpuTexture>> createTexture(const TextureDesc& desc) override {
    if (m_lost) return lostError();
    auto layout = TextureLayout::make(desc, 0);
    if (!layout) return layout.error();
    auto texture = std::make_unique<NullTexture>(desc, *layout);
    texture->charge = HostMemoryCharge::take(m_hostMemory, layout->totalBytes(), HostMemoryKind::Textures);
    if (!texture->charge.ok()) return Error{ErrorCode::Backend, "max_hostmem is reached"};
    texture->bytes.resize(layout->totalBytes());
    return std::unique_ptr<GpuTexture>(std::move(texture));
  }

  Result<std::unique_ptr<GpuQuery>> createQuery(QueryKind kind) override {
    return std::unique_ptr<GpuQuery>(std::make_unique<NullQuery>(kind));
  }

  Result<std::unique_ptr<GpuShader>> createShader(Stage stage, std::span<const uint8_t> bytes,
                                                  ShaderFamily& family) override {
    uint32_t first = 0;
    std::memcpy(&first, bytes.data(), sizeof first);
    constexpr uint32_t kDxbc = 0x43425844;  // "DXBC"
    const uint32_t type = first >> 16;      // version token: 0xFFFE vertex, 0xFFFF pixel
    if (first != kDxbc && type != 0xFFFE && type != 0xFFFF)
      return refused(ErrorCode::CmdDecode, "neither a D3D9 token stream nor a DXBC container",
                     {{"its first word", first}});
    family = first == kDxbc ? ShaderFamily::Dxbc : ShaderFamily::D3d9;
    auto shader = std::make_unique<NullShader>(bytes);
    // A container is not looked into; one that declares nothing draws nothing.
    if (const auto traits = shader::geometryTraitsOf(bytes); stage == Stage::Geometry && traits)
      shader->geometry = reachOf(*traits);
    return std::unique_ptr<GpuShader>(std::move(shader));
  }

  Result<std::unique_ptr<GpuShader>> createTokenShader(Stage stage, const TokenCounts& tokenCounts,
                                                       std::span<const uint8_t> bytes) override {
    if (stage != Stage::Hull && stage != Stage::Domain)
      if (const auto built = shader::buildContainer(programOf(tokenCounts, bytes), 0); !built)
        return built.error();
    auto shader = std::make_unique<NullShader>(bytes, tokenCounts);
    if (stage == Stage::Geometry) {
      const auto traits = shader::geometryTraits(bytes.first(size_t{tokenCounts.tokens} * 4));
      if (!traits) return traits.error();
      shader->geometry = reachOf(*traits);
    }
    return std::unique_ptr<GpuShader>(std::move(shader));
  }

  Result<std::unique_ptr<GpuInputLayout>> createInputLayout(std::span<const InputElement>) override {
    return std::make_unique<GpuInputLayout>();
  }

  Result<void> clear(DrawState& state, const ClearArgs& args) override {
    if (args.color)
      for (uint32_t i = 0; i < state.colorTargetCount; ++i)
        fillTarget(state.colorTargets[i], state.targetLayers, args);
    if (args.depth || args.stencil) fillTarget(state.depthTarget, state.targetLayers, args);
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
  Result<void> drawInline(DrawState& state, const InlineDraw&) override {
    state.dirty = 0;
    return {};
  }
  Result<void> drawAuto(DrawState& state, uint32_t) override {
    state.dirty = 0;
    return {};
  }
  Result<void> dispatch(DrawState& state, uint32_t, uint32_t, uint32_t) override {
    state.dirty = 0;
    return {};
  }

  Result<uint64_t> captureFrame(Texture& texture, const FrameDamage& damage) override {
    if (m_lost) return lostError();
    if (!canBeShown(texture.desc) && !holdsIndices(texture.desc))
      return Error{ErrorCode::CmdDecode, "the presented texture has no format that can be shown"};
    const NullTexture::Region region =
        of(texture).region({}, {0, 0, 0, texture.desc.width, texture.desc.height});
    auto frame = std::make_unique<NullFrame>();
    frame->charge = chargeFrame(m_hostMemory, m_config.frameReserve, region.rows * region.rowBytes);
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
    m_stats.readbackBytes.add(region.rows * region.rowBytes);
    damage.store(*frame);
    m_frame = std::move(frame);
    return m_frames;
  }

  void releaseFrame(aerogpu_frame* frame) override { delete static_cast<NullFrame*>(frame); }
  Result<void> writeValue(const ValueWrite& value) override {
    noticeLoss();
    if (m_lost && m_config.holdValues.load()) return {};
    return value.write();
  }
  Result<void> flush() override { return {}; }
  bool throttle() override { return true; }
  bool usesGuestMemory() const override { return false; }
  void endSubmission(std::unique_ptr<Completion> completion, bool needsGpu) override {
    if (needsGpu) noticeLoss();
    if (m_lost && needsGpu) {
      m_frame.reset();
      completion->completed(lostError(), nullptr);
    } else {
      completion->completed(std::nullopt, m_frame.release());
    }
  }
  void processEnds(const HostMemory&) override {}
  bool waitIdle(uint64_t) override { return true; }
  bool lost() const override { return m_lost; }
  void lose() override { m_lost = true; }
  bool recover() override {
    m_frame.reset();
    if (m_lost && m_config.playsRefusal()) return false;
    m_lost = false;
    return true;
  }

private:
  static Error lostError() { return Error{ErrorCode::Backend, "the GPU is lost"}; }
  /// There is no GPU to lose: tests play a loss.
  void noticeLoss() { m_lost = m_lost || m_config.playsLoss(); }
  static NullTexture& of(Texture& texture) { return static_cast<NullTexture&>(*texture.gpu); }

  void fillTarget(TargetBinding& binding, uint32_t layers, const ClearArgs& args) {
    if (!binding.texture) return;
    Texture& texture = *binding.texture;
    const ViewDesc view = binding.view ? binding.view->desc : ViewDesc{texture.desc.format};
    of(texture).clearTarget(view, layers, args);
  }

  const BackendConfig m_config;
  HostMemory& m_hostMemory;
  Stats& m_stats;
  bool m_lost = false;
  const BackendLimits m_limits = nullLimits();
  std::unique_ptr<NullFrame> m_frame;
  uint64_t m_frames = 0;
};

}  // namespace

std::unique_ptr<core::Backend> createBackend(const core::BackendConfig& config) {
  return std::make_unique<NullBackend>(config);
}

}  // namespace aerogpu::null
