// SPDX-License-Identifier: MIT
// The rights that a helper process gives up: some for good when it starts, and nearly all others in each
// child, before it reads a guest's bytes.
#pragma once

#include <cstdint>

#include "renderer/process/protocol.h"

namespace aerogpu::process {

/// Drops root, capabilities, the chance to gain any, the working directory and core dumps. False if the
/// kernel lacks the means for enterSandbox.
bool dropPrivileges();

/// Returns the bytes of address space that this process has mapped.
uint64_t mappedBytes();

/// Restricts this process to computing, allocating, reading and writing its open descriptors, and ending; has
/// it killed at the limits and when `parent` ends. `mapped`: mappedBytes() at the start. False if that
/// failed.
bool enterSandbox(const Limits& limits, uint64_t mapped, int parent);

}  // namespace aerogpu::process
