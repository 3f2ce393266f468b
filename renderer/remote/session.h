// SPDX-License-Identifier: MIT
// One life of a renderer's process, as its client sees it: the calls to it, the thread that takes what comes
// by itself, and the thread that serves guest memory. When the process dies, says nothing for too long, or
// says what it must not, the session ends: every call fails, and every submission that is outstanding is
// finished with a lost GPU.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "renderer/base/log.h"
#include "renderer/base/mutex.h"
#include "renderer/remote/failure_trace.h"
#include "renderer/remote/process.h"
#include "renderer/remote/writes.h"

namespace aerogpu::remote {

/// A frame in the memory of a session, which lives as long as its frames.
struct SessionFrame : aerogpu_frame {
  std::shared_ptr<Channel> channel;
  uint32_t slot = 0;
};

/// What comes before the end of a call.
struct Meanwhile {
  std::function<bool(std::span<const uint8_t>)> bytes = {};  ///< for a sink; false: no more
};

/// The bytes of a save go to a sink.
inline Meanwhile into(const aerogpu_bytes_sink& sink) {
  return {
      [sink](std::span<const uint8_t> bytes) { return sink.write(sink.opaque, bytes.data(), bytes.size()); }};
}

/// The end of a call.
struct CallEnd {
  bool ok = false;
  std::string error;
  std::vector<uint8_t> more;
};

class Session {
public:
  struct Embedder {
    aerogpu_renderer_callbacks callbacks;
    void* opaque;
    Log* log;
    FailurePlace* failures;  ///< outlives the session
  };

  /// Starts a process and creates its renderer. `config`: packed by packConfig(). Null and a message on
  /// failure.
  static std::unique_ptr<Session> start(const std::string& program, const Embedder& embedder,
                                        std::span<const uint8_t> config, uint64_t frameBytes,
                                        Created& created, std::string& error);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Ends the process, gently, then not, and waits for the threads here, so none of these may call it. The
  /// first call counts; without one, the destructor does it.
  void close();

  uint32_t processId() const { return m_process->id(); }
  /// Milliseconds since 1970, UTC.
  int64_t sinceMs() const { return m_sinceMs; }
  /// Why it has ended, and when, as a time of nowNs(); empty if it was closed, or has not ended.
  struct Death {
    std::string why;
    uint64_t atNs = 0;
  };
  Death death() const EXCLUDES(m_mutex);
  bool ended() const { return m_ended.load(std::memory_order_acquire); }
  bool gpuLost() const;

  // Render thread.

  /// Sends a call that is not answered.
  void post(Call call, std::initializer_list<std::span<const uint8_t>> parts);
  /// Sends a submission or a snapshot, and waits for room among those under way; it is finished in every
  /// case. One that is alone and ends at once has ended when this returns. `space`: a submission's.
  void submit(uint64_t cookie, uint64_t signalFence, std::optional<uint32_t> space, Call call,
              std::initializer_list<std::span<const uint8_t>> parts) EXCLUDES(m_mutex, m_takeMutex);

  /// Sends a call and waits for its end; fails if the session ends.
  CallEnd call(Call call, std::initializer_list<std::span<const uint8_t>> parts,
               const Meanwhile& meanwhile = {});
  /// Tells the process which memory it may map. False if it cannot.
  bool setRegions(std::span<const RegionRecord> records, std::span<const int> files);
  /// Has the process capture into `file`, which is open and empty. `path`: for people.
  CallEnd startCapture(const char* path, int file);
  /// Waits until every outstanding submission is finished here too. False at the limit.
  bool waitIdle(uint64_t untilNs) EXCLUDES(m_mutex);

  // Any thread.

  /// Does not wait: the process looks at it with each call.
  void holdValues(bool hold) { m_channel->control().holdsValues.store(hold, std::memory_order_release); }
  /// False if the session has ended.
  bool urgent(const LineCall& call, uint64_t& result, std::vector<uint8_t>* answer = nullptr);

  /// Reads the counters of its renderer; leaves `out` as it is if the session has ended.
  void readStats(aerogpu_renderer_stats& out);

  static constexpr size_t kMaxInFlight = 64;
  /// How long a process that has something to do may be silent; tests shorten it.
  static inline std::atomic<uint64_t> silenceNs{kSilenceNs};
  /// How long one that makes progress may take for one submission, or for one answer: more than the renderer
  /// itself gives a guest's work. Calls with many bytes have kNsPerByte more for each (16 MiB/s).
  static inline std::atomic<uint64_t> patienceNs{120'000'000'000};
  static constexpr uint64_t kNsPerByte = 60;
  /// How long an urgent call may take, and the end of a process that was told to.
  static inline std::atomic<uint64_t> urgentNs{kUrgentNs}, farewellNs{3'000'000'000};
  /// A process that had nothing to do for longer is not looked at, so that an idle pair sleeps.
  static inline std::atomic<uint64_t> unwatchedNs{1'000'000'000};

private:
  /// What a call has taken so far of its patience.
  struct Taken {
    uint64_t sinceNs;       ///< moved on by what the embedder takes itself
    uint64_t bytes = 0;     ///< that have come and gone
    uint64_t streamed = 0;  ///< of a save
    Taken();
    bool tooLong() const;
  };

  Session(std::shared_ptr<Channel> channel, std::unique_ptr<Process> process, const Embedder& embedder);
  Sent send(Call call, std::initializer_list<std::span<const uint8_t>> parts, Taken& taken);
  /// Sends files that the next call is about. False if the process takes none.
  bool sendFiles(std::span<const int> files) const;
  /// Ends with one that has answered with nonsense, or has not answered.
  bool takeAnswer(const std::vector<uint8_t>& whole, CallEnd& done) const;
  /// Gives the bytes of a save on. False if it is none, or has no end.
  bool takeBytes(Taken& taken, const Meanwhile& meanwhile, bool& sinkTakes);
  /// What the events' thread knows of the server's progress.
  struct Watch {
    uint64_t seen = 0, sinceNs = 0, busyNs = 0;
    uint64_t finished = 0, finishedNs = 0;
    bool slept = false;  ///< it was not looked at
  };
  uint64_t watch(Watch& watch) EXCLUDES(m_mutex);
  uint64_t progress() const;
  /// True if it is the only one that is under way.
  bool expect(uint64_t cookie, uint64_t signalFence, std::optional<uint32_t> space) EXCLUDES(m_mutex);
  /// Takes the end of what was sent, if it comes at once.
  void takeSoon() EXCLUDES(m_mutex, m_takeMutex);
  bool isIdle() const EXCLUDES(m_mutex);
  void takeEvents() EXCLUDES(m_takeMutex);
  /// Takes the events that are there, but not without end; false after nonsense.
  bool takeThem() REQUIRES(m_takeMutex);
  void takeLeft() REQUIRES(m_takeMutex);
  bool takeFinished(std::span<const uint8_t> bytes);
  bool takeWrite(std::span<const uint8_t> bytes) REQUIRES(m_takeMutex);
  void announceWrite(uint64_t gpa, uint64_t size) const;
  void takeLog(std::span<const uint8_t> bytes) REQUIRES(m_takeMutex);
  std::unique_ptr<SessionFrame> frameOf(const FinishedEvent& event) const;
  void finishAll() EXCLUDES(m_mutex);
  void deliver(const aerogpu_submission_result& result);
  void serveMemory();
  /// Appends the handle spaces of what is under way after the first `taken` submissions of this session.
  void waitingSpaces(uint64_t taken, std::vector<uint32_t>& spaces, size_t most) const EXCLUDES(m_mutex);
  uint64_t answerMemory(const LineServer::Asked& call, std::vector<uint8_t>& answer) const;
  /// Ends the session; the first reason counts. Afterwards the process writes no memory any more.
  void end(std::string why) EXCLUDES(m_mutex);
  /// Waits for something of the server's, as long as it makes progress.
  template <class Try>
  auto patiently(const Taken& taken, Try attempt);

  const std::shared_ptr<Channel> m_channel;
  const std::unique_ptr<Process> m_process;
  const Embedder m_embedder;
  RingWriter m_calls;
  RingReader m_replies;
  RingReader m_events;
  LineCaller m_urgent;
  LineServer m_memory;
  Message m_message;           ///< render thread's
  const uint64_t m_mostSaved;  ///< bytes of one call
  const int64_t m_sinceMs;
  std::atomic<bool> m_ended{false};
  std::atomic<bool> m_leaves{false};    ///< destroyed: an end is no news
  std::atomic<bool> m_isNudged{false};  ///< the events' thread is to look at the server again
  std::atomic<uint64_t> m_seen{0};      ///< events and requests, as progress

  Mutex m_takeMutex;  ///< whoever has it takes events, and no one waits for it
  Message m_event GUARDED_BY(m_takeMutex);
  FailureTrace m_failures GUARDED_BY(m_takeMutex);
  Writes m_writes GUARDED_BY(m_takeMutex);
  uint64_t m_linesSinceNs GUARDED_BY(m_takeMutex) = 0;
  uint32_t m_lines GUARDED_BY(m_takeMutex) = 0;  ///< of the log since then

  struct Expected {
    uint64_t cookie, signalFence;
    std::optional<uint32_t> space;  ///< none: a snapshot
  };
  WritableMemory m_writable;
  mutable Mutex m_mutex;
  CondVar m_changed;
  std::deque<Expected> m_expected GUARDED_BY(m_mutex);
  uint64_t m_finished GUARDED_BY(m_mutex) = 0;     ///< as many were in m_expected before
  bool m_isUnwatched GUARDED_BY(m_mutex) = false;  ///< the events' thread sleeps until it is woken
  bool m_isDead GUARDED_BY(m_mutex) = false;       ///< the process, once the session has ended
  Death m_death GUARDED_BY(m_mutex);
  std::thread m_eventsThread, m_memoryThread;
};

}  // namespace aerogpu::remote
