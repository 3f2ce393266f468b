// SPDX-License-Identifier: MIT
// Stream output (docs/abi/d3d10-stream-output.md): each byte that draws write, against a model.
#include "renderer/vulkan/test/stream_fixture.h"

namespace aerogpu::test {
namespace {

constexpr uint32_t kGap = AEROGPU_EXT_STREAM_GAP, kAppend = AEROGPU_EXT_STREAM_APPEND;
constexpr Pixel kNothing = {0, 0, 0, 0};

class StreamOutputTest : public StreamTest {
protected:
  /// A model with targets of these sizes, and buffers like them that are bound.
  struct Case {
    StreamModel model;
    std::array<uint32_t, 4> buffers{};
  };
  Case start(CommandWriter& w, const StreamElements& elements, std::array<uint32_t, 4> strides,
             const std::vector<size_t>& sizes, bool rasterizes = true) {
    Case c;
    c.model.elements = elements;
    c.model.strides = strides;
    std::vector<aerogpu_ext_stream_target> targets;
    for (size_t slot = 0; slot < sizes.size(); ++slot) {
      targets.push_back({0, 0});
      if (sizes[slot] == 0) continue;
      c.model.targets[slot] = {Bytes(sizes[slot], kUntouched), 0};
      targets.back().buffer = c.buffers[slot] = target(w, sizes[slot]);
    }
    declare(w, elements, strides, rasterizes);
    setTargets(w, targets);
    return c;
  }
  void draws(CommandWriter& w, Case& c, uint32_t topo, uint32_t count, uint32_t first = 0) {
    topology(w, topo);
    draw(w, count, 1, first);
    std::vector<uint32_t> vertices;
    for (uint32_t i = 0; i < count; ++i) vertices.push_back(first + i);
    c.model.draw(primitivesOf(topo, vertices));
  }
  void expectModel(const Case& c, const std::string& what = "") {
    for (size_t slot = 0; slot < 4; ++slot)
      if (c.model.targets[slot])
        expectBytes(c.buffers[slot], c.model.targets[slot]->bytes, what + " slot " + std::to_string(slot));
  }
};

const StreamElements kBoth = {{0, 0, 0, 15}, {0, 0, 1, 15}};
constexpr std::array<uint32_t, 4> kBothStride = {32, 0, 0, 0};

// SO-8, SO-9
TEST_F(StreamOutputTest, Topologies) {
  for (const uint32_t topo :
       {AEROGPU_TOPOLOGY_POINTLIST, AEROGPU_TOPOLOGY_LINELIST, AEROGPU_TOPOLOGY_LINESTRIP,
        AEROGPU_TOPOLOGY_TRIANGLELIST, AEROGPU_TOPOLOGY_TRIANGLESTRIP, AEROGPU_TOPOLOGY_LINELIST_ADJ,
        AEROGPU_TOPOLOGY_LINESTRIP_ADJ, AEROGPU_TOPOLOGY_TRIANGLELIST_ADJ}) {
    CommandWriter w;
    Case c = start(w, kBoth, kBothStride, {4096});
    beginCount(w);
    draws(w, c, topo, 13, 3);
    endCount(w);
    run(w);
    expectModel(c, "topology " + std::to_string(topo));
    expectCount(c.model.written, c.model.needed);
    EXPECT_GT(c.model.written, 0u);
  }
}

// SO-9: indices, a base, instances.
TEST_F(StreamOutputTest, IndexedAndInstanced) {
  CommandWriter w;
  Case c = start(w, kBoth, kBothStride, {4096});
  const std::vector<uint16_t> indices = {5, 0, 7, 7, 1, 2};
  packets::setIndexBuffer(w, buffer(w, indices.data(), 12, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER),
                          AEROGPU_INDEX_FORMAT_UINT16, 0);
  topology(w, AEROGPU_TOPOLOGY_TRIANGLELIST);
  drawIndexed(w, 6, 0, 2, 2);
  for (int i = 0; i < 2; ++i) c.model.draw({{7, 2, 9}, {9, 3, 4}});
  run(w);
  expectModel(c);
}

// SO-3, SO-4, SO-9
TEST_F(StreamOutputTest, ElementsInAnyOrderWithGaps) {
  const StreamElements lists[] = {
      {{0, 0, 1, 2}},
      {{0, 0, 1, 6}, {0, 0, 0, 15}},
      {{0, 0, kGap, 3}, {0, 0, 1, 8}, {0, 0, kGap, 1}, {0, 0, 0, 3}},
      {{0, 0, 1, 1}, {0, 0, 1, 1}, {0, 0, 1, 15}, {0, 0, 0, 12}, {0, 0, kGap, 15}},
      {{0, 0, 1, 8}, {0, 0, 1, 4}, {0, 0, 1, 2}, {0, 0, 1, 1}},
  };
  for (size_t i = 0; i < std::size(lists); ++i) {
    CommandWriter w;
    Case c = start(w, lists[i], {48, 0, 0, 0}, {4096});
    draws(w, c, AEROGPU_TOPOLOGY_TRIANGLESTRIP, 6);
    run(w);
    expectModel(c, "list " + std::to_string(i));
  }
}

// SO-9: 64 words of a vertex, one by one.
TEST_F(StreamOutputTest, SixtyFourComponents) {
  StreamElements elements;
  for (uint32_t i = 0; i < 64; ++i) elements.push_back({0, 0, i / 4 % 2, 1u << (63 - i) % 4});
  CommandWriter w;
  Case c = start(w, elements, {256, 0, 0, 0}, {4096});
  draws(w, c, AEROGPU_TOPOLOGY_LINELIST, 4);
  run(w);
  expectModel(c);
}

// SO-9, SO-10
TEST_F(StreamOutputTest, FourBuffers) {
  CommandWriter w;
  Case c = start(w, {{0, 2, 1, 15}, {0, 0, 0, 3}, {0, 3, 1, 4}, {0, 1, 0, 7}}, {8, 16, 16, 12},
                 {4096, 4096, 4096, 4096});
  beginCount(w);
  draws(w, c, AEROGPU_TOPOLOGY_LINESTRIP, 9);
  draws(w, c, AEROGPU_TOPOLOGY_POINTLIST, 5, 20);
  endCount(w);
  run(w);
  expectModel(c);
  expectCount(13, 13);
}

// SO-10: primitives whole or not at all, and in all buffers or in none.
TEST_F(StreamOutputTest, OverflowStopsAtThePrimitive) {
  struct {
    uint32_t topology;
    std::vector<size_t> sizes;
  } const cases[] = {
      {AEROGPU_TOPOLOGY_TRIANGLELIST, {16 * 11, 4096}},  // three triangles and two vertices
      {AEROGPU_TOPOLOGY_TRIANGLELIST, {4096, 16 * 5}},   // the second buffer stops the first
      {AEROGPU_TOPOLOGY_LINESTRIP, {16 * 7, 16 * 9 + 4}}, {AEROGPU_TOPOLOGY_POINTLIST, {16 * 3 + 12, 16 * 8}},
      {AEROGPU_TOPOLOGY_TRIANGLESTRIP, {16 * 2, 4096}},  // none
  };
  for (const auto& one : cases) {
    CommandWriter w;
    Case c = start(w, {{0, 0, 0, 15}, {0, 1, 1, 15}}, {16, 16, 0, 0}, one.sizes);
    beginCount(w);
    draws(w, c, one.topology, 18);
    draws(w, c, one.topology, 6, 30);
    endCount(w);
    run(w);
    expectModel(c, "topology " + std::to_string(one.topology));
    expectCount(c.model.written, c.model.needed);
    EXPECT_LT(c.model.written, c.model.needed);
  }
}

// SO-10: what has no buffer is full; what is not declared does not count.
TEST_F(StreamOutputTest, SlotsWithoutBuffers) {
  CommandWriter w;
  Case c = start(w, {{0, 0, 0, 15}, {0, 1, 1, 15}}, {16, 16, 0, 0}, {4096, 0});
  beginCount(w);
  draws(w, c, AEROGPU_TOPOLOGY_POINTLIST, 7);
  endCount(w);
  run(w);
  expectModel(c, "without the second");
  expectCount(0, 7);
  Case other = start(w, {{0, 1, 1, 15}, {0, 0, kGap, 15}}, {16, 16, 0, 0}, {4, 4096, 8});
  other.model.elements.pop_back();  // a slot of gaps has no data
  beginCount(w);
  draws(w, other, AEROGPU_TOPOLOGY_POINTLIST, 7);
  endCount(w);
  run(w);
  expectModel(other, "with small ones that nothing goes to");
  expectCount(7, 7);
}

// SO-5, SO-6: draws follow one another, wherever the packets are cut; an offset begins anew.
TEST_F(StreamOutputTest, GoesOnAndBeginsAnew) {
  CommandWriter w;
  Case c = start(w, kBoth, kBothStride, {8192});
  const uint32_t other = target(w, 1024);
  draws(w, c, AEROGPU_TOPOLOGY_TRIANGLELIST, 6);
  draws(w, c, AEROGPU_TOPOLOGY_LINELIST, 4, 9);
  run(w);
  draws(w, c, AEROGPU_TOPOLOGY_POINTLIST, 3, 20);
  setTargets(w, {{other, 64}});
  draw(w, 2);
  setTargets(w, {{c.buffers[0], kAppend}});
  draws(w, c, AEROGPU_TOPOLOGY_POINTLIST, 2, 30);
  run(w);
  expectModel(c, "appended");
  setTargets(w, {{c.buffers[0], 100 * 4}});
  c.model.targets[0]->filled = 400;
  draws(w, c, AEROGPU_TOPOLOGY_LINESTRIP, 4, 40);
  setTargets(w, {});
  draw(w, 4);
  run(w);
  expectModel(c, "from an offset on");
  Bytes both(1024, kUntouched);
  StreamModel model;
  model.elements = kBoth;
  model.strides = kBothStride;
  model.targets[0] = {both, 64};
  model.draw({{0}, {1}});
  expectBytes(other, model.targets[0]->bytes, "the other buffer");
  setTargets(w, {{other, kAppend}});
  topology(w, AEROGPU_TOPOLOGY_POINTLIST);
  draw(w, 1, 1, 50);
  model.draw({{50}});
  run(w);
  expectBytes(other, model.targets[0]->bytes, "and on");
}

// SO-11
TEST_F(StreamOutputTest, RasterizesTooOrDoesNot) {
  for (const bool rasterizes : {true, false}) {
    CommandWriter w;
    clearColor(w, 0, 0, 0, 0);
    Case c = start(w, kBoth, kBothStride, {4096}, rasterizes);
    draws(w, c, AEROGPU_TOPOLOGY_POINTLIST, 1);
    run(w);
    expectModel(c);
    const Pixel drawn = result(4, 4);  // vertex 0 is in the middle
    EXPECT_EQ(drawn != kNothing, rasterizes);
    declare(w, {}, {});
    draw(w, 1);
    run(w);
    EXPECT_NE(result(4, 4), kNothing) << "without stream output all is as before";
    expectModel(c);
  }
}

// SO-11: no target, no viewport, a scissor that hides all, no pixel shader.
TEST_F(StreamOutputTest, NeedsNoTargets) {
  const auto expectStreams = [&](CommandWriter& w, const char* what) {
    Case c = start(w, kBoth, kBothStride, {4096});
    draws(w, c, AEROGPU_TOPOLOGY_TRIANGLESTRIP, 7);
    run(w);
    expectModel(c, what);
  };
  CommandWriter w;
  packets::setTargets(w, {}, 0);
  expectStreams(w, "no target");
  DrawTest::target(w, m_target);
  viewport(w, 0, 0, 0, 0);
  expectStreams(w, "an empty viewport");
  viewport(w, 0, 0, kSize, kSize);
  renderState(w, kScissorTestEnable, 1u);
  scissor(w, 2, 2, 0, 0);
  expectStreams(w, "an empty scissor");
  renderState(w, kScissorTestEnable, 0u);
  aerogpu_cmd_bind_shaders c{};
  c.vs = m_vertex;
  w.packet(c);
  expectStreams(w, "no pixel shader");
  bind(w);
  declare(w, {}, {});
  clearColor(w, 0, 0, 0, 0);
  topology(w, AEROGPU_TOPOLOGY_POINTLIST);
  draw(w, 1);
  run(w);
  EXPECT_NE(result(4, 4), kNothing) << "then draws draw";
}

// SO-8: a geometry shader's strips become lists.
TEST_F(StreamOutputTest, OfGeometryShaders) {
  CommandWriter w;
  bind(w,
       make(w, AEROGPU_SHADER_STAGE_GEOMETRY, dxbc::passTokens(dxbc::kTriangles, dxbc::kTriangleStrip, 3)));
  Case c = start(w, kBoth, kBothStride, {4096});
  draws(w, c, AEROGPU_TOPOLOGY_TRIANGLELIST, 9);
  run(w);
  expectModel(c, "passed on");
  bind(w, make(w, AEROGPU_SHADER_STAGE_GEOMETRY,
               dxbc::passTokens(dxbc::kTrianglesAdjacent, dxbc::kLineStrip, 6)));
  Case lines = start(w, {{0, 0, 1, 7}, {0, 1, 0, 15}}, {20, 16, 0, 0}, {4096, 4096});
  topology(w, AEROGPU_TOPOLOGY_TRIANGLELIST_ADJ);
  beginCount(w);
  draw(w, 12);
  endCount(w);
  for (uint32_t first = 0; first < 12; first += 6)
    for (uint32_t i = 0; i < 5; ++i) lines.model.draw({{first + i, first + i + 1}});
  run(w);
  expectModel(lines, "six vertices in a line");
  expectCount(10, 10);
}

// SO-9: system values of several kinds, a register in two pieces, one that is only partly written.
TEST_F(StreamOutputTest, SystemValuesAndPieces) {
  using namespace dxbc;
  Tokens t;
  op(t, 0x5F, {dst(kInput, 0, 15)});
  op(t, 0x5F, {dst(kInput, 1, 15)});
  op(t, 0x67, {dst(kOutput, 0, 15), {1}});  // SV_Position
  op(t, 0x65, {dst(kOutput, 1, 3)});
  op(t, 0x65, {dst(kOutput, 1, 12)});
  op(t, 0x65, {dst(kOutput, 2, 6)});
  op(t, 0x67, {dst(kOutput, 3, 3), {2}});  // SV_ClipDistance
  op(t, 0x67, {dst(kOutput, 4, 3), {2}});
  op(t, kMov, {dst(kOutput, 0, 15), src(kInput, 0)});
  op(t, kMov, {dst(kOutput, 1, 15), src(kInput, 1)});
  op(t, kMov, {dst(kOutput, 2, 6), src(kInput, 1)});
  op(t, kMov, {dst(kOutput, 3, 3), src(kInput, 1)});
  op(t, kMov, {dst(kOutput, 4, 3), src(kInput, 1, 0xEE)});  // zw
  op(t, kRet, {});
  const TokenShader shader{program(kVs40, t),
                           {{0, 0, 15}, {0, 1, 15}},
                           {{1, 0, 15}, {0, 1, 3}, {0, 1, 12}, {0, 2, 14}, {2, 3, 3}, {2, 4, 3}},
                           {}};
  CommandWriter w;
  aerogpu_cmd_bind_shaders c{};
  c.vs = make(w, AEROGPU_SHADER_STAGE_VERTEX, shader);
  w.packet(c);
  declare(w, {{0, 0, 4, 2}, {0, 0, 1, 12}, {0, 0, 0, 7}, {0, 0, 3, 3}, {0, 0, 1, 3}, {0, 0, 2, 6}},
          {48, 0, 0, 0});
  const uint32_t out = target(w, 48 * 2);
  setTargets(w, {{out, 0}});
  topology(w, AEROGPU_TOPOLOGY_LINELIST);
  draw(w, 2, 1, 5);
  run(w);
  Bytes want;
  for (const uint32_t n : {5u, 6u}) {
    const StreamVertex v = streamVertex(n);
    const float words[] = {v.o1[3], v.o1[2], v.o1[3], v.o0[0], v.o0[1], v.o0[2],
                           v.o1[0], v.o1[1], v.o1[0], v.o1[1], v.o1[1], v.o1[2]};
    const auto* bytes = reinterpret_cast<const uint8_t*>(words);
    want.insert(want.end(), bytes, bytes + sizeof words);
  }
  expectBytes(out, want, "words");
}

// SO-9: a component that the signature has and the shader does not write is 0, whatever was there.
TEST_F(StreamOutputTest, WhatIsNotWritten) {
  using namespace dxbc;
  TokenShader shader = vertexTokens();
  shader.outputs.push_back({0, 2, 15});
  CommandWriter w;
  aerogpu_cmd_bind_shaders c{};
  c.vs = make(w, AEROGPU_SHADER_STAGE_VERTEX, shader);
  w.packet(c);
  declare(w, {{0, 0, 2, 3}, {0, 0, 1, 1}}, {12, 0, 0, 0});
  const uint32_t out = target(w, 16);
  setTargets(w, {{out, 0}});
  topology(w, AEROGPU_TOPOLOGY_POINTLIST);
  draw(w, 1, 1, 8);
  run(w);
  Bytes want(16, kUntouched);
  const float words[] = {0, 0, streamVertex(8).o1[0]};
  std::memcpy(want.data(), words, sizeof words);
  expectBytes(out, want, "words");
}

// SO-8
TEST_F(StreamOutputTest, WhatDrawsAreRefused) {
  CommandWriter w;
  const uint32_t out = target(w, 64);
  setTargets(w, {{out, 0}});
  run(w);
  declare(w, {{0, 0, 7, 15}}, {16, 0, 0, 0});
  topology(w, AEROGPU_TOPOLOGY_POINTLIST);
  draw(w, 1);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "no such register";
  declare(w, kBoth, kBothStride);
  aerogpu_cmd_bind_shaders c{};
  c.vs = m_vs;
  c.ps = m_ps;
  w.packet(c);
  layout(w, {{0, 0, 2, 0, 0, 0}, {0, 12, 4, 0, 10, 0}});
  draw(w, 1);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE}) << "shaders of Direct3D 9";
  expectBytes(out, Bytes(64, kUntouched), "nothing was written");
}

// SO-13: as many vertices as there are, behind the offset of the vertex stream.
TEST_F(StreamOutputTest, DrawAutoCountsWhatWasStreamedOut) {
  CommandWriter w;
  const uint32_t between = target(w, 1024);
  for (const uint32_t offset : {0u, 64u, 96u, 16u, 320u}) {
    for (const bool atOnce : {true, false}) {
      declare(w, kBoth, kBothStride);
      setTargets(w, {{between, 64}});
      bindSource(w);
      topology(w, AEROGPU_TOPOLOGY_POINTLIST);
      draw(w, 5, 1, 10);  // filled up to 224
      if (!atOnce) run(w);
      Case c = start(w, {{0, 0, 1, 15}}, {16, 0, 0, 0}, {4096});
      stream(w, 0, between, 32, offset);
      beginCount(w);
      drawAuto(w);
      endCount(w);
      run(w);
      const uint32_t count = offset >= 224 ? 0 : (224 - offset) / 32;
      expectCount(count, count);
      if (offset % 32 != 0) continue;
      const uint32_t before = offset < 64 ? (64 - offset) / 32 : 0;  // bytes that nobody wrote
      Bytes& want = c.model.targets[0]->bytes;
      std::fill_n(want.begin(), before * 16, kUntouched);
      c.model.targets[0]->filled = before * 16;
      for (uint32_t i = before; i < count; ++i)
        c.model.draw({{10 + i - before + (offset > 64 ? (offset - 64) / 32 : 0)}});
      expectModel(c, "offset " + std::to_string(offset));
    }
  }
}

// SO-13
TEST_F(StreamOutputTest, DrawAutoWithoutStreamedVertices) {
  CommandWriter w;
  clearColor(w, 0, 0, 0, 0);
  topology(w, AEROGPU_TOPOLOGY_POINTLIST);
  drawAuto(w);  // m_source is no target
  const uint32_t fresh = target(w, 1024);
  stream(w, 0, fresh, 0);
  drawAuto(w);  // no stride
  stream(w, 0, fresh, 32);
  drawAuto(w);
  stream(w, 0, 0, 0);
  drawAuto(w);
  run(w);
  EXPECT_EQ(result(4, 4), kNothing);
  // What an offset says is filled is drawn.
  setTargets(w, {{m_source, 32}});
  setTargets(w, {});
  bindSource(w);
  drawAuto(w);
  run(w);
  EXPECT_NE(result(4, 4), kNothing);
}

// SO-13: points that each make two, back and forth.
TEST_F(StreamOutputTest, FromBufferToBuffer) {
  using namespace dxbc;
  CommandWriter w;
  Tokens t = geometryDeclarations(kPoints, kPointList, 2);
  for (int i = 0; i < 2; ++i) {
    op(t, kMov, {dst(kOutput, 0, 15), vertexInput(0, 0)});
    op(t, kAdd, {dst(kOutput, 1, 15), vertexInput(0, 1), four(i == 0 ? 0.0f : 1.0f, 0, 0, 0)});
    op(t, kEmit, {});
  }
  op(t, kRet, {});
  bind(w, make(w, AEROGPU_SHADER_STAGE_GEOMETRY, geometryShader(t)));
  const uint32_t ends[] = {target(w, 4096), target(w, 4096)};
  declare(w, kBoth, kBothStride, false);
  topology(w, AEROGPU_TOPOLOGY_POINTLIST);
  setTargets(w, {{ends[0], 0}});
  draw(w, 1);
  for (int i = 0; i < 4; ++i) {
    setTargets(w, {{ends[(i + 1) % 2], 0}});
    stream(w, 0, ends[i % 2], 32);
    drawAuto(w);
  }
  run(w);
  Bytes want(4096, kUntouched);
  for (uint32_t i = 0; i < 32; ++i) {
    StreamVertex v = streamVertex(0);
    v.o1[0] += static_cast<float>(std::popcount(i));
    std::memcpy(&want[i * 32], &v, 32);
  }
  expectBytes(ends[0], want, "32 points");
}

// SO-16
TEST_F(StreamOutputTest, MayReadWhatItWrites) {
  CommandWriter w;
  Case c = start(w, kBoth, kBothStride, {4096});
  stream(w, 0, c.buffers[0], 32);
  topology(w, AEROGPU_TOPOLOGY_POINTLIST);
  beginCount(w);
  draw(w, 8);
  drawAuto(w);
  endCount(w);
  run(w);
  expectCount(16, 16);
}

// SO-14, SO-15, QUERY-2, QUERY-5
TEST_F(StreamOutputTest, CountsBesideOcclusion) {
  CommandWriter w;
  Case c = start(w, kBoth, kBothStride, {32 * 12});
  beginCount(w, 1);
  w.packet(aerogpu_cmd_ext_query_begin{.slot = 2, .type = AEROGPU_EXT_QUERY_OCCLUSION});
  draws(w, c, AEROGPU_TOPOLOGY_POINTLIST, 4);
  beginCount(w, 0);
  run(w);
  draws(w, c, AEROGPU_TOPOLOGY_TRIANGLELIST, 9, 4);
  clearColor(w, 0, 0, 0, 0);
  endCount(w, 0);
  draws(w, c, AEROGPU_TOPOLOGY_POINTLIST, 3, 20);
  endCount(w, 1);
  w.packet(aerogpu_cmd_ext_query_end{
      .slot = 2, .type = AEROGPU_EXT_QUERY_OCCLUSION, .alloc_id = m_results.id, .offset_bytes = 1024});
  run(w);
  expectModel(c);
  expectCount(2, 3, 0);
  expectCount(c.model.written, c.model.needed, 1);
  EXPECT_EQ(c.model.needed, 10u);
  aerogpu_ext_query_result occlusion;
  std::memcpy(&occlusion, gpu().bytes(m_results).data() + 1024, sizeof occlusion);
  EXPECT_EQ(occlusion.available, 1u);
  EXPECT_GT(occlusion.value, 0u);
  // Another kind in a slot that was used; an end of another kind than the beginning.
  beginCount(w, 2);
  w.packet(aerogpu_cmd_ext_query_end{
      .slot = 2, .type = AEROGPU_EXT_QUERY_OCCLUSION, .alloc_id = m_results.id, .offset_bytes = 1024});
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  endCount(w, 2);
  run(w);
  expectCount(0, 0, 2);
}

// SO-14: many submissions, many passes.
TEST_F(StreamOutputTest, CountsOverManySubmissions) {
  CommandWriter w;
  Case c = start(w, kBoth, kBothStride, {32 * 100});
  beginCount(w);
  for (int i = 0; i < 80; ++i) {
    draws(w, c, AEROGPU_TOPOLOGY_LINELIST, 4, static_cast<uint32_t>(i) % 32);
    run(w);
  }
  endCount(w);
  run(w);
  expectModel(c);
  expectCount(50, 160);
}

}  // namespace
}  // namespace aerogpu::test
