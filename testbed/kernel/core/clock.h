// SPDX-License-Identifier: MIT
// The machine's time, and waiting for it. In a VM that is the kernel's monotonic clock. Where a keeper has
// taken over (a machine whose clock the host steps) it goes on as that does, and additionally jumps to the
// next moment that anybody waits for when nobody has anything to do before.
//
// "Nobody" needs to be known: a thread that has joined holds time back from jumping except while it waits in
// a function of this file, or has said with ClockPause that it waits elsewhere. Who is woken counts from the
// moment that wakes it, not from when the kernel lets it run.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>

namespace aerogpu::host {

inline constexpr int64_t kNever = INT64_MAX;

/// Nanoseconds of the machine's clock, which never goes back. Any thread.
int64_t clockNow();
/// The machine's time of day: nanoseconds since 1970.
int64_t clockTimeOfDay();
/// Waits until `deadline`.
void clockSleepUntil(int64_t deadline);

/// The calling thread may be at work: no jumps from now on. Until it ends, or leaves.
void clockJoin();
void clockLeave();

/// The calling thread waits for something that is not a ClockCondition, and does not hold time back
/// meanwhile.
class ClockPause {
public:
  ClockPause();
  ~ClockPause();
  ClockPause(const ClockPause&) = delete;
  ClockPause& operator=(const ClockPause&) = delete;

private:
  bool m_joined;
};

struct ClockWaiter;

/// A condition variable whose deadlines are the machine's.
class ClockCondition {
public:
  /// Waits with `lock` let go until notifyAll() or the deadline; false: the deadline has passed.
  bool wait(std::unique_lock<std::mutex>& lock, int64_t deadline = kNever);
  /// Waits until `done()`; false: not before the deadline.
  template <class Done>
  bool waitUntil(std::unique_lock<std::mutex>& lock, int64_t deadline, Done done) {
    while (!done())
      if (!wait(lock, deadline)) return done();
    return true;
  }
  /// Wakes all. What they wait for was changed under their mutex before.
  void notifyAll();

private:
  std::list<ClockWaiter*> m_waiters;
};

// For the keeper of a clock that the host steps.

/// From here on the clock is kept: it shows `now` at this moment, and goes on at the rate of the monotonic
/// clock.
void clockTakeOver(int64_t now);
struct ClockState {
  bool allWait;          // nobody who has joined is at work
  uint64_t wakes;        // grows when anybody is woken or joins
  int64_t nextDeadline;  // kNever: nobody has one
};
ClockState clockState();
/// Sets the clock forward to `target` unless somebody has been woken since `state`; false then.
bool clockJump(const ClockState& state, int64_t target);
/// Wakes whose deadline has come.
void clockExpire();
/// Sleeps until all wait, the next deadline comes, or `deadline`; perhaps less.
void clockKeeperWait(int64_t deadline);
/// Wakes the keeper. Any thread.
void clockKick();

}  // namespace aerogpu::host
