// SPDX-License-Identifier: MIT
// A hash for numbers that a guest chooses. Seeded per process, so that a guest cannot choose many colliding
// numbers and turn every look-up into a walk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace aerogpu {

struct SaltedHash {
  size_t operator()(uint64_t key) const {
    // Both words of the product of the salted key, folded twice: the keys that collide depend on both salts.
    __extension__ using Wide = unsigned __int128;
    const auto fold = [](uint64_t a, uint64_t b) {
      const Wide product = Wide{a} * b;
      return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    };
    const Salts& s = salts();
    return fold(fold(key ^ s.a, 0x9E3779B97F4A7C15u), s.b);
  }

private:
  struct Salts {
    uint64_t a, b;
  };
  static const Salts& salts() {
    static const Salts once = [] {
      std::random_device random;
      const auto word = [&] { return uint64_t{random()} << 32 | random(); };
      return Salts{word(), word() | 1};
    }();
    return once;
  }
};

}  // namespace aerogpu
