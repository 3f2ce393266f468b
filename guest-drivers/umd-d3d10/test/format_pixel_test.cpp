// SPDX-License-Identifier: MIT
// Formats and views: integers, channels that are missing, typeless textures, depth that shaders read.
#include "guest-drivers/umd-d3d10/test/draws_fixture.h"

namespace aero::test {
namespace {

class Formats10 : public Draws10 {
protected:
  void SetUp() override {
    Draws10::SetUp();
    D3D10_DDI_SAMPLER_DESC point = defaultSampler();
    point.Filter = D3D10_DDI_FILTER_MIN_MAG_MIP_POINT;
    ASSERT_EQ(p->trySampler(point, sampler), 0);
    AERO_CALL(*rt, PsSetSamplers, 1u, 1u, &sampler);
  }
  void TearDown() override {
    const D3D10DDI_HSAMPLER none = {};
    AERO_CALL(*rt, PsSetSamplers, 1u, 1u, &none);
    p->destroy(sampler);
    Draws10::TearDown();
  }
  /** Draws what a shader samples, and returns a pixel of the target. */
  uint32_t seen(D3D10DDI_HSHADERRESOURCEVIEW source) {
    p->setTargets({view});
    AERO_CALL(*rt, PsSetShader, textured);
    AERO_CALL(*rt, PsSetShaderResources, 2u, 1u, &source);
    draw(rect(0, 0, 16, 16, {0.5f, 0.5f, 0, 0}));
    const D3D10DDI_HSHADERRESOURCEVIEW nothing = {};
    AERO_CALL(*rt, PsSetShaderResources, 2u, 1u, &nothing);
    return p->pixels(texture, desc)[5 * 16 + 5];
  }

  D3D10DDI_HSAMPLER sampler = {};
};

INSTANTIATE_TEST_SUITE_P(All, Formats10,
                         ::testing::Values(D3D10_0_DDI_INTERFACE_VERSION, D3D10_1_x_DDI_INTERFACE_VERSION,
                                           D3D11_0_DDI_INTERFACE_VERSION));

// A clear converts as a shader does: towards zero, limited to what there is.
TEST_P(Formats10, AnIntegerTargetOfATypelessTexture) {
  ResourceDesc typeless;
  typeless.format = DXGI_FORMAT_R8G8B8A8_TYPELESS;
  typeless.bind = kTarget;
  const auto resource = p->resource(typeless);
  const auto integers = p->target(resource, DXGI_FORMAT_R8G8B8A8_UINT);
  p->clear(integers, 200.9f, 3, -1, 300);
  const std::vector<uint8_t> bytes = p->read(resource, typeless);
  EXPECT_EQ(std::vector<uint8_t>(bytes.begin(), bytes.begin() + 4), (std::vector<uint8_t>{200, 3, 0, 255}));
  const auto fractions = p->texture(resource, DXGI_FORMAT_R8G8B8A8_UNORM);
  EXPECT_EQ(seen(fractions), 0xFFC80300u);
  D3D10DDI_HSHADERRESOURCEVIEW other;
  EXPECT_LT(p->tryTexture(resource, DXGI_FORMAT_R16G16_UNORM, other), 0) << "another family";
  p->destroy(fractions);
  p->destroy(integers);
  p->destroy(resource);
}

TEST_P(Formats10, MissingChannelsReadZero) {
  struct Case {
    DXGI_FORMAT format;
    std::vector<uint8_t> texel;
    uint32_t color;
  };
  const Case cases[] = {{DXGI_FORMAT_R8_UNORM, {0x80}, 0xFF800000},
                        {DXGI_FORMAT_R8G8_UNORM, {0x80, 0x40}, 0xFF804000},
                        {DXGI_FORMAT_R32_FLOAT, {0, 0, 0x80, 0x3F}, 0xFFFF0000},
                        {DXGI_FORMAT_R16G16_UNORM, {0xFF, 0xFF, 0, 0}, 0xFFFF0000}};
  for (const Case &one : cases) {
    ResourceDesc small;
    small.format = one.format;
    small.width = small.height = 1;
    small.data = {one.texel};
    const auto resource = p->resource(small);
    const auto source = p->texture(resource, one.format);
    EXPECT_EQ(seen(source), one.color) << one.format;
    p->destroy(source);
    p->destroy(resource);
  }
}

TEST_P(Formats10, ShadersReadDepth) {
  const struct {
    DXGI_FORMAT typeless, depth, read;
  } cases[] = {{DXGI_FORMAT_R32_TYPELESS, DXGI_FORMAT_D32_FLOAT, DXGI_FORMAT_R32_FLOAT},
               {DXGI_FORMAT_R16_TYPELESS, DXGI_FORMAT_D16_UNORM, DXGI_FORMAT_R16_UNORM},
               {DXGI_FORMAT_R24G8_TYPELESS, DXGI_FORMAT_D24_UNORM_S8_UINT, DXGI_FORMAT_R24_UNORM_X8_TYPELESS}};
  for (const auto &one : cases) {
    ResourceDesc of;
    of.format = one.typeless;
    of.bind = D3D10_DDI_BIND_DEPTH_STENCIL | D3D10_DDI_BIND_SHADER_RESOURCE;
    const auto resource = p->resource(of);
    const auto target = p->depth(resource, one.depth);
    AERO_CALL(*rt, ClearDepthStencilView, target, D3D10_DDI_CLEAR_DEPTH, 0.25f, UINT8{0});
    const auto source = p->texture(resource, one.read);
    EXPECT_EQ(seen(source), 0xFF400000u) << one.depth;
    p->destroy(source);
    p->destroy(target);
    p->destroy(resource);
  }
}

}  // namespace
}  // namespace aero::test
