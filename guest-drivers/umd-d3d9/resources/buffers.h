// SPDX-License-Identifier: MIT
// buffers.h: sends bytes of vertices and indices to the device: the changed parts of a buffer, and arrays that the
// program passes with a draw.
#pragma once

#include "guest-drivers/umd-common/submit/upload_memory.h"
#include "guest-drivers/umd-d3d9/resources/resource.h"

namespace aero {

/** Makes sure that the device has a buffer and its newest bytes. `begin`, `end`: the range that the draw reads, which
 * is sent anew if the buffer is in the runtime's memory. */
bool refreshBuffer(DeviceObjects &objects, UploadMemory &memory, BufferStore &buffer, uint32_t usage, uint64_t begin,
                   uint64_t end);

/** Replaces bytes in the current batch by those that a lock with D3DLOCK_NOOVERWRITE has written, as far as
 * `buffer.sent` has them: draws in the batch see the new bytes, as if they read the program's memory when they run.
 * Returns false unless that was the whole range; then the range must be sent as well. */
bool rewriteSent(UploadMemory &memory, const BufferStore &buffer, uint32_t begin, uint32_t end);

/** A ring buffer on the device for bytes that a draw brings along. Packets run in order, so a draw reads the bytes that
 * were sent last before it. The ring is long only to spare the device waits. */
class UploadRing {
public:
  /** Sends bytes, and sets `offset` (a multiple of 16) to their place in the ring. Returns false on failure. */
  bool place(DeviceObjects &objects, const void *source, uint32_t bytes, uint32_t &offset);
  uint32_t handle() const { return m_handle; }
  void destroy(DeviceObjects &objects) {
    objects.destroy<aerogpu_cmd_destroy_resource>(m_handle);
    m_size = m_head = 0;
  }

private:
  uint32_t m_handle = 0, m_size = 0, m_head = 0;
};

}  // namespace aero
