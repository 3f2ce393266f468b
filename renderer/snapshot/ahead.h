// SPDX-License-Identifier: MIT
// Sends contents ahead of a snapshot, while the guest goes on: first what was written longest ago. The
// snapshot then brings only what was written since. Render thread only.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "renderer/base/result.h"
#include "renderer/core/submission.h"
#include "renderer/snapshot/inventory.h"
#include "renderer/snapshot/pieces.h"
#include "renderer/trace/writer.h"

namespace aerogpu::snapshot {

class Ahead {
public:
  /// Begins a snapshot in the file. What was written before now counts as rested. References outlive the
  /// object.
  Ahead(core::Submission& parts, trace::Writer& file);

  /// Bytes of contents that were not sent as they are now.
  struct Left {
    uint64_t rested = 0;   ///< can be sent
    uint64_t written = 0;  ///< is written so often that it is worth sending only once nothing runs
  };
  /// Begins a new span of time: what was not written in the one before counts as rested.
  void nextSpan();
  /// Sends some of what rested, at least a piece if there is one, and not much more than `budget` bytes.
  /// Waits for the GPU. Every submission is recorded. Backend if the GPU fails.
  Result<Left> send(uint64_t budget);
  /// Returns the keys of the contents' pieces, 0 where all is zero; null if they were not sent as they are
  /// now.
  const std::vector<uint64_t>* keysOf(const core::Resource& resource) const;
  /// Returns how many bytes were sent.
  uint64_t sentBytes() const { return m_sentBytes; }

private:
  struct Sent {
    uint64_t written = 0;  ///< Resource::written, as of the bytes
    bool whole = false;    ///< all pieces were sent
    std::vector<uint64_t> keys;
  };
  void forgetOld(const Inventory& all);
  void forget(const Sent& sent);
  /// Sends pieces of the object from the first one that was not sent, while the budget lasts.
  Result<void> sendObject(const core::Resource& resource, uint64_t& budget);

  core::Submission& m_parts;
  trace::Writer& m_file;
  uint64_t m_restedUntil, m_spanBegan;  ///< times of WriteClock
  std::unordered_map<const core::Resource*, Sent> m_sent;
  uint64_t m_nextKey = 1, m_keysKept = 0, m_sentBytes = 0;
};

}  // namespace aerogpu::snapshot
