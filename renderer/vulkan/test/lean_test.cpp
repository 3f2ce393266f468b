// SPDX-License-Identifier: MIT
// The hot path allocates nothing for a packet or a draw: decoding, executing and recording, in frames like
// earlier ones. The driver's own allocations do not count.

#include "renderer/test/counted_allocations.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

class LeanTest : public DrawTest {
protected:
  /// Without validation, which allocates a lot.
  static void SetUpTestSuite() {
    Harness::Options options;
    options.backend = "vulkan";
    s_gpu = new Harness(options);
  }

  /// Makes a frame of `draws` draws, each with its own constant, and now and then other textures, shaders,
  /// states, vertices.
  void frame(CommandWriter& w, uint32_t draws) {
    clearColor(w, 0, 0, 0, 0);
    for (uint32_t i = 0; i < draws; ++i) {
      constantsF(w, AEROGPU_SHADER_STAGE_VERTEX, 0, {{static_cast<float>(i), 0, 0, 0}});
      if (i % 3 == 0) setTexture(w, 0, m_textures[i / 3 % 2]);
      if (i % 5 == 0) bindShaders(w, m_vertex, m_pixel[i / 5 % 2]);
      if (i % 7 == 0) renderState(w, kAlphaBlendEnable, i / 7 % 2);
      if (i % 11 == 0) stream(w, 0, m_vertices[i / 11 % 2], sizeof(Vertex));
      if (i % 13 == 0) samplerState(w, 0, kMagFilter, 1 + i / 13 % 2);
      draw(w, 6);
    }
    aerogpu_cmd_present present{};
    w.packet(present);
  }
  /// Returns the allocations of this thread while it submits the frame and waits for it.
  uint64_t cost(const CommandWriter& w) {
    const uint64_t before = allocations;
    const FinishedSubmission finished = gpu().submit(w, m_context);
    const uint64_t after = allocations;
    EXPECT_EQ(finished.result.error_count, 0u);
    gpu().takeFinished();
    return after - before;
  }

  uint32_t m_textures[2] = {}, m_pixel[2] = {}, m_vertices[2] = {}, m_vertex = 0;
};

TEST_F(LeanTest, NoAllocationForAPacketOrADraw) {
  constexpr uint32_t kFew = 200, kMany = 1200;
  CommandWriter w;
  m_vertex = shader(
      w, "vs_2_0\ndcl_position v0\ndcl_color v1\nadd oPos, v0, c0.yyyy\nmov oD0, v1\nmov oT0.xy, v0\n");
  m_pixel[0] = shader(w, "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n");
  m_pixel[1] =
      shader(w, "ps_2_0\ndcl v0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmul r0, r0, v0\nmov oC0, r0\n");
  for (uint32_t& t : m_textures) {
    t = texture(w, kBgra, 4, 4, 1, 1, AEROGPU_RESOURCE_USAGE_TEXTURE);
    packets::upload(w, t, 0, Bytes(64, 0x80));
  }
  for (uint32_t& v : m_vertices) v = vertexBuffer(w, quad(0, 0, kSize, kSize, 0xFF336699));
  run(w);
  CommandWriter few, many;
  frame(few, kFew);
  frame(many, kMany);
  for (int i = 0; i < 4; ++i) {  // pipelines, descriptor sets, chunks of constants
    cost(few);
    cost(many);
  }
  // The submission takes memory twice, as docs/develop/performance.md says; a draw takes none.
  const uint64_t costOfFew = cost(few), costOfMany = cost(many);
  EXPECT_LE(costOfFew, 2u);
  EXPECT_LE(costOfMany, 2u);
  RecordProperty("allocations", static_cast<int>(costOfMany));
}

TEST_F(LeanTest, NoAllocationForAnUpdateOrAnInlineDraw) {
  constexpr uint32_t kFew = 200, kMany = 1200, kBytes = 96;
  const Allocation memory = gpu().allocate(uint64_t{1} << 20);
  CommandWriter w;
  const uint32_t buffers[] = {gpu().handle(), gpu().handle()};
  packets::createBuffer(w, buffers[0], 256 << 10, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  packets::createBuffer(w, buffers[1], 256 << 10, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER, memory.id);
  run(w);
  const auto vertices = quad(0, 0, kSize, kSize, 0xFF336699);
  ASSERT_EQ(vertices.size() * sizeof(Vertex), kBytes);
  const auto streams = [&](CommandWriter& out, uint32_t draws) {
    clearColor(out, 0, 0, 0, 0);
    for (uint32_t i = 0; i < draws; ++i) {
      const uint32_t at = i * kBytes;
      if (i % 5 == 4) {
        out.packetWithTail(
            AEROGPU_CMD_EXT_DRAW_INLINE,
            aerogpu_cmd_ext_draw_inline{.vertex_count = 6, .vertex_stride_bytes = sizeof(Vertex)},
            vertices.data(), kBytes);
        continue;
      }
      if (i % 5 == 3) {  // a buffer in use
        packets::dirtyRange(out, buffers[1], 0, kBytes);
      } else if (i % 5 == 2) {
        packets::dirtyRange(out, buffers[1], at, kBytes);
      } else {
        out.packet(aerogpu_cmd_ext_update_buffer{
            .buffer = buffers[0],
            .flags = uint32_t{i % 5 ? AEROGPU_EXT_UPDATE_NO_OVERWRITE : AEROGPU_EXT_UPDATE_DISCARD},
            .dst_offset_bytes = i % 5 ? at : 0,
            .size_bytes = kBytes,
            .src_alloc_id = memory.id,
            .src_offset_bytes = at});
      }
      stream(out, 0, buffers[i % 5 >= 2], sizeof(Vertex));
      draw(out, 6, 1, i % 5 == 0 || i % 5 == 3 ? 0 : at / sizeof(Vertex));
    }
  };
  CommandWriter few, many;
  streams(few, kFew);
  streams(many, kMany);
  for (int i = 0; i < 6; ++i) {
    (void)cost(many);
    (void)cost(few);
  }
  EXPECT_LE(cost(many), cost(few) + 8);
}

}  // namespace
}  // namespace aerogpu::test
