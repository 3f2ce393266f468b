// SPDX-License-Identifier: MIT
// The server's side of the frames' memory: where the copy of each frame lies that the client has. The
// renderer's own frame stays with it, so that it counts as the guest's memory and keeps its GPU. A slot is
// free again when the client has given it back as often as it got it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "renderer/base/mutex.h"
#include "renderer/remote/channel.h"

namespace aerogpu::remote {

/// Any thread.
class FrameHeap {
public:
  /// Refers to `channel`, which outlives it.
  explicit FrameHeap(const Channel& channel) : m_channel(channel) {}

  struct Place {
    uint32_t slot;
    uint64_t offset;
  };
  /// Copies a frame to a slot of its own; nothing if there is no room. The frame stays until takeBack().
  std::optional<Place> give(aerogpu_frame* frame) EXCLUDES(m_mutex);
  /// Returns the frames that the client has given back since the last call. Quick if there are none.
  std::vector<aerogpu_frame*> takeBack() EXCLUDES(m_mutex);
  /// Returns the frames that are left when the client has ended.
  std::vector<aerogpu_frame*> takeAll() EXCLUDES(m_mutex);

private:
  struct Out {
    aerogpu_frame* frame;
    uint64_t offset;
  };

  const Channel& m_channel;
  Mutex m_mutex;
  uint32_t m_seenBack GUARDED_BY(m_mutex) = 0;
  std::array<uint32_t, kFrameSlots> m_given GUARDED_BY(m_mutex){};  ///< how often
  std::map<uint64_t, uint64_t> m_used GUARDED_BY(m_mutex);          ///< offset: bytes
  std::map<uint32_t, Out> m_out GUARDED_BY(m_mutex);                ///< by slot
};

}  // namespace aerogpu::remote
