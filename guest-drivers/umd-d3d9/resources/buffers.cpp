// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-d3d9/resources/buffers.h"

namespace aero {
namespace {

constexpr uint32_t kRingBytes = 1024 * 1024;
constexpr uint32_t kMaxRingBytes = 1u << 30;
constexpr uint32_t kRingAlign = 16;

bool createBuffer(DeviceObjects &objects, uint32_t &handle, uint32_t size, uint32_t usage) {
  handle = objects.take();
  if (!handle) return false;
  aerogpu_cmd_create_buffer create = {};
  create.buffer_handle = handle;
  create.usage_flags = usage;
  create.size_bytes = (uint64_t{size} + 3) & ~uint64_t{3};
  if (objects.context.send(create)) return true;
  objects.handles.give(handle);
  handle = 0;
  return false;
}

}  // namespace

bool refreshBuffer(DeviceObjects &objects, UploadMemory &memory, BufferStore &buffer, uint32_t usage, uint64_t begin,
                   uint64_t end) {
  if (!buffer.handle && !createBuffer(objects, buffer.handle, buffer.size, usage)) return false;
  if (buffer.ofRuntime)
    buffer.markDirty(static_cast<uint32_t>(begin < buffer.size ? begin : buffer.size),
                     static_cast<uint32_t>(end < buffer.size ? end : buffer.size));
  // Programs draw from locked buffers, and MightDrawFromLocked is not set for all of them.
  if (buffer.locks && buffer.lockWrites) buffer.markDirty(buffer.lockBegin, buffer.lockEnd);
  if (buffer.dirtyBegin == buffer.dirtyEnd) return true;
  uint32_t at = buffer.dirtyBegin, bytes = buffer.dirtyEnd - buffer.dirtyBegin;
  if (bytes >= UploadMemory::kLeastBytes && objects.context.runtime().has(AEROGPU_EXT_FEATURE_HI_UPDATES)) {
    const uint32_t flags = buffer.ofRuntime     ? AEROGPU_EXT_UPDATE_NONE
                           : buffer.isDiscarded ? AEROGPU_EXT_UPDATE_DISCARD
                           : buffer.isPromised  ? AEROGPU_EXT_UPDATE_NO_OVERWRITE
                                                : AEROGPU_EXT_UPDATE_NONE;
    const uint32_t sent = memory.update(buffer.handle, at, buffer.bytes + at, bytes, flags, buffer.sent);
    at += sent;
    bytes -= sent;
  }
  if (!uploadBytes(objects, buffer.handle, at, buffer.bytes + at, bytes, &buffer.sent)) return false;
  buffer.dirtyBegin = buffer.dirtyEnd = 0;
  buffer.isPromised = buffer.isDiscarded = false;
  return true;
}

bool rewriteSent(UploadMemory &memory, const BufferStore &buffer, uint32_t begin, uint32_t end) {
  const SentBytes &sent = buffer.sent;
  const bool isAll = begin >= sent.begin && end <= sent.end;
  if (begin < sent.begin) begin = sent.begin;
  if (end > sent.end) end = sent.end;
  const uint32_t at = begin - sent.begin;
  if (!sent.packet) return memory.rewrite(sent.chunk, sent.offset + at, buffer.bytes + begin, end - begin) && isAll;
  memcpy(sent.packet + at, buffer.bytes + begin, end - begin);
  return isAll;
}

bool UploadRing::place(DeviceObjects &objects, const void *source, uint32_t bytes, uint32_t &offset) {
  if (bytes > kMaxRingBytes) return false;
  if (bytes > m_size) {
    // The smaller buffer's number is not reused: a stream may still be bound to it.
    if (m_handle) {
      aerogpu_cmd_destroy_resource end = {};
      end.resource_handle = m_handle;
      objects.context.send(end);
    }
    m_handle = m_size = m_head = 0;
    uint32_t size = kRingBytes;
    while (size < bytes) size *= 2;
    if (!createBuffer(objects, m_handle, size,
                      AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER | AEROGPU_RESOURCE_USAGE_INDEX_BUFFER))
      return false;
    m_size = size;
  }
  if (bytes > m_size - m_head) m_head = 0;
  offset = m_head;
  const uint32_t end = m_head + ((bytes + kRingAlign - 1) & ~(kRingAlign - 1));
  m_head = end < m_size ? end : 0;
  return uploadBytes(objects, m_handle, offset, static_cast<const uint8_t *>(source), bytes);
}

}  // namespace aero
