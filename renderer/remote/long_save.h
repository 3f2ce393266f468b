// SPDX-License-Identifier: MIT
// A save that goes on while the guest does (aerogpu_renderer_save_begin), through processes that may die
// meanwhile: each one that follows begins the file again, and what the one before has sent is void for
// whoever loads it (snapshot/load.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/interface/object.h"
#include "renderer/remote/session.h"

namespace aerogpu::remote {

/// Render thread only.
class LongSave {
public:
  /// Begins; a save that went on is dropped. What fails here fails again with the next call.
  void begin(const std::shared_ptr<Session>& session, const aerogpu_bytes_sink& sink);
  /// Sends contents; nothing, and none are left, while there is no process. A message if no save goes on, or
  /// the sink refuses bytes; none goes on then.
  Result<SaveLeft, std::string> ahead(const std::shared_ptr<Session>& session, uint64_t budgetBytes);
  Outcome end(const std::shared_ptr<Session>& session);
  void cancel(const std::shared_ptr<Session>& session);
  bool goesOn() const { return m_goesOn; }

private:
  /// A call whose bytes go to the sink once all of them are there: none of a record that is not whole.
  CallEnd step(Session& session, Call call, std::initializer_list<std::span<const uint8_t>> parts);
  /// Begins in the process that there is now, if the save began in another one.
  Outcome follow(const std::shared_ptr<Session>& session);

  aerogpu_bytes_sink m_sink{};
  bool m_goesOn = false;
  std::weak_ptr<Session> m_saver;  ///< in which the file began
  std::vector<uint8_t> m_bytes;    ///< of the step
};

}  // namespace aerogpu::remote
