// SPDX-License-Identifier: MIT
#include "testbed/d3d11-runtime/driver/private_memory.h"

#include <algorithm>
#include <new>

namespace aerogpu::runtime11 {
namespace {

constexpr SIZE_T kMost = SIZE_T{1} << 28, kMarked = 32;
constexpr BYTE kGarbage = 0xCD, kTail = 0xE7;

}  // namespace

PrivateMemory::~PrivateMemory() {
  if (m_bytes) std::memset(m_bytes, kPoison, m_size + kMarked);
  ::operator delete(m_bytes);
}

bool PrivateMemory::allocate(SIZE_T bytes) {
  if (bytes > kMost) return false;
  m_size = std::max<SIZE_T>(bytes, sizeof(void *));
  m_bytes = static_cast<BYTE *>(::operator new(m_size + kMarked, std::nothrow));
  if (!m_bytes) return false;
  std::memset(m_bytes, kGarbage, m_size);
  std::memset(m_bytes + m_size, kTail, kMarked);
  return true;
}

bool PrivateMemory::isIntact() const {
  return !m_bytes || std::all_of(m_bytes + m_size, m_bytes + m_size + kMarked, [](BYTE b) { return b == kTail; });
}

}  // namespace aerogpu::runtime11
