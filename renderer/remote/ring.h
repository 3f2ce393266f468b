// SPDX-License-Identifier: MIT
// Messages in their order from one process to another, through a ring of bytes in shared memory. Neither side
// believes the other: each keeps its own index, checks the other's against the size, and copies a message
// before it looks at it. A writer that finds everything read begins at the front again, after a gap: short
// messages then stay within the same few pages, which both sides have mapped and have in their caches.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "renderer/remote/doorbell.h"

namespace aerogpu::remote {

/// The words of a ring in shared memory, before its bytes. Zero at first.
struct RingWords {
  alignas(64) std::atomic<uint64_t> written;  ///< bytes, ever
  alignas(64) std::atomic<uint64_t> read;
  alignas(64) std::atomic<uint32_t> readerSleeps;
  std::atomic<uint32_t> writerSleeps;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

/// What stands in the ring before the bytes of a message, which take a multiple of 8.
struct MessageHeader {
  uint32_t kind;
  uint32_t bytes;
};
/// The kind of a gap up to the end of the ring, of which a message follows at once. No message has it.
inline constexpr uint32_t kGap = UINT32_MAX;

enum class Sent {
  Yes,
  Late,    ///< the reader has made no room in time
  Gone,    ///< the reader has ended
  Broken,  ///< the reader has written nonsense into the words
};

/// The writer's side. One thread at a time.
class RingWriter {
public:
  RingWriter() = default;
  /// `size`: of the bytes, a power of two. `room` wakes this side, `more` the reader.
  RingWriter(RingWords& words, uint8_t* bytes, uint64_t size, Doorbell room, Doorbell more)
      : m_words(&words), m_bytes(bytes), m_size(size), m_room(std::move(room)), m_more(std::move(more)) {}

  /// Most bytes of one message.
  size_t mostBytes() const { return m_size / 2 - sizeof(MessageHeader); }
  /// True if a message of as many bytes would be written without a wait.
  bool hasRoom(uint64_t bytes) const;
  /// Writes one message of all `parts`, mostBytes() at most, and wakes the reader, unless another message
  /// will.
  Sent write(uint32_t kind, std::initializer_list<std::span<const uint8_t>> parts, uint64_t untilNs,
             bool wakes = true);

  /// Where a writer that finds everything read begins at the front again.
  uint64_t nearBytes() const { return std::min<uint64_t>(kNear, m_size / 4); }

private:
  static constexpr uint64_t kNear = uint64_t{64} << 10;
  void put(std::span<const uint8_t> bytes);
  void put(const MessageHeader& header) { put({reinterpret_cast<const uint8_t*>(&header), sizeof header}); }

  RingWords* m_words = nullptr;
  uint8_t* m_bytes = nullptr;
  uint64_t m_size = 0;
  Doorbell m_room, m_more;
  uint64_t m_written = 0;
};

/// Bytes whose memory stays from one message to the next. They are not cleared: a stream may have megabytes.
class MessageBytes {
public:
  /// Returns room for `size` bytes of any content, which these are from now on.
  uint8_t* sizeTo(size_t size) {
    if (size > m_room) {
      m_bytes = std::make_unique_for_overwrite<uint8_t[]>(size);
      m_room = size;
    }
    m_size = size;
    return m_bytes.get();
  }
  const uint8_t* data() const { return m_bytes.get(); }
  size_t size() const { return m_size; }
  bool empty() const { return m_size == 0; }
  const uint8_t* begin() const { return data(); }
  const uint8_t* end() const { return data() + m_size; }

private:
  std::unique_ptr<uint8_t[]> m_bytes;
  size_t m_room = 0, m_size = 0;
};

/// A message, copied.
struct Message {
  uint32_t kind = 0;
  MessageBytes bytes;
};

enum class Received {
  Yes,
  Late,
  Gone,
  Broken,  ///< the writer has written nonsense
};

/// The reader's side. One thread at a time reads; the functions that only look are for any thread. What was
/// read is counted here: were the word believed that the other side may spoil, a message that never comes
/// could keep a thread of this side awake.
class RingReader {
public:
  RingReader() = default;
  /// Before it is used.
  RingReader(RingReader&& other) noexcept { *this = std::move(other); }
  RingReader& operator=(RingReader&& other) noexcept {
    m_words = other.m_words, m_bytes = other.m_bytes, m_size = other.m_size;
    m_more = std::move(other.m_more), m_room = std::move(other.m_room);
    m_read.store(other.m_read.load(std::memory_order_relaxed), std::memory_order_relaxed);
    return *this;
  }
  RingReader(RingWords& words, const uint8_t* bytes, uint64_t size, Doorbell more, Doorbell room)
      : m_words(&words), m_bytes(bytes), m_size(size), m_more(std::move(more)), m_room(std::move(room)) {}

  /// Waits for a message. Its memory is used again.
  Received read(Message& message, uint64_t untilNs);
  /// Takes a message if there is one; else Received::Late.
  Received readNow(Message& message);
  /// Waits, asleep, until there is one, which another thread may read then, or until `nudged`, which
  /// wakeReader() follows; Received::Yes, Late or Gone.
  Received waitForMore(uint64_t untilNs, const std::atomic<bool>& nudged);
  /// From here to endPolling() this thread polls in place of the one that waits.
  void beginPolling() { m_more.beginPolling(); }
  /// Polls for a message; false if none has come in time.
  bool pollForMore(uint64_t untilNs) {
    return m_more.poll(untilNs, [this] { return hasMore(); });
  }
  void endPolling() {
    m_more.endPolling([this] { return hasMore(); });
  }
  /// True if there is a message that was not read.
  bool hasMore() const { return full() != 0; }
  /// Wakes the thread that waits.
  void wakeReader() const { m_more.wakeOwn(); }

private:
  void take(uint64_t at, void* to, size_t size) const;
  /// Reads the header at an index with `full` bytes after it; false if no message of this size can be there.
  bool takeHeader(uint64_t at, uint64_t full, MessageHeader& header) const;
  /// Bytes that are there, as the writer says.
  uint64_t full() const {
    return m_words->written.load(std::memory_order_acquire) - m_read.load(std::memory_order_relaxed);
  }

  RingWords* m_words = nullptr;
  const uint8_t* m_bytes = nullptr;
  uint64_t m_size = 0;
  Doorbell m_more, m_room;
  std::atomic<uint64_t> m_read{0};
};

}  // namespace aerogpu::remote
