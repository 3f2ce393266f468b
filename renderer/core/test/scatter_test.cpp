// SPDX-License-Identifier: MIT
// Scatter lists (docs/abi/allocation-table.md, "Scatter lists"): the place of bytes, the words that are read
// and when, what is refused, and transfers, write-backs and captures through them, over the null back end.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "renderer/core/page_lists.h"
#include "renderer/core/pending_writes.h"
#include "renderer/test/expect.h"
#include "renderer/trace/replay.h"

namespace {

using namespace aerogpu;
using core::AllocTable;
using core::ByteRows;
using core::GuestRun;
using core::PageLists;
using test::Allocation;
using test::FinishedSubmission;
using test::Harness;
using test::pattern;

constexpr uint64_t kPage = 4096;
constexpr auto kRgba = AEROGPU_FORMAT_R8G8B8A8_UNORM;

/// Guest memory that holds one list at kAt and counts how often each of its words is read.
class ListMemory {
public:
  static constexpr uint64_t kAt = 0x10000;
  explicit ListMemory(std::vector<uint64_t> words)
      : words(std::move(words)), reads(this->words.size()), m_guest(callbacks(), this) {}

  const core::GuestMemory& guest() const { return m_guest; }
  AllocTable::Entry entry(uint64_t size) const { return {1, false, true, kAt, size}; }

  std::vector<uint64_t> words;
  std::vector<int> reads;

private:
  static aerogpu_renderer_callbacks callbacks() {
    aerogpu_renderer_callbacks c{};
    c.struct_size = sizeof c;
    c.guest_map = [](void* opaque, uint64_t gpa, uint64_t size, bool, aerogpu_guest_mapping* out) {
      auto& self = *static_cast<ListMemory*>(opaque);
      const uint64_t bytes = self.words.size() * 8;
      if (gpa < kAt || gpa - kAt >= bytes) return -1;
      out->host = reinterpret_cast<uint8_t*>(self.words.data()) + (gpa - kAt);
      out->size = std::min(size, bytes - (gpa - kAt));
      for (uint64_t i = (gpa - kAt) / 8; i < (gpa - kAt + out->size) / 8; ++i) ++self.reads[i];
      return 0;
    };
    c.guest_unmap = [](void*, const aerogpu_guest_mapping*, uint64_t) {};
    return c;
  }
  const core::GuestMemory m_guest;
};

ByteRows bytesAt(uint64_t offset, uint64_t size) {
  return {offset, size, size, 1};
}

// LIST-1
TEST(PageLists, EachByteLiesWhereTheListSays) {
  std::mt19937 random(1);
  HostMemory account(1 << 20);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> words(1 + random() % 300);
    uint64_t next = 0;
    for (uint64_t& word : words) word = next = random() % 3 ? next + kPage : (random() % 4096) * kPage;
    ListMemory memory(words);
    PageLists lists(account);
    const uint64_t size = (words.size() - 1) * kPage + 1 + random() % kPage;
    for (int part = 0; part < 5; ++part) {
      const uint64_t offset = random() % size, bytes = 1 + random() % (size - offset);
      std::vector<GuestRun> runs;
      ASSERT_TRUE(lists.locate(memory.guest(), memory.entry(size), bytesAt(offset, bytes), runs));
      uint64_t k = offset;
      for (size_t i = 0; i < runs.size(); ++i) {
        ASSERT_EQ(runs[i].gpa, words[k / kPage] + k % kPage);
        for (uint64_t end = k + runs[i].size; k < end;) {
          ASSERT_EQ(runs[i].gpa + runs[i].size - (end - k), words[k / kPage] + k % kPage);
          k = std::min(end, (k / kPage + 1) * kPage);
        }
        if (i + 1 < runs.size()) {
          ASSERT_NE(runs[i].gpa + runs[i].size, runs[i + 1].gpa) << "adjacent pages";
        }
      }
      ASSERT_EQ(k, offset + bytes);
    }
  }
  EXPECT_EQ(account.heldBytes(), 0u);
}

// LIST-4
TEST(PageLists, AWordIsReadOnceAndOnlyWhenItsPageIsTouched) {
  std::vector<uint64_t> words(200);
  for (size_t i = 0; i < words.size(); ++i) words[i] = (2 * i + 1) * kPage;
  ListMemory memory(words);
  HostMemory account(1 << 20);
  PageLists lists(account);
  std::vector<GuestRun> runs;
  const auto locate = [&](uint64_t page, uint64_t count) {
    ASSERT_TRUE(lists.locate(memory.guest(), memory.entry(200 * kPage),
                             bytesAt(page * kPage + 5, count * kPage - 5), runs));
  };
  locate(10, 3);
  locate(100, 2);
  memory.words[11] = 7 * kPage;  // too late for this submission
  locate(5, 120);
  EXPECT_EQ(runs[6].gpa, 23 * kPage);
  for (size_t i = 0; i < words.size(); ++i) EXPECT_EQ(memory.reads[i], i >= 5 && i < 125 ? 1 : 0) << i;
  EXPECT_GT(account.heldBytes(), 0u);
  lists.forget();
  EXPECT_EQ(account.heldBytes(), 0u);
  locate(11, 1);
  EXPECT_EQ(runs[0].gpa, 7 * kPage + 5);
}

// LIST-4
TEST(PageLists, PagesBetweenWideRowsAreNotLookedUp) {
  std::vector<uint64_t> words(1000);
  for (size_t i = 0; i < words.size(); ++i) words[i] = i * kPage;
  ListMemory memory(words);
  HostMemory account(1 << 20);
  PageLists lists(account);
  std::vector<GuestRun> runs;
  const ByteRows rows{100, 64, 100 * kPage, 9};
  ASSERT_TRUE(lists.locate(memory.guest(), memory.entry(1000 * kPage), rows, runs));
  ASSERT_EQ(runs.size(), 17u);
  uint64_t offset = 100;
  for (size_t i = 0; i < runs.size(); offset += runs[i++].size)
    EXPECT_EQ(runs[i].gpa, i % 2 ? GuestRun::kHole : offset);
  EXPECT_EQ(offset, 100 + rows.span());
  for (size_t i = 0; i < words.size(); ++i) EXPECT_EQ(memory.reads[i], i % 100 == 0 && i < 900 ? 1 : 0) << i;
}

TEST(PageLists, TheLastPageOfTheAddressSpaceHasNoNeighbour) {
  ListMemory memory({0 - kPage, 0, kPage});
  HostMemory account(1 << 20);
  PageLists lists(account);
  std::vector<GuestRun> runs;
  ASSERT_TRUE(lists.locate(memory.guest(), memory.entry(3 * kPage), bytesAt(0, 3 * kPage), runs));
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].size, kPage);
  EXPECT_EQ(runs[1].size, 2 * kPage);
}

// LIST-5
TEST(PageLists, WhatIsWrongIsRefused) {
  ListMemory memory({kPage, kPage + 1, 3 * kPage});
  HostMemory account(1 << 20), none(100);
  std::vector<GuestRun> runs;
  const auto code = [&](HostMemory& from, uint64_t offset, uint64_t size) {
    PageLists lists(from);
    const auto done = lists.locate(memory.guest(), memory.entry(1 << 20), bytesAt(offset, size), runs);
    return done ? ErrorCode::None : done.error().code;
  };
  EXPECT_EQ(code(account, 0, kPage), ErrorCode::None);
  EXPECT_EQ(code(account, 0, kPage + 1), ErrorCode::OutOfBounds) << "unaligned page";
  EXPECT_EQ(code(account, 2 * kPage, kPage), ErrorCode::None);
  EXPECT_EQ(code(account, 2 * kPage, kPage + 1), ErrorCode::OutOfBounds) << "list ends outside memory";
  EXPECT_EQ(code(none, 0, kPage), ErrorCode::Backend) << "max_hostmem";
}

TEST(PendingWrites, UntilTheirSubmissionIsFinished) {
  core::PendingWrites pending;
  const auto one = [](uint64_t gpa, uint64_t size) {
    auto runs = std::make_shared<core::GuestRuns>();
    runs->runs = {{gpa, size}};
    return runs;
  };
  pending.begin();
  pending.add(one(100, 50));
  pending.begin();
  pending.add(one(300, 50));
  EXPECT_FALSE(pending.touches({0, 100}));
  EXPECT_TRUE(pending.touches({0, 101}));
  EXPECT_TRUE(pending.touches({149, 1}));
  EXPECT_FALSE(pending.touches({150, 150}));
  EXPECT_TRUE(pending.touches({120, 5})) << "inside";
  EXPECT_TRUE(pending.touches({50, 400})) << "around";
  pending.finishOne();
  EXPECT_FALSE(pending.touches({100, 50}));
  EXPECT_TRUE(pending.touches({300, 1}));
  for (int i = 0; i < 2000; ++i) pending.add(one(300, 50));
  EXPECT_TRUE(pending.touches({0, 1})) << "more than are remembered";
  pending.finishOne();
  EXPECT_FALSE(pending.touches({300, 1}));
}

void expect(const FinishedSubmission& finished, uint32_t code, uint32_t count = 1) {
  EXPECT_EQ(finished.result.error_count, code ? count : 0u);
  EXPECT_EQ(finished.result.last_error_code, code);
}

// LIST-1, COPY-1
TEST(Scatter, DirtyRangesOfBuffersAndPitchedTextures) {
  Harness h;
  constexpr uint64_t kBytes = 3 * kPage + 700;
  const Allocation memory = h.allocateScattered(kBytes);
  const auto bytes = pattern(kBytes);
  for (uint64_t i = 0; i < kBytes; ++i) h.scatteredByte(memory, i) = bytes[i];
  const uint32_t buffer = h.handle(), texture = h.handle();
  CommandWriter w;
  packets::createBuffer(w, buffer, 2 * kPage, 0, memory.id, 1000);
  packets::dirtyRange(w, buffer, 16, 2 * kPage - 16);
  // 30 x 4 texels, rows 3000 bytes apart: they cross pages.
  Harness::createTexture(w, texture, kRgba, 30, 4, AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, memory.id, 3000,
                         200);
  packets::dirtyRange(w, texture, 0, 12000);
  expect(h.submit(w), 0);
  auto expected = std::vector<uint8_t>(2 * kPage);
  std::copy(bytes.begin() + 1016, bytes.begin() + 1000 + 2 * kPage, expected.begin() + 16);
  EXPECT_EQ(h.readBuffer(buffer, 2 * kPage), expected);
  std::vector<uint8_t> texels;
  for (size_t y = 0; y < 4; ++y)
    texels.insert(texels.end(), bytes.data() + 200 + y * 3000, bytes.data() + 200 + y * 3000 + 120);
  EXPECT_EQ(h.readTexture(texture, kRgba, 30, 4), texels);
}

/// Copies all of `src` to `dst` with write-back.
void copyBack(CommandWriter& w, uint32_t dst, uint32_t src, uint64_t size) {
  aerogpu_cmd_copy_buffer copy{};
  copy.dst_buffer = dst;
  copy.src_buffer = src;
  copy.size_bytes = size;
  copy.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
  w.packet(copy);
}

// LIST-1, LIST-2, COPY-6
TEST(Scatter, WriteBacksReachTheirPagesAndNoOthers) {
  Harness h;
  constexpr uint64_t kBytes = 2 * kPage;
  const Allocation memory = h.allocateScattered(3 * kPage), locked = h.allocateScattered(kBytes, 1);
  const std::vector<uint8_t> before(h.memory().begin(), h.memory().end());
  const auto bytes = pattern(kBytes);
  const uint32_t src = h.handle(), dst = h.handle(), readOnly = h.handle(), from = h.handle(),
                 to = h.handle();
  CommandWriter w;
  packets::createBuffer(w, src, kBytes, 0);
  packets::upload(w, src, 0, bytes);
  packets::createBuffer(w, dst, kBytes, 0, memory.id, 52);
  packets::createBuffer(w, readOnly, kBytes, 0, locked.id);
  copyBack(w, dst, src, kBytes);
  expect(h.submit(w), 0);
  for (uint64_t i = 0; i < kBytes; ++i) ASSERT_EQ(h.scatteredByte(memory, 52 + i), bytes[i]) << i;
  for (uint64_t i = 0; i < kBytes; ++i) h.scatteredByte(memory, 52 + i) = 0;
  EXPECT_TRUE(std::equal(before.begin(), before.end(), h.memory().begin())) << "bytes elsewhere changed";
  w.reset();
  copyBack(w, readOnly, src, kBytes);
  expect(h.submit(w), AEROGPU_ERROR_OOB);

  // A rectangle whose rows are 1500 bytes apart: 8 texels from (4, 1), 3 rows.
  w.reset();
  Harness::createTexture(w, from, kRgba, 8, 3, AEROGPU_RESOURCE_USAGE_TEXTURE);
  packets::upload(w, from, 0, {bytes.data(), 96});
  Harness::createTexture(w, to, kRgba, 20, 5, AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, memory.id, 1500, 4000);
  aerogpu_cmd_copy_texture2d copy{};
  copy.dst_texture = to;
  copy.src_texture = from;
  copy.dst_x = 4;
  copy.dst_y = 1;
  copy.width = 8;
  copy.height = 3;
  copy.flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
  w.packet(copy);
  expect(h.submit(w), 0);
  for (uint64_t y = 0; y < 3; ++y)
    for (uint64_t x = 0; x < 32; ++x) {
      uint8_t& byte = h.scatteredByte(memory, 4000 + (y + 1) * 1500 + 16 + x);
      ASSERT_EQ(byte, bytes[y * 32 + x]) << x << ", " << y;
      byte = 0;
    }
  EXPECT_TRUE(std::equal(before.begin(), before.end(), h.memory().begin())) << "bytes elsewhere changed";
}

// LIST-5
TEST(Scatter, ABadListFailsThePacketThatNeedsIt) {
  Harness h;
  const Allocation memory = h.allocateScattered(4 * kPage);
  const uint32_t buffer = h.handle(), after = h.handle();
  CommandWriter w;
  packets::createBuffer(w, buffer, 4 * kPage, 0, memory.id);
  expect(h.submit(w), 0);
  for (const uint64_t bad : {uint64_t{0x1008}, h.memory().size() + kPage, 0 - kPage, uint64_t{1}}) {
    h.setScatteredPage(memory, 2, bad);
    w.reset();
    packets::dirtyRange(w, buffer, 0, 2 * kPage);  // does not touch the page
    expect(h.submit(w), 0);
    w.reset();
    packets::dirtyRange(w, buffer, 0, 4 * kPage);
    copyBack(w, buffer, after, 16);  // the source does not exist: the packet runs, and fails by itself
    expect(h.submit(w), AEROGPU_ERROR_CMD_DECODE, 2);
    w.reset();
    packets::dirtyRange(w, buffer, 2 * kPage + 5, 1);
    expect(h.submit(w), AEROGPU_ERROR_OOB);
  }
}

// LIST-3
TEST(Scatter, TableRules) {
  Harness h;
  const auto code = [&](uint64_t gpa, uint64_t size) {
    aerogpu_alloc_table_header header{AEROGPU_ALLOC_TABLE_MAGIC, AEROGPU_ABI_VERSION_U32, 56, 1, 32, 0};
    const aerogpu_alloc_entry entry{1, AEROGPU_ALLOC_FLAG_EXT_SCATTER, gpa, size, 0};
    std::vector<uint8_t> table(56);
    std::memcpy(table.data(), &header, sizeof header);
    std::memcpy(table.data() + sizeof header, &entry, sizeof entry);
    CommandWriter w;
    return h.submitRaw({w.data(), w.size()}, table).result.last_error_code;
  };
  EXPECT_EQ(code(0, 1), 0u) << "address 0 is valid";
  EXPECT_EQ(code(0xFFFFF000, 1 << 30), 0u) << "nothing is looked up before it is needed";
  EXPECT_EQ(code(8, UINT64_MAX), 0u) << "size alone does not wrap";
  for (uint64_t low = 1; low < 8; ++low)
    EXPECT_EQ(code(0x1000 + low, 64), uint32_t{AEROGPU_ERROR_OOB}) << low;
  EXPECT_EQ(code(0 - uint64_t{16}, kPage), 0u);
  EXPECT_EQ(code(0 - uint64_t{8}, 2 * kPage), uint32_t{AEROGPU_ERROR_OOB}) << "the list wraps";
  EXPECT_EQ(code(0x1000, 0), uint32_t{AEROGPU_ERROR_CMD_DECODE});
}

// LIST-6, PRES-2
TEST(Scatter, AScatteredBackingIsNeverTheScanout) {
  Harness h;
  const Allocation scattered = h.allocateScattered(kPage);
  const uint32_t texture = h.handle();
  CommandWriter w;
  Harness::createTexture(w, texture, kRgba, 8, 8, AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1, 1, scattered.id,
                         32);
  expect(h.submit(w), 0);
  uint64_t page;
  std::memcpy(&page, &h.memory()[scattered.gpa], sizeof page);
  for (const uint64_t gpa : {scattered.gpa, page}) {
    h.setScanout(kRgba, 8, 8, 32, gpa);
    EXPECT_FALSE(h.snapshotScanout().result.scanout_is_texture);
  }
}

// TRACE-8
TEST(Scatter, ACaptureReplaysWithoutPageLists) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("aerogpu-scatter-test-" + std::to_string(::getpid())))
          .string();
  std::vector<uint8_t> pixels;
  {
    Harness h;
    char error[256] = "";
    ASSERT_TRUE(aerogpu_renderer_capture_start(h.renderer(), path.c_str(), error, sizeof error)) << error;
    // 32 x 64 texels in rows of 4096 + 5000 bytes: rows far apart, each across pages.
    constexpr uint64_t kPitch = 9096, kBytes = 64 * kPitch;
    const Allocation linear = h.allocate(4 * kPage), memory = h.allocateScattered(kBytes);
    for (uint64_t i = 0; i < kBytes; ++i)
      h.scatteredByte(memory, i) = static_cast<uint8_t>(i * 13 + i / 4096);
    for (uint64_t y = 0; y < 64; ++y)
      for (uint64_t x = 0; x < 128; ++x) pixels.push_back(h.scatteredByte(memory, y * kPitch + x));
    h.setScanout(kRgba, 32, 64, 128, linear.gpa);
    const uint32_t from = h.handle(), shown = h.handle();
    CommandWriter w;
    Harness::createTexture(w, from, kRgba, 32, 64, AEROGPU_RESOURCE_USAGE_TEXTURE, 1, 1, memory.id, kPitch);
    Harness::createTexture(w, shown, kRgba, 32, 64, AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1, 1, linear.id,
                           128);
    packets::dirtyRange(w, from, 0, kBytes);
    aerogpu_cmd_copy_texture2d copy{};
    copy.dst_texture = shown;
    copy.src_texture = from;
    copy.width = 32;
    copy.height = 64;
    w.packet(copy);
    packets::setTargets(w, std::vector<uint32_t>{shown});
    w.packet(aerogpu_cmd_present{});
    expect(h.submit(w), 0);
    EXPECT_EQ(h.takeFrames().at(0).pixels, pixels);
    ASSERT_TRUE(aerogpu_renderer_capture_stop(h.renderer(), error, sizeof error)) << error;
  }
  std::ifstream in(path, std::ios::binary);
  const std::vector<uint8_t> file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::filesystem::remove(path);
  trace::ReplayOptions options;
  options.backend = "null";
  std::vector<uint8_t> frame;
  options.onFrame = [&](const aerogpu_frame& f) {
    const auto* bytes = static_cast<const uint8_t*>(f.pixels);
    frame.assign(bytes, bytes + size_t{f.stride_bytes} * f.height);
  };
  trace::ReplayResult result;
  std::string error;
  ASSERT_TRUE(trace::replay(file, options, result, error)) << error;
  EXPECT_EQ(result.errors, 0u);
  EXPECT_EQ(frame, pixels);
}

}  // namespace
