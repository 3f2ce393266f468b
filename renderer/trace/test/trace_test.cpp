// SPDX-License-Identifier: MIT
// Capture, reader and replay: a captured frame comes back byte for byte; broken files get one clear line.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "renderer/test/harness.h"
#include "renderer/trace/replay.h"

namespace {

using namespace aerogpu;
using test::Allocation;
using test::Harness;

std::vector<uint8_t> readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A trace of one frame: a backed texture whose bytes come from guest memory, presented as colour target 0.
struct Captured {
  std::vector<uint8_t> file, pixels;
};

Captured capture() {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("aerogpu-trace-test-" + std::to_string(::getpid())))
          .string();
  Captured captured;
  {
    Harness h;
    char error[256] = "";
    EXPECT_TRUE(aerogpu_renderer_capture_start(h.renderer(), path.c_str(), error, sizeof error)) << error;
    const Allocation memory = h.allocate(64);
    for (size_t i = 0; i < 64; ++i) h.bytes(memory)[i] = static_cast<uint8_t>(i * 5 + 1);
    captured.pixels.assign(h.bytes(memory).begin(), h.bytes(memory).end());
    h.setScanout(AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 16, memory.gpa);
    const uint32_t texture = h.handle();
    CommandWriter w;
    Harness::createTexture(w, texture, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4,
                           AEROGPU_RESOURCE_USAGE_RENDER_TARGET, 1, 1, memory.id, 16);
    packets::dirtyRange(w, texture, 0, 64);
    packets::setTargets(w, std::vector<uint32_t>{texture});
    w.packet(aerogpu_cmd_present{});
    EXPECT_EQ(h.submit(w).result.error_count, 0u);
    EXPECT_EQ(h.takeFrames().at(0).pixels, captured.pixels);
    EXPECT_TRUE(aerogpu_renderer_capture_stop(h.renderer(), error, sizeof error)) << error;
  }
  captured.file = readFile(path);
  std::filesystem::remove(path);
  return captured;
}

std::string replayError(std::span<const uint8_t> file) {
  trace::ReplayOptions options;
  options.backend = "null";
  trace::ReplayResult result;
  std::string error;
  return trace::replay(file, options, result, error) ? "" : error;
}

// TRACE-3, TRACE-10
TEST(Trace, ACapturedFrameComesBackByteForByte) {
  const Captured captured = capture();
  trace::ReplayOptions options;
  options.backend = "null";
  std::vector<uint8_t> frame;
  options.onFrame = [&](const aerogpu_frame& f) {
    const auto* pixels = static_cast<const uint8_t*>(f.pixels);
    frame.assign(pixels, pixels + size_t{f.stride_bytes} * f.height);
  };
  trace::ReplayResult result;
  std::string error;
  ASSERT_TRUE(trace::replay(captured.file, options, result, error)) << error;
  EXPECT_EQ(result.frames, 1u);
  EXPECT_EQ(result.errors, 0u);
  EXPECT_EQ(frame, captured.pixels);
}

// TRACE-1
TEST(Trace, EveryCutIsNoticed) {
  const Captured captured = capture();
  for (size_t size = 0; size < captured.file.size(); size += 13)
    EXPECT_NE(replayError({captured.file.data(), size}), "") << size << " bytes";
}

// TRACE-20
TEST(Trace, AFileThatLacksItsEndPlaysAsFarAsItGoes) {
  const Captured captured = capture();
  trace::Reader whole;
  std::string error;
  ASSERT_TRUE(whole.open(captured.file, error)) << error;
  // The submission with the present ends where the record of the present begins.
  const uint64_t presented = whole.frames()[0].present;
  for (uint64_t size = 0; size < captured.file.size(); ++size) {
    trace::ReplayOptions options;
    options.backend = "null";
    options.cutShort = true;
    trace::ReplayResult result;
    const bool plays = trace::replay({captured.file.data(), size}, options, result, error);
    ASSERT_EQ(plays, size >= whole.head().size()) << size << error;
    if (!plays) continue;
    ASSERT_EQ(result.errors, 0u) << size;
    ASSERT_EQ(result.frames, size >= presented ? 1u : 0u) << size;
  }
  // With its end it is the same as ever.
  trace::Reader reader;
  ASSERT_TRUE(reader.openCut(captured.file, error)) << error;
  EXPECT_EQ(reader.frames().size(), 1u);
  EXPECT_EQ(reader.lostBytes(), 0u);
}

// TRACE-1
TEST(Trace, MagicAndVersionAreNamed) {
  Captured captured = capture();
  auto bad = captured.file;
  bad[0] = 'x';
  EXPECT_NE(replayError(bad).find("magic"), std::string::npos);
  bad = captured.file;
  bad[offsetof(trace::Header, container_version)] = 3;
  EXPECT_NE(replayError(bad).find("version 3"), std::string::npos);
}

// TRACE-2, TRACE-9
TEST(Trace, Version1WithPacketRecordsReplays) {
  // Header, BeginFrame, an unknown record, a Packet record with bare packets, Present, table of contents,
  // footer: all written here.
  CommandWriter w;
  Harness::createTexture(w, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM, 2, 1, AEROGPU_RESOURCE_USAGE_RENDER_TARGET);
  const std::vector<uint8_t> pixels = {1, 2, 3, 4, 5, 6, 7, 8};
  packets::upload(w, 1, 0, pixels);
  packets::setTargets(w, std::vector<uint32_t>{1});
  w.packet(aerogpu_cmd_present{});
  std::vector<uint8_t> file;
  const auto put = [&](const void* bytes, size_t size) {
    const auto* p = static_cast<const uint8_t*>(bytes);
    file.insert(file.end(), p, p + size);
  };
  trace::Header header{{'A', 'E', 'R', 'O', 'G', 'P', 'U', 'T'}, 32, 1, AEROGPU_ABI_VERSION_U32, 0, 2, 0};
  put(&header, sizeof header);
  put("{}", 2);
  const uint32_t index = 0;
  const uint64_t begin = file.size();
  trace::RecordHeader record{1, 0, 0, 4};
  put(&record, sizeof record);
  put(&index, 4);
  record = {0x70, 0, 0, 4};  // an unknown type
  put(&record, sizeof record);
  put(&index, 4);
  const size_t skip = sizeof(aerogpu_cmd_stream_header);
  record = {3, 0, 0, static_cast<uint32_t>(w.size() - skip)};
  put(&record, sizeof record);
  put(w.data() + skip, w.size() - skip);
  const uint64_t present = file.size();
  record = {2, 0, 0, 4};
  put(&record, sizeof record);
  put(&index, 4);
  const uint64_t toc = file.size();
  trace::TocHeader tocHeader{{'A', 'E', 'R', 'O', 'T', 'O', 'C', 0}, 1, 1};
  put(&tocHeader, sizeof tocHeader);
  trace::TocEntry entry{0, 0, begin, present, toc};
  put(&entry, sizeof entry);
  trace::Footer footer{{'A', 'E', 'R', 'O', 'G', 'P', 'U', 'F'}, 32, 1, toc, file.size() - toc};
  put(&footer, sizeof footer);

  trace::ReplayOptions options;
  options.backend = "null";
  std::vector<uint8_t> frame;
  options.onFrame = [&](const aerogpu_frame& f) {
    const auto* p = static_cast<const uint8_t*>(f.pixels);
    frame.assign(p, p + f.stride_bytes);
  };
  trace::ReplayResult result;
  std::string error;
  ASSERT_TRUE(trace::replay(file, options, result, error)) << error;
  EXPECT_EQ(frame, pixels);
}

}  // namespace
