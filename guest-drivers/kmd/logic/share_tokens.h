// SPDX-License-Identifier: MIT
// share_tokens.h: manages the lifetime of share tokens (PRIV-5, EX-40, EX-42). Not locked: the owner serialises.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace aero {

/** A token in the list of live ones; embedded in the allocation that it stands for. */
struct ShareToken {
  uint64_t value = 0;  // 0 = not shared
  ShareToken *next = nullptr;
  ShareToken **link = nullptr;
};

class ShareTokens {
public:
  /** `seed` differs from start to start (a clock), so that a token of an earlier start is never reused. */
  explicit ShareTokens(uint64_t seed = 1) { reseed(seed); }

  void reseed(uint64_t seed) { m_next = (seed << 20) | 1; }

  /** Makes a new token and enters it. */
  void create(ShareToken &token) {
    token.value = m_next++;
    if (!token.value) token.value = m_next++;
    ShareToken *&head = bucket(token.value);
    token.next = head;
    if (head) head->link = &token.next;
    token.link = &head;
    head = &token;
  }

  /** Removes the token; its value is never used again. */
  void remove(ShareToken &token) {
    if (!token.link) return;
    *token.link = token.next;
    if (token.next) token.next->link = token.link;
    token = {};
  }

  /** Returns the live token with this value, or null. */
  const ShareToken *find(uint64_t value) const {
    const ShareToken *token = m_buckets[value % kBuckets];
    while (token && token->value != value) token = token->next;
    return token;
  }
  bool living(uint64_t value) const { return find(value) != nullptr; }

private:
  static constexpr size_t kBuckets = 256;

  ShareToken *&bucket(uint64_t value) { return m_buckets[value % kBuckets]; }

  uint64_t m_next = 0;
  ShareToken *m_buckets[kBuckets] = {};
};

}  // namespace aero
