// SPDX-License-Identifier: MIT
// Frames that the embedder has made, beside those that the back end captures: pictures from before a load.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "aerogpu/renderer.h"
#include "renderer/base/host_memory.h"
#include "renderer/base/mutex.h"

namespace aerogpu::core {

/// Returns the bytes of a row of pixels of a frame like this; 0 if none can be like that: its format is none
/// of frames, or its size is out of range.
uint64_t frameRowBytes(const aerogpu_frame& frame);

class MadeFrames {
public:
  MadeFrames(HostMemory& account, HostMemory& reserve) : m_account(account), m_reserve(reserve) {}

  /// Returns a frame with the size, format and pixels (or zeros) of `from`; null if none can be like that, or
  /// without room for it. Render thread.
  aerogpu_frame* make(const aerogpu_frame& from);
  /// Frees a frame; false if it is none of these. Any thread.
  bool release(const aerogpu_frame* frame);

private:
  struct Made : aerogpu_frame {
    HostMemoryCharge charge;
    std::vector<uint8_t> bytes;
  };
  HostMemory& m_account;
  HostMemory& m_reserve;
  Mutex m_mutex;
  std::map<const aerogpu_frame*, std::unique_ptr<Made>> m_frames GUARDED_BY(m_mutex);
};

}  // namespace aerogpu::core
