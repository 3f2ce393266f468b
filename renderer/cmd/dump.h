// SPDX-License-Identifier: MIT
// Prints packets, one a line, for people. Fields and names come from packet_fields.h.
#pragma once

#include <string>

#include "renderer/cmd/stream.h"

namespace aerogpu::cmd {

/// Returns "OFFSET NAME field=value ...", with the number of elements or bytes that follow the structure. The
/// text says so if a packet is too short for its structure.
std::string dumpPacket(const Packet& packet);

}  // namespace aerogpu::cmd
