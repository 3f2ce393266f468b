// SPDX-License-Identifier: MIT
#include "renderer/remote/long_capture.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace aerogpu::remote {

std::string LongCapture::path() const {
  return m_files < 2 ? m_path : m_path + "." + std::to_string(m_files);
}

std::string LongCapture::noEnd() const {
  return "'" + path() + "' has no end: the process that wrote it has ended";
}

Outcome LongCapture::begin(Session& session) {
  ++m_files;
  // The process has no right to make files: it gets this one.
  const Descriptor file(open(path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) return "cannot write '" + path() + "': " + std::strerror(errno);
  CallEnd done = session.startCapture(path().c_str(), file.get());
  m_hasFile = done.ok;
  if (!done.ok) return std::move(done.error);
  return {};
}

Outcome LongCapture::endFile(Session& session) {
  if (!std::exchange(m_hasFile, false)) return {};
  if (session.ended()) return noEnd();
  CallEnd done = session.call(Call::CaptureStop, {});
  if (!done.ok) return std::move(done.error);
  return {};
}

Outcome LongCapture::start(Session& session, const std::string& path) {
  // One that goes on may have the same file.
  if (auto stopped = stop(session); !stopped) return stopped;
  m_path = path;
  m_files = 0;
  Outcome begun = begin(session);
  if (!begun) m_path.clear();
  return begun;
}

Outcome LongCapture::stop(Session& session) {
  Outcome ended = endFile(session);
  m_path.clear();
  return ended;
}

void LongCapture::leave(Session& session, Log& log) {
  if (const Outcome ended = endFile(session); !ended)
    log.line(AEROGPU_LOG_ERROR, "capture: " + ended.error());
}

void LongCapture::follow(Session& session, Log& log) {
  if (m_path.empty()) return;
  if (std::exchange(m_hasFile, false)) log.line(AEROGPU_LOG_ERROR, "capture: " + noEnd());
  if (const Outcome begun = begin(session); !begun) {
    log.line(AEROGPU_LOG_ERROR, "capture: " + begun.error());
    m_path.clear();
    return;
  }
  log.line(AEROGPU_LOG_INFO, "capture: it goes on in '" + path() + "'");
}

}  // namespace aerogpu::remote
