// SPDX-License-Identifier: MIT
// Test support: buffers and textures of each kind at the back ends' own interface, `vulkan` and `null` alike:
// ABI 1.4 has no packets for volumes, cubes, samples, fills and blits.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "aerogpu/d3d9/assembler.h"
#include "renderer/core/backend_config.h"
#include "renderer/core/guest_memory.h"
#include "renderer/core/input_layout.h"
#include "renderer/test/drivers.h"
#include "renderer/test/vulkan_device_rules.h"
#include "renderer/test/vulkan_double.h"

namespace aerogpu::test {

using Bytes = std::vector<uint8_t>;
using namespace core;

constexpr aerogpu_format kBgra = AEROGPU_FORMAT_B8G8R8A8_UNORM;

inline Bytes pattern(size_t size, uint32_t seed) {
  Bytes out(size);
  for (uint8_t& b : out) {
    seed = seed * 1664525u + 1013904223u;
    b = static_cast<uint8_t>(seed >> 24);
  }
  return out;
}

/// Appends written bytes to a vector.
class VectorSink final : public ByteSink {
public:
  explicit VectorSink(Bytes& out) : m_out(out) {}
  Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t rowBytes, uint64_t rows) override {
    for (uint64_t row = 0; row < rows; ++row)
      m_out.insert(m_out.end(), src + row * srcPitch, src + row * srcPitch + rowBytes);
    return {};
  }

private:
  Bytes& m_out;
};

class ObjectsTest : public ::testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    if (isNull()) {
      m_backend = null::createBackend(m_config);
      return;
    }
    keepDriversLoaded();
    m_config.validation = true;
    std::string error;
    aerogpu_renderer_prepare_process(nullptr, nullptr, 0);  // if it fails, the log says why
    m_backend = vk::createBackend(m_config, error);
    ASSERT_TRUE(m_backend) << error;
  }
  void TearDown() override {
    m_backend.reset();
    for (const std::string& line : m_lines) ADD_FAILURE() << line;
    for (const std::string& rule : takeBrokenRules()) ADD_FAILURE() << "rule of the device broken: " << rule;
  }
  static bool isNull() { return std::string(GetParam()) == "null"; }

  Backend& backend() { return *m_backend; }
  const BackendConfig& config() const { return m_config; }
  const HostMemory& hostMemory() const { return m_hostMemory; }
  std::unique_ptr<GpuTexture> texture(const TextureDesc& desc) {
    auto made = backend().createTexture(desc);
    EXPECT_TRUE(made) << made.error().what;
    return made ? std::move(*made) : nullptr;
  }
  static TextureDesc volume(uint32_t width, uint32_t height, uint32_t depth, uint32_t mips = 1,
                            aerogpu_format format = kBgra) {
    TextureDesc desc;
    desc.kind = TextureKind::Volume;
    desc.format = format;
    desc.width = width;
    desc.height = height;
    desc.depth = depth;
    desc.mipLevels = mips;
    return desc;
  }
  static TextureDesc flat(uint32_t width, uint32_t height, uint32_t layers = 1, uint32_t samples = 1) {
    TextureDesc desc;
    desc.format = kBgra;
    desc.width = width;
    desc.height = height;
    desc.arrayLayers = layers;
    desc.samples = samples;
    return desc;
  }

  static void write(GpuTexture& to, Subresource sub, const Box& box, Pitches pitches, const Bytes& bytes) {
    SpanSource source(bytes);
    const auto written = to.write(sub, box, pitches, source);
    EXPECT_TRUE(written) << written.error().what;
  }
  static void writeTight(GpuTexture& to, Subresource sub, const Box& box, const Bytes& bytes) {
    write(to, sub, box, {uint64_t{box.width} * 4, uint64_t{box.width} * 4 * box.height}, bytes);
  }
  Bytes read(GpuTexture& from, Subresource sub, const Box& box) {
    Bytes out;
    const auto read = from.read(sub, box, std::make_unique<VectorSink>(out));
    EXPECT_TRUE(read) << read.error().what;
    finish();
    return out;
  }
  /// Ends a submission, waits for it and expects no error.
  void finish() {
    struct Done final : Completion {
      void completed(const std::optional<Error>& gpuError, aerogpu_frame*) override {
        EXPECT_FALSE(gpuError) << gpuError->what << gpuError->detail;
      }
    };
    backend().endSubmission(std::make_unique<Done>(), true);
    EXPECT_TRUE(backend().waitIdle(UINT64_MAX));
  }
  /// Fills `target` by a clear of it as a render target.
  void clear(std::unique_ptr<GpuTexture>& target, const TextureDesc& desc, std::array<float, 4> rgba) {
    auto texture = makeRef<Texture>();
    texture->desc = desc;
    texture->layout = *TextureLayout::make(desc, 0);
    texture->gpu = std::move(target);
    DrawState state;
    state.dirty = kDirtyAll;
    state.colorTargetCount = 1;
    state.colorTargets[0].texture = texture;
    state.viewport = {0, 0, static_cast<float>(desc.width), static_cast<float>(desc.height), 0, 1};
    ClearArgs args;
    args.color = true;
    args.rgba = rgba;
    const auto cleared = backend().clear(state, args);
    EXPECT_TRUE(cleared) << cleared.error().what;
    finish();
    EXPECT_TRUE(backend().recover());  // releases the targets
    target = std::move(texture->gpu);
  }

private:
  static void onLog(void* self, enum aerogpu_log_level level, const char* line) {
    if (level == AEROGPU_LOG_ERROR) static_cast<ObjectsTest*>(self)->m_lines.emplace_back(line);
  }
  HostMemory m_hostMemory{uint64_t{1} << 30};
  HostMemory m_frameReserve{0};
  Stats m_stats;
  std::vector<std::string> m_lines;
  Log m_log{onLog, this};
  std::atomic<bool> m_interrupted{false}, m_closing{false};
  std::atomic<bool> m_holdValues{false};
  std::atomic<uint32_t> m_faults{0};
  BackendConfig m_config{m_hostMemory, m_frameReserve, m_stats, m_log, m_interrupted, m_closing,
                         m_holdValues, m_faults,       {},      {},    false};
  std::unique_ptr<Backend> m_backend;
};
/// Texels of 4 bytes in a box, as the tests keep them.
struct Model {
  Model(uint32_t width, uint32_t height, uint32_t depth)
      : width(width), height(height), depth(depth), bytes(size_t{width} * height * depth * 4) {}
  uint32_t width, height, depth;
  Bytes bytes;

  uint8_t* texel(uint32_t x, uint32_t y, uint32_t z) {
    return bytes.data() + ((size_t{z} * height + y) * width + x) * 4;
  }
  void write(const Box& box, Pitches pitches, const Bytes& from) {
    for (uint32_t z = 0; z < box.depth; ++z)
      for (uint32_t y = 0; y < box.height; ++y)
        std::copy_n(from.data() + z * pitches.slice + y * pitches.row, size_t{box.width} * 4,
                    texel(box.x, box.y + y, box.z + z));
  }
  Bytes read(const Box& box) {
    Bytes out;
    for (uint32_t z = 0; z < box.depth; ++z)
      for (uint32_t y = 0; y < box.height; ++y) {
        const uint8_t* row = texel(box.x, box.y + y, box.z + z);
        out.insert(out.end(), row, row + size_t{box.width} * 4);
      }
    return out;
  }
  Box all() const { return {0, 0, 0, width, height, depth}; }
};

/// Draws a triangle over all of a target, at the back end's interface.
class Painter {
public:
  Painter(Backend& backend, const TextureDesc& desc) : m_backend(backend) {
    const auto shader = [&](Stage stage, const char* source) {
      const d3d9::Assembly assembly = d3d9::assemble(source);
      EXPECT_TRUE(assembly.ok()) << assembly.errorText();
      auto out = makeRef<Shader>();
      const auto* bytes = reinterpret_cast<const uint8_t*>(assembly.tokens.data());
      auto made = backend.createShader(stage, {bytes, assembly.tokens.size() * 4}, out->family);
      EXPECT_TRUE(made);
      if (made) out->gpu = std::move(*made);
      m_state.shaders[static_cast<size_t>(stage)] = out;
    };
    shader(Stage::Vertex, "vs_2_0\ndcl_position v0\nmov oPos, v0\n");
    shader(Stage::Pixel, "ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0\n");
    auto layout = makeRef<InputLayout>();
    constexpr uint32_t kPosition = 0, kFloat4 = 3;  // D3DDECLUSAGE, D3DDECLTYPE
    const uint8_t declaration[16] = {0, 0, 0, 0, kFloat4, 0, kPosition, 0, 0xFF, 0, 0, 0, 17, 0, 0, 0};
    auto elements = parseInputLayout(declaration);
    EXPECT_TRUE(elements);
    layout->elements = std::move(*elements);
    layout->gpu = std::move(*backend.createInputLayout(layout->elements));
    m_state.inputLayout = layout;
    constexpr float kCorners[3][4] = {{-2, 2, 0, 1}, {10, 2, 0, 1}, {-2, -10, 0, 1}};
    auto corners = makeRef<Buffer>();
    corners->desc.sizeBytes = sizeof kCorners;
    corners->gpu = std::move(*backend.createBuffer(corners->desc));
    SpanSource source({reinterpret_cast<const uint8_t*>(kCorners), sizeof kCorners});
    EXPECT_TRUE(corners->gpu->write(0, sizeof kCorners, source));
    m_state.vertexStreams[0] = {corners, 16, 0};
    auto target = makeRef<Texture>();
    target->desc = desc;
    target->gpu = std::move(*backend.createTexture(desc));
    m_state.colorTargetCount = 1;
    m_state.colorTargets[0].texture = target;
    m_state.viewport = {0, 0, static_cast<float>(desc.width), static_cast<float>(desc.height), 0, 1};
    m_state.topology = Topology::TriangleList;
    m_state.rasterizer.cull = CullMode::None;
    m_state.dirty = kDirtyAll;
  }
  ~Painter() {
    m_state = {};
    EXPECT_TRUE(m_backend.recover());  // releases the targets
  }
  DrawState& state() { return m_state; }
  GpuTexture& target() { return *m_state.colorTargets[0].texture->gpu; }
  void draw() {
    const auto drawn = m_backend.draw(m_state, {3, 1, 0, 0});
    EXPECT_TRUE(drawn) << drawn.error().what;
  }

private:
  Backend& m_backend;
  DrawState m_state;
};

inline uint64_t number(const Bytes& bytes) {
  uint64_t out = 0;
  EXPECT_EQ(bytes.size(), sizeof out);
  if (bytes.size() == sizeof out) std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

}  // namespace aerogpu::test
