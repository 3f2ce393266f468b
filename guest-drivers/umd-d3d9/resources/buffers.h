// SPDX-License-Identifier: MIT
// buffers.h: bytes of vertices and indices on their way to the device: what changed of a buffer, and arrays that the
// program hands over with a draw.
#pragma once

#include "guest-drivers/umd-d3d9/resources/resource.h"
#include "guest-drivers/umd-d3d9/resources/upload_memory.h"

namespace aero {

/** Sends `bytes` bytes at `source` to a buffer of the device, in as many packets as it takes. `sent`: where the last
 *  are. */
bool uploadBytes(Wire &wire, uint32_t buffer, uint32_t offset, const uint8_t *source, uint32_t bytes,
                 SentBytes *sent = nullptr);

/** Makes sure that the device has a buffer and its newest bytes. `begin`, `end`: what the draw reads, which counts for
 *  memory of the runtime's. */
bool refreshBuffer(Wire &wire, UploadMemory &memory, BufferStore &buffer, uint32_t usage, uint64_t begin, uint64_t end);

/** What a lock that promised that no draw reads them has written, in place of the bytes that are on their way already:
 *  draws that wait in the batch see it, as they would in memory that they read when they run. False where all of it
 * still has to be sent. */
bool rewriteSent(UploadMemory &memory, const BufferStore &buffer, uint32_t begin, uint32_t end);

/** A buffer of the device that bytes are written through, round and round. Packets run in order, so that a draw reads
 *  what was sent last before it; going round only spares the device from waiting. */
class UploadRing {
public:
  /** Sends bytes; false without room. `offset` is where they are, a multiple of 16. */
  bool place(Wire &wire, const void *source, uint32_t bytes, uint32_t &offset);
  uint32_t handle() const { return m_handle; }
  void destroy(Wire &wire) {
    wire.destroy<aerogpu_cmd_destroy_resource>(m_handle);
    m_size = m_head = 0;
  }

private:
  uint32_t m_handle = 0, m_size = 0, m_head = 0;
};

}  // namespace aero
