// SPDX-License-Identifier: MIT
#include "renderer/test/emptied.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "aerogpu/aerogpu_cmd.h"
#include "renderer/cmd/names.h"
#include "renderer/cmd/packet_fields.h"
#include "renderer/cmd/stream.h"

namespace aerogpu::test {

namespace {

struct Number {
  std::string field;
  uint64_t value;
  bool bits = false;  ///< bits of the field to remove
};
struct Rule {
  std::string packet;
  std::vector<Number> when, instead;
};

[[noreturn]] void noRule(std::string_view text) {
  std::fprintf(stderr, "AEROGPU_TEST_EMPTIED: '%s' is no rule\n", std::string(text).c_str());
  std::exit(2);
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find(at), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::vector<Number> numbersOf(std::string_view text) {
  std::vector<Number> out;
  for (const std::string_view part : split(text, ',')) {
    const size_t sign = part.find_first_of("=~");
    if (sign == std::string_view::npos) noRule(part);
    const std::string_view digits = part.substr(sign + 1);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) noRule(part);
    out.push_back({std::string(part.substr(0, sign)), value, part[sign] == '~'});
  }
  return out;
}

std::vector<Rule> rulesOf(std::string_view text) {
  std::vector<Rule> out;
  for (const std::string_view rule : split(text, ';')) {
    const size_t arrow = std::min(rule.find('>'), rule.size()), colon = std::min(rule.find(':'), arrow);
    if (colon == 0) noRule(rule);
    out.push_back({std::string(rule.substr(0, colon)),
                   numbersOf(rule.substr(std::min(colon + 1, arrow), arrow - std::min(colon + 1, arrow))),
                   numbersOf(rule.substr(std::min(arrow + 1, rule.size())))});
  }
  return out;
}

/// Returns the packet field with that name; null if there is none.
const cmd::PacketField* fieldOf(const cmd::PacketFields& fields, const std::string& name) {
  for (const cmd::PacketField& field : fields.fields)
    if (name == field.name) return &field;
  return nullptr;
}

bool has(const cmd::Packet& packet, const cmd::PacketFields& fields, const Number& number) {
  const cmd::PacketField* field = fieldOf(fields, number.field);
  if (!field) noRule(number.field);
  if (size_t{field->offset} + field->size > packet.bytes.size()) return false;
  uint64_t value = 0;
  std::memcpy(&value, packet.bytes.data() + field->offset, field->size);
  return value == number.value;
}

/// Turns elements of the type into D3DDECLUSAGE_SAMPLE 15, which no shader declares.
void forgetElements(std::span<uint8_t> declaration, uint64_t type) {
  constexpr size_t kElement = 8, kType = 4, kUsage = 6, kIndex = 7;
  constexpr uint8_t kSample = 13;
  for (size_t at = 0; at + kElement <= declaration.size() && declaration[at] != 0xFF; at += kElement)
    if (declaration[at + kType] == type) {
      declaration[at + kUsage] = kSample;
      declaration[at + kIndex] = 15;
    }
}

/// Appends the remains of a packet that a rule names.
void append(std::vector<uint8_t>& out, const cmd::Packet& packet, const cmd::PacketFields& fields,
            const Rule& rule) {
  const bool declares = packet.opcode == AEROGPU_CMD_CREATE_INPUT_LAYOUT && !rule.when.empty();
  if (rule.instead.empty() && !declares) return;
  const size_t start = out.size();
  out.insert(out.end(), packet.bytes.begin(), packet.bytes.end());
  if (declares) forgetElements(std::span(out).subspan(start + fields.bytes), rule.when[0].value);
  for (const Number& number : rule.instead) {
    const cmd::PacketField* field = fieldOf(fields, number.field);
    if (!field) noRule(number.field);
    if (size_t{field->offset} + field->size > packet.bytes.size()) continue;
    uint64_t value = 0;
    std::memcpy(&value, out.data() + start + field->offset, field->size);
    value = number.bits ? value & ~number.value : number.value;
    std::memcpy(out.data() + start + field->offset, &value, field->size);
  }
}

}  // namespace

std::vector<uint8_t> emptied(std::span<const uint8_t> stream, std::string_view text) {
  std::vector<uint8_t> whole(stream.begin(), stream.end());
  const std::vector<Rule> rules = rulesOf(text);
  auto reader = cmd::PacketReader::open(whole);
  if (!reader || rules.empty()) return whole;
  std::vector<uint8_t> out(whole.begin(), whole.begin() + sizeof(aerogpu_cmd_stream_header));
  while (!reader->atEnd()) {
    const auto packet = reader->next();
    if (!packet) return whole;
    const cmd::PacketFields fields = cmd::packetFields(packet->opcode);
    const Rule* named = nullptr;
    for (const Rule& rule : rules) {
      if (rule.packet != cmd::opcodeName(packet->opcode)) continue;
      bool all = true;
      if (packet->opcode != AEROGPU_CMD_CREATE_INPUT_LAYOUT)
        for (const Number& number : rule.when) all = all && has(*packet, fields, number);
      if (all) named = &rule;
    }
    if (named)
      append(out, *packet, fields, *named);
    else
      out.insert(out.end(), packet->bytes.begin(), packet->bytes.end());
  }
  const auto size = static_cast<uint32_t>(out.size());
  std::memcpy(out.data() + offsetof(aerogpu_cmd_stream_header, size_bytes), &size, sizeof size);
  return out;
}

std::string_view emptiedByEnvironment() {
  static const char* const kRules = std::getenv("AEROGPU_TEST_EMPTIED");
  return kRules ? kRules : "";
}

}  // namespace aerogpu::test
