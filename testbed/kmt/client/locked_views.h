// SPDX-License-Identifier: MIT
// locked_views.h: where the program sees locked allocations. An allocation that is locked twice is seen at
// one place. Any thread.
#pragma once

#include <stdint.h>

namespace aerogpu::kmt {

/// A lock's memory; null where it cannot be mapped.
void *mapLocked(uint32_t allocation, uint32_t file, uint64_t offset, uint64_t bytes);
/// One lock less; the last one ends the mapping.
void unmapLocked(uint32_t allocation);

}  // namespace aerogpu::kmt
