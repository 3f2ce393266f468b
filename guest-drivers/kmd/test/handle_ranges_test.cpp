// SPDX-License-Identifier: MIT
// Tests ranges of handles (PRIV-13, PRIV-15, PRIV-27): their owners, their number, and when one is reused.
#include "guest-drivers/kmd/logic/handle_ranges.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

namespace {

using namespace aero;

constexpr uint32_t kFirst = 0xE0000000u, kLast = 0xEFFFFFFFu, kUnit = 0x10000u, kMax = 0x40000u;
constexpr uint32_t kUnits = (kLast - kFirst + 1) / kUnit;

struct Range {
  uint32_t first = 0, count = 0;
  bool taken = false;
  uint32_t last() const { return first + (count - 1); }
};

class HandleRangesTest : public testing::Test {
protected:
  Range take(const void *owner, uint32_t count, uint32_t ringHead = 0) {
    Range range;
    range.count = count;
    range.taken = m_ranges->take(owner, ringHead, range.count, range.first);
    return range;
  }
  /** Owners; only their addresses matter. */
  const void *owner(uint32_t i) const { return reinterpret_cast<const void *>(uintptr_t{i} + 1); }
  /** Takes ranges of one unit for `owner(1000 + i)` until there is none; returns their number. */
  uint32_t takeAll(uint32_t ringHead = 0) {
    uint32_t count = 0;
    while (take(owner(1000 + count), 1, ringHead).taken) count++;
    return count;
  }

  std::unique_ptr<HandleRanges> m_ranges = std::make_unique<HandleRanges>();
};

TEST_F(HandleRangesTest, AreOfAllHandlesFromE0000000ToEFFFFFFF) {
  for (const uint32_t handle : {0u, 1u, kFirst - 1, kLast + 1, UINT32_MAX}) EXPECT_FALSE(HandleRanges::covers(handle));
  for (const uint32_t handle : {kFirst, kFirst + 1, kLast}) {
    EXPECT_TRUE(HandleRanges::covers(handle));
    EXPECT_EQ(m_ranges->ownerOf(handle), nullptr);
  }
  EXPECT_EQ(takeAll(), kUnits);
  EXPECT_NE(m_ranges->ownerOf(kFirst), nullptr);
  EXPECT_NE(m_ranges->ownerOf(kLast), nullptr);
}

TEST_F(HandleRangesTest, HaveAtLeastWhatWasAskedAndLieApart) {
  std::map<uint32_t, Range> all;  // by the first handle
  uint32_t next = 0;
  for (const uint32_t asked : {1u, kUnit - 1, kUnit, kUnit + 1, 2 * kUnit, kMax - 1, kMax}) {
    const void *who = owner(next++);
    const Range range = take(who, asked);
    ASSERT_TRUE(range.taken) << asked;
    EXPECT_GE(range.count, asked);
    EXPECT_LT(range.count - asked, kUnit);
    EXPECT_EQ(range.count % kUnit, 0u);
    for (const auto &[first, other] : all) EXPECT_TRUE(range.last() < first || range.first > other.last());
    all[range.first] = range;
    EXPECT_EQ(m_ranges->ownerOf(range.first), who);
    EXPECT_EQ(m_ranges->ownerOf(range.last()), who);
  }
}

TEST_F(HandleRangesTest, AnOwnerMayHaveSeveralUpToItsLimit) {
  EXPECT_FALSE(take(owner(0), kMax + 1).taken);
  const Range first = take(owner(0), kMax / 2), second = take(owner(0), kMax / 4);
  ASSERT_TRUE(first.taken && second.taken);
  EXPECT_FALSE(take(owner(0), kMax / 4 + 1).taken) << "more than is left";
  EXPECT_TRUE(take(owner(0), kMax / 4).taken);
  EXPECT_FALSE(take(owner(0), 1).taken);
  EXPECT_TRUE(take(owner(1), kMax).taken) << "another one's limit is its own";
  m_ranges->give(owner(0), true, 0);
  for (const Range &range : {first, second}) {
    EXPECT_EQ(m_ranges->ownerOf(range.first), nullptr);
    EXPECT_EQ(m_ranges->ownerOf(range.last()), nullptr);
  }
  EXPECT_TRUE(take(owner(0), kMax).taken);
}

TEST_F(HandleRangesTest, ComeAgainAsLateAsPossible) {
  const Range first = take(owner(0), 1);
  m_ranges->give(owner(0), true, 0);
  for (uint32_t i = 1; i < kUnits; i++) {
    const Range next = take(owner(i), 1);
    ASSERT_TRUE(next.taken);
    ASSERT_NE(next.first, first.first) << i;
  }
  EXPECT_EQ(take(owner(kUnits), 1).first, first.first);
}

TEST_F(HandleRangesTest, AreWholeAlsoWhereTheCursorIsNearTheEnd) {
  ASSERT_EQ(takeAll(), kUnits);
  // One unit at the end, three at the start: there are no four consecutive ones.
  for (const uint32_t i : {0u, 1u, 2u, kUnits - 1}) m_ranges->give(owner(1000 + i), true, 0);
  EXPECT_FALSE(take(owner(0), kMax).taken);
  const Range three = take(owner(0), 3 * kUnit);
  ASSERT_TRUE(three.taken);
  EXPECT_EQ(three.first, kFirst);
  EXPECT_EQ(take(owner(1), 1).first, kLast - kUnit + 1);
}

// PRIV-15
TEST_F(HandleRangesTest, WaitForTheRingToPassWhatDestroysTheirHandles) {
  for (const uint32_t start : {100u, 0xFFFFFFFEu}) {  // indices of the ring wrap
    m_ranges = std::make_unique<HandleRanges>();
    ASSERT_EQ(takeAll(start), kUnits);
    m_ranges->give(owner(1000), true, start + 4);
    EXPECT_FALSE(take(owner(0), 1, start).taken);
    EXPECT_FALSE(take(owner(0), 1, start + 3).taken) << "the last of them has not run";
    EXPECT_TRUE(take(owner(0), 1, start + 4).taken);
  }
}

TEST_F(HandleRangesTest, OfAnOwnerWithLostEndsDoNotComeAgain) {
  ASSERT_EQ(takeAll(), kUnits);
  m_ranges->give(owner(1000), false, 0);
  EXPECT_FALSE(take(owner(0), 1, 1000).taken);
  m_ranges->ringEmptied(5, 5);
  EXPECT_FALSE(take(owner(0), 1).taken);
  m_ranges->deviceForgot();
  EXPECT_TRUE(take(owner(0), 1).taken) << "a reset of the device ends all handles";
}

TEST_F(HandleRangesTest, OfOwnersThatLiveThroughALossDoNotComeAgain) {
  ASSERT_EQ(takeAll(), kUnits);
  m_ranges->ringEmptied(7, 8);  // one submission was lost, and any owner may have sent it
  const Range none = take(owner(0), 1);
  EXPECT_FALSE(none.taken);
  m_ranges->give(owner(1000), true, 0);
  EXPECT_FALSE(take(owner(0), 1, 1000).taken);
  EXPECT_EQ(m_ranges->ownerOf(kFirst + kUnit), owner(1001)) << "and stay theirs while they live";
}

TEST_F(HandleRangesTest, OfOwnersThatLiveThroughAnEmptyRingsEndComeAgain) {
  ASSERT_EQ(takeAll(), kUnits);
  m_ranges->ringEmptied(8, 8);
  m_ranges->give(owner(1000), true, 0);
  EXPECT_TRUE(take(owner(0), 1, 0).taken);
}

TEST_F(HandleRangesTest, ThatWereLeavingWhenTheRingWasEmptiedAreFreeOrLost) {
  ASSERT_EQ(takeAll(), kUnits);
  m_ranges->give(owner(1000), true, 10);
  m_ranges->give(owner(1001), true, 11);
  m_ranges->ringEmptied(10, 12);  // the submissions that the second one's end depends on did not run
  EXPECT_EQ(take(owner(0), 1, 0).first, kFirst) << "the ring begins anew at 0";
  EXPECT_FALSE(take(owner(1), 1, 0).taken);
  m_ranges->deviceForgot();
  EXPECT_EQ(take(owner(1), 1, 0).first, kFirst + kUnit);
  EXPECT_FALSE(take(owner(2), 1, 0).taken) << "what lives keeps its range";
}

}  // namespace
