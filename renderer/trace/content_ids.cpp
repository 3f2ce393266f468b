// SPDX-License-Identifier: MIT
#include "renderer/trace/content_ids.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace aerogpu::trace {

namespace {

/// Folds both halves of the 128-bit product: every bit of either factor reaches every bit of the result.
uint64_t mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

ContentIds::ContentIds() {
  std::random_device random;
  for (uint64_t& word : m_seed) word = (uint64_t{random()} << 32 | random()) | 1;
}

ContentIds::Key ContentIds::keyOf(BlobKind kind, std::span<const uint8_t> bytes) const {
  uint64_t low = m_seed[0] ^ static_cast<uint64_t>(kind), high = m_seed[1] ^ bytes.size();
  for (size_t at = 0; at < bytes.size(); at += 16) {
    uint64_t words[2] = {0, 0};
    std::memcpy(words, bytes.data() + at, std::min<size_t>(16, bytes.size() - at));
    low = mix(low ^ words[0], m_seed[2] ^ words[1]);
    high = mix(high ^ words[1], m_seed[3] ^ words[0]) + low;
  }
  return {mix(low, m_seed[3]) ^ high, mix(high, m_seed[2]) ^ low};
}

uint64_t ContentIds::find(const Key& key) const {
  const auto known = m_ids.find(key);
  return known == m_ids.end() ? 0 : known->second;
}

void ContentIds::remember(const Key& key, uint64_t blob) {
  if (!m_ids.emplace(key, blob).second) return;
  if (m_order.size() < kMaxEntries) {
    m_order.push_back(key);
    return;
  }
  m_ids.erase(m_order[m_oldest]);
  m_order[m_oldest] = key;
  m_oldest = (m_oldest + 1) % kMaxEntries;
}

}  // namespace aerogpu::trace
