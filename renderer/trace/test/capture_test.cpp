// SPDX-License-Identifier: MIT
// A capture replays the device's work: across resets, interruptions, broken descriptors and memory that
// cannot be read; unchanged bytes are in the file once.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "renderer/test/harness.h"
#include "renderer/trace/content_ids.h"
#include "renderer/trace/reader.h"
#include "renderer/trace/replay.h"

namespace {

using namespace aerogpu;
using test::Allocation;
using test::Harness;

constexpr uint32_t kSide = 4, kPitch = kSide * 4, kBytes = kPitch * kSide;
using Pixels = std::vector<uint8_t>;

/// A running capture, and its finished file.
class CaptureTest : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    ASSERT_TRUE(h.ok()) << h.createError();
    char error[256] = "";
    ASSERT_TRUE(aerogpu_renderer_capture_start(h.renderer(), m_path.c_str(), error, sizeof error)) << error;
  }
  void TearDown() override { std::filesystem::remove(m_path); }

  /// Ends the capture; replays it.
  void replay() {
    char error[256] = "";
    ASSERT_TRUE(aerogpu_renderer_capture_stop(h.renderer(), error, sizeof error)) << error;
    std::ifstream in(m_path, std::ios::binary);
    file.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    trace::ReplayOptions options;
    options.backend = GetParam();
    options.onFrame = [&](const aerogpu_frame& f) {
      const auto* pixels = static_cast<const uint8_t*>(f.pixels);
      frames.emplace_back(pixels, pixels + size_t{f.stride_bytes} * f.height);
    };
    std::string text;
    ASSERT_TRUE(trace::replay(file, options, result, text)) << text;
  }

  /// Returns how many blobs of a kind the file holds.
  size_t blobs(trace::BlobKind kind) const {
    trace::Reader reader;
    std::string error;
    EXPECT_TRUE(reader.open(file, error)) << error;
    trace::Reader::Record record;
    size_t count = 0;
    while (reader.next(record, error)) {
      trace::BlobHeader header;
      if (record.type != trace::RecordType::Blob) continue;
      std::memcpy(&header, record.payload.data(), sizeof header);
      count += header.kind == static_cast<uint32_t>(kind);
    }
    EXPECT_EQ(error, "");
    return count;
  }

  /// Creates texture `handle` over `memory` and binds it as colour target 0.
  static void makeTarget(CommandWriter& w, uint32_t handle, const Allocation& memory) {
    Harness::createTexture(w, handle, AEROGPU_FORMAT_R8G8B8A8_UNORM, kSide, kSide,
                           AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1, 1, memory.id, kPitch);
    packets::setTargets(w, std::vector<uint32_t>{handle});
  }
  static void present(CommandWriter& w) { w.packet(aerogpu_cmd_present{}); }
  static Pixels plain(uint8_t r, uint8_t g, uint8_t b, uint8_t a) {
    Pixels pixels;
    for (uint32_t i = 0; i < kSide * kSide; ++i) pixels.insert(pixels.end(), {r, g, b, a});
    return pixels;
  }

  Harness h{Harness::Options{.backend = GetParam()}};
  trace::ReplayResult result;
  std::vector<uint8_t> file;
  std::vector<Pixels> frames;

private:
  const std::string m_path =
      (std::filesystem::temp_directory_path() / ("aerogpu-capture-test-" + std::to_string(::getpid())))
          .string();
};

INSTANTIATE_TEST_SUITE_P(BackEnds, CaptureTest, testing::Values("null", "vulkan"),
                         [](const auto& info) { return std::string(info.param); });

// TRACE-3, VALUE-3: a read from a texture's memory finds what an earlier value wrote there.
TEST_P(CaptureTest, ValuesAreWrittenInAReplayToo) {
  const Allocation memory = h.allocate(kBytes);
  CommandWriter w;
  makeTarget(w, 1, memory);
  for (uint64_t offset = 0; offset < kBytes; offset += 8)
    packets::writeValue(w, memory.id, offset, 0xFF332211FF332211);
  packets::dirtyRange(w, 1, 0, kBytes);
  packets::writeValue(w, memory.id, 0, 1);
  present(w);
  ASSERT_EQ(h.submit(w).result.error_count, 0u);
  replay();
  EXPECT_EQ(result.errors, 0u);
  EXPECT_EQ(frames, std::vector<Pixels>{plain(0x11, 0x22, 0x33, 0xFF)});
}

// TRACE-3, QUERY-8
TEST_P(CaptureTest, QueryResultsAreWrittenInAReplayToo) {
  const Allocation memory = h.allocate(kBytes);
  CommandWriter w;
  makeTarget(w, 1, memory);
  for (uint64_t offset = 0; offset < kBytes; offset += sizeof(aerogpu_ext_query_result)) {
    w.packet(aerogpu_cmd_ext_query_begin{.slot = 3, .type = AEROGPU_EXT_QUERY_OCCLUSION});
    w.packet(aerogpu_cmd_ext_query_end{
        .slot = 3, .type = AEROGPU_EXT_QUERY_OCCLUSION, .alloc_id = memory.id, .offset_bytes = offset});
  }
  packets::dirtyRange(w, 1, 0, kBytes);
  present(w);
  ASSERT_EQ(h.submit(w).result.error_count, 0u);
  replay();
  EXPECT_EQ(result.errors, 0u);
  Pixels wanted;  // the third of each four pixels holds the low word of "available"
  for (uint32_t i = 0; i < kSide * kSide; ++i) wanted.insert(wanted.end(), {uint8_t(i % 4 == 2), 0, 0, 0});
  EXPECT_EQ(frames, std::vector<Pixels>{wanted});
}

// TRACE-6
TEST_P(CaptureTest, GoesOnBehindADeviceReset) {
  const Allocation memory = h.allocate(kBytes);
  CommandWriter red, blue;
  makeTarget(red, 1, memory);
  Harness::clear(red, AEROGPU_CLEAR_COLOR, 1, 0, 0, 1);
  present(red);
  ASSERT_EQ(h.submit(red).result.error_count, 0u);
  ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));
  ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));
  // The handle is free again, and nothing is bound: the first clear hits no target.
  Harness::clear(blue, AEROGPU_CLEAR_COLOR, 0, 1, 0, 1);
  makeTarget(blue, 1, memory);
  Harness::clear(blue, AEROGPU_CLEAR_COLOR, 0, 0, 1, 1);
  present(blue);
  ASSERT_EQ(h.submit(blue).result.error_count, 0u);
  replay();
  EXPECT_EQ(result.errors, 0u);
  EXPECT_EQ(result.resets, 1u) << "two resets with nothing between them are one";
  EXPECT_EQ(frames, (std::vector<Pixels>{plain(255, 0, 0, 255), plain(0, 0, 255, 255)}));
}

// TRACE-5
TEST_P(CaptureTest, LeavesOutWhatDidNotRun) {
  const Allocation memory = h.allocate(kBytes);
  CommandWriter make, green, blue, show;
  makeTarget(make, 1, memory);
  Harness::clear(make, AEROGPU_CLEAR_COLOR, 1, 0, 0, 1);
  ASSERT_EQ(h.submit(make).result.error_count, 0u);
  Harness::clear(green, AEROGPU_CLEAR_COLOR, 0, 1, 0, 1);
  const auto table = h.allocTable();
  EXPECT_EQ(h.submitRaw({green.data(), green.size()}, table, 0, AEROGPU_ERROR_OOB).result.error_count, 1u);
  aerogpu_renderer_interrupt(h.renderer());
  EXPECT_TRUE(h.submit(green).result.dropped);
  h.waitIdle();
  aerogpu_renderer_resume(h.renderer());
  present(show);
  ASSERT_EQ(h.submit(show).result.error_count, 0u);
  replay();
  EXPECT_EQ(result.submissions, 2u);
  EXPECT_EQ(result.errors, 0u);
  EXPECT_EQ(frames, (std::vector<Pixels>{plain(255, 0, 0, 255)}));
}

// TRACE-5
TEST_P(CaptureTest, CutsAnInterruptedSubmissionWhereItStopped) {
  const Allocation memory = h.allocate(kBytes), trap = h.allocate(16);
  CommandWriter w, show;
  makeTarget(w, 1, memory);
  packets::createBuffer(w, 2, 16, 0, trap.id);
  Harness::clear(w, AEROGPU_CLEAR_COLOR, 1, 0, 0, 1);
  packets::dirtyRange(w, 2, 0, 16);  // is interrupted while it reads
  Harness::clear(w, AEROGPU_CLEAR_COLOR, 0, 1, 0, 1);
  present(w);
  h.onGuestAccess = [&](uint64_t gpa, bool) {
    if (gpa == trap.gpa) aerogpu_renderer_interrupt(h.renderer());
  };
  const auto finished = h.submit(w).result;
  EXPECT_TRUE(finished.dropped);
  EXPECT_EQ(finished.present_count, 0u);
  h.waitIdle();
  aerogpu_renderer_resume(h.renderer());
  present(show);
  ASSERT_EQ(h.submit(show).result.error_count, 0u);
  replay();
  EXPECT_EQ(result.errors, 0u);
  EXPECT_EQ(frames, (std::vector<Pixels>{plain(255, 0, 0, 255)}));
}

// TRACE-4
TEST_P(CaptureTest, WritesUnchangedBytesOnce) {
  const Allocation memory = h.allocate(kBytes);
  CommandWriter make, again;
  makeTarget(make, 1, memory);
  ASSERT_EQ(h.submit(make).result.error_count, 0u);
  packets::dirtyRange(again, 1, 0, kBytes);
  present(again);
  std::vector<Pixels> wanted;
  for (const uint8_t value : {7, 7, 9, 9, 7}) {
    std::fill(h.bytes(memory).begin(), h.bytes(memory).end(), value);
    ASSERT_EQ(h.submit(again).result.error_count, 0u);
    wanted.emplace_back(kBytes, value);
  }
  replay();
  EXPECT_EQ(frames, wanted);
  EXPECT_EQ(blobs(trace::BlobKind::AllocMemory), 2u);
  EXPECT_EQ(blobs(trace::BlobKind::AllocTable), 1u);
}

// TRACE-7
TEST_P(CaptureTest, MemoryThatCannotBeReadCannotBeReadInAReplay) {
  const Allocation nowhere = h.name(h.memory().size(), 64), memory = h.allocate(kBytes);
  CommandWriter w;
  makeTarget(w, 1, memory);
  Harness::clear(w, AEROGPU_CLEAR_COLOR, 1, 0, 0, 1);
  packets::createBuffer(w, 2, 64, 0, nowhere.id);
  packets::dirtyRange(w, 2, 0, 64);
  packets::dirtyRange(w, 2, 32, 16);
  present(w);
  EXPECT_EQ(h.submit(w).result.error_count, 2u);
  replay();
  EXPECT_EQ(result.errors, 2u);
  EXPECT_EQ(frames, (std::vector<Pixels>{plain(255, 0, 0, 255)}));
}

// TRACE-3
TEST_P(CaptureTest, ACommandWorksOnTheBytesThatWereCaptured) {
  const Allocation memory = h.allocate(kBytes);
  const uint32_t texture = h.handle();
  CommandWriter w;
  makeTarget(w, texture, memory);
  packets::dirtyRange(w, texture, 0, kBytes);
  present(w);
  // A guest that writes while the device reads: every read of its memory returns other bytes.
  uint8_t looks = 0;
  h.onGuestAccess = [&](uint64_t gpa, bool) {
    if (gpa >= memory.gpa && gpa < memory.gpa + kBytes)
      std::fill(h.bytes(memory).begin(), h.bytes(memory).end(), ++looks);
  };
  ASSERT_EQ(h.submit(w).result.error_count, 0u);
  replay();
  EXPECT_EQ(frames, (std::vector<Pixels>{Pixels(kBytes, 1)}));
  const Pixels device = h.readTexture(texture, AEROGPU_FORMAT_R8G8B8A8_UNORM, kSide, kSide);
  EXPECT_EQ(device, Pixels(kBytes, 1));
}

// TRACE-3, UPD-1: the memory that updates read is in the file, for each row the bytes read and no more.
TEST_P(CaptureTest, UpdatesTakeTheirMemoryAlong) {
  constexpr uint32_t kWide = 5000;
  const Allocation linear = h.allocate(kWide * 4), scattered = h.allocateScattered(8192),
                   memory = h.allocate(kBytes);
  const Pixels pixels = plain(9, 8, 7, 255);
  // Upper half from wide rows, lower half from pages; then a row of the buffer that an update filled.
  for (uint32_t y = 0; y < 2; ++y) std::copy_n(pixels.begin(), kPitch, h.bytes(linear).begin() + y * kWide);
  for (uint32_t i = 0; i < 2 * kPitch; ++i) h.scatteredByte(scattered, 4096 - kPitch + i) = pixels[i];
  CommandWriter w;
  makeTarget(w, 1, memory);
  w.packet(aerogpu_cmd_ext_update_texture{.texture = 1,
                                          .width = kSide,
                                          .height = 2,
                                          .depth = 1,
                                          .src_alloc_id = linear.id,
                                          .src_row_pitch_bytes = kWide});
  w.packet(aerogpu_cmd_ext_update_texture{.texture = 1,
                                          .y = 2,
                                          .width = kSide,
                                          .height = 2,
                                          .depth = 1,
                                          .src_alloc_id = scattered.id,
                                          .src_row_pitch_bytes = kPitch,
                                          .src_offset_bytes = 4096 - kPitch});
  present(w);
  ASSERT_EQ(h.submit(w).result.error_count, 0u);
  std::ranges::fill(h.bytes(linear), 0);
  replay();
  EXPECT_EQ(result.errors, 0u);
  EXPECT_EQ(frames, std::vector<Pixels>{pixels});
}

/// A program in a space draws and the kernel driver presents; both use equal handles and contexts.
// TRACE-3, TRACE-10, SPACE-7
TEST_P(CaptureTest, SpacesAreInTheFile) {
  const Allocation memory = h.allocate(kBytes);
  h.space = Harness::kKernel;
  CommandWriter w;
  makeTarget(w, 1, memory);
  packets::clearColor(w, {1, 1, 1, 1});
  aerogpu_cmd_export_shared_surface share{};
  share.resource_handle = 1;
  share.share_token = 9;
  w.packet(share);
  aerogpu_cmd_ext_grant grant{};
  grant.share_token = 9;
  grant.space = 3;
  w.packet(grant);
  EXPECT_EQ(h.submit(w).result.error_count, 0u);
  h.space = Harness::InSpace{3};
  w.reset();
  aerogpu_cmd_import_shared_surface import{};
  import.out_resource_handle = 2;
  import.share_token = 9;
  w.packet(import);
  Harness::createTexture(w, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM, kSide, kSide, 0);
  packets::setTarget(w, 2);
  packets::clearColor(w, {1, 0, 0, 1});
  present(w);  // not allowed to the program
  EXPECT_EQ(h.submit(w).result.error_count, 1u);
  h.space = Harness::kKernel;
  h.showAllocation(memory.id);
  w.reset();
  present(w);
  EXPECT_TRUE(h.submit(w).hasFrame);
  h.showAllocation(0);
  EXPECT_FALSE(h.submit(w).hasFrame);
  replay();
  EXPECT_EQ(frames, std::vector<Pixels>{plain(255, 0, 0, 255)});
  EXPECT_EQ(result.errors, 1u);
}

/// A file's space record is checked, and applies to the next submission alone.
// TRACE-1
TEST(SpaceRecord, CutShortIsNamed) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("aerogpu-space-record-" + std::to_string(::getpid())))
          .string();
  Harness h;
  char error[256] = "";
  ASSERT_TRUE(aerogpu_renderer_capture_start(h.renderer(), path.c_str(), error, sizeof error)) << error;
  h.space = Harness::InSpace{3};
  CommandWriter w;
  packets::createBuffer(w, 1, 16);
  EXPECT_EQ(h.submit(w).result.error_count, 0u);
  h.space.reset();
  EXPECT_EQ(h.submit(w).result.error_count, 0u);
  ASSERT_TRUE(aerogpu_renderer_capture_stop(h.renderer(), error, sizeof error)) << error;
  std::ifstream in(path, std::ios::binary);
  std::vector<uint8_t> file(std::istreambuf_iterator<char>(in), {});
  std::filesystem::remove(path);
  trace::ReplayOptions options;
  options.backend = "null";
  trace::ReplayResult result;
  std::string text;
  ASSERT_TRUE(trace::replay(file, options, result, text)) << text;
  EXPECT_EQ(result.errors, 0u) << "the same handle, without a space";
  trace::Reader reader;
  ASSERT_TRUE(reader.open(file, text)) << text;
  trace::Reader::Record record;
  while (reader.next(record, text) && record.type != trace::RecordType::Space) {
  }
  ASSERT_EQ(record.type, trace::RecordType::Space);
  // The record as two: the first one shorter than the structure, the rest one that no reader knows.
  uint8_t* at = file.data() + record.offset;
  const uint8_t two[] = {AEROGPU_TRACE_RECORD_SPACE, 0, 0, 0, 8, 0, 0, 0};
  std::memcpy(at, two, sizeof two);
  const uint8_t unknown[] = {0xFF, 0, 0, 0, 0, 0, 0, 0};
  std::memcpy(at + 16, unknown, sizeof unknown);
  EXPECT_FALSE(trace::replay(file, options, result, text));
  EXPECT_EQ(text, "record at byte " + std::to_string(record.offset) + ": space is cut short");
}

TEST(ContentIds, TellContentsApartAndForgetTheOldest) {
  trace::ContentIds ids;
  const std::vector<uint8_t> bytes(40, 1), longer(41, 1);
  std::vector<uint8_t> other = bytes;
  other[39] = 2;
  const auto key = ids.keyOf(trace::BlobKind::AllocMemory, bytes);
  ids.remember(key, 5);
  EXPECT_EQ(ids.find(ids.keyOf(trace::BlobKind::AllocMemory, bytes)), 5u);
  EXPECT_EQ(ids.find(ids.keyOf(trace::BlobKind::AllocTable, bytes)), 0u);
  EXPECT_EQ(ids.find(ids.keyOf(trace::BlobKind::AllocMemory, other)), 0u);
  EXPECT_EQ(ids.find(ids.keyOf(trace::BlobKind::AllocMemory, longer)), 0u);
  EXPECT_EQ(ids.find(ids.keyOf(trace::BlobKind::AllocMemory, {})), 0u);
  for (uint64_t i = 0; i < trace::ContentIds::kMaxEntries; ++i) {
    std::memcpy(other.data(), &i, sizeof i);
    ids.remember(ids.keyOf(trace::BlobKind::AllocMemory, other), 100 + i);
  }
  EXPECT_EQ(ids.size(), trace::ContentIds::kMaxEntries);
  EXPECT_EQ(ids.find(key), 0u);
  EXPECT_EQ(ids.find(ids.keyOf(trace::BlobKind::AllocMemory, other)), 99 + trace::ContentIds::kMaxEntries);
}

}  // namespace
