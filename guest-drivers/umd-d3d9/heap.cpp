// SPDX-License-Identifier: MIT
#include "heap.h"

#include "windows_base.h"

namespace aero {

void *heapAllocate(size_t bytes) {
  return HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, bytes);
}

void heapFree(void *memory) {
  if (memory) HeapFree(GetProcessHeap(), 0, memory);
}

}  // namespace aero
