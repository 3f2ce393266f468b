// SPDX-License-Identifier: MIT
#include "renderer/core/guest_memory.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

namespace aerogpu::core {

// read() and write() have a loop each: a read passes no gate, and its pieces have no limit.
bool GuestMemory::read(uint64_t gpa, void* dst, uint64_t size) const {
  auto* out = static_cast<uint8_t*>(dst);
  while (size != 0) {
    aerogpu_guest_mapping mapping{};
    if (m_callbacks.guest_map(m_opaque, gpa, size, false, &mapping) != 0) return false;
    const uint64_t step = std::min(mapping.size, size);
    if (step != 0) std::memcpy(out, mapping.host, step);
    m_callbacks.guest_unmap(m_opaque, &mapping, 0);
    if (step == 0) return false;
    gpa += step;
    out += step;
    size -= step;
  }
  return true;
}

// write() and read() have a loop each: a write passes the gate, with pieces that shut() can wait for.
bool GuestMemory::write(uint64_t gpa, const void* src, uint64_t size) const {
  const auto* in = static_cast<const uint8_t*>(src);
  while (size != 0) {
    aerogpu_guest_mapping mapping{};
    const uint64_t piece = std::min(size, WriteGate::kPieceBytes);
    if (m_callbacks.guest_map(m_opaque, gpa, piece, true, &mapping) != 0) return false;
    uint64_t step = 0;
    if (const WriteGate::Pass pass(m_gate); pass) {
      step = std::min(mapping.size, piece);
      if (step != 0) std::memcpy(mapping.host, in, step);
    }
    m_callbacks.guest_unmap(m_opaque, &mapping, step);
    if (step == 0) return false;
    gpa += step;
    in += step;
    size -= step;
  }
  return true;
}

bool GuestMemory::store(uint64_t gpa, uint64_t value) const {
  aerogpu_guest_mapping mapping{};
  if (m_callbacks.guest_map(m_opaque, gpa, sizeof value, true, &mapping) != 0) return false;
  bool stored = false;
  if (const WriteGate::Pass pass(m_gate); pass && mapping.size >= sizeof value) {
    std::atomic_ref(*static_cast<uint64_t*>(mapping.host)).store(value, std::memory_order_release);
    stored = true;
  }
  m_callbacks.guest_unmap(m_opaque, &mapping, stored ? sizeof value : 0);
  return stored;
}

Error GuestMemory::refusal(Error otherwise) const {
  if (!m_gate.isShut()) return otherwise;
  return Error{ErrorCode::Interrupted, "nothing old is written to guest memory", {}};
}

uint64_t GuestMemory::move(uint64_t dst, uint64_t src, uint64_t size, bool fromEnd) const {
  for (;;) {
    aerogpu_guest_mapping from{}, to{};
    if (m_callbacks.guest_map(m_opaque, src, size, false, &from) != 0) return 0;
    if (m_callbacks.guest_map(m_opaque, dst, size, true, &to) != 0) {
      m_callbacks.guest_unmap(m_opaque, &from, 0);
      return 0;
    }
    const uint64_t step = std::min({from.size, to.size, size});
    const bool whole = step == size, moves = step != 0 && (whole || !fromEnd);
    bool moved = false;
    if (moves)
      if (const WriteGate::Pass pass(m_gate); pass) {
        std::memmove(to.host, from.host, step);
        moved = true;
      }
    m_callbacks.guest_unmap(m_opaque, &to, moved ? step : 0);
    m_callbacks.guest_unmap(m_opaque, &from, 0);
    if (moves || step == 0) return moved ? step : 0;
    // The last bytes begin after the piece.
    dst += step;
    src += step;
    size -= step;
  }
}

uint64_t GuestMemory::fill(uint64_t gpa, uint64_t size, uint32_t pattern, uint32_t phase) const {
  aerogpu_guest_mapping to{};
  if (m_callbacks.guest_map(m_opaque, gpa, size, true, &to) != 0) return 0;
  const uint64_t step = std::min(to.size, size);
  const uint32_t word = std::rotr(pattern, static_cast<int>(8 * phase));
  auto* const out = static_cast<uint8_t*>(to.host);
  uint64_t at = 0;
  if (const WriteGate::Pass pass(m_gate); pass) {
    for (; step - at >= sizeof word; at += sizeof word) std::memcpy(out + at, &word, sizeof word);
    if (at != step) std::memcpy(out + at, &word, step - at);
    at = step;
  }
  m_callbacks.guest_unmap(m_opaque, &to, at);
  return at;
}

class GuestMemory::LentMapping final : public Lent {
public:
  LentMapping(const GuestMemory& memory, const aerogpu_guest_mapping& mapping, uint64_t size, bool write)
      : Lent(static_cast<uint8_t*>(mapping.host), size),
        m_memory(memory),
        m_mapping(mapping),
        m_write(write),
        m_lent(memory.m_gate.lend(write)) {}
  ~LentMapping() override {
    m_memory.m_callbacks.guest_unmap(m_memory.m_opaque, &m_mapping, m_write ? size() : 0);
    m_memory.m_gate.giveBack(m_lent, m_write);
  }

private:
  const GuestMemory& m_memory;
  const aerogpu_guest_mapping m_mapping;
  const bool m_write;
  const uint64_t m_lent;
};

std::unique_ptr<Lent> GuestMemory::lend(GuestRun range, bool write) const {
  aerogpu_guest_mapping mapping{};
  if (!m_lends || (m_callbacks.guest_lends && !m_callbacks.guest_lends(m_opaque, range.gpa, range.size)) ||
      m_callbacks.guest_map(m_opaque, range.gpa, range.size, write, &mapping) != 0)
    return nullptr;
  if (const WriteGate::Pass pass(m_gate); pass && mapping.size >= range.size)
    return std::make_unique<LentMapping>(*this, mapping, range.size, write);
  m_callbacks.guest_unmap(m_opaque, &mapping, 0);
  return nullptr;
}

GuestMemory::Mapping::Mapping(const GuestMemory& memory, uint64_t gpa, uint64_t size) : m_memory(memory) {
  m_mapped = memory.m_callbacks.guest_map(memory.m_opaque, gpa, size, false, &m_mapping) == 0;
}

GuestMemory::Mapping::~Mapping() {
  if (m_mapped) m_memory.m_callbacks.guest_unmap(m_memory.m_opaque, &m_mapping, 0);
}

std::span<const uint8_t> GuestMemory::Mapping::bytes() const {
  if (!m_mapped) return {};
  return {static_cast<const uint8_t*>(m_mapping.host), static_cast<size_t>(m_mapping.size)};
}

void GuestSource::enter(uint64_t offset) {
  const size_t before = m_run;
  if (offset < m_start) m_run = m_start = 0;
  while (offset - m_start >= m_runs[m_run].size) m_start += m_runs[m_run++].size;
  if (!m_mapping || m_run != before) m_mapping.emplace(m_memory, m_runs[m_run].gpa, m_runs[m_run].size);
}

bool GuestSource::read(uint64_t offset, void* dst, uint64_t size) {
  if (offset > m_size || size > m_size - offset) return false;
  auto* out = static_cast<uint8_t*>(dst);
  while (size != 0) {
    enter(offset);
    const uint64_t at = offset - m_start, step = std::min(size, m_runs[m_run].size - at);
    const std::span<const uint8_t> mapped = m_mapping->bytes();
    if (at + step <= mapped.size())
      std::memcpy(out, mapped.data() + at, step);
    else if (!m_memory.read(m_runs[m_run].gpa + at, out, step))
      return false;
    offset += step;
    out += step;
    size -= step;
  }
  return true;
}

const uint8_t* GuestSource::contiguous() {
  if (m_runs.size() != 1) return nullptr;
  enter(0);
  return m_mapping->bytes().size() >= m_size ? m_mapping->bytes().data() : nullptr;
}

std::unique_ptr<Lent> GuestSource::lend() {
  return m_runs.size() == 1 ? m_memory.lend({m_runs[0].gpa, m_size}, false) : nullptr;
}

bool SpanSource::read(uint64_t offset, void* dst, uint64_t size) {
  if (offset > m_bytes.size() || size > m_bytes.size() - offset) return false;
  if (size != 0) std::memcpy(dst, m_bytes.data() + offset, size);
  return true;
}

std::unique_ptr<Lent> GuestSink::lend(uint64_t& pitch) {
  pitch = m_pitch;
  return !m_inTurn && m_runs->runs.size() == 1 ? m_memory.lend(m_runs->runs[0], true) : nullptr;
}

bool GuestSink::writeAt(uint64_t offset, const uint8_t* src, uint64_t size) {
  const std::vector<GuestRun>& runs = m_runs->runs;
  while (size != 0) {
    while (offset - m_start >= runs[m_run].size) m_start += runs[m_run++].size;
    const uint64_t at = offset - m_start, step = std::min(size, runs[m_run].size - at);
    if (!m_memory.write(runs[m_run].gpa + at, src, step)) return false;
    offset += step;
    src += step;
    size -= step;
  }
  return true;
}

Result<void> GuestSink::write(const uint8_t* src, uint64_t srcPitch, uint64_t rowBytes, uint64_t rows) {
  const auto failed = [this] {
    return m_memory.refusal(refused(ErrorCode::OutOfBounds, "write-back to what is no writable guest memory",
                                    {{"gpa", m_runs->runs[m_run].gpa}}));
  };
  if (srcPitch == m_pitch && rowBytes == m_pitch) {
    if (!writeAt(m_offset, src, rowBytes * rows)) return failed();
  } else {
    for (uint64_t row = 0; row < rows; ++row)
      if (!writeAt(m_offset + row * m_pitch, src + row * srcPitch, rowBytes)) return failed();
  }
  m_offset += rows * m_pitch;
  return {};
}

}  // namespace aerogpu::core
