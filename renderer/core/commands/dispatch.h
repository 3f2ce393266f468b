// SPDX-License-Identifier: MIT
// From a packet to the command that runs it.
#pragma once

#include "renderer/base/result.h"
#include "renderer/cmd/stream.h"

namespace aerogpu::core {

struct Submission;

/// Checks the packet and runs its command (commands.h). Returns the first check's error, or what the command
/// returns; an unknown opcode is a success. Render thread.
Result<void> dispatch(Submission& s, const cmd::Packet& packet);

}  // namespace aerogpu::core
