// SPDX-License-Identifier: MIT
// Finds the blob of a trace file with given bytes, so that unchanged bytes are written once. Bounded: the
// oldest are forgotten. One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "renderer/trace/container.h"

namespace aerogpu::trace {

class ContentIds {
public:
  /// 128 bits of the contents. Seeded anew for each capture, so that a guest cannot aim at a collision.
  struct Key {
    uint64_t low = 0, high = 0;
    bool operator==(const Key&) const = default;
  };

  ContentIds();
  Key keyOf(BlobKind kind, std::span<const uint8_t> bytes) const;
  /// Returns the remembered blob with these contents; 0 = none.
  uint64_t find(const Key& key) const;
  void remember(const Key& key, uint64_t blob);
  size_t size() const { return m_ids.size(); }

  static constexpr size_t kMaxEntries = 65536;

private:
  struct Hash {
    size_t operator()(const Key& key) const { return key.low; }
  };
  std::array<uint64_t, 4> m_seed{};
  std::unordered_map<Key, uint64_t, Hash> m_ids;
  std::vector<Key> m_order;  ///< a ring of the keys, oldest at m_oldest once it is full
  size_t m_oldest = 0;
};

}  // namespace aerogpu::trace
