// SPDX-License-Identifier: MIT
// Test support: the driver's heap on Linux, which can run out.
#pragma once

#include <cstddef>

namespace aero::test {

/** Returns the number of blocks that the driver holds. */
size_t heapBlocks();
/** Makes all allocations after `count` more fail; negative: none fails. */
void failHeapAfter(long count);

}  // namespace aero::test
