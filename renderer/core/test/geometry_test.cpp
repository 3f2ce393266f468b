// SPDX-License-Identifier: MIT
// Geometry shaders over the null back end: where they can be made, and what their draws count for.
#include <gtest/gtest.h>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/core/topology.h"
#include "renderer/shader/dxbc/geometry.h"
#include "renderer/test/fake_backend.h"
#include "renderer/test/geometry_tokens.h"
#include "renderer/test/harness.h"
#include "renderer/test/refusals.h"

namespace {

using namespace aerogpu;
using namespace aerogpu::test::dxbc;
using test::FakeExecutor, test::Harness;

constexpr uint32_t kNone = AEROGPU_ERROR_NONE, kBackend = AEROGPU_ERROR_BACKEND;

/// Makes a vertex shader and the geometry shader, and binds them if that went well; returns the code.
uint32_t bindGeometry(Harness& h, const TokenShader& gs) {
  CommandWriter w;
  aerogpu_cmd_bind_shaders c{};
  c.vs = h.handle();
  c.reserved0 = h.handle();
  createShader(w, c.vs, AEROGPU_SHADER_STAGE_VERTEX, vertexTokens());
  createShader(w, c.reserved0, AEROGPU_SHADER_STAGE_GEOMETRY, gs);
  if (const uint32_t code = h.submit(w).result.last_error_code) return code;
  w.reset();
  w.packet(c);
  return h.submit(w).result.last_error_code;
}

uint32_t draw(Harness& h, uint32_t topology, uint32_t vertices, uint32_t instances = 1) {
  CommandWriter w;
  w.packet(aerogpu_cmd_set_primitive_topology{{}, topology, 0});
  w.packet(aerogpu_cmd_draw{{}, vertices, instances, 0, 0});
  return h.submit(w).result.last_error_code;
}

TokenShader emitting(GsInput input, uint32_t most, uint32_t instances = 1) {
  Tokens t = geometryDeclarations(input, kPointList, most);
  if (instances > 1) op(t, 0xCE, {{instances}});
  op(t, kRet, {});
  TokenShader s = geometryShader(t);
  if (instances > 1) s.tokens[0] = 2u << 16 | 0x50;
  return s;
}

// GEOM-1
TEST(Geometry, NeedsItsFlag) {
  Harness h, base(Harness::Options{.caps = "base-1"});
  ASSERT_TRUE(h.ok() && base.ok());
  EXPECT_EQ(bindGeometry(h, emitting(kPoints, 1)), kNone);
  EXPECT_EQ(bindGeometry(base, emitting(kPoints, 1)), kBackend);
  EXPECT_EQ(bindGeometry(h, emitting(kPoints, 0)), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  EXPECT_EQ(bindGeometry(h, emitting(kPoints, 4, 33)), uint32_t{AEROGPU_ERROR_CMD_DECODE});
}

// GEOM-7
TEST(Geometry, ChoosesNothingWithoutLayers) {
  for (const uint32_t layers : {0u, uint32_t{AEROGPU_CAPS_LAYERS}})
    for (const bool chooses : {false, true}) {
      FakeExecutor f({}, AEROGPU_CAPS_GEOMETRY_SHADERS | layers);
      f.backend.geometry.choosesTarget = chooses;
      CommandWriter w;
      createShader(w, 1, AEROGPU_SHADER_STAGE_GEOMETRY, emitting(kPoints, 1));
      const core::ExecutionReport report = f.submit(w);
      const bool refused = chooses && !layers;
      EXPECT_EQ(report.errorCount, refused ? 1u : 0u);
      EXPECT_EQ(report.lastError, refused ? ErrorCode::Backend : ErrorCode::None);
    }
}

TEST(Geometry, TokensSayWhatIsChosen) {
  for (const uint32_t value : {1u, 4u, 5u}) {  // D3D10_SB_NAME: position, layer, viewport
    Tokens t = geometryDeclarations(kPoints, kPointList, 1);
    op(t, 0x67, {dst(kOutput, 2, 1), {value}});
    op(t, kRet, {});
    const Tokens tokens = program(kGs40, t);
    const auto traits =
        shader::geometryTraits({reinterpret_cast<const uint8_t*>(tokens.data()), tokens.size() * 4});
    ASSERT_TRUE(traits.ok());
    EXPECT_EQ(traits->choosesLayer, value == 4);
    EXPECT_EQ(traits->choosesViewport, value == 5);
  }
}

// GEOM-8
TEST(Geometry, HasOneStream) {
  Harness h;
  TokenShader s = emitting(kPoints, 1);
  s.tokens[0] = 2u << 16 | 0x50;
  Tokens declared;
  op(declared, 0x8F, {{0x110000, 1}});  // dcl_stream m1
  s.tokens.insert(s.tokens.begin() + 2, declared.begin(), declared.end());
  s.tokens[1] += static_cast<uint32_t>(declared.size());
  EXPECT_EQ(bindGeometry(h, s), kBackend);
}

// GEOM-5, LIM-3: 2^30 vertices and no more, of which 1024 come from each point.
TEST(Geometry, DrawsCountForWhatTheyMayEmit) {
  Harness h;
  ASSERT_EQ(bindGeometry(h, emitting(kPoints, 1024)), kNone);
  constexpr uint32_t kPointCount = (1u << 20) - (1u << 11);  // with two more for each point the limit is near
  EXPECT_EQ(draw(h, AEROGPU_TOPOLOGY_POINTLIST, kPointCount), kNone);
  EXPECT_EQ(draw(h, AEROGPU_TOPOLOGY_POINTLIST, 1u << 10, kPointCount >> 10), kNone);
  EXPECT_EQ(draw(h, AEROGPU_TOPOLOGY_POINTLIST, 1u << 20), kBackend);
  // GEOM-3: other primitives are not drawn, so they count for nothing.
  EXPECT_EQ(draw(h, AEROGPU_TOPOLOGY_TRIANGLELIST, 1u << 28), kNone);
  // A sixth of the vertices makes triangles with adjacency; each runs 32 times.
  ASSERT_EQ(bindGeometry(h, emitting(kTrianglesAdjacent, 64, 32)), kNone);
  EXPECT_EQ(draw(h, AEROGPU_TOPOLOGY_TRIANGLELIST_ADJ, 6u << 18), kNone);
  EXPECT_EQ(draw(h, AEROGPU_TOPOLOGY_TRIANGLELIST_ADJ, 6u << 19), kBackend);
}

TEST(Geometry, PrimitivesOfTopologies) {
  using core::Topology, core::mostPrimitives;
  EXPECT_EQ(mostPrimitives(Topology::TriangleList, 8), 2u);
  EXPECT_EQ(mostPrimitives(Topology::TriangleListAdj, 13), 2u);
  EXPECT_EQ(mostPrimitives(Topology::LineListAdj, 8), 2u);
  EXPECT_GE(mostPrimitives(Topology::TriangleStrip, 8), 6u);
  EXPECT_GE(mostPrimitives(Topology::LineStrip, 8), 7u);
  EXPECT_EQ(mostPrimitives(Topology::PatchList32, 64), 2u);
}

}  // namespace
