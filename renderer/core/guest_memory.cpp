// SPDX-License-Identifier: MIT
#include "renderer/core/guest_memory.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::core {

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

bool GuestMemory::write(uint64_t gpa, const void* src, uint64_t size) const {
  const auto* in = static_cast<const uint8_t*>(src);
  while (size != 0) {
    aerogpu_guest_mapping mapping{};
    if (m_callbacks.guest_map(m_opaque, gpa, size, true, &mapping) != 0) return false;
    const uint64_t step = std::min(mapping.size, size);
    if (step != 0) std::memcpy(mapping.host, in, step);
    m_callbacks.guest_unmap(m_opaque, &mapping, step);
    if (step == 0) return false;
    gpa += step;
    in += step;
    size -= step;
  }
  return true;
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

bool GuestSource::read(uint64_t offset, void* dst, uint64_t size) {
  if (offset > m_size || size > m_size - offset) return false;
  const std::span<const uint8_t> mapped = m_mapping.bytes();
  if (offset + size <= mapped.size()) {
    std::memcpy(dst, mapped.data() + offset, size);
    return true;
  }
  return m_memory.read(m_gpa + offset, dst, size);
}

bool SpanSource::read(uint64_t offset, void* dst, uint64_t size) {
  if (offset > m_bytes.size() || size > m_bytes.size() - offset) return false;
  if (size != 0) std::memcpy(dst, m_bytes.data() + offset, size);
  return true;
}

Result<void> GuestSink::write(const uint8_t* src, uint64_t srcPitch, uint64_t rowBytes, uint64_t rows) {
  const Error failed{ErrorCode::OutOfBounds, "write-back to what is no writable guest memory"};
  if (srcPitch == m_pitch && rowBytes == m_pitch) {
    if (!m_memory.write(m_gpa, src, rowBytes * rows)) return failed;
  } else {
    for (uint64_t row = 0; row < rows; ++row)
      if (!m_memory.write(m_gpa + row * m_pitch, src + row * srcPitch, rowBytes)) return failed;
  }
  m_gpa += rows * m_pitch;
  return {};
}

}  // namespace aerogpu::core
