// SPDX-License-Identifier: MIT
// The rights that a helper process gives up: some for good when it starts, and nearly all of the rest in each
// child, before that looks at a guest's bytes.
#pragma once

#include <cstdint>

#include "renderer/process/protocol.h"

namespace aerogpu::process {

/// Drops root, capabilities, the chance to gain any, the working directory and core dumps. False when the
/// kernel lacks what enterSandbox needs.
bool dropPrivileges();

/// Bytes of address space that this process has mapped.
uint64_t mappedBytes();

/// From here on this process can compute, allocate, read and write its open descriptors, and end; it is
/// killed at the limits and when `parent` ends. `mapped`: mappedBytes() at the start. False when that could
/// not be brought about.
bool enterSandbox(const Limits& limits, uint64_t mapped, int parent);

}  // namespace aerogpu::process
