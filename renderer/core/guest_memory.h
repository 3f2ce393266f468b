// SPDX-License-Identifier: MIT
// Guest memory through the embedder's callbacks, piece by piece where a range crosses memory regions; and the
// byte sources and sinks over it. Safe from the render thread and the completion thread.
#pragma once

#include <cstdint>
#include <span>

#include "aerogpu/renderer.h"
#include "renderer/core/backend.h"

namespace aerogpu::core {

class GuestMemory {
public:
  GuestMemory(const aerogpu_renderer_callbacks& callbacks, void* opaque)
      : m_callbacks(callbacks), m_opaque(opaque) {}

  /// False when part of the range is no guest memory; then `dst` is unspecified. The range does not wrap.
  bool read(uint64_t gpa, void* dst, uint64_t size) const;
  /// False when part of the range cannot be written; what came before it may have been.
  bool write(uint64_t gpa, const void* src, uint64_t size) const;

  /// One mapping for the life of the object.
  class Mapping {
  public:
    Mapping(const GuestMemory& memory, uint64_t gpa, uint64_t size);
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();
    /// Bytes mapped from gpa on; empty when there is no memory.
    std::span<const uint8_t> bytes() const;

  private:
    const GuestMemory& m_memory;
    aerogpu_guest_mapping m_mapping{};
    bool m_mapped = false;
  };

private:
  const aerogpu_renderer_callbacks m_callbacks;
  void* const m_opaque;
};

/// Bytes of guest memory as a source; the first is at `gpa`.
class GuestSource : public ByteSource {
public:
  GuestSource(const GuestMemory& memory, uint64_t gpa, uint64_t size)
      : m_memory(memory), m_gpa(gpa), m_size(size), m_mapping(memory, gpa, size) {}
  bool read(uint64_t offset, void* dst, uint64_t size) override;
  const uint8_t* contiguous() override {
    return m_mapping.bytes().size() >= m_size ? m_mapping.bytes().data() : nullptr;
  }

private:
  const GuestMemory& m_memory;
  const uint64_t m_gpa, m_size;
  GuestMemory::Mapping m_mapping;
};

/// Bytes of the stream as a source.
class SpanSource : public ByteSource {
public:
  explicit SpanSource(std::span<const uint8_t> bytes) : m_bytes(bytes) {}
  bool read(uint64_t offset, void* dst, uint64_t size) override;
  const uint8_t* contiguous() override { return m_bytes.data(); }

private:
  std::span<const uint8_t> m_bytes;
};

/// Rows written to guest memory, `pitch` bytes apart, from `gpa` on. The range was checked against the
/// allocation.
class GuestSink : public ByteSink {
public:
  GuestSink(const GuestMemory& memory, uint64_t gpa, uint64_t pitch)
      : m_memory(memory), m_gpa(gpa), m_pitch(pitch) {}
  Result<void> write(const uint8_t* src, uint64_t srcPitch, uint64_t rowBytes, uint64_t rows) override;

private:
  const GuestMemory& m_memory;
  uint64_t m_gpa;
  const uint64_t m_pitch;
};

}  // namespace aerogpu::core
