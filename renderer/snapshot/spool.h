// SPDX-License-Identifier: MIT
// The bytes of a snapshot between its save and its load, in a file without a name: they are not part of this
// process. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace aerogpu::snapshot {

class Spool {
public:
  Spool() = default;
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  /// Adds bytes at the end. False if there is no memory for them.
  bool add(const void* bytes, size_t size);
  /// Reads bytes that were added. False if that fails.
  bool read(uint64_t at, std::span<uint8_t> out) const;
  uint64_t size() const { return m_size; }

private:
  int m_file = -1;
  uint64_t m_size = 0;
};

}  // namespace aerogpu::snapshot
