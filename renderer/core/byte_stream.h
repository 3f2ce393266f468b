// SPDX-License-Identifier: MIT
// Bytes on their way between guest memory or packets and a back end's objects.
#pragma once

#include <cstdint>
#include <memory>

#include "renderer/base/result.h"

namespace aerogpu::core {

/// Host memory that stays where it is and does not change until the object dies; any thread. A guest that
/// breaks the rules may still change guest memory, so its bytes are never interpreted.
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
  /// Copies [offset, offset + size) to `dst`. False if guest memory there cannot be read.
  virtual bool read(uint64_t offset, void* dst, uint64_t size) = 0;
  /// Returns the bytes themselves if they lie in one piece in host memory for the duration of the call, else
  /// null.
  virtual const uint8_t* contiguous() { return nullptr; }
  /// Lends all the bytes to a GPU that reads them itself; they are given back before the submission is
  /// completed. Null if they must be read during the call.
  virtual std::unique_ptr<Lent> lend() { return nullptr; }
};

/// The target of a read-back (guest memory, a test's buffer). The renderer's own thread calls it once the GPU
/// is done and before the submission's completion; it may fail, and the submission then reports the error.
class ByteSink {
public:
  virtual ~ByteSink() = default;
  /// Writes `rows` rows of `rowBytes` bytes from `src` (rows `srcPitch` bytes apart), in order from the first
  /// row on; rows of a volume's slices follow one another.
  virtual Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t rowBytes, uint64_t rows) = 0;
  /// Lends the target to a GPU that writes it in place of write(): from the first byte of the first row to
  /// the last byte of the last row, rows `pitch` bytes apart. It is given back before the submission is
  /// completed, and only then counts as written. Null if the bytes must come through write(). Render thread.
  virtual std::unique_ptr<Lent> lend([[maybe_unused]] uint64_t& pitch) { return nullptr; }
};

}  // namespace aerogpu::core
