// SPDX-License-Identifier: MIT
// Writes the packets of a command stream (docs/abi/commands.md) for drivers, the guest program and tests. A packet is
// its structure: opcode, size and the number of elements that follow come from the packets' description. Values are
// not checked. C++17, no heap, exceptions, library or floating point; any IRQL. Not thread-safe.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>

#include "packet_types.hpp"

namespace aerogpu {

/// A pointer to the elements that follow a structure.
template <class Wire>
using PacketElements = std::conditional_t<std::is_same_v<typename PacketType<Wire>::Element, uint8_t>, const void*,
                                          const typename PacketType<Wire>::Element*>;

/// The functions of all writers. `Writer` derives from it and has reserve(bytes): it extends the stream by that many
/// bytes (a multiple of 4), not initialised, or returns null if there is no room. A returned pointer is valid until
/// the next call.
template <class Writer>
class PacketAppender {
public:
  /// Appends a packet and fills in its hdr; false if there is no room.
  template <class Wire>
  bool packet(const Wire& fixed) {
    return packet(PacketType<Wire>::kOpcode, fixed);
  }

  /// Appends a packet and `count` elements, and fills in their number too. The pointer may point to any bytes.
  template <class Wire>
  bool packet(Wire fixed, PacketElements<Wire> elements, size_t count) {
    PacketType<Wire>::setCount(fixed, count);
    return packetWithTail(PacketType<Wire>::kOpcode, fixed, elements,
                          count * sizeof(typename PacketType<Wire>::Element));
  }

  /// Appends a packet in place, zeroed but for hdr; null if there is no room.
  template <class Wire>
  Wire* append() {
    return static_cast<Wire*>(zeroed(PacketType<Wire>::kOpcode, sizeof(Wire), 0));
  }

  /// Appends a packet in place with `count` zeroed elements, and fills in their number.
  template <class Wire>
  Wire* append(size_t count) {
    using Element = typename PacketType<Wire>::Element;
    constexpr size_t kMostBytes = SIZE_MAX / 2;  // more than any writer has room for
    const size_t bytes = count > kMostBytes / sizeof(Element) ? kMostBytes : count * sizeof(Element);
    auto* packet = static_cast<Wire*>(zeroed(PacketType<Wire>::kOpcode, sizeof(Wire), bytes));
    if (packet) PacketType<Wire>::setCount(*packet, count);
    return packet;
  }
  template <class Wire>
  static typename PacketType<Wire>::Element* elementsOf(Wire* packet) {
    return reinterpret_cast<typename PacketType<Wire>::Element*>(packet + 1);
  }

  /// Appends `fixed` under this opcode: for packets that share a structure, and for streams that are wrong on
  /// purpose.
  template <class Wire>
  bool packet(uint32_t opcode, const Wire& fixed) {
    return packetWithTail(opcode, fixed, nullptr, 0);
  }
  /// Appends `fixed` and `tailBytes` bytes, padded with zeros to a multiple of 4; does not change a number of
  /// elements.
  template <class Wire>
  bool packetWithTail(uint32_t opcode, const Wire& fixed, const void* tail, size_t tailBytes) {
    auto* at = static_cast<uint8_t*>(zeroed(opcode, sizeof fixed, tailBytes));
    if (!at) return false;
    const auto* bytes = reinterpret_cast<const uint8_t*>(&fixed);
    memcpy(at + sizeof(aerogpu_cmd_hdr), bytes + sizeof(aerogpu_cmd_hdr), sizeof fixed - sizeof(aerogpu_cmd_hdr));
    if (tailBytes) memcpy(at + sizeof fixed, tail, tailBytes);
    return true;
  }

private:
  void* zeroed(uint32_t opcode, size_t fixedBytes, size_t tailBytes) {
    const size_t bytes = (fixedBytes + tailBytes + 3) & ~size_t{3};
    uint8_t* at = static_cast<Writer*>(this)->reserve(bytes);
    if (!at) return nullptr;
    memset(at, 0, bytes);
    const aerogpu_cmd_hdr hdr = {opcode, static_cast<uint32_t>(bytes)};
    memcpy(at, &hdr, sizeof hdr);
    return at;
  }
};

/// Writes into memory of fixed size. Does not begin a packet that does not fit, and stays full() from then on.
class PacketWriter : public PacketAppender<PacketWriter> {
public:
  /// `buffer` has room for `bytes` bytes (a multiple of 4) and outlives the writer.
  PacketWriter(void* buffer, size_t bytes) : m_buffer(static_cast<uint8_t*>(buffer)), m_room(bytes) {}

  size_t used() const { return m_used; }
  size_t room() const { return m_room - m_used; }
  bool full() const { return m_full; }

  /// Removes everything after `used` bytes from the stream, and resets full().
  void rewind(size_t used) {
    m_used = used;
    m_full = false;
  }

private:
  friend class PacketAppender<PacketWriter>;

  uint8_t* reserve(size_t bytes) {
    if (m_full || bytes > room()) {
      m_full = true;
      return nullptr;
    }
    uint8_t* at = m_buffer + m_used;
    m_used += bytes;
    return at;
  }

  uint8_t* m_buffer;
  size_t m_room;
  size_t m_used = 0;
  bool m_full = false;
};

}  // namespace aerogpu
