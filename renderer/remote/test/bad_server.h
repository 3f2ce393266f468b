// SPDX-License-Identifier: MIT
// A renderer's process that misbehaves, in a thread of a test or as a process: it answers as a server does,
// with frames, saves, questions about memory and all, and spoils some of that at random.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "renderer/base/mutex.h"
#include "renderer/remote/process.h"
#include "renderer/remote/test/hostile.h"

namespace aerogpu::remote::test {

/// What such a process holds: the other ends of what its client has (starter.h).
struct Seat {
  Descriptor control, life, handle;
  uint64_t seed = 0;
};

/// One life of it. One thread.
class BadServer {
public:
  /// `clock`: null in a process of its own. `percent`: how many of its deeds are bad ones.
  BadServer(Seat seat, QuickClock* clock, unsigned percent);
  /// Until it has ended itself, or was ended.
  void live();
  uint64_t deeds() const { return m_deeds; }

private:
  bool greets();
  bool killed();
  bool left() const;
  /// Does nothing until something comes, or it is killed.
  void rest();
  void sleep();
  void answerCall(const Message& call);
  void answerUrgent(const LineServer::Asked& call);
  void answerCreate();
  void answerSave();
  void finishOwed();
  void finish(uint64_t cookie, uint64_t fence);
  void done(std::span<const uint8_t> more = {});
  void emit(RingWriter& ring, uint32_t kind, std::vector<uint8_t> bytes);
  void askMemory();
  void writeMemory();
  /// One bad deed that needs no call.
  void misbehave();
  void flood();
  void report();

  Seat m_seat;
  QuickClock* const m_clock;
  const unsigned m_percent;
  Dice m_dice;
  std::unique_ptr<Channel> m_channel;
  RingReader m_calls;
  RingWriter m_replies, m_events;
  std::unique_ptr<LineServer> m_urgent;
  std::unique_ptr<LineCaller> m_memory;
  std::vector<uint8_t> m_parts;
  struct Owed {
    uint64_t cookie, fence;
  };
  std::deque<Owed> m_owed;  ///< submissions that it has not finished
  uint64_t m_deeds = 0;
  uint32_t m_failureStep = 1;
  uint64_t m_sequence = 0;
  bool m_hasRegions = false;
  bool m_ends = false;
  bool m_isStubborn = false;  ///< stays when it is told to end
  // Of what it says next.
  bool m_mutates = false, m_drops = false, m_repeats = false, m_mistakes = false;
};

/// Threads that live one life after another: Process::start() gets them from here.
class BadServers {
public:
  BadServers(QuickClock& clock, unsigned percent);
  ~BadServers();
  BadServers(const BadServers&) = delete;
  BadServers& operator=(const BadServers&) = delete;

  /// The seed of the next life.
  void setSeed(uint64_t seed) { m_seed = seed; }
  uint64_t deeds() const { return m_deeds.load(); }
  uint64_t lives() const { return m_lives.load(); }

private:
  static bool start(uint64_t untilNs, Started& started, std::string& error);
  void run();

  static inline BadServers* g_servers = nullptr;
  QuickClock& m_clock;
  const unsigned m_percent;
  std::atomic<uint64_t> m_seed{1};
  std::atomic<uint64_t> m_deeds{0}, m_lives{0};
  Mutex m_mutex;
  CondVar m_changed;
  std::deque<Seat> m_seats GUARDED_BY(m_mutex);
  bool m_ends GUARDED_BY(m_mutex) = false;
  std::thread m_threads[2];  ///< a move has two processes
};

}  // namespace aerogpu::remote::test
