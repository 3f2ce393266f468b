// SPDX-License-Identifier: MIT
// buffers.h: sends bytes of vertices and indices to the device: the changed parts of a buffer, and arrays that the
// program passes with a draw.
#pragma once

#include "guest-drivers/umd-d3d9/resources/resource.h"
#include "guest-drivers/umd-d3d9/resources/upload_memory.h"

namespace aero {

/** Sends `bytes` bytes at `source` to a buffer of the device, in as many packets as it takes. `sent`: where the last
 * ones are. */
bool uploadBytes(DeviceObjects &objects, uint32_t buffer, uint32_t offset, const uint8_t *source, uint32_t bytes,
                 SentBytes *sent = nullptr);

/** Makes sure that the device has a buffer and its newest bytes. `begin`, `end`: the range that the draw reads,
 * which matters for the runtime's memory. */
bool refreshBuffer(DeviceObjects &objects, UploadMemory &memory, BufferStore &buffer, uint32_t usage, uint64_t begin,
                   uint64_t end);

/** Replaces bytes that are already under way by those that a lock has written under the promise that no draw reads
 * them: draws that wait in the batch see them, as if they read the memory when they run. Returns false if all of it
 * still has to be sent. */
bool rewriteSent(UploadMemory &memory, const BufferStore &buffer, uint32_t begin, uint32_t end);

/** A ring buffer on the device through which bytes are written. Packets run in order, so a draw reads the bytes that
 * were sent last before it; the ring only spares the device waits. */
class UploadRing {
public:
  /** Sends bytes; returns false without room. `offset` is where they are, a multiple of 16. */
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
