// SPDX-License-Identifier: MIT
// locked_views.h: maps locked allocations into the program. An allocation that is locked twice keeps its address. Any
// thread.
#pragma once

#include <stdint.h>

namespace aerogpu::kmt {

/// Adds a lock and returns the address of the locked bytes; null if they cannot be mapped.
void *mapLocked(uint32_t allocation, uint32_t file, uint64_t offset, uint64_t bytes);
/// Removes a lock; in 32-bit programs the last one ends the mapping. 64-bit programs keep the file mapped.
void unmapLocked(uint32_t allocation);

}  // namespace aerogpu::kmt
