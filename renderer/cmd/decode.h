// SPDX-License-Identifier: MIT
// Decodes a packet, checks its structure and calls the function that runs it. Packets have one of three
// shapes, as the command table says (aerogpu_cmd_table.h).
#pragma once

#include "renderer/cmd/check.h"
#include "renderer/cmd/read.h"

namespace aerogpu::cmd {

// Each makes every check that the packet alone allows, and then calls `run(context, structure)`, with what
// follows the structure, if anything does. Returns the first check's error, or what `run` returns. They
// are inlined so that `run`, a constant, is called directly.

/// Decodes a structure with nothing after it.
template <class Context, class Wire>
[[gnu::always_inline]] inline Result<void> decodeFixed(const Packet& packet, Context& context,
                                                       Result<void> (*run)(Context&, const Wire&)) {
  const auto fixed = readFixed<Wire>(packet);
  if (!fixed) return fixed.error();
  if (auto checked = check(*fixed, packet.streamMinor); !checked) return checked;
  return run(context, *fixed);
}

/// Decodes a structure and as many elements as `countOf` says, uint64_t(const Wire&).
template <class Context, class Wire, class Elem, class CountOf>
[[gnu::always_inline]] inline Result<void> decodeTail(const Packet& packet, Context& context,
                                                      Result<void> (*run)(Context&, const Wire&,
                                                                          std::span<const Elem>),
                                                      CountOf countOf) {
  const auto read = readTailed<Wire, Elem>(packet, countOf);
  if (!read) return read.error();
  if (auto checked = check(read->fixed, packet.streamMinor); !checked) return checked;
  return run(context, read->fixed, read->tail);
}

/// Decodes a structure; passes on whatever follows, up to the packet's end.
template <class Context, class Wire>
[[gnu::always_inline]] inline Result<void> decodeRest(const Packet& packet, Context& context,
                                                      Result<void> (*run)(Context&, const Wire&,
                                                                          std::span<const uint8_t>)) {
  const auto read = readRest<Wire>(packet);
  if (!read) return read.error();
  if (auto checked = check(read->fixed, packet.streamMinor); !checked) return checked;
  return run(context, read->fixed, read->tail);
}

}  // namespace aerogpu::cmd
