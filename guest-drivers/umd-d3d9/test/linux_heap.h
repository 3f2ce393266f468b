// SPDX-License-Identifier: MIT
// Test support: the driver's heap on Linux, which can run out.
#pragma once

#include <cstddef>

namespace aero::test {

/** Blocks that the driver holds. */
size_t heapBlocks();
/** The allocation after `count` more fails, and all after it; negative: none does. */
void failHeapAfter(long count);

}  // namespace aero::test
