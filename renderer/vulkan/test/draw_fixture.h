// SPDX-License-Identifier: MIT
// Test support: a small target, a shader pair that passes colours through, quads given in pixels.
#pragma once

#include "renderer/vulkan/test/gpu_test.h"

namespace aerogpu::test {

inline constexpr aerogpu_format kBgra = AEROGPU_FORMAT_B8G8R8A8_UNORM;
inline constexpr uint32_t kSize = 8;

struct Vertex {
  float x, y, z;
  uint32_t color;  ///< D3DCOLOR
};

// Takes a position in pixels (D3D9: centres on integers) to clip space for a target of kSize.
inline Vertex at(float x, float y, uint32_t color, float z = 0.5f) {
  return {x / (kSize / 2.0f) - 1, 1 - y / (kSize / 2.0f), z, color};
}

inline constexpr const char* kVs = R"(vs_2_0
dcl_position v0
dcl_color v1
mov oPos, v0
mov oD0, v1
)";
inline constexpr const char* kPs = R"(ps_2_0
dcl v0
mov oC0, v0
)";

class DrawTest : public GpuTest {
protected:
  void SetUp() override {
    GpuTest::SetUp();
    CommandWriter w;
    m_target = texture(w, kBgra, kSize, kSize);
    m_depth = texture(w, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSize, kSize, 1, 1,
                      AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
    m_vs = shader(w, kVs);
    m_ps = shader(w, kPs);
    bindShaders(w, m_vs, m_ps);
    layout(w, {{0, 0, 2, 0, 0, 0}, {0, 12, 4, 0, 10, 0}});
    renderState(w, kCullMode, 1u);
    renderState(w, kZEnable, 0u);
    target(w, m_target);
    viewport(w, 0, 0, kSize, kSize);
    clearColor(w, 0, 0, 0, 0);
    topology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
    run(w);
  }
  /// Makes a quad that covers pixels [x0, x1) x [y0, y1) exactly: its corners lie half a pixel up and left of
  /// centres.
  std::vector<Vertex> quad(float x0, float y0, float x1, float y1, uint32_t color, float z = 0.5f) {
    const Vertex a = at(x0 - 0.5f, y0 - 0.5f, color, z), b = at(x1 - 0.5f, y0 - 0.5f, color, z),
                 c = at(x0 - 0.5f, y1 - 0.5f, color, z), d = at(x1 - 0.5f, y1 - 0.5f, color, z);
    return {a, b, c, c, b, d};
  }
  void drawVertices(CommandWriter& w, const std::vector<Vertex>& v,
                    uint32_t topo = AEROGPU_TOPOLOGY_TRIANGLELIST) {
    stream(w, 0, vertexBuffer(w, v), sizeof(Vertex));
    topology(w, topo);
    draw(w, static_cast<uint32_t>(v.size()));
  }
  Bytes result() { return read(m_target, kBgra, kSize, kSize); }
  Pixel result(uint32_t x, uint32_t y) { return pixel(result(), kSize, x, y); }

  uint32_t m_target = 0, m_depth = 0, m_vs = 0, m_ps = 0;
};

}  // namespace aerogpu::test
