// SPDX-License-Identifier: MIT
// How one process wakes the other: a word in shared memory says whether the other one sleeps, and only then a
// byte is sent, which costs a system call. The words are hints: whatever the other side writes there, a wait
// ends at its limit. Each side has its own end of a pair of sockets: an eventfd would be one for both, so
// that the other side could take what was to wake this one, or have it block (O_NONBLOCK belongs to the
// file).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "renderer/remote/clock.h"
#include "renderer/remote/shared_memory.h"

namespace aerogpu::remote {

enum class Woken {
  Ready,
  Late,  ///< the limit has come
  Gone,  ///< the other side has ended
};

/// One side's end of a doorbell: the side that sleeps waits, the other one rings.
class Doorbell {
public:
  Doorbell() = default;
  /// `asleep` lies in shared memory; `event` is this side's end of a pair of stream sockets; `life` a socket
  /// that hangs up when the other side ends, whose owner outlives this. `other`: the other end, for a side
  /// that wakes itself too.
  Doorbell(std::atomic<uint32_t>& asleep, Descriptor event, int life, Descriptor other = {})
      : m_asleep(&asleep), m_event(std::move(event)), m_other(std::move(other)), m_life(life) {}

  /// Wakes the other side, if it sleeps. Any thread. Call it after the write that it waits for.
  void ring() const {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (m_asleep->load(std::memory_order_relaxed) != 0) wake(m_event);
  }

  /// Waits until `ready()`, which is cheap, is true. `untilNs`: time of nowNs(). One thread. Polls at first:
  /// the answer to a short call comes sooner than a sleep begins. Not so without `polls`: then others do.
  template <class Ready>
  Woken wait(uint64_t untilNs, Ready ready, bool polls = true) {
    if (ready()) return Woken::Ready;
    for (const uint64_t begin = nowNs(); polls && nowNs() - begin < m_pollNs;) {
      if (looks(ready)) {
        m_pollNs = kPollNs;
        return Woken::Ready;
      }
      yieldTurn();
    }
    m_pollNs = 0;  // what comes after a sleep may be far from the next one
    for (;;) {
      m_asleep->store(1, std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      std::optional<Woken> end;
      if (ready())
        end = Woken::Ready;
      else
        end = sleep(untilNs);
      m_asleep->store(0, std::memory_order_relaxed);
      if (!end) continue;
      if (*end != Woken::Late && ready()) end = Woken::Ready;  // said before it ended
      if (*end == Woken::Ready) m_pollNs = kPollNs;
      return *end;
    }
  }

  /// From here to endPolling() another thread of this side polls in place of the one that waits, and the
  /// other side need not wake anyone. Call it before what the other side is to answer.
  void beginPolling() { m_asleep->store(0, std::memory_order_relaxed); }
  /// Polls until `ready()`, without a sleep; false at the limit.
  template <class Ready>
  bool poll(uint64_t untilNs, Ready ready) {
    for (;;) {
      if (looks(ready)) return true;
      if (nowNs() >= untilNs) return false;
      // The thread that waits may have gone to sleep meanwhile.
      if (m_asleep->load(std::memory_order_relaxed) != 0) beginPolling();
    }
  }
  /// Wakes the thread that waits if `left()` says that something is left for it.
  template <class Left>
  void endPolling(Left left) {
    m_asleep->store(1, std::memory_order_relaxed);  // or so it may be
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (left()) wakeOwn();
  }
  /// Wakes this side's own thread.
  void wakeOwn() const { wake(m_other); }

  static constexpr uint64_t kPollNs = 100'000;

private:
  /// About a microsecond of looks, as long as the system call takes that follows.
  template <class Ready>
  static bool looks(Ready& ready) {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return true;
      relax();
    }
    return false;
  }
  static void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  static void yieldTurn();
  /// Does not wait, whatever the other side has made of the socket: if it is full, someone is awake.
  static void wake(const Descriptor& end);
  /// Nothing: look again.
  std::optional<Woken> sleep(uint64_t untilNs) const;

  std::atomic<uint32_t>* m_asleep = nullptr;
  Descriptor m_event, m_other;
  int m_life = -1;
  uint64_t m_pollNs = kPollNs;
};

}  // namespace aerogpu::remote
