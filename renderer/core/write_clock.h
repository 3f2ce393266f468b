// SPDX-License-Identifier: MIT
// Tells which contents changed since when: each write to a buffer or texture has a time of its own. A copy of
// an object is current while the object's time is the copy's. Render thread only.
#pragma once

#include <cstdint>

#include "renderer/core/gpu_objects.h"

namespace aerogpu::core {

class WriteClock {
public:
  /// Notes that the bytes of the resource may be about to change.
  void note(Resource& resource) { resource.written = ++m_now; }
  /// Returns the time of the newest write; 0: there was none.
  uint64_t now() const { return m_now; }

private:
  uint64_t m_now = 0;  ///< never goes back, so that no two writes have the same time
};

}  // namespace aerogpu::core
