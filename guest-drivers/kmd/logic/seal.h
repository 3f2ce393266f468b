// SPDX-License-Identifier: MIT
// seal.h: computes a number over bytes that only the holder of the key can compute: SipHash-2-4 (Aumasson and
// Bernstein, "SipHash: a fast short-input PRF", 2012). The driver recognises its own descriptions of standard
// allocations by it (PRIV-18). Any IRQL.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace aero {

class Seal {
public:
  constexpr Seal() = default;
  constexpr Seal(uint64_t low, uint64_t high) : m_low(low), m_high(high) {}

  /** Makes a key from words that an attacker does not know in full. */
  static Seal fromEntropy(const uint64_t *words, size_t count) {
    const size_t bytes = count * sizeof *words;
    return {Seal(1, 2).of(words, bytes), Seal(3, 4).of(words, bytes)};
  }

  uint64_t of(const void *data, size_t bytes) const {
    State s = {m_low ^ 0x736F6D6570736575u, m_high ^ 0x646F72616E646F6Du, m_low ^ 0x6C7967656E657261u,
               m_high ^ 0x7465646279746573u};
    const auto *at = static_cast<const uint8_t *>(data);
    for (size_t whole = bytes / 8; whole; whole--, at += 8) {
      uint64_t word;
      memcpy(&word, at, sizeof word);
      s.absorb(word);
    }
    uint64_t last = uint64_t{bytes & 0xFF} << 56;
    for (size_t i = 0; i < bytes % 8; i++) last |= uint64_t{at[i]} << 8 * i;
    s.absorb(last);
    s.c ^= 0xFF;
    for (int i = 0; i < 4; i++) s.round();
    return s.a ^ s.b ^ s.c ^ s.d;
  }

private:
  struct State {
    uint64_t a, b, c, d;
    static constexpr uint64_t rotate(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }
    void round() {
      a += b;
      b = rotate(b, 13) ^ a;
      a = rotate(a, 32);
      c += d;
      d = rotate(d, 16) ^ c;
      a += d;
      d = rotate(d, 21) ^ a;
      c += b;
      b = rotate(b, 17) ^ c;
      c = rotate(c, 32);
    }
    void absorb(uint64_t word) {
      d ^= word;
      round();
      round();
      a ^= word;
    }
  };

  uint64_t m_low = 0, m_high = 0;
};

}  // namespace aero
