// SPDX-License-Identifier: MIT
// States that nobody saved are refused, whatever is wrong with them, and leave nothing behind. TRACE-13,
// TRACE-15, TRACE-17.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "aerogpu/cmd_writer.hpp"
#include "renderer/core/test/spaces_fixture.h"
#include "renderer/snapshot/test/everything.h"
#include "renderer/test/saving.h"
#include "renderer/trace/writer.h"

namespace aerogpu::test {
namespace {

using trace::BlobKind;

/// Writes a snapshot by hand.
class Hand {
public:
  Hand() : m_file(trace::Writer::create(appendBytes, &m_bytes, {})) {
    begin.format = 1;
    begin.fixed_size = sizeof begin;
  }
  trace::SnapshotRecord begin{};
  /// Says that memory comes ahead.
  void beginAhead() { m_file->ahead({sizeof(trace::AheadRecord), 0, 0, 0}); }
  /// Sends memory ahead under the key; none: it is not needed any more.
  void ahead(uint64_t key, std::span<const uint8_t> memory = {}) {
    m_file->ahead({sizeof(trace::AheadRecord), 0, key,
                   memory.empty() ? 0 : m_file->blob(BlobKind::AllocMemory, memory)});
  }
  /// Adds a load of these packets, whose memory came ahead.
  void loadAhead(const CommandWriter& w, std::span<const uint8_t> table, uint64_t key,
                 uint32_t flags = AEROGPU_TRACE_LOAD_AHEAD) {
    trace::LoadRecord record{};
    record.fixed_size = sizeof record;
    record.flags = flags;
    record.command_blob = file().blob(BlobKind::CommandStream, {w.data(), w.size()});
    record.alloc_table_blob = file().blob(BlobKind::AllocTable, table);
    record.memory_blob = key;
    file().load(record);
  }
  /// Sends draws ahead.
  void draws(const CommandWriter& w) {
    m_file->draws(
        {sizeof(trace::DrawsRecord), 0, m_file->blob(BlobKind::CommandStream, {w.data(), w.size()})});
  }
  void draws(const trace::DrawsRecord& record) { m_file->draws(record); }
  trace::Writer& file() {
    if (!m_begun) m_file->snapshot(begin);
    m_begun = true;
    return *m_file;
  }
  /// Adds a load of these packets, and returns the number of its stream.
  uint64_t load(const CommandWriter& w, std::span<const uint8_t> table = {},
                std::span<const uint8_t> memory = {}) {
    trace::LoadRecord record{};
    record.fixed_size = sizeof record;
    record.command_blob = file().blob(BlobKind::CommandStream, {w.data(), w.size()});
    if (!table.empty()) record.alloc_table_blob = file().blob(BlobKind::AllocTable, table);
    if (!memory.empty()) record.memory_blob = file().blob(BlobKind::AllocMemory, memory);
    file().load(record);
    return record.command_blob;
  }
  std::vector<uint8_t> end(uint32_t objects = 0, uint32_t names = 0, uint32_t contexts = 0) {
    file().snapshotEnd({sizeof(trace::SnapshotEndRecord), objects, names, contexts});
    return m_bytes;
  }
  const std::vector<uint8_t>& bytes() const { return m_bytes; }

private:
  std::vector<uint8_t> m_bytes;
  std::unique_ptr<trace::Writer> m_file;
  bool m_begun = false;
};

class SnapshotLoad : public testing::Test {
protected:
  /// Expects that the load fails with this text and that nothing is held after it.
  void expectRefused(std::span<const uint8_t> bytes, const std::string& what) {
    EXPECT_NE(loadSnapshot(h.renderer(), bytes).find(what), std::string::npos)
        << loadSnapshot(h.renderer(), bytes);
    expectNothingHeld();
  }
  void expectNothingHeld() {
    EXPECT_EQ(h.stats().held_objects, 0u);
    EXPECT_EQ(h.stats().resources, 0u);
    EXPECT_EQ(h.stats().host_memory_bytes, 0u);
  }
  template <class Write>
  static CommandWriter stream(Write write) {
    CommandWriter w;
    write(w);
    return w;
  }
  Harness h{{.maxHostmem = uint64_t{16} << 20}};
};

TEST_F(SnapshotLoad, TakesAnEmptyOne) {
  EXPECT_EQ(loadSnapshot(h.renderer(), Hand().end()), "");
  expectNothingHeld();
}

TEST_F(SnapshotLoad, NamesBothNumbers) {
  Hand format;
  format.begin.format = AEROGPU_TRACE_SNAPSHOT_FORMAT + 1;
  expectRefused(format.end(), "format is 4, 3 is known");
  Hand features;
  features.begin.features = uint64_t{1} << 63;
  expectRefused(features.end(), "features 9223372036854775808, here are " +
                                    std::to_string(aerogpu_renderer_features(h.renderer())));
  Hand big;
  big.begin.content_bytes = uint64_t{17} << 20;
  expectRefused(big.end(), "17825792 bytes, max_hostmem is 16777216");
  expectRefused(Hand().end(1), "number of objects is 1, 0 is known");
  expectRefused(Hand().end(0, 1), "number of handles is 1, 0 is known");
  expectRefused(Hand().end(0, 0, 1), "number of contexts is 1, 0 is known");
}

TEST_F(SnapshotLoad, RefusesOtherRecords) {
  Hand submission;
  submission.file().submission({}, {});
  expectRefused(submission.end(), "no records of type 5");
  Hand late;
  late.begin = {};
  std::vector<uint8_t> none(late.bytes());  // a head alone
  expectRefused(none, "cut short");
  expectRefused({}, "nothing was loaded");
  const uint8_t noise[64] = {1};
  expectRefused(noise, "not a trace file");
}

TEST_F(SnapshotLoad, RefusesPacketsOfGuests) {
  const Allocation memory = h.allocate(4096);
  const auto expectNoPacket = [&](const CommandWriter& w) {
    Hand hand;
    hand.load(w, h.allocTable());
    expectRefused(hand.end(), "a snapshot has no such packet");
  };
  expectNoPacket(stream([&](CommandWriter& w) { packets::writeValue(w, memory.id, 0, 1); }));
  expectNoPacket(stream([&](CommandWriter& w) { packets::draw(w, 3); }));
  expectNoPacket(stream([&](CommandWriter& w) { destroySpace(w, 3); }));
  expectNoPacket(stream([&](CommandWriter& w) { w.packet(0x1FFFF, aerogpu_cmd_hdr{}); }));
  EXPECT_EQ(h.bytes(memory)[0], 0);
}

TEST_F(SnapshotLoad, ReadsNoGuestMemory) {
  h.allocateScattered(4096);
  Hand hand;
  hand.load(stream([](CommandWriter& w) { packets::createBuffer(w, 1, 16); }), h.allocTable());
  expectRefused(hand.end(), "page list");
  h.onGuestAccess = [](uint64_t gpa, bool) { ADD_FAILURE() << "guest memory at " << gpa; };
  const auto update = stream([](CommandWriter& w) {
    packets::createBuffer(w, 1, 16);
    aerogpu_cmd_ext_update_buffer c{};
    c.buffer = 1;
    c.size_bytes = 16;
    c.src_alloc_id = 1;
    w.packet(c);
  });
  Harness tables;
  tables.name(8, 16);
  Hand none;
  none.load(update, tables.allocTable());
  expectRefused(none.end(1), "EXT_UPDATE_BUFFER: allocation is no readable guest memory");
  Hand few;
  few.load(update, tables.allocTable(), pattern(23));
  expectRefused(few.end(1), "EXT_UPDATE_BUFFER");
  Hand enough;
  enough.load(update, tables.allocTable(), pattern(24));
  EXPECT_EQ(loadSnapshot(h.renderer(), enough.end(1)), "");
  expectNothingHeld();  // the buffer has no handle
}

TEST_F(SnapshotLoad, ForgetsBlobsAfterTheirLoad) {
  Hand hand;
  trace::LoadRecord again{};
  again.fixed_size = sizeof again;
  again.command_blob = hand.load(stream([](CommandWriter& w) { packets::createBuffer(w, 1, 16); }));
  hand.file().load(again);
  expectRefused(hand.end(), "names blob 1, which is not there");
}

TEST_F(SnapshotLoad, ChecksTheLoadersPackets) {
  const auto expect = [&](const std::string& what, auto write) {
    Hand hand;
    hand.load(stream(write));
    expectRefused(hand.end(), what);
  };
  expect("LOAD_OWNER: no such space: space 3", [](CommandWriter& w) {
    w.packet(aerogpu_cmd_load_owner{{}, 3, 1});
  });
  expect("LOAD_NAME: no such object: object 9", [](CommandWriter& w) {
    w.packet(aerogpu_cmd_load_name{{}, 9, 0, 1, 0});
  });
  expect("LOAD_NAME: handle is 0 or in use: handle 5", [](CommandWriter& w) {
    packets::createBuffer(w, 1, 16);
    w.packet(aerogpu_cmd_load_name{{}, 1, 0, 5, 0});
    w.packet(aerogpu_cmd_load_name{{}, 1, 0, 5, 0});
  });
  expect("LOAD_NAME: handle is 0 or in use: handle 0", [](CommandWriter& w) {
    packets::createBuffer(w, 1, 16);
    w.packet(aerogpu_cmd_load_name{{}, 1, 0, 0, 0});
  });
  expect("LOAD_CONTEXT: the context is there already: space 0, context 2", [](CommandWriter& w) {
    w.packet(aerogpu_cmd_load_context{{}, 0, 2, 0, 0});
    w.packet(aerogpu_cmd_load_context{{}, 0, 2, 0, 0});
  });
  expect("LOAD_CONTEXT: no such space", [](CommandWriter& w) {
    w.packet(aerogpu_cmd_load_context{{}, 4, 2, 0, 0});
  });
  expect("LOAD_QUERY: no such query slot: slot 256 of 256", [](CommandWriter& w) {
    w.packet(aerogpu_cmd_load_query{{}, 256, 0, 2});
  });
  expect("LOAD_COUNTS: no such query slot: slot 256 of 256", [](CommandWriter& w) {
    w.packet(aerogpu_cmd_load_counts{{}, 256, AEROGPU_EXT_QUERY_STREAM_STATISTICS, {}});
  });
  expect("LOAD_COUNTS: no such type of query: type 1", [](CommandWriter& w) {
    w.packet(aerogpu_cmd_load_counts{{}, 1, AEROGPU_EXT_QUERY_OCCLUSION, {}});
  });
  expect("LOAD_FILLED: no such buffer", [](CommandWriter& w) {
    w.packet(aerogpu_cmd_load_filled{{}, 1, 0});
  });
  expect("LOAD_FILLED: a buffer is not filled so far: filled_bytes 20, limit 16", [](CommandWriter& w) {
    packets::createBuffer(w, 1, 16);
    w.packet(aerogpu_cmd_load_filled{{}, 1, 20});
  });
  const auto texels = [&](const char* why, aerogpu_cmd_load_texels c,
                          aerogpu_format format = AEROGPU_FORMAT_R8G8B8A8_UNORM, uint32_t samples = 4) {
    expect(why, [&](CommandWriter& w) {
      w.packet(aerogpu_cmd_ext_create_texture{{},
                                              1,
                                              AEROGPU_RESOURCE_USAGE_RENDER_TARGET,
                                              format,
                                              AEROGPU_EXT_TEXTURE_2D,
                                              8,
                                              8,
                                              1,
                                              1,
                                              1,
                                              samples});
      w.packet(c);
    });
  };
  texels("LOAD_TEXELS: no such texture", {{}, 2, 0, 0, 0, 0, 1, 0, 0, 8, 8});
  texels("LOAD_TEXELS: texels of the format have no such plane: plane 1", {{}, 1, 0, 0, 0, 1, 1, 0, 0, 8, 8});
  texels("LOAD_TEXELS: texels of the format have no such plane: plane 2", {{}, 1, 0, 0, 0, 2, 1, 0, 0, 8, 8},
         AEROGPU_FORMAT_D32_FLOAT);
  texels("LOAD_TEXELS: texels of the format have no such plane: plane 0", {{}, 1, 0, 0, 0, 0, 1, 0, 0, 8, 8},
         AEROGPU_FORMAT_D32_FLOAT);
  texels("LOAD_TEXELS: a texture without planes: samples 1", {{}, 1, 0, 0, 0, 0, 1, 0, 0, 8, 8},
         AEROGPU_FORMAT_R8G8B8A8_UNORM, 1);
  texels("LOAD_TEXELS: no such sample: sample 4 of 4", {{}, 1, 0, 0, 4, 0, 1, 0, 0, 8, 8});
  texels("LOAD_TEXELS: no such mip or layer: mip_level 0 of 1, array_layer 2 of 1",
         {{}, 1, 0, 2, 0, 0, 1, 0, 0, 8, 8});
  texels("LOAD_TEXELS: box reaches outside: y 1, height 8", {{}, 1, 0, 0, 0, 0, 1, 0, 1, 8, 8});
  texels("LOAD_TEXELS: allocation is not in the table: src_alloc_id 9", {{}, 1, 0, 0, 0, 0, 9, 0, 0, 8, 8});
  expect("EXT_ATTACH_BACKING", [](CommandWriter& w) {
    packets::createBuffer(w, 1, 16);
    packets::attachBacking(w, 1, 7);
  });
}

TEST_F(SnapshotLoad, KeepsStateBeforeTheFirstContextToItself) {
  Hand hand;
  hand.load(stream([](CommandWriter& w) {
    packets::createBuffer(w, 1, 16);
    packets::setVertexBuffer(w, 0, 1, 4);
    w.packet(aerogpu_cmd_load_query{{}, 1, 0, 2});
  }));
  EXPECT_EQ(loadSnapshot(h.renderer(), hand.end(1)), "");
  expectNothingHeld();
}

TEST_F(SnapshotLoad, NamesTheObjectAndItsSpace) {
  Hand buffer;
  buffer.load(stream([](CommandWriter& w) {
    nameSpace(w, 3, 12, "game.exe");
    w.packet(aerogpu_cmd_load_owner{{}, 3, 0});
    packets::createBuffer(w, 7, uint64_t{20} << 20);
  }));
  expectRefused(buffer.end(7), ", CREATE_BUFFER, object 7, space 3, process 12, game.exe: ");
  Hand context;
  context.load(stream([](CommandWriter& w) {
    nameSpace(w, 3, 12, "game.exe");
    w.packet(aerogpu_cmd_load_context{{}, 3, 1, 0, 0});
    packets::setTarget(w, 99);
  }));
  expectRefused(context.end(), ", SET_RENDER_TARGETS, space 3, process 12, game.exe: ");
}

TEST_F(SnapshotLoad, HoldsNoMoreThanIsAllowed) {
  Hand many;
  many.load(stream([](CommandWriter& w) {
    for (uint32_t i = 1; i <= 17; ++i) packets::createBuffer(w, i, uint64_t{1} << 20);
  }));
  expectRefused(many.end(17), "max_hostmem is reached");
  Hand contexts;
  contexts.load(stream([](CommandWriter& w) {
    for (uint32_t i = 1; i <= 8193; ++i) w.packet(aerogpu_cmd_load_context{{}, 0, i, 0, 0});
  }));
  expectRefused(contexts.end(), "LOAD_CONTEXT");
  // A record whose length is not true.
  std::vector<uint8_t> bytes = Hand().end();
  const trace::RecordHeader longer{4, 0, 0, (64u << 20) + (65u << 10)};
  const auto* first = reinterpret_cast<const uint8_t*>(&longer);
  bytes.insert(bytes.end() - 24, first, first + sizeof longer);
  expectRefused(bytes, "67174400 are allowed");
}

TEST_F(SnapshotLoad, RefusesEachPrefix) {
  Harness made;
  makeEverything(made);
  std::vector<uint8_t> bytes = takeSnapshot(made.renderer()).bytes;
  bytes.resize(bytes.size() - 48 - 24 - 8);  // table of contents, footer, and more of the end
  for (size_t size = 1; size < bytes.size(); size += 1 + size / 64) {
    EXPECT_NE(loadSnapshot(h.renderer(), std::span(bytes).first(size), size), "") << size;
    expectNothingHeld();
  }
}

TEST_F(SnapshotLoad, OutlivesChangedBytes) {
  Harness made;
  makeEverything(made);
  const std::vector<uint8_t> bytes = takeSnapshot(made.renderer()).bytes;
  std::mt19937 random(24);
  for (int run = 0; run < 300; ++run) {
    std::vector<uint8_t> changed = bytes;
    for (uint32_t i = random() % 4; i-- != UINT32_MAX;)
      changed[random() % changed.size()] = static_cast<uint8_t>(random());
    loadSnapshot(h.renderer(), changed, changed.size());
    EXPECT_LE(h.stats().host_memory_peak_bytes, uint64_t{16} << 20);
  }
}

/// TRACE-14.
TEST_F(SnapshotLoad, IsNotForGuests) {
  const auto done = h.submit(stream([](CommandWriter& w) {
    packets::createBuffer(w, 1, 16);
    w.packet(aerogpu_cmd_load_owner{{}, 3, 1});
    w.packet(aerogpu_cmd_load_name{{}, 1, 0, 2, 0});
    w.packet(aerogpu_cmd_load_context{{}, 0, 9, 0, 0});
    w.packet(aerogpu_cmd_load_query{{}, 1, 0, 9});
  }));
  expectGood(done);
  EXPECT_EQ(h.spaceInfo(0)->contexts, 1u);
  EXPECT_EQ(h.spaceInfo(0)->objects, 1u);
  expectError(h.submit(stream([](CommandWriter& w) { packets::destroyResource(w, 2); })), kDecode);
}

TEST_F(SnapshotLoad, TimeDoesNotGoBack) {
  // QUERY-6. Far beyond what any clock of this machine shows.
  constexpr uint64_t kSaved = uint64_t{1} << 62, kMinute = 60'000'000'000;
  const Allocation memory = h.allocate(4096);
  const auto now = [&] {
    const auto done = h.submit(stream([&](CommandWriter& w) {
      w.packet(aerogpu_cmd_ext_query_end{{}, 1, AEROGPU_EXT_QUERY_TIMESTAMP, memory.id, 0, 0});
    }));
    EXPECT_EQ(done.result.error_count, 0u);
    uint64_t value;
    std::memcpy(&value, h.bytes(memory).data(), sizeof value);
    return value;
  };
  const uint64_t before = now();
  Hand hand;
  hand.load(stream([](CommandWriter& w) { w.packet(aerogpu_cmd_load_clock{{}, kSaved}); }));
  ASSERT_EQ(loadSnapshot(h.renderer(), hand.end()), "");
  const uint64_t first = now(), second = now();
  EXPECT_GE(first, kSaved);
  EXPECT_LT(first - kSaved, kMinute);
  EXPECT_GE(second, first);
  // Its newest time is what the next snapshot has, and it goes on where that is in the past.
  const Snapshot later = takeSnapshot(h.renderer());
  Harness other;
  ASSERT_EQ(loadSnapshot(other.renderer(), later.bytes), "");
  EXPECT_TRUE(takeSnapshot(other.renderer()).bytes == later.bytes);
  Hand past;
  past.load(stream([&](CommandWriter& w) { w.packet(aerogpu_cmd_load_clock{{}, before}); }));
  ASSERT_EQ(loadSnapshot(h.renderer(), past.end()), "");
  EXPECT_GE(now(), before);
  EXPECT_LT(now(), kSaved);
}

TEST_F(SnapshotLoad, WaitsForTheEndOfACapture) {
  char error[256] = "";
  const std::string path = testing::TempDir() + "snapshot-load.aerogputrace";
  ASSERT_TRUE(aerogpu_renderer_capture_start(h.renderer(), path.c_str(), error, sizeof error));
  EXPECT_NE(loadSnapshot(h.renderer(), Hand().end()).find("a capture runs"), std::string::npos);
  ASSERT_TRUE(aerogpu_renderer_capture_stop(h.renderer(), error, sizeof error));
  std::remove(path.c_str());
}

TEST_F(SnapshotLoad, FollowsARefusedOne) {
  Hand format;
  format.begin.format = AEROGPU_TRACE_SNAPSHOT_FORMAT + 1;
  expectRefused(format.end(), "format");
  EXPECT_EQ(loadSnapshot(h.renderer(), Hand().end()), "");
}

TEST(SnapshotSave, SaysThatBytesWereRefused) {
  Harness h;
  const aerogpu_bytes_sink sink{sizeof sink, [](void*, const void*, size_t) { return false; }, nullptr};
  char error[128] = "";
  EXPECT_FALSE(aerogpu_renderer_save(h.renderer(), &sink, error, sizeof error));
  EXPECT_STREQ(error, "the snapshot cannot be written");
}

TEST(SnapshotSave, FailsOnALostGpu) {
  Harness h;
  CommandWriter w;
  packets::createBuffer(w, 1, 16);
  h.submit(w);
  aerogpu_renderer_play_faults(h.renderer(), AEROGPU_RENDERER_FAULT_LOSE);
  EXPECT_EQ(takeSnapshot(h.renderer()).error, "the GPU is lost");
}

/// A buffer of 64 bytes as object 1 with handle 1, whose bytes came ahead under key 5.
void loadBuffer(Hand& hand, uint32_t flags = AEROGPU_TRACE_LOAD_AHEAD) {
  CommandWriter w;
  packets::createBuffer(w, 1, 64);
  w.packet(aerogpu_cmd_load_name{{}, 1, 0, 1, 0});
  hand.load(w);
  w.reset();
  w.packet(aerogpu_cmd_ext_update_buffer{{}, 1, 0, 0, 64, 1, 0, 0});
  struct {
    aerogpu_alloc_table_header header{};
    aerogpu_alloc_entry entry{1, 0, 0, 64, 0};
  } table;
  table.header.magic = AEROGPU_ALLOC_TABLE_MAGIC;
  table.header.abi_version = AEROGPU_ABI_VERSION_U32;
  table.header.size_bytes = sizeof table;
  table.header.entry_count = 1;
  table.header.entry_stride_bytes = sizeof table.entry;
  hand.loadAhead(w, {reinterpret_cast<const uint8_t*>(&table), sizeof table}, 5, flags);
}

/// Draws of 6 vertices with a vertex shader of their own, ahead of a snapshot.
CommandWriter someDraws() {
  CommandWriter w;
  packets::createBuffer(w, 1, 64);
  packets::createShader(w, 2, AEROGPU_SHADER_STAGE_VERTEX, std::array<uint32_t, 2>{0xFFFE0200, 0x0000FFFF});
  w.packet(aerogpu_cmd_ext_reset_context{});
  packets::bindShaders(w, 2, 0);
  packets::draw(w, 6);
  return w;
}

// TRACE-18
TEST_F(SnapshotLoad, DrawsMayComeAhead) {
  const uint64_t before = h.stats().draws;
  Hand hand;
  hand.draws(someDraws());
  EXPECT_EQ(loadSnapshot(h.renderer(), hand.end()), "");
  EXPECT_EQ(h.stats().draws, before + 1);
  expectNothingHeld();
}

TEST_F(SnapshotLoad, DrawsAheadWaitUntilWhatIsThereIsGone) {
  CommandWriter w;
  packets::createBuffer(w, 1, 64);
  h.submit(w);
  const uint64_t before = h.stats().draws;
  Hand hand;
  hand.draws(someDraws());
  char error[256] = "";
  ASSERT_TRUE(aerogpu_renderer_load_bytes(h.renderer(), hand.bytes().data(), hand.bytes().size(), error,
                                          sizeof error));
  EXPECT_EQ(h.stats().draws, before);
  EXPECT_EQ(h.stats().resources, 1u) << "a guest has it until the snapshot begins";
  const size_t ahead = hand.bytes().size();
  const std::vector<uint8_t> all = hand.end();
  ASSERT_TRUE(
      aerogpu_renderer_load_bytes(h.renderer(), all.data() + ahead, all.size() - ahead, error, sizeof error));
  EXPECT_TRUE(aerogpu_renderer_load_finish(h.renderer(), nullptr, error, sizeof error)) << error;
  EXPECT_EQ(h.stats().draws, before + 1);
  expectNothingHeld();
}

TEST_F(SnapshotLoad, DrawsAheadMayFail) {
  const CommandWriter broken[] = {
      stream([](CommandWriter& w) { packets::draw(w, 6); }),            // without a shader
      stream([](CommandWriter& w) { packets::draw(w, 1u << 30); }),     // too many
      stream([](CommandWriter& w) { w.packet(aerogpu_cmd_flush{}); }),  // no packet of theirs
      stream([](CommandWriter& w) { w.raw("abc", 3); }),
  };
  for (const CommandWriter& w : broken) {
    Hand hand;
    hand.draws(w);
    loadBuffer(hand, 0);
    EXPECT_NE(loadSnapshot(h.renderer(), hand.end(1, 1)).find("blob 5"), std::string::npos)
        << "it is the snapshot that lacks something";
    expectNothingHeld();
    Hand good;
    good.draws(w);
    EXPECT_EQ(loadSnapshot(h.renderer(), good.end()), "");
  }
}

TEST_F(SnapshotLoad, DrawsAheadHaveALimit) {
  Hand hand;
  hand.draws(stream(
      [](CommandWriter& w) { w.raw(std::vector<uint8_t>(uint64_t{4} << 20).data(), uint64_t{4} << 20); }));
  expectRefused(hand.end(), "4194328 bytes, 4194304 are allowed");
  Hand none;
  none.draws({sizeof(trace::DrawsRecord), 0, 7});
  expectRefused(none.end(), "blob 7, which is not there");
  Hand cut;
  cut.draws(trace::DrawsRecord{sizeof(trace::DrawsRecord) - 1, 0, 7});
  expectRefused(cut.end(), "cut short");
}

// TRACE-17
TEST_F(SnapshotLoad, MemoryMayComeAhead) {
  Hand hand;
  hand.beginAhead();
  hand.ahead(5, pattern(100));
  hand.ahead(6, pattern(4096));
  std::vector<uint8_t> newer = pattern(64);
  std::ranges::reverse(newer);
  hand.ahead(5, newer);  // in place of the first
  hand.ahead(6);
  loadBuffer(hand);
  EXPECT_EQ(loadSnapshot(h.renderer(), hand.end(1, 1)), "");
  while (h.handle() < 1000) {
  }
  EXPECT_EQ(h.readBuffer(1, 64), newer);
}

// TRACE-19
TEST_F(SnapshotLoad, AFileMayBeginAgainBeforeItsSnapshot) {
  const auto twice = [](bool again, bool snapshot) {
    Hand first, second;
    first.beginAhead();
    first.ahead(5, pattern(100));
    first.ahead(6, pattern(4096));
    if (snapshot) first.file();
    second.beginAhead();
    if (again) second.ahead(5, pattern(64));
    loadBuffer(second);
    std::vector<uint8_t> bytes = first.bytes();
    const std::vector<uint8_t> rest = second.end(1, 1);
    bytes.insert(bytes.end(), rest.begin(), rest.end());
    return bytes;
  };
  EXPECT_EQ(loadSnapshot(h.renderer(), twice(true, false)), "");
  expectRefused(twice(false, false), "needs memory 5, which did not come ahead");
  expectRefused(twice(true, true), "a record of a snapshot has");
}

// TRACE-17
TEST_F(SnapshotLoad, RefusesMemoryThatDidNotComeAhead) {
  Hand dropped;
  dropped.beginAhead();
  dropped.ahead(5, pattern(64));
  dropped.ahead(5);
  loadBuffer(dropped);
  expectRefused(dropped.end(1, 1), "needs memory 5, which did not come ahead");
  Hand twice;
  twice.beginAhead();
  twice.ahead(5, pattern(64));
  loadBuffer(twice);
  loadBuffer(twice);
  expectRefused(twice.end(1, 1), "load 3");  // the object's number is taken
  Hand unannounced;
  unannounced.ahead(5, pattern(64));
  expectRefused(unannounced.end(), "memory is ahead of no snapshot");
  Hand unknown;
  unknown.beginAhead();
  unknown.ahead(5, pattern(64));
  loadBuffer(unknown, 3);
  expectRefused(unknown.end(1, 1), "flags 3, 1 are known");
  Hand noBlob;
  noBlob.beginAhead();
  noBlob.ahead(5, pattern(64));
  loadBuffer(noBlob, 0);
  expectRefused(noBlob.end(1, 1), "names blob 5, which is not there");
}

// The loader's memory is bounded, whatever comes.
TEST_F(SnapshotLoad, NoMoreComesAheadThanIsHeld) {
  const std::vector<uint8_t> piece(uint64_t{4} << 20, 1);
  Hand hand;
  hand.beginAhead();
  for (uint64_t key = 1; key <= 4; ++key) hand.ahead(key, piece);
  hand.ahead(2);
  hand.ahead(5, piece);  // 16 MiB are kept, which is max_hostmem
  hand.ahead(6, pattern(1));
  expectRefused(hand.end(), "more than 16777216 bytes are ahead");
}

}  // namespace
}  // namespace aerogpu::test
