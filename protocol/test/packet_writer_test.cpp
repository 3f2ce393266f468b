// SPDX-License-Identifier: MIT
// Packets that writers make: header, number of elements, padding (docs/abi/commands.md), room; and both writers write
// the same bytes.
#include "aerogpu/packet_writer.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "aerogpu/cmd_writer.hpp"

namespace {

using namespace aerogpu;

/// A stream's packets, as words.
std::vector<uint32_t> words(const CommandWriter& w) {
  std::vector<uint32_t> result((w.size() - sizeof(aerogpu_cmd_stream_header)) / 4);
  if (!result.empty()) std::memcpy(result.data(), w.data() + sizeof(aerogpu_cmd_stream_header), result.size() * 4);
  return result;
}

TEST(PacketWriters, FillInOpcodeSizeAndNumber) {
  CommandWriter w;
  w.packet(aerogpu_cmd_draw{{}, 3, 1, 6, 0});
  EXPECT_EQ(words(w), (std::vector<uint32_t>{0x601, 24, 3, 1, 6, 0}));
  w.reset();
  const aerogpu_vertex_buffer_binding bindings[2] = {{7, 16, 0, 0}, {8, 12, 4, 0}};
  w.packet(aerogpu_cmd_set_vertex_buffers{{}, 1, 99}, bindings, 2);
  EXPECT_EQ(words(w), (std::vector<uint32_t>{0x500, 48, 1, 2, 7, 16, 0, 0, 8, 12, 4, 0}));
  w.reset();
  const uint32_t more[3] = {4, 5, 6};  // gs, hs, ds
  w.packet(aerogpu_cmd_bind_shaders{{}, 1, 2, 3, 0}, more, 3);
  EXPECT_EQ(words(w), (std::vector<uint32_t>{0x202, 36, 1, 2, 3, 0, 4, 5, 6}));
}

TEST(PacketWriters, PadBytesWithZeros) {
  CommandWriter w;
  w.packet(aerogpu_cmd_upload_resource{{}, 9, 0, 16, 0}, "\x11\x22\x33\x44\x55", 5);
  EXPECT_EQ(words(w), (std::vector<uint32_t>{0x104, 40, 9, 0, 16, 0, 5, 0, 0x44332211, 0x55}));
  w.reset();
  w.packetWithTail(AEROGPU_CMD_DEBUG_MARKER, aerogpu_cmd_hdr{}, "abc", 3);
  EXPECT_EQ(words(w), (std::vector<uint32_t>{1, 12, 0x00636261}));
}

TEST(PacketWriters, AnInvalidNumberStaysAsItIs) {
  CommandWriter w;
  w.packetWithTail(AEROGPU_CMD_SET_SAMPLERS, aerogpu_cmd_set_samplers{{}, 1, 0, 1000, 0}, nullptr, 0);
  EXPECT_EQ(words(w), (std::vector<uint32_t>{0x522, 24, 1, 0, 1000, 0}));
}

TEST(PacketWriters, TheHeaderCountsThePackets) {
  CommandWriter w;
  w.packet(aerogpu_cmd_flush{});
  aerogpu_cmd_stream_header header;
  std::memcpy(&header, w.data(), sizeof header);
  EXPECT_EQ(header.magic, 0x444D4341u);
  EXPECT_EQ(header.size_bytes, 24u + 16u);
  EXPECT_EQ(w.size(), 24u + 16u);
}

TEST(PacketWriter, BeginsNoPacketThatDoesNotFit) {
  uint8_t buffer[40];
  std::memset(buffer, 0xCC, sizeof buffer);
  PacketWriter w(buffer, sizeof buffer - 4);
  EXPECT_TRUE(w.packet(aerogpu_cmd_flush{}));
  EXPECT_EQ(w.used(), 16u);
  EXPECT_EQ(w.room(), 20u);
  EXPECT_EQ(w.append<aerogpu_cmd_draw>(), nullptr);
  EXPECT_TRUE(w.full());
  EXPECT_EQ(buffer[16], 0xCC);
  EXPECT_FALSE(w.packet(aerogpu_cmd_flush{})) << "it would fit, but a packet is missing before it";
  w.rewind(16);
  EXPECT_FALSE(w.full());
  EXPECT_TRUE(w.packet(aerogpu_cmd_flush{}));
  EXPECT_EQ(w.append<aerogpu_cmd_upload_resource>(SIZE_MAX), nullptr);
  EXPECT_TRUE(w.full());
  w.rewind(0);
  EXPECT_EQ(w.append<aerogpu_cmd_set_samplers>(SIZE_MAX / 4 + 1), nullptr) << "4 bytes each wrap to 0";
  EXPECT_TRUE(w.full());
  EXPECT_EQ(CommandWriter().append<aerogpu_cmd_upload_resource>(SIZE_MAX), nullptr);
}

TEST(PacketWriter, PacketsInPlaceAreZeroedWithRoomForTheirElements) {
  uint8_t buffer[64];
  std::memset(buffer, 0xCC, sizeof buffer);
  PacketWriter w(buffer, sizeof buffer);
  auto* packet = w.append<aerogpu_cmd_set_samplers>(2);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->hdr.opcode, 0x522u);
  EXPECT_EQ(packet->hdr.size_bytes, 32u);
  EXPECT_EQ(packet->sampler_count, 2u);
  EXPECT_EQ(packet->start_slot, 0u);
  EXPECT_EQ(reinterpret_cast<uint8_t*>(PacketWriter::elementsOf(packet)), buffer + 24);
  EXPECT_EQ(PacketWriter::elementsOf(packet)[1], 0u);
  EXPECT_EQ(buffer[32], 0xCC);
}

/// Every packet with a structure of its own, filled with a pattern.
template <class Wire>
void compare(const char* name, uint32_t opcode) {
  SCOPED_TRACE(name);
  Wire wire;
  std::memset(&wire, 0x5A, sizeof wire);
  CommandWriter grown;
  grown.packet(wire);
  uint8_t buffer[128];
  PacketWriter fixed(buffer, sizeof buffer);
  ASSERT_TRUE(fixed.packet(wire));
  ASSERT_EQ(fixed.used(), sizeof wire);
  const aerogpu_cmd_hdr expected = {opcode, sizeof wire};
  EXPECT_EQ(std::memcmp(buffer, &expected, sizeof expected), 0);
  EXPECT_EQ(std::memcmp(buffer + 8, reinterpret_cast<const uint8_t*>(&wire) + 8, sizeof wire - 8), 0);
  EXPECT_EQ(std::memcmp(buffer, grown.data() + sizeof(aerogpu_cmd_stream_header), sizeof wire), 0);
}
template <>
void compare<aerogpu_cmd_hdr>(const char*, uint32_t) {}

TEST(PacketWriters, WriteEveryPacketOfTheTable) {
#define COMPARE(NAME, STRUCT) compare<struct aerogpu_cmd_##STRUCT>(#NAME, AEROGPU_CMD_##NAME);
#define COMPARE_TAIL(NAME, STRUCT, ELEM, COUNT) COMPARE(NAME, STRUCT)
  AEROGPU_CMD_TABLE(COMPARE, COMPARE_TAIL, COMPARE)
}

}  // namespace
