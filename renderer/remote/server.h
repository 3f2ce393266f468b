// SPDX-License-Identifier: MIT
// The renderer's process: takes the client's calls and plays them to a renderer of its own, until the client
// has ended.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "aerogpu/renderer.h"
#include "renderer/base/mutex.h"
#include "renderer/remote/channel.h"
#include "renderer/remote/frame_heap.h"
#include "renderer/remote/guest_regions.h"
#include "renderer/trace/recent.h"

namespace aerogpu::remote {

class Server {
public:
  explicit Server(std::unique_ptr<Channel> channel);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Serves until the client has ended, or says what no client says.
  void run();

private:
  struct Answer;
  bool create(Unpacker& from);
  bool serve(Call call, std::span<const uint8_t> bytes) EXCLUDES(m_mutex);
  /// Counts a submission or a snapshot.
  void begin();
  bool submit(Unpacker& from);
  void answer(const Answer& answer);
  Answer called(Call call, Unpacker& from);
  bool waitIdle(uint64_t timeoutNs);
  bool setRegions(std::span<const uint8_t> records);
  bool reply(Reply kind, std::initializer_list<std::span<const uint8_t>> parts);
  void packCreated(Packer& to) const;
  aerogpu_bytes_sink sink();
  void noteProgress() const;
  /// Tells the client whether the GPU is lost.
  void noteLoss() const;
  /// Limits the files that the driver, which is not loaded yet, can reach. False and a message on failure.
  bool limitDriver(const aerogpu_renderer_config& config, std::string& error);
  /// Limits the calls of the driver, which has started.
  bool limitCalls();
  void tellRefusals();
  /// Takes the files that were sent before the call.
  bool takeFiles(std::vector<Descriptor>& files) const;
  Outcome startCapture(const std::string& path);

  void releaseFrames();

  /// Sends the file of the newest submissions to the client.
  class FailurePieces final : public trace::Recent::Place {
  public:
    explicit FailurePieces(Server& server) : m_server(server) {}
    bool begin() override;
    bool add(std::span<const uint8_t> bytes) override;
    void end(bool whole, uint32_t count, const std::string& why) override;

  private:
    void sendPiece();
    Server& m_server;
    std::vector<uint8_t> m_piece;
  };

  void serveUrgent();
  void answerUrgent(const LineServer::Asked& call) EXCLUDES(m_mutex);

  void finished(const aerogpu_submission_result& result);
  void log(enum aerogpu_log_level level, const char* line);
  void post(Event kind, std::initializer_list<std::span<const uint8_t>> parts, bool wakes = true)
      EXCLUDES(m_eventsMutex);

  size_t waitingSpaces(uint32_t* spaces, size_t room) {
    return m_memory.waitingSpaces(m_taken.load(std::memory_order_relaxed), spaces, room);
  }

  const std::unique_ptr<Channel> m_channel;
  FrameHeap m_frames;
  GuestRegions m_memory;
  RingReader m_calls;
  RingWriter m_replies;
  /// Of the renderer, for calls that must not run beside others; the client is to see to that, but is not
  /// believed.
  Mutex m_mutex;
  Mutex m_eventsMutex;
  RingWriter m_events GUARDED_BY(m_eventsMutex);
  LineServer m_urgent;
  std::thread m_urgentThread;
  aerogpu_renderer* m_renderer = nullptr;
  FailurePieces m_failures{*this};
  Rights m_rights;
  std::atomic<uint64_t> m_taken{0};       ///< submissions and snapshots, ever
  std::atomic<uint32_t> m_unfinished{0};  ///< and those that have not ended
  bool m_holdsValues = false;             ///< as the renderer was told
  std::atomic<bool> m_alone{false};       ///< the client has ended
  std::vector<uint8_t> m_parts;           ///< of the call that comes
  Message m_message;
};

}  // namespace aerogpu::remote
