// SPDX-License-Identifier: MIT
// Turns a packet into a checked, typed command: expands the command table once. Skips unknown opcodes.
#pragma once

#include "renderer/cmd/check.h"
#include "renderer/cmd/read.h"

namespace aerogpu::cmd {

/// Calls `visitor.run(wire)` or `visitor.run(wire, tail)` for the packet, after every check that needs only
/// the packet. Returns the visitor's result, or the first check's error; an unknown opcode is a success.
template <class Visitor>
Result<void> decode(const Packet& packet, Visitor& visitor) {
  const uint32_t minor = packet.streamMinor;
  switch (packet.opcode) {
#define AEROGPU_DECODE_FIXED(NAME, STRUCT)                             \
  case AEROGPU_CMD_##NAME: {                                           \
    const auto fixed = readFixed<struct aerogpu_cmd_##STRUCT>(packet); \
    if (!fixed) return fixed.error();                                  \
    if (auto checked = check(*fixed, minor); !checked) return checked; \
    return visitor.run(*fixed);                                        \
  }
#define AEROGPU_DECODE_TAIL(NAME, STRUCT, ELEM, COUNT)                                     \
  case AEROGPU_CMD_##NAME: {                                                               \
    const auto read = readTailed<struct aerogpu_cmd_##STRUCT, ELEM>(                       \
        packet, [](const struct aerogpu_cmd_##STRUCT& c) -> uint64_t { return c.COUNT; }); \
    if (!read) return read.error();                                                        \
    if (auto checked = check(read->fixed, minor); !checked) return checked;                \
    return visitor.run(read->fixed, read->tail);                                           \
  }
#define AEROGPU_DECODE_REST(NAME, STRUCT)                                   \
  case AEROGPU_CMD_##NAME: {                                                \
    const auto read = readRest<struct aerogpu_cmd_##STRUCT>(packet);        \
    if (!read) return read.error();                                         \
    if (auto checked = check(read->fixed, minor); !checked) return checked; \
    return visitor.run(read->fixed, read->tail);                            \
  }
    AEROGPU_CMD_TABLE(AEROGPU_DECODE_FIXED, AEROGPU_DECODE_TAIL, AEROGPU_DECODE_REST)
#undef AEROGPU_DECODE_FIXED
#undef AEROGPU_DECODE_TAIL
#undef AEROGPU_DECODE_REST
    default:
      return {};
  }
}

}  // namespace aerogpu::cmd
