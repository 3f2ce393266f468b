// SPDX-License-Identifier: MIT
// Draws that change nothing since the previous one, and commands that may come between the two. Each draw
// adds to the target, so that one too few and one too many both show.
#include <functional>
#include <numeric>

#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

constexpr uint8_t kStep = 0x10;
constexpr uint16_t kHalf = 6;  ///< vertices of a half of the target

class RepeatTest : public DrawTest {
protected:
  void SetUp() override {
    DrawTest::SetUp();
    CommandWriter w;
    renderState(w, kAlphaBlendEnable, 1u);
    renderState(w, kSrcBlend, 2u);   // D3DBLEND_ONE
    renderState(w, kDestBlend, 2u);  // D3DBLEND_ONE
    m_vertices = half(0);
    const std::vector<Vertex> right = half(1);
    m_vertices.insert(m_vertices.end(), right.begin(), right.end());
    m_buffer = vertexBuffer(w, m_vertices);
    stream(w, 0, m_buffer, sizeof(Vertex));
    run(w);
  }
  /// Returns the left or the right half.
  std::vector<Vertex> half(int which) {
    const auto left = static_cast<float>(which) * kSize / 2;
    return quad(left, 0, left + kSize / 2.0f, kSize, 0xFF000000 | kStep);
  }
  static std::span<const uint8_t> bytesOf(const std::vector<Vertex>& v) {
    return {reinterpret_cast<const uint8_t*>(v.data()), v.size() * sizeof(Vertex)};
  }
  /// Binds a buffer of indices that count up from `first`.
  uint32_t setIndices(CommandWriter& w, uint16_t first, uint16_t count) {
    std::vector<uint16_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), first);
    const uint32_t indices = buffer(w, numbers.data(), count * 2u, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER);
    packets::setIndexBuffer(w, indices);
    return indices;
  }
  /// Expects how often the halves were drawn.
  void expectHalves(int left, int right, const std::string& what) {
    const Bytes got = result();
    for (uint32_t y = 0; y < kSize; ++y)
      for (uint32_t x = 0; x < kSize; ++x)
        ASSERT_EQ(pixel(got, kSize, x, y)[0], (x < kSize / 2 ? left : right) * kStep)
            << what << " at " << x << ", " << y;
  }

  std::vector<Vertex> m_vertices;
  uint32_t m_buffer = 0;
};

TEST_F(RepeatTest, WhatComesBetweenLeavesThemAsTheyAre) {
  struct Case {
    const char* what;
    std::function<void(CommandWriter&)> packets;
  };
  CommandWriter setUp;
  const uint32_t other = texture(setUp, kBgra, kSize, kSize);
  const uint32_t bytes = buffer(setUp, m_vertices.data(), m_vertices.size() * sizeof(Vertex), 0);
  run(setUp);
  const Case cases[] = {
      {"nothing", [](CommandWriter&) {}},
      {"a flush", [](CommandWriter& w) { w.packet(aerogpu_cmd_flush{}); }},
      {"the end of the submission", [&](CommandWriter& w) { run(w); }},
      {"a submission of another context",
       [&](CommandWriter& w) {
         run(w);
         CommandWriter elsewhere;
         elsewhere.packet(aerogpu_cmd_ext_reset_context{});
         (void)gpu().submit(elsewhere, m_context + 1000);
       }},
      {"a blit",
       [&](CommandWriter& w) {
         const aerogpu_ext_blit_rect rect{{0, 0, 4, 4}, {0, 0, 8, 8}};
         w.packet(aerogpu_cmd_ext_blit{.dst_texture = other,
                                       .src_texture = m_target,
                                       .flags = AEROGPU_EXT_BLIT_LINEAR,
                                       .rect_count = 1},
                  &rect, 1);
       }},
      {"the same vertices once more",
       [&](CommandWriter& w) { packets::upload(w, m_buffer, 0, bytesOf(m_vertices)); }},
      {"the same vertices from a buffer",
       [&](CommandWriter& w) {
         packets::copyBuffer(w, m_buffer, bytes, m_vertices.size() * sizeof(Vertex), 0);
       }},
      {"a draw of nothing", [&](CommandWriter& w) { draw(w, 0); }},
  };
  for (const Case& c : cases) {
    CommandWriter w;
    clearColor(w, 0, 0, 0, 0);
    draw(w, kHalf);
    draw(w, kHalf);
    c.packets(w);
    draw(w, kHalf);
    c.packets(w);
    draw(w, kHalf, 1, kHalf);
    run(w);
    expectHalves(3, 1, c.what);
  }
}

// Draws as a program that sets its states once: the clear begins the batch.
TEST_F(RepeatTest, AClearAndADrawAreAWholeSubmission) {
  for (int frame = 0; frame < 3; ++frame) {
    CommandWriter w;
    clearColor(w, 0, 0, 0, 0);
    draw(w, kHalf, 1, kHalf);
    run(w);
  }
  expectHalves(0, 1, "the last frame");
}

// A smaller depth target counts only if depth is used: the clear's pass does not suit the draw.
TEST_F(RepeatTest, AClearHasOtherTargets) {
  CommandWriter w;
  target(w, m_target,
         texture(w, AEROGPU_FORMAT_D24_UNORM_S8_UINT, kSize / 2, kSize / 2, 1, 1,
                 AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL));
  for (int i = 0; i < 2; ++i) {
    draw(w, kHalf);
    w.packet(aerogpu_cmd_clear{.flags = AEROGPU_CLEAR_DEPTH});
    draw(w, kHalf);
    draw(w, kHalf, 1, kHalf);
  }
  run(w);
  expectHalves(4, 2, "around clears of depth");
}

TEST_F(RepeatTest, IndicesMayBeSetBeforeADrawThatReadsNone) {
  CommandWriter w;
  for (const uint16_t first : {uint16_t{0}, kHalf}) {
    setIndices(w, first, kHalf);
    draw(w, kHalf);
    draw(w, kHalf);
    drawIndexed(w, kHalf);
    drawIndexed(w, kHalf);
  }
  run(w);
  expectHalves(4 + 2, 2, "left four times without indices, then each half twice");
}

// COPY-7: bytes updated while a draw under way reads them lie elsewhere for the next one, and other vertices
// stay.
TEST_F(RepeatTest, VerticesMoveAndComeBack) {
  for (const bool indexed : {false, true}) {
    CommandWriter w;
    clearColor(w, 0, 0, 0, 0);
    setIndices(w, 0, 2 * kHalf);
    const auto drawHalf = [&](uint32_t which) {
      if (indexed)
        drawIndexed(w, kHalf, which * kHalf);
      else
        draw(w, kHalf, 1, which * kHalf);
    };
    drawHalf(0);
    drawHalf(0);
    // The first half's vertices become the second's.
    packets::upload(w, m_buffer, 0, bytesOf(half(1)));
    drawHalf(0);
    drawHalf(0);
    drawHalf(1);
    drawHalf(0);
    drawHalf(1);
    drawHalf(1);
    run(w);
    expectHalves(2, 6, indexed ? "by indices" : "in order");
    packets::upload(w, m_buffer, 0, bytesOf(half(0)));
    run(w);
  }
}

TEST_F(RepeatTest, IndicesMoveAndComeBack) {
  CommandWriter w;
  const uint32_t indices = setIndices(w, 0, 2 * kHalf);
  drawIndexed(w, kHalf);
  drawIndexed(w, kHalf);
  // The first six indices name the right half's vertices now.
  std::array<uint16_t, kHalf> others;
  std::iota(others.begin(), others.end(), kHalf);
  packets::upload(w, indices, 0, {reinterpret_cast<const uint8_t*>(others.data()), sizeof others});
  drawIndexed(w, kHalf);
  drawIndexed(w, kHalf);
  draw(w, kHalf);
  draw(w, kHalf);
  drawIndexed(w, kHalf, kHalf);
  drawIndexed(w, kHalf);
  run(w);
  expectHalves(2 + 2, 2 + 1 + 1, "left, right, left, right");
}

}  // namespace
}  // namespace aerogpu::test
