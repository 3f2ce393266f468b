// SPDX-License-Identifier: MIT
// Who put what into a cache of bounded size, oldest first: who fills it loses its own. Asked only when
// something is missing in the cache. Render thread only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "renderer/base/host_memory.h"

namespace aerogpu::vk {

/// `Key`: small, what the cache finds an entry by. An owner is the account that the entry is charged to
/// (HostMemory::owner()), null = the guest as a whole, which may have all of the cache.
template <class Key>
class CacheShares {
public:
  using Owner = const HostMemory*;

  /// How many entries all have, and all those that have ended.
  struct Limits {
    size_t all, ended;
  };
  explicit CacheShares(const Limits& limits) : m_limits(limits) {}

  /// How many of `bytes` each one owner may have: half of all, and no more than takes a quarter of what it
  /// may hold, so that there is room for what is drawn with them.
  size_t mostOf(Owner owner, uint64_t bytes) const {
    if (!owner) return m_limits.all;
    return std::max<size_t>(16, std::min<uint64_t>(m_limits.all / 2, owner->capBytes() / 4 / bytes));
  }

  /// Whose what is made now is.
  static Owner ownerNow(const HostMemory& account) {
    const HostMemory* share = account.share().get();
    return share ? &share->owner() : nullptr;
  }

  /// Calls `drop` for what has to go before `owner` adds one more: some of its own oldest when it has `most`,
  /// else some of who has most when the cache is full. True when something went.
  template <class Drop>
  bool makeRoom(Owner owner, size_t most, Drop drop) {
    std::deque<Key>& own = m_owners[owner];
    if (own.size() >= most) return dropSome(own, drop);
    if (m_count < m_limits.all) return false;
    if (!m_ended.empty()) return dropSome(m_ended, drop);
    const auto richest = std::max_element(m_owners.begin(), m_owners.end(), [](const auto& a, const auto& b) {
      return a.second.size() < b.second.size();
    });
    return dropSome(richest->second, drop);
  }

  /// The same when there is no memory for one more: all of those that have ended, else some of its own.
  template <class Drop>
  bool giveUp(Owner owner, Drop drop) {
    if (!m_ended.empty()) return dropFirst(m_ended, m_ended.size(), drop);
    return dropSome(m_owners[owner], drop);
  }

  void add(Owner owner, Key key) {
    m_owners[owner].push_back(key);
    ++m_count;
  }

  /// What it has is nobody's from now on; of that some is kept, since the next program may be the same.
  template <class Drop>
  bool ownerEnds(Owner owner, Drop drop) {
    const auto known = m_owners.find(owner);
    if (known == m_owners.end()) return false;
    m_ended.insert(m_ended.end(), known->second.begin(), known->second.end());
    m_owners.erase(known);
    return m_ended.size() > m_limits.ended && dropFirst(m_ended, m_ended.size() - m_limits.ended, drop);
  }

  size_t count(Owner owner) const {
    const auto known = m_owners.find(owner);
    return known == m_owners.end() ? 0 : known->second.size();
  }

private:
  /// An eighth: whoever remembers handles looks anew each time that something goes.
  template <class Drop>
  bool dropSome(std::deque<Key>& keys, Drop drop) {
    return dropFirst(keys, (keys.size() + 7) / 8, drop);
  }
  template <class Drop>
  bool dropFirst(std::deque<Key>& keys, size_t count, Drop drop) {
    for (size_t i = 0; i < count; ++i) {
      drop(keys.front());
      keys.pop_front();
      --m_count;
    }
    return count != 0;
  }

  const Limits m_limits;
  size_t m_count = 0;  ///< of all
  std::unordered_map<Owner, std::deque<Key>> m_owners;
  std::deque<Key> m_ended;
};

}  // namespace aerogpu::vk
