// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-common/submit/upload_memory.h"

#include "aerogpu/aerogpu_wddm_alloc.h"

namespace aero {

void UploadMemory::destroy() {
  for (Chunk &chunk : m_chunks) m_objects.context.release(chunk.memory);
}

/** Locks a chunk that the device does not use, or finds it locked. */
bool UploadMemory::lock(const Chunk &chunk, void *&memory) {
  Context &context = m_objects.context;
  memory = context.keptMemory(chunk.memory.handle);
  if (memory) return true;
  D3DDDICB_LOCKFLAGS flags = {};
  flags.WriteOnly = 1;
  flags.DonotWait = 1;
  if (failed(context.runtime().lock(chunk.memory.handle, flags, memory))) return false;
  context.keepLocked(chunk.memory.handle, memory);
  return true;
}

/** Returns locked memory that the device does not use; null if there is none. `bytes`: wanted, then what there is. */
UploadMemory::Chunk *UploadMemory::lockOne(uint32_t &bytes, void *&memory) {
  Context &context = m_objects.context;
  if (bytes > kChunkBytes) bytes = kChunkBytes;
  Chunk &newest = m_chunks[m_newest];
  // Appends after the bytes that this batch has written to it already; after a submission all of it is in use.
  if (newest.memory && context.isPending(newest.memory) && bytes <= kChunkBytes - newest.used && lock(newest, memory))
    return &newest;
  for (uint32_t i = 1; i <= kChunks; i++) {
    const uint32_t index = (m_newest + i) % kChunks;
    Chunk &chunk = m_chunks[index];
    if (!chunk.memory || context.isPending(chunk.memory) || !lock(chunk, memory)) continue;
    chunk.used = 0;
    m_newest = index;
    return &chunk;
  }
  for (uint32_t index = 0; index < kChunks; index++) {
    Chunk &chunk = m_chunks[index];
    if (chunk.memory) continue;
    AllocationRequest request;
    request.bytes = kChunkBytes;
    request.flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE | AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING;
    if (failed(allocate(context.runtime(), request, chunk.memory)) || !lock(chunk, memory)) return nullptr;
    chunk.used = 0;
    m_newest = index;
    return &chunk;
  }
  return nullptr;
}

uint32_t UploadMemory::update(uint32_t buffer, uint32_t offset, const uint8_t *source, uint32_t bytes, uint32_t flags,
                              SentBytes &sent) {
  Context &context = m_objects.context;
  uint32_t done = 0;
  while (done < bytes) {
    if (!context.ensure(sizeof(aerogpu_cmd_ext_update_buffer), 1)) break;
    uint32_t piece = bytes - done;
    void *memory = nullptr;
    Chunk *chunk = lockOne(piece, memory);
    if (!chunk) break;
    memcpy(static_cast<uint8_t *>(memory) + chunk->used, source + done, piece);
    context.use(chunk->memory, false);
    auto *packet = context.append<aerogpu_cmd_ext_update_buffer>();  // there is room for it
    packet->buffer = buffer;
    packet->flags = flags;
    packet->dst_offset_bytes = offset + done;
    packet->size_bytes = piece;
    packet->src_alloc_id = chunk->memory.id;
    packet->src_offset_bytes = chunk->used;
    sent = {context.batch(), offset + done, offset + done + piece, nullptr, m_newest, chunk->used};
    advance(*chunk, piece);
    done += piece;
    // The first packet has discarded the rest of the buffer.
    if (flags & AEROGPU_EXT_UPDATE_DISCARD) flags = AEROGPU_EXT_UPDATE_NO_OVERWRITE;
  }
  return done;
}

void UploadMemory::advance(Chunk &chunk, uint32_t bytes) {
  chunk.used =
      bytes < kChunkBytes - kAlign - chunk.used ? (chunk.used + bytes + kAlign - 1) & ~(kAlign - 1) : kChunkBytes;
}

/** Submits, and waits for the memory that was used the longest time ago. Returns null on failure. */
UploadMemory::Chunk *UploadMemory::lockOldest(void *&memory) {
  Context &context = m_objects.context;
  if (failed(context.submit())) return nullptr;
  for (uint32_t i = 1; i <= kChunks; i++) {
    const uint32_t index = (m_newest + i) % kChunks;
    Chunk &chunk = m_chunks[index];
    if (!chunk.memory) continue;
    D3DDDICB_LOCKFLAGS flags = {};
    flags.WriteOnly = 1;
    const HRESULT result = context.runtime().lock(chunk.memory.handle, flags, memory);
    if (failed(result)) {
      context.fail(result);
      return nullptr;
    }
    context.keepLocked(chunk.memory.handle, memory);
    chunk.used = 0;
    m_newest = index;
    return &chunk;
  }
  context.fail(kOutOfMemory);
  return nullptr;
}

bool UploadMemory::place(uint32_t bytes, size_t packets, uint32_t allocations, Place &out) {
  Context &context = m_objects.context;
  if (bytes > kMostBytes || !context.ensure(packets, allocations + 1)) return false;
  void *memory = nullptr;
  uint32_t piece = bytes;
  Chunk *chunk = lockOne(piece, memory);
  if (!chunk) chunk = lockOldest(memory);
  if (!chunk || !context.ensure(packets, allocations + 1)) return false;
  context.use(chunk->memory, false);
  out = {static_cast<uint8_t *>(memory) + chunk->used, chunk->memory.id, chunk->used};
  advance(*chunk, bytes);
  return true;
}

bool UploadMemory::rewrite(uint32_t chunk, uint32_t offset, const uint8_t *source, uint32_t bytes) {
  void *memory = nullptr;
  if (!lock(m_chunks[chunk], memory)) return false;
  memcpy(static_cast<uint8_t *>(memory) + offset, source, bytes);
  return true;
}

bool uploadBytes(ObjectTools &objects, uint32_t buffer, uint32_t offset, const uint8_t *source, uint32_t bytes,
                 SentBytes *sent) {
  constexpr size_t kHeader = sizeof(aerogpu_cmd_upload_resource), kLeast = 1024;
  while (bytes) {
    if (!objects.context.ensure(kHeader + (bytes < kLeast ? (bytes + 3) & ~size_t{3} : kLeast))) return false;
    uint32_t piece = static_cast<uint32_t>((objects.context.room() - kHeader) & ~size_t{3});
    if (piece > kMaxCarried) piece = kMaxCarried;
    if (piece > bytes) piece = bytes;
    auto *packet = objects.context.append<aerogpu_cmd_upload_resource>(piece);
    if (!packet) return false;
    packet->resource_handle = buffer;
    packet->offset_bytes = offset;
    memcpy(Context::elementsOf(packet), source, piece);
    if (sent) *sent = {objects.context.batch(), offset, offset + piece, Context::elementsOf(packet), 0, 0};
    offset += piece;
    source += piece;
    bytes -= piece;
  }
  return true;
}

}  // namespace aero
