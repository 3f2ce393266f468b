// SPDX-License-Identifier: MIT
// Stream output through the renderer: what the driver hands on of declarations, targets, DrawAuto and queries.
#include "guest-drivers/umd-d3d10/test/draws_fixture.h"
#include "renderer/test/geometry_tokens.h"

namespace aero::test {
namespace {

class Streams10 : public Draws10 {
protected:
  using Entries = std::vector<D3D10DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY>;

  /** `code`: empty: none, so that the vertex shader's outputs go to the buffers. */
  HRESULT tryStreams(std::vector<uint32_t> code, const Entries &entries, UINT stride, D3D10DDI_HSHADER &made) {
    std::vector<D3D10DDIARG_SIGNATURE_ENTRY> both = {{D3D10_SB_NAME_POSITION, 0, 15}, {D3D10_SB_NAME_UNDEFINED, 1, 15}};
    D3D10DDIARG_STAGE_IO_SIGNATURES signatures = {both.data(), 2, both.data(), 2};
    const D3D10DDI_HRTSHADER runtime = {p->runtimeHandle()};
    const UINT *tokens = code.empty() ? nullptr : reinterpret_cast<const UINT *>(code.data());
    HRESULT result = 0;
    if (rt->is11()) {
      std::vector<D3D11DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY> copy;
      for (const auto &each : entries) copy.push_back({0, each.OutputSlot, each.RegisterIndex, each.RegisterMask});
      D3D11DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT args = {
          tokens, copy.data(), static_cast<UINT>(copy.size()), &stride, stride ? 1u : 0u, 0};
      made.pDrvPrivate =
          p->memory(rt->size(rt->functions11().pfnCalcPrivateGeometryShaderWithStreamOutput, &args, &signatures));
      result = rt->call("CreateGeometryShaderWithStreamOutput",
                        rt->functions11().pfnCreateGeometryShaderWithStreamOutput, &args, made, runtime, &signatures);
      memset(static_cast<void *>(copy.data()), 0xDB, copy.size() * sizeof copy[0]);
    } else {
      Entries copy = entries;
      D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT args = {tokens, copy.data(), static_cast<UINT>(copy.size()),
                                                               stride};
      made.pDrvPrivate =
          p->memory(rt->size(rt->functions10().pfnCalcPrivateGeometryShaderWithStreamOutput, &args, &signatures));
      result = rt->call("CreateGeometryShaderWithStreamOutput",
                        rt->functions10().pfnCreateGeometryShaderWithStreamOutput, &args, made, runtime, &signatures);
      memset(static_cast<void *>(copy.data()), 0xDB, copy.size() * sizeof copy[0]);
    }
    if (result) p->free(made.pDrvPrivate);
    return result;
  }
  D3D10DDI_HSHADER streams(const std::vector<uint32_t> &code, const Entries &entries, UINT stride) {
    D3D10DDI_HSHADER made;
    EXPECT_EQ(tryStreams(code, entries, stride, made), 0);
    return made;
  }
  D3D10DDI_HRESOURCE target(UINT bytes) {
    const std::vector<uint8_t> filled(bytes, 0xCD);
    return p->buffer(bytes, D3D10_DDI_BIND_STREAM_OUTPUT | D3D10_DDI_BIND_VERTEX_BUFFER, D3D10_DDI_USAGE_DEFAULT,
                     filled.data());
  }
  void setTargets(const std::vector<D3D10DDI_HRESOURCE> &buffers, const std::vector<UINT> &offsets) {
    EXPECT_EQ(AERO_CALL(*rt, SoSetTargets, static_cast<UINT>(buffers.size()), 4u - static_cast<UINT>(buffers.size()),
                        buffers.data(), offsets.data()),
              0);
  }
  std::vector<float> floats(D3D10DDI_HRESOURCE buffer, UINT bytes) {
    ResourceDesc like;
    like.dimension = D3D10DDIRESOURCE_BUFFER;
    like.format = DXGI_FORMAT_UNKNOWN;
    like.width = bytes;
    like.height = 1;
    const std::vector<uint8_t> got = p->read(buffer, like);
    std::vector<float> out(got.size() / 4);
    memcpy(out.data(), got.data(), out.size() * 4);
    return out;
  }
  static float untouched() {
    const uint32_t bits = 0xCDCDCDCD;
    float out;
    memcpy(&out, &bits, 4);
    return out;
  }
  D3D10DDI_HQUERY query(D3D10DDI_QUERY type) {
    D3D10DDIARG_CREATEQUERY args = {type, 0};
    D3D10DDI_HQUERY out;
    out.pDrvPrivate = p->memory(rt->size(rt->functions10().pfnCalcPrivateQuerySize, &args));
    EXPECT_EQ(AERO_CALL(*rt, CreateQuery, &args, out, D3D10DDI_HRTQUERY{p->runtimeHandle()}), 0);
    return out;
  }
  void end(D3D10DDI_HQUERY query) {
    EXPECT_EQ(AERO_CALL(*rt, DestroyQuery, query), 0);
    p->free(query.pDrvPrivate);
  }
};

INSTANTIATE_TEST_SUITE_P(All, Streams10,
                         ::testing::Values(D3D10_0_DDI_INTERFACE_VERSION, D3D10_1_x_DDI_INTERFACE_VERSION,
                                           D3D11_0_DDI_INTERFACE_VERSION));

TEST_P(Streams10, VertexShadersStreamOutWithGapsAndDrawAutoDrawsIt) {
  constexpr UINT kStride = 36, kBytes = kStride * 8;
  const auto so = streams({}, {{0, 1, 15}, {0, 0xFFFFFFFF, 1}, {0, 0, 15}}, 0);
  const auto buffer = target(kBytes);
  const D3D10DDI_HELEMENTLAYOUT behind =
      p->layout({{0, 20, DXGI_FORMAT_R32G32B32A32_FLOAT, D3D10_DDI_INPUT_PER_VERTEX_DATA, 0, 0},
                 {0, 0, DXGI_FORMAT_R32G32B32A32_FLOAT, D3D10_DDI_INPUT_PER_VERTEX_DATA, 0, 1}});
  const auto statistics = query(D3D10DDI_QUERY_STREAMOUTPUTSTATS),
             overflow = query(D3D10DDI_QUERY_STREAMOVERFLOWPREDICATE);
  AERO_CALL(*rt, GsSetShader, so);
  setTargets({buffer}, {0});
  p->setTargets({});
  AERO_CALL(*rt, QueryBegin, statistics);
  AERO_CALL(*rt, QueryBegin, overflow);
  const Corners corners = rect(2, 1, 10, 5, kGreenOf);
  draw(corners);
  AERO_CALL(*rt, QueryEnd, overflow);
  AERO_CALL(*rt, QueryEnd, statistics);
  D3D10_DDI_QUERY_DATA_SO_STATISTICS counted = {};
  EXPECT_EQ(AERO_CALL(*rt, QueryGetData, statistics, static_cast<void *>(&counted), UINT{sizeof counted}, 0u), 0);
  EXPECT_EQ(counted.NumPrimitivesWritten, 2u);
  EXPECT_EQ(counted.PrimitivesStorageNeeded, 2u);
  BOOL full = 77;
  EXPECT_EQ(AERO_CALL(*rt, QueryGetData, overflow, static_cast<void *>(&full), UINT{sizeof full}, 0u), 0);
  EXPECT_EQ(full, FALSE);
  const std::vector<float> got = floats(buffer, kBytes);
  for (size_t i = 0; i < 6; i++) {
    const float want[] = {corners[i].rest[0], corners[i].rest[1], corners[i].rest[2], corners[i].rest[3], untouched(),
                          corners[i].x,       corners[i].y,       corners[i].z,       corners[i].w};
    for (size_t k = 0; k < 9; k++) EXPECT_EQ(got[i * 9 + k], want[k]) << "vertex " << i << ", word " << k;
  }
  for (size_t i = 54; i < 72; i++) EXPECT_EQ(got[i], untouched()) << i;
  // Without the shader the targets do not matter, and what is in the buffer is drawn.
  AERO_CALL(*rt, GsSetShader, D3D10DDI_HSHADER{});
  setTargets({}, {});
  p->setTargets({view});
  AERO_CALL(*rt, IaSetInputLayout, behind);
  p->stream(buffer, kStride);
  EXPECT_EQ(AERO_CALL(*rt, DrawAuto), 0);
  expect(2, 1, 10, 5, kGreen);
  p->stream({}, 0);
  AERO_CALL(*rt, IaSetInputLayout, D3D10DDI_HELEMENTLAYOUT{});
  for (const auto each : {statistics, overflow}) end(each);
  p->destroy(behind);
  p->destroy(buffer);
  p->destroy(so);
}

TEST_P(Streams10, GeometryShadersGoOnUntilABufferIsFull) {
  const auto so = streams(passTokens(kTriangles, kTriangleStrip, 3).tokens, {{0, 0, 3}, {1, 1, 15}}, 0);
  const auto small = target(8 * 7), large = target(16 * 64);  // two triangles and a vertex
  const auto overflow = query(D3D10DDI_QUERY_STREAMOVERFLOWPREDICATE);
  AERO_CALL(*rt, GsSetShader, so);
  setTargets({small, large}, {0, 32});
  AERO_CALL(*rt, QueryBegin, overflow);
  const Corners first = rect(0, 0, 16, 16, kRedOf);
  draw({first[0], first[1], first[2]});
  setTargets({small, large}, {0xFFFFFFFF, 0xFFFFFFFF});
  draw(first);
  AERO_CALL(*rt, QueryEnd, overflow);
  BOOL full = 77;
  EXPECT_EQ(AERO_CALL(*rt, QueryGetData, overflow, static_cast<void *>(&full), UINT{sizeof full}, 0u), 0);
  EXPECT_EQ(full, TRUE);
  expect(0, 0, 16, 16, kRed);  // drawn all the same
  const std::vector<float> positions = floats(small, 8 * 7), colors = floats(large, 16 * 64);
  for (size_t i = 0; i < 6; i++) {
    EXPECT_EQ(positions[i * 2], first[i % 3].x) << i;
    EXPECT_EQ(positions[i * 2 + 1], first[i % 3].y) << i;
    EXPECT_EQ(colors[8 + i * 4], 1.0f) << i;
  }
  EXPECT_EQ(positions[12], untouched());
  EXPECT_EQ(colors[7], untouched());
  EXPECT_EQ(colors[8 + 24], untouched());
  AERO_CALL(*rt, GsSetShader, D3D10DDI_HSHADER{});
  setTargets({}, {});
  end(overflow);
  p->destroy(small);
  p->destroy(large);
  p->destroy(so);
}

TEST_P(Streams10, WhatIsRefused) {
  D3D10DDI_HSHADER none;
  EXPECT_EQ(tryStreams({}, Entries(65, {0, 0, 1}), 0, none), kOutOfMemory);
  EXPECT_EQ(tryStreams({}, {{4, 0, 1}}, 0, none), kOutOfMemory);
}

}  // namespace
}  // namespace aero::test
