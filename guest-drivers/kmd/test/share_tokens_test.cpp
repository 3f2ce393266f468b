// SPDX-License-Identifier: MIT
// Tests share tokens (docs/abi/d3d9ex.md): they are unique, never 0, do not change while they live, and are never
// reused.
#include "guest-drivers/kmd/logic/share_tokens.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace {

using namespace aero;

// PRIV-3, EX-40
TEST(ShareTokens, LiveFromCreateToRemove) {
  ShareTokens tokens(1);
  ShareToken token;
  EXPECT_EQ(token.value, 0u);
  EXPECT_FALSE(tokens.living(0));
  tokens.create(token);
  const uint64_t value = token.value;
  EXPECT_NE(value, 0u);
  EXPECT_TRUE(tokens.living(value));
  EXPECT_FALSE(tokens.living(value + 1));
  tokens.remove(token);
  EXPECT_EQ(token.value, 0u);
  EXPECT_FALSE(tokens.living(value));
}

TEST(ShareTokens, RemovingTwiceOrWhatNeverWasDoesNothing) {
  ShareTokens tokens(1);
  ShareToken token, other;
  tokens.remove(token);
  tokens.create(token);
  tokens.create(other);
  tokens.remove(token);
  tokens.remove(token);
  EXPECT_TRUE(tokens.living(other.value));
}

// EX-42
TEST(ShareTokens, NeverTheSameAgain) {
  ShareTokens tokens(42);
  std::set<uint64_t> seen;
  ShareToken token;
  for (int i = 0; i < 20000; i++) {
    tokens.create(token);
    EXPECT_TRUE(seen.insert(token.value).second);
    tokens.remove(token);
  }
}

// PRIV-5
TEST(ShareTokens, ALaterStartRepeatsNothing) {
  // Seeds are a clock: the next start has a later one. A million tokens fit in between.
  ShareTokens first(1000), second(1001);
  std::set<uint64_t> seen;
  ShareToken token;
  for (int i = 0; i < 5000; i++) {
    first.create(token);
    seen.insert(token.value);
    first.remove(token);
  }
  for (int i = 0; i < 5000; i++) {
    second.create(token);
    EXPECT_FALSE(seen.count(token.value));
    second.remove(token);
  }
}

/** Whatever the order of removal, the others stay. 1000 tokens share 256 buckets. */
TEST(ShareTokens, AnyOrderOfEnds) {
  for (const size_t stride : {1u, 7u, 999u, 501u}) {
    ShareTokens tokens(3);
    std::vector<ShareToken> all(1000);
    for (ShareToken &token : all) tokens.create(token);
    std::vector<uint64_t> values;
    values.reserve(all.size());
    for (const ShareToken &token : all) values.push_back(token.value);
    size_t at = 0;
    std::vector<bool> gone(all.size());
    for (size_t n = 0; n < all.size(); n++) {
      while (gone[at]) at = (at + 1) % all.size();
      tokens.remove(all[at]);
      gone[at] = true;
      for (size_t i = 0; n % 97 == 0 && i < all.size(); i++) ASSERT_EQ(tokens.living(values[i]), !gone[i]) << i;
      at = (at + stride) % all.size();
    }
    for (const uint64_t value : values) EXPECT_FALSE(tokens.living(value));
  }
}

TEST(ShareTokens, TheCountSkipsZero) {
  // A seed just before the wrap: the token after 2^64 - 1 is not 0.
  ShareTokens tokens(UINT64_MAX >> 20);
  ShareToken token;
  for (int i = 0; i < 100; i++) {
    tokens.create(token);
    EXPECT_NE(token.value, 0u);
    tokens.remove(token);
  }
}

}  // namespace
