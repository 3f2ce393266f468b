// SPDX-License-Identifier: MIT
// Geometry shaders through the renderer: what the driver hands on, in pixels.
#include "guest-drivers/umd-d3d10/test/draws_fixture.h"
#include "renderer/test/geometry_tokens.h"

namespace aero::test {
namespace {

class Geometry10 : public Draws10 {
protected:
  using Entries = std::vector<D3D10DDIARG_SIGNATURE_ENTRY>;
  const Entries between = {{D3D10_SB_NAME_POSITION, 0, 15}, {D3D10_SB_NAME_UNDEFINED, 1, 15}};

  D3D10DDI_HSHADER geometry(const TokenShader &shader) { return p->shader(shader.tokens, between, between); }
};

INSTANTIATE_TEST_SUITE_P(All, Geometry10,
                         ::testing::Values(D3D10_0_DDI_INTERFACE_VERSION, D3D10_1_x_DDI_INTERFACE_VERSION,
                                           D3D11_0_DDI_INTERFACE_VERSION));

TEST_P(Geometry10, PointsBecomeSquaresUntilItIsUnbound) {
  const D3D10DDI_HSHADER gs = geometry(squareTokens(4 / 8.0f));
  AERO_CALL(*rt, GsSetShader, gs);
  AERO_CALL(*rt, IaSetTopology, D3D10_DDI_PRIMITIVE_TOPOLOGY_POINTLIST);
  draw({rect(3, 5, 0, 0, kRedOf)[0]});
  expect(3, 5, 7, 9, kRed);
  p->clear(view, 0, 0, 0, 1);
  AERO_CALL(*rt, GsSetShader, D3D10DDI_HSHADER{});
  AERO_CALL(*rt, IaSetTopology, D3D10_DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
  draw(rect(2, 1, 10, 5, kGreenOf));
  expect(2, 1, 10, 5, kGreen);
  p->destroy(gs);
}

/** The stage's own bindings count from the moment that it has a shader. */
TEST_P(Geometry10, ItsConstantBuffer) {
  Tokens t;
  op(t, 0x59, {{2 | 1u << 2 | kXyzw << 4 | kConstantBuffer << 12 | 2u << 20, 3, 2}});
  const Tokens rest = geometryDeclarations(kTriangles, kTriangleStrip, 3);
  t.insert(t.end(), rest.begin(), rest.end());
  for (uint32_t i = 0; i < 3; i++) {
    op(t, kMov, {dst(kOutput, 0, 15), vertexInput(i, 0)});
    op(t, kMov, {dst(kOutput, 1, 15), constant(3, 1)});
    op(t, kEmit, {});
  }
  op(t, kRet, {});
  const D3D10DDI_HSHADER gs = geometry(geometryShader(t));
  const float values[8] = {9, 9, 9, 9, 0, 0, 1, 1};
  const auto buffer = p->buffer(sizeof values, D3D10_DDI_BIND_CONSTANT_BUFFER, D3D10_DDI_USAGE_DEFAULT, values);
  AERO_CALL(*rt, GsSetConstantBuffers, 3u, 1u, &buffer);
  draw(rect(2, 1, 10, 5, kRedOf));
  expect(2, 1, 10, 5, kRed);
  AERO_CALL(*rt, GsSetShader, gs);
  draw(rect(2, 1, 10, 5, kRedOf));
  expect(2, 1, 10, 5, kBlue);
  const D3D10DDI_HRESOURCE none = {};
  AERO_CALL(*rt, GsSetConstantBuffers, 3u, 1u, &none);
  draw(rect(2, 1, 10, 5, kRedOf));
  expect(2, 1, 10, 5, 0);  // zeros of the buffer that is gone
  AERO_CALL(*rt, GsSetShader, D3D10DDI_HSHADER{});
  p->destroy(buffer);
  p->destroy(gs);
}

/** An input that the tokens generate has no register, and the device no entry for it. */
TEST_P(Geometry10, ThePrimitivesNumber) {
  constexpr uint32_t kPrimitiveIdOperand = 11, kUtof = 0x56;
  Tokens t = geometryDeclarations(kPoints, kTriangleStrip, 4);
  op(t, 0x5F, {{kPrimitiveIdOperand << 12}});  // dcl_input vPrim
  op(t, kDclTemps, {{1}});
  for (uint32_t i = 0; i < 4; i++) {
    op(t, kAdd, {dst(kOutput, 0, 15), vertexInput(0, 0), four(i & 1 ? 0.5f : 0, i & 2 ? -0.5f : 0, 0, 0)});
    op(t, kUtof, {dst(kTemp, 0, 1), {2 | 2u << 2 | kPrimitiveIdOperand << 12}});
    op(t, kMov, {dst(kOutput, 1, 15), src(kTemp, 0, 0)});
    op(t, kEmit, {});
  }
  op(t, kRet, {});
  Entries inputs = between;
  inputs.push_back({D3D10_SB_NAME_PRIMITIVE_ID, 0xFFFFFFFF, 1});
  const D3D10DDI_HSHADER gs = p->shader(program(kGs40, t), inputs, between);
  AERO_CALL(*rt, GsSetShader, gs);
  AERO_CALL(*rt, IaSetTopology, D3D10_DDI_PRIMITIVE_TOPOLOGY_POINTLIST);
  draw({rect(3, 5, 0, 0, kRedOf)[0], rect(10, 5, 0, 0, kRedOf)[0]});
  const std::vector<uint32_t> seen = p->pixels(texture, desc);
  EXPECT_EQ(seen[6 * 16 + 4], 0u) << "the first one: zeros";
  EXPECT_EQ(seen[6 * 16 + 11], 0xFFFFFFFFu) << "the second one: ones";
  AERO_CALL(*rt, GsSetShader, D3D10DDI_HSHADER{});
  p->destroy(gs);
}

/** Emits a triangle over the whole viewport for each index, whose system value is in o2.x: red, green, blue. */
std::vector<uint32_t> choosing(uint32_t systemValue, const std::array<uint32_t, 3> &indices) {
  Tokens t = geometryDeclarations(kPoints, kTriangleStrip, 9);
  op(t, 0x67, {dst(kOutput, 2, 1), {systemValue}});
  for (uint32_t which = 0; which < 3; which++) {
    for (uint32_t i = 0; i < 3; i++) {
      op(t, kMov, {dst(kOutput, 0, 15), four(i == 1 ? 3.0f : -1.0f, i == 2 ? -3.0f : 1.0f, 0.5f, 1)});
      op(t, kMov, {dst(kOutput, 1, 15), four(which == 0, which == 1, which == 2, 1)});
      op(t, kMov, {dst(kOutput, 2, 1), immediate(indices[which])});
      op(t, kEmit, {});
    }
    op(t, kCut, {});
  }
  op(t, kRet, {});
  return program(kGs40, t);
}

/** A whole array as target has a view of its own: without one it would be its first layer. */
TEST_P(Geometry10, ChoosesLayers) {
  Entries outputs = between;
  outputs.push_back({D3D10_SB_NAME_RENDER_TARGET_ARRAY_INDEX, 2, 1});
  const D3D10DDI_HSHADER gs = p->shader(choosing(D3D10_SB_NAME_RENDER_TARGET_ARRAY_INDEX, {2, 0, 1}), between, outputs);
  ResourceDesc layered = desc;
  layered.layers = 3;
  const auto array = p->resource(layered);
  const auto layers = p->target(array, layered.format, 0, 0, 3);
  p->setTargets({layers});
  AERO_CALL(*rt, GsSetShader, gs);
  AERO_CALL(*rt, IaSetTopology, D3D10_DDI_PRIMITIVE_TOPOLOGY_POINTLIST);
  draw({rect(3, 5, 0, 0, kRedOf)[0]});
  const uint32_t want[] = {kGreen, kBlue, kRed};
  for (UINT layer = 0; layer < 3; layer++)
    for (const uint32_t pixel : p->pixels(array, layered, layer)) ASSERT_EQ(pixel, want[layer]) << layer;
  AERO_CALL(*rt, GsSetShader, D3D10DDI_HSHADER{});
  AERO_CALL(*rt, IaSetTopology, D3D10_DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
  p->setTargets({view});
  p->destroy(gs);
  p->destroy(layers);
  p->destroy(array);
}

TEST_P(Geometry10, ChoosesViewports) {
  Entries outputs = between;
  outputs.push_back({D3D10_SB_NAME_VIEWPORT_ARRAY_INDEX, 2, 1});
  const D3D10DDI_HSHADER gs = p->shader(choosing(D3D10_SB_NAME_VIEWPORT_ARRAY_INDEX, {2, 0, 1}), between, outputs);
  const D3D10_DDI_VIEWPORT viewports[] = {{0, 0, 4, 16, 0, 1}, {4, 0, 2, 16, 0, 1}, {10, 0, 6, 16, 0, 1}};
  AERO_CALL(*rt, SetViewports, 3u, 0u, viewports);
  AERO_CALL(*rt, GsSetShader, gs);
  AERO_CALL(*rt, IaSetTopology, D3D10_DDI_PRIMITIVE_TOPOLOGY_POINTLIST);
  draw({rect(3, 5, 0, 0, kRedOf)[0]});
  const auto seen = [&](UINT x) { return p->pixels(texture, desc)[5 * 16 + x]; };
  EXPECT_EQ(seen(0), kGreen);
  EXPECT_EQ(seen(3), kGreen);
  EXPECT_EQ(seen(5), kBlue);
  EXPECT_EQ(seen(7), kBlack);
  EXPECT_EQ(seen(12), kRed);
  // Scissors of two, so that the third shows nothing.
  auto rasterizer = defaultRasterizer();
  rasterizer.ScissorEnable = 1;
  D3D10DDI_HRASTERIZERSTATE state;
  ASSERT_EQ(p->tryRasterizer(rasterizer, state), 0);
  AERO_CALL(*rt, SetRasterizerState, state);
  const D3D10_DDI_RECT rects[] = {{0, 0, 2, 16}, {5, 0, 6, 16}};
  AERO_CALL(*rt, SetScissorRects, 2u, 0u, rects);
  p->clear(view, 0, 0, 0, 1);
  draw({rect(3, 5, 0, 0, kRedOf)[0]});
  EXPECT_EQ(seen(1), kGreen);
  EXPECT_EQ(seen(2), kBlack);
  EXPECT_EQ(seen(4), kBlack);
  EXPECT_EQ(seen(5), kBlue);
  EXPECT_EQ(seen(12), kBlack);
  AERO_CALL(*rt, GsSetShader, D3D10DDI_HSHADER{});
  AERO_CALL(*rt, SetRasterizerState, D3D10DDI_HRASTERIZERSTATE{});
  AERO_CALL(*rt, IaSetTopology, D3D10_DDI_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
  p->viewport(0, 0, 16, 16);
  p->destroy(state);
  p->destroy(gs);
}

}  // namespace
}  // namespace aero::test
