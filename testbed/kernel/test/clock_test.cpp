// SPDX-License-Identifier: MIT
// Tests a clock with a keeper: it jumps when all threads that have joined wait, and only then; a woken thread
// is busy from the moment that wakes it. These tests are the keeper.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "testbed/kernel/core/clock.h"

namespace aerogpu::host {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

class Clock : public testing::Test {
protected:
  static void SetUpTestSuite() { clockTakeOver(1000 * kSecond); }
  /// Returns the state once no thread is busy any more.
  static ClockState whenAllWait() {
    for (;;) {
      const ClockState state = clockState();
      if (state.allWait) return state;
      clockKeeperWait(clockNow() + kSecond / 1000);
    }
  }
};

TEST_F(Clock, BeginsWhereItIsSetAndGoesOn) {
  const int64_t first = clockNow();
  EXPECT_GE(first, 1000 * kSecond);
  while (clockNow() == first) {
  }
  EXPECT_GT(clockNow(), first);
}

TEST_F(Clock, StopsAndGoesOnFromThere) {
  std::atomic<bool> ends{false};
  // Others who read it meanwhile never see it go back.
  std::thread reader([&] {
    for (int64_t last = 0; !ends;) {
      const int64_t now = clockNow();
      EXPECT_GE(now, last);
      last = now;
    }
  });
  for (int i = 0; i < 20; ++i) {
    clockStop();
    const int64_t stopped = clockNow();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(clockNow(), stopped);
    clockGo();
    const int64_t now = clockNow();
    EXPECT_GE(now, stopped);
    EXPECT_LT(now, stopped + kSecond);
    while (clockNow() == now) {
    }
  }
  ends = true;
  reader.join();
}

TEST_F(Clock, ASleepEndsWithAJump) {
  const int64_t begin = clockNow(), deadline = begin + 3600 * kSecond;
  std::atomic<int64_t> woke{0};
  std::atomic<bool> started{false};
  std::thread sleeper([&] {
    clockJoin();
    started = true;
    clockSleepUntil(deadline);
    woke = clockNow();
  });
  while (!started) std::this_thread::yield();
  const ClockState state = whenAllWait();
  EXPECT_EQ(state.nextDeadline, deadline);
  EXPECT_EQ(woke, 0);
  const int64_t timeOfDay = clockTimeOfDay();
  ASSERT_TRUE(clockJump(state, state.nextDeadline));
  EXPECT_GE(clockNow(), deadline);
  EXPECT_GE(clockTimeOfDay() - timeOfDay, 3599 * kSecond);
  clockExpire();
  sleeper.join();
  EXPECT_GE(woke, deadline);
  EXPECT_LT(woke, deadline + 60 * kSecond);
}

TEST_F(Clock, WhoIsWokenIsAtWorkBeforeHeRuns) {
  std::mutex mutex;
  ClockCondition condition;
  bool go = false, timedOut = false;
  std::thread waiter([&] {
    clockJoin();
    std::unique_lock lock(mutex);
    timedOut = !condition.waitUntil(lock, clockNow() + 1000 * kSecond, [&] { return go; });
  });
  // The waiter joins and waits, and then has a deadline.
  while (clockState().nextDeadline == kNever) std::this_thread::yield();
  const ClockState state = whenAllWait();
  {
    std::unique_lock lock(mutex);  // it cannot come back from its wait as long as this is held
    go = true;
    condition.notifyAll();
    EXPECT_FALSE(clockState().allWait);
    EXPECT_EQ(clockState().nextDeadline, kNever);
    EXPECT_FALSE(clockJump(state, state.nextDeadline));
  }
  waiter.join();
  EXPECT_FALSE(timedOut);
}

TEST_F(Clock, DeadlinesExpireInTheirTurn) {
  std::mutex mutex;
  ClockCondition condition;
  std::atomic<int> expired{0};
  std::vector<std::thread> threads;
  const int64_t begin = clockNow();
  for (int i = 1; i <= 3; ++i)
    threads.emplace_back([&, i] {
      clockJoin();
      std::unique_lock lock(mutex);
      while (condition.wait(lock, begin + i * 1000 * kSecond)) {
      }
      ++expired;
    });
  for (int i = 1; i <= 3; ++i) {
    ClockState state = whenAllWait();
    while (state.nextDeadline != begin + i * 1000 * kSecond) state = whenAllWait();
    EXPECT_EQ(expired, i - 1);
    ASSERT_TRUE(clockJump(state, state.nextDeadline));
    clockExpire();
    while (expired != i) std::this_thread::yield();
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(clockState().allWait) << "threads that ended have left";
}

TEST_F(Clock, APauseLetsTimeJump) {
  clockJoin();
  EXPECT_FALSE(clockState().allWait);
  const uint64_t wakes = clockState().wakes;
  {
    const ClockPause pause;
    EXPECT_TRUE(clockState().allWait);
  }
  EXPECT_FALSE(clockState().allWait);
  EXPECT_GT(clockState().wakes, wakes);
  clockLeave();
  const ClockPause pause;  // without effect in a thread that has not joined
  EXPECT_TRUE(clockState().allWait);
}

TEST_F(Clock, AWaitThatIsOverBeforeItBeginsDoesNotWait) {
  std::mutex mutex;
  ClockCondition condition;
  std::unique_lock lock(mutex);
  EXPECT_FALSE(condition.wait(lock, clockNow() - 1));
  EXPECT_TRUE(lock.owns_lock());
  clockSleepUntil(clockNow() - 1);
}

}  // namespace
}  // namespace aerogpu::host
