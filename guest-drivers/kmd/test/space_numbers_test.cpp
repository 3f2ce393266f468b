// SPDX-License-Identifier: MIT
// Tests the numbers of handle spaces: no two spaces have the same number at once, and no number is reused while the
// packet that ends its old space may not have run.
#include "guest-drivers/kmd/logic/space_numbers.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace aero {
namespace {

using Taker = SpaceNumbers::Taker;

TEST(SpaceNumbers, AsManyAsTheDeviceTakesAndNoneIsZero) {
  SpaceNumbers numbers;
  numbers.start(100, 0);
  std::set<uint32_t> taken;
  for (int i = 0; i < 100; i++) {
    const uint32_t number = numbers.take(Taker::System);
    EXPECT_NE(number, 0u);
    EXPECT_TRUE(taken.insert(number).second);
  }
  EXPECT_EQ(numbers.take(Taker::System), 0u);
  numbers.give(*taken.begin());
  const uint32_t again = numbers.take(Taker::System);
  EXPECT_NE(again, 0u);
  EXPECT_FALSE(taken.count(again)) << "the end of the one before may not have run";
  EXPECT_EQ(SpaceNumbers::placeOf(again), SpaceNumbers::placeOf(*taken.begin()));
  EXPECT_EQ(numbers.take(Taker::System), 0u);
}

// SPACE-24
TEST(SpaceNumbers, SomeAreKeptForWhoComesLate) {
  SpaceNumbers numbers;
  numbers.start(SpaceNumbers::kPlaces - 1, 3);
  std::vector<uint32_t> greedy;
  while (const uint32_t number = numbers.take(Taker::SameProcess)) greedy.push_back(number);
  uint32_t first = 0, system = 0;
  while (numbers.take(Taker::NewProcess)) first++;
  while (numbers.take(Taker::System)) system++;
  EXPECT_EQ(first, 511u);
  EXPECT_EQ(system, 63u);
  EXPECT_EQ(greedy.size() + first + system, SpaceNumbers::kPlaces - 1);
  numbers.give(greedy.back());
  numbers.give(greedy.back());  // frees one place, not two
  EXPECT_EQ(numbers.take(Taker::SameProcess), 0u);
  EXPECT_EQ(numbers.take(Taker::NewProcess), 0u) << "the system's come first";
  EXPECT_NE(numbers.take(Taker::System), 0u);
  EXPECT_EQ(numbers.take(Taker::System), 0u);
}

TEST(SpaceNumbers, MoreThanThereArePlacesIsCut) {
  SpaceNumbers numbers;
  numbers.start(1u << 20, 7);
  uint32_t count = 0;
  while (numbers.take(Taker::System)) count++;
  EXPECT_EQ(count, SpaceNumbers::kPlaces - 1);
}

TEST(SpaceNumbers, ANumberComesAgainAfterAllRoundsOnly) {
  SpaceNumbers numbers;
  numbers.start(2, 5);
  const uint32_t lives = numbers.take(Taker::System), first = numbers.take(Taker::System);
  numbers.give(first);
  for (uint32_t i = 1; i < SpaceNumbers::kRounds; i++) {
    const uint32_t number = numbers.take(Taker::System);
    ASSERT_NE(number, first) << i;
    ASSERT_NE(number, lives) << i;
    ASSERT_NE(number, 0u);
    numbers.give(number);
  }
  EXPECT_EQ(numbers.take(Taker::System), first);
}

TEST(SpaceNumbers, AnotherStartGoesOn) {
  SpaceNumbers numbers;
  numbers.start(10, 3);
  const uint32_t before = numbers.take(Taker::System);
  numbers.give(before);
  numbers.start(10, 3);
  EXPECT_NE(numbers.take(Taker::System), before);
  numbers.give(0);
}

}  // namespace
}  // namespace aero
