// SPDX-License-Identifier: MIT
#include "renderer/cmd/dump.h"

#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <span>

#include "renderer/cmd/packet_fields.h"

namespace aerogpu::cmd {

namespace {

std::string valueText(const PacketField& field, const uint8_t* at) {
  uint64_t raw = 0;
  std::memcpy(&raw, at, field.size);
  char text[32];
  if (field.kind == PacketField::Kind::Float) {
    std::snprintf(text, sizeof text, "%g",
                  static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(raw))));
  } else if (field.kind == PacketField::Kind::Signed) {
    std::snprintf(text, sizeof text, "%" PRId32, static_cast<int32_t>(raw));
  } else {
    for (const EnumName& name : field.names)
      if (name.value == raw) return name.name;
    const bool wide = field.kind == PacketField::Kind::Hex || raw > 0xFFFFF;
    std::snprintf(text, sizeof text, wide ? "0x%" PRIx64 : "%" PRIu64, raw);
  }
  return text;
}

/** Returns a marker's bytes as text; bytes that are no text become dots. Zeros at its end are padding. */
std::string textOf(std::span<const uint8_t> bytes) {
  size_t size = bytes.size();
  while (size != 0 && bytes[size - 1] == 0) --size;
  std::string text;
  for (const uint8_t byte : bytes.first(size)) {
    const bool shown = byte >= 0x20 && byte < 0x7F && byte != '"';
    text += shown ? static_cast<char>(byte) : '.';
  }
  return text;
}

}  // namespace

std::string dumpPacket(const Packet& packet) {
  char head[64];
  const PacketFields found = packetFields(packet.opcode);
  if (!found.name) {
    std::snprintf(head, sizeof head, "%8u opcode 0x%x, %zu bytes, skipped", packet.offset, packet.opcode,
                  packet.bytes.size());
    return head;
  }
  std::snprintf(head, sizeof head, "%8u %s", packet.offset, found.name);
  std::string line = head;
  if (packet.bytes.size() < found.bytes) return line + " (packet is shorter than its structure)";
  for (const PacketField& field : found.fields) {
    line += std::string(" ") + field.name + "=";
    for (uint32_t i = 0; i < field.count; ++i) {
      if (i != 0) line += ",";
      line += valueText(field, packet.bytes.data() + field.offset + size_t{i} * field.size);
    }
  }
  const size_t rest = packet.bytes.size() - found.bytes;
  if (packet.opcode == AEROGPU_CMD_DEBUG_MARKER && rest != 0)
    line += " \"" + textOf(packet.bytes.subspan(found.bytes)) + "\"";
  else if (rest != 0)
    line += " +" + std::to_string(rest) + " bytes";
  return line;
}

}  // namespace aerogpu::cmd
