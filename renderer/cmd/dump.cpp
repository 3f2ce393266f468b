// SPDX-License-Identifier: MIT
#include "renderer/cmd/dump.h"

#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <span>

#include "aerogpu/aerogpu_cmd_table.h"
#include "renderer/cmd/names.h"

namespace aerogpu::cmd {

namespace {

struct EnumName {
  uint64_t value;
  const char* name;
};
using EnumNames = std::span<const EnumName>;

struct Field {
  enum class Kind : uint8_t { Unsigned, Signed, Float };
  const char* name;
  uint16_t offset;  ///< bytes into the packet
  uint8_t size;     ///< bytes of one element
  uint8_t count;
  Kind kind;
  EnumNames names;
};

#include "packet_fields.inc"

struct Row {
  const char* name;
  size_t size;
  std::span<const Field> fields;
};

template <class Wire>
Row row(const char* name, std::span<const Field> fields) {
  return {name, sizeof(Wire), fields};
}

constexpr Field k_aerogpu_cmd_hdr[] = {{"", 0, 0, 0, Field::Kind::Unsigned, {}}};

bool findRow(uint32_t opcode, Row& out) {
  switch (opcode) {
#define AEROGPU_DUMP_FIXED(NAME, STRUCT)                                   \
  case AEROGPU_CMD_##NAME:                                                 \
    out = row<struct aerogpu_cmd_##STRUCT>(#NAME, k_aerogpu_cmd_##STRUCT); \
    return true;
#define AEROGPU_DUMP_TAIL(NAME, STRUCT, ELEM, COUNT) AEROGPU_DUMP_FIXED(NAME, STRUCT)
    AEROGPU_CMD_TABLE(AEROGPU_DUMP_FIXED, AEROGPU_DUMP_TAIL, AEROGPU_DUMP_FIXED)
#undef AEROGPU_DUMP_FIXED
#undef AEROGPU_DUMP_TAIL
    default:
      return false;
  }
}

std::string valueText(const Field& field, const uint8_t* at) {
  uint64_t raw = 0;
  std::memcpy(&raw, at, field.size);
  char text[32];
  if (field.kind == Field::Kind::Float) {
    std::snprintf(text, sizeof text, "%g",
                  static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(raw))));
  } else if (field.kind == Field::Kind::Signed) {
    std::snprintf(text, sizeof text, "%" PRId32, static_cast<int32_t>(raw));
  } else {
    for (const EnumName& name : field.names)
      if (name.value == raw) return name.name;
    const bool wide = std::strstr(field.name, "flags") || std::strstr(field.name, "token") || raw > 0xFFFFF;
    std::snprintf(text, sizeof text, wide ? "0x%" PRIx64 : "%" PRIu64, raw);
  }
  return text;
}

}  // namespace

std::string dumpPacket(const Packet& packet) {
  char head[64];
  Row found;
  if (!findRow(packet.opcode, found)) {
    std::snprintf(head, sizeof head, "%8u opcode 0x%x, %zu bytes, skipped", packet.offset, packet.opcode,
                  packet.bytes.size());
    return head;
  }
  std::snprintf(head, sizeof head, "%8u %s", packet.offset, found.name);
  std::string line = head;
  if (packet.bytes.size() < found.size) return line + " (packet is shorter than its structure)";
  for (const Field& field : found.fields) {
    if (field.size == 0) continue;
    line += std::string(" ") + field.name + "=";
    for (uint32_t i = 0; i < field.count; ++i) {
      if (i != 0) line += ",";
      line += valueText(field, packet.bytes.data() + field.offset + size_t{i} * field.size);
    }
  }
  if (const size_t rest = packet.bytes.size() - found.size; rest != 0)
    line += " +" + std::to_string(rest) + " bytes";
  return line;
}

}  // namespace aerogpu::cmd
