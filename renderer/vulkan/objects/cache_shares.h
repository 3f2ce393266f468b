// SPDX-License-Identifier: MIT
// The owners of the entries in a cache of bounded size, oldest first: an owner that fills it loses its own
// entries. Asked only if an entry is missing in the cache. Render thread only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "renderer/base/host_memory.h"

namespace aerogpu::vk {

/// `Key`: small, finds the cache's entry. An owner is the account that the entry is charged to
/// (HostMemory::owner()), null = the guest as a whole, which may use all of the cache.
template <class Key>
class CacheShares {
public:
  using Owner = const HostMemory*;

  /// The most entries of all owners, and of all owners that have ended.
  struct Limits {
    size_t all, ended;
  };
  explicit CacheShares(const Limits& limits) : m_limits(limits) {}

  /// Returns how many entries of `bytes` one owner may have: half of all, and no more than fit in a quarter
  /// of its cap, so that it has room for the objects that it draws.
  size_t mostOf(Owner owner, uint64_t bytes) const {
    if (!owner) return m_limits.all;
    return std::max<size_t>(16, std::min<uint64_t>(m_limits.all / 2, owner->capBytes() / 4 / bytes));
  }

  /// Returns the owner of new entries.
  static Owner ownerNow(const HostMemory& account) {
    const HostMemory* share = account.share().get();
    return share ? &share->owner() : nullptr;
  }

  /// Calls `drop` for entries that must go before `owner` adds one more: some of its own oldest if it has
  /// `most`; else, if the cache is full, some of ended owners or, without those, of the owner with the most.
  /// True if it dropped any.
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

  /// Calls `drop` because there is no memory for one more entry of `owner`: for all entries of ended owners
  /// or, without those, for some of the owner's own.
  template <class Drop>
  bool giveUp(Owner owner, Drop drop) {
    if (!m_ended.empty()) return dropFirst(m_ended, m_ended.size(), drop);
    return dropSome(m_owners[owner], drop);
  }

  void add(Owner owner, Key key) {
    m_owners[owner].push_back(key);
    ++m_count;
  }

  /// Handles the end of an owner. Keeps some of its entries, since the next program may be the same.
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
  /// Drops an eighth: callers that keep handles look them up again after each drop.
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
  size_t m_count = 0;  ///< entries of all owners
  std::unordered_map<Owner, std::deque<Key>> m_owners;
  std::deque<Key> m_ended;
};

}  // namespace aerogpu::vk
