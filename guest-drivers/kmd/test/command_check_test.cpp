// SPDX-License-Identifier: MIT
// Tests what the kernel driver lets a process send (PRIV-6 to PRIV-8, EX-44). Streams are built from the ABI's
// structures, byte by byte.
#include "guest-drivers/kmd/logic/command_check.h"

#include <gtest/gtest.h>

#include <vector>

#include "aerogpu/aerogpu_format.h"

namespace {

using namespace aero;

class Stream {
public:
  template <class Packet> Stream &add(uint32_t opcode, Packet packet, uint32_t extra = 0) {
    packet.hdr = {opcode, static_cast<uint32_t>(sizeof packet) + extra};
    const auto *bytes = reinterpret_cast<const uint8_t *>(&packet);
    m_bytes.insert(m_bytes.end(), bytes, bytes + sizeof packet);
    m_bytes.resize(m_bytes.size() + extra, 0xCC);
    return *this;
  }
  Stream &raw(std::initializer_list<uint32_t> words) {
    for (const uint32_t word : words)
      for (int shift = 0; shift < 32; shift += 8) m_bytes.push_back(static_cast<uint8_t>(word >> shift));
    return *this;
  }
  uint32_t size() const { return static_cast<uint32_t>(m_bytes.size()); }
  const uint8_t *data() const { return m_bytes.data(); }

private:
  std::vector<uint8_t> m_bytes;
};

struct Result {
  StreamCheck check;
  std::vector<StreamEvent> events;
};

/** Checks the stream for a device that announces every feature. */
Result check(const Stream &stream, bool more = false, uint32_t bytes = UINT32_MAX, uint32_t featuresHi = UINT32_MAX) {
  Result result;
  result.check = checkPackets(stream.data(), bytes < stream.size() ? bytes : stream.size(), more, featuresHi,
                              [&](const StreamEvent &event) {
                                result.events.push_back(event);
                                return true;
                              });
  return result;
}

aerogpu_cmd_create_texture2d texture(uint32_t handle, uint32_t allocId, uint32_t offset = 0) {
  aerogpu_cmd_create_texture2d packet = {};
  packet.texture_handle = handle;
  packet.format = AEROGPU_FORMAT_B8G8R8A8_UNORM;
  packet.width = 100;
  packet.height = 50;
  packet.mip_levels = packet.array_layers = 1;
  packet.row_pitch_bytes = 448;
  packet.backing_alloc_id = allocId;
  packet.backing_offset_bytes = offset;
  return packet;
}

aerogpu_cmd_export_shared_surface shared(uint32_t handle, uint64_t token) {
  aerogpu_cmd_export_shared_surface packet = {};
  packet.resource_handle = handle;
  packet.share_token = token;
  return packet;
}

// ---- header ----

aerogpu_cmd_stream_header header(uint32_t bytes) {
  return {AEROGPU_CMD_STREAM_MAGIC, AEROGPU_ABI_VERSION_U32, bytes, 0, 0, 0};
}

TEST(StreamHeader, SaysHowManyBytesOfPackets) {
  uint32_t packets = 99;
  EXPECT_EQ(checkStreamHeader(header(24), 24, packets), StreamFault::None);
  EXPECT_EQ(packets, 0u);
  EXPECT_EQ(checkStreamHeader(header(24 + 16), 24 + 16, packets), StreamFault::None);
  EXPECT_EQ(packets, 16u);
  EXPECT_EQ(checkStreamHeader(header(24 + 16), 1000, packets), StreamFault::None) << "what follows is ignored";
  EXPECT_EQ(packets, 16u);
}

TEST(StreamHeader, RefusesWhatIsNoStream) {
  uint32_t packets;
  auto h = header(24);
  h.magic ^= 1;
  EXPECT_EQ(checkStreamHeader(h, 24, packets), StreamFault::Header);
  h = header(24);
  h.abi_version += 0x10000;
  EXPECT_EQ(checkStreamHeader(h, 24, packets), StreamFault::Header);
  h = header(24);
  h.abi_version += 7;  // a newer minor is fine
  EXPECT_EQ(checkStreamHeader(h, 24, packets), StreamFault::None);
}

TEST(StreamHeader, RefusesSizesThatCannotBe) {
  uint32_t packets;
  for (const uint32_t bytes : {0u, 4u, 20u, 26u, 44u, 0xFFFFFFFCu})
    EXPECT_EQ(checkStreamHeader(header(bytes), 40, packets), StreamFault::Framing) << bytes;
}

// ---- framing ----

/** The known opcodes, and the lengths of their structures. */
struct Known {
  const char *name;
  uint32_t opcode, bytes;
  bool kernelOnly() const {  // PRIV-6, SPACE-12, MEM-2
    return opcode == AEROGPU_CMD_RELEASE_SHARED_SURFACE ||
           (opcode >= AEROGPU_CMD_EXT_GRANT && opcode <= AEROGPU_CMD_EXT_SPACE_PROCESS) ||
           opcode == AEROGPU_CMD_EXT_COPY_MEMORY || opcode == AEROGPU_CMD_EXT_FILL_MEMORY;
  }
};
const std::vector<Known> &knownPackets() {
#define KNOWN(NAME, STRUCT) {#NAME, AEROGPU_CMD_##NAME, sizeof(struct aerogpu_cmd_##STRUCT)},
#define KNOWN_TAIL(NAME, STRUCT, ELEM, COUNT) KNOWN(NAME, STRUCT)
  static const std::vector<Known> packets = {AEROGPU_CMD_TABLE(KNOWN, KNOWN_TAIL, KNOWN)};
  return packets;
}

/** Returns a packet of zeros. */
Stream zeros(uint32_t opcode, uint32_t bytes) {
  Stream stream;
  stream.raw({opcode, bytes});
  for (uint32_t at = 8; at < bytes; at += 4) stream.raw({0});
  return stream;
}

TEST(Packets, LongerOnesPass) {
  Stream stream;
  stream.raw({AEROGPU_CMD_NOP, 16, 1, 2}).add(AEROGPU_CMD_CREATE_TEXTURE2D, texture(5, 0), 8);
  const Result got = check(stream);
  EXPECT_EQ(got.check.fault, StreamFault::None);
  EXPECT_EQ(got.check.acceptedBytes, stream.size());
  EXPECT_FALSE(got.check.present);
  ASSERT_EQ(got.events.size(), 1u);
  EXPECT_EQ(got.events[0].handle, 5u);
  for (const Known &packet : knownPackets()) {
    EXPECT_EQ(check(zeros(packet.opcode, packet.bytes + 64)).check.fault,
              packet.kernelOnly() ? StreamFault::Privileged : StreamFault::None)
        << packet.name;
  }
}

/** An unknown packet may name objects of others: PRIV-12. */
TEST(Packets, UnknownOnesAreRefused) {
  std::vector<uint32_t> opcodes = {0x10000 + AEROGPU_CMD_NOP, 0x10000 + AEROGPU_CMD_DRAW, 0x80008000u, 0xFFFFFFFFu};
  for (uint32_t opcode = 0; opcode < 0x10000; opcode++) opcodes.push_back(opcode);
  for (const Known &packet : knownPackets()) std::erase(opcodes, packet.opcode);
  ASSERT_EQ(opcodes.size(), 4 + 0x10000 - knownPackets().size());
  for (const uint32_t opcode : opcodes) {
    Stream stream;
    stream.raw({AEROGPU_CMD_NOP, 8, opcode, 8});
    const Result got = check(stream);
    ASSERT_EQ(got.check.fault, StreamFault::Unknown) << std::hex << opcode;
    ASSERT_EQ(got.check.faultOffset, 8u) << std::hex << opcode;
    ASSERT_EQ(got.check.acceptedBytes, 8u) << std::hex << opcode;
  }
}

/** The feature bits are those of docs/abi/extensions.md. */
TEST(Packets, ExtensionsPassWithTheirFeatureAlone) {
  const Stream reset = zeros(AEROGPU_CMD_EXT_RESET_CONTEXT, sizeof(aerogpu_cmd_ext_reset_context));
  const uint32_t bit = 1u << (35 - 32);
  EXPECT_EQ(check(reset, false, UINT32_MAX, bit).check.fault, StreamFault::None);
  EXPECT_EQ(check(reset, false, UINT32_MAX, ~bit).check.fault, StreamFault::Unknown);
  for (const Known &packet : knownPackets()) {
    const StreamFault fault = check(zeros(packet.opcode, packet.bytes), false, UINT32_MAX, 0).check.fault;
    if (packet.kernelOnly()) continue;
    EXPECT_EQ(fault, packet.opcode < 0x8000 ? StreamFault::None : StreamFault::Unknown) << packet.name;
  }
}

// PRIV-8
TEST(Packets, BrokenFramingIsRefusedWhereItIs) {
  const struct {
    const char *what;
    uint32_t size;
  } rows[] = {
      {"under the header", 4}, {"zero", 0}, {"no multiple of 4", 10}, {"past the end", 12}, {"huge", 0xFFFFFFFC}};
  for (const auto &row : rows) {
    Stream stream;
    stream.raw({AEROGPU_CMD_NOP, 8}).raw({AEROGPU_CMD_NOP, row.size});
    const Result got = check(stream);
    EXPECT_EQ(got.check.fault, StreamFault::Framing) << row.what;
    EXPECT_EQ(got.check.faultOffset, 8u) << row.what;
    EXPECT_EQ(got.check.acceptedBytes, 8u) << row.what;
  }
}

TEST(Packets, AHeaderThatIsCutOffIsRefused) {
  Stream stream;
  stream.raw({AEROGPU_CMD_NOP, 8}).raw({AEROGPU_CMD_NOP});
  EXPECT_EQ(check(stream).check.fault, StreamFault::Framing);
}

TEST(Packets, WithMoreToComeOnlyWholeOnesCount) {
  Stream stream;
  stream.add(AEROGPU_CMD_CREATE_TEXTURE2D, texture(1, 11)).add(AEROGPU_CMD_CREATE_TEXTURE2D, texture(2, 22));
  const uint32_t one = sizeof(aerogpu_cmd_create_texture2d);
  for (uint32_t bytes = 0; bytes <= stream.size(); bytes++) {
    const Result got = check(stream, true, bytes);
    EXPECT_EQ(got.check.fault, StreamFault::None) << bytes;
    EXPECT_EQ(got.check.acceptedBytes, bytes / one * one) << bytes;
    EXPECT_EQ(got.events.size(), bytes / one) << bytes;
  }
  // A packet that can never become valid is refused at once.
  Stream broken;
  broken.raw({AEROGPU_CMD_NOP, 3});
  EXPECT_EQ(check(broken, true).check.fault, StreamFault::Framing);
}

TEST(Packets, ShorterThanTheirStructureAreRefused) {
  for (const Known &packet : knownPackets()) {
    if (packet.kernelOnly()) continue;
    for (uint32_t bytes = 8; bytes < packet.bytes; bytes += 4)
      EXPECT_EQ(check(zeros(packet.opcode, bytes)).check.fault, StreamFault::Framing) << packet.name << " " << bytes;
  }
}

// ---- rights ----

enum class Does { Create, Destroy, Change };

/** Every packet whose first field names the object that it makes, ends or changes; taken from docs/abi/commands.md. */
constexpr struct {
  uint32_t opcode;
  Does does;
  StreamObject object;
} kNaming[] = {
    {AEROGPU_CMD_CREATE_BUFFER, Does::Create, StreamObject::Resource},
    {AEROGPU_CMD_CREATE_TEXTURE2D, Does::Create, StreamObject::Resource},
    {AEROGPU_CMD_DESTROY_RESOURCE, Does::Destroy, StreamObject::Resource},
    {AEROGPU_CMD_RESOURCE_DIRTY_RANGE, Does::Change, StreamObject::Resource},
    {AEROGPU_CMD_UPLOAD_RESOURCE, Does::Change, StreamObject::Resource},
    {AEROGPU_CMD_COPY_BUFFER, Does::Change, StreamObject::Resource},
    {AEROGPU_CMD_COPY_TEXTURE2D, Does::Change, StreamObject::Resource},
    {AEROGPU_CMD_CREATE_TEXTURE_VIEW, Does::Create, StreamObject::View},
    {AEROGPU_CMD_DESTROY_TEXTURE_VIEW, Does::Destroy, StreamObject::View},
    {AEROGPU_CMD_CREATE_SHADER_DXBC, Does::Create, StreamObject::Shader},
    {AEROGPU_CMD_DESTROY_SHADER, Does::Destroy, StreamObject::Shader},
    {AEROGPU_CMD_CREATE_INPUT_LAYOUT, Does::Create, StreamObject::InputLayout},
    {AEROGPU_CMD_EXT_CREATE_SHADER, Does::Create, StreamObject::Shader},
    {AEROGPU_CMD_EXT_CREATE_LAYOUT, Does::Create, StreamObject::InputLayout},
    {AEROGPU_CMD_DESTROY_INPUT_LAYOUT, Does::Destroy, StreamObject::InputLayout},
    {AEROGPU_CMD_CREATE_SAMPLER, Does::Create, StreamObject::Sampler},
    {AEROGPU_CMD_DESTROY_SAMPLER, Does::Destroy, StreamObject::Sampler},
};

/** Returns a packet whose first field is `handle`, as long as the largest structure of kNaming. */
Stream naming(uint32_t opcode, uint32_t handle) {
  Stream stream;
  stream.raw({opcode, 64, handle, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  return stream;
}

// PRIV-7
TEST(Rights, TheKernelsHandlesAreItsOwn) {
  for (const auto &row : kNaming)
    for (const uint32_t handle : {kKernelHandleFirst, 0xFFFFFFFFu}) {
      const Result got = check(naming(row.opcode, handle));
      EXPECT_EQ(got.check.fault, StreamFault::Privileged) << std::hex << row.opcode;
      EXPECT_TRUE(got.events.empty());
    }
  for (const uint32_t opcode : {AEROGPU_CMD_EXPORT_SHARED_SURFACE, AEROGPU_CMD_IMPORT_SHARED_SURFACE})
    EXPECT_EQ(check(naming(opcode, kKernelHandleFirst)).check.fault, StreamFault::Privileged);
}

TEST(Rights, EveryOtherHandleMayBeNamedAndIsTold) {
  for (const auto &row : kNaming) {
    SCOPED_TRACE(row.opcode);
    const Result got = check(naming(row.opcode, kKernelHandleFirst - 1));
    EXPECT_EQ(got.check.fault, StreamFault::None);
    ASSERT_EQ(got.events.size(), 1u);
    EXPECT_EQ(got.events[0].kind, row.does == Does::Create    ? StreamEvent::Created
                                  : row.does == Does::Destroy ? StreamEvent::Destroyed
                                                              : StreamEvent::Used);
    if (row.does != Does::Change) {
      EXPECT_EQ(got.events[0].object, row.object);
    }
    EXPECT_EQ(got.events[0].handle, kKernelHandleFirst - 1);
  }
}

/** For packets that bind or read: which words after the header are handles, and how many words there are, according to
 * the ABI's structures. Packets with elements have two of them. */
TEST(Rights, WhatAPacketBindsOrReadsIsTold) {
  struct Row {
    uint32_t opcode;
    std::vector<uint32_t> handleWords;
    uint32_t words;
  };
  const Row rows[] = {
      {AEROGPU_CMD_COPY_BUFFER, {0, 1}, 10},
      {AEROGPU_CMD_COPY_TEXTURE2D, {0, 1}, 14},
      {AEROGPU_CMD_BIND_SHADERS, {0, 1, 2, 3}, 4},
      {AEROGPU_CMD_BIND_SHADERS, {0, 1, 2, 3, 4, 5, 6}, 7},
      {AEROGPU_CMD_SET_INPUT_LAYOUT, {0}, 2},
      {AEROGPU_CMD_SET_RENDER_TARGETS, {1, 2, 3, 4, 5, 6, 7, 8, 9}, 10},
      {AEROGPU_CMD_SET_INDEX_BUFFER, {0}, 4},
      {AEROGPU_CMD_SET_TEXTURE, {2}, 4},
      {AEROGPU_CMD_SET_VERTEX_BUFFERS, {2, 6}, 10},
      {AEROGPU_CMD_SET_SAMPLERS, {4, 5}, 6},
      {AEROGPU_CMD_SET_CONSTANT_BUFFERS, {4, 8}, 12},
      {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, {4, 8}, 12},
      {AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, {4, 8}, 12},
  };
  for (const Row &row : rows) {
    SCOPED_TRACE(row.opcode);
    const auto packet = [&](uint32_t word, uint32_t handle) {
      Stream stream;
      stream.raw({row.opcode, 8 + row.words * 4});
      for (uint32_t i = 0; i < row.words; i++) stream.raw({i == word ? handle : 0});
      return stream;
    };
    for (const uint32_t word : row.handleWords) {
      const Result got = check(packet(word, 1234));
      ASSERT_EQ(got.events.size(), 1u) << word;
      EXPECT_EQ(got.events[0].kind, StreamEvent::Used);
      EXPECT_EQ(got.events[0].handle, 1234u);
      EXPECT_EQ(check(packet(word, kKernelHandleFirst)).check.fault, StreamFault::Privileged) << word;
    }
    EXPECT_TRUE(check(packet(row.words, 0)).events.empty()) << "0 names nothing";
  }
}

// PRIV-6, EX-44
TEST(Rights, OnlyTheKernelEndsTokens) {
  aerogpu_cmd_release_shared_surface packet = {};
  packet.share_token = 77;
  Stream stream;
  stream.add(AEROGPU_CMD_RELEASE_SHARED_SURFACE, packet);
  EXPECT_EQ(check(stream).check.fault, StreamFault::Privileged);
}

// PRIV-6, PRIV-7
TEST(Rights, TheCallerMayRefuseWhatItTracks) {
  Stream stream;
  stream.raw({AEROGPU_CMD_NOP, 8})
      .add(AEROGPU_CMD_EXPORT_SHARED_SURFACE, shared(3, 123))
      .add(AEROGPU_CMD_CREATE_TEXTURE2D, texture(4, 9));
  int calls = 0;
  const StreamCheck got = checkPackets(stream.data(), stream.size(), false, 0, [&](const StreamEvent &) {
    calls++;
    return false;
  });
  EXPECT_EQ(got.fault, StreamFault::Privileged);
  EXPECT_EQ(got.faultOffset, 8u);
  EXPECT_EQ(got.acceptedBytes, 8u);
  EXPECT_EQ(calls, 1) << "nothing behind a refused packet is looked at";
}

// ---- what is tracked ----

TEST(Events, CarryWhatThePacketsSay) {
  aerogpu_cmd_destroy_resource destroy = {};
  destroy.resource_handle = 0x1234;
  Stream stream;
  stream.add(AEROGPU_CMD_CREATE_TEXTURE2D, texture(7, 42))
      .add(AEROGPU_CMD_EXPORT_SHARED_SURFACE, shared(7, 0x1122334455667788))
      .add(AEROGPU_CMD_IMPORT_SHARED_SURFACE, shared(8, 0x8877665544332211))
      .add(AEROGPU_CMD_DESTROY_RESOURCE, destroy);
  const Result got = check(stream);
  ASSERT_EQ(got.check.fault, StreamFault::None);
  ASSERT_EQ(got.events.size(), 4u);
  EXPECT_EQ(got.events[0].kind, StreamEvent::Created);
  EXPECT_EQ(got.events[0].object, StreamObject::Resource);
  EXPECT_EQ(got.events[0].handle, 7u);
  EXPECT_EQ(got.events[0].allocId, 42u);
  EXPECT_EQ(got.events[0].width, 100u);
  EXPECT_EQ(got.events[0].height, 50u);
  EXPECT_EQ(got.events[0].format, static_cast<uint32_t>(AEROGPU_FORMAT_B8G8R8A8_UNORM));
  EXPECT_EQ(got.events[0].rowPitch, 448u);
  EXPECT_TRUE(got.events[0].single);
  EXPECT_EQ(got.events[1].kind, StreamEvent::Exported);
  EXPECT_EQ(got.events[1].handle, 7u);
  EXPECT_EQ(got.events[1].token, 0x1122334455667788u);
  EXPECT_EQ(got.events[2].kind, StreamEvent::Imported);
  EXPECT_EQ(got.events[2].handle, 8u);
  EXPECT_EQ(got.events[2].token, 0x8877665544332211u);
  EXPECT_EQ(got.events[3].kind, StreamEvent::Destroyed);
  EXPECT_EQ(got.events[3].handle, 0x1234u);
}

TEST(Events, OnlyATextureThatIsTheAllocationStandsForIt) {
  Stream stream;
  stream
      .add(AEROGPU_CMD_CREATE_TEXTURE2D, texture(1, 0))         // memory of the host
      .add(AEROGPU_CMD_CREATE_TEXTURE2D, texture(2, 5, 4096));  // at an offset
  for (const StreamEvent &event : check(stream).events) EXPECT_EQ(event.allocId, 0u);
}

// EX-22
TEST(Events, PresentsAreNoticed) {
  Stream stream;
  stream.add(AEROGPU_CMD_PRESENT, aerogpu_cmd_present{});
  EXPECT_TRUE(check(stream).check.present);
  Stream ex;
  ex.add(AEROGPU_CMD_PRESENT_EX, aerogpu_cmd_present_ex{});
  EXPECT_TRUE(check(ex).check.present);
  Stream rects;
  rects.add(AEROGPU_CMD_EXT_PRESENT_RECTS, aerogpu_cmd_ext_present_rects{});
  EXPECT_TRUE(check(rects).check.present);
}

}  // namespace
