// SPDX-License-Identifier: MIT
// Tests errors one by one, with the owner of each. docs/abi/ring.md (REC).
#include <gtest/gtest.h>

#include <tuple>

#include "tests-qtest/aerogpu_dev.h"

namespace {

using namespace aerogpu::qtest;
using aerogpu::CommandWriter;

constexpr uint32_t kNoMemory = 32;  // x-gpu-fault
constexpr uint32_t kMost = 128;

struct Record {
  uint32_t code = 0, count = 0, space = 0, context = 0;
  uint64_t fence = 0;
  uint32_t flags = 0;
  bool operator==(const Record&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Record& r) {
  return out << "code " << r.code << " count " << r.count << " space " << r.space << " context " << r.context
             << " fence " << r.fence << " flags " << r.flags;
}

class ErrorRecords : public ::testing::Test {
protected:
  void start(bool spaces = true) {
    m_spaces = spaces;
    ASSERT_TRUE(dev.reg(AEROGPU_MMIO_REG_FEATURES_HI) & AEROGPU_EXT_FEATURE_HI_ERROR_RECORDS);
    if (spaces) dev.setReg(AEROGPU_EXT_REG_SPACES, AEROGPU_EXT_SPACES_ENABLE);
    dev.startRing({.entries = 256, .stride = spaces ? 80u : 64u});
    EXPECT_EQ(take(), Record{}) << "from here on";
  }
  static Record look(AeroGpuDev& on) {
    const uint32_t taken = on.reg(AEROGPU_EXT_REG_ERROR_TAKEN);
    return {taken & AEROGPU_EXT_ERROR_CODE,
            on.reg(AEROGPU_EXT_REG_ERROR_TAKEN_COUNT),
            on.reg(AEROGPU_EXT_REG_ERROR_TAKEN_SPACE),
            on.reg(AEROGPU_EXT_REG_ERROR_TAKEN_CONTEXT),
            on.reg64(AEROGPU_EXT_REG_ERROR_TAKEN_FENCE_LO),
            taken & ~AEROGPU_EXT_ERROR_CODE};
  }
  Record take() {
    dev.setReg(AEROGPU_EXT_REG_ERROR_NEXT, 0);
    return look(dev);
  }
  /// Copies between buffers that do not exist: one error for each copy. Waits until the errors are latched.
  uint64_t mistakes(uint32_t space, uint32_t context, uint32_t count = 1) {
    CommandWriter w;
    for (uint32_t i = 0; i < count; ++i) aerogpu::packets::copyBuffer(w, 1, 2, 4, 0);
    return submit(w, space, context);
  }
  /// Submits work that cannot be fetched for lack of memory.
  uint64_t starved(uint32_t space, uint32_t context) {
    dev.qemu.setProperty("x-gpu-fault", kNoMemory);
    CommandWriter w;
    w.packet(aerogpu_cmd_flush{});
    const uint64_t fence = submit(w, space, context);
    dev.qemu.setProperty("x-gpu-fault", 0);
    return fence;
  }
  uint64_t submit(const CommandWriter& w, uint32_t space, uint32_t context) {
    AeroGpuDev::Submit how{.context = context};
    if (m_spaces) how.space = aerogpu_submit_space{space, 0, 0};
    const uint64_t fence = dev.submit(w, how);
    // FENCE-1: the error is latched after the head.
    const uint32_t before = m_latched;
    dev.waitUntil([&] { return (m_latched = dev.errorCount()) > before; }, "the error");
    return fence;
  }

  AeroGpuDev dev;
  bool m_spaces = false;
  uint32_t m_latched = 0;
};

constexpr uint32_t kDecode = AEROGPU_ERROR_CMD_DECODE, kInternal = AEROGPU_ERROR_INTERNAL,
                   kMore = AEROGPU_EXT_ERROR_MORE;

// REC-1, REC-2, REC-3
TEST_F(ErrorRecords, SayWhoseEachErrorWas) {
  start();
  const uint64_t one = starved(7, 3), wrong = mistakes(8, 1, 2), two = starved(9, 3);
  EXPECT_EQ(dev.reg(AEROGPU_MMIO_REG_ERROR_CODE), kInternal);
  EXPECT_EQ(take(), (Record{kInternal, 1, 7, 3, one, kMore}));
  // Another error of the same kind does not change the record that was taken, and comes after it.
  const uint64_t again = starved(7, 3);
  EXPECT_EQ(look(dev), (Record{kInternal, 1, 7, 3, one, kMore})) << "until the next write";
  const uint64_t more = mistakes(8, 1, 3);
  EXPECT_EQ(take(), (Record{kDecode, 5, 8, 1, more, kMore}));
  EXPECT_LT(wrong, more);
  EXPECT_EQ(take(), (Record{kInternal, 1, 9, 3, two, kMore}));
  EXPECT_EQ(take(), (Record{kInternal, 1, 7, 3, again, 0}));
  EXPECT_EQ(take(), Record{});
  EXPECT_EQ(dev.errorCount(), 8u) << "the old registers are as ever";
  // Contexts and codes are distinguished.
  const uint64_t first = mistakes(7, 1), second = mistakes(7, 2), third = starved(7, 1);
  EXPECT_EQ(take(), (Record{kDecode, 1, 7, 1, first, kMore}));
  EXPECT_EQ(take(), (Record{kDecode, 1, 7, 2, second, kMore}));
  EXPECT_EQ(take(), (Record{kInternal, 1, 7, 1, third, 0}));
}

// REC-1, REC-5, EXT-2
TEST_F(ErrorRecords, AreThereForWhoAsks) {
  dev.startRing();
  mistakes(0, 5);
  EXPECT_EQ(look(dev), Record{});
  EXPECT_EQ(take(), Record{}) << "nobody had asked";
  const uint64_t fence = mistakes(0, 5);
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
  dev.setReg(AEROGPU_EXT_REG_GPU_RESTART, 1);
  EXPECT_EQ(take(), (Record{kDecode, 1, 0, 5, fence, 0})) << "a ring reset and a restart leave it";
  mistakes(0, 5);
  dev.qemu.qmp("system_reset");
  dev.setUpPci();
  EXPECT_EQ(look(dev), Record{});
  EXPECT_EQ(take(), Record{});
}

// REC-1, RING-13
TEST_F(ErrorRecords, OfNoSubmission) {
  start(false);
  dev.setReg(AEROGPU_MMIO_REG_RING_CONTROL, 0);
  dev.setReg(AEROGPU_MMIO_REG_RING_SIZE_BYTES, 63);
  dev.enableRing();
  dev.ringBell();
  dev.waitUntil([&] { return dev.errorCount() != 0; }, "the error");
  const Record record = take();
  EXPECT_EQ(record.code, uint32_t{AEROGPU_ERROR_OOB});
  EXPECT_EQ(std::tuple(record.fence, record.space, record.context), std::tuple(0u, 0u, 0u));
}

// REC-4
TEST_F(ErrorRecords, WhatFindsNoRoomIsSaid) {
  start(false);
  std::vector<uint64_t> fences;
  for (uint32_t i = 0; i < kMost + 1; ++i) fences.push_back(mistakes(0, i));
  const uint64_t lost = starved(0, 500);
  EXPECT_EQ(take(), (Record{kDecode, 1, 0, 0, fences[0], kMore | AEROGPU_EXT_ERROR_LOST}));
  for (uint32_t i = 1; i < kMost - 1; ++i) EXPECT_EQ(take(), (Record{kDecode, 1, 0, i, fences[i], kMore}));
  EXPECT_EQ(take(), (Record{kInternal, 1, 0, 500, lost, 0})) << "in place of the newest";
  EXPECT_EQ(take(), Record{});
  // Full of records that displace others.
  for (uint32_t i = 0; i < kMost; ++i) starved(0, i);
  mistakes(0, 1);
  EXPECT_EQ(take().flags, kMore | AEROGPU_EXT_ERROR_LOST);
  for (uint32_t i = 0; i < 2; ++i) starved(0, 200 + i);
  EXPECT_EQ(take().flags, kMore | AEROGPU_EXT_ERROR_LOST | AEROGPU_EXT_ERROR_LOST_INTERNAL);
  EXPECT_EQ(take().flags, kMore) << "said once";
}

// PCI-9
TEST_F(ErrorRecords, AreSavedWithTheMachine) {
  start();
  const uint64_t first = starved(0, 3), second = starved(0x12345678, 4);
  EXPECT_EQ(take(), (Record{kInternal, 1, 0, 3, first, kMore}));
  const std::string file = (dev.qemu.folder() / "state").string();
  dev.qemu.qmp("migrate", R"({"uri": "exec:cat >)" + file + R"("})");
  dev.waitUntil([&] { return dev.qemu.qmp("query-migrate").find("\"completed\"") != std::string::npos; },
                "the save");
  AeroGpuDev target("renderer=null", {"-incoming", "defer"});
  target.loadFrom(file);
  EXPECT_EQ(look(target), (Record{kInternal, 1, 0, 3, first, kMore}));
  target.setReg(AEROGPU_EXT_REG_ERROR_NEXT, 0);
  EXPECT_EQ(look(target), (Record{kInternal, 1, 0x12345678, 4, second, 0}));
  target.setReg(AEROGPU_EXT_REG_ERROR_NEXT, 0);
  EXPECT_EQ(look(target), Record{});
}

}  // namespace
