// SPDX-License-Identifier: MIT
// Test support: DrawTest with shaders and a layout as the driver interface of Direct3D 10 has them.
#pragma once

#include "renderer/test/geometry_tokens.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {

class TokenShadersTest : public DrawTest {
protected:
  void SetUp() override {
    DrawTest::SetUp();
    constexpr uint32_t kFloat3 = 6, kBgra8 = 87;  // DXGI_FORMAT
    CommandWriter w;
    m_vertex = make(w, AEROGPU_SHADER_STAGE_VERTEX, dxbc::vertexTokens());
    m_pixel = make(w, AEROGPU_SHADER_STAGE_PIXEL, dxbc::pixelTokens());
    const uint32_t layout = gpu().handle();
    dxbc::createLayout(w, layout, {{0, 0, kFloat3, 0, 0, 0}, {1, 0, kBgra8, 12, 0, 0}});
    w.packet(aerogpu_cmd_set_input_layout{{}, layout, 0});
    run(w);
  }
  uint32_t make(CommandWriter& w, uint32_t stage, const dxbc::TokenShader& s) {
    const uint32_t h = gpu().handle();
    dxbc::createShader(w, h, stage, s);
    return h;
  }
  /// Binds the shaders; `gs`: 0 = none.
  void bind(CommandWriter& w, uint32_t gs) {
    aerogpu_cmd_bind_shaders c{};
    c.vs = m_vertex;
    c.ps = m_pixel;
    c.reserved0 = gs;
    w.packet(c);
  }
  void bind(CommandWriter& w, const dxbc::TokenShader& gs) {
    bind(w, make(w, AEROGPU_SHADER_STAGE_GEOMETRY, gs));
  }

  uint32_t m_vertex = 0, m_pixel = 0;
};

}  // namespace aerogpu::test
