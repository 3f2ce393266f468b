// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-common/base/heap.h"

#include "guest-drivers/umd-common/base/windows_base.h"

namespace aero {

#if defined(_WIN64)

void *heapAllocate(size_t bytes) {
  return HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, bytes);
}

void heapFree(void *memory) {
  if (memory) HeapFree(GetProcessHeap(), 0, memory);
}

#else

namespace {
constexpr size_t kAlignment = 16;
}

// Heaps of x86 align to 8 bytes, and programs write to locked memory with SSE, which needs 16. The byte before the
// returned memory holds its distance from the start of the heap block, 8 or 16 bytes.
void *heapAllocate(size_t bytes) {
  if (bytes > SIZE_MAX - kAlignment) return nullptr;
  auto *block = static_cast<uint8_t *>(HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, bytes + kAlignment));
  if (!block) return nullptr;
  const size_t shift = kAlignment - reinterpret_cast<uintptr_t>(block) % kAlignment;
  block[shift - 1] = static_cast<uint8_t>(shift);
  return block + shift;
}

void heapFree(void *memory) {
  if (!memory) return;
  auto *bytes = static_cast<uint8_t *>(memory);
  HeapFree(GetProcessHeap(), 0, bytes - bytes[-1]);
}

#endif

}  // namespace aero
