// SPDX-License-Identifier: MIT
// The process that starts renderers' processes, as the embedder sees it. It is there before the embedder
// gives up its right to start programs, so that a renderer's process can be started, and started again,
// later. It reads no byte of a guest.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "renderer/base/mutex.h"
#include "renderer/remote/shared_memory.h"

namespace aerogpu::remote {

/// What a process is held by. It is ended when `life` is closed or shut down.
struct Started {
  Descriptor control;  ///< of the channel to come
  Descriptor life;
  Descriptor handle;  ///< a pidfd, to wait for the end
};

class Starter {
public:
  /// The one for the program aerogpu-renderer at `program` ("": where it is found), which is started if there
  /// is none, or if it has ended. Null and a message if it cannot run here. Any thread.
  static std::shared_ptr<Starter> of(const std::string& program, std::string& error);

  ~Starter() = default;
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;

  /// Starts a renderer's process, until `untilNs`. False and a message if there can be none. Any thread.
  bool start(uint64_t untilNs, Started& started, std::string& error) EXCLUDES(m_mutex);

private:
  Starter(Descriptor control, std::string program)
      : m_control(std::move(control)), m_program(std::move(program)) {}
  bool hasEnded() const;

  const Descriptor m_control;
  const std::string m_program;  ///< for messages
  Mutex m_mutex;                ///< one request at a time
};

/// Runs the program as the starter of others, until the embedder has ended.
void serveStarts(Descriptor control, const std::string& program);

}  // namespace aerogpu::remote
