// SPDX-License-Identifier: MIT
// upload_memory.h: memory through which large updates of buffers reach the device (docs/abi/updates.md): the CPU writes
// it once, the device reads it once. Bytes in a packet would also be copied by the kernel driver and fill the batch.
// The piece in use stays locked until the batch is submitted, so that an update costs no call of the kernel. Only one
// call of a device at a time uses it.
#pragma once

#include "guest-drivers/umd-common/submit/object_tools.h"

namespace aero {

/** The place of bytes of a buffer in a batch, where they can be changed until the batch is submitted. */
struct SentBytes {
  uint64_t batch = 0;  // Context::batch() at that time; 0: none
  uint32_t begin = 0, end = 0;
  uint8_t *packet = nullptr;       // in the batch; null: in UploadMemory
  uint32_t chunk = 0, offset = 0;  // position in UploadMemory

  bool meets(uint32_t from, uint32_t to) const { return from < end && begin < to; }
};

class UploadMemory {
public:
  explicit UploadMemory(ObjectTools &objects) : m_objects(objects) {}
  void destroy();

  /** The least that is worth a lock of memory; fewer bytes are better carried by the packet. */
  static constexpr uint32_t kLeastBytes = 32768;

  /** Makes the device take `bytes` bytes at `source`, which are read before this returns. `flags`:
   * AEROGPU_EXT_UPDATE_*. Returns how many were sent; fewer if no memory is free, because this never waits. */
  uint32_t update(uint32_t buffer, uint32_t offset, const uint8_t *source, uint32_t bytes, uint32_t flags,
                  SentBytes &sent);
  /** The most bytes of one place. */
  static constexpr uint32_t kMostBytes = 1u << 20;
  /** Bytes of upload memory, for packets that name them as their source. */
  struct Place {
    uint8_t *bytes = nullptr;
    uint32_t id = 0;  // alloc_id
    uint64_t offset = 0;
  };
  /** Finds a place for `bytes` bytes, lists its memory, and makes room for `packets` bytes of packets and `allocations`
   * more entries of the list. Waits for the device if it uses all memory. Returns false on failure; the context's error
   * says why. */
  bool place(uint32_t bytes, size_t packets, uint32_t allocations, Place &out);

  /** Overwrites bytes that update() put into the current batch. Returns false if the memory cannot be locked. */
  bool rewrite(uint32_t chunk, uint32_t offset, const uint8_t *source, uint32_t bytes);

private:
  static constexpr uint32_t kChunks = 8, kChunkBytes = kMostBytes, kAlign = 64;

  struct Chunk {
    Allocation memory;
    uint32_t used = 0;  // bytes used by the current batch
  };

  Chunk *lockOne(uint32_t &bytes, void *&memory);
  Chunk *lockOldest(void *&memory);
  static void advance(Chunk &chunk, uint32_t bytes);
  bool lock(const Chunk &chunk, void *&memory);

  ObjectTools &m_objects;
  Chunk m_chunks[kChunks];
  uint32_t m_newest = 0;
};

/** Sends `bytes` bytes at `source` to a buffer of the device, in as many packets as necessary. `sent` receives the
 * place of the last packet's bytes. */
bool uploadBytes(ObjectTools &objects, uint32_t buffer, uint32_t offset, const uint8_t *source, uint32_t bytes,
                 SentBytes *sent = nullptr);

}  // namespace aero
