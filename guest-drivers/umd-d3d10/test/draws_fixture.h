// SPDX-License-Identifier: MIT
// Test support: a target of 16 by 16, the plainest shaders, and rectangles in pixels.
#pragma once

#include "guest-drivers/umd-d3d10/test/umd_pixels.h"
#include "renderer/test/token_shaders.h"

namespace aero::test {

using namespace aerogpu::test::dxbc;

constexpr UINT kTarget = D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_SHADER_RESOURCE;
constexpr uint32_t kRed = 0xFFFF0000, kGreen = 0xFF00FF00, kBlue = 0xFF0000FF, kBlack = 0xFF000000;

struct Corner {
  float x, y, z, w, rest[4];
};
using Corners = std::vector<Corner>;

class Draws10 : public Umd10Pixels {
protected:
  void SetUp() override {
    Umd10Pixels::SetUp();
    using Entries = std::vector<D3D10DDIARG_SIGNATURE_ENTRY>;
    const Entries none = {{D3D10_SB_NAME_UNDEFINED, 0, 15}, {D3D10_SB_NAME_UNDEFINED, 1, 15}};
    const Entries between = {{D3D10_SB_NAME_POSITION, 0, 15}, {D3D10_SB_NAME_UNDEFINED, 1, 15}};
    const Entries target = {{D3D10_SB_NAME_UNDEFINED, 0, 15}};
    vs = p->shader(vertexTokens().tokens, none, between);
    color = p->shader(pixelTokens().tokens, between, target);
    Tokens sampling;
    op(sampling, 0x5A, {handle(kSampler, 1)});
    op(sampling, 0x58 | 3u << 11, {handle(kResource, 2), {0x5555}});
    op(sampling, 0x62 | 2u << 11, {dst(kInput, 1, 3)});
    op(sampling, 0x65, {dst(kOutput, 0, 15)});
    op(sampling, kSample, {dst(kOutput, 0, 15), src(kInput, 1, kXyxx), src(kResource, 2), handle(kSampler, 1)});
    op(sampling, kRet, {});
    textured = p->shader(program(kPs40, sampling), between, target);
    Tokens reading;
    op(reading, 0x59, {{2 | 1u << 2 | kXyzw << 4 | kConstantBuffer << 12 | 2u << 20, 3, 2}});
    op(reading, 0x65, {dst(kOutput, 0, 15)});
    op(reading, kMov, {dst(kOutput, 0, 15), constant(3, 1)});
    op(reading, kRet, {});
    constant3 = p->shader(program(kPs40, reading), between, target);
    layout = p->layout({{0, 0, DXGI_FORMAT_R32G32B32A32_FLOAT, D3D10_DDI_INPUT_PER_VERTEX_DATA, 0, 0},
                        {0, 16, DXGI_FORMAT_R32G32B32A32_FLOAT, D3D10_DDI_INPUT_PER_VERTEX_DATA, 0, 1}});
    desc.bind = kTarget;
    texture = p->resource(desc);
    view = p->target(texture, desc.format);
    AERO_CALL(*rt, VsSetShader, vs);
    AERO_CALL(*rt, PsSetShader, color);
    AERO_CALL(*rt, IaSetInputLayout, layout);
    AERO_CALL(*rt, IaSetTopology, D3D10_DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
    p->setTargets({view});
    p->viewport(0, 0, 16, 16);
    p->clear(view, 0, 0, 0, 1);
  }
  void TearDown() override {
    AERO_CALL(*rt, VsSetShader, D3D10DDI_HSHADER{});
    AERO_CALL(*rt, PsSetShader, D3D10DDI_HSHADER{});
    AERO_CALL(*rt, IaSetInputLayout, D3D10DDI_HELEMENTLAYOUT{});
    p->setTargets({});
    for (const auto each : {vs, color, textured, constant3}) p->destroy(each);
    p->destroy(layout);
    p->destroy(view);
    p->destroy(texture);
    Umd10Pixels::TearDown();
  }

  /** A rectangle of a target of 16 by 16, pixels, as two clockwise triangles. */
  static Corners rect(float l, float t, float r, float b, std::array<float, 4> c, float z = 0.5f) {
    const auto at = [&](float x, float y) { return Corner{x / 8 - 1, 1 - y / 8, z, 1, {c[0], c[1], c[2], c[3]}}; };
    return {at(l, t), at(r, t), at(l, b), at(l, b), at(r, t), at(r, b)};
  }
  static constexpr std::array<float, 4> kRedOf = {1, 0, 0, 1}, kGreenOf = {0, 1, 0, 1}, kBlueOf = {0, 0, 1, 1};
  void draw(const Corners &corners) {
    const auto buffer = p->buffer(static_cast<UINT>(corners.size() * sizeof(Corner)), D3D10_DDI_BIND_VERTEX_BUFFER,
                                  D3D10_DDI_USAGE_IMMUTABLE, corners.data());
    p->stream(buffer, sizeof(Corner));
    EXPECT_EQ(AERO_CALL(*rt, Draw, static_cast<UINT>(corners.size()), 0u), 0);
    p->stream({}, 0);
    p->destroy(buffer);
  }
  void expect(float l, float t, float r, float b, uint32_t inside, uint32_t outside = kBlack) {
    const std::vector<uint32_t> seen = p->pixels(texture, desc);
    for (UINT y = 0; y < 16; y++)
      for (UINT x = 0; x < 16; x++)
        EXPECT_EQ(seen[y * 16 + x], x >= l && x < r && y >= t && y < b ? inside : outside) << x << ' ' << y;
  }
  D3D10DDI_HBLENDSTATE blend(const D3D10_1_DDI_BLEND_DESC &of) {
    D3D10DDI_HBLENDSTATE out;
    EXPECT_EQ(p->tryBlend(of, out), 0);
    return out;
  }

  ResourceDesc desc;
  D3D10DDI_HSHADER vs, color, textured, constant3;
  D3D10DDI_HELEMENTLAYOUT layout;
  D3D10DDI_HRESOURCE texture;
  D3D10DDI_HRENDERTARGETVIEW view;
};
}  // namespace aero::test
