// SPDX-License-Identifier: MIT
// Accesses guest memory through the embedder's callbacks, piece by piece if a range crosses memory regions;
// and the byte sources and sinks over it. Safe from the render thread and the completion thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "aerogpu/renderer.h"
#include "renderer/base/host_memory.h"
#include "renderer/core/backend.h"
#include "renderer/core/write_gate.h"

namespace aerogpu::core {

/// A piece of guest-physical address space that does not wrap.
struct GuestRun {
  static constexpr uint64_t kHole = ~uint64_t{0};  ///< as gpa: bytes between rows, not looked up
  uint64_t gpa, size;
};

/// Rows of bytes in an allocation: the bytes that one transfer touches. None of the three counts is 0.
struct ByteRows {
  uint64_t offset;  ///< of the first row, into the allocation
  uint64_t rowBytes;
  uint64_t pitch;  ///< from row to row, at least rowBytes
  uint64_t rows;

  uint64_t span() const { return (rows - 1) * pitch + rowBytes; }
  /// True if bytes between rows can be treated like those of the rows: there are few of them.
  bool dense() const { return rows == 1 || pitch - rowBytes < 4096; }
};

/// Runs that outlive the submission, with their charge to the guest.
struct GuestRuns {
  std::vector<GuestRun> runs;
  HostMemoryCharge charge;
};

class GuestMemory {
public:
  /// `lends`: AEROGPU_RENDERER_LEND_GUEST_MEMORY.
  GuestMemory(const aerogpu_renderer_callbacks& callbacks, void* opaque, bool lends = false)
      : m_callbacks(callbacks), m_opaque(opaque), m_lends(lends) {}

  /// False if part of the range is no guest memory; then `dst` is unspecified. The range does not wrap.
  bool read(uint64_t gpa, void* dst, uint64_t size) const;
  /// False if part of the range cannot be written, or the gate is shut; earlier bytes may have been written.
  bool write(uint64_t gpa, const void* src, uint64_t size) const;
  /// Makes one 64-bit store, little-endian, after everything that this thread wrote before. `gpa` is a
  /// multiple of 8. False if it cannot be written, or the gate is shut.
  bool store(uint64_t gpa, uint64_t value) const;
  /// Copies the first or, with `fromEnd`, the last bytes of [src, src + size) to their places after `dst`, as
  /// memmove() does. Returns how many: fewer than `size` if memory is in pieces, 0 if it cannot be read or
  /// written, or the gate is shut. `size` is from 1 to WriteGate::kPieceBytes.
  uint64_t move(uint64_t dst, uint64_t src, uint64_t size, bool fromEnd) const;
  /// Writes `pattern`, little-endian, repeatedly, beginning with its byte `phase` (0 to 3). Returns how many
  /// bytes, 0 if there is no memory or the gate is shut. `size` as in move().
  uint64_t fill(uint64_t gpa, uint64_t size, uint32_t pattern, uint32_t phase) const;
  /// Lends `range` as one mapping that lasts until the object dies, which counts as a write of all of it if
  /// `write` is set. Null if the embedder does not lend, the gate is shut, or the range is not memory in one
  /// piece.
  std::unique_ptr<Lent> lend(GuestRun range, bool write) const;

  /// The gate that all writes pass. Any thread.
  WriteGate& gate() const { return m_gate; }
  /// Returns the error of a write that failed: `otherwise` unless the gate is shut.
  Error refusal(Error otherwise) const;

  /// One mapping for the life of the object.
  class Mapping {
  public:
    Mapping(const GuestMemory& memory, uint64_t gpa, uint64_t size);
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();
    /// Returns the bytes mapped from gpa on; empty if there is no memory.
    std::span<const uint8_t> bytes() const;

  private:
    const GuestMemory& m_memory;
    aerogpu_guest_mapping m_mapping{};
    bool m_mapped = false;
  };

private:
  class LentMapping;

  const aerogpu_renderer_callbacks m_callbacks;
  void* const m_opaque;
  const bool m_lends;
  mutable WriteGate m_gate;
};

/// A word of guest memory to write once the work before it is done. Any thread; the memory outlives it.
struct ValueWrite {
  const GuestMemory* memory;
  uint64_t gpa;  ///< a multiple of 8
  uint64_t value;

  Result<void> write() const {
    if (memory->store(gpa, value)) return {};
    return memory->refusal(
        refused(ErrorCode::OutOfBounds, "a value for what is no writable guest memory", {{"gpa", gpa}}));
  }
};

/// Guest memory as a source: the bytes of `runs` one after the other, `size` together. Reads that go forward
/// map each run once. The runs must stay where they are; holes in them (kHole) are never read.
class GuestSource : public ByteSource {
public:
  GuestSource(const GuestMemory& memory, std::span<const GuestRun> runs, uint64_t size)
      : m_memory(memory), m_runs(runs), m_size(size) {}
  bool read(uint64_t offset, void* dst, uint64_t size) override;
  const uint8_t* contiguous() override;
  std::unique_ptr<Lent> lend() override;

private:
  void enter(uint64_t offset);

  const GuestMemory& m_memory;
  const std::span<const GuestRun> m_runs;
  const uint64_t m_size;
  size_t m_run = 0;      ///< the run that m_mapping maps
  uint64_t m_start = 0;  ///< its first byte's offset
  std::optional<GuestMemory::Mapping> m_mapping;
};

/// A source over bytes of the stream.
class SpanSource : public ByteSource {
public:
  explicit SpanSource(std::span<const uint8_t> bytes) : m_bytes(bytes) {}
  bool read(uint64_t offset, void* dst, uint64_t size) override;
  const uint8_t* contiguous() override { return m_bytes.data(); }

private:
  std::span<const uint8_t> m_bytes;
};

/// Writes rows to guest memory, `pitch` bytes apart, from the first byte of `runs` on. The range was checked
/// against the allocation.
class GuestSink : public ByteSink {
public:
  /// `inTurn`: an earlier write-back to some of the bytes is under way, so that this one must come after it.
  GuestSink(const GuestMemory& memory, std::shared_ptr<const GuestRuns> runs, uint64_t pitch, bool inTurn)
      : m_memory(memory), m_runs(std::move(runs)), m_pitch(pitch), m_inTurn(inTurn) {}
  Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t rowBytes, uint64_t rows) override;
  std::unique_ptr<Lent> lend(uint64_t& pitch) override;

private:
  bool writeAt(uint64_t offset, const uint8_t* src, uint64_t size);

  const GuestMemory& m_memory;
  const std::shared_ptr<const GuestRuns> m_runs;
  const uint64_t m_pitch;
  const bool m_inTurn;
  uint64_t m_offset = 0;  ///< of the next row
  size_t m_run = 0;       ///< the run written last
  uint64_t m_start = 0;   ///< its first byte's offset
};

}  // namespace aerogpu::core
