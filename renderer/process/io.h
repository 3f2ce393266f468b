// SPDX-License-Identifier: MIT
// Whole reads and writes on a blocking descriptor, for the child that serves a call. Async-signal-safe.
#pragma once

#include <cstddef>

namespace aerogpu::process {

/// Return false at the end of the stream, on an error, or if the other side is gone.
bool readAll(int fd, void* bytes, size_t size);
bool writeAll(int fd, const void* bytes, size_t size);

}  // namespace aerogpu::process
