// SPDX-License-Identifier: MIT
// A helper process from outside: the result of a call when its child misbehaves, or when the process does,
// and the rights that the process holds. The program under test is the real server with the tests' jobs
// (test_jobs_main.cpp).
#include "renderer/process/client.h"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <thread>

#include "renderer/process/test/test_jobs.h"

namespace aerogpu::process {
namespace {

using Bytes = std::vector<uint8_t>;
using Clock = std::chrono::steady_clock;
using Reason = CallError::Reason;

std::string jobsProgram() {
  const char* path = std::getenv("AEROGPU_TEST_JOBS");
  return path ? path : "";
}

Program program(std::string path) {
  return {std::move(path), "process-test-jobs", "the test's helper"};
}

/// Returns a line of the status of another process.
std::string statusOf(pid_t pid, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(name + ":\t", 0) == 0) return line.substr(name.size() + 2);
  return {};
}

bool eventually(const std::function<bool()>& condition) {
  for (const auto end = Clock::now() + std::chrono::seconds(20); Clock::now() < end;
       std::this_thread::yield())
    if (condition()) return true;
  return condition();
}

class ClientTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(jobsProgram().empty()) << "AEROGPU_TEST_JOBS names the program";
    std::string folder = (std::filesystem::temp_directory_path() / "xlate-XXXXXX").string();
    ASSERT_TRUE(mkdtemp(folder.data()));
    m_folder = folder;
    // A process has its program's name: this name must be unique.
    m_name = "x" + m_folder.filename().string().substr(6) + std::to_string(getpid() % 100000);
    std::filesystem::create_symlink(jobsProgram(), m_folder / m_name);
    start(Client::kGraceMs);
  }
  void TearDown() override {
    m_client.reset();
    std::filesystem::remove_all(m_folder);
  }
  void start(uint32_t graceMs) {
    m_client.reset();
    EXPECT_TRUE(eventually([&] { return processes().empty(); }));
    std::string error;
    m_client = Client::start(program(m_folder / m_name), error, graceMs);
    ASSERT_TRUE(m_client) << error;
  }

  Result<Bytes, CallError> call(TestJob job, const Bytes& input = {}, Limits limits = {},
                                const std::atomic<bool>* cancelled = nullptr) {
    return m_client->call(static_cast<uint32_t>(job), {input}, cancelled, limits);
  }
  /// Returns why the call failed, which it must.
  Reason failureOf(TestJob job, const Bytes& input = {}, Limits limits = {}) {
    const auto result = call(job, input, limits);
    EXPECT_FALSE(result.ok());
    return result ? Reason::Cancelled : result.error().reason;
  }
  void expectWorks() {
    const Bytes input = {1, 2, 3};
    const auto answer = call(TestJob::Echo, input);
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(*answer, input);
  }

  /// Returns the living processes that run this test's program.
  std::vector<pid_t> processes() const {
    std::vector<pid_t> out;
    DIR* proc = opendir("/proc");
    while (const dirent* entry = readdir(proc)) {
      const pid_t pid = std::atoi(entry->d_name);
      if (pid > 0 && statusOf(pid, "Name") == m_name && !statusOf(pid, "State").starts_with('Z'))
        out.push_back(pid);
    }
    closedir(proc);
    return out;
  }
  pid_t server() const {
    const auto all = processes();
    return all.size() == 1 ? all[0] : -1;
  }

  std::filesystem::path m_folder;
  std::string m_name;
  std::unique_ptr<Client> m_client;
};

TEST_F(ClientTest, BytesGoThereAndBack) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{4096}, size_t{1} << 20}) {
    Bytes input(size);
    std::iota(input.begin(), input.end(), uint8_t{7});
    const auto answer = call(TestJob::Echo, input);
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(*answer, input);
  }
  const Bytes first = {1, 2}, second = {3};
  const auto joined = m_client->call(static_cast<uint32_t>(TestJob::Echo), {first, second});
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(*joined, (Bytes{1, 2, 3}));
}

TEST_F(ClientTest, RefusalBringsItsReason) {
  const auto answer = call(TestJob::Refuse, {'n', 'o'});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().reason, Reason::Refused);
  EXPECT_EQ(answer.error().text, "no");
  const auto cut = call(TestJob::Refuse, Bytes(100'000, 'x'));
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().text.size(), 400u);
}

TEST_F(ClientTest, ChildThatDiesIsTheInputsFault) {
  for (const TestJob job : {TestJob::Abort, TestJob::Crash}) {
    EXPECT_EQ(failureOf(job), Reason::Died);
    expectWorks();
  }
  EXPECT_FALSE(m_client->gone());
}

TEST_F(ClientTest, ChildThatNeverEndsIsEnded) {
  const auto begin = Clock::now();
  EXPECT_EQ(failureOf(TestJob::Spin, {}, {200, 5}), Reason::Died);
  EXPECT_EQ(failureOf(TestJob::Sleep, {}, {200, 5}), Reason::Died);
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(400));
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(Client::kGraceMs));
  expectWorks();
}

TEST_F(ClientTest, ProcessorTimeIsLimitedByItself) {
  const auto begin = Clock::now();
  EXPECT_EQ(failureOf(TestJob::Spin, {}, {9'000, 1}), Reason::Died);
  // On a machine so busy that the other limit came first, the test proves nothing.
  if (Clock::now() - begin >= std::chrono::seconds(9)) GTEST_SKIP() << "too little processor time";
}

TEST_F(ClientTest, TooMuchIsNotTaken) {
  EXPECT_EQ(failureOf(TestJob::Flood), Reason::Died);
  EXPECT_EQ(failureOf(TestJob::Echo, Bytes(kMaxBytes + 1)), Reason::TooBig);
  expectWorks();
}

TEST_F(ClientTest, MemoryIsLimited) {
  const auto answer = call(TestJob::Hoard);
  ASSERT_FALSE(answer.ok());
  // A sanitizer's allocator ends the process instead of returning null.
  const bool died = answer.error().reason == Reason::Died;
  EXPECT_TRUE(died || answer.error().reason == Reason::Refused);
  const std::string got = died ? "0" : answer.error().text;
  EXPECT_LE(std::stoull(got), kMemoryBytes);
  expectWorks();
}

TEST_F(ClientTest, ChildCanOnlyCompute) {
  const auto through = call(TestJob::Escape);
  ASSERT_TRUE(through.ok());
  EXPECT_EQ(*through, Bytes{});
}

TEST_F(ClientTest, UnknownJobIsAnError) {
  EXPECT_EQ(failureOf(TestJob::Count), Reason::NoChild);
  expectWorks();
}

TEST_F(ClientTest, CancelledCallReturnsAndItsChildEnds) {
  std::atomic<bool> cancelled{false};
  std::thread canceller([&] {
    eventually([&] { return processes().size() == 2; });
    cancelled = true;
  });
  const auto answer = call(TestJob::Sleep, {}, {}, &cancelled);
  canceller.join();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().reason, Reason::Cancelled);
  EXPECT_TRUE(eventually([&] { return processes().size() == 1; }));
  expectWorks();
}

TEST_F(ClientTest, DeadProcessIsToldOnce) {
  const pid_t pid = server();
  ASSERT_GT(pid, 0);
  EXPECT_FALSE(m_client->isFirstToReportGone());
  ASSERT_EQ(kill(pid, SIGKILL), 0);
  ASSERT_TRUE(eventually([&] { return processes().empty(); }));
  EXPECT_EQ(failureOf(TestJob::Echo), Reason::Ended);
  EXPECT_TRUE(m_client->gone());
  EXPECT_TRUE(m_client->isFirstToReportGone());
  EXPECT_FALSE(m_client->isFirstToReportGone());
  EXPECT_EQ(failureOf(TestJob::Echo), Reason::Ended);
}

TEST_F(ClientTest, ChildrenEndWithTheProcess) {
  Result<Bytes, CallError> answer = Bytes{};
  std::thread caller([&] { answer = call(TestJob::Sleep); });
  ASSERT_TRUE(eventually([&] { return processes().size() == 2; }));
  for (const pid_t pid : processes()) {
    const pid_t parent = std::atoi(statusOf(pid, "PPid").c_str());
    if (statusOf(parent, "Name") != m_name) kill(pid, SIGKILL);  // the process itself
  }
  EXPECT_TRUE(eventually([&] { return processes().empty(); }));
  caller.join();
  EXPECT_FALSE(answer.ok());
  EXPECT_EQ(failureOf(TestJob::Echo), Reason::Ended);
}

TEST_F(ClientTest, SilentProcessIsNotWaitedForLong) {
  start(100);
  const pid_t pid = server();
  ASSERT_EQ(kill(pid, SIGSTOP), 0);
  const auto begin = Clock::now();
  EXPECT_EQ(failureOf(TestJob::Echo, {}, {100, 1}), Reason::NoAnswer);
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(200));
  EXPECT_FALSE(m_client->gone());
  ASSERT_EQ(kill(pid, SIGCONT), 0);
  start(Client::kGraceMs);
  expectWorks();
}

TEST_F(ClientTest, ManyThreadsShareIt) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (uint8_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (uint8_t i = 0; i < 25; ++i) {
        const Bytes input(size_t{i} * 1000, t);
        const auto answer = call(TestJob::Echo, input);
        if (!answer || *answer != input) ++wrong;
        if (i % 8 == 0 && failureOf(TestJob::Abort) != Reason::Died) ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ClientTest, EndsWithItsLastUser) {
  ASSERT_GT(server(), 0);
  m_client.reset();
  EXPECT_TRUE(eventually([&] { return processes().empty(); }));
}

TEST_F(ClientTest, OutlivesAParentThatLeavesACopy) {  // as QEMU does with -daemonize
  int report[2];
  ASSERT_EQ(pipe(report), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    std::string error;
    auto client = Client::start(program(m_folder / m_name), error);
    const pid_t daemon = client ? fork() : -1;
    if (daemon != 0) _exit(daemon < 0);
    while (getppid() != 1 && statusOf(getppid(), "Name") == statusOf(getpid(), "Name"))
      std::this_thread::yield();
    const auto answer = client->call(static_cast<uint32_t>(TestJob::Echo), {});
    const char good = answer.ok() ? 1 : 0;
    _exit(write(report[1], &good, 1) == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(parent, &status, 0), parent);
  EXPECT_EQ(status, 0);
  close(report[1]);
  char good = 0;
  EXPECT_EQ(read(report[0], &good, 1), 1);
  EXPECT_EQ(good, 1);
  close(report[0]);
}

TEST_F(ClientTest, ProcessHoldsNothingItDoesNotNeed) {
  int inherited[2];
  ASSERT_EQ(pipe(inherited), 0);  // these would survive exec
  start(Client::kGraceMs);
  const pid_t pid = server();
  ASSERT_GT(pid, 0);
  EXPECT_EQ(statusOf(pid, "NoNewPrivs"), "1");
  EXPECT_EQ(statusOf(pid, "CapEff"), "0000000000000000");
  EXPECT_EQ(statusOf(pid, "CapPrm"), "0000000000000000");
#ifdef AEROGPU_THREAD_SANITIZER
  EXPECT_EQ(statusOf(pid, "Threads"), "2");  // the sanitizer adds one
#else
  EXPECT_EQ(statusOf(pid, "Threads"), "1");
#endif
  EXPECT_TRUE(eventually([&] { return getsid(pid) == pid; }));
  std::error_code unreadable;
  std::vector<std::string> open;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd", unreadable)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), unreadable).string();
    if (target != "/dev/null" && entry.path().filename() != "2") open.push_back(entry.path().filename());
  }
  if (geteuid() == 0) {  // otherwise a process that cannot be traced may not be inspected
    EXPECT_EQ(open, std::vector<std::string>{"3"});
    EXPECT_EQ(statusOf(pid, "Uid"), "65534\t65534\t65534\t65534");
  }
  close(inherited[0]);
  close(inherited[1]);
}

TEST(ProcessStart, SaysWhyItCannot) {
  std::string error;
  EXPECT_FALSE(Client::start(program("/nonexistent/helper"), error));
  EXPECT_NE(error.find("the test's helper /nonexistent/helper cannot be started"), std::string::npos);
  EXPECT_NE(error.find("No such file"), std::string::npos);
  EXPECT_FALSE(Client::start(program("/bin/false"), error));
  EXPECT_NE(error.find("/bin/false cannot be started"), std::string::npos);
}

TEST(ProcessStart, IsFoundWhereItLies) {
  std::string error;
  const auto here = std::filesystem::canonical("/proc/self/exe");
  const std::string name = here.filename();
  static const int inThisProgram = 0;
  unsetenv("AEROGPU_TEST_HELPER");
  EXPECT_EQ(findProgram(name.c_str(), "AEROGPU_TEST_HELPER", &inThisProgram, "", error), here.string());
  setenv("AEROGPU_TEST_HELPER", "/elsewhere/helper", 1);
  EXPECT_EQ(findProgram(name.c_str(), "AEROGPU_TEST_HELPER", &inThisProgram, "", error), "/elsewhere/helper");
  unsetenv("AEROGPU_TEST_HELPER");
  EXPECT_EQ(error, "");
  EXPECT_EQ(findProgram("no-such-helper", "AEROGPU_TEST_HELPER", &inThisProgram, "", error), "");
  EXPECT_EQ(error, "no-such-helper is neither beside nor near " + here.parent_path().string() + "/");
}

TEST_F(ClientTest, TheProgramSeesItsSettingAndNothingElse) {
  setenv("AEROGPU_TEST_SECRET", "1", 1);
  std::string error;
  Program named = program(m_folder / m_name);
  named.setting = "HELPER_SETTING=on";
  m_client = Client::start(named, error);
  unsetenv("AEROGPU_TEST_SECRET");
  ASSERT_TRUE(m_client) << error;
  const auto answer = call(TestJob::Environment);
  ASSERT_TRUE(answer.ok());
  const std::string seen(answer->begin(), answer->end());
  EXPECT_EQ(seen.rfind("HELPER_SETTING=on\n", 0), 0u) << seen;
  EXPECT_EQ(seen.find("AEROGPU_TEST"), std::string::npos) << seen;
}

TEST(ProcessStart, TheProgramIsNotStartedByHand) {
  const pid_t pid = fork();
  if (pid == 0) {
    close(STDERR_FILENO);
    close(kControlFd);
    execl(jobsProgram().c_str(), "process-test-jobs", nullptr);
    _exit(127);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kExitUsage);
}

}  // namespace
}  // namespace aerogpu::process
