// SPDX-License-Identifier: MIT
// The newest submissions in memory: bounded, written after a failure and not more than once a minute, whole
// and in order.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>

#include "renderer/test/harness.h"
#include "renderer/trace/reader.h"
#include "renderer/trace/recent.h"

namespace {

using namespace aerogpu;
using test::Harness;
using trace::Recent;
using trace::RecordType;
using Bytes = std::vector<uint8_t>;

/// The content of a trace file, as far as these tests check.
struct Contents {
  std::string metadata;
  std::vector<Bytes> streams, tables;  ///< by submission; empty: none
  size_t presents = 0, resets = 0;
};

class RecentTest : public testing::Test {
protected:
  void TearDown() override { std::filesystem::remove(m_path); }

  std::string path() const { return m_path; }
  bool written() const { return std::filesystem::exists(m_path); }

  Contents read() const {
    std::ifstream in(m_path, std::ios::binary);
    const Bytes file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    Contents contents;
    trace::Reader reader;
    std::string error;
    EXPECT_TRUE(reader.open(file, error)) << error;
    contents.metadata = reader.metadata();
    std::map<uint64_t, Bytes> blobs;
    trace::Reader::Record record;
    while (reader.next(record, error)) {
      if (record.type == RecordType::Blob) {
        trace::BlobHeader header;
        std::memcpy(&header, record.payload.data(), sizeof header);
        const auto bytes = record.payload.subspan(sizeof header);
        blobs[header.id] = Bytes(bytes.begin(), bytes.end());
      } else if (record.type == RecordType::Submission) {
        trace::SubmissionRecord submission;
        std::memcpy(&submission, record.payload.data(), sizeof submission);
        contents.streams.push_back(blobs[submission.command_blob]);
        contents.tables.push_back(blobs[submission.alloc_table_blob]);
      }
      contents.presents += record.type == RecordType::Present;
      contents.resets += record.type == RecordType::DeviceReset;
    }
    EXPECT_EQ(error, "");
    return contents;
  }

  static void add(Recent& recent, const Bytes& stream, const Bytes& table = {}, uint32_t presents = 0) {
    aerogpu_submission submission{};
    submission.struct_size = sizeof submission;
    submission.cmd = stream.data();
    submission.cmd_size = stream.size();
    submission.alloc_table = table.data();
    submission.alloc_table_size = table.size();
    core::ExecutionReport report;
    report.presents = presents;
    recent.add(submission, report, 0);
  }

private:
  const std::string m_path =
      (std::filesystem::temp_directory_path() / ("aerogpu-recent-" + std::to_string(::getpid()))).string();
};

// TRACE-11
TEST_F(RecentTest, WholeAndInOrder) {
  Recent recent(path(), 1 << 20, {"a \"name\"\n", "4c4c4544-0042", ""});
  add(recent, {1, 2, 3, 4}, {9, 9});
  add(recent, {5, 6}, {}, 1);
  recent.deviceReset();
  recent.deviceReset();
  add(recent, {}, {7});
  EXPECT_FALSE(written());
  EXPECT_NE(recent.failed("because").find("because"), std::string::npos);
  const Contents contents = read();
  EXPECT_EQ(contents.streams, (std::vector<Bytes>{{1, 2, 3, 4}, {5, 6}, {}}));
  EXPECT_EQ(contents.tables, (std::vector<Bytes>{{9, 9}, {}, {7}}));
  EXPECT_EQ(contents.presents, 1u);
  EXPECT_EQ(contents.resets, 1u);
  EXPECT_NE(
      contents.metadata.find(R"("vm_name":"a \"name\" ","vm_uuid":"4c4c4544-0042","failure":"because"})"),
      std::string::npos)
      << contents.metadata;
  constexpr std::string_view kBegins = R"({"emulator_version":"aerogpu )";  // and its version
  ASSERT_TRUE(contents.metadata.starts_with(kBegins)) << contents.metadata;
  EXPECT_TRUE(std::isdigit(contents.metadata[kBegins.size()])) << contents.metadata;
}

/// The kept submissions cost at most the allowed bytes; the oldest are dropped, and one that is larger than
/// all the allowed bytes is dropped by itself.
// TRACE-11
TEST_F(RecentTest, IsBounded) {
  constexpr uint64_t kMost = 64 << 10;
  Recent recent(path(), kMost, {});
  for (uint32_t i = 0; i < 1000; ++i) {
    add(recent, Bytes(1000 + i % 7, static_cast<uint8_t>(i)));
    ASSERT_LE(recent.keptBytes(), kMost);
  }
  EXPECT_GT(recent.keptBytes(), kMost / 2);
  add(recent, Bytes(kMost + 1, 1));
  EXPECT_LE(recent.keptBytes(), kMost);
  recent.failed("full");
  const Contents contents = read();
  ASSERT_GT(contents.streams.size(), 30u);
  EXPECT_TRUE(contents.streams.back().empty());
  uint32_t i = 1000;
  for (auto at = contents.streams.rbegin() + 1; at != contents.streams.rend(); ++at) {
    --i;
    EXPECT_EQ(*at, Bytes(1000 + i % 7, static_cast<uint8_t>(i)));
  }
  EXPECT_EQ(recent.keptBytes(), 0u);
  // Empty submissions cost something too.
  for (uint32_t n = 0; n < 10000; ++n) add(recent, {});
  EXPECT_LE(recent.keptBytes(), kMost);
}

// TRACE-11
TEST_F(RecentTest, OnceAMinute) {
  Recent recent(path(), 1 << 20, {});
  const Recent::Clock::time_point start{};
  EXPECT_EQ(recent.failed("nothing was submitted", start), "");
  add(recent, {1});
  EXPECT_NE(recent.failed("first", start), "");
  add(recent, {2});
  EXPECT_EQ(recent.failed("too early", start + Recent::kBetweenFiles - std::chrono::nanoseconds(1)), "");
  EXPECT_EQ(read().streams, (std::vector<Bytes>{{1}}));
  EXPECT_NE(recent.failed("later", start + Recent::kBetweenFiles), "");
  EXPECT_EQ(read().streams, (std::vector<Bytes>{{2}}));
}

TEST_F(RecentTest, AFileThatCannotBeWrittenIsSaid) {
  Recent recent("/no/such/folder/trace", 1 << 20, {});
  add(recent, {1});
  const std::string line = recent.failed("because");
  EXPECT_NE(line.find("could not be written"), std::string::npos) << line;
  EXPECT_NE(line.find("/no/such/folder/trace"), std::string::npos) << line;
}

/// Through the renderer: writes nothing without a failure; with one, the submissions, the culprit last.
// TRACE-11
TEST_F(RecentTest, OfARenderer) {
  const std::string file = path();
  Harness h(Harness::Options{.vmName = "win7", .recentTrace = file.c_str()});
  ASSERT_TRUE(h.ok()) << h.createError();
  CommandWriter good, bad;
  packets::createBuffer(good, 1, 256);
  packets::destroyResource(bad, 77);
  packets::createBuffer(bad, 1, 256);  // the handle is in use
  EXPECT_EQ(h.submit(good).result.error_count, 0u);
  EXPECT_FALSE(written());
  ASSERT_NE(h.submit(bad).result.error_count, 0u);
  ASSERT_TRUE(written());
  const Contents contents = read();
  EXPECT_EQ(contents.streams, (std::vector<Bytes>{Bytes(good.data(), good.data() + good.size()),
                                                  Bytes(bad.data(), bad.data() + bad.size())}));
  EXPECT_NE(contents.metadata.find(R"("vm_name":"win7","failure":"fence )"), std::string::npos)
      << contents.metadata;
}

}  // namespace
