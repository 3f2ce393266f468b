// SPDX-License-Identifier: MIT
#include "testbed/kernel/core/clock.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <set>

namespace aerogpu::host {

/// A waiting thread, on whose stack this structure lies. Under s_clockMutex.
struct ClockWaiter {
  std::condition_variable wake;
  int64_t deadline;
  bool joined;
  bool woken = false, expired = false;
  std::list<ClockWaiter*>* among;  // waiters of the condition; null for a sleep
};

namespace {

int64_t readClock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}

// One lock for all waits, taken after the waiters' own. No other function is called under it.
std::mutex s_clockMutex;
std::condition_variable s_keeper;
std::set<std::pair<int64_t, ClockWaiter*>> s_deadlines;
std::atomic<int64_t> s_ahead{0};         // offset to the monotonic clock
std::atomic<int64_t> s_stopped{kNever};  // the time that a stopped clock shows
std::atomic<uint64_t> s_stops{0};        // odd while the two above change
std::atomic<bool> s_kept{false};
int s_awake;
uint64_t s_wakes;
bool s_kicked;
int64_t s_keeperDeadline = INT64_MIN;  // the keeper's deadline while it waits

/// Takes the thread off the clock when the thread ends.
struct Membership {
  bool joined = false;
  ~Membership() {
    if (joined) clockLeave();
  }
};
thread_local Membership t_membership;

void wake(ClockWaiter& waiter) {
  if (waiter.woken) return;
  waiter.woken = true;
  if (waiter.deadline != kNever) s_deadlines.erase({waiter.deadline, &waiter});
  if (waiter.among) waiter.among->remove(&waiter);
  if (waiter.joined) ++s_awake;
  ++s_wakes;
  waiter.wake.notify_one();
}

/// Returns false if the deadline has passed. The caller holds s_clockMutex in `lock`.
bool sleep(std::unique_lock<std::mutex>& lock, ClockWaiter& waiter) {
  if (waiter.deadline != kNever) s_deadlines.insert({waiter.deadline, &waiter});
  if (waiter.joined) --s_awake;
  if (s_awake == 0 || waiter.deadline < s_keeperDeadline) s_keeper.notify_one();
  while (!waiter.woken) {
    if (s_kept || waiter.deadline == kNever) {
      waiter.wake.wait(lock);
      continue;
    }
    const int64_t left = waiter.deadline - clockNow();
    if (left > 0) {
      // Long waits are split into hours: the library's clock arithmetic must not overflow.
      waiter.wake.wait_for(lock, std::chrono::nanoseconds(std::min<int64_t>(left, 3'600'000'000'000)));
    } else {
      waiter.expired = true;
      wake(waiter);
    }
  }
  return !waiter.expired;
}

}  // namespace

// A clock that is read while it stops, or goes on, is read again: its time would go back.
int64_t clockNow() {
  for (;;) {
    const uint64_t stops = s_stops;
    const int64_t stopped = s_stopped;
    const int64_t now = stopped != kNever ? stopped : readClock(CLOCK_MONOTONIC) + s_ahead;
    if (stops % 2 == 0 && stops == s_stops) return now;
  }
}

int64_t clockTimeOfDay() {
  static const int64_t base = readClock(CLOCK_REALTIME) - clockNow();
  return s_kept ? base + clockNow() : readClock(CLOCK_REALTIME);
}

void clockSleepUntil(int64_t deadline) {
  std::unique_lock lock(s_clockMutex);
  if (deadline <= clockNow()) return;
  ClockWaiter waiter{{}, deadline, t_membership.joined, false, false, nullptr};
  sleep(lock, waiter);
}

void clockJoin() {
  if (t_membership.joined) return;
  t_membership.joined = true;
  std::lock_guard lock(s_clockMutex);
  ++s_awake;
  ++s_wakes;
}

void clockLeave() {
  if (!t_membership.joined) return;
  t_membership.joined = false;
  std::lock_guard lock(s_clockMutex);
  if (--s_awake == 0) s_keeper.notify_one();
}

ClockPause::ClockPause() : m_joined(t_membership.joined) {
  clockLeave();
}

ClockPause::~ClockPause() {
  if (m_joined) clockJoin();
}

bool ClockCondition::wait(std::unique_lock<std::mutex>& lock, int64_t deadline) {
  std::unique_lock all(s_clockMutex);
  if (deadline <= clockNow()) return false;
  ClockWaiter waiter{{}, deadline, t_membership.joined, false, false, &m_waiters};
  m_waiters.push_back(&waiter);
  lock.unlock();
  const bool notified = sleep(all, waiter);
  all.unlock();
  lock.lock();
  return notified;
}

void ClockCondition::notifyAll() {
  std::lock_guard lock(s_clockMutex);
  while (!m_waiters.empty()) wake(*m_waiters.front());
}

void clockTakeOver(int64_t now) {
  std::lock_guard lock(s_clockMutex);
  s_ahead = now - readClock(CLOCK_MONOTONIC);
  clockTimeOfDay();
  s_kept = true;
}

ClockState clockState() {
  std::lock_guard lock(s_clockMutex);
  return {s_awake == 0, s_wakes, s_deadlines.empty() ? kNever : s_deadlines.begin()->first};
}

bool clockJump(const ClockState& state, int64_t target) {
  std::lock_guard lock(s_clockMutex);
  if (s_awake != 0 || s_wakes != state.wakes) return false;
  const int64_t now = clockNow();
  if (target > now) s_ahead += target - now;
  return true;
}

void clockStop() {
  std::lock_guard lock(s_clockMutex);
  ++s_stops;
  s_stopped = readClock(CLOCK_MONOTONIC) + s_ahead;
  ++s_stops;
}

void clockGo() {
  std::lock_guard lock(s_clockMutex);
  ++s_stops;
  s_ahead = s_stopped - readClock(CLOCK_MONOTONIC);
  s_stopped = kNever;
  ++s_stops;
}

void clockExpire() {
  std::lock_guard lock(s_clockMutex);
  const int64_t now = clockNow();
  while (!s_deadlines.empty() && s_deadlines.begin()->first <= now) {
    ClockWaiter& waiter = *s_deadlines.begin()->second;
    waiter.expired = true;
    wake(waiter);
  }
}

void clockKeeperWait(int64_t deadline) {
  std::unique_lock lock(s_clockMutex);
  if (!s_deadlines.empty()) deadline = std::min(deadline, s_deadlines.begin()->first);
  const int64_t left = deadline - clockNow();
  if (left <= 0 || s_kicked) {
    s_kicked = false;
    return;
  }
  s_keeperDeadline = deadline;
  s_keeper.wait_for(lock, std::chrono::nanoseconds(std::min<int64_t>(left, 3'600'000'000'000)));
  s_keeperDeadline = INT64_MIN;
  s_kicked = false;
}

void clockKick() {
  std::lock_guard lock(s_clockMutex);
  s_kicked = true;
  s_keeper.notify_one();
}

}  // namespace aerogpu::host
