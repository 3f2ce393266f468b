// SPDX-License-Identifier: MIT
// words.h: accesses 64-bit words in memory that the device reads or writes at the same time. Each access is
// atomic, also on x86, without the floating-point unit, which the kernel does not save.
#pragma once

#include <stdint.h>

namespace aero {

/** Loads the whole word, before anything the caller reads next. Any IRQL. */
inline uint64_t loadWord(uint64_t *word) {
#ifdef __x86_64__
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#else
  return __sync_val_compare_and_swap(word, uint64_t{0}, uint64_t{0});  // cmpxchg8b that exchanges nothing
#endif
}

/** Stores the whole word, after anything the caller wrote before. `word` is aligned to 8 bytes. Any IRQL. */
inline void storeWord(uint64_t *word, uint64_t value) {
#ifdef __x86_64__
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
#else
  // This reads in two halves and may be torn; the exchange then returns the true value.
  uint64_t old = *word;
  for (uint64_t found; (found = __sync_val_compare_and_swap(word, old, value)) != old;) old = found;
#endif
}

}  // namespace aero
