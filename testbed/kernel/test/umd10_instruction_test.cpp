// SPDX-License-Identifier: MIT
// Measures the cost of a draw of Direct3D 10: instructions of the shipped library, counted by
// single-stepping, and bytes of packets. docs/develop/performance.md.
#include <cstdio>

#include "guest-drivers/umd-d3d10/test/program.h"
#include "renderer/test/token_shaders.h"
#include "testbed/kernel/test/shipped_library.h"

/** Opens the shipped library's adapter, not that of the files compiled for Linux. */
extern "C" HRESULT APIENTRY OpenAdapter10(D3D10DDIARG_OPENADAPTER* args) {
  return reinterpret_cast<decltype(&OpenAdapter10)>(aero::test::shippedExport("OpenAdapter10"))(args);
}
extern "C" HRESULT APIENTRY OpenAdapter10_2(D3D10DDIARG_OPENADAPTER* args) {
  return reinterpret_cast<decltype(&OpenAdapter10_2)>(aero::test::shippedExport("OpenAdapter10_2"))(args);
}

namespace aero::test {
namespace {

using namespace aerogpu::test::dxbc;

size_t bytesOf(const std::vector<Packet>& packets) {
  size_t bytes = 0;
  for (const Packet& each : packets) bytes += each.bytes.size();
  return bytes;
}

class UmdShipped10 : public ::testing::Test {
protected:
  void SetUp() override {
    static aerogpu::test::Harness s_harness;
    kernel.giveBlock(s_harness);
    kernel.spaces = true;
    rt.commandBytes = 65536;  // no batch ends within a draw
    rt.listEntries = 64;
    rt.mayMove = false;
    rt.open();
    ASSERT_NE(rt.device.pDrvPrivate, nullptr);
    using Signature = std::vector<D3D10DDIARG_SIGNATURE_ENTRY>;
    const Signature none = {{D3D10_SB_NAME_UNDEFINED, 0, 15}, {D3D10_SB_NAME_UNDEFINED, 1, 15}};
    const Signature between = {{D3D10_SB_NAME_POSITION, 0, 15}, {D3D10_SB_NAME_UNDEFINED, 1, 15}};
    vs = p.shader(vertexTokens().tokens, none, between);
    ps = p.shader(pixelTokens().tokens, between, {{D3D10_SB_NAME_UNDEFINED, 0, 15}});
    layout = p.layout({{0, 0, DXGI_FORMAT_R32G32B32A32_FLOAT, D3D10_DDI_INPUT_PER_VERTEX_DATA, 0, 0},
                       {0, 16, DXGI_FORMAT_R32G32B32A32_FLOAT, D3D10_DDI_INPUT_PER_VERTEX_DATA, 0, 1}});
    ResourceDesc desc;
    for (size_t i = 0; i < 2; i++) {
      textures[i] = p.resource(desc);
      views[i] = p.texture(textures[i], desc.format);
    }
    desc.bind = D3D10_DDI_BIND_RENDER_TARGET;
    target = p.resource(desc);
    view = p.target(target, desc.format);
    vertices = p.buffer(6 * 32, D3D10_DDI_BIND_VERTEX_BUFFER);
    constants = p.buffer(kConstantBytes, D3D10_DDI_BIND_CONSTANT_BUFFER, D3D10_DDI_USAGE_DYNAMIC);
    AERO_CALL(rt, VsSetShader, vs);
    AERO_CALL(rt, PsSetShader, ps);
    AERO_CALL(rt, VsSetConstantBuffers, 0u, 1u, &constants);
    AERO_CALL(rt, IaSetInputLayout, layout);
    AERO_CALL(rt, IaSetTopology, D3D10_DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
    p.stream(vertices, 32);
    p.setTargets({view});
    p.viewport(0, 0, 16, 16);
    for (int i = 0; i < 3; i++) {  // what the first ones do beyond others is not of interest
      another();
      discard();
      draw();
    }
    p.flush();
    rt.takePackets();
  }
  void TearDown() override {
    const D3D10DDI_HRESOURCE noBuffer = {};
    const D3D10DDI_HSHADERRESOURCEVIEW noView = {};
    AERO_CALL(rt, VsSetShader, D3D10DDI_HSHADER{});
    AERO_CALL(rt, PsSetShader, D3D10DDI_HSHADER{});
    AERO_CALL(rt, VsSetConstantBuffers, 0u, 1u, &noBuffer);
    AERO_CALL(rt, PsSetShaderResources, 0u, 1u, &noView);
    AERO_CALL(rt, IaSetInputLayout, D3D10DDI_HELEMENTLAYOUT{});
    p.stream({}, 0);
    p.setTargets({});
    for (const auto each : {vs, ps}) p.destroy(each);
    for (const auto each : views) p.destroy(each);
    for (const auto each : {textures[0], textures[1], vertices, constants}) p.destroy(each);
    p.destroy(layout);
    p.destroy(view);
    p.destroy(target);
    rt.close();
    EXPECT_TRUE(kernel.allocations.empty()) << kernel.allocations.size() << " allocations are left";
  }

  void draw() { EXPECT_EQ(AERO_CALL(rt, Draw, 6u, 0u), 0); }
  /** Changes to the other texture. */
  void another() { AERO_CALL(rt, PsSetShaderResources, 0u, 1u, &views[++m_views % 2]); }
  /** Fills the constant buffer anew. */
  void discard() {
    D3D10DDI_MAPPED_SUBRESOURCE mapped = {};
    ASSERT_EQ(AERO_CALL(rt, DynamicConstantBufferMapDiscard, constants, 0u, D3D10_DDI_MAP_WRITE_DISCARD, 0u,
                        &mapped),
              0);
    memset(mapped.pData, ++m_changes, kConstantBytes);
    ASSERT_EQ(AERO_CALL(rt, DynamicConstantBufferUnmap, constants, 0u), 0);
  }
  std::vector<Packet> flushed() {
    p.flush();
    return rt.takePackets();
  }

  static constexpr UINT kConstantBytes = 64;
  FakeKernel kernel;
  FakeRuntime rt{kernel, D3D10_1_x_DDI_INTERFACE_VERSION};
  Program p{rt};
  D3D10DDI_HSHADER vs, ps;
  D3D10DDI_HELEMENTLAYOUT layout;
  D3D10DDI_HRESOURCE target, vertices, constants, textures[2];
  D3D10DDI_HSHADERRESOURCEVIEW views[2];
  D3D10DDI_HRENDERTARGETVIEW view;

private:
  uint8_t m_changes = 0;
  uint32_t m_views = 0;
};

TEST_F(UmdShipped10, ADrawThatChangesNothing) {
  const uint32_t steps = stepsOf([this] { draw(); });
  const size_t bytes = bytesOf(flushed());
  std::printf("a draw that changes nothing: %u instructions, %zu bytes\n", steps, bytes);
  EXPECT_GT(steps, 20u);
  EXPECT_LE(steps, 200u);
  EXPECT_LE(bytes, 32u);
}

TEST_F(UmdShipped10, ADrawBehindAnotherTexture) {
  const uint32_t setter = stepsOf([this] { another(); }), drawn = stepsOf([this] { draw(); });
  const size_t bytes = bytesOf(flushed());
  std::printf("a draw behind another texture: %u instructions, %u of them of the setter, %zu bytes\n",
              setter + drawn, setter, bytes);
  EXPECT_LE(setter + drawn, 500u);
  EXPECT_LE(bytes, 64u);
}

// Like games draw moving objects.
TEST_F(UmdShipped10, ADrawBehindNewConstants) {
  const uint32_t filled = stepsOf([this] { discard(); }), drawn = stepsOf([this] { draw(); });
  const size_t bytes = bytesOf(flushed());
  std::printf("a draw behind new constants: %u instructions, %u of them of Map and Unmap, %zu bytes\n",
              filled + drawn, filled, bytes);
  EXPECT_LE(filled + drawn, 450u);
  EXPECT_LE(bytes, kConstantBytes + 72u);
}

}  // namespace
}  // namespace aero::test

int main(int argc, char** argv) {
  return aero::test::runShipped(argc, argv);
}
