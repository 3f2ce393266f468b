// SPDX-License-Identifier: MIT
// The error rules, transfers, write-backs and shared surfaces of docs/abi/, over the null back end.
#include <gtest/gtest.h>

#include <cstring>

#include "renderer/test/expect.h"

namespace {

using namespace aerogpu;
using test::Allocation;
using test::expectError;
using test::expectGood;
using test::FinishedSubmission;
using test::Harness;
using test::pattern;

constexpr auto kRgba = AEROGPU_FORMAT_R8G8B8A8_UNORM;
constexpr uint32_t kTexture = AEROGPU_RESOURCE_USAGE_TEXTURE;

// CMD-4, CMD-5, OBJ-4
TEST(Stream, UnknownOpcodesAreSkippedAndLongerPacketsAreFine) {
  Harness h;
  CommandWriter w;
  w.packet(0x7777, aerogpu_cmd_flush{});
  aerogpu_cmd_create_buffer c{};
  c.buffer_handle = h.handle();
  c.size_bytes = 16;
  const uint64_t newer = 0;
  w.packetWithTail(AEROGPU_CMD_CREATE_BUFFER, c, &newer, sizeof newer);
  expectGood(h.submit(w));
  EXPECT_EQ(h.readBuffer(c.buffer_handle, 16), std::vector<uint8_t>(16));
}

// CMD-5, CMD-7, CMD-11
TEST(Stream, AShortPacketFailsAndTheRestStillRuns) {
  Harness h;
  const uint32_t buffer = h.handle();
  CommandWriter w;
  const aerogpu_cmd_hdr tooShort{AEROGPU_CMD_DRAW, sizeof(aerogpu_cmd_hdr) + 4};
  const uint32_t word = 3;
  w.raw(&tooShort, sizeof tooShort);
  w.raw(&word, sizeof word);
  packets::createBuffer(w, buffer, 16, 0);
  expectError(h.submit(w), AEROGPU_ERROR_CMD_DECODE);
  EXPECT_EQ(h.readBuffer(buffer, 16).size(), 16u);
}

// CMD-3
TEST(Stream, BrokenFramingSkipsTheRest) {
  for (const uint32_t size : {0u, 4u, 10u, 4096u}) {
    Harness h;
    const uint32_t buffer = h.handle();
    CommandWriter w;
    const aerogpu_cmd_hdr broken{AEROGPU_CMD_NOP, size};
    w.raw(&broken, sizeof broken);
    packets::createBuffer(w, buffer, 16, 0);
    expectError(h.submit(w), AEROGPU_ERROR_CMD_DECODE);
    EXPECT_TRUE(h.readBuffer(buffer, 16).empty()) << "packet size " << size;
  }
}

// CMD-3
TEST(Stream, ASizeThatIsNoMultipleOfFourIsBrokenFraming) {
  Harness h;
  const uint32_t buffer = h.handle();
  CommandWriter create;
  packets::createBuffer(create, buffer, 16, 0);
  CommandWriter w;
  const aerogpu_cmd_hdr broken{AEROGPU_CMD_NOP, 10};
  const uint8_t two[2] = {};
  w.raw(&broken, sizeof broken);
  w.raw(two, sizeof two);
  // Adds 10 bytes, where a packet of 10 bytes would end.
  w.raw(create.data() + sizeof(aerogpu_cmd_stream_header), create.size() - sizeof(aerogpu_cmd_stream_header));
  w.raw(two, sizeof two);
  expectError(h.submit(w), AEROGPU_ERROR_CMD_DECODE);
  EXPECT_TRUE(h.readBuffer(buffer, 16).empty());
}

// CMD-1
TEST(Stream, HeaderIsChecked) {
  struct Case {
    const char* what;
    size_t offset;
    uint32_t value;
    bool good;
  };
  const Case cases[] = {
      {"magic", offsetof(aerogpu_cmd_stream_header, magic), 1, false},
      {"other major", offsetof(aerogpu_cmd_stream_header, abi_version), 0x20000, false},
      {"newer minor", offsetof(aerogpu_cmd_stream_header, abi_version), 0x10009, true},
      {"size under header", offsetof(aerogpu_cmd_stream_header, size_bytes), 20, false},
      {"size odd", offsetof(aerogpu_cmd_stream_header, size_bytes), 26, false},
      {"size over buffer", offsetof(aerogpu_cmd_stream_header, size_bytes), 400, false},
  };
  for (const Case& c : cases) {
    Harness h;
    CommandWriter w;
    w.packet(aerogpu_cmd_flush{});
    std::vector<uint8_t> bytes(w.data(), w.data() + w.size());
    std::memcpy(bytes.data() + c.offset, &c.value, 4);
    EXPECT_EQ(h.submitRaw(bytes, {}).result.error_count, c.good ? 0u : 1u) << c.what;
  }
}

// CMD-2
TEST(Stream, WhatFollowsItsSizeIsIgnored) {
  Harness h;
  CommandWriter w;
  w.packet(aerogpu_cmd_flush{});
  std::vector<uint8_t> bytes(w.data(), w.data() + w.size());
  bytes.resize(bytes.size() + 64, 0xFF);
  expectGood(h.submitRaw(bytes, {}));
}

TEST(AllocTable, EachRuleOfThePage) {
  const auto table = [](auto change) {
    std::vector<uint8_t> bytes(sizeof(aerogpu_alloc_table_header) + 2 * sizeof(aerogpu_alloc_entry));
    aerogpu_alloc_table_header header{AEROGPU_ALLOC_TABLE_MAGIC,           AEROGPU_ABI_VERSION_U32,
                                      static_cast<uint32_t>(bytes.size()), 2,
                                      sizeof(aerogpu_alloc_entry),         0};
    aerogpu_alloc_entry entries[2] = {{1, 0, 0, 4096, 0}, {2, 0, 4096, 4096, 0}};
    change(header, entries);
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + sizeof header, entries, sizeof entries);
    return bytes;
  };
  using H = aerogpu_alloc_table_header;
  using E = aerogpu_alloc_entry;
  Harness h;
  CommandWriter w;
  const auto code = [&](auto change) {
    return h.submitRaw({w.data(), w.size()}, table(change)).result.last_error_code;
  };
  EXPECT_EQ(code([](H&, E*) {}), 0u);
  EXPECT_EQ(code([](H&, E* e) { e[0].gpa = 0; }), 0u) << "address 0 is valid";
  EXPECT_EQ(code([](H& t, E*) { t.abi_version = 0x10099; }), 0u) << "newer minor";
  EXPECT_NE(code([](H& t, E*) { t.magic ^= 1; }), 0u);
  EXPECT_NE(code([](H& t, E*) { t.abi_version = 0x20000; }), 0u);
  EXPECT_NE(code([](H& t, E*) { t.size_bytes = 8; }), 0u);
  EXPECT_NE(code([](H& t, E*) { t.size_bytes += 4; }), 0u);
  EXPECT_NE(code([](H& t, E*) { t.entry_stride_bytes = 31; }), 0u);
  EXPECT_NE(code([](H& t, E*) { t.entry_count = 3; }), 0u);
  EXPECT_NE(code([](H& t, E*) { t.entry_count = 0xFFFFFFFF; }), 0u);
  EXPECT_NE(code([](H&, E* e) { e[1].alloc_id = 0; }), 0u);
  EXPECT_NE(code([](H&, E* e) { e[1].alloc_id = 1; }), 0u);
  EXPECT_NE(code([](H&, E* e) { e[1].size_bytes = 0; }), 0u);
  EXPECT_NE(code([](H&, E* e) { e[1].gpa = UINT64_MAX - 4; }), 0u);
}

// OBJ-1, OBJ-3
TEST(Handles, OneNamespaceAndNoReuseWhileAlive) {
  Harness h;
  const uint32_t handle = h.handle();
  CommandWriter w;
  packets::createBuffer(w, handle, 16, 0);
  Harness::createTexture(w, handle, kRgba, 4, 4, kTexture);
  expectError(h.submit(w), AEROGPU_ERROR_CMD_DECODE);
  w.reset();
  packets::destroyResource(w, handle);
  Harness::createTexture(w, handle, kRgba, 4, 4, kTexture);
  expectGood(h.submit(w));
  w.reset();
  packets::destroyResource(w, handle + 1000);
  expectError(h.submit(w), AEROGPU_ERROR_CMD_DECODE);
}

// OBJ-5, COPY-2, CMD-7
TEST(Buffers, SizesAndUploads) {
  Harness h;
  const uint32_t buffer = h.handle();
  CommandWriter w;
  packets::createBuffer(w, h.handle(), 6, 0);
  packets::createBuffer(w, h.handle(), 0, 0);
  expectError(h.submit(w), AEROGPU_ERROR_CMD_DECODE, 2);
  w.reset();
  packets::createBuffer(w, buffer, 64, 0);
  const auto bytes = pattern(12);
  packets::upload(w, buffer, 5, bytes);
  expectGood(h.submit(w));
  auto expected = std::vector<uint8_t>(64);
  std::copy(bytes.begin(), bytes.end(), expected.begin() + 5);
  EXPECT_EQ(h.readBuffer(buffer, 64), expected);
  w.reset();
  packets::upload(w, buffer, 60, bytes);
  packets::upload(w, buffer, UINT64_MAX, bytes);
  expectError(h.submit(w), AEROGPU_ERROR_OOB, 2);
  EXPECT_EQ(h.readBuffer(buffer, 64), expected) << "a failed command has no effect";
}

// COPY-1
TEST(Buffers, DirtyRangesBringTheBackingBytesAndNoOthers) {
  Harness h;
  const Allocation memory = h.allocate(4096);
  const auto bytes = pattern(4096);
  std::copy(bytes.begin(), bytes.end(), h.bytes(memory).begin());
  const uint32_t buffer = h.handle();
  CommandWriter w;
  packets::createBuffer(w, buffer, 256, 0, memory.id, 128);
  packets::dirtyRange(w, buffer, 16, 32);
  expectGood(h.submit(w));
  auto expected = std::vector<uint8_t>(256);
  std::copy(bytes.begin() + 128 + 16, bytes.begin() + 128 + 48, expected.begin() + 16);
  EXPECT_EQ(h.readBuffer(buffer, 256), expected);
  w.reset();
  packets::dirtyRange(w, buffer, 250, 10);
  expectError(h.submit(w), AEROGPU_ERROR_OOB);
}

// ALLOC-6, ALLOC-9
TEST(Buffers, BackingMustHoldTheBuffer) {
  Harness h;
  const Allocation memory = h.allocate(256);
  CommandWriter w;
  packets::createBuffer(w, h.handle(), 256, 0, memory.id, 4);
  expectError(h.submit(w), AEROGPU_ERROR_OOB);
  w.reset();
  packets::createBuffer(w, h.handle(), 16, 0, memory.id + 7);
  expectError(h.submit(w), AEROGPU_ERROR_CMD_DECODE);
}

// ALLOC-7, COPY-3, COPY-6
TEST(Copies, WriteBackReachesGuestMemoryAndRespectsReadOnly) {
  Harness h;
  const Allocation memory = h.allocate(64);
  const Allocation readOnly = h.allocate(64, AEROGPU_ALLOC_FLAG_READONLY);
  const uint32_t src = h.handle(), dst = h.handle(), locked = h.handle();
  const auto bytes = pattern(64);
  CommandWriter w;
  packets::createBuffer(w, src, 64, 0);
  packets::upload(w, src, 0, bytes);
  packets::createBuffer(w, dst, 64, 0, memory.id);
  packets::createBuffer(w, locked, 64, 0, readOnly.id);
  aerogpu_cmd_copy_buffer copy{};
  copy.dst_buffer = dst;
  copy.src_buffer = src;
  copy.dst_offset_bytes = 8;
  copy.src_offset_bytes = 4;
  copy.size_bytes = 16;
  copy.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
  w.packet(copy);
  expectGood(h.submit(w));
  auto expected = std::vector<uint8_t>(64);
  std::copy(bytes.begin() + 4, bytes.begin() + 20, expected.begin() + 8);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), h.bytes(memory).begin()));
  w.reset();
  copy.dst_buffer = locked;
  w.packet(copy);
  expectError(h.submit(w), AEROGPU_ERROR_OOB);
}

// ALLOC-10, ALLOC-11, ALLOC-13
TEST(Textures, PitchedBackingMipsAndLayersFollowTheLayout) {
  // 5 x 3, 2 mips, 2 layers, 32 bytes a row in mip 0: layer = 3 * 32 + 2 * 4 = 104 bytes.
  Harness h;
  const Allocation memory = h.allocate(4096);
  const auto bytes = pattern(208);
  std::copy(bytes.begin(), bytes.end(), h.bytes(memory).begin());
  const uint32_t texture = h.handle();
  CommandWriter w;
  Harness::createTexture(w, texture, kRgba, 5, 3, kTexture, 2, 2, memory.id, 32);
  packets::dirtyRange(w, texture, 0, 208);
  expectGood(h.submit(w));
  for (uint32_t layer = 0; layer < 2; ++layer) {
    std::vector<uint8_t> mip0;
    const uint8_t* first = bytes.data() + size_t{layer} * 104;
    for (size_t y = 0; y < 3; ++y) mip0.insert(mip0.end(), first + y * 32, first + y * 32 + 20);
    EXPECT_EQ(h.readTexture(texture, kRgba, 5, 3, 0, layer), mip0);
    const std::vector<uint8_t> mip1(first + 96, first + 104);
    EXPECT_EQ(h.readTexture(texture, kRgba, 2, 1, 1, layer), mip1);
  }
}

// COPY-2
TEST(Textures, UploadsOfAnyWholeTexelRange) {
  // 4 x 4 texels, tight: bytes 4 to 43 are texels 1..3 of row 0, row 1, texels 0..2 of row 2.
  Harness h;
  const uint32_t texture = h.handle();
  const auto bytes = pattern(40);
  CommandWriter w;
  Harness::createTexture(w, texture, kRgba, 4, 4, kTexture);
  packets::upload(w, texture, 4, bytes);
  expectGood(h.submit(w));
  auto expected = std::vector<uint8_t>(64);
  std::copy(bytes.begin(), bytes.end(), expected.begin() + 4);
  EXPECT_EQ(h.readTexture(texture, kRgba, 4, 4), expected);
  w.reset();
  packets::upload(w, texture, 2, bytes);
  expectError(h.submit(w), AEROGPU_ERROR_CMD_DECODE);
  w.reset();
  packets::upload(w, texture, 40, bytes);
  expectError(h.submit(w), AEROGPU_ERROR_OOB);
}

// ALLOC-12
TEST(Textures, BlockCompressedRowsAreRowsOfBlocks) {
  // 10 x 6 BC1: 3 x 2 blocks of 8 bytes.
  Harness h;
  const uint32_t texture = h.handle();
  const auto bytes = pattern(48);
  CommandWriter w;
  Harness::createTexture(w, texture, AEROGPU_FORMAT_BC1_RGBA_UNORM, 10, 6, kTexture);
  packets::upload(w, texture, 0, bytes);
  expectGood(h.submit(w));
  EXPECT_EQ(h.readTexture(texture, AEROGPU_FORMAT_BC1_RGBA_UNORM, 10, 6), bytes);
}

// OBJ-6, ALLOC-11
TEST(Textures, DescriptionsThatAreRefused) {
  Harness h;
  const Allocation memory = h.allocate(4096);
  const auto code = [&](auto change) {
    aerogpu_cmd_create_texture2d c{};
    c.texture_handle = h.handle();
    c.format = kRgba;
    c.width = c.height = 8;
    c.mip_levels = c.array_layers = 1;
    change(c);
    CommandWriter w;
    w.packet(c);
    return h.submit(w).result.last_error_code;
  };
  using C = aerogpu_cmd_create_texture2d;
  EXPECT_EQ(code([](C&) {}), 0u);
  EXPECT_EQ(code([](C& c) { c.format = 11; }), 1u);
  EXPECT_EQ(code([](C& c) { c.width = 0; }), 1u);
  EXPECT_EQ(code([](C& c) { c.mip_levels = 5; }), 1u) << "8 x 8 has 4 mips";
  EXPECT_EQ(code([](C& c) { c.mip_levels = 4; }), 0u);
  EXPECT_EQ(code([](C& c) { c.array_layers = 0; }), 1u);
  EXPECT_EQ(code([](C& c) { c.width = 100000; }), 2u);
  EXPECT_EQ(code([&](C& c) { c.backing_alloc_id = memory.id; }), 1u) << "no pitch";
  EXPECT_EQ(code([&](C& c) { c.backing_alloc_id = memory.id, c.row_pitch_bytes = 31; }), 1u);
  EXPECT_EQ(code([&](C& c) { c.backing_alloc_id = memory.id, c.row_pitch_bytes = 32; }), 0u);
  EXPECT_EQ(code([&](C& c) { c.backing_alloc_id = memory.id, c.row_pitch_bytes = 1024; }), 2u);
}

// TOK-2, TOK-3, TOK-4, TOK-10, TOK-6, OBJ-10
TEST(SharedSurfaces, TokensAndReferences) {
  Harness h;
  const uint32_t a = h.handle(), b = h.handle(), alias = h.handle();
  const auto bytes = pattern(16);
  const auto exportOf = [](CommandWriter& w, uint32_t handle, uint64_t token) {
    aerogpu_cmd_export_shared_surface c{};
    c.resource_handle = handle;
    c.share_token = token;
    w.packet(c);
  };
  const auto importOf = [](CommandWriter& w, uint32_t handle, uint64_t token) {
    aerogpu_cmd_import_shared_surface c{};
    c.out_resource_handle = handle;
    c.share_token = token;
    w.packet(c);
  };
  CommandWriter w;
  packets::createBuffer(w, a, 16, 0);
  packets::createBuffer(w, b, 16, 0);
  packets::upload(w, a, 0, bytes);
  exportOf(w, a, 7);
  exportOf(w, a, 7);  // the same pair again
  importOf(w, alias, 7);
  expectGood(h.submit(w));
  EXPECT_EQ(h.readBuffer(alias, 16), bytes);

  w.reset();
  exportOf(w, b, 7);
  expectError(h.submit(w), AEROGPU_ERROR_CMD_DECODE);  // another resource under a live token
  w.reset();
  importOf(w, h.handle(), 8);
  expectError(h.submit(w), AEROGPU_ERROR_CMD_DECODE);  // unknown token

  w.reset();
  packets::destroyResource(w, a);  // one of two references
  expectGood(h.submit(w));
  EXPECT_EQ(h.readBuffer(alias, 16), bytes);

  w.reset();
  aerogpu_cmd_release_shared_surface release{};
  release.share_token = 7;
  w.packet(release);
  w.packet(release);  // unknown by now: no error
  expectGood(h.submit(w));
  EXPECT_EQ(h.readBuffer(alias, 16), bytes) << "handles live on";
  w.reset();
  importOf(w, h.handle(), 7);
  exportOf(w, alias, 7);
  expectError(h.submit(w), AEROGPU_ERROR_CMD_DECODE, 2);  // gone for good

  w.reset();
  exportOf(w, alias, 9);
  packets::destroyResource(w, alias);  // the last reference takes the token with it
  importOf(w, h.handle(), 9);
  expectError(h.submit(w), AEROGPU_ERROR_CMD_DECODE);
}

// LIM-14
TEST(HostMemory, TheCapIsKeptAndMemoryComesBack) {
  Harness::Options options;
  options.maxHostmem = 1 << 20;
  Harness h(options);
  const uint32_t first = h.handle(), second = h.handle();
  CommandWriter w;
  packets::createBuffer(w, first, 600 << 10, 0);
  packets::createBuffer(w, second, 600 << 10, 0);
  expectError(h.submit(w), AEROGPU_ERROR_BACKEND);
  w.reset();
  packets::destroyResource(w, first);
  packets::createBuffer(w, second, 600 << 10, 0);
  expectGood(h.submit(w));
  const aerogpu_renderer_stats stats = h.stats();
  EXPECT_LE(stats.host_memory_peak_bytes, uint64_t{1} << 20);
  EXPECT_EQ(stats.resources, 1u);
}

// PCI-7
TEST(Control, InterruptDropsUntilResumeAndResetEmptiesEverything) {
  Harness h;
  const uint32_t buffer = h.handle();
  CommandWriter w;
  packets::createBuffer(w, buffer, 16, 0);
  aerogpu_renderer_interrupt(h.renderer());
  EXPECT_TRUE(h.submit(w).result.dropped);
  aerogpu_renderer_resume(h.renderer());
  const FinishedSubmission finished = h.submit(w);
  EXPECT_FALSE(finished.result.dropped);
  expectGood(finished);
  EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
  expectGood(h.submit(w));  // the handle is free again
}

/// The state that a saved VM would have to restore: handles, remembered tokens, contexts with state.
TEST(HeldObjects, AreHandlesTokensAndContextsThatChanged) {
  Harness h;
  const auto held = [&] { return h.stats().held_objects; };
  const auto run = [&](const CommandWriter& w, uint32_t context) {
    EXPECT_EQ(h.submit(w, context).result.error_count, 0u);
  };
  EXPECT_EQ(held(), 0u);
  CommandWriter present;
  packets::present(present);
  run(present, 7);
  EXPECT_EQ(held(), 0u) << "a present leaves its context as it was";

  CommandWriter create;
  packets::createBuffer(create, 1, 64, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER);
  packets::createTexture(create, {.handle = 2, .width = 4, .height = 4, .usage = packets::kShown});
  run(create, 7);
  EXPECT_EQ(held(), 3u) << "two handles and the context";
  run(present, 8);
  EXPECT_EQ(held(), 3u);

  CommandWriter share;
  aerogpu_cmd_export_shared_surface token{};
  token.resource_handle = 2;
  token.share_token = 99;
  share.packet(token);
  run(share, 7);
  EXPECT_EQ(held(), 4u);

  CommandWriter destroy;
  packets::destroyResource(destroy, 1);
  packets::destroyResource(destroy, 2);
  run(destroy, 8);
  EXPECT_EQ(held(), 3u) << "a used-up token, and two contexts";

  // A reset context counts as new if nothing but presents follows.
  CommandWriter reset;
  reset.packet(aerogpu_cmd_flush{});
  reset.packet(aerogpu_cmd_ext_reset_context{});
  packets::present(reset);
  run(reset, 8);
  EXPECT_EQ(held(), 2u);
  reset.packet(aerogpu_cmd_flush{});
  run(reset, 8);
  EXPECT_EQ(held(), 3u);

  EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
  EXPECT_EQ(held(), 0u);
}

// SUB-7
TEST(Descriptors, ADefectFoundByTheDeviceIsReported) {
  Harness h;
  expectError(h.submitRaw({}, {}, 0, AEROGPU_ERROR_OOB), AEROGPU_ERROR_OOB);
  expectGood(h.submitRaw({}, {}));
}

// SHADER-1, SHADER-2
TEST(StageEx, OnlyComputeWithMinorThreeLooksAtIt) {
  const auto code = [](uint32_t stage, uint32_t ex, uint32_t version) {
    Harness h;
    CommandWriter w(version);
    aerogpu_cmd_set_texture c{};
    c.shader_stage = stage;
    c.reserved0 = ex;
    w.packet(c);
    return h.submit(w).result.last_error_code;
  };
  for (const uint32_t ex : {0u, 2u, 3u, 4u, 5u})
    EXPECT_EQ(code(AEROGPU_SHADER_STAGE_COMPUTE, ex, 0x10003), 0u) << ex;
  EXPECT_EQ(code(AEROGPU_SHADER_STAGE_COMPUTE, 1, 0x10003), 1u);
  EXPECT_EQ(code(AEROGPU_SHADER_STAGE_COMPUTE, 6, 0x10004), 1u);
  EXPECT_EQ(code(AEROGPU_SHADER_STAGE_COMPUTE, 1, 0x10002), 0u);
  EXPECT_EQ(code(AEROGPU_SHADER_STAGE_PIXEL, 1, 0x10004), 0u);
  EXPECT_EQ(code(9, 0, 0x10004), 1u);
}

/// Every opcode of the table: a packet that ends inside its structure is refused.
// CMD-5
TEST(Table, EveryOpcodeRefusesAPacketThatIsTooShort) {
  struct Row {
    const char* name;
    uint32_t opcode;
    size_t size;
  };
  const Row rows[] = {
#define ROW_FIXED(NAME, STRUCT) {#NAME, AEROGPU_CMD_##NAME, sizeof(struct aerogpu_cmd_##STRUCT)},
#define ROW_TAIL(NAME, STRUCT, ELEM, COUNT) ROW_FIXED(NAME, STRUCT)
      AEROGPU_CMD_TABLE(ROW_FIXED, ROW_TAIL, ROW_FIXED)};
  for (const Row& row : rows) {
    if (row.size == sizeof(aerogpu_cmd_hdr)) continue;
    Harness h;
    std::vector<uint8_t> packet((row.size - 1) / 4 * 4);
    const aerogpu_cmd_hdr hdr{row.opcode, static_cast<uint32_t>(packet.size())};
    std::memcpy(packet.data(), &hdr, sizeof hdr);
    CommandWriter w;
    w.raw(packet.data(), packet.size());
    EXPECT_EQ(h.submit(w).result.last_error_code, uint32_t{AEROGPU_ERROR_CMD_DECODE}) << row.name;
  }
}

/// Every opcode with variable data: a count that runs past the packet is refused, however large.
// CMD-6
TEST(Table, EveryTailIsCheckedAgainstThePacket) {
  const auto tryCount = [](const char* name, uint32_t opcode, auto fixed, auto setCount) {
    for (const uint64_t count : {uint64_t{64}, uint64_t{0xFFFFFFFF}}) {
      Harness h;
      setCount(fixed, count);
      CommandWriter w;
      w.packet(opcode, fixed);
      EXPECT_EQ(h.submit(w).result.last_error_code, uint32_t{AEROGPU_ERROR_CMD_DECODE}) << name;
    }
  };
#define TRY_NOTHING(NAME, STRUCT)
#define TRY_TAIL(NAME, STRUCT, ELEM, COUNT)                       \
  tryCount(                                                       \
      #NAME, AEROGPU_CMD_##NAME, (struct aerogpu_cmd_##STRUCT){}, \
      [](struct aerogpu_cmd_##STRUCT& c, uint64_t n) { c.COUNT = static_cast<decltype(c.COUNT + 0)>(n); });
  AEROGPU_CMD_TABLE(TRY_NOTHING, TRY_TAIL, TRY_NOTHING)
}

}  // namespace
