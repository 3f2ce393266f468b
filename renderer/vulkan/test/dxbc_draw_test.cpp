// SPDX-License-Identifier: MIT
// DXBC of shader models 4 and 5 through vkd3d-shader: vertex, pixel, compute, the D3D10 binding tables,
// D3D10's rasterisation rules. The containers are put together here, token by token
// (d3d10TokenizedProgramFormat.hpp names).
#include <bit>
#include <limits>
#include <optional>

#include "aerogpu/aerogpu_caps.h"
#include "renderer/test/token_shaders.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

using namespace dxbc;

class DxbcTest : public DrawTest {
protected:
  uint32_t create(CommandWriter& w, uint32_t stage, const Tokens& bytes) {
    aerogpu_cmd_create_shader_dxbc c{};
    c.shader_handle = gpu().handle();
    c.stage = stage;
    w.packet(c, bytes.data(), bytes.size() * 4);
    return c.shader_handle;
  }
  /// Of those that are not needed any more: a renderer that is made anew translates each shader again.
  void destroyShader(CommandWriter& w, uint32_t shader) {
    aerogpu_cmd_destroy_shader c{};
    c.shader_handle = shader;
    w.packet(c);
  }
  /// Samples at the register's coordinates, or at `constant` of each.
  Tokens samplingCode(std::optional<float> constant = {}) {
    Tokens t;
    op(t, 0x5A, {handle(kSampler, 1)});
    op(t, 0x58 | 3u << 11, {handle(kResource, 2), {0x5555}});
    op(t, 0x62 | 2u << 11, {dst(kInput, 1, 3)});
    op(t, 0x65, {dst(kOutput, 0, 15)});
    const uint32_t bits = std::bit_cast<uint32_t>(constant.value_or(0));
    const Tokens at = constant ? Tokens{0x4002, bits, bits, bits, bits} : src(kInput, 1, kXyxx);
    op(t, kSample, {dst(kOutput, 0, 15), at, src(kResource, 2), handle(kSampler, 1)});
    op(t, kRet, {});
    return container(kPs40, t, {{"SV_Position", 0, 1, 3, 0, 15}, {"COLOR", 0, 0, 3, 1, 3}},
                     {{"SV_Target", 0, 0, 3, 0, 15}});
  }
  void constantBuffer(CommandWriter& w, uint32_t stage, uint32_t slot, uint32_t b, uint32_t size) {
    aerogpu_cmd_set_constant_buffers c{};
    c.shader_stage = stage;
    c.start_slot = slot;
    const aerogpu_constant_buffer_binding binding{b, 0, size, 0};
    w.packet(c, &binding, 1);
  }
};

// SHADER-13, SHADER-5, SHADER-12, STATE-12, DRAW-1, DRAW-6
TEST_F(DxbcTest, VertexAndPixelShaderWithConstantBuffer) {
  CommandWriter w;
  bindShaders(w, create(w, AEROGPU_SHADER_STAGE_VERTEX, vertexCode()),
              create(w, AEROGPU_SHADER_STAGE_PIXEL, pixelCode()));
  // Direct3D 10: pixel centres at .5, so corners on pixel edges.
  const auto corner = [](float x, float y) { return Vertex{x / 4 - 1, 1 - y / 4, 0.5f, 0xFF400000}; };
  stream(w, 0,
         vertexBuffer<Vertex>(
             w, {corner(2, 1), corner(6, 1), corner(2, 5), corner(2, 5), corner(6, 1), corner(6, 5)}),
         sizeof(Vertex));
  // The buffer is not bound: reads zero.
  draw(w, 6);
  run(w);
  const Bytes got = result();
  for (uint32_t y = 0; y < kSize; ++y)
    for (uint32_t x = 0; x < kSize; ++x)
      EXPECT_EQ(pixel(got, kSize, x, y),
                (x >= 2 && x < 6 && y >= 1 && y < 5 ? Pixel{0, 0, 0x40, 255} : Pixel{0, 0, 0, 0}))
          << x << "," << y;
  const float data[8] = {9, 9, 9, 9, 0, 0.4f, 0.2f, 0};
  const uint32_t cb = buffer(w, data, sizeof data, AEROGPU_RESOURCE_USAGE_CONSTANT_BUFFER);
  constantBuffer(w, AEROGPU_SHADER_STAGE_VERTEX, 0, cb, 32);
  draw(w, 6);
  // Changed within the frame: the first draw keeps the values that it read.
  const float more[2] = {0.8f, 0.6f};
  packets::upload(w, cb, 20, {reinterpret_cast<const uint8_t*>(more), 8});
  const auto second = [&] {
    return std::vector<Vertex>{corner(2, 1), corner(3, 1), corner(2, 5),
                               corner(2, 5), corner(3, 1), corner(3, 5)};
  };
  stream(w, 0, vertexBuffer(w, second()), sizeof(Vertex));
  draw(w, 6);
  run(w);
  expectNear(result(4, 3), {51, 102, 0x40, 255}, 1);
  expectNear(result(2, 3), {153, 204, 0x40, 255}, 1);
  // A clear is not limited by viewport or scissor (ID3D10Device::ClearRenderTargetView).
  viewport(w, 1, 1, 2, 2);
  clearColor(w, 0, 1, 0, 1);
  run(w);
  EXPECT_EQ(result(7, 7), (Pixel{0, 255, 0, 255}));
}

// STATE-11, STATE-14
TEST_F(DxbcTest, SamplersAndTextures) {
  CommandWriter w;
  bindShaders(w, create(w, AEROGPU_SHADER_STAGE_VERTEX, vertexCode()),
              create(w, AEROGPU_SHADER_STAGE_PIXEL, samplingCode()));
  layout(w, {{0, 0, 2, 0, 0, 0}, {0, 12, 1, 0, 10, 0}});
  struct V {
    float x, y, z, u, v;
  };
  stream(w, 0,
         vertexBuffer<V>(w, {{-1, 1, 0, -1, 0},
                             {1, 1, 0, 1, 0},
                             {-1, -1, 0, -1, 1},
                             {-1, -1, 0, -1, 1},
                             {1, 1, 0, 1, 0},
                             {1, -1, 0, 1, 1}}),
         sizeof(V));
  const uint32_t t = texture(w, kBgra, 2, 1);
  const uint8_t texels[8] = {10, 20, 30, 255, 100, 110, 120, 255};
  packets::upload(w, t, 0, texels);
  setTexture(w, 2, t);
  // 0 clamp, 1 repeat, 2 mirror; pixel x samples u = -1 + (x + 0.5) / 4: texel floor(2 u).
  for (const uint32_t mode : {0u, 1u, 2u}) {
    aerogpu_cmd_create_sampler c{};
    c.sampler_handle = gpu().handle();
    c.filter = AEROGPU_SAMPLER_FILTER_NEAREST;
    c.address_u = c.address_v = c.address_w = mode;
    w.packet(c);
    aerogpu_cmd_set_samplers s{};
    s.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
    s.start_slot = 1;
    s.sampler_count = 1;
    w.packetWithTail(AEROGPU_CMD_SET_SAMPLERS, s, &c.sampler_handle, 4);
    draw(w, 6);
    run(w);
    const Bytes got = result();
    for (int x = 0; x < 8; ++x) {
      const int i = x / 2 - 2;  // -2, -1, 0, 1
      const int texel = mode == 0 ? std::max(i, 0) : mode == 1 ? i & 1 : i < 0 ? -1 - i : i;
      EXPECT_EQ(pixel(got, kSize, static_cast<uint32_t>(x), 3)[0], texel ? 100 : 10) << mode << " " << x;
    }
  }
  setTexture(w, 2, 0);
  draw(w, 6);
  run(w);
  EXPECT_EQ(result(3, 3), (Pixel{0, 0, 0, 0}));  // an unbound resource reads zero
}

/// Some texel, and nothing beyond the texture's memory; above all with constants, which compilers fold.
TEST_F(DxbcTest, CoordinatesThatAreNoNumbers) {
  constexpr uint8_t kTexel = 200;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInf = std::numeric_limits<float>::infinity();
  CommandWriter w;
  const uint32_t vs = create(w, AEROGPU_SHADER_STAGE_VERTEX, vertexCode());
  layout(w, {{0, 0, 2, 0, 0, 0}, {0, 12, 1, 0, 10, 0}});
  const uint32_t images[] = {texture(w, kBgra, 4, 4), texture(w, kBgra, 5, 3)};
  packets::upload(w, images[0], 0, Bytes(4 * 4 * 4, kTexel));
  packets::upload(w, images[1], 0, Bytes(5 * 3 * 4, kTexel));
  struct V {
    float x, y, z, u, v;
  };
  const auto expectTexel = [&](uint32_t image, uint32_t filter, uint32_t mode) {
    setTexture(w, 2, image);
    const aerogpu_cmd_create_sampler c{{}, gpu().handle(), filter, mode, mode, mode};
    w.packet(c);
    aerogpu_cmd_set_samplers s{};
    s.shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
    s.start_slot = 1;
    s.sampler_count = 1;
    w.packetWithTail(AEROGPU_CMD_SET_SAMPLERS, s, &c.sampler_handle, 4);
    clearColor(w, 0, 0, 0, 0);
    draw(w, 3);
    run(w);
    EXPECT_EQ(result(3, 3)[0], kTexel) << "mode " << mode << ", filter " << filter;
  };
  for (const float u : {kNan, kInf, -kInf, 1e30f, -1e30f, 1e6f}) {
    SCOPED_TRACE(u);
    const std::vector<V> corners = {{-1, 3, 0, u, u}, {3, -1, 0, u, u}, {-1, -1, 0, u, u}};
    stream(w, 0, vertexBuffer(w, corners), sizeof(V));
    for (const bool constant : {false, true}) {
      const uint32_t ps =
          create(w, AEROGPU_SHADER_STAGE_PIXEL, samplingCode(constant ? std::optional(u) : std::nullopt));
      bindShaders(w, vs, ps);
      for (const uint32_t image : images)
        for (const uint32_t filter : {AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_FILTER_LINEAR})
          for (const uint32_t mode : {0u, 1u, 2u}) expectTexel(image, filter, mode);
      destroyShader(w, ps);
    }
  }
}

class DxbcComputeTest : public DxbcTest, public testing::WithParamInterface<bool> {};

INSTANTIATE_TEST_SUITE_P(Packets, DxbcComputeTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Tokens" : "Container"; });

// STATE-12, DRAW-8, CODE-8
TEST_P(DxbcComputeTest, ReadsAndWritesBuffers) {
  Tokens t;
  op(t, 0xA1, {handle(kResource, 0)});  // dcl_resource_raw
  op(t, 0x9D, {handle(kUav, 1)});       // dcl_uav_raw
  op(t, 0x5F, {{2 | 1u << 4 | kThreadId << 12}});
  op(t, 0x68, {{1}});
  op(t, 0x9B, {{4, 1, 1}});
  const Tokens id = {2 | 2u << 2 | kThreadId << 12};
  op(t, 0x29, {dst(kTemp, 0, 1), id, immediate(2)});                           // ishl
  op(t, 0xA5, {dst(kTemp, 0, 2), scalar(kTemp, 0, 0), src(kResource, 0, 0)});  // ld_raw
  op(t, 0x1E, {dst(kTemp, 0, 2), scalar(kTemp, 0, 1), immediate(100)});        // iadd
  op(t, 0xA6, {dst(kUav, 1, 1), scalar(kTemp, 0, 0), scalar(kTemp, 0, 1)});    // store_raw
  op(t, kRet, {});
  CommandWriter w;
  uint32_t cs = 0;
  if (GetParam()) {
    cs = gpu().handle();
    createShader(w, cs, AEROGPU_SHADER_STAGE_COMPUTE, {program(kCs50, t), {}, {}, {}});
  } else {
    cs = create(w, AEROGPU_SHADER_STAGE_COMPUTE, container(kCs50, t, {}, {}));
  }
  aerogpu_cmd_bind_shaders b{};
  b.cs = cs;
  w.packet(b);
  std::vector<uint32_t> in(16);
  for (uint32_t i = 0; i < 16; ++i) in[i] = i * 3;
  const uint32_t source = buffer(w, in.data(), 64, AEROGPU_RESOURCE_USAGE_STORAGE);
  const uint32_t out = gpu().handle();
  packets::createBuffer(w, out, 64, AEROGPU_RESOURCE_USAGE_STORAGE);
  aerogpu_cmd_set_shader_resource_buffers r{};
  r.shader_stage = AEROGPU_SHADER_STAGE_COMPUTE;
  const aerogpu_shader_resource_buffer_binding rb{source, 0, 0, 0};
  w.packet(r, &rb, 1);
  aerogpu_cmd_set_unordered_access_buffers u{};
  u.shader_stage = AEROGPU_SHADER_STAGE_COMPUTE;
  u.start_slot = 1;
  const aerogpu_unordered_access_buffer_binding ub{out, 0, 0, 0xFFFFFFFFu};
  w.packet(u, &ub, 1);
  aerogpu_cmd_dispatch d{};
  d.group_count_x = 3;  // 12 of 16 elements
  d.group_count_y = d.group_count_z = 1;
  w.packet(d);
  run(w);
  const Bytes bytes = gpu().readBuffer(out, 64);
  ASSERT_EQ(bytes.size(), 64u);
  for (uint32_t i = 0; i < 16; ++i) {
    uint32_t value;
    std::memcpy(&value, bytes.data() + size_t{i} * 4, 4);
    EXPECT_EQ(value, i < 12 ? i * 3 + 100 : 0u) << i;
  }
}

TEST_F(DxbcTest, DamagedShadersDoNoHarm) {
  // Replaces each word of good shaders' code in turn. Most changes are errors of the packet, none may end the
  // process, and no accepted module may fail validation. In its own renderer, since so many errors use up
  // what may be logged in a second.
  Harness own(Harness::Options{.backend = "vulkan", .flags = AEROGPU_RENDERER_VALIDATION});
  ASSERT_TRUE(own.ok()) << own.createError();
  uint32_t seed = 1, refused = 0, taken = 0;
  std::optional<uint32_t> last;
  const auto damage = [&](uint32_t stage, const Tokens& good, size_t words) {
    for (size_t at = good.size() - words; at < good.size(); ++at) {
      Tokens bad = good;
      seed = seed * 1664525u + 1013904223u;
      bad[at] ^= at % 2 ? seed : 1u << (seed >> 27);
      CommandWriter w;
      if (last) destroyShader(w, *last);
      last = create(w, stage, bad);
      const FinishedSubmission finished = own.submit(w);
      EXPECT_LE(finished.result.error_count, 1u);
      if (finished.result.error_count) {
        EXPECT_NE(finished.result.last_error_code, uint32_t{AEROGPU_ERROR_INTERNAL});
        last.reset();
        ++refused;
      } else {
        ++taken;
      }
    }
  };
  for (int round = 0; round < 4; ++round) {
    damage(AEROGPU_SHADER_STAGE_VERTEX, vertexCode(), 34);
    damage(AEROGPU_SHADER_STAGE_PIXEL, pixelCode(), 14);
    damage(AEROGPU_SHADER_STAGE_PIXEL, samplingCode(), 28);
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(taken, 0u);
  // Counts only the layer's messages: refused shaders are logged too.
  for (const std::string& line : own.takeErrorLines()) EXPECT_NE(line.rfind("validation: ", 0), 0u) << line;
}

// SHADER-4, SHADER-6, SHADER-9
TEST_F(DxbcTest, BadShadersAreErrorsOfThePacket) {
  CommandWriter w;
  Tokens broken = vertexCode();
  broken.back() = 1u << 24 | 0x7FF;  // no such opcode
  create(w, AEROGPU_SHADER_STAGE_VERTEX, broken);
  EXPECT_EQ(runForError(w), static_cast<uint32_t>(AEROGPU_ERROR_CMD_DECODE));
  create(w, AEROGPU_SHADER_STAGE_PIXEL, vertexCode());
  EXPECT_EQ(runForError(w), static_cast<uint32_t>(AEROGPU_ERROR_CMD_DECODE));
  // Where geometry shaders work, this is a shader of another stage.
  size_t size = 0;
  const auto* caps = static_cast<const aerogpu_caps*>(aerogpu_renderer_caps(gpu().renderer(), &size));
  const bool works = caps->flags & AEROGPU_CAPS_GEOMETRY_SHADERS;
  create(w, AEROGPU_SHADER_STAGE_GEOMETRY, vertexCode());
  EXPECT_EQ(runForError(w), uint32_t{works ? AEROGPU_ERROR_CMD_DECODE : AEROGPU_ERROR_BACKEND});
  const auto lines = gpu().takeErrorLines();
  ASSERT_EQ(lines.size(), works ? 0u : 1u);  // what the guest did wrong is not an error of the host
  EXPECT_TRUE(works || lines[0].find("geometry") != std::string::npos) << lines[0];
  // A pixel shader of the other kind cannot be used with this vertex shader.
  bindShaders(w, create(w, AEROGPU_SHADER_STAGE_VERTEX, vertexCode()), m_ps);
  draw(w, 3);
  EXPECT_EQ(runForError(w), static_cast<uint32_t>(AEROGPU_ERROR_CMD_DECODE));
}

}  // namespace
}  // namespace aerogpu::test
