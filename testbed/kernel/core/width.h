// SPDX-License-Identifier: MIT
// The host is compiled for the processor of its driver: x64, or x86 with 32-bit pointers. Addresses are
// 64-bit numbers on both, zero-extended, so that sums do not wrap.
#pragma once

#include <cstdint>

namespace aerogpu::host {

inline constexpr bool kIs64 = sizeof(void*) == 8;

/// Selects a value by the host's width.
constexpr uintptr_t byWidth(uint64_t x64, uint64_t x86) {
  return static_cast<uintptr_t>(kIs64 ? x64 : x86);
}

/// Returns the pointer to `address`, an address of this process.
template <class T = void>
T* pointerTo(uint64_t address) {
  return reinterpret_cast<T*>(static_cast<uintptr_t>(address));
}

}  // namespace aerogpu::host
