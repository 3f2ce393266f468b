// SPDX-License-Identifier: MIT
// Numbers of handle spaces: none twice at once, none again while its end may be on its way.
#include "space_numbers.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace aero {
namespace {

TEST(SpaceNumbers, AsManyAsTheDeviceTakesAndNoneIsZero) {
  SpaceNumbers numbers;
  numbers.start(100, 0);
  std::set<uint32_t> taken;
  for (int i = 0; i < 100; i++) {
    const uint32_t number = numbers.take();
    EXPECT_NE(number, 0u);
    EXPECT_TRUE(taken.insert(number).second);
  }
  EXPECT_EQ(numbers.take(), 0u);
  numbers.give(*taken.begin());
  const uint32_t again = numbers.take();
  EXPECT_NE(again, 0u);
  EXPECT_FALSE(taken.count(again)) << "the end of the one before may not have run";
  EXPECT_EQ(SpaceNumbers::placeOf(again), SpaceNumbers::placeOf(*taken.begin()));
  EXPECT_EQ(numbers.take(), 0u);
}

TEST(SpaceNumbers, MoreThanThereArePlacesIsCut) {
  SpaceNumbers numbers;
  numbers.start(1u << 20, 7);
  uint32_t count = 0;
  while (numbers.take()) count++;
  EXPECT_EQ(count, SpaceNumbers::kPlaces - 1);
}

TEST(SpaceNumbers, ANumberComesAgainAfterAllRoundsOnly) {
  SpaceNumbers numbers;
  numbers.start(2, 5);
  const uint32_t lives = numbers.take(), first = numbers.take();
  numbers.give(first);
  for (uint32_t i = 1; i < SpaceNumbers::kRounds; i++) {
    const uint32_t number = numbers.take();
    ASSERT_NE(number, first) << i;
    ASSERT_NE(number, lives) << i;
    ASSERT_NE(number, 0u);
    numbers.give(number);
  }
  EXPECT_EQ(numbers.take(), first);
}

TEST(SpaceNumbers, AnotherStartGoesOn) {
  SpaceNumbers numbers;
  numbers.start(10, 3);
  const uint32_t before = numbers.take();
  numbers.give(before);
  numbers.start(10, 3);
  EXPECT_NE(numbers.take(), before);
  numbers.give(0);
}

}  // namespace
}  // namespace aero
