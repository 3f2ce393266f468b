// SPDX-License-Identifier: MIT
// packet_writer.h: writes command packets into a buffer of fixed size (docs/abi/commands.md). Any IRQL.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "aerogpu/aerogpu_cmd.h"

namespace aero {

/** Appends whole packets; one that does not fit is not begun, and the writer stays full() from then on. */
class PacketWriter {
public:
  /** `buffer` has room for `bytes` bytes (a multiple of 4) and outlives the writer. */
  PacketWriter(void *buffer, size_t bytes) : m_buffer(static_cast<uint8_t *>(buffer)), m_room(bytes) {}

  /** A zeroed packet with its header set and `tail` bytes behind the structure, padded to 4; null when full. */
  template <class Packet> Packet *append(uint32_t opcode, size_t tail = 0) {
    return static_cast<Packet *>(reserve(opcode, sizeof(Packet) + ((tail + 3) & ~size_t{3})));
  }

  /** Where the tail of a packet begins. */
  template <class Packet> static uint8_t *tailOf(Packet *packet) { return reinterpret_cast<uint8_t *>(packet + 1); }

  size_t used() const { return m_used; }
  size_t room() const { return m_room - m_used; }
  bool full() const { return m_full; }

  /** Takes back everything after `used` bytes, and the memory of having been full. */
  void rewind(size_t used) {
    m_used = used;
    m_full = false;
  }

private:
  void *reserve(uint32_t opcode, size_t bytes) {
    if (m_full || bytes > m_room - m_used) {
      m_full = true;
      return nullptr;
    }
    uint8_t *at = m_buffer + m_used;
    memset(at, 0, bytes);
    const aerogpu_cmd_hdr header = {opcode, static_cast<uint32_t>(bytes)};
    memcpy(at, &header, sizeof header);
    m_used += bytes;
    return at;
  }

  uint8_t *m_buffer;
  size_t m_room;
  size_t m_used = 0;
  bool m_full = false;
};

}  // namespace aero
