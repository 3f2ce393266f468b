// SPDX-License-Identifier: MIT
// Stream output over the null back end: what is refused, how far buffers are filled, and what draws count
// for. vulkan/test/ tests what is written.
#include <gtest/gtest.h>

#include "renderer/core/caps_base.h"
#include "renderer/core/stream_output.h"
#include "renderer/test/expect.h"
#include "renderer/test/geometry_tokens.h"

namespace {

using namespace aerogpu;
using namespace aerogpu::test::dxbc;
using core::StreamOutput;
using test::expectError;
using test::expectGood;
using test::Harness;

constexpr uint32_t kDecode = AEROGPU_ERROR_CMD_DECODE, kOob = AEROGPU_ERROR_OOB,
                   kBackend = AEROGPU_ERROR_BACKEND;
constexpr uint32_t kGap = AEROGPU_EXT_STREAM_GAP, kAppend = AEROGPU_EXT_STREAM_APPEND;
using Elements = std::vector<aerogpu_ext_stream_element>;

aerogpu_cmd_ext_set_stream_output packet(std::array<uint32_t, 4> strides, uint32_t rasterized = 0) {
  aerogpu_cmd_ext_set_stream_output c{};
  c.rasterized_stream = rasterized;
  std::ranges::copy(strides, c.stride_bytes);
  return c;
}

/// Returns the error of a declaration; none: 0.
uint32_t refusal(const Elements& elements, std::array<uint32_t, 4> strides = {2048, 2048, 2048, 2048},
                 uint32_t rasterized = 0) {
  const auto output = core::streamOutputFrom(packet(strides, rasterized), elements);
  return output ? 0 : static_cast<uint32_t>(output.error().code);
}

// SO-3, SO-4, SO-7
TEST(StreamOutput, WhatCannotBeDeclared) {
  EXPECT_EQ(refusal({{0, 3, 31, 15}, {0, 0, kGap, 1}, {0, 0, kGap, 15}, {0, 0, 0, 6}}), 0u);
  EXPECT_EQ(refusal({}), 0u);
  EXPECT_EQ(refusal({{0, 4, 0, 15}}), kDecode);
  EXPECT_EQ(refusal({{0, 0, 32, 15}}), kDecode);
  EXPECT_EQ(refusal({{0, 0, 0, 0}}), kDecode);
  EXPECT_EQ(refusal({{0, 0, 0, 16}}), kDecode);
  EXPECT_EQ(refusal({{0, 0, 0, 5}}), kDecode);
  EXPECT_EQ(refusal({{0, 0, kGap, 2}}), kDecode);
  EXPECT_EQ(refusal({{4, 0, 0, 15}}), kDecode);
  EXPECT_EQ(refusal({{3, 0, 0, 15}}), kBackend);
  EXPECT_EQ(refusal({}, {}, 4), kDecode);
  EXPECT_EQ(refusal({}, {}, 1), kBackend);
  EXPECT_EQ(refusal({}, {}, AEROGPU_EXT_STREAM_NONE), 0u);
  const Elements two = {{0, 1, 0, 15}, {0, 1, kGap, 3}};  // 24 bytes
  EXPECT_EQ(refusal(two, {0, 24, 0, 0}), 0u);
  EXPECT_EQ(refusal(two, {0, 20, 0, 0}), kDecode);
  EXPECT_EQ(refusal(two, {0, 26, 0, 0}), kDecode);
  EXPECT_EQ(refusal(two, {0, 2052, 0, 0}), kDecode);
  EXPECT_EQ(refusal(Elements(32, {0, 0, 0, 15})), 0u);
  EXPECT_EQ(refusal(Elements(33, {0, 0, 0, 15})), kDecode) << "more than 128 components";
  EXPECT_EQ(refusal(Elements(512, {0, 0, kGap, 1})), 0u);
  EXPECT_EQ(refusal(Elements(513, {0, 0, kGap, 1})), kDecode);
}

// SO-2: the packet says all of the state.
TEST(StreamOutput, ThereAndBack) {
  const Elements elements = {{0, 2, 5, 12}, {0, 0, kGap, 7}, {0, 2, 1, 1}};
  for (const uint32_t rasterized : {0u, AEROGPU_EXT_STREAM_NONE}) {
    const auto output = core::streamOutputFrom(packet({16, 0, 20, 8}, rasterized), elements);
    ASSERT_TRUE(output);
    EXPECT_EQ(output->slots, 4u) << "a slot of gaps has no data";
    const auto again = core::streamOutputFrom(core::packetOf(*output), core::elementsOf(*output));
    ASSERT_TRUE(again);
    EXPECT_EQ(*output, *again);
  }
}

class StreamOutputTest : public testing::Test {
protected:
  Harness h;
  CommandWriter w;

  test::FinishedSubmission submit() {
    const auto finished = h.submit(w);
    w.reset();
    return finished;
  }
  uint32_t buffer(uint64_t bytes) {
    const uint32_t handle = h.handle();
    packets::createBuffer(w, handle, bytes);
    return handle;
  }
  void targets(const std::vector<aerogpu_ext_stream_target>& list) {
    w.packet(aerogpu_cmd_ext_set_stream_targets{}, list.data(), list.size());
  }
  void bindShaders() {
    const uint32_t vs = h.handle();
    createShader(w, vs, AEROGPU_SHADER_STAGE_VERTEX, vertexTokens());
    packets::bindShaders(w, vs, 0);
    packets::setTopology(w, AEROGPU_TOPOLOGY_POINTLIST);
  }
};

// SO-5
TEST_F(StreamOutputTest, WhatTargetsCannotBe) {
  const uint32_t one = buffer(64), two = buffer(64);
  targets({{one, 64}, {two, kAppend}, {0, 7}, {0, 0}});
  expectGood(submit());
  targets({{one, 0}, {two, 0}, {0, 0}, {0, 0}, {0, 0}});
  expectError(submit(), kDecode);
  targets({{one, 0}, {0, 0}, {one, 0}});
  expectError(submit(), kDecode);
  targets({{one, 2}});
  expectError(submit(), kDecode);
  targets({{one, 68}});
  expectError(submit(), kOob);
  targets({{h.handle(), 0}});
  expectError(submit(), kDecode);
}

// SO-12, LIM-6: three vertices for each point and each that it becomes, and no more than there is room for.
TEST_F(StreamOutputTest, DrawsCountForWhatTheyMayWrite) {
  bindShaders();
  const uint32_t large = buffer(uint64_t{1} << 28);
  const aerogpu_ext_stream_element element{0, 0, 0, 15};
  w.packet(packet({2048, 0, 0, 0}), &element, 1);
  targets({{large, 0}});
  expectGood(submit());
  constexpr uint32_t kDraws = 1u << 10;  // times 2^28 are 2^38 bytes
  for (uint32_t i = 0; i < kDraws; ++i) packets::draw(w, 1u << 16);
  expectGood(submit());
  for (uint32_t i = 0; i <= kDraws; ++i) packets::draw(w, 1u << 16);
  expectError(submit(), kBackend);
  targets({});
  for (uint32_t i = 0; i <= kDraws; ++i) packets::draw(w, 1u << 16);
  expectGood(submit());
}

// SO-13, LIM-3
TEST_F(StreamOutputTest, DrawAutoCountsForWhatMayBeThere) {
  bindShaders();
  const uint32_t large = buffer(uint64_t{1} << 28);
  packets::setVertexBuffer(w, 0, large, 4, 1u << 27);
  for (int i = 0; i < 32; ++i) w.packet(aerogpu_cmd_ext_draw_auto{});  // 2^25 each
  expectGood(submit());
  for (int i = 0; i < 33; ++i) w.packet(aerogpu_cmd_ext_draw_auto{});
  expectError(submit(), kBackend);
  packets::setVertexBuffer(w, 0, large, 0, 0);
  w.packet(aerogpu_cmd_ext_draw_auto{});
  packets::setVertexBuffer(w, 0, 0, 0);
  w.packet(aerogpu_cmd_ext_draw_auto{});
  expectGood(submit());
  packets::setVertexBuffer(w, 0, buffer((uint64_t{1} << 28) + 4), 1);
  w.packet(aerogpu_cmd_ext_draw_auto{});
  expectError(submit(), kOob);
  packets::bindShaders(w, 0, 0);
  w.packet(aerogpu_cmd_ext_draw_auto{});
  expectError(submit(), kDecode);
}

// SO-11
TEST_F(StreamOutputTest, FansAreNotStreamedOut) {
  bindShaders();
  const aerogpu_ext_stream_element element{0, 0, 0, 15};
  w.packet(packet({16, 0, 0, 0}), &element, 1);
  packets::setTopology(w, AEROGPU_TOPOLOGY_TRIANGLEFAN);
  expectGood(submit());
  packets::draw(w, 3);
  expectError(submit(), kBackend);
}

// SO-15
TEST_F(StreamOutputTest, AResultIsThirtyTwoBytes) {
  const auto memory = h.allocate(4096);
  const auto end = [&](uint64_t offset) {
    w.packet(aerogpu_cmd_ext_query_begin{{}, 1, AEROGPU_EXT_QUERY_STREAM_STATISTICS});
    w.packet(aerogpu_cmd_ext_query_end{{}, 1, AEROGPU_EXT_QUERY_STREAM_STATISTICS, memory.id, 0, offset});
  };
  for (uint8_t& byte : h.bytes(memory)) byte = 0xA5;
  end(4096 - 32);
  expectGood(submit());
  aerogpu_ext_query_result got[2];
  std::memcpy(got, h.bytes(memory).data() + 4096 - 32, sizeof got);
  for (const aerogpu_ext_query_result& one : got) {
    EXPECT_EQ(one.value, 0u);
    EXPECT_EQ(one.available, 1u);
  }
  for (size_t i = 0; i < 4096 - 32; ++i) ASSERT_EQ(h.bytes(memory)[i], 0xA5) << i;
  end(4096 - 16);
  expectError(submit(), kOob);
  // A time has no begin, and its slot is none.
  w.packet(aerogpu_cmd_ext_query_end{{}, 1, AEROGPU_EXT_QUERY_OCCLUSION, memory.id, 0, 0});
  expectError(submit(), kDecode);
}

// SO-1, QUERY-1, EXT-9
TEST(StreamOutput, NeedsItsFlag) {
  Harness base(Harness::Options{.caps = "base-1"});
  ASSERT_TRUE(base.ok());
  EXPECT_FALSE(core::base1Limits().capsFlags & AEROGPU_CAPS_STREAM_OUTPUT);
  CommandWriter w;
  const auto code = [&] {
    const uint32_t last = base.submit(w).result.last_error_code;
    w.reset();
    return last;
  };
  w.packet(packet({}));
  EXPECT_EQ(code(), kBackend);
  w.packet(aerogpu_cmd_ext_set_stream_targets{});
  EXPECT_EQ(code(), kBackend);
  createShader(w, 1, AEROGPU_SHADER_STAGE_VERTEX, vertexTokens());
  packets::bindShaders(w, 1, 0);
  w.packet(aerogpu_cmd_ext_draw_auto{});
  EXPECT_EQ(code(), kBackend);
  w.packet(aerogpu_cmd_ext_query_begin{{}, 1, AEROGPU_EXT_QUERY_STREAM_STATISTICS});
  EXPECT_EQ(code(), kDecode);
}

}  // namespace
