// SPDX-License-Identifier: MIT
#include "renderer/remote/ring.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::remote {
namespace {

constexpr uint64_t kAlign = 8;

uint64_t taken(uint64_t bytes) {
  return sizeof(MessageHeader) + (bytes + kAlign - 1) / kAlign * kAlign;
}

}  // namespace

void RingWriter::put(std::span<const uint8_t> bytes) {
  const uint64_t at = m_written & (m_size - 1), first = std::min<uint64_t>(bytes.size(), m_size - at);
  if (first != 0) std::memcpy(m_bytes + at, bytes.data(), first);
  if (first != bytes.size()) std::memcpy(m_bytes, bytes.data() + first, bytes.size() - first);
  m_written += bytes.size();
}

bool RingWriter::hasRoom(uint64_t bytes) const {
  const uint64_t full = m_written - m_words->read.load(std::memory_order_acquire);
  return bytes <= mostBytes() && full <= m_size && m_size - full >= taken(bytes);
}

Sent RingWriter::write(uint32_t kind, std::initializer_list<std::span<const uint8_t>> parts, uint64_t untilNs,
                       bool wakes) {
  uint64_t bytes = 0;
  for (const auto part : parts) bytes += part.size();
  if (bytes > mostBytes()) return Sent::Broken;  // of this side
  const uint64_t needed = taken(bytes);
  bool sane = true, isEmpty = false;
  const auto room = [&] {
    const uint64_t full = m_written - m_words->read.load(std::memory_order_acquire);
    sane = full <= m_size;
    isEmpty = full == 0;
    return !sane || m_size - full >= needed;
  };
  if (!room()) m_more.ring();  // of messages that did not wake
  const Woken woken = m_room.wait(untilNs, room);
  if (woken != Woken::Ready) return woken == Woken::Late ? Sent::Late : Sent::Gone;
  if (!sane) return Sent::Broken;
  if (const uint64_t at = m_written & (m_size - 1); isEmpty && at >= nearBytes() && at >= needed) {
    const uint64_t gap = m_size - at;
    put({kGap, static_cast<uint32_t>(gap - sizeof(MessageHeader))});
    m_written += gap - sizeof(MessageHeader);
  }
  const uint64_t begin = m_written;
  put({kind, static_cast<uint32_t>(bytes)});
  for (const auto part : parts) put(part);
  m_written = begin + needed;
  m_words->written.store(m_written, std::memory_order_release);
  if (wakes) m_more.ring();
  return Sent::Yes;
}

void RingReader::take(uint64_t at, void* to, size_t size) const {
  const uint64_t begin = at & (m_size - 1), first = std::min<uint64_t>(size, m_size - begin);
  if (first != 0) std::memcpy(to, m_bytes + begin, first);
  if (first != size) std::memcpy(static_cast<uint8_t*>(to) + first, m_bytes, size - first);
}

Received RingReader::read(Message& message, uint64_t untilNs) {
  const Woken woken = m_more.wait(untilNs, [this] { return full() != 0; });
  if (woken != Woken::Ready) return woken == Woken::Late ? Received::Late : Received::Gone;
  return readNow(message);
}

bool RingReader::takeHeader(uint64_t at, uint64_t full, MessageHeader& header) const {
  if (full < sizeof header) return false;
  take(at, &header, sizeof header);
  return taken(header.bytes) <= full;
}

Received RingReader::readNow(Message& message) {
  uint64_t full = this->full();
  if (full == 0) return Received::Late;
  uint64_t begin = m_read.load(std::memory_order_relaxed);
  MessageHeader header;
  if (full > m_size || !takeHeader(begin, full, header)) return Received::Broken;
  if (header.kind == kGap) {
    // No second one can follow: it would be the whole ring.
    const uint64_t gap = taken(header.bytes);
    if (gap != m_size - (begin & (m_size - 1)) || !takeHeader(begin += gap, full -= gap, header) ||
        header.kind == kGap)
      return Received::Broken;
  }
  message.kind = header.kind;
  take(begin + sizeof header, message.bytes.sizeTo(header.bytes), header.bytes);
  m_read.store(begin + taken(header.bytes), std::memory_order_relaxed);
  m_words->read.store(begin + taken(header.bytes), std::memory_order_release);
  m_room.ring();
  return Received::Yes;
}

Received RingReader::waitForMore(uint64_t untilNs, const std::atomic<bool>& nudged) {
  const auto ready = [&] { return hasMore() || nudged.load(std::memory_order_acquire); };
  const Woken woken = m_more.wait(untilNs, ready, false);
  if (woken != Woken::Ready) return woken == Woken::Late ? Received::Late : Received::Gone;
  return Received::Yes;
}

}  // namespace aerogpu::remote
