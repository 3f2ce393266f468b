// SPDX-License-Identifier: MIT
// Memory that comes ahead of a snapshot while its machine still runs. It is kept in a file without a name, so
// that it is not part of this process until a load needs it. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "renderer/base/result.h"

namespace aerogpu::snapshot {

class AheadMemory {
public:
  /// Most pieces that are kept at a time.
  static constexpr size_t kMostPieces = size_t{1} << 18;

  explicit AheadMemory(uint64_t mostBytes) : m_mostBytes(mostBytes) {}
  ~AheadMemory();
  AheadMemory(const AheadMemory&) = delete;
  AheadMemory& operator=(const AheadMemory&) = delete;

  /// Keeps a copy of the bytes, in place of what the key had. The error is for people.
  Result<void, std::string> keep(uint64_t key, std::span<const uint8_t> bytes);
  /// Forgets what the key had, if anything.
  void drop(uint64_t key);
  void dropAll();
  /// Returns what the key has, and forgets it.
  Result<std::vector<uint8_t>, std::string> take(uint64_t key);
  uint64_t bytes() const { return m_bytes; }

private:
  struct Piece {
    uint64_t offset, size;
  };
  Result<void, std::string> open();

  const uint64_t m_mostBytes;
  int m_file = -1;
  uint64_t m_end = 0;  ///< of the file; memory before it is given back, addresses are not
  uint64_t m_bytes = 0;
  std::map<uint64_t, Piece> m_pieces;
};

}  // namespace aerogpu::snapshot
