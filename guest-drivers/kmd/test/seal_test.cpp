// SPDX-License-Identifier: MIT
// Tests SipHash-2-4 against the vectors in the appendix of its paper and in its authors' reference.
#include "guest-drivers/kmd/logic/seal.h"

#include <gtest/gtest.h>

namespace {

using aero::Seal;

constexpr uint64_t kLow = 0x0706050403020100, kHigh = 0x0F0E0D0C0B0A0908;

TEST(Seal, IsSipHash) {
  uint8_t message[16];
  for (size_t i = 0; i < sizeof message; i++) message[i] = static_cast<uint8_t>(i);
  const Seal seal(kLow, kHigh);
  EXPECT_EQ(seal.of(message, 15), 0xA129CA6149BE45E5u) << "the paper, appendix A";
  EXPECT_EQ(seal.of(message, 0), 0x726FDB47DD0E0E31u);
  EXPECT_EQ(seal.of(message, 1), 0x74F839C593DC67FDu);
  EXPECT_EQ(seal.of(message, 7), 0xAB0200F58B01D137u);
  EXPECT_EQ(seal.of(message, 8), 0x93F5F5799A932462u);
}

TEST(Seal, EachWordOfEntropyChangesTheKey) {
  uint64_t words[32] = {};
  const char text[] = "the same bytes";
  const uint64_t before = Seal::fromEntropy(words, 32).of(text, sizeof text);
  for (uint64_t &word : words) {
    word = 1;
    EXPECT_NE(Seal::fromEntropy(words, 32).of(text, sizeof text), before) << &word - words;
    word = 0;
  }
  EXPECT_EQ(Seal::fromEntropy(words, 32).of(text, sizeof text), before);
}

}  // namespace
