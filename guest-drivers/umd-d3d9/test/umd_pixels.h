// SPDX-License-Identifier: MIT
// Test support: a device of the driver whose packets a renderer runs, on a Vulkan driver.
#pragma once

#include <cstdlib>

#include "aerogpu/d3d9/assembler.h"
#include "guest-drivers/umd-common/linux/linux_heap.h"
#include "guest-drivers/umd-d3d9/test/program.h"
#include "renderer/vulkan/test/gpu_test.h"

namespace aero::test {

using aerogpu::d3d9::assemble;

constexpr uint32_t kRed = 0xFFFF0000, kGreen = 0xFF00FF00, kBlue = 0xFF0000FF, kWhite = 0xFFFFFFFF, kBlack = 0xFF000000;

inline std::vector<uint32_t> opaque(std::vector<uint32_t> picture) {
  for (uint32_t &pixel : picture) pixel |= 0xFF000000u;
  return picture;
}

class UmdPixels : public aerogpu::test::GpuTest {
protected:
  explicit UmdPixels(UINT interfaceNumber = 9) : m_interface(interfaceNumber) {}
  void SetUp() override {
    GpuTest::SetUp();
    kernel = std::make_unique<FakeKernel>(s_gpu);
    kernel->nextRange = s_nextRange;
    kernel->nextContext = 100 + s_nextRange / 0x10000 % 0x1000;
    kernel->nextToken = s_nextRange;
    // The tests also hold for devices without extensions.
    if (const char *features = getenv("AEROGPU_TEST_FEATURES_HIGH"))
      kernel->featuresHigh = static_cast<uint32_t>(strtoul(features, nullptr, 0));
    else
      kernel->giveBlock(*s_gpu);
    rt = std::make_unique<FakeRuntime>(*kernel);
    rt->interfaceNumber = m_interface;
    rt->open();
    p = std::make_unique<Program>(*rt);
    vs = p->shader(true, assemble("vs_2_0\ndcl_position v0\ndcl_color v1\ndcl_texcoord v2\nmov oPos, v0\nmov oD0, v1\n"
                                  "mov oT0, v2\n")
                             .tokens);
    diffuse = p->shader(false, assemble("ps_2_0\ndcl v0\nmov oC0, v0\n").tokens);
    textured = p->shader(false, assemble("ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n").tokens);
    declaration = p->vertexDeclaration();
    p->fn.pfnSetVertexShaderFunc(p->dev(), vs);
    p->fn.pfnSetPixelShader(p->dev(), diffuse);
    p->fn.pfnSetVertexShaderDecl(p->dev(), declaration);
    p->state(22, 1);  // CULLMODE none
  }
  void TearDown() override {
    rt->close();
    EXPECT_TRUE(kernel->allocations.empty()) << kernel->allocations.size() << " allocations are left";
    EXPECT_EQ(heapBlocks(), 0u);
    EXPECT_EQ(rt->gpuErrors, 0u);
    s_nextRange = kernel->nextRange;
    GpuTest::TearDown();
  }

  /** Returns two triangles over a rectangle of a target of `width` by `height`, pixels. */
  static std::vector<Vertex> quad(float l, float t, float r, float b, float width, float height, uint32_t color,
                                  float u0 = 0, float v0 = 0, float u1 = 1, float v1 = 1) {
    const auto x = [&](float at) { return (at - 0.5f) * 2 / width - 1; };
    const auto y = [&](float at) { return 1 - (at - 0.5f) * 2 / height; };
    const Vertex corners[4] = {{x(l), y(t), 0.5f, 1, color, u0, v0},
                               {x(r), y(t), 0.5f, 1, color, u1, v0},
                               {x(l), y(b), 0.5f, 1, color, u0, v1},
                               {x(r), y(b), 0.5f, 1, color, u1, v1}};
    return {corners[0], corners[1], corners[2], corners[2], corners[1], corners[3]};
  }
  HANDLE bufferOf(const std::vector<Vertex> &vertices) {
    return p->buffer(static_cast<uint32_t>(vertices.size() * sizeof(Vertex)), vertices.data());
  }
  void drawQuad(const std::vector<Vertex> &vertices) {
    HANDLE buffer = bufferOf(vertices);
    p->stream(buffer, sizeof(Vertex));
    EXPECT_EQ(p->draw(D3DPT_TRIANGLELIST, 2), 0);
    p->stream(nullptr, 0);
    p->destroy(buffer);
  }

  std::unique_ptr<FakeKernel> kernel;
  std::unique_ptr<FakeRuntime> rt;
  std::unique_ptr<Program> p;
  HANDLE vs, diffuse, textured, declaration;
  static inline uint32_t s_nextRange = 0xE0000000u;

  bool has(uint32_t featureHigh) const { return kernel->featuresHigh & featureHigh; }

private:
  UINT m_interface;
};

/** The runtime is that of DirectDraw and Direct3D 7 and older. */
class DirectDrawPixels : public UmdPixels {
protected:
  DirectDrawPixels() : UmdPixels(7) {}
};

}  // namespace aero::test
