// SPDX-License-Identifier: MIT
// Test support: results of samplers as floats; the table of formats.
#pragma once

#include <cstring>
#include <utility>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/vulkan/test/gpu_test.h"

namespace aerogpu::test {

using Color = std::array<double, 4>;  // RGBA
inline constexpr uint32_t kSide = 16;
inline constexpr auto kFloats = AEROGPU_FORMAT_D3D9_A32B32G32R32F;

class FloatTargetTest : public GpuTest {
protected:
  void SetUp() override {
    GpuTest::SetUp();
    size_t size = 0;
    const auto* block = static_cast<const uint8_t*>(aerogpu_renderer_caps(gpu().renderer(), &size));
    aerogpu_caps caps;
    std::memcpy(&caps, block, sizeof caps);
    for (uint32_t i = 0; i < caps.format_count; ++i) {
      aerogpu_format_caps entry;
      std::memcpy(&entry, block + caps.formats_offset + size_t{i} * caps.format_entry_bytes, sizeof entry);
      m_caps.push_back(entry);
    }
  }
  aerogpu_format_caps entryOf(aerogpu_format format) const {
    for (const aerogpu_format_caps& c : m_caps)
      if (c.format == static_cast<uint32_t>(format)) return c;
    return {};
  }
  uint32_t capsOf(aerogpu_format format) const { return entryOf(format).caps; }

  uint32_t create(CommandWriter& w, uint32_t kind, aerogpu_format format, uint32_t width, uint32_t height,
                  uint32_t depth = 1, uint32_t mips = 1, uint32_t samples = 1) {
    aerogpu_cmd_ext_create_texture c{};
    c.texture_handle = gpu().handle();
    c.kind = kind;
    c.format = format;
    c.width = width;
    c.height = height;
    c.depth = depth;
    c.mip_levels = mips;
    c.array_layers = kind == AEROGPU_EXT_TEXTURE_CUBE ? 6 : 1;
    c.sample_count = samples;
    w.packet(c);
    return c.texture_handle;
  }

  /// Draws a quad over a target of kSide that passes coordinates from `from` to `to` in x and y; the third
  /// and the fourth are constant.
  void drawQuad(CommandWriter& w, const std::array<float, 3>& from, const std::array<float, 3>& to,
                float fourth = 1, float z = 0.5f) {
    struct V {
      float x, y, z, t[4];
    };
    std::vector<V> quad;
    for (const auto& [cx, cy] : {std::pair{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}})
      quad.push_back({static_cast<float>(cx * 2 - 1) - 1.0f / kSide,
                      static_cast<float>(1 - cy * 2) + 1.0f / kSide,
                      z,
                      {cx ? to[0] : from[0], cy ? to[1] : from[1], from[2], fourth}});
    layout(w, {{0, 0, 2, 0, 0, 0}, {0, 12, 3, 0, 5, 0}});
    stream(w, 0, vertexBuffer(w, quad), sizeof(V));
    topology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
    draw(w, 6);
  }
  static constexpr const char* kVs3 =
      "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov o1, v1\n";
  void states(CommandWriter& w) {
    viewport(w, 0, 0, kSide, kSide);
    renderState(w, kCullMode, 1u);
    renderState(w, kZEnable, 0u);
  }
  std::vector<Color> floats(uint32_t target) {
    const Bytes bytes = read(target, kFloats, kSide, kSide);
    std::vector<Color> out;
    for (size_t i = 0; i + 16 <= bytes.size(); i += 16) {
      float f[4];
      std::memcpy(f, bytes.data() + i, 16);
      out.push_back({f[0], f[1], f[2], f[3]});
    }
    return out;
  }
  using States = std::vector<std::pair<uint32_t, uint32_t>>;
  /// Returns the results of a pixel shader with `body`, which ends in r0, s0 of the kind `declared` and the
  /// coordinates in v0.
  std::vector<Color> shaded(uint32_t t, const char* declared, const std::string& body,
                            const std::array<float, 3>& from, const std::array<float, 3>& to,
                            const States& sampler, float fourth = 1) {
    CommandWriter w;
    const uint32_t out = texture(w, kFloats, kSide, kSide);
    states(w);
    target(w, out);
    bindShaders(w, shader(w, kVs3),
                shader(w, std::string("ps_3_0\ndcl_texcoord v0\ndcl_") + declared + " s0\n" + body +
                              "\nmov oC0, r0\n"));
    for (const auto& [state, value] : sampler) samplerState(w, 0, state, value);
    setTexture(w, 0, t);
    drawQuad(w, from, to, fourth);
    run(w);
    return floats(out);
  }
  /// Returns the samples of a 2D texture at each pixel of a quad from `from` to `to`.
  std::vector<Color> sampled(uint32_t t, const std::array<float, 3>& from, const std::array<float, 3>& to,
                             const States& sampler) {
    return shaded(t, "2d", "texld r0, v0, s0", from, to, sampler);
  }
  static States point() {
    return {{kMagFilter, 1}, {kMinFilter, 1}, {kMipFilter, 0}, {kAddressU, 3}, {kAddressV, 3}};
  }

  std::vector<aerogpu_format_caps> m_caps;
};

}  // namespace aerogpu::test
