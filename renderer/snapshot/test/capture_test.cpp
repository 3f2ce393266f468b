// SPDX-License-Identifier: MIT
// Captures that begin while objects are held, and replays of snapshots. TRACE-12, TRACE-16.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "renderer/core/test/spaces_fixture.h"
#include "renderer/snapshot/test/everything.h"
#include "renderer/trace/replay.h"

namespace aerogpu::test {
namespace {

using namespace handles;

class SnapshotCapture : public testing::Test {
protected:
  SnapshotCapture()
      : m_path(testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() +
               ".aerogputrace") {}
  ~SnapshotCapture() override { std::remove(m_path.c_str()); }

  void start(Harness& h) {
    char error[256] = "";
    ASSERT_TRUE(aerogpu_renderer_capture_start(h.renderer(), m_path.c_str(), error, sizeof error)) << error;
  }
  std::vector<uint8_t> stop(Harness& h) {
    char error[256] = "";
    EXPECT_TRUE(aerogpu_renderer_capture_stop(h.renderer(), error, sizeof error)) << error;
    std::ifstream in(m_path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  /// Plays the file; expects no errors.
  std::vector<std::vector<uint8_t>> play(std::span<const uint8_t> file) {
    std::vector<std::vector<uint8_t>> frames;
    trace::ReplayOptions options;
    options.backend = "null";
    options.onFrame = [&](const aerogpu_frame& frame) {
      const auto* first = static_cast<const uint8_t*>(frame.pixels);
      frames.emplace_back(first, first + size_t{frame.stride_bytes} * frame.height);
    };
    options.onLog = [](aerogpu_log_level level, const char* line) {
      if (level <= AEROGPU_LOG_GUEST) ADD_FAILURE() << line;
    };
    trace::ReplayResult result;
    std::string error;
    EXPECT_TRUE(trace::replay(file, options, result, error)) << error;
    EXPECT_EQ(result.errors, 0u);
    return frames;
  }

private:
  const std::string m_path;
};

TEST_F(SnapshotCapture, ShowsTheScreenOfASnapshot) {
  Harness h;
  makeEverything(h);
  const Snapshot snapshot = takeSnapshot(h.renderer());
  const auto frames = play(snapshot.bytes);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0], pattern(8 * 8 * 4));
}

TEST_F(SnapshotCapture, ShowsTheTextureOfAnAllocation) {
  Harness h;
  const Everything all = makeEverything(h);
  h.showAllocation(all.shown.id);
  EXPECT_EQ(play(takeSnapshot(h.renderer()).bytes).at(0), pattern(8 * 8 * 4));
  h.showAllocation(0);
  EXPECT_TRUE(play(takeSnapshot(h.renderer()).bytes).empty());
}

TEST_F(SnapshotCapture, BeginsInTheMiddle) {
  Harness h;
  const Everything all = makeEverything(h);
  h.showAllocation(all.shown.id);
  start(h);
  h.takeFrames();
  h.space = Harness::kKernel;
  // Objects that are older than the file: targets, a buffer's bytes, a texture that is copied.
  CommandWriter w;
  packets::upload(w, kNewest, 4, pattern(16));
  packets::present(w);
  h.submit(w);
  w.reset();
  packets::copyTexture(w, kNewest, kOlder, 4, 8, 0);
  packets::present(w);
  h.submit(w);
  const std::vector<uint8_t> file = stop(h);
  const auto played = play(file);
  const auto seen = h.takeFrames();
  ASSERT_EQ(seen.size(), 2u);
  ASSERT_EQ(played.size(), 3u) << "the screen, then two presents";
  EXPECT_EQ(played[1], seen[0].pixels);
  EXPECT_EQ(played[2], seen[1].pixels);
}

// What is made anew is as it was, so the file does not tell of it, and has what is read afterwards.
TEST_F(SnapshotCapture, GoesOnOverAMove) {
  Harness h;
  const Everything all = makeEverything(h);
  h.showAllocation(all.shown.id);
  start(h);
  h.takeFrames();
  h.space = Harness::kKernel;
  CommandWriter w;
  for (uint8_t i = 1; i <= 3; ++i) {
    std::memset(h.bytes(all.shown).data(), i * 16, 8 * 8 * 4);
    packets::dirtyRange(w, kNewest, 0, 8 * 8 * 4);
    packets::present(w);
    h.submit(w);
    w.reset();
    bool kept = false;
    char error[256] = "";
    EXPECT_TRUE(aerogpu_renderer_move(h.renderer(), &kept, error, sizeof error)) << error;
  }
  const auto played = play(stop(h));
  const auto seen = h.takeFrames();
  ASSERT_EQ(seen.size(), 3u);
  ASSERT_EQ(played.size(), 4u) << "the screen, then three presents";
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(played[i + 1], seen[i].pixels) << i;
  EXPECT_NE(seen[0].pixels, seen[2].pixels);
}

TEST_F(SnapshotCapture, BeginsWithNothingWhereNothingIsHeld) {
  Harness h;
  start(h);
  const std::vector<uint8_t> file = stop(h);
  start(h);
  EXPECT_EQ(stop(h), file);
  EXPECT_LT(file.size(), 200u);
}

}  // namespace
}  // namespace aerogpu::test
