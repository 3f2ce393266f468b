// SPDX-License-Identifier: MIT
// Test support of the hostile sides: dice that can be thrown again, a clock on which limits come at once, and
// what else a client and a server that misbehave have in common.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "renderer/remote/channel.h"
#include "renderer/remote/clock.h"

namespace aerogpu::remote::test {

/// Random numbers, of which those that a check may get wrong are likely.
class Dice {
public:
  explicit Dice(uint64_t seed) : m_engine(seed * 0x9E3779B97F4A7C15 + 1) {}

  uint64_t next() { return m_engine(); }
  /// Less than `count`, which is not 0.
  uint64_t below(uint64_t count) { return next() % count; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T, size_t N>
  const T& oneOf(const T (&choices)[N]) {
    return choices[below(N)];
  }
  /// A number near a limit of this code, or any one.
  uint64_t number();
  /// Changes one to three words of a message, or its length.
  void mutate(std::vector<uint8_t>& bytes);
  std::vector<uint8_t> bytes(size_t most);
  std::string text(size_t most);

private:
  std::mt19937_64 m_engine;
};

/// Time that goes on by 10 us with each look at it, and stands still while someone works, however long that
/// takes. While the other side is asleep, each wait goes on to its limit at once.
class QuickClock final : public TestClock {
public:
  /// `stuckMs`: if nothing comes for so long in real time, both sides wait, and the time goes on by a step;
  /// -1: it does not.
  explicit QuickClock(int stuckMs = -1);
  ~QuickClock() override;

  uint64_t nowNs() override;
  int poll(std::span<pollfd> polled, uint64_t untilNs) override;
  void wait(CondVar& changed, Mutex& mutex, uint64_t untilNs) REQUIRES(mutex) override;

  /// Someone of the other side does nothing until it says so again with false.
  void setAsleep(bool asleep);
  void advance(uint64_t ns) { m_now.fetch_add(ns, std::memory_order_relaxed); }
  /// Time in which the calling thread did not run, so that it saw no limit come, though it did not wait:
  /// others have let the time go on meanwhile.
  static uint64_t missedNs();
  /// The time, which does not go on for that.
  uint64_t peek() const { return m_now.load(std::memory_order_relaxed); }

private:
  std::atomic<uint64_t> m_now{uint64_t{1} << 40};
  std::atomic<int> m_asleep{0};  ///< how many are
  Mutex m_mutex;
  void goTo(uint64_t untilNs);

  const int m_stuckMs;
  Descriptor m_wakes;  ///< an eventfd, readable while it is asleep
};

/// Writes numbers to the words of a ring, a line, or both sides' words.
void spoilWords(const Channel& channel, Dice& dice, Channel::Area area);
/// Writes random bytes to a ring, a line's area or the staging.
void spoilBytes(const Channel& channel, Dice& dice, Channel::Area area);
/// Tries to cut or seal the shared memory; empties pages of it.
void spoilFiles(const Channel& channel, Dice& dice);
/// Takes O_NONBLOCK from the bells, fills them, takes what is in them, or closes one.
void spoilBells(Channel& channel, Dice& dice);
/// Sends datagrams with descriptors that nobody asked for.
void sendStrangers(int socket, Dice& dice);
/// Does one of these.
void spoil(Channel& channel, Dice& dice);

/// True if the other end of the socket has been closed or shut down.
bool hungUp(int socket);

/// Memory of a guest in a sealed file, from kGuestBase on.
inline constexpr uint64_t kGuestBase = 0x100000, kGuestBytes = 0x100000;

/// How many rounds a test plays: AEROGPU_TEST_ROUNDS, or `otherwise`; and the first seed: AEROGPU_TEST_SEED.
uint64_t rounds(const char* name, uint64_t otherwise);
uint64_t firstSeed();

/// Ends this program, with the seed, if a round takes longer than this in real time.
class Watchdog {
public:
  explicit Watchdog(const char* test);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  void begin(uint64_t seed, uint64_t round);

private:
  const char* const m_test;
};

/// Bytes of real memory that this process has (proc(5): statm).
uint64_t residentBytes();
size_t countIn(const char* folder);

}  // namespace aerogpu::remote::test
