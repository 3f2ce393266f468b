// SPDX-License-Identifier: MIT
// Runs draws through the renderer: what a program's triangles look like in each state.
#include "guest-drivers/umd-d3d10/test/draws_fixture.h"

namespace aero::test {
namespace {

INSTANTIATE_TEST_SUITE_P(All, Draws10,
                         ::testing::Values(D3D10_0_DDI_INTERFACE_VERSION, D3D10_1_x_DDI_INTERFACE_VERSION,
                                           D3D11_0_DDI_INTERFACE_VERSION));

TEST_P(Draws10, ATriangleInTheDefaultState) {
  draw(rect(2, 1, 10, 5, kRedOf));
  expect(2, 1, 10, 5, kRed);
}

TEST_P(Draws10, ADrawThatChangesNothingCostsItsPacket) {
  const auto buffer = p->buffer(6 * sizeof(Corner), D3D10_DDI_BIND_VERTEX_BUFFER);
  p->stream(buffer, sizeof(Corner));
  AERO_CALL(*rt, Draw, 3u, 0u);
  p->flush();
  AERO_CALL(*rt, Draw, 3u, 0u);
  AERO_CALL(*rt, Draw, 3u, 3u);
  p->flush();
  const Submission &last = rt->submissions.back();
  ASSERT_EQ(last.packets.size(), 2u);
  EXPECT_EQ(last.packets[1].bytes.size(), sizeof(aerogpu_cmd_draw));
  p->stream({}, 0);
  p->destroy(buffer);
}

TEST_P(Draws10, IndicesInstancesAndOffsets) {
  Corners corners = rect(0, 0, 0, 0, kRedOf);
  const Corners more = rect(4, 4, 8, 8, kGreenOf);
  corners.insert(corners.end(), more.begin(), more.end());
  const uint16_t indices[] = {9, 9, 9, 0, 1, 2, 3, 4, 5};
  const auto buffer = p->buffer(static_cast<UINT>(corners.size() * sizeof(Corner)), D3D10_DDI_BIND_VERTEX_BUFFER,
                                D3D10_DDI_USAGE_DEFAULT, corners.data());
  const auto numbers = p->buffer(sizeof indices, D3D10_DDI_BIND_INDEX_BUFFER, D3D10_DDI_USAGE_DEFAULT, indices);
  p->stream(buffer, sizeof(Corner), sizeof(Corner));
  AERO_CALL(*rt, IaSetIndexBuffer, numbers, DXGI_FORMAT_R16_UINT, 2u);
  EXPECT_EQ(AERO_CALL(*rt, DrawIndexed, 6u, 2u, 5), 0);
  expect(4, 4, 8, 8, kGreen);
  p->clear(view, 0, 0, 0, 1);
  p->stream(buffer, sizeof(Corner));
  EXPECT_EQ(AERO_CALL(*rt, DrawIndexedInstanced, 6u, 2u, 2u, 6, 1u), 0);
  expect(4, 4, 8, 8, kGreen);
  p->clear(view, 0, 0, 0, 1);
  EXPECT_EQ(AERO_CALL(*rt, DrawInstanced, 6u, 2u, 6u, 0u), 0);
  expect(4, 4, 8, 8, kGreen);
  AERO_CALL(*rt, IaSetIndexBuffer, D3D10DDI_HRESOURCE{}, DXGI_FORMAT_R16_UINT, 0u);
  p->stream({}, 0);
  p->destroy(buffer);
  p->destroy(numbers);
}

TEST_P(Draws10, ATextureAndItsSampler) {
  ResourceDesc small;
  small.width = small.height = 2;
  small.data = {{0, 0, 0xFF, 0xFF, 0, 0xFF, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0, 0, 0, 0xFF}};
  const auto source = p->resource(small);
  const auto read = p->texture(source, small.format);
  D3D10_DDI_SAMPLER_DESC point = defaultSampler();
  point.Filter = D3D10_DDI_FILTER_MIN_MAG_MIP_POINT;
  point.AddressU = point.AddressV = D3D10_DDI_TEXTURE_ADDRESS_WRAP;
  D3D10DDI_HSAMPLER sampler;
  ASSERT_EQ(p->trySampler(point, sampler), 0);
  AERO_CALL(*rt, PsSetShader, textured);
  AERO_CALL(*rt, PsSetShaderResources, 2u, 1u, &read);
  AERO_CALL(*rt, PsSetSamplers, 1u, 1u, &sampler);
  Corners corners = rect(0, 0, 16, 16, {});
  for (Corner &corner : corners) {  // the texture twice, each way
    corner.rest[0] = corner.x + 1;
    corner.rest[1] = 1 - corner.y;
  }
  draw(corners);
  const std::vector<uint32_t> seen = p->pixels(texture, desc);
  const uint32_t texels[4] = {kRed, kGreen, kBlue, kBlack};
  for (UINT y = 0; y < 16; y++)
    for (UINT x = 0; x < 16; x++) EXPECT_EQ(seen[y * 16 + x], texels[y / 4 % 2 * 2 + x / 4 % 2]) << x << ' ' << y;
  // The default sampler is linear and clamped.
  const D3D10DDI_HSAMPLER none = {};
  AERO_CALL(*rt, PsSetSamplers, 1u, 1u, &none);
  draw(corners);
  EXPECT_EQ(p->pixels(texture, desc)[15 * 16 + 15], kBlack);
  EXPECT_EQ(p->pixels(texture, desc)[15], kGreen);
  EXPECT_EQ(p->pixels(texture, desc)[2], 0xFFDF2000u) << "an eighth of the next texel";
  const D3D10DDI_HSHADERRESOURCEVIEW nothing = {};
  AERO_CALL(*rt, PsSetShaderResources, 2u, 1u, &nothing);
  p->destroy(sampler);
  p->destroy(read);
  p->destroy(source);
}

TEST_P(Draws10, ConstantBuffersOfBothKinds) {
  AERO_CALL(*rt, PsSetShader, constant3);
  const float first[8] = {1, 1, 1, 1, 0, 1, 0, 1}, second[8] = {1, 1, 1, 1, 0, 0, 1, 1};
  const auto fixed = p->buffer(32, D3D10_DDI_BIND_CONSTANT_BUFFER);
  AERO_CALL(*rt, PsSetConstantBuffers, 3u, 1u, &fixed);
  AERO_CALL(*rt, DefaultConstantBufferUpdateSubresourceUP, fixed, 0u, nullptr, first, 0u, 0u);
  draw(rect(0, 0, 8, 16, {}));
  AERO_CALL(*rt, DefaultConstantBufferUpdateSubresourceUP, fixed, 0u, nullptr, second, 0u, 0u);
  draw(rect(8, 0, 16, 16, {}));
  std::vector<uint32_t> seen = p->pixels(texture, desc);
  EXPECT_EQ(seen[0], kGreen) << "an update has no effect on earlier draws";
  EXPECT_EQ(seen[15], kBlue);
  const auto dynamic = p->buffer(32, D3D10_DDI_BIND_CONSTANT_BUFFER, D3D10_DDI_USAGE_DYNAMIC);
  AERO_CALL(*rt, PsSetConstantBuffers, 3u, 1u, &dynamic);
  D3D10DDI_MAPPED_SUBRESOURCE mapped = {};
  EXPECT_EQ(AERO_CALL(*rt, DynamicConstantBufferMapDiscard, dynamic, 0u, D3D10_DDI_MAP_WRITE_DISCARD, 0u, &mapped), 0);
  memcpy(mapped.pData, first, sizeof first);
  EXPECT_EQ(AERO_CALL(*rt, DynamicConstantBufferUnmap, dynamic, 0u), 0);
  draw(rect(0, 0, 16, 16, {}));
  expect(0, 0, 16, 16, kGreen);
  const D3D10DDI_HRESOURCE none = {};
  AERO_CALL(*rt, PsSetConstantBuffers, 3u, 1u, &none);
  p->destroy(fixed);
  p->destroy(dynamic);
}

TEST_P(Draws10, BlendingOfOneTarget) {
  const FLOAT factor[4] = {0.5f, 0.5f, 0.5f, 0.5f}, ones[4] = {1, 1, 1, 1};
  struct Row {
    D3D10_DDI_BLEND source, target;
    D3D10_DDI_BLEND_OP operation;
    uint32_t wanted;  // of red 1, alpha 0.4 over green 0.8
  };
  const Row rows[] = {
      {D3D10_DDI_BLEND_SRC_ALPHA, D3D10_DDI_BLEND_INV_SRC_ALPHA, D3D10_DDI_BLEND_OP_ADD, 0x667A00},
      {D3D10_DDI_BLEND_ONE, D3D10_DDI_BLEND_SRC_COLOR, D3D10_DDI_BLEND_OP_ADD, 0xFF0000},
      {D3D10_DDI_BLEND_DEST_COLOR, D3D10_DDI_BLEND_INV_SRC_COLOR, D3D10_DDI_BLEND_OP_ADD, 0x00CC00},
      {D3D10_DDI_BLEND_BLEND_FACTOR, D3D10_DDI_BLEND_INVBLEND_FACTOR, D3D10_DDI_BLEND_OP_ADD, 0x806600},
      {D3D10_DDI_BLEND_ONE, D3D10_DDI_BLEND_ONE, D3D10_DDI_BLEND_OP_REV_SUBTRACT, 0x00CC00},
      {D3D10_DDI_BLEND_ONE, D3D10_DDI_BLEND_ONE, D3D10_DDI_BLEND_OP_MAX, 0xFFCC00},
  };
  for (const Row &row : rows) {
    D3D10_1_DDI_BLEND_DESC of = defaultBlend();
    of.RenderTarget[0].BlendEnable = TRUE;
    of.RenderTarget[0].SrcBlend = row.source;
    of.RenderTarget[0].DestBlend = row.target;
    of.RenderTarget[0].BlendOp = row.operation;
    const auto state = blend(of);
    AERO_CALL(*rt, SetBlendState, state, factor, 0xFFFFFFFFu);
    p->clear(view, 0, 0.8f, 0, 1);
    draw(rect(0, 0, 16, 16, {1, 0, 0, 0.4f}));
    EXPECT_EQ(p->pixels(texture, desc)[0] & 0xFFFFFF, row.wanted) << row.source << ' ' << row.target;
    AERO_CALL(*rt, SetBlendState, D3D10DDI_HBLENDSTATE{}, ones, 0xFFFFFFFFu);
    p->destroy(state);
  }
  draw(rect(0, 0, 16, 16, kBlueOf));
  expect(0, 0, 16, 16, kBlue);
  D3D10_1_DDI_BLEND_DESC masked = defaultBlend();
  masked.RenderTarget[0].RenderTargetWriteMask = D3D10_DDI_COLOR_WRITE_ENABLE_RED;
  const auto state = blend(masked);
  AERO_CALL(*rt, SetBlendState, state, ones, 0xFFFFFFFFu);
  draw(rect(0, 0, 16, 16, {1, 1, 0, 0}));
  expect(0, 0, 16, 16, 0xFFFF00FF);
  AERO_CALL(*rt, SetBlendState, D3D10DDI_HBLENDSTATE{}, ones, 0xFFFFFFFFu);
  p->destroy(state);
}

TEST_P(Draws10, LinesAreNotSmoothed) {
  D3D10_DDI_RASTERIZER_DESC lines = defaultRasterizer();
  lines.AntialiasedLineEnable = TRUE;
  D3D10DDI_HRASTERIZERSTATE raster;
  EXPECT_EQ(p->tryRasterizer(lines, raster), kOutOfMemory);
}

TEST_P(Draws10, TargetsHaveMasksOfTheirOwn) {
  const auto second = p->resource(desc);
  const auto other = p->target(second, desc.format);
  p->setTargets({view, other});
  D3D10_1_DDI_BLEND_DESC of = defaultBlend();
  of.IndependentBlendEnable = TRUE;
  of.RenderTarget[1].RenderTargetWriteMask = 0;
  const auto state = blend(of);
  const FLOAT ones[4] = {1, 1, 1, 1};
  Tokens code;
  op(code, 0x62 | 2u << 11, {dst(kInput, 1, 15)});
  for (uint32_t i = 0; i < 2; i++) op(code, 0x65, {dst(kOutput, i, 15)});
  for (uint32_t i = 0; i < 2; i++) op(code, kMov, {dst(kOutput, i, 15), src(kInput, 1)});
  op(code, kRet, {});
  const auto twice =
      p->shader(program(kPs40, code), {{D3D10_SB_NAME_POSITION, 0, 15}, {D3D10_SB_NAME_UNDEFINED, 1, 15}},
                {{D3D10_SB_NAME_UNDEFINED, 0, 15}, {D3D10_SB_NAME_UNDEFINED, 1, 15}});
  AERO_CALL(*rt, PsSetShader, twice);
  draw(rect(0, 0, 16, 16, kGreenOf));
  EXPECT_EQ(p->pixels(second, desc)[0], kGreen);
  AERO_CALL(*rt, SetBlendState, state, ones, 0xFFFFFFFFu);
  draw(rect(0, 0, 16, 16, kRedOf));
  EXPECT_EQ(p->pixels(second, desc)[0], kGreen);
  expect(0, 0, 16, 16, kRed);
  AERO_CALL(*rt, PsSetShader, color);
  p->destroy(twice);
  AERO_CALL(*rt, SetBlendState, D3D10DDI_HBLENDSTATE{}, ones, 0xFFFFFFFFu);
  p->setTargets({});
  p->destroy(state);
  p->destroy(other);
  p->destroy(second);
}

/** Writes v1 to o0, and to o1 v1 in another order. */
D3D10DDI_HSHADER twoOutputs(Program &p, uint32_t swizzle) {
  Tokens code;
  op(code, 0x62 | 2u << 11, {dst(kInput, 1, 15)});
  for (uint32_t i = 0; i < 2; i++) op(code, 0x65, {dst(kOutput, i, 15)});
  op(code, kMov, {dst(kOutput, 0, 15), src(kInput, 1)});
  op(code, kMov, {dst(kOutput, 1, 15), src(kInput, 1, swizzle)});
  op(code, kRet, {});
  return p.shader(program(kPs40, code), {{D3D10_SB_NAME_POSITION, 0, 15}, {D3D10_SB_NAME_UNDEFINED, 1, 15}},
                  {{D3D10_SB_NAME_UNDEFINED, 0, 15}, {D3D10_SB_NAME_UNDEFINED, 1, 15}});
}

TEST_P(Draws10, TargetsAreBlendedEachInItsWay) {
  if (GetParam() < D3D10_1_DDI_INTERFACE_VERSION) GTEST_SKIP() << "Direct3D 10.0 has one function";
  const auto second = p->resource(desc);
  const auto other = p->target(second, desc.format);
  p->setTargets({view, other});
  D3D10_1_DDI_BLEND_DESC of = defaultBlend();
  of.IndependentBlendEnable = TRUE;
  of.RenderTarget[0].BlendEnable = of.RenderTarget[1].BlendEnable = TRUE;
  of.RenderTarget[0].SrcBlend = of.RenderTarget[0].DestBlend = D3D10_DDI_BLEND_ONE;
  of.RenderTarget[1].SrcBlend = D3D10_DDI_BLEND_SRC_ALPHA;
  of.RenderTarget[1].DestBlend = D3D10_DDI_BLEND_INV_SRC_ALPHA;
  const auto state = blend(of);
  const FLOAT ones[4] = {1, 1, 1, 1};
  AERO_CALL(*rt, SetBlendState, state, ones, 0xFFFFFFFFu);
  const auto twice = twoOutputs(*p, kXyzw);
  AERO_CALL(*rt, PsSetShader, twice);
  p->clear(view, 0, 0.4f, 0, 1);
  p->clear(other, 0, 0.4f, 0, 1);
  draw(rect(0, 0, 16, 16, {0.8f, 0.2f, 0, 0.5f}));
  EXPECT_EQ(p->pixels(texture, desc)[0] & 0xFFFFFF, 0xCC9900u) << "1 + 1";
  EXPECT_EQ(p->pixels(second, desc)[0] & 0xFFFFFF, 0x664D00u) << "a half of each";
  AERO_CALL(*rt, PsSetShader, color);
  AERO_CALL(*rt, SetBlendState, D3D10DDI_HBLENDSTATE{}, ones, 0xFFFFFFFFu);
  p->setTargets({});
  p->destroy(twice);
  p->destroy(state);
  p->destroy(other);
  p->destroy(second);
}

TEST_P(Draws10, ASecondColorIsO1) {
  D3D10_1_DDI_BLEND_DESC of = defaultBlend();
  of.RenderTarget[0].BlendEnable = TRUE;
  of.RenderTarget[0].SrcBlend = D3D10_DDI_BLEND_ONE;
  of.RenderTarget[0].DestBlend = D3D10_DDI_BLEND_SRC1_COLOR;
  const auto state = blend(of);
  const FLOAT ones[4] = {1, 1, 1, 1};
  AERO_CALL(*rt, SetBlendState, state, ones, 0xFFFFFFFFu);
  const auto twice = twoOutputs(*p, 0x1B);  // wzyx
  AERO_CALL(*rt, PsSetShader, twice);
  p->clear(view, 0.8f, 0.6f, 0.4f, 1);
  draw(rect(0, 0, 16, 16, {0.2f, 0, 0.5f, 0.25f}));
  // o1 is (0.25, 0.5, 0, 0.2).
  EXPECT_EQ(p->pixels(texture, desc)[0] & 0xFFFFFF, 0x664D80u);
  const auto second = p->resource(desc);
  const auto other = p->target(second, desc.format);
  p->setTargets({view, other});
  const auto buffer = p->buffer(96, D3D10_DDI_BIND_VERTEX_BUFFER);
  p->stream(buffer, sizeof(Corner));
  EXPECT_NE(AERO_CALL(*rt, Draw, 3u, 0u), 0) << "and goes with one target";
  p->stream({}, 0);
  AERO_CALL(*rt, PsSetShader, color);
  AERO_CALL(*rt, SetBlendState, D3D10DDI_HBLENDSTATE{}, ones, 0xFFFFFFFFu);
  p->setTargets({});
  p->destroy(buffer);
  p->destroy(twice);
  p->destroy(state);
  p->destroy(other);
  p->destroy(second);
}

TEST_P(Draws10, DepthAndTwoSidesOfTheStencil) {
  ResourceDesc deep;
  deep.bind = D3D10_DDI_BIND_DEPTH_STENCIL;
  deep.format = DXGI_FORMAT_D24_UNORM_S8_UINT;
  const auto memory = p->resource(deep);
  const auto depth = p->depth(memory, deep.format);
  p->setTargets({view}, depth);
  AERO_CALL(*rt, ClearDepthStencilView, depth, 3u, 0.6f, UINT8{0});
  draw(rect(0, 0, 16, 16, kRedOf, 0.7f));
  expect(0, 0, 16, 16, kBlack);
  draw(rect(0, 0, 16, 16, kRedOf, 0.5f));
  draw(rect(0, 0, 16, 16, kGreenOf, 0.5f));  // LESS, not LESS_EQUAL
  expect(0, 0, 16, 16, kRed);
  D3D10_DDI_RASTERIZER_DESC both = defaultRasterizer();
  both.CullMode = D3D10_DDI_CULL_NONE;
  D3D10_DDI_DEPTH_STENCIL_DESC of = defaultDepth();
  of.DepthEnable = FALSE;
  of.StencilEnable = TRUE;
  of.FrontFace.StencilPassOp = D3D10_DDI_STENCIL_OP_REPLACE;
  of.BackFace.StencilPassOp = D3D10_DDI_STENCIL_OP_INCR;
  const auto state = p->depthState(of);
  AERO_CALL(*rt, SetDepthStencilState, state, 0x42u);
  for (const BOOL ccw : {FALSE, TRUE}) {
    both.FrontCounterClockwise = ccw;
    D3D10DDI_HRASTERIZERSTATE raster;
    ASSERT_EQ(p->tryRasterizer(both, raster), 0);
    AERO_CALL(*rt, SetRasterizerState, raster);
    AERO_CALL(*rt, ClearDepthStencilView, depth, 3u, 1.0f, UINT8{7});
    Corners corners = rect(0, 0, 16, 16, kGreenOf);
    std::swap(corners[4], corners[5]);  // the lower right triangle turns round
    draw(corners);
    const std::vector<uint32_t> seen = p->pixels(memory, deep);
    EXPECT_EQ(seen[16 * 2 + 2] >> 24, ccw ? 8u : 0x42u);
    EXPECT_EQ(seen[16 * 13 + 13] >> 24, ccw ? 0x42u : 8u);
    AERO_CALL(*rt, SetRasterizerState, D3D10DDI_HRASTERIZERSTATE{});
    p->destroy(raster);
  }
  AERO_CALL(*rt, SetDepthStencilState, D3D10DDI_HDEPTHSTENCILSTATE{}, 0u);
  p->setTargets({});
  p->destroy(state);
  p->destroy(depth);
  p->destroy(memory);
}

// STATE-23
TEST_P(Draws10, ShadersSeeWhichSideIsTheFront) {
  constexpr uint32_t kAnd = 1, kDclInputPsSgv = 0x63, kConstant = 1u << 11, kXxxx = 0;
  Tokens code;
  op(code, 0x62 | 2u << 11, {dst(kInput, 1, 15)});
  op(code, kDclInputPsSgv | kConstant, {dst(kInput, 2, 1), {D3D10_SB_NAME_IS_FRONT_FACE}});
  op(code, 0x65, {dst(kOutput, 0, 15)});
  op(code, kAnd, {dst(kOutput, 0, 15), src(kInput, 2, kXxxx), src(kInput, 1)});  // all bits are set at the front
  op(code, kRet, {});
  const auto sided = p->shader(
      program(kPs40, code),
      {{D3D10_SB_NAME_POSITION, 0, 15}, {D3D10_SB_NAME_UNDEFINED, 1, 15}, {D3D10_SB_NAME_IS_FRONT_FACE, 2, 1}},
      {{D3D10_SB_NAME_UNDEFINED, 0, 15}});
  AERO_CALL(*rt, PsSetShader, sided);
  D3D10_DDI_RASTERIZER_DESC both = defaultRasterizer();
  both.CullMode = D3D10_DDI_CULL_NONE;
  for (const BOOL ccw : {FALSE, TRUE}) {
    both.FrontCounterClockwise = ccw;
    D3D10DDI_HRASTERIZERSTATE raster;
    ASSERT_EQ(p->tryRasterizer(both, raster), 0);
    AERO_CALL(*rt, SetRasterizerState, raster);
    Corners corners = rect(0, 0, 16, 16, kGreenOf);
    std::swap(corners[4], corners[5]);  // the lower right triangle turns round
    draw(corners);
    const std::vector<uint32_t> seen = p->pixels(texture, desc);
    EXPECT_EQ(seen[16 * 2 + 2], ccw ? 0 : kGreen);
    EXPECT_EQ(seen[16 * 13 + 13], ccw ? kGreen : 0);
    AERO_CALL(*rt, SetRasterizerState, D3D10DDI_HRASTERIZERSTATE{});
    p->destroy(raster);
  }
  AERO_CALL(*rt, PsSetShader, color);
  p->destroy(sided);
}

TEST_P(Draws10, CullingScissorAndViewport) {
  Corners corners = rect(0, 0, 16, 16, kRedOf);
  std::swap(corners[1], corners[2]);
  std::swap(corners[4], corners[5]);
  draw(corners);
  expect(0, 0, 16, 16, kBlack);  // the back is culled
  D3D10_DDI_RASTERIZER_DESC of = defaultRasterizer();
  of.FrontCounterClockwise = TRUE;
  of.ScissorEnable = TRUE;
  D3D10DDI_HRASTERIZERSTATE raster;
  ASSERT_EQ(p->tryRasterizer(of, raster), 0);
  AERO_CALL(*rt, SetRasterizerState, raster);
  draw(corners);
  expect(0, 0, 16, 16, kBlack);  // no scissor was set: nothing is inside
  const D3D10_DDI_RECT scissor = {3, 4, 12, 9};
  AERO_CALL(*rt, SetScissorRects, 1u, 0u, &scissor);
  p->viewport(8, 0, 8, 16);
  draw(corners);
  expect(8, 4, 12, 9, kRed);
  AERO_CALL(*rt, SetRasterizerState, D3D10DDI_HRASTERIZERSTATE{});
  p->destroy(raster);
}

TEST_P(Draws10, ATargetThatIsRotatedIsDrawnToAtItsNewPlace) {
  ResourceDesc shown = desc;
  shown.bind = D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_PRESENT;
  const auto one = p->resource(shown), two = p->resource(shown);
  const auto target = p->target(one, DXGI_FORMAT_B8G8R8A8_UNORM_SRGB), plain = p->target(one, shown.format);
  for (const auto each : {target, plain}) {
    p->setTargets({each});
    draw(rect(0, 0, 16, 16, kRedOf));
    const DXGI_DDI_HRESOURCE list[2] = {reinterpret_cast<UINT_PTR>(one.pDrvPrivate),
                                        reinterpret_cast<UINT_PTR>(two.pDrvPrivate)};
    DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES args = {};
    args.pResources = list;
    args.Resources = 2;
    EXPECT_EQ(rt->dxgi(rt->dxgiFunctions().pfnRotateResourceIdentities, args), 0);
    draw(rect(0, 0, 16, 16, kBlueOf));
    EXPECT_EQ(p->pixels(one, shown)[0], kBlue);
    EXPECT_EQ(p->pixels(two, shown)[0], kRed);
  }
  p->setTargets({});
  p->destroy(target);
  p->destroy(plain);
  p->destroy(one);
  p->destroy(two);
}

TEST_P(Draws10, ASharedTargetIsListedInEachBatch) {
  ResourceDesc shared = desc;
  shared.misc = D3D10_DDI_RESOURCE_MISC_SHARED;
  const auto resource = p->resource(shared);
  const auto target = p->target(resource, shared.format);
  p->setTargets({target});
  for (int i = 0; i < 3; i++) {
    draw(rect(0, 0, 16, 16, kRedOf));
    p->flush();
    const std::vector<D3DDDI_ALLOCATIONLIST> &list = rt->submissions.back().allocations;
    ASSERT_EQ(list.size(), 1u) << i;
    EXPECT_EQ(list[0].WriteOperation, 1u);
  }
  p->setTargets({});
  p->destroy(target);
  p->destroy(resource);
}

}  // namespace
}  // namespace aero::test
