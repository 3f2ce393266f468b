// SPDX-License-Identifier: MIT
// A process that is prepared for a move: the move takes it, with the pipelines that the guest used, and goes
// on without it if it is of no use.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "renderer/remote/remote.h"
#include "renderer/test/saving.h"
#include "renderer/vulkan/test/draw_fixture.h"

namespace aerogpu::test {
namespace {

using std::chrono::steady_clock;

int64_t milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Returns a line of /proc/PID/status behind its name; empty if there is none.
std::string statusOf(const std::string& process, const std::string& name) {
  std::ifstream status("/proc/" + process + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
  return {};
}

class Prepared : public DrawTest {
protected:
  static void SetUpTestSuite() {
    setenv("AEROGPU_TEST_PROCESS", "shared", 1);
    DrawTest::SetUpTestSuite();
  }
  static void TearDownTestSuite() {
    DrawTest::TearDownTestSuite();
    unsetenv("AEROGPU_TEST_PROCESS");
  }

  RemoteRenderer& remote() { return *static_cast<RemoteRenderer*>(gpu().renderer()); }
  aerogpu_renderer_process about() {
    aerogpu_renderer_process out{};
    out.struct_size = sizeof out;
    EXPECT_TRUE(aerogpu_renderer_get_process(gpu().renderer(), &out));
    return out;
  }
  std::string prepare(const char* device = "") {
    char error[512] = "";
    return aerogpu_renderer_prepare_move(gpu().renderer(), device, error, sizeof error) ? "" : error;
  }
  std::string move(const char* device = "") {
    char error[512] = "";
    bool kept = false;
    const bool moved =
        aerogpu_renderer_move_to(gpu().renderer(), device, nullptr, nullptr, &kept, error, sizeof error);
    EXPECT_TRUE(kept);
    return moved ? "" : error;
  }
  void waitFor(enum aerogpu_renderer_next state) {
    const auto until = steady_clock::now() + std::chrono::seconds(60);
    while (about().next != state && steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(about().next, static_cast<uint32_t>(state)) << about().next_failure;
  }
  /// Prepares, and returns a time after it, in milliseconds since 1970.
  int64_t prepared(const char* device = "") {
    EXPECT_EQ(prepare(device), "");
    waitFor(AEROGPU_RENDERER_NEXT_READY);
    for (const int64_t ready = milliseconds();;)
      if (const int64_t now = milliseconds(); now > ready) return now;
  }
  /// Returns processes that run the renderer's program for this one.
  std::vector<pid_t> processes() {
    const std::string now = std::to_string(remote().processId());
    const std::string parent = statusOf(now, "PPid"), name = statusOf(now, "Name");
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string process = entry.path().filename();
      if (std::ranges::all_of(process, [](char c) { return c >= '0' && c <= '9'; }) &&
          statusOf(process, "PPid") == parent && statusOf(process, "Name") == name)
        found.push_back(std::stoi(process));
    }
    return found;
  }
  /// One that was ended is there for a moment, until it is waited for.
  void waitForProcesses(size_t count) {
    const auto until = steady_clock::now() + std::chrono::seconds(60);
    while (processes().size() != count && steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(processes().size(), count);
  }
};

TEST_F(Prepared, AMoveTakesItWithThePipelinesOfTheGuest) {
  CommandWriter w;
  drawVertices(w, quad(0, 0, 8, 8, 0xFF00FF00));
  run(w);
  const int64_t ready = prepared();
  waitForProcesses(2);
  EXPECT_GE(about().next_pipelines, 1u);
  ASSERT_EQ(move(), "");
  EXPECT_LT(about().since_ms, ready) << "it was started in the move";
  EXPECT_EQ(about().next, static_cast<uint32_t>(AEROGPU_RENDERER_NEXT_NONE));
  EXPECT_EQ(about().next_pipelines, 0u);
  waitForProcesses(1);
}

TEST_F(Prepared, AMoveBringsWhatTheGuestDidMeanwhile) {
  CommandWriter w;
  drawVertices(w, quad(0, 0, 8, 8, 0xFF00FF00));
  run(w);
  prepared();
  drawVertices(w, quad(2, 2, 6, 6, 0xFF0000FF));
  run(w);
  const Bytes before = result();
  ASSERT_EQ(move(), "");
  EXPECT_EQ(result(), before);
  EXPECT_EQ(result(1, 1), (Pixel{0, 255, 0, 255}));
  EXPECT_EQ(result(3, 3), (Pixel{255, 0, 0, 255}));
}

TEST_F(Prepared, AMoveWaitsForOneThatStarts) {
  ASSERT_EQ(prepare(), "");
  const uint32_t before = remote().processId();
  ASSERT_EQ(move(), "");
  EXPECT_NE(remote().processId(), before);
  EXPECT_EQ(about().next, static_cast<uint32_t>(AEROGPU_RENDERER_NEXT_NONE));
}

TEST_F(Prepared, OneForAnotherGpuIsOfNoUse) {
  const int64_t ready = prepared("0");
  ASSERT_EQ(move(""), "");
  EXPECT_GE(about().since_ms, ready);
  waitForProcesses(1);
}

TEST_F(Prepared, OneThatWasKilledIsReplaced) {
  const int64_t ready = prepared();
  for (const pid_t process : processes())
    if (static_cast<uint32_t>(process) != remote().processId()) kill(process, SIGKILL);
  waitFor(AEROGPU_RENDERER_NEXT_FAILED);
  EXPECT_STREQ(about().next_failure, "the renderer's process has ended: signal 9 (Killed)");
  ASSERT_EQ(move(), "");
  EXPECT_EQ(gpu().takeErrorLines(),
            std::vector<std::string>{"the renderer's process has ended: signal 9 (Killed)"});
  EXPECT_GE(about().since_ms, ready);
  EXPECT_EQ(about().deaths, 0u);
}

TEST_F(Prepared, ItEndsWhenItIsNotWanted) {
  prepared();
  waitForProcesses(2);
  EXPECT_EQ(prepare(nullptr), "");
  EXPECT_EQ(about().next, static_cast<uint32_t>(AEROGPU_RENDERER_NEXT_NONE));
  waitForProcesses(1);
  for (int i = 0; i < 10; ++i) {  // at any moment of its start
    EXPECT_EQ(prepare(), "");
    std::this_thread::sleep_for(std::chrono::milliseconds(i * 30));
    EXPECT_EQ(prepare(nullptr), "");
    EXPECT_EQ(about().next, static_cast<uint32_t>(AEROGPU_RENDERER_NEXT_NONE));
  }
  waitForProcesses(1);
  prepared();
  prepared();  // in place of the one before
  waitForProcesses(2);
  EXPECT_EQ(prepare(nullptr), "");
}

TEST_F(Prepared, AGpuThatIsNotThereFails) {
  EXPECT_EQ(prepare("no such GPU"), "");
  waitFor(AEROGPU_RENDERER_NEXT_FAILED);
  EXPECT_NE(std::string(about().next_failure).find("no such GPU"), std::string::npos) << about().next_failure;
  EXPECT_FALSE(gpu().takeErrorLines().empty());
  ASSERT_EQ(move(), "");
}

TEST_F(Prepared, NotWhileASaveIsUnderWay) {
  Bytes bytes;
  const aerogpu_bytes_sink sink = sinkTo(bytes);
  char error[256] = "";
  ASSERT_TRUE(aerogpu_renderer_save_begin(gpu().renderer(), &sink, error, sizeof error)) << error;
  EXPECT_EQ(prepare(), "a save or load is under way");
  aerogpu_renderer_save_cancel(gpu().renderer());
  const int64_t ready = prepared();
  ASSERT_TRUE(aerogpu_renderer_save_begin(gpu().renderer(), &sink, error, sizeof error)) << error;
  EXPECT_EQ(move(), "a save or load is under way");
  aerogpu_renderer_save_cancel(gpu().renderer());
  ASSERT_EQ(move(), "");
  EXPECT_LT(about().since_ms, ready) << "it was started in the move";
}

/// The last one, since it leaves a GPU that was lost.
TEST_F(Prepared, TakesTheLossOfTheGpuAlong) {
  const int64_t ready = prepared();
  ASSERT_EQ(kill(static_cast<pid_t>(remote().processId()), SIGKILL), 0);
  CommandWriter w;
  gpu().submit(w, m_context);
  ASSERT_TRUE(aerogpu_renderer_gpu_lost(gpu().renderer()));
  ASSERT_EQ(move(), "");
  EXPECT_LT(about().since_ms, ready) << "it was started in the move";
  EXPECT_TRUE(aerogpu_renderer_gpu_lost(gpu().renderer()));
  EXPECT_TRUE(aerogpu_renderer_reset(gpu().renderer()));
  EXPECT_FALSE(aerogpu_renderer_gpu_lost(gpu().renderer()));
  gpu().takeErrorLines();
}

TEST(PreparedWithoutProcess, IsRefused) {
  Harness h;
  ASSERT_TRUE(h.ok()) << h.createError();
  char error[256] = "";
  EXPECT_FALSE(aerogpu_renderer_prepare_move(h.renderer(), "", error, sizeof error));
  EXPECT_STREQ(error, "the renderer has no process of its own");
}

}  // namespace
}  // namespace aerogpu::test
