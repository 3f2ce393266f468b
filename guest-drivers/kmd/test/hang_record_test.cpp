// SPDX-License-Identifier: MIT
// Tests which processes are refused a device after time-outs, and for how long (hang_record.h).
#include "guest-drivers/kmd/logic/hang_record.h"

#include <gtest/gtest.h>

namespace {

using aero::HangRecord;
constexpr uint64_t kSecond = HangRecord::kSecond, kStart = 7 * kSecond;

TEST(HangRecord, OneTimeOutRefusesNothing) {
  HangRecord record;
  EXPECT_EQ(record.refusal(5, kStart).left, 0u);
  record.timedOut(5, kStart);
  EXPECT_EQ(record.refusal(5, kStart).left, 0u);
}

TEST(HangRecord, ASecondOneDoesForAWhileAndItAlone) {
  HangRecord record;
  record.timedOut(5, kStart);
  record.timedOut(6, kStart + kSecond);
  record.timedOut(5, kStart + 12 * kSecond);
  const uint64_t last = kStart + 12 * kSecond;
  const HangRecord::Refusal first = record.refusal(5, last + kSecond);
  EXPECT_EQ(first.left, 29 * kSecond);
  EXPECT_EQ(first.count, 2u);
  EXPECT_TRUE(first.tell);
  EXPECT_FALSE(record.refusal(5, last + 2 * kSecond).tell) << "it was told";
  EXPECT_EQ(record.refusal(6, last + kSecond).left, 0u);
  EXPECT_EQ(record.refusal(7, last + kSecond).left, 0u);
  EXPECT_EQ(record.refusal(5, last + 30 * kSecond - 1).left, 1u);
  EXPECT_EQ(record.refusal(5, last + 30 * kSecond).left, 0u);
}

TEST(HangRecord, EachFurtherOneTwiceAsLongUpToAnEnd) {
  HangRecord record;
  uint64_t now = kStart;
  record.timedOut(5, now);
  for (const uint64_t seconds : {30, 60, 120, 240, 480, 480}) {
    record.timedOut(5, now += kSecond);
    const HangRecord::Refusal refusal = record.refusal(5, now);
    EXPECT_EQ(refusal.left, seconds * kSecond);
    EXPECT_TRUE(refusal.tell) << "of each anew";
  }
}

TEST(HangRecord, TenMinutesAreForgotten) {
  HangRecord record;
  record.timedOut(5, kStart);
  record.timedOut(5, kStart + HangRecord::kRemembered + 1);
  EXPECT_EQ(record.refusal(5, kStart + HangRecord::kRemembered + 1).left, 0u);
  record.timedOut(5, kStart + HangRecord::kRemembered + kSecond);
  EXPECT_EQ(record.refusal(5, kStart + HangRecord::kRemembered + kSecond).left, 30 * kSecond) << "the first again";
}

/// Ids are reused, numbers of processes are not.
TEST(HangRecord, TheUpperHalfOfANumberCounts) {
  HangRecord record;
  constexpr uint64_t kProcess = 5, kLaterOfItsId = uint64_t{1} << 32 | 5;
  record.timedOut(kProcess, kStart);
  record.timedOut(kProcess, kStart + kSecond);
  EXPECT_EQ(record.refusal(kLaterOfItsId, kStart + kSecond).left, 0u);
  record.timedOut(kLaterOfItsId, kStart + kSecond);
  EXPECT_EQ(record.refusal(kLaterOfItsId, kStart + kSecond).left, 0u);
  EXPECT_NE(record.refusal(kProcess, kStart + kSecond).left, 0u);
}

/// Processes that begin, hang once, and end must not displace one that is refused.
TEST(HangRecord, WhoIsRefusedMakesRoomLast) {
  HangRecord record;
  record.timedOut(1000, kStart);
  record.timedOut(1000, kStart + 1);
  uint64_t now = kStart + 1;
  for (uint32_t process = 1; process <= 3 * HangRecord::kProcesses; process++) record.timedOut(process, ++now);
  EXPECT_NE(record.refusal(1000, now).left, 0u);
  for (uint32_t process = 1; process <= HangRecord::kProcesses; process++) {
    record.timedOut(2000 + process, ++now);
    record.timedOut(2000 + process, ++now);
  }
  EXPECT_EQ(record.refusal(1000, now).left, 0u) << "all are refused: the oldest goes";
  EXPECT_NE(record.refusal(2000 + HangRecord::kProcesses, now).left, 0u);
}

/// If there are more processes than entries, the one with the oldest time-out is forgotten.
TEST(HangRecord, TheOldestMakesRoom) {
  HangRecord record;
  for (uint32_t process = 1; process <= HangRecord::kProcesses + 1; process++)
    record.timedOut(process, kStart + process);
  const uint64_t now = kStart + kSecond;
  record.timedOut(2, now);
  record.timedOut(1, now);
  EXPECT_NE(record.refusal(2, now).left, 0u);
  EXPECT_EQ(record.refusal(1, now).left, 0u) << "forgotten: this was its first";
}

}  // namespace
