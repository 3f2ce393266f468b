// SPDX-License-Identifier: MIT
// A process that is made ready beside the renderer's, and takes its place in a move
// (aerogpu_renderer_prepare_move()): its GPU is open and has the pipelines that the guest used lately, so the
// guest waits for its contents alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "renderer/base/log.h"
#include "renderer/base/mutex.h"
#include "renderer/remote/protocol.h"
#include "renderer/remote/session.h"

namespace aerogpu::remote {

/// Render thread only, but where it says otherwise.
class Successor {
public:
  /// Starts a process. Null and a message on failure.
  using Begin =
      std::function<std::shared_ptr<Session>(const Packer& config, Created& made, std::string& error)>;

  explicit Successor(Log& log) : m_log(log) {}
  ~Successor() { drop(); }
  Successor(const Successor&) = delete;
  Successor& operator=(const Successor&) = delete;

  /// Makes one ready in a thread, which calls `begin`; there is none. `draws`: a file as far as a
  /// save has begun it, whose draws are done in the new process.
  void prepare(Begin begin, Packer config, std::vector<uint8_t> draws) EXCLUDES(m_mutex);
  /// Ends it; one that opens its GPU ends after that.
  void drop() EXCLUDES(m_mutex);
  /// Waits until it is ready, and gives it away if it has this configuration and lives; null if not. It has
  /// begun a load, which the same file from its beginning goes on with.
  std::shared_ptr<Session> take(const Packer& config, Created& made) EXCLUDES(m_mutex);
  /// Tells how far it is. Any thread.
  void read(aerogpu_renderer_process& out) const EXCLUDES(m_mutex);

private:
  void run(const Begin& begin, const std::vector<uint8_t>& draws) EXCLUDES(m_mutex);
  void wait();

  Log& m_log;
  std::thread m_thread;
  Packer m_config;
  Created m_made;  ///< the thread's while it runs

  mutable Mutex m_mutex;
  enum aerogpu_renderer_next m_state GUARDED_BY(m_mutex) = AEROGPU_RENDERER_NEXT_NONE;
  std::string m_failure GUARDED_BY(m_mutex);
  uint64_t m_pipelines GUARDED_BY(m_mutex) = 0;
  bool m_dropped GUARDED_BY(m_mutex) = false;
  std::shared_ptr<Session> m_session GUARDED_BY(m_mutex);
};

}  // namespace aerogpu::remote
