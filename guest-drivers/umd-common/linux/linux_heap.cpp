// SPDX-License-Identifier: MIT
#include "guest-drivers/umd-common/linux/linux_heap.h"

#include <cstdlib>

#include "guest-drivers/umd-common/base/heap.h"

namespace {
size_t s_blocks = 0;
long s_left = -1;
}  // namespace

namespace aero {

void *heapAllocate(size_t bytes) {
  if (s_left == 0) return nullptr;
  if (s_left > 0) s_left--;
  s_blocks++;
  return std::calloc(1, bytes ? bytes : 1);
}

void heapFree(void *memory) {
  if (!memory) return;
  s_blocks--;
  std::free(memory);
}

}  // namespace aero

namespace aero::test {

size_t heapBlocks() {
  return s_blocks;
}

void failHeapAfter(long count) {
  s_left = count;
}

}  // namespace aero::test
