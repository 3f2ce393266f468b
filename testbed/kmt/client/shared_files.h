// SPDX-License-Identifier: MIT
// shared_files.h: memory that the program and the driver host share: ranges of files that the greeting names. Small
// files are mapped whole, and so is guest memory in 64-bit programs; 32-bit ones map only the 2 MiB pages that they
// use. Any thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "testbed/kmt/wire.h"

namespace aerogpu::kmt {

/// Takes over the greeting's files. Called once, before the first map.
void setSharedFiles(const SharedFile *files, uint32_t count);
/// Returns the range's address in the program; null, after a line with the reason, if it cannot be mapped.
void *mapShared(uint32_t file, uint64_t offset, uint64_t bytes);
/// Releases the result of mapShared() for that file; null is allowed.
void unmapShared(uint32_t file, void *address);

}  // namespace aerogpu::kmt
