// SPDX-License-Identifier: MIT
// Mutex, Lock and CondVar with clang's thread-safety annotations (std::mutex has none in libstdc++), and the
// annotation macros. Every class that two threads share uses them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define AEROGPU_TSA(x) __attribute__((x))
#else
#define AEROGPU_TSA(x)
#endif
#define CAPABILITY(name) AEROGPU_TSA(capability(name))
#define SCOPED_CAPABILITY AEROGPU_TSA(scoped_lockable)
#define GUARDED_BY(m) AEROGPU_TSA(guarded_by(m))
#define REQUIRES(...) AEROGPU_TSA(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) AEROGPU_TSA(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) AEROGPU_TSA(acquire_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) AEROGPU_TSA(try_acquire_capability(__VA_ARGS__))
#define RELEASE(...) AEROGPU_TSA(release_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS AEROGPU_TSA(no_thread_safety_analysis)

namespace aerogpu {

class CAPABILITY("mutex") Mutex {
public:
  void lock() ACQUIRE() { m_mutex.lock(); }
  /// False if another thread has it.
  bool tryLock() TRY_ACQUIRE(true) { return m_mutex.try_lock(); }
  void unlock() RELEASE() { m_mutex.unlock(); }

private:
  friend class CondVar;
  std::mutex m_mutex;
};

/// Holds a Mutex for a scope.
class SCOPED_CAPABILITY Lock {
public:
  explicit Lock(Mutex& mutex) ACQUIRE(mutex) : m_mutex(mutex) { m_mutex.lock(); }
  ~Lock() RELEASE() { m_mutex.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

private:
  Mutex& m_mutex;
};

/// A condition variable for Mutex. Waits can wake spuriously: call them in a loop over the condition.
class CondVar {
public:
  void notifyOne() { m_cond.notify_one(); }
  void notifyAll() { m_cond.notify_all(); }
  void wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.m_mutex, std::adopt_lock);
    m_cond.wait(lock);
    lock.release();
  }
  /// Returns false if `deadline` has passed.
  bool waitUntil(Mutex& mutex, std::chrono::steady_clock::time_point deadline) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.m_mutex, std::adopt_lock);
    const bool inTime = m_cond.wait_until(lock, deadline) == std::cv_status::no_timeout;
    lock.release();
    return inTime;
  }

private:
  std::condition_variable m_cond;
};

}  // namespace aerogpu
