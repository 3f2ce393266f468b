// SPDX-License-Identifier: MIT
// EXT_QUERY_BEGIN and EXT_QUERY_END on the GPU: exact counts whatever comes between the two, and times.
#include <algorithm>
#include <chrono>
#include <functional>

#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

constexpr uint64_t kUnwritten = 0xA5A5A5A5A5A5A5A5;

class QueriesTest : public DrawTest {
protected:
  void SetUp() override {
    DrawTest::SetUp();
    m_results = gpu().allocate(4096);
    std::fill(gpu().bytes(m_results).begin(), gpu().bytes(m_results).end(), uint8_t{0xA5});
    CommandWriter w;
    m_four = vertexBuffer(w, quad(0, 0, 2, 2, 0xFFFFFFFF, 0.5f));  // 4 pixels
    stream(w, 0, m_four, sizeof(Vertex));
    run(w);
  }
  void TearDown() override {
    gpu().forget(m_results);
    DrawTest::TearDown();
  }
  void begin(CommandWriter& w, uint32_t slot) {
    w.packet(aerogpu_cmd_ext_query_begin{.slot = slot, .type = AEROGPU_EXT_QUERY_OCCLUSION});
  }
  void end(CommandWriter& w, uint32_t slot, uint32_t place, uint32_t type = AEROGPU_EXT_QUERY_OCCLUSION) {
    w.packet(aerogpu_cmd_ext_query_end{
        .slot = slot, .type = type, .alloc_id = m_results.id, .offset_bytes = place * 16});
  }
  void time(CommandWriter& w, uint32_t place) { end(w, 0, place, AEROGPU_EXT_QUERY_TIMESTAMP); }
  /// Draws four samples.
  void four(CommandWriter& w, uint32_t times = 1) {
    for (uint32_t i = 0; i < times; ++i) draw(w, 6);
  }
  aerogpu_ext_query_result at(uint32_t place) {
    aerogpu_ext_query_result result;
    std::memcpy(&result, gpu().bytes(m_results).data() + place * 16, sizeof result);
    return result;
  }
  /// Returns the value, which must be there.
  uint64_t value(uint32_t place) {
    EXPECT_EQ(at(place).available, 1u) << place;
    return at(place).value;
  }
  /// Samples of `draws` calls of four(), for a GPU that counts or only knows whether there were any.
  void expectFours(uint32_t place, uint64_t draws, const char* what) {
    if (!deviceIsBare() || draws == 0)
      EXPECT_EQ(value(place), 4 * draws) << what;
    else
      EXPECT_NE(value(place), 0u) << what;
  }

  Allocation m_results;
  uint32_t m_four = 0;
};

// QUERY-1, QUERY-3
TEST_F(QueriesTest, CountsTheSamplesBetweenItsTwoPackets) {
  CommandWriter w;
  four(w);
  begin(w, 3);
  end(w, 3, 0);
  begin(w, 3);
  four(w, 3);
  end(w, 3, 1);
  four(w);
  run(w);
  expectFours(0, 0, "nothing was drawn");
  expectFours(1, 3, "three draws");
  EXPECT_EQ(at(2).available, kUnwritten);
}

// QUERY-3, QUERY-4
TEST_F(QueriesTest, WhatIsNoDrawDoesNotCountAndStopsNothing) {
  struct Case {
    const char* what;
    std::function<void(CommandWriter&)> packets;
  };
  CommandWriter setUp;
  const uint32_t other = texture(setUp, kBgra, kSize, kSize), bytes = buffer(setUp, "bytes...", 8, 0),
                 moved = buffer(setUp, "........", 8, 0), mips = texture(setUp, kBgra, kSize, kSize, 4);
  run(setUp);
  const aerogpu_ext_blit_rect half{{0, 0, 4, 4}, {0, 0, 8, 8}};
  const Case cases[] = {
      {"a clear of everything", [&](CommandWriter& w) { clearColor(w, 1, 1, 1, 1); }},
      {"a clear of a part",
       [&](CommandWriter& w) {
         viewport(w, 1, 1, 3, 3);
         clearColor(w, 1, 1, 1, 1);
         viewport(w, 0, 0, kSize, kSize);
       }},
      {"a flush", [&](CommandWriter& w) { w.packet(aerogpu_cmd_flush{}); }},
      {"another target, cleared",
       [&](CommandWriter& w) {
         target(w, other);
         clearColor(w, 0, 0, 0, 0);
         target(w, m_target);
       }},
      {"a blit that draws",
       [&](CommandWriter& w) {
         w.packet(aerogpu_cmd_ext_blit{.dst_texture = other,
                                       .src_texture = m_target,
                                       .flags = AEROGPU_EXT_BLIT_LINEAR,
                                       .rect_count = 1},
                  &half, 1);
       }},
      {"a fill",
       [&](CommandWriter& w) {
         const aerogpu_ext_rect rect{1, 1, 3, 3};
         w.packet(aerogpu_cmd_ext_fill{.texture = m_target, .flags = AEROGPU_EXT_FILL_COLOR, .rect_count = 1},
                  &rect, 1);
       }},
      {"mips", [&](CommandWriter& w) { w.packet(aerogpu_cmd_ext_generate_mips{.texture = mips}); }},
      {"a copy of bytes", [&](CommandWriter& w) { packets::copyBuffer(w, moved, bytes, 8, 0); }},
      {"an upload to what was drawn",
       [&](CommandWriter& w) { packets::upload(w, m_target, 0, std::vector<uint8_t>(kSize * 4, 9)); }},
  };
  for (const Case& c : cases) {
    CommandWriter w;
    begin(w, 0);
    c.packets(w);
    end(w, 0, 0);
    begin(w, 0);
    four(w);
    c.packets(w);
    four(w);
    c.packets(w);
    end(w, 0, 1);
    run(w);
    expectFours(0, 0, c.what);
    expectFours(1, 2, c.what);
  }
}

// QUERY-3
TEST_F(QueriesTest, WhatTheTestsRemoveDoesNotCount) {
  CommandWriter w;
  target(w, m_target, m_depth);
  Harness::clear(w, AEROGPU_CLEAR_DEPTH, 0, 0, 0, 0, 0.25f);
  renderState(w, kZEnable, 1u);
  begin(w, 0);
  four(w);  // at 0.5, occluded by 0.25
  end(w, 0, 0);
  renderState(w, kZEnable, 0u);
  begin(w, 0);
  renderState(w, kScissorTestEnable, 1u);
  scissor(w, 0, 0, 2, 1);
  four(w);  // half of it
  renderState(w, kScissorTestEnable, 0u);
  end(w, 0, 1);
  renderState(w, kAlphaTestEnable, 1u);
  renderState(w, kAlphaFunc, 1u);  // never
  begin(w, 0);
  four(w);
  end(w, 0, 2);
  run(w);
  EXPECT_EQ(value(0), 0u);
  if (deviceIsBare())
    EXPECT_NE(value(1), 0u);
  else
    EXPECT_EQ(value(1), 2u);
  EXPECT_EQ(value(2), 0u);
}

// QUERY-2, QUERY-3
TEST_F(QueriesTest, SlotsOverlapOverSubmissionsAndBatches) {
  CommandWriter w;
  for (uint32_t slot = 0; slot < 256; ++slot) {
    begin(w, slot);
    four(w);
  }
  run(w);
  for (uint32_t batch = 0; batch < 100; ++batch) {
    four(w);
    w.packet(aerogpu_cmd_flush{});
  }
  run(w);
  for (uint32_t slot = 0; slot < 256; ++slot) {
    end(w, slot, slot % 256);
    four(w);
  }
  run(w);
  for (uint32_t slot = 0; slot < 256; ++slot)
    expectFours(slot, (256 - slot) + 100 + slot, "draws behind its begin and before its end");
}

// QUERY-4
TEST_F(QueriesTest, OtherContextsDoNotCount) {
  const uint32_t mine = m_context, theirs = s_nextContext++;
  CommandWriter w;
  const auto setUp = [&] {
    bindShaders(w, m_vs, m_ps);
    layout(w, {{0, 0, 2, 0, 0, 0}, {0, 12, 4, 0, 10, 0}});
    renderState(w, kCullMode, 1u);
    renderState(w, kZEnable, 0u);
    target(w, m_target);
    stream(w, 0, m_four, sizeof(Vertex));
  };
  begin(w, 0);
  four(w);
  run(w);
  m_context = theirs;
  setUp();
  four(w, 2);
  begin(w, 0);
  four(w, 3);
  run(w);
  m_context = mine;
  four(w);
  end(w, 0, 0);
  four(w);
  run(w);
  m_context = theirs;
  four(w);
  end(w, 0, 1);
  run(w);
  m_context = mine;
  expectFours(0, 2, "of the first context");
  expectFours(1, 4, "of the second context");
}

// QUERY-5, QUERY-7, QUERY-11
TEST_F(QueriesTest, BeginAgainRefusedEndsAndAReset) {
  CommandWriter w;
  begin(w, 1);
  four(w, 5);
  begin(w, 1);
  four(w);
  run(w);
  w.packet(aerogpu_cmd_ext_query_end{
      .slot = 1, .type = AEROGPU_EXT_QUERY_OCCLUSION, .alloc_id = m_results.id, .offset_bytes = 8});
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  w.packet(aerogpu_cmd_ext_query_end{
      .slot = 1, .type = AEROGPU_EXT_QUERY_OCCLUSION, .alloc_id = m_results.id, .offset_bytes = 4096});
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_OOB});
  end(w, 1, 0);
  run(w);
  expectFours(0, 1, "behind the second begin");
  begin(w, 1);
  four(w);
  w.packet(aerogpu_cmd_ext_reset_context{});
  run(w);
  end(w, 1, 1);
  EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_CMD_DECODE});
  EXPECT_EQ(at(1).available, kUnwritten);
  (void)gpu().takeErrorLines();
}

// QUERY-6
TEST_F(QueriesTest, TimesGoOnAndAreNanoseconds) {
  CommandWriter w;
  time(w, 0);
  if (deviceIsBare()) {
    EXPECT_EQ(runForError(w), uint32_t{AEROGPU_ERROR_BACKEND}) << "a GPU without timestamps";
    (void)gpu().takeErrorLines();
    return;
  }
  const auto before = std::chrono::steady_clock::now();
  for (uint32_t i = 1; i < 100; ++i) {
    four(w);
    time(w, i);
  }
  run(w);
  time(w, 100);
  run(w);
  const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - before;
  for (uint32_t i = 1; i <= 100; ++i) EXPECT_GE(value(i), value(i - 1)) << i;
  EXPECT_GT(value(100), value(0));
  EXPECT_LE(value(100) - value(0), static_cast<uint64_t>(passed.count()));
}

// QUERY-8
TEST_F(QueriesTest, ResultsComeInTheOrderOfTheirPackets) {
  CommandWriter w;
  begin(w, 0);
  four(w);
  end(w, 0, 0);
  packets::writeValue(w, m_results.id, 8, 77);
  packets::writeValue(w, m_results.id, 24, 78);
  begin(w, 0);
  end(w, 0, 1);
  run(w);
  EXPECT_EQ(at(0).available, 77u);
  EXPECT_EQ(at(1).available, 1u);
  EXPECT_EQ(at(1).value, 0u);
}

/// Draws with indices, of several instances and without a pixel shader count too.
// QUERY-3
TEST_F(QueriesTest, ADrawOfAnyKindCounts) {
  CommandWriter w;
  const std::vector<uint16_t> numbers = {0, 1, 2, 3, 4, 5};
  packets::setIndexBuffer(w, buffer(w, numbers.data(), 12, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER));
  begin(w, 0);
  drawIndexed(w, 6);
  draw(w, 6, 3);
  end(w, 0, 0);
  target(w, 0, m_depth);
  renderState(w, kZEnable, 1u);
  Harness::clear(w, AEROGPU_CLEAR_DEPTH, 0, 0, 0, 0, 1.0f);
  begin(w, 0);
  bindShaders(w, m_vs, 0);
  four(w);
  end(w, 0, 1);
  run(w);
  expectFours(0, 4, "indexed, and three instances");
  expectFours(1, 1, "depth alone");
}

// QUERY-9
TEST_F(QueriesTest, ALostGpuWritesNoResult) {
  CommandWriter w;
  begin(w, 0);
  four(w);
  end(w, 0, 0);
  loseDevice(Loss::AtWait);
  const FinishedSubmission finished = gpu().submit(w, m_context);
  loseDevice(Loss::None);
  EXPECT_EQ(finished.result.last_error_code, uint32_t{AEROGPU_ERROR_BACKEND});
  EXPECT_EQ(at(0).available, kUnwritten);
  (void)gpu().takeErrorLines();
  EXPECT_TRUE(aerogpu_renderer_reset(gpu().renderer()));
}

}  // namespace
}  // namespace aerogpu::test
