// SPDX-License-Identifier: MIT
// The text that aerogpu-replay prints for a packet: names and values of its fields, from the packets'
// description.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "aerogpu/aerogpu_cmd_table.h"
#include "aerogpu/aerogpu_format.h"
#include "renderer/cmd/dump.h"
#include "renderer/cmd/packet_fields.h"

namespace {

using namespace aerogpu::cmd;

template <class Wire>
std::string dump(uint32_t opcode, Wire wire, size_t bytes = sizeof(Wire)) {
  std::vector<uint8_t> packet(bytes);
  wire.hdr = {opcode, static_cast<uint32_t>(bytes)};
  std::memcpy(packet.data(), &wire, bytes < sizeof wire ? bytes : sizeof wire);
  return dumpPacket({opcode, 24, 4, packet});
}

TEST(Dump, FieldsHaveTheirNamesAndEnumeratorsTheirs) {
  aerogpu_cmd_create_texture2d texture{};
  texture.texture_handle = 7;
  texture.usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE | AEROGPU_RESOURCE_USAGE_SCANOUT;
  texture.format = AEROGPU_FORMAT_D32_FLOAT;
  texture.width = 640;
  texture.height = 480;
  texture.mip_levels = 1;
  texture.array_layers = 6;
  EXPECT_EQ(
      dump(AEROGPU_CMD_CREATE_TEXTURE2D, texture),
      "      24 CREATE_TEXTURE2D texture_handle=7 usage_flags=0x48 format=AEROGPU_FORMAT_D32_FLOAT width=640 "
      "height=480 mip_levels=1 array_layers=6 row_pitch_bytes=0 backing_alloc_id=0 backing_offset_bytes=0");
}

TEST(Dump, KindsAreFloatsSignedNumbersStructuresAndArrays) {
  aerogpu_cmd_set_viewport viewport{};
  viewport.x_f32 = std::bit_cast<uint32_t>(-0.5f);
  viewport.max_depth_f32 = std::bit_cast<uint32_t>(1.0f);
  EXPECT_EQ(
      dump(AEROGPU_CMD_SET_VIEWPORT, viewport),
      "      24 SET_VIEWPORT x_f32=-0.5 y_f32=0 width_f32=0 height_f32=0 min_depth_f32=0 max_depth_f32=1");
  aerogpu_cmd_set_rasterizer_state rasterizer{};
  rasterizer.state.cull_mode = AEROGPU_CULL_BACK;
  rasterizer.state.depth_bias = -3;
  EXPECT_EQ(
      dump(AEROGPU_CMD_SET_RASTERIZER_STATE, rasterizer),
      "      24 SET_RASTERIZER_STATE state.fill_mode=AEROGPU_FILL_SOLID state.cull_mode=AEROGPU_CULL_BACK "
      "state.front_ccw=0 state.scissor_enable=0 state.depth_bias=-3 state.flags=0x0");
  aerogpu_cmd_set_render_targets targets{};
  targets.color_count = 2;
  targets.colors[0] = 5;
  targets.colors[1] = 6;
  EXPECT_EQ(dump(AEROGPU_CMD_SET_RENDER_TARGETS, targets),
            "      24 SET_RENDER_TARGETS color_count=2 depth_stencil=0 colors=5,6,0,0,0,0,0,0");
}

TEST(Dump, WhatFollowsTooShortAndUnknownAreSaid) {
  aerogpu_cmd_upload_resource upload{};
  upload.size_bytes = 12;
  EXPECT_EQ(dump(AEROGPU_CMD_UPLOAD_RESOURCE, upload, sizeof upload + 12),
            "      24 UPLOAD_RESOURCE resource_handle=0 offset_bytes=0 size_bytes=12 +12 bytes");
  EXPECT_EQ(dump(AEROGPU_CMD_UPLOAD_RESOURCE, upload, 28),
            "      24 UPLOAD_RESOURCE (packet is shorter than its structure)");
  EXPECT_EQ(dump(0x7FFF, upload), "      24 opcode 0x7fff, 32 bytes, skipped");
}

TEST(Dump, AMarkersTextIsShown) {
  std::vector<uint8_t> packet(8 + 16);
  const aerogpu_cmd_hdr hdr = {AEROGPU_CMD_DEBUG_MARKER, 24};
  std::memcpy(packet.data(), &hdr, sizeof hdr);
  std::memcpy(packet.data() + 8, "Flush()\n\"x\0y\xE9", 14);
  EXPECT_EQ(dumpPacket({AEROGPU_CMD_DEBUG_MARKER, 24, 4, packet}), "      24 DEBUG_MARKER \"Flush()..x.y.\"");
  packet.resize(8);
  EXPECT_EQ(dumpPacket({AEROGPU_CMD_DEBUG_MARKER, 24, 4, packet}), "      24 DEBUG_MARKER");
}

/// Checks every structure of the table, as the compiler lays it out.
TEST(PacketFields, LieInsideTheirStructures) {
#define CHECK_ROW(NAME, STRUCT)                                   \
  {                                                               \
    const PacketFields packet = packetFields(AEROGPU_CMD_##NAME); \
    ASSERT_STREQ(packet.name, #NAME);                             \
    EXPECT_EQ(packet.bytes, sizeof(struct aerogpu_cmd_##STRUCT)); \
    size_t end = sizeof(aerogpu_cmd_hdr);                         \
    for (const PacketField& field : packet.fields) {              \
      EXPECT_GE(field.offset, end) << #NAME << " " << field.name; \
      end = field.offset + size_t{field.size} * field.count;      \
    }                                                             \
    EXPECT_LE(end, packet.bytes) << #NAME;                        \
  }
#define CHECK_TAIL(NAME, STRUCT, ELEM, COUNT) CHECK_ROW(NAME, STRUCT)
  AEROGPU_CMD_TABLE(CHECK_ROW, CHECK_TAIL, CHECK_ROW)
  EXPECT_EQ(packetFields(0x7FFF).name, nullptr);
}

}  // namespace
