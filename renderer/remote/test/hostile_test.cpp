// SPDX-License-Identifier: MIT
// Either process as an enemy of the other: in each round a call meets one deed, most of them bad ones. Each
// call ends within its limit, each submission is finished once and in its turn, and nothing is read past an
// end, which the sanitizers see. AEROGPU_TEST_ROUNDS: rounds within this process, of each side;
// AEROGPU_TEST_PROCESSES: processes of each side; AEROGPU_TEST_SEED: the first seed, as a failure prints it.
//
// This program is also the bad process: it is started as aerogpu-renderer is (renderer_main.cpp).
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "renderer/process/protocol.h"
#include "renderer/remote/call_filter.h"
#include "renderer/remote/confine.h"
#include "renderer/remote/descriptors.h"
#include "renderer/remote/driver_files.h"
#include "renderer/remote/server.h"
#include "renderer/remote/start_protocol.h"
#include "renderer/remote/test/bad_client.h"
#include "renderer/remote/test/bad_server.h"
#include "renderer/remote/test/good_client.h"

namespace aerogpu::remote::test {
namespace {

/// Rounds with one seed: as many as a renderer lives through.
constexpr uint64_t kRoundsOfSeed = 200;
constexpr unsigned kBadPercent = 20;
/// More than this is a leak, or a count that was believed.
constexpr uint64_t kMostGrown = uint64_t{1} << 30;

uint64_t roundsHere() {
  return rounds("AEROGPU_TEST_ROUNDS", 1000);
}
uint64_t processes() {
  return rounds("AEROGPU_TEST_PROCESSES", 3);
}

/// What is there before and after.
struct Held {
  size_t descriptors = countIn("/proc/self/fd"), threads = countIn("/proc/self/task");
  uint64_t bytes = residentBytes();
  void compare() const {
    const Held now;
    EXPECT_EQ(now.descriptors, descriptors);
    EXPECT_EQ(now.threads, threads);
    EXPECT_LE(now.bytes, bytes + kMostGrown);
  }
};

/// A thread that makes calls beside the render thread now and then.
class Beside {
public:
  Beside(GoodClient& client, uint64_t seed) {
    m_thread = std::thread([this, &client, seed] {
      Dice dice(seed);
      for (int i = 0; i < 20 && !m_ends; ++i) client.urgentRound(dice);
    });
  }
  ~Beside() {
    m_ends = true;
    m_thread.join();
  }

private:
  std::atomic<bool> m_ends{false};
  std::thread m_thread;
};

TEST(HostileServer, CostsALostGpuAndNoTime) {
  std::string error;
  const SharedMemory memory = SharedMemory::make("guest", kGuestBytes, error);
  ASSERT_TRUE(memory) << error;
  Watchdog watchdog("HostileServer");
  const uint64_t all = roundsHere();
  uint64_t played = 0, deeds = 0, lives = 0, frames = 0, lost = 0;
  const Held held;
  {
    QuickClock clock(5);
    BadServers servers(clock, kBadPercent);
    for (uint64_t seed = firstSeed(); played < all && !HasFailure(); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      watchdog.begin(seed, 0);
      servers.setSeed(seed * 100'003);
      Dice dice(seed);
      GoodClient client(dice, memory, true);
      ++played;
      if (!client.create("", "bad")) continue;
      std::unique_ptr<Beside> beside;
      if (seed % 8 == 0) beside = std::make_unique<Beside>(client, seed);
      for (uint64_t round = 0; round < kRoundsOfSeed && !HasFailure(); ++round, ++played) {
        watchdog.begin(seed, round);
        client.round();
      }
      beside.reset();
      frames += client.frames();
      lost += client.lost();
    }
    deeds = servers.deeds();
    lives = servers.lives();
  }
  held.compare();
  std::printf("%llu rounds, %llu bad deeds, %llu lives, %llu frames, %llu lost\n",
              static_cast<unsigned long long>(played), static_cast<unsigned long long>(deeds),
              static_cast<unsigned long long>(lives), static_cast<unsigned long long>(frames),
              static_cast<unsigned long long>(lost));
  EXPECT_GT(deeds, played / 10);
  EXPECT_GT(frames, 0u);
  EXPECT_GT(lost, 0u);
}

/// A server in a thread of this process.
class ServerThread {
public:
  /// Null if it does not start.
  std::unique_ptr<Channel> start() {
    std::string error;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return nullptr;
    auto channel = Channel::make(Descriptor(ends[0]), uint64_t{48} << 20, error);
    if (!channel) return nullptr;
    m_thread = std::thread([control = ends[1]] {
      std::string why;
      auto taken = Channel::take(Descriptor(control), why);
      if (taken) Server(std::move(taken)).run();
    });
    uint32_t process = 0;
    return channel->greet(nowNs() + 20'000'000'000, process, error) ? std::move(channel) : nullptr;
  }
  void join() {
    if (m_thread.joinable()) m_thread.join();
  }

private:
  std::thread m_thread;
};

TEST(HostileClient, EndsTheServerOrIsAnswered) {
  Watchdog watchdog("HostileClient");
  const uint64_t all = roundsHere();
  uint64_t played = 0, answers = 0, finished = 0, lives = 0;
  const Held held;
  for (uint64_t seed = firstSeed(); played < all && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    watchdog.begin(seed, 0);
    Dice dice(seed);
    ServerThread server;
    auto channel = server.start();
    ASSERT_TRUE(channel);
    BadClient client(std::move(channel), dice, seed % 4 == 0 ? 40 : 5);
    ++lives;
    for (uint64_t round = 0; round < kRoundsOfSeed && client.round(); ++round, ++played)
      watchdog.begin(seed, round);
    ++played;
    EXPECT_EQ(client.complaint(), "");
    client.leave();
    server.join();
    answers += client.answers();
    finished += client.finished();
  }
  held.compare();
  std::printf("%llu rounds, %llu lives, %llu answers, %llu finished\n",
              static_cast<unsigned long long>(played), static_cast<unsigned long long>(lives),
              static_cast<unsigned long long>(answers), static_cast<unsigned long long>(finished));
  EXPECT_GT(answers, 0u);
  EXPECT_GT(finished, 0u);
}

TEST(HostileServer, AsAProcess) {
  std::string error;
  char self[PATH_MAX];
  ASSERT_TRUE(realpath("/proc/self/exe", self));
  const SharedMemory memory = SharedMemory::make("guest", kGuestBytes, error);
  ASSERT_TRUE(memory) << error;
  Watchdog watchdog("HostileServer as a process");
  Session::silenceNs = 60'000'000;
  Session::patienceNs = 200'000'000;
  Session::urgentNs = 60'000'000;
  Session::farewellNs = 60'000'000;
  const uint64_t all = processes();
  uint64_t started = 0;
  for (uint64_t seed = firstSeed(); started < all && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    GoodClient client(dice, memory, false);
    ++started;
    watchdog.begin(seed, 0);
    if (!client.create(self, std::to_string(seed))) continue;
    for (uint64_t round = 0; round < 20 && !HasFailure(); ++round) {
      watchdog.begin(seed, round);
      client.round();
    }
    started += client.resets();
  }
  Session::silenceNs = kSilenceNs;
  Session::patienceNs = 120'000'000'000;
  Session::urgentNs = kUrgentNs;
  Session::farewellNs = 3'000'000'000;
  std::printf("%llu processes\n", static_cast<unsigned long long>(started));
}

TEST(HostileClient, AsAProcess) {
  std::string error;
  Watchdog watchdog("HostileClient as a process");
  const uint64_t all = processes();
  uint64_t answers = 0;
  for (uint64_t seed = firstSeed(); seed < firstSeed() + all && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    watchdog.begin(seed, 0);
    Dice dice(seed);
    const auto starter = Starter::of("", error);
    ASSERT_TRUE(starter) << error;
    Started started;
    ASSERT_TRUE(starter->start(nowNs() + 20'000'000'000, started, error)) << error;
    auto channel = Channel::make(std::move(started.control), uint64_t{48} << 20, error);
    ASSERT_TRUE(channel) << error;
    uint32_t process = 0;
    ASSERT_TRUE(channel->greet(nowNs() + 20'000'000'000, process, error)) << error;
    BadClient client(std::move(channel), dice, seed % 4 == 0 ? 40 : 5);
    for (uint64_t round = 0; round < kRoundsOfSeed && client.round(); ++round) watchdog.begin(seed, round);
    EXPECT_EQ(client.complaint(), "");
    client.leave();
    answers += client.answers();
    // It ends by itself, and not by a signal or a sanitizer.
    EndNotice notice;
    ASSERT_TRUE(waitForInput(started.life.get(), nowNs() + 20'000'000'000)) << "it does not end";
    ASSERT_EQ(recv(started.life.get(), &notice, sizeof notice, MSG_DONTWAIT), ssize_t{sizeof notice});
    EXPECT_TRUE(WIFEXITED(notice.status)) << notice.status;
    EXPECT_EQ(WEXITSTATUS(notice.status), process::kExitReady);
  }
  EXPECT_GT(answers, 0u);
}

/// As aerogpu-renderer's own, but what it starts is a bad one.
int startOthers() {
  char path[PATH_MAX];
  if (!realpath("/proc/self/exe", path)) return process::kExitUsage;
  if (const pid_t pid = fork(); pid != 0) return pid < 0 ? process::kExitNoFork : process::kExitReady;
  setsid();
  serveStarts(Descriptor(process::kControlFd), path);
  return process::kExitReady;
}

int misbehave() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Seat seat;
  seat.control = Descriptor(process::kControlFd);
  seat.seed = static_cast<uint64_t>(getpid());
  BadServer(std::move(seat), nullptr, kBadPercent).live();
  return process::kExitReady;
}

}  // namespace
}  // namespace aerogpu::remote::test

// In place of confine.cpp, driver_files.cpp, landlock.cpp and call_filter.cpp: what a server gives up, this
// program needs for its other tests.
namespace aerogpu::remote {
bool giveUpRights() {
  return true;
}
void leadCaches(const std::string& /*cacheDir*/) {}
FileRules driverFiles(const std::string& /*cacheDir*/) {
  return {};
}
std::optional<uint32_t> limitFiles(const FileRules& /*rules*/, uint32_t /*most*/) {
  return 0;
}
Calls callsFor(core::DriverKind /*driver*/) {
  return Calls::All;
}
bool filterCalls(Calls /*calls*/) {
  return true;
}
std::vector<std::string> takeRefusals() {
  return {};
}
}  // namespace aerogpu::remote

int main(int argc, char** argv) {
  using namespace aerogpu;
  if (argc == 2 && std::string_view(argv[1]) == remote::kSessionArgument) return remote::test::misbehave();
  if (argc == 1 && remote::isControl(process::kControlFd)) return remote::test::startOthers();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
