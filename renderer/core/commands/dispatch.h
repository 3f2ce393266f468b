// SPDX-License-Identifier: MIT
// Finds the command that runs a packet.
#pragma once

#include "renderer/base/result.h"
#include "renderer/cmd/stream.h"

namespace aerogpu::core {

struct Submission;

/// Checks the packet and runs its command (commands.h). Returns the first check's error, or what the command
/// returns; an unknown opcode is a success. Render thread.
Result<void> dispatch(Submission& s, const cmd::Packet& packet);

}  // namespace aerogpu::core
