// SPDX-License-Identifier: MIT
// The machine's time, and waiting for it. In a VM it is the kernel's monotonic clock. If a keeper has taken
// over (a machine whose clock the host steps) it advances like that clock, and also jumps to the next
// deadline when no thread has anything to do before it.
//
// A thread that has joined keeps time from jumping, except while it waits in a function of this file, or has
// declared with ClockPause that it waits elsewhere. A woken thread counts as busy from the moment that wakes
// it, not from when the kernel lets it run.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>

namespace aerogpu::host {

inline constexpr int64_t kNever = INT64_MAX;

/// Returns the machine's time in nanoseconds, which never goes back. Any thread.
int64_t clockNow();
/// Returns the machine's time of day: nanoseconds since 1970.
int64_t clockTimeOfDay();
/// Waits until `deadline`.
void clockSleepUntil(int64_t deadline);

/// The calling thread joins: it may be busy, so the clock does not jump, until it waits, leaves or ends.
void clockJoin();
void clockLeave();

/// While it lives, the calling thread waits for something other than a ClockCondition, and does not hold time
/// back.
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
  /// Releases `lock` and waits until notifyAll() or the deadline; returns false if the deadline has passed.
  bool wait(std::unique_lock<std::mutex>& lock, int64_t deadline = kNever);
  /// Waits until `done()`; returns false if it is not done at the deadline.
  template <class Done>
  bool waitUntil(std::unique_lock<std::mutex>& lock, int64_t deadline, Done done) {
    while (!done())
      if (!wait(lock, deadline)) return done();
    return true;
  }
  /// Wakes all waiters. The caller has changed what they wait for under their mutex before.
  void notifyAll();

private:
  std::list<ClockWaiter*> m_waiters;
};

// For the keeper of a clock that the host steps.

/// Keeps the clock from now on: it shows `now` at this moment, and advances at the rate of the monotonic
/// clock.
void clockTakeOver(int64_t now);
struct ClockState {
  bool allWait;          // no thread that has joined is busy
  uint64_t wakes;        // increases when a thread is woken or joins
  int64_t nextDeadline;  // kNever: no thread has one
};
ClockState clockState();
/// Sets the clock forward to `target`; returns false, without effect, if a thread has been woken since
/// `state`.
bool clockJump(const ClockState& state, int64_t target);
/// Wakes the threads whose deadline has come.
void clockExpire();
/// Stops the clock, and lets it go on from where it stopped: while the machine is saved and restored. Of the
/// keeper alone.
void clockStop();
void clockGo();
/// Sleeps until all wait, the next deadline comes, or `deadline`; may return early.
void clockKeeperWait(int64_t deadline);
/// Wakes the keeper. Any thread.
void clockKick();

}  // namespace aerogpu::host
