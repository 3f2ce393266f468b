// SPDX-License-Identifier: MIT
// EXT_QUERY_BEGIN and EXT_QUERY_END (docs/abi/queries.md) over the null back end: the place of a result, what
// is refused and with which words. vulkan/test/ tests the counts.
#include <cstring>

#include "renderer/test/expect.h"
#include "renderer/test/fake_backend.h"

namespace {

using namespace aerogpu;
using test::Allocation;
using test::expectError;
using test::expectGood;
using test::FakeExecutor;
using test::Harness;

constexpr uint32_t kOcclusion = AEROGPU_EXT_QUERY_OCCLUSION, kTimestamp = AEROGPU_EXT_QUERY_TIMESTAMP;

class QueriesTest : public testing::Test {
protected:
  Harness h;
  const Allocation memory = h.allocate(8192);
  CommandWriter w;

  void SetUp() override {
    for (uint8_t& byte : h.bytes(memory)) byte = 0xA5;
  }
  test::FinishedSubmission submit() {
    const auto finished = h.submit(w);
    w.reset();
    return finished;
  }
  void begin(uint32_t slot, uint32_t type = kOcclusion) {
    w.packet(aerogpu_cmd_ext_query_begin{.slot = slot, .type = type});
  }
  void end(uint32_t slot, uint64_t offset, uint32_t type = kOcclusion, uint32_t alloc = 0) {
    w.packet(aerogpu_cmd_ext_query_end{
        .slot = slot, .type = type, .alloc_id = alloc ? alloc : memory.id, .offset_bytes = offset});
  }
  aerogpu_ext_query_result at(uint64_t offset) {
    aerogpu_ext_query_result result;
    std::memcpy(&result, h.bytes(memory).data() + offset, sizeof result);
    return result;
  }
  /// The only packet in `w` fails, and the log says what failed and where.
  void refused(uint32_t code, const char* text) {
    expectError(submit(), code);
    std::string all;
    for (const std::string& line : h.takeGuestLines()) all += line + "\n";
    EXPECT_NE(all.find(text), std::string::npos) << all;
  }
};

// QUERY-1, QUERY-7
TEST_F(QueriesTest, AResultIsSixteenBytesAndNoMore) {
  begin(7);
  end(7, 8192 - 16);
  end(0, 16, kTimestamp);
  expectGood(submit());
  EXPECT_EQ(at(8192 - 16).value, 0u) << "nothing is drawn here";
  EXPECT_EQ(at(8192 - 16).available, 1u);
  EXPECT_GT(at(16).value, 0u);
  EXPECT_EQ(at(16).available, 1u);
  const std::span<uint8_t> bytes = h.bytes(memory);
  for (size_t i = 0; i < bytes.size() - 16; ++i)
    if (i < 16 || i >= 32) {
      ASSERT_EQ(bytes[i], 0xA5) << i;
    }
}

// QUERY-6
TEST_F(QueriesTest, TimesGoOn) {
  for (uint64_t i = 0; i < 10; ++i) end(0, 16 * i, kTimestamp);
  expectGood(submit());
  for (uint64_t i = 1; i < 10; ++i) EXPECT_GE(at(16 * i).value, at(16 * (i - 1)).value);
}

// QUERY-1, QUERY-2, QUERY-5, QUERY-6, QUERY-7
TEST_F(QueriesTest, WhatIsRefusedAndHowTheLogSaysIt) {
  begin(256);
  refused(AEROGPU_ERROR_OOB, "EXT_QUERY_BEGIN: no such query slot: slot 256 of 256");
  begin(0, kTimestamp);
  refused(AEROGPU_ERROR_CMD_DECODE, "a timestamp has no begin: type 2");
  begin(0, 4);
  refused(AEROGPU_ERROR_CMD_DECODE, "unknown query type: type 4");
  end(0, 0, 0);
  refused(AEROGPU_ERROR_CMD_DECODE, "unknown query type: type 0");
  end(256, 0, kTimestamp);
  refused(AEROGPU_ERROR_OOB, "no such query slot: slot 256 of 256");
  end(5, 0);
  refused(AEROGPU_ERROR_CMD_DECODE, "query ends that did not begin: slot 5");
  end(0, 24, kTimestamp);
  refused(AEROGPU_ERROR_CMD_DECODE, "query result is not aligned in its allocation: offset_bytes 24");
  end(0, 8192, kTimestamp);
  refused(AEROGPU_ERROR_OOB, "write reaches past its allocation: offset_bytes 8192, size 16, limit 8192");
  end(0, ~uint64_t{15}, kTimestamp);
  refused(AEROGPU_ERROR_OOB, "write reaches past its allocation");
  end(0, 0, kTimestamp, memory.id + 1000);
  refused(AEROGPU_ERROR_CMD_DECODE, "allocation is not in the submission's table");
  EXPECT_EQ(at(0).available, 0xA5A5A5A5A5A5A5A5);
}

// QUERY-7
TEST_F(QueriesTest, ReadOnlyMemoryIsRefusedAndTheQueryGoesOn) {
  const Allocation fixed = h.allocate(4096, AEROGPU_ALLOC_FLAG_READONLY);
  begin(1);
  end(1, 0, kOcclusion, fixed.id);
  end(1, 32);
  expectError(submit(), AEROGPU_ERROR_OOB);
  EXPECT_EQ(at(32).available, 1u);
}

// QUERY-8
TEST_F(QueriesTest, ADirtyRangeBehindAResultReadsIt) {
  const uint32_t from = h.handle(), to = h.handle();
  packets::createBuffer(w, from, 16, 0, memory.id);
  packets::createBuffer(w, to, 16, 0, memory.id, 64);
  begin(0);
  end(0, 0);
  packets::dirtyRange(w, from, 0, 16);
  packets::copyBuffer(w, to, from, 16);
  expectGood(submit());
  EXPECT_EQ(at(64).value, 0u);
  EXPECT_EQ(at(64).available, 1u);
}

// QUERY-10
TEST(Queries, ASubmissionBeginsAndEndsSoMany) {
  FakeExecutor f;
  CommandWriter w;
  for (uint32_t i = 0; i < 8192; ++i)
    w.packet(aerogpu_cmd_ext_query_begin{.slot = i % 256, .type = kOcclusion});
  EXPECT_EQ(f.submit(w).errorCount, 0u);
  w.packet(aerogpu_cmd_ext_query_begin{.slot = 0, .type = kOcclusion});
  const core::ExecutionReport report = f.submit(w);
  EXPECT_EQ(report.errorCount, 1u);
  EXPECT_EQ(report.lastError, ErrorCode::Backend);
}

// QUERY-11
TEST_F(QueriesTest, AContextThatIsResetHasNoneOpen) {
  begin(0);
  w.packet(aerogpu_cmd_ext_reset_context{});
  end(0, 0);
  expectError(submit(), AEROGPU_ERROR_CMD_DECODE);
  EXPECT_EQ(at(0).available, 0xA5A5A5A5A5A5A5A5);
}

}  // namespace
