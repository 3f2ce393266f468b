// SPDX-License-Identifier: MIT
// Bytes on their way between guest memory or packets and a back end's objects.
#pragma once

#include <cstdint>
#include <memory>

#include "renderer/base/result.h"

namespace aerogpu::core {

/// Host memory that stays where it is and that nobody changes until the object dies; any thread. Guest memory
/// may still be changed by a guest that breaks the rules: its bytes are data, never looked at.
class Lent {
public:
  Lent(uint8_t* first, uint64_t size) : m_first(first), m_size(size) {}
  virtual ~Lent() = default;
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  uint8_t* first() const { return m_first; }
  uint64_t size() const { return m_size; }

private:
  uint8_t* const m_first;
  const uint64_t m_size;
};

/// Bytes that come from a packet or from guest memory. Lives for the call it is passed to.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  /// Copies [offset, offset + size) to `dst`; false when guest memory there cannot be read.
  virtual bool read(uint64_t offset, void* dst, uint64_t size) = 0;
  /// The bytes themselves if they lie in one piece in host memory for the duration of the call, else null.
  virtual const uint8_t* contiguous() { return nullptr; }
  /// All the bytes, for a GPU that reads them itself: to be given back before the submission is completed.
  /// Null when they must be read during the call.
  virtual std::unique_ptr<Lent> lend() { return nullptr; }
};

/// Where a read-back goes (guest memory, a test's buffer). Called on the renderer's own thread once the GPU
/// is done and before the submission's completion; may fail, which the submission then reports.
class ByteSink {
public:
  virtual ~ByteSink() = default;
  /// Writes `rows` rows of `rowBytes` bytes from `src` (rows `srcPitch` bytes apart), in order from the first
  /// row on; those of a volume's slices follow one another.
  virtual Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t rowBytes, uint64_t rows) = 0;
  /// Where the bytes go, for a GPU that writes them itself in place of write(): from the first byte of the
  /// first row to the last one of the last row, rows `pitch` bytes apart. To be given back before the
  /// submission is completed, and only then counted as written. Null when they must come through write().
  /// Render thread.
  virtual std::unique_ptr<Lent> lend([[maybe_unused]] uint64_t& pitch) { return nullptr; }
};

}  // namespace aerogpu::core
