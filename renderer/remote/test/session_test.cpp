// SPDX-License-Identifier: MIT
// A renderer in a process of its own that is killed, stopped, and started again.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "renderer/base/log.h"
#include "renderer/remote/confine.h"
#include "renderer/remote/descriptors.h"
#include "renderer/remote/failure_trace.h"
#include "renderer/remote/remote.h"
#include "renderer/test/harness.h"
#include "renderer/test/saving.h"
#include "renderer/trace/reader.h"
#include "renderer/trace/replay.h"

namespace aerogpu::remote {
namespace {

using test::Harness;

std::vector<uint8_t> bytesOfFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class RemoteProcess : public testing::Test {
protected:
  static void SetUpTestSuite() { setenv("AEROGPU_TEST_PROCESS", "asked", 1); }
  static void TearDownTestSuite() { unsetenv("AEROGPU_TEST_PROCESS"); }
  void SetUp() override { ASSERT_TRUE(h.ok()) << h.createError(); }
  void TearDown() override {
    Session::silenceNs = kSilenceNs;
    Session::unwatchedNs = 1'000'000'000;
    Session::patienceNs = 120'000'000'000;
  }

  RemoteRenderer& remote() { return *static_cast<RemoteRenderer*>(h.renderer()); }
  void signalIt(int number) { ASSERT_EQ(kill(static_cast<pid_t>(remote().processId()), number), 0); }

  /// Draws nothing, but makes and destroys a buffer.
  test::FinishedSubmission work() {
    CommandWriter w;
    const uint32_t buffer = h.handle();
    packets::createBuffer(w, buffer, 256, 0, 0);
    packets::destroyResource(w, buffer);
    return h.submit(w);
  }

  Harness h;
};

TEST_F(RemoteProcess, ItWorks) {
  EXPECT_NE(remote().processId(), 0u);
  EXPECT_NE(remote().processId(), static_cast<uint32_t>(getpid()));
  const auto done = work();
  EXPECT_EQ(done.result.error_count, 0u);
  EXPECT_FALSE(done.result.gpu_lost);
  EXPECT_EQ(h.stats().submissions, 1u);
}

TEST_F(RemoteProcess, ItsDeathIsALostGpuUntilAReset) {
  work();
  signalIt(SIGKILL);
  for (int i = 0; i < 3; ++i) {
    const auto done = work();
    EXPECT_TRUE(done.result.gpu_lost);
    EXPECT_EQ(done.result.error_count, 1u);
  }
  EXPECT_TRUE(aerogpu_renderer_gpu_lost(h.renderer()));
  EXPECT_EQ(h.takeErrorLines(),
            std::vector<std::string>{"the renderer's process has ended: signal 9 (Killed)"});
  EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
  EXPECT_FALSE(aerogpu_renderer_gpu_lost(h.renderer()));
  EXPECT_FALSE(work().result.gpu_lost);
}

TEST_F(RemoteProcess, OneThatStandsStillIsEnded) {
  work();
  Session::silenceNs = 300'000'000;
  signalIt(SIGSTOP);
  const auto begin = std::chrono::steady_clock::now();
  CommandWriter w;
  for (int i = 0; i < 10; ++i) h.submitAsync(w);
  h.waitIdle();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_TRUE(aerogpu_renderer_gpu_lost(h.renderer()));
  EXPECT_EQ(h.takeFinished().size(), 11u);
  EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
  EXPECT_FALSE(work().result.gpu_lost);
}

TEST_F(RemoteProcess, OneThatStoodStillWhileNobodyLookedIsEndedToo) {
  Session::unwatchedNs = 0;
  Session::silenceNs = 300'000'000;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(work().result.gpu_lost);
    signalIt(SIGSTOP);
    EXPECT_TRUE(work().result.gpu_lost);  // nothing but the submission itself waits for it
    EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
  }
}

/// The time in which it had nothing to do is no silence.
TEST_F(RemoteProcess, OneThatWasIdleForLongHasAllItsTime) {
  Session::unwatchedNs = 300'000'000;  // it is looked at once more while it is idle
  Session::silenceNs = 1'000'000'000;
  for (int i = 0; i < 2; ++i) {
    signalIt(SIGSTOP);  // so that the first look finds something outstanding, and no progress
    std::thread later([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      signalIt(SIGCONT);
    });
    EXPECT_FALSE(work().result.gpu_lost);
    later.join();
    if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1800));  // what is tested
  }
}

/// Whatever a process says of its progress, neither a submission nor a call may take for ever.
TEST_F(RemoteProcess, PatienceEnds) {
  Session::silenceNs = kForever;  // as if it made progress
  Session::patienceNs = 300'000'000;
  for (const bool calls : {false, true}) {
    EXPECT_FALSE(work().result.gpu_lost);
    h.takeErrorLines();
    signalIt(SIGSTOP);
    if (calls)
      aerogpu_renderer_lose(h.renderer());
    else
      EXPECT_TRUE(work().result.gpu_lost);
    EXPECT_EQ(
        h.takeErrorLines(),
        std::vector<std::string>{"the renderer's process says that it works, never ends, and was ended"});
    EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
  }
}

/// Counts what this process holds.
size_t countIn(const char* folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

TEST_F(RemoteProcess, RestartsLeaveNothingBehind) {
  const auto restart = [this] {
    signalIt(SIGKILL);
    work();
    ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));
    ASSERT_FALSE(work().result.gpu_lost);
  };
  restart();
  const size_t descriptors = countIn("/proc/self/fd"), threads = countIn("/proc/self/task");
  for (int i = 0; i < 20; ++i) restart();
  EXPECT_EQ(countIn("/proc/self/fd"), descriptors);
  EXPECT_EQ(countIn("/proc/self/task"), threads);
}

/// The process that started `process` (proc(5): stat, field 4).
pid_t parentOf(uint32_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  pid_t parent = 0;
  stat >> number >> name >> state >> parent;
  return parent;
}

TEST_F(RemoteProcess, EndsWithItsStarterAndTheNextOneGetsAnother) {
  const pid_t starter = parentOf(remote().processId());
  ASSERT_GT(starter, 1);
  ASSERT_NE(starter, getpid());
  ASSERT_EQ(kill(starter, SIGKILL), 0);
  while (!work().result.gpu_lost) {
  }
  EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
  EXPECT_FALSE(work().result.gpu_lost);
  EXPECT_NE(parentOf(remote().processId()), starter);
}

TEST_F(RemoteProcess, SeveralShareOneStarter) {
  Harness other;
  ASSERT_TRUE(other.ok()) << other.createError();
  const auto second = static_cast<RemoteRenderer*>(other.renderer())->processId();
  EXPECT_NE(second, remote().processId());
  EXPECT_EQ(parentOf(second), parentOf(remote().processId()));
  signalIt(SIGKILL);
  EXPECT_TRUE(work().result.gpu_lost);
  EXPECT_FALSE(other.submit(CommandWriter()).result.gpu_lost);
}

TEST_F(RemoteProcess, WhatTheEmbedderSetHoldsForTheNextProcess) {
  aerogpu_renderer_play_faults(h.renderer(), AEROGPU_RENDERER_FAULT_REFUSE);
  signalIt(SIGKILL);
  work();
  EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));  // the process is new, and has lost nothing
  aerogpu_renderer_lose(h.renderer());
  EXPECT_FALSE(aerogpu_renderer_reset(h.renderer()));  // but it plays the fault
  aerogpu_renderer_play_faults(h.renderer(), 0);
  EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
}

/// A reset's caller counts on every callback having returned.
TEST_F(RemoteProcess, EverythingIsFinishedAfterAReset) {
  CommandWriter w;
  const uint32_t buffer = h.handle();
  packets::createBuffer(w, buffer, 256, 0, 0);
  packets::destroyResource(w, buffer);
  for (int round = 0; round < 300; ++round) {
    for (int i = 0; i < 20; ++i) h.submitAsync(w);
    EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
    EXPECT_EQ(h.takeFinished().size(), 20u);
  }
}

TEST_F(RemoteProcess, AMoveIsAnotherProcessThatHasEverything) {
  std::vector<uint8_t> bytes(4096);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7);
  const test::Allocation backing = h.allocate(bytes.size());
  std::ranges::copy(bytes, h.bytes(backing).begin());
  CommandWriter w;
  const uint32_t buffer = h.handle();
  packets::createBuffer(w, buffer, bytes.size(), 0, backing.id);
  packets::dirtyRange(w, buffer, 0, bytes.size());
  EXPECT_EQ(h.submit(w).result.error_count, 0u);
  std::ranges::fill(h.bytes(backing), uint8_t{0});  // the buffer has the bytes of before
  const auto move = [this](bool (*goesOn)(void*, uint64_t)) {
    char error[256] = "";
    bool kept = false;
    const bool moved =
        aerogpu_renderer_move_to(h.renderer(), "", goesOn, nullptr, &kept, error, sizeof error);
    EXPECT_TRUE(kept);
    return moved ? std::string() : std::string(error);
  };
  EXPECT_EQ(move(nullptr), "");
  const size_t descriptors = countIn("/proc/self/fd"), threads = countIn("/proc/self/task");
  for (int i = 0; i < 20; ++i) {
    const uint32_t before = remote().processId();
    EXPECT_EQ(move(nullptr), "");
    EXPECT_NE(remote().processId(), before);
    EXPECT_EQ(h.readBuffer(buffer, bytes.size()), bytes);
  }
  EXPECT_EQ(countIn("/proc/self/fd"), descriptors);
  EXPECT_EQ(countIn("/proc/self/task"), threads);
  const uint32_t before = remote().processId();
  EXPECT_EQ(move([](void*, uint64_t) { return false; }), "it was given up");
  EXPECT_EQ(remote().processId(), before);
  EXPECT_EQ(h.readBuffer(buffer, bytes.size()), bytes);
  signalIt(SIGKILL);
  work();
  EXPECT_EQ(move(nullptr), "");  // a lost GPU has nothing to move
  EXPECT_NE(remote().processId(), before);
  EXPECT_TRUE(aerogpu_renderer_gpu_lost(h.renderer()));
  EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
  EXPECT_FALSE(work().result.gpu_lost);
}

// aerogpu_renderer_adopt_caps() is for any thread.
TEST_F(RemoteProcess, CapsMayBeAdoptedBesideTheRenderThread) {
  std::atomic<bool> ends{false};
  std::thread other([&] {
    while (!ends) EXPECT_TRUE(aerogpu_renderer_adopt_caps(h.renderer(), nullptr, 0, false));
  });
  aerogpu_scanout_config config{};
  config.struct_size = sizeof config;
  for (int i = 0; i < 20000; ++i) aerogpu_renderer_set_scanout(h.renderer(), &config);
  ends = true;
  other.join();
  EXPECT_FALSE(work().result.gpu_lost);
}

TEST_F(RemoteProcess, TellsHowOftenItDiedAndWhy) {
  const auto about = [this] {
    aerogpu_renderer_process out{};
    out.struct_size = sizeof out;
    EXPECT_TRUE(aerogpu_renderer_get_process(h.renderer(), &out));
    return out;
  };
  const aerogpu_renderer_process first = about();
  EXPECT_EQ(first.id, remote().processId());
  EXPECT_EQ(first.deaths, 0u);
  EXPECT_STREQ(first.last_death, "");
  signalIt(SIGKILL);
  work();
  EXPECT_EQ(about().id, 0u);
  EXPECT_EQ(about().deaths, 1u);
  EXPECT_STREQ(about().last_death, "the renderer's process has ended: signal 9 (Killed)");
  EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
  EXPECT_NE(about().id, first.id);
  EXPECT_GE(about().since_ms, first.since_ms);
  EXPECT_EQ(about().deaths, 1u);
  Session::silenceNs = 200'000'000;
  signalIt(SIGSTOP);
  work();
  EXPECT_EQ(about().deaths, 2u);
  EXPECT_STREQ(about().last_death, "the renderer's process has been silent for too long and was ended");
}

TEST_F(RemoteProcess, TellsHowFarItIsConfined) {
  aerogpu_renderer_process about{};
  about.struct_size = sizeof about;
  ASSERT_TRUE(aerogpu_renderer_get_process(h.renderer(), &about));
  // Linux, include/uapi/linux/landlock.h: LANDLOCK_CREATE_RULESET_VERSION, of landlock_create_ruleset().
  const long known = std::max(syscall(444, nullptr, 0, 1), 0l);
  EXPECT_EQ(about.landlock, kIsConfined ? std::min(known, 7l) : 0);
  EXPECT_EQ(about.calls,
            static_cast<uint32_t>(kIsConfined ? AEROGPU_RENDERER_CALLS_LISTED : AEROGPU_RENDERER_CALLS_ALL));
  // Embedders of the time before ask for less.
  aerogpu_renderer_process old{};
  old.struct_size = offsetof(aerogpu_renderer_process, landlock);
  old.landlock = 77;
  ASSERT_TRUE(aerogpu_renderer_get_process(h.renderer(), &old));
  EXPECT_EQ(old.id, about.id);
  EXPECT_EQ(old.landlock, 77u);
}

/// The process may make no file, nor open this one: it gets one that is open.
TEST_F(RemoteProcess, CapturesIntoFilesOfItsClient) {
  const std::string path = std::filesystem::temp_directory_path() / ("capture" + std::to_string(getpid()));
  char error[512] = "";
  EXPECT_FALSE(aerogpu_renderer_capture_start(h.renderer(), "/no/such/folder/file", error, sizeof error));
  EXPECT_STREQ(error, "cannot write '/no/such/folder/file': No such file or directory");
  for (int i = 0; i < 2; ++i) {  // the second one ends the first, and takes its file
    ASSERT_TRUE(aerogpu_renderer_capture_start(h.renderer(), path.c_str(), error, sizeof error)) << error;
    EXPECT_FALSE(work().result.gpu_lost);
  }
  ASSERT_TRUE(aerogpu_renderer_capture_stop(h.renderer(), error, sizeof error)) << error;
  const std::vector<uint8_t> bytes = bytesOfFile(path);
  trace::Reader reader;
  std::string why;
  ASSERT_TRUE(reader.open(bytes, why)) << why;
  EXPECT_EQ(reader.frames().size(), 1u);
  std::filesystem::remove(path);
}

/// Each process writes a file of its own; the one that was killed leaves its file without an end.
TEST_F(RemoteProcess, ACaptureGoesOnInTheProcessThatFollows) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("captures" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = folder / "a";
  char error[512] = "";
  bool kept = false;
  const auto played = [&](const std::string& name) {
    const std::vector<uint8_t> bytes = bytesOfFile(folder / name);
    trace::ReplayOptions options;
    options.backend = "null";
    trace::ReplayResult result;
    std::string why;
    if (!trace::replay(bytes, options, result, why)) return why;
    return std::to_string(result.submissions) + " submissions, " + std::to_string(result.errors) + " errors";
  };
  ASSERT_TRUE(aerogpu_renderer_capture_start(h.renderer(), path.c_str(), error, sizeof error)) << error;
  work();
  ASSERT_TRUE(aerogpu_renderer_move_to(h.renderer(), "", nullptr, nullptr, &kept, error, sizeof error))
      << error;
  work();
  work();
  signalIt(SIGKILL);
  work();
  EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
  for (int i = 0; i < 3; ++i) work();
  ASSERT_TRUE(aerogpu_renderer_capture_stop(h.renderer(), error, sizeof error)) << error;
  EXPECT_EQ(played("a"), "1 submissions, 0 errors");
  EXPECT_EQ(played("a.2"), "cut short: the footer is missing");
  EXPECT_EQ(played("a.3"), "3 submissions, 0 errors");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.4"));
  // One that is dead when it is stopped says so.
  ASSERT_TRUE(aerogpu_renderer_capture_start(h.renderer(), path.c_str(), error, sizeof error)) << error;
  signalIt(SIGKILL);
  work();
  EXPECT_FALSE(aerogpu_renderer_capture_stop(h.renderer(), error, sizeof error));
  EXPECT_EQ(error, "'" + path + "' has no end: the process that wrote it has ended");
  std::filesystem::remove_all(folder);
}

TEST_F(RemoteProcess, AFullDiskEndsACaptureWithItsReason) {
  char error[512] = "";
  ASSERT_TRUE(aerogpu_renderer_capture_start(h.renderer(), "/dev/full", error, sizeof error)) << error;
  work();
  EXPECT_FALSE(aerogpu_renderer_capture_stop(h.renderer(), error, sizeof error));
  EXPECT_STREQ(error, "writing '/dev/full' failed: No space left on device");
}

// TRACE-11
TEST(RemoteFailures, ItsClientWritesTheNewestSubmissions) {
  setenv("AEROGPU_TEST_PROCESS", "asked", 1);
  const std::string path = std::filesystem::temp_directory_path() / ("recent" + std::to_string(getpid()));
  {
    Harness h(Harness::Options{.vmName = "win7", .recentTrace = path.c_str()});
    ASSERT_TRUE(h.ok()) << h.createError();
    CommandWriter good, bad;
    packets::createBuffer(good, 1, 256);
    std::vector<uint8_t> much(300'000, 7);  // several pieces
    packets::createBuffer(good, 2, 1 << 20);
    packets::upload(good, 2, 0, much);
    packets::createBuffer(bad, 1, 256);  // the handle is in use
    EXPECT_EQ(h.submit(good).result.error_count, 0u);
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_NE(h.submit(bad).result.error_count, 0u);
    ASSERT_TRUE(std::filesystem::exists(path));
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));
    const std::vector<uint8_t> bytes = bytesOfFile(path);
    trace::Reader reader;
    std::string why;
    ASSERT_TRUE(reader.open(bytes, why)) << why;
    EXPECT_EQ(reader.frames().size(), 1u);
    EXPECT_GT(bytes.size(), much.size());
    bool said = false;
    for (const std::string& line : h.takeErrorLines())
      said |= line.starts_with("the newest 2 submissions are in '" + path + "': fence ");
    EXPECT_TRUE(said);
    // Also a new process keeps to the time between two files.
    std::filesystem::remove(path);
    auto& remote = *static_cast<RemoteRenderer*>(h.renderer());
    ASSERT_EQ(kill(static_cast<pid_t>(remote.processId()), SIGKILL), 0);
    EXPECT_TRUE(h.submit(CommandWriter()).result.gpu_lost);
    ASSERT_TRUE(aerogpu_renderer_reset(h.renderer()));
    CommandWriter again;
    packets::destroyResource(again, 77);
    packets::createBuffer(again, 1, 256);
    packets::createBuffer(again, 1, 256);
    EXPECT_NE(h.submit(again).result.error_count, 0u);
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  unsetenv("AEROGPU_TEST_PROCESS");
}

/// What a process says of such a file is not believed.
TEST(RemoteFailures, NonsenseAboutTheFileIsRefused) {
  const std::string path = std::filesystem::temp_directory_path() / ("failure" + std::to_string(getpid()));
  Log log([](void*, enum aerogpu_log_level, const char*) {}, nullptr);
  const auto say = [&](FailureTrace& trace, FailureStep step, std::vector<uint8_t> bytes = {}) {
    Packer all;
    all.value(step).raw(bytes);
    return trace.take(all.bytes(), log);
  };
  FailurePlace none, place;
  FailureTrace unasked(none);
  EXPECT_FALSE(say(unasked, FailureStep::Begin));
  place.path = path;
  place.mostBytes = 8;
  {
    FailureTrace trace(place);
    for (const auto step : {FailureStep::Bytes, FailureStep::End, FailureStep::Drop})
      EXPECT_FALSE(say(trace, step));
    EXPECT_FALSE(say(trace, FailureStep::Begin, {1}));
    EXPECT_FALSE(trace.take({}, log));
    EXPECT_TRUE(say(trace, FailureStep::Begin));
    EXPECT_FALSE(say(trace, FailureStep::Begin));
    EXPECT_FALSE(say(trace, static_cast<FailureStep>(9)));
    EXPECT_TRUE(say(trace, FailureStep::Bytes, {1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_TRUE(std::filesystem::exists(path + ".part"));
    EXPECT_FALSE(say(trace, FailureStep::Bytes, {9}));
  }
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  EXPECT_FALSE(std::filesystem::exists(path));
  place.lastNs = 0;
  FailureTrace trace(place);
  EXPECT_TRUE(say(trace, FailureStep::Begin));
  EXPECT_TRUE(say(trace, FailureStep::Bytes, {1, 2}));
  EXPECT_TRUE(say(trace, FailureStep::End));
  EXPECT_EQ(bytesOfFile(path), (std::vector<uint8_t>{1, 2}));
  EXPECT_TRUE(say(trace, FailureStep::Begin));  // too early: taken, and not written
  EXPECT_TRUE(say(trace, FailureStep::Bytes, {3}));
  EXPECT_TRUE(say(trace, FailureStep::End));
  EXPECT_EQ(bytesOfFile(path), (std::vector<uint8_t>{1, 2}));
  std::filesystem::remove(path);
}

TEST(RemoteDeaths, TooManyInAMinuteLeaveTheGpuGoneUntilThatIsOver) {
  setenv("AEROGPU_TEST_PROCESS", "asked", 1);
  {
    Harness h(Harness::Options{.processDeaths = 3});
    ASSERT_TRUE(h.ok()) << h.createError();
    auto& remote = *static_cast<RemoteRenderer*>(h.renderer());
    const auto die = [&] {
      ASSERT_EQ(kill(static_cast<pid_t>(remote.processId()), SIGKILL), 0);
      EXPECT_TRUE(h.submit(CommandWriter()).result.gpu_lost);
    };
    for (int i = 0; i < 2; ++i) {
      die();
      EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
    }
    die();
    h.takeErrorLines();
    for (int i = 0; i < 2; ++i) {  // asking again is no further death
      EXPECT_FALSE(aerogpu_renderer_reset(h.renderer()));
      EXPECT_TRUE(h.submit(CommandWriter()).result.gpu_lost);
      EXPECT_EQ(h.takeErrorLines(),
                std::vector<std::string>{
                    "the renderer's process has ended 3 times within a minute, and is not started again"});
    }
    RemoteRenderer::deathsNs = 0;  // the minute is over
    EXPECT_TRUE(aerogpu_renderer_reset(h.renderer()));
    EXPECT_FALSE(h.submit(CommandWriter()).result.gpu_lost);
    RemoteRenderer::deathsNs = 60'000'000'000;
  }
  unsetenv("AEROGPU_TEST_PROCESS");
}

TEST(RemoteMemory, WhatIsMappedIsNotAskedForAndItsWritesAreAnnounced) {
  setenv("AEROGPU_TEST_PROCESS", "shared", 1);
  {
    Harness h;
    ASSERT_TRUE(h.ok()) << h.createError();
    std::vector<uint8_t> bytes(4096);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7);
    const test::Allocation backing = h.allocate(bytes.size());
    std::ranges::copy(bytes, h.bytes(backing).begin());
    std::mutex mutex;
    std::vector<std::pair<uint64_t, bool>> seen;
    h.onGuestAccess = [&](uint64_t gpa, bool write) {
      const std::lock_guard lock(mutex);
      seen.emplace_back(gpa, write);
    };
    CommandWriter w;
    const uint32_t buffer = h.handle();
    packets::createBuffer(w, buffer, bytes.size(), 0, backing.id);
    packets::dirtyRange(w, buffer, 0, bytes.size());
    EXPECT_EQ(h.submit(w).result.error_count, 0u);
    EXPECT_TRUE(seen.empty());                             // it was read in place
    EXPECT_EQ(h.readBuffer(buffer, bytes.size()), bytes);  // by a copy to memory behind the backing
    h.onGuestAccess = nullptr;
    ASSERT_FALSE(seen.empty());
    for (const auto& [gpa, write] : seen) {
      EXPECT_TRUE(write);
      EXPECT_EQ(gpa, backing.gpa + bytes.size());
    }
    EXPECT_EQ(h.mappingsHeld(), 0);
  }
  unsetenv("AEROGPU_TEST_PROCESS");
}

// What was loaded by then would be freed twice (aerogpu_renderer_load_bytes()).
TEST_F(RemoteProcess, EndsIfALoadIsLeftForAnotherCall) {
  std::vector<uint8_t> saved;
  ASSERT_EQ(test::save(h.renderer(), saved), "");
  ASSERT_EQ(test::load(h.renderer(), saved), "");
  ASSERT_TRUE(remote().loadBytes(saved).ok());
  EXPECT_TRUE(remote().reset()) << "another process";
  aerogpu_renderer_process process{};
  remote().readProcess(process);
  EXPECT_EQ(process.deaths, 1u);
}

/// After a package's update a machine of before may start a process of the new build.
TEST(RemoteStart, AnotherBuildIsRefusedByBothSides) {
  std::string error;
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const auto client = Channel::make(Descriptor(ends[0]), 4096, error);
  ASSERT_TRUE(client) << error;
  GreetingAnswer newer;
  newer.version = kVersion + 1;
  newer.layout = kLayout;
  ASSERT_EQ(send(ends[1], &newer, sizeof newer, 0), ssize_t{sizeof newer});
  uint32_t process = 0;
  EXPECT_FALSE(client->greet(nowNs() + 1'000'000'000, process, error));
  EXPECT_EQ(error, "the renderer's process is of another build, which speaks another protocol: " +
                       std::to_string(kVersion + 1) + " in place of " + std::to_string(kVersion));
  // The greeting is with the other side; one of an older client follows.
  std::vector<Descriptor> taken;
  Greeting greeting;
  ASSERT_TRUE(receiveDescriptors(ends[1], {reinterpret_cast<uint8_t*>(&greeting), sizeof greeting}, taken));
  EXPECT_EQ(greeting.version, kVersion);
  --greeting.version;
  ASSERT_EQ(send(ends[0], &greeting, sizeof greeting, 0), ssize_t{sizeof greeting});
  EXPECT_EQ(Channel::take(Descriptor(ends[1]), error), nullptr);
  EXPECT_EQ(error, "the greeting is of another build");
  GreetingAnswer answer{};
  ASSERT_EQ(recv(ends[0], &answer, sizeof answer, MSG_DONTWAIT), ssize_t{sizeof answer});
  EXPECT_EQ(answer.version, kVersion);
}

TEST(RemoteStart, SaysWhatIsMissing) {
  aerogpu_renderer_callbacks callbacks{
      sizeof callbacks,
      [](void*, uint64_t, uint64_t, bool, aerogpu_guest_mapping*) { return -1; },
      [](void*, const aerogpu_guest_mapping*, uint64_t) {},
      [](void*, const aerogpu_submission_result*) {},
      [](void*, enum aerogpu_log_level, const char*) {},
      nullptr,
      nullptr};
  aerogpu_renderer_config config{};
  config.struct_size = sizeof config;
  config.backend = "null";
  config.max_hostmem = 1 << 20;
  config.callbacks = &callbacks;
  const auto failure = [&](const char* program, const char* backend) {
    char error[512] = "";
    config.process = program;
    config.backend = backend;
    aerogpu_renderer* renderer = aerogpu_renderer_create(&config, error, sizeof error);
    EXPECT_EQ(renderer, nullptr);
    return std::string(error);
  };
  EXPECT_EQ(failure("/nowhere/aerogpu-renderer", "null"),
            "the renderer's process /nowhere/aerogpu-renderer cannot be started: No such file or directory");
  EXPECT_EQ(failure("/bin/true", "null"), "/bin/true has ended, and cannot start a renderer's process");
  EXPECT_EQ(failure("", "nosuch").find("unknown back end 'nosuch'"), 0u);
}

}  // namespace
}  // namespace aerogpu::remote
