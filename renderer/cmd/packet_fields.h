// SPDX-License-Identifier: MIT
// The fields of each packet, for people: places, names, kinds. From protocol/packets.toml.
#pragma once

#include <cstdint>
#include <span>

#include "renderer/cmd/enum_name.h"

namespace aerogpu::cmd {

/// A field, or an array of them. Reserved fields are not listed.
struct PacketField {
  enum class Kind : uint8_t { Unsigned, Signed, Float, Hex };
  const char* name;
  uint16_t offset;  ///< bytes into the packet
  uint8_t size;     ///< bytes of one element
  uint8_t count;
  Kind kind;
  std::span<const EnumName> names;  ///< of an enumeration
};

struct PacketFields {
  const char* name = nullptr;  ///< "CREATE_BUFFER"; null for an opcode that the table lacks
  uint16_t bytes = 0;          ///< of the structure, header included
  std::span<const PacketField> fields = {};
};

PacketFields packetFields(uint32_t opcode);

}  // namespace aerogpu::cmd
