// SPDX-License-Identifier: MIT
// Runs the packets of a snapshot.
#pragma once

#include "renderer/base/result.h"
#include "renderer/cmd/stream.h"

namespace aerogpu::snapshot {

struct Loading;

/// Decodes, checks and runs a packet that a snapshot may have; CmdDecode for any other.
Result<void> dispatch(Loading& l, const cmd::Packet& packet);

}  // namespace aerogpu::snapshot
