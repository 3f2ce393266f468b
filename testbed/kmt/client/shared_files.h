// SPDX-License-Identifier: MIT
// shared_files.h: memory that the program and the driver host both see: ranges of files that the greeting
// names. Small files are mapped whole, and so is guest memory in 64-bit programs; 32-bit ones map those pages
// of 2 MiB that they use. Any thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "testbed/kmt/wire.h"

namespace aerogpu::kmt {

/// Takes over the greeting's files. Once, before the first map.
void setSharedFiles(const SharedFile *files, uint32_t count);
/// Where the program sees the range; null, after a line that says why, where it cannot be mapped.
void *mapShared(uint32_t file, uint64_t offset, uint64_t bytes);
/// Ends what mapShared() gave for that file; null is taken.
void unmapShared(uint32_t file, void *address);

}  // namespace aerogpu::kmt
