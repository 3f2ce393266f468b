// SPDX-License-Identifier: MIT
#include "guest-drivers/kmd/os/entropy.h"

#include "guest-drivers/kmd/os/nt.h"

namespace aero {
namespace {

/** True if the processor has RDRAND: CPUID.01H:ECX bit 30 (Intel's manual, volume 2A). */
bool hasGenerator() {
  uint32_t a = 1, b, c = 0, d;
  __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  return c >> 30 & 1;
}

/** Returns a word from the generator; its previous value if the generator has none ready. */
uintptr_t generated() {
  uintptr_t word;
  bool ready = false;
  for (int i = 0; i < 10 && !ready; i++) __asm__ volatile("rdrand %0" : "=r"(word), "=@ccc"(ready));
  return word;
}

}  // namespace

Seal newSealKey() {
  constexpr size_t kWords = 32;
  uint64_t words[kWords];
  const bool generator = hasGenerator();
  for (size_t i = 0; i < kWords; i++) {
    // The time that a reading of the counter takes varies in its last bits.
    words[i] = static_cast<uint64_t>(KeQueryPerformanceCounter(nullptr).QuadPart) ^ __builtin_ia32_rdtsc() << 16;
    if (generator) words[i] ^= static_cast<uint64_t>(generated()) << (i % 2 ? 32 : 0);
  }
  words[0] ^= KeQueryInterruptTime();
  words[1] ^= reinterpret_cast<ULONG_PTR>(&words);
  return Seal::fromEntropy(words, kWords);
}

}  // namespace aero
