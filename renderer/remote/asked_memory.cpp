// SPDX-License-Identifier: MIT
#include "renderer/remote/asked_memory.h"

#include <algorithm>
#include <cstring>

namespace aerogpu::remote {

size_t AskedMemory::takePiece() {
  Lock lock(m_mutex);
  for (;;) {
    const auto* const free = std::find(m_taken.begin(), m_taken.end(), false);
    if (free != m_taken.end()) {
      const auto piece = static_cast<size_t>(free - m_taken.begin());
      m_taken[piece] = true;
      return piece;
    }
    m_given.wait(m_mutex);
  }
}

void AskedMemory::givePiece(size_t piece) {
  Lock lock(m_mutex);
  m_taken[piece] = false;
  m_given.notifyAll();
}

int AskedMemory::map(uint64_t gpa, uint64_t size, bool write, aerogpu_guest_mapping& out) {
  const size_t piece = takePiece();
  const uint64_t lead = gpa % 64;  // keeps the alignment
  const uint64_t asked = std::min(size, kStagingPiece - lead), place = piece * kStagingPiece + lead;
  uint64_t mapped = 0;
  LineCall call{static_cast<uint32_t>(MemoryAsk::Map), {gpa, asked, write, place}};
  if (!m_line.call(call, mapped, nullptr, kForever) || mapped == 0 || mapped > asked) {
    givePiece(piece);
    return -1;
  }
  m_gpa[piece] = gpa;
  out.host = m_channel.staging() + place;
  out.size = mapped;
  out.cookie = reinterpret_cast<void*>(piece << 1 | 1);  // odd: see guest_regions.cpp
  return 0;
}

void AskedMemory::unmap(const aerogpu_guest_mapping& mapping, uint64_t bytesWritten) {
  const size_t piece = reinterpret_cast<size_t>(mapping.cookie) >> 1;
  if (bytesWritten != 0) {
    const auto place = static_cast<uint64_t>(static_cast<uint8_t*>(mapping.host) - m_channel.staging());
    uint64_t written = 0;
    (void)m_line.call({static_cast<uint32_t>(MemoryAsk::Write), {m_gpa[piece], bytesWritten, place}}, written,
                      nullptr, kForever);
  }
  givePiece(piece);
}

size_t AskedMemory::waitingSpaces(uint64_t taken, uint32_t* spaces, size_t room) {
  uint64_t count = 0;
  std::vector<uint8_t> numbers;
  if (!m_line.call({static_cast<uint32_t>(MemoryAsk::WaitingSpaces), {room, taken}}, count, &numbers,
                   kForever))
    return 0;
  const size_t fits = std::min(room, numbers.size() / sizeof *spaces);
  if (fits != 0) std::memcpy(spaces, numbers.data(), fits * sizeof *spaces);
  return fits;
}

}  // namespace aerogpu::remote
