// SPDX-License-Identifier: MIT
// The only code that touches packet bytes: copies the structure out, finds the variable data, checks both
// against the packet's end. CMD-5, CMD-6.
#pragma once

#include <cstring>
#include <span>

#include "renderer/cmd/stream.h"

namespace aerogpu::cmd {

/// A packet's structure and its tail, which points into the private copy of the stream.
template <class Wire, class Elem>
struct Tailed {
  Wire fixed;
  std::span<const Elem> tail;
};

template <class Wire>
Result<Wire> readFixed(const Packet& packet) {
  Wire fixed;
  if (packet.bytes.size() < sizeof fixed)
    return refused(ErrorCode::CmdDecode, "packet shorter than its structure",
                   {{"size_bytes", packet.bytes.size()}, {"limit", sizeof fixed}});
  std::memcpy(&fixed, packet.bytes.data(), sizeof fixed);
  return fixed;
}

/// `countOf` returns the number of elements that follow. Streams and elements are 4-byte aligned.
template <class Wire, class Elem, class CountOf>
Result<Tailed<Wire, Elem>> readTailed(const Packet& packet, CountOf countOf) {
  static_assert(alignof(Elem) <= 4 && sizeof(Wire) % alignof(Elem) == 0);
  Result<Wire> fixed = readFixed<Wire>(packet);
  if (!fixed) return fixed.error();
  const std::span<const uint8_t> rest = packet.bytes.subspan(sizeof(Wire));
  const uint64_t count = countOf(*fixed);
  if (count > rest.size() / sizeof(Elem))
    return refused(ErrorCode::CmdDecode, "elements run past the packet",
                   {{"elements", count}, {"limit", rest.size() / sizeof(Elem)}});
  return Tailed<Wire, Elem>{*fixed, {reinterpret_cast<const Elem*>(rest.data()), static_cast<size_t>(count)}};
}

/// Takes everything up to the packet's end as the tail.
template <class Wire>
Result<Tailed<Wire, uint8_t>> readRest(const Packet& packet) {
  Result<Wire> fixed = readFixed<Wire>(packet);
  if (!fixed) return fixed.error();
  return Tailed<Wire, uint8_t>{*fixed, packet.bytes.subspan(sizeof(Wire))};
}

}  // namespace aerogpu::cmd
