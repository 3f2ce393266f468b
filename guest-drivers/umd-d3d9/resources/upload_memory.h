// SPDX-License-Identifier: MIT
// upload_memory.h: memory through which large updates of buffers reach the device (docs/abi/updates.md): written once
// by the CPU, read once by the device, where bytes in a packet are copied by the kernel driver as well and fill the
// batch. One device's thread.
#pragma once

#include "guest-drivers/umd-d3d9/submit/wire.h"

namespace aero {

struct SentBytes;

class UploadMemory {
public:
  explicit UploadMemory(Wire &wire) : m_wire(wire) {}
  void destroy();

  /** What is worth a lock of memory; less is better carried by the packet. */
  static constexpr uint32_t kLeastBytes = 32768;

  /** Has the device take `bytes` bytes at `source`, which are read before this returns. `flags`:
   *  AEROGPU_EXT_UPDATE_*. Returns how many were sent; fewer when no memory is free, for this never waits. */
  uint32_t update(uint32_t buffer, uint32_t offset, const uint8_t *source, uint32_t bytes, uint32_t flags,
                  SentBytes &sent);
  /** Writes bytes where update() put others, in the batch that is still being filled. False: they cannot be reached. */
  bool rewrite(uint32_t chunk, uint32_t offset, const uint8_t *source, uint32_t bytes);

private:
  static constexpr uint32_t kChunks = 8, kChunkBytes = 1u << 20, kAlign = 64;

  struct Chunk {
    Allocation memory;
    uint32_t used = 0;  // of the batch that is being filled
  };

  Chunk *lockOne(uint32_t &bytes, void *&memory);
  bool lock(Chunk &chunk, void *&memory) const;

  Wire &m_wire;
  Chunk m_chunks[kChunks];
  uint32_t m_newest = 0;
};

}  // namespace aero
