// SPDX-License-Identifier: MIT
// Random but well-formed frames: in whatever order a guest uses resources, the validation layer stays silent
// and no command fails.
#include <random>

#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

class RandomTest : public DrawTest {};

TEST_F(RandomTest, AnyOrderOfUseIsValid) {
  std::mt19937 random(12345);
  const auto pick = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  CommandWriter w;
  const uint32_t vsTex = shader(
      w, "vs_2_0\ndcl_position v0\ndcl_color v1\nadd r0, v0, c0\nmov oPos, r0\nmov oD0, v1\nmov oT0, v0\n");
  const uint32_t psTex = shader(
      w,
      "ps_2_0\ndcl t0.xy\ndcl v0\ndcl_2d s0\ndcl_2d s1\ntexld r0, t0, s0\ntexld r1, t0, s1\nmul r0, r0, c3\n"
      "add r0, r0, r1\nmul r0, r0, v0\nmov oC0, r0\n");
  std::vector<uint32_t> textures, depths, buffers;
  const aerogpu_format formats[] = {kBgra, AEROGPU_FORMAT_B8G8R8X8_UNORM, AEROGPU_FORMAT_B5G6R5_UNORM,
                                    AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB};
  for (uint32_t i = 0; i < 8; ++i) textures.push_back(texture(w, formats[i % 4], 16, 16, 1 + i / 4));
  for (uint32_t i = 0; i < 2; ++i)
    depths.push_back(texture(w, i ? AEROGPU_FORMAT_D32_FLOAT : AEROGPU_FORMAT_D24_UNORM_S8_UINT, 16, 16, 1, 1,
                             AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL));
  for (uint32_t i = 0; i < 4; ++i) buffers.push_back(vertexBuffer(w, quad(0, 0, 8, 8, 0x80FFFFFF)));
  layout(w, {{0, 0, 2, 0, 0, 0}, {0, 12, 4, 0, 10, 0}});
  run(w);
  const uint32_t states[][2] = {{kCullMode, 3},
                                {kFillMode, 3},
                                {kZEnable, 2},
                                {kZWriteEnable, 2},
                                {kZFunc, 8},
                                {kStencilEnable, 2},
                                {kStencilFunc, 8},
                                {kStencilPass, 8},
                                {kSrcBlend, 11},
                                {kDestBlend, 10},
                                {kBlendOp, 5},
                                {kAlphaBlendEnable, 2},
                                {kAlphaTestEnable, 2},
                                {kFogEnable, 2},
                                {kShadeMode, 2},
                                {kSrgbWriteEnable, 2},
                                {kScissorTestEnable, 2},
                                {kTwoSidedStencilMode, 2},
                                {kColorWriteEnable, 16}};
  for (uint32_t frame = 0; frame < 40; ++frame) {
    for (uint32_t step = 0; step < 60; ++step) {
      const uint32_t t = textures[pick(8)];
      switch (pick(14)) {
        case 0:
          target(w, t, pick(2) ? depths[pick(2)] : 0);
          break;
        case 1:
          target(w, 0, depths[pick(2)]);
          break;
        case 2: {
          const auto& s = states[pick(std::size(states))];
          const bool zeroBased = s[1] == 2 || s[1] == 16;
          renderState(w, s[0], pick(s[1]) + (zeroBased && s[0] != kShadeMode ? 0u : 1u));
          break;
        }
        case 3:
          setTexture(w, pick(2), pick(4) ? t : 0);
          break;
        case 4: {
          const Bytes data(32, static_cast<uint8_t>(random()));
          packets::upload(w, t, uint64_t{pick(8)} * 32, data);
          break;
        }
        case 5: {
          const auto v = quad(0, 0, 8, 8, random());
          const uint32_t skip = pick(4) * sizeof(Vertex);
          packets::upload(w, buffers[pick(4)], skip,
                          {reinterpret_cast<const uint8_t*>(v.data()), v.size() * sizeof(Vertex) - skip});
          break;
        }
        case 6: {
          aerogpu_cmd_copy_texture2d c{};
          const uint32_t a = pick(4);
          c.dst_texture = textures[a];
          c.src_texture = textures[a + 4];
          c.width = c.height = 1 + pick(16);
          w.packet(c);
          break;
        }
        case 7: {
          aerogpu_cmd_copy_buffer c{};
          const uint32_t a = pick(4);
          c.dst_buffer = buffers[a];
          c.src_buffer = buffers[(a + 1) % 4];
          c.size_bytes = 6 * sizeof(Vertex);
          w.packet(c);
          break;
        }
        case 8:
          clearColor(w, 0.5f, 0.5f, 0.5f, 0.5f);
          break;
        case 9:
          bindShaders(w, pick(2) ? vsTex : m_vs, pick(8) == 0 ? 0 : pick(2) ? psTex : m_ps);
          break;
        case 10:
          constantsF(w, pick(2), pick(4), {{0.01f, 0, 0, 0}});
          break;
        case 11: {
          aerogpu_cmd_flush c{};
          w.packet(c);
          break;
        }
        default:
          stream(w, 0, buffers[pick(4)], sizeof(Vertex));
          topology(w, 1 + pick(6));
          draw(w, 6);
      }
    }
    run(w);
  }
}

}  // namespace
}  // namespace aerogpu::test
