// SPDX-License-Identifier: MIT
// Keyed mutexes as the server has them: keys, owners, waits that end, and opens that end before their owner
// gives back.
#include <gtest/gtest.h>

#include <thread>

#include "testbed/kmt/server/keyed_mutexes.h"
#include "testbed/kmt/status.h"

namespace aerogpu::host {
namespace {

using namespace std::chrono_literals;
constexpr auto kNoWait = 0ms;
constexpr auto kLong = 60s;  // what waits for it is woken before

struct Pair {
  KeyedMutexes all;
  uint32_t share = 0;
  std::shared_ptr<KmtKeyedMutex> first = all.create(0, share), second = all.open(share);
  uint64_t fence = 0;
};

TEST(KeyedMutexes, AreTakenWithTheKeyOfTheirRelease) {
  Pair p;
  ASSERT_TRUE(p.first && p.second);
  EXPECT_EQ(p.all.acquire(p.first, 1, kNoWait, p.fence), kmt::kStatusTimeout);
  EXPECT_EQ(p.all.acquire(p.first, 0, kNoWait, p.fence), kmt::kStatusSuccess);
  EXPECT_EQ(p.all.acquire(p.second, 0, kNoWait, p.fence), kmt::kStatusTimeout);
  EXPECT_EQ(p.all.release(*p.second, 0, 5), kmt::kStatusInvalidParameter);
  EXPECT_EQ(p.all.release(*p.first, UINT64_MAX, 5), kmt::kStatusSuccess);
  EXPECT_EQ(p.all.release(*p.first, 0, 6), kmt::kStatusInvalidParameter);
  EXPECT_EQ(p.all.acquire(p.second, 0, 5ms, p.fence), kmt::kStatusTimeout);
  EXPECT_EQ(p.all.acquire(p.second, UINT64_MAX, kNoWait, p.fence), kmt::kStatusSuccess);
  EXPECT_EQ(p.fence, 5u);
}

TEST(KeyedMutexes, AreNotTakenTwice) {
  Pair p;
  EXPECT_EQ(p.all.acquire(p.first, 0, kNoWait, p.fence), kmt::kStatusSuccess);
  EXPECT_EQ(p.all.acquire(p.first, 0, kLong, p.fence), kmt::kStatusInvalidParameter);
}

TEST(KeyedMutexes, WakeWhoWaitsForTheKey) {
  Pair p;
  auto third = p.all.open(p.share);
  EXPECT_EQ(p.all.acquire(p.first, 0, kNoWait, p.fence), kmt::kStatusSuccess);
  uint64_t fences[2] = {};
  NTSTATUS results[2] = {};
  std::thread one([&] { results[0] = p.all.acquire(p.second, 1, kLong, fences[0]); });
  std::thread two([&] { results[1] = p.all.acquire(third, 2, kLong, fences[1]); });
  EXPECT_EQ(p.all.release(*p.first, 2, 7), kmt::kStatusSuccess);
  two.join();
  EXPECT_EQ(p.all.release(*third, 1, 8), kmt::kStatusSuccess);
  one.join();
  EXPECT_EQ(results[0], kmt::kStatusSuccess);
  EXPECT_EQ(results[1], kmt::kStatusSuccess);
  EXPECT_EQ(fences[0], 8u);
  EXPECT_EQ(fences[1], 7u);
}

TEST(KeyedMutexes, AreAbandonedWhenTheirOwnerGoes) {
  Pair p;
  EXPECT_EQ(p.all.acquire(p.first, 0, kNoWait, p.fence), kmt::kStatusSuccess);
  NTSTATUS result = 0;
  std::thread waits([&] { result = p.all.acquire(p.second, 1, kLong, p.fence); });
  p.all.close(*p.first);
  waits.join();
  EXPECT_EQ(result, kmt::kStatusAbandoned);
  EXPECT_EQ(p.all.acquire(p.second, 0, kNoWait, p.fence), kmt::kStatusAbandoned);
  const auto later = p.all.open(p.share);
  ASSERT_TRUE(later);
  EXPECT_EQ(p.all.acquire(later, 0, kNoWait, p.fence), kmt::kStatusAbandoned);
}

TEST(KeyedMutexes, ThatNobodyOwnsAreNotAbandoned) {
  Pair p;
  p.all.close(*p.first);
  p.all.close(*p.first);
  EXPECT_EQ(p.all.acquire(p.second, 0, kNoWait, p.fence), kmt::kStatusSuccess);
}

TEST(KeyedMutexes, EndTheWaitOfAnOpenThatIsClosed) {
  Pair p;
  NTSTATUS result = 0;
  std::thread waits([&] { result = p.all.acquire(p.second, 1, kLong, p.fence); });
  p.all.close(*p.second);
  waits.join();
  EXPECT_EQ(result, kmt::kStatusInvalidHandle);
}

TEST(KeyedMutexes, EndWithTheirLastOpen) {
  Pair p;
  uint32_t other = 0;
  const auto another = p.all.create(9, other);
  EXPECT_NE(other, p.share);
  p.all.close(*p.first);
  EXPECT_EQ(p.all.count(), 2u);
  p.all.close(*p.second);
  EXPECT_EQ(p.all.count(), 1u);
  EXPECT_FALSE(p.all.open(p.share));
  EXPECT_FALSE(p.all.open(0));
}

}  // namespace
}  // namespace aerogpu::host
