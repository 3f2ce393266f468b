// SPDX-License-Identifier: MIT
// A machine that is restored has its pipelines before its guest draws: what was drawn before the snapshot is
// drawn again behind it, and no pipeline is made then.
#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <utility>

#include "renderer/local/local.h"
#include "renderer/snapshot/load.h"
#include "renderer/test/saving.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

class WarmUpTest : public DrawTest {
protected:
  static Harness::Options options() {
    Harness::Options options;
    options.backend = "vulkan";
    options.flags = AEROGPU_RENDERER_VALIDATION;
    return options;
  }
  void SetUp() override {
    DrawTest::SetUp();
    snapshot::Loader::drawsMayTake = std::chrono::minutes(10);
  }
  void TearDown() override {
    snapshot::Loader::drawsMayTake = std::chrono::seconds(1);
    DrawTest::TearDown();
  }
  static uint64_t pipelines(Harness& h) {
    aerogpu_renderer_stats stats{sizeof stats};
    aerogpu_renderer_get_stats(h.renderer(), &stats);
    return stats.pipelines_created;
  }
  Bytes saved() {
    Bytes bytes;
    EXPECT_EQ(save(gpu().renderer(), bytes), "");
    return bytes;
  }
  /// Runs draws here, and keeps them.
  void keep(CommandWriter& w) {
    m_draws.push_back(w);
    run(w);
  }
  /// Restores the machine elsewhere and draws all that was kept. Returns how many pipelines were made for
  /// that, and how many before.
  std::pair<uint64_t, uint64_t> drawElsewhere() {
    Harness other(options());
    EXPECT_TRUE(other.ok()) << other.createError();
    EXPECT_EQ(load(other.renderer(), saved()), "");
    const uint64_t before = pipelines(other);
    for (CommandWriter& draws : m_draws) EXPECT_EQ(other.submit(draws, m_context).result.error_count, 0u);
    for (const std::string& line : other.takeErrorLines()) ADD_FAILURE() << line;
    return {pipelines(other) - before, before};
  }

  std::vector<CommandWriter> m_draws;
};

// D3DTSS_TEXTURETRANSFORMFLAGS, D3DTTFF_PROJECTED.
constexpr uint32_t kTransformFlags = 24, kProjected = 256;

constexpr const char* kTexturedPs = R"(ps_2_0
dcl v0
dcl_2d s0
texld r0, v0, s0
mov oC0, r0
)";

// Each case draws with something else that a pipeline depends on.
TEST_F(WarmUpTest, EachKindOfDraw) {
  CommandWriter setup;
  const uint32_t vertices = vertexBuffer(setup, quad(0, 0, 8, 8, 0xFF00FF00));
  const uint32_t usual = layout(setup, {{0, 0, 2, 0, 0, 0}, {0, 12, 4, 0, 10, 0}});
  const uint32_t other = layout(setup, {{0, 0, 1, 0, 0, 0}, {0, 12, 4, 0, 10, 0}});
  const uint32_t textured = shader(setup, kTexturedPs);
  const uint32_t old = shader(setup, "ps_1_1\ntex t0\nmov r0, t0\n");
  const uint32_t two = shader(setup, "ps_2_0\ndcl v0\nmov oC0, v0\nmov oC1, v0\n");
  constexpr uint32_t kSampled = AEROGPU_RESOURCE_USAGE_TEXTURE;
  const uint32_t image = texture(setup, kBgra, 4, 4, 1, 1, kSampled);
  const uint32_t decoded = texture(setup, AEROGPU_FORMAT_D3D9_A2R10G10B10, 4, 4, 1, 1, kSampled);
  const uint32_t cube = texture(setup, kBgra, 4, 4, 1, 6, kSampled);
  const uint32_t shadow = texture(setup, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 8, 8, 1, 1,
                                  kSampled | AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL);
  const uint32_t second = texture(setup, kBgra, kSize, kSize);
  const uint32_t thin = texture(setup, AEROGPU_FORMAT_B5G6R5_UNORM, kSize, kSize);
  run(setup);

  using W = CommandWriter;
  const auto sampling = [&](W& w, uint32_t ps, uint32_t bound) {
    bindShaders(w, m_vs, ps);
    setTexture(w, 0, bound);
  };
  const auto withState = [&](uint32_t state, uint32_t value) {
    return [this, state, value](W& w) { renderState(w, state, value); };
  };
  const auto as = [&](uint32_t kind) { return [this, kind](W& w) { topology(w, kind); }; };
  const bool clips = gpu().local().backend->limits().maxClipPlanes >= 2;
  const std::pair<const char*, std::function<void(W&)>> cases[] = {
      {"plain", [](W&) {}},
      {"alpha test", [&](W& w) { renderState(w, kAlphaTestEnable, 1u), renderState(w, kAlphaFunc, 5u); }},
      {"fog", withState(kFogEnable, 1)},
      {"flat", withState(kShadeMode, 1)},
      {"points", as(AEROGPU_TOPOLOGY_POINTLIST)},
      {"lines", as(AEROGPU_TOPOLOGY_LINELIST)},
      {"clip planes", withState(kClipPlaneEnable, clips ? 3 : 0)},
      {"blending", withState(kAlphaBlendEnable, 1)},
      {"depth", [&](W& w) { target(w, m_target, m_depth), renderState(w, kZEnable, 1u); }},
      {"two targets",
       [&](W& w) {
         packets::setTargets(w, std::array{m_target, second}, 0), bindShaders(w, m_vs, two);
       }},
      {"another format", [&](W& w) { target(w, thin); }},
      {"sRGB", withState(kSrgbWriteEnable, 1)},
      {"a texture", [&](W& w) { sampling(w, textured, image); }},
      {"decoded", [&](W& w) { sampling(w, textured, decoded), samplerState(w, 0, kSrgbTexture, 1u); }},
      {"compared", [&](W& w) { sampling(w, textured, shadow); }},
      {"an old shader", [&](W& w) { sampling(w, old, image); }},
      {"a cube", [&](W& w) { sampling(w, old, cube); }},
      {"projected",
       [&](W& w) {
         sampling(w, old, image);
         w.packet(aerogpu_cmd_ext_set_texture_stage{{}, 0, kTransformFlags, kProjected | 3, 0});
       }},
      {"other vertices",
       [&](W& w) {
         w.packet(aerogpu_cmd_set_input_layout{{}, other, 0});
       }},
      {"no pixel shader", [&](W& w) { bindShaders(w, m_vs, 0), target(w, 0, m_depth); }},
  };
  const uint64_t before = pipelines(gpu());
  for (const auto& [name, change] : cases) {
    SCOPED_TRACE(name);
    W w;
    w.packet(aerogpu_cmd_ext_reset_context{});
    w.packet(aerogpu_cmd_set_input_layout{{}, usual, 0});
    stream(w, 0, vertices, sizeof(Vertex));
    bindShaders(w, m_vs, m_ps);
    target(w, m_target);
    change(w);
    draw(w, 6);
    keep(w);
  }
  const uint64_t made = pipelines(gpu()) - before;
  EXPECT_GE(made, std::size(cases) / 2) << "most cases need a pipeline of their own";
  const auto [late, early] = drawElsewhere();
  EXPECT_EQ(late, 0u) << "the guest had to wait for these";
  EXPECT_GE(early, made);
}

TEST_F(WarmUpTest, RandomStates) {
  std::mt19937 random(7);
  const auto pick = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  CommandWriter setup;
  const uint32_t vertices = vertexBuffer(setup, quad(0, 0, 8, 8, 0xFF00FF00));
  const uint32_t vertexLayout = layout(setup, {{0, 0, 2, 0, 0, 0}, {0, 12, 4, 0, 10, 0}});
  const uint32_t shaders[] = {m_ps, shader(setup, kTexturedPs),
                              shader(setup, "ps_1_1\ntex t0\nmov r0, t0\n")};
  const uint32_t images[] = {0, texture(setup, kBgra, 4, 4),
                             texture(setup, AEROGPU_FORMAT_B8G8R8X8_UNORM, 8, 2),
                             texture(setup, AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, 4, 4, 3, 6)};
  const uint32_t targets[] = {m_target, texture(setup, AEROGPU_FORMAT_B8G8R8X8_UNORM, kSize, kSize),
                              texture(setup, AEROGPU_FORMAT_B5G6R5_UNORM, kSize, kSize)};
  run(setup);
  const std::pair<uint32_t, uint32_t> states[] = {
      {kFillMode, 3},         {kZEnable, 2},           {kSrcBlend, 9},  {kDestBlend, 9},
      {kAlphaBlendEnable, 2}, {kAlphaTestEnable, 2},   {kFogEnable, 2}, {kShadeMode, 2},
      {kSrgbWriteEnable, 2},  {kPointSpriteEnable, 2}, {kAlphaFunc, 8}, {kColorWriteEnable, 16}};
  for (uint32_t round = 0; round < 4; ++round) {
    m_draws.clear();
    for (uint32_t i = 0; i < 40; ++i) {
      CommandWriter w;
      w.packet(aerogpu_cmd_ext_reset_context{});
      w.packet(aerogpu_cmd_set_input_layout{{}, vertexLayout, 0});
      stream(w, 0, vertices, sizeof(Vertex));
      target(w, targets[pick(3)], pick(2) ? m_depth : 0);
      bindShaders(w, m_vs, shaders[pick(3)]);
      setTexture(w, 0, images[pick(4)]);
      topology(w, 1 + pick(6));
      for (uint32_t change = 0; change < 5; ++change) {
        const auto [state, values] = states[pick(std::size(states))];
        renderState(w, state, pick(values) + (values == 2 && state != kShadeMode ? 0 : 1));
      }
      draw(w, 6);
      keep(w);
    }
    EXPECT_EQ(drawElsewhere().first, 0u) << "round " << round;
  }
}

TEST_F(WarmUpTest, ADeadShadersDrawsAreLeftOut) {
  CommandWriter w;
  const uint32_t gone = shader(w, "ps_2_0\ndef c0, 0.25, 0.5, 0.75, 1\nmov oC0, c0\n");
  bindShaders(w, m_vs, gone);
  drawVertices(w, quad(0, 0, 8, 8, 0xFFFFFFFF));
  run(w);
  const size_t with = saved().size();
  bindShaders(w, m_vs, m_ps);
  w.packet(aerogpu_cmd_destroy_shader{{}, gone, 0});
  run(w);
  EXPECT_LT(saved().size(), with);
}

}  // namespace
}  // namespace aerogpu::test
