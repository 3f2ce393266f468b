// SPDX-License-Identifier: MIT
// Counts the allocations with new of the code under test; drivers are written in C and use malloc. For one
// source of a program, which gets these operators new and delete.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>

// A program has one set. NOLINTBEGIN(misc-definitions-in-headers)
namespace {
thread_local uint64_t allocations = 0;  // other threads are not the code under test
}

void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
/// std::stable_sort asks for its buffer so.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
// NOLINTEND(misc-definitions-in-headers)
