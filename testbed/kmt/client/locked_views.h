// SPDX-License-Identifier: MIT
// locked_views.h: the addresses of locked allocations in the program. An allocation that is locked twice has one
// address. Any thread.
#pragma once

#include <stdint.h>

namespace aerogpu::kmt {

/// Maps a lock's memory; returns null if that fails.
void *mapLocked(uint32_t allocation, uint32_t file, uint64_t offset, uint64_t bytes);
/// Removes one lock; the last one ends the mapping.
void unmapLocked(uint32_t allocation);

}  // namespace aerogpu::kmt
