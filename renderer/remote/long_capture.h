// SPDX-License-Identifier: MIT
// A capture that goes on while processes follow each other: each writes a file of its own, the first one that
// was named, the others the same with .2, .3 and so on.
#pragma once

#include <cstdint>
#include <string>

#include "renderer/base/log.h"
#include "renderer/base/result.h"
#include "renderer/remote/session.h"

namespace aerogpu::remote {

/// Render thread only.
class LongCapture {
public:
  /// Begins with the file `path`; one that goes on is ended before.
  Outcome start(Session& session, const std::string& path);
  /// Ends it. A message if the newest file could not be written, or has no end because its process died.
  Outcome stop(Session& session);
  /// Ends the file of a process that another one follows.
  void leave(Session& session, Log& log);
  /// Begins the next file in the process that follows, if a capture goes on.
  void follow(Session& session, Log& log);

private:
  Outcome begin(Session& session);
  Outcome endFile(Session& session);
  /// The newest file's.
  std::string path() const;
  /// What is said of it if its process died.
  std::string noEnd() const;

  std::string m_path;      ///< of the first file; empty: no capture goes on
  uint32_t m_files = 0;    ///< so far
  bool m_hasFile = false;  ///< one that was not ended
};

}  // namespace aerogpu::remote
