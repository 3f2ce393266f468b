// SPDX-License-Identifier: MIT
// Tests the qtest protocol against a server that answers like QEMU, and reports interrupts at every permitted
// moment.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <thread>

#include "testbed/kernel/machine/qtest_socket.h"

namespace aerogpu::host {
namespace {

constexpr unsigned kLine = 11;

/// Memory by bytes; reports an interrupt before each answer when asked for.
class Server {
public:
  Server() {
    char folder[] = "/tmp/aerogpu-qtest-socket-XXXXXX";
    m_folder = mkdtemp(folder);
    m_listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(bind(m_listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(m_listener, 1), 0);
    m_thread = std::thread([this] { serve(); });
  }
  ~Server() {
    shutdown(m_client, SHUT_RD);
    m_thread.join();
    close(m_client);
    close(m_listener);
    unlink(path().c_str());
    rmdir(m_folder.c_str());
  }
  std::string path() const { return m_folder + "/qtest"; }
  /// Reports between answers.
  void report(const char* action) { say(std::string("IRQ ") + action + " " + std::to_string(kLine)); }

  std::atomic<bool> reportsAlways{false};
  std::atomic<int64_t> clock{5000};
  std::atomic<unsigned> steps{0};

private:
  void say(const std::string& line) {
    const std::string text = line + "\n";
    std::lock_guard lock(m_mutex);
    // In two pieces, as a stream may deliver it.
    const size_t half = text.size() / 2;
    send(m_client, text.data(), half, MSG_NOSIGNAL);
    send(m_client, text.data() + half, text.size() - half, MSG_NOSIGNAL);
  }
  void serve() {
    m_client = accept(m_listener, nullptr, nullptr);
    std::string buffer;
    char chunk[4096];
    for (ssize_t n; (n = read(m_client, chunk, sizeof chunk)) > 0;) {
      buffer.append(chunk, static_cast<size_t>(n));
      for (size_t end; (end = buffer.find('\n')) != std::string::npos;) {
        const std::string line = buffer.substr(0, end);
        buffer.erase(0, end + 1);
        if (reportsAlways) {
          report("raise");
          report("lower");
        }
        say("OK" + answer(line));
      }
    }
  }
  static std::string hex(uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof text, " 0x%016llx", static_cast<unsigned long long>(value));
    return text;
  }
  /// Answers a command. b64read and b64write store the text itself: the client encodes and decodes.
  std::string answer(const std::string& line) {
    char word[16] = {};
    unsigned long long address = 0, value = 0;
    int rest = 0;
    std::sscanf(line.c_str(), "%15s %llx %llx %n", word, &address, &value, &rest);
    if (!std::strcmp(word, "b64write")) {
      m_blocks[address] = line.substr(static_cast<size_t>(rest));
      return "";
    }
    if (!std::strcmp(word, "b64read")) return " " + m_blocks[address];
    if (!std::strcmp(word, "clock_step")) {
      clock += std::stoll(line.substr(11));
      ++steps;
      return " " + std::to_string(clock);
    }
    if (!std::strncmp(word, "write", 5) || !std::strncmp(word, "out", 3)) {
      m_cells[address] = value;
      m_widths[address] = word[std::strlen(word) - 1];
      return "";
    }
    if (!std::strncmp(word, "read", 4) || !std::strncmp(word, "in", 2))
      return m_widths[address] == word[std::strlen(word) - 1] ? hex(m_cells[address]) : " 0xbad";
    return "";
  }

  std::string m_folder;
  int m_listener = -1;
  std::atomic<int> m_client{-1};
  std::mutex m_mutex;
  std::map<uint64_t, uint64_t> m_cells;
  std::map<uint64_t, char> m_widths;
  std::map<uint64_t, std::string> m_blocks;
  std::thread m_thread;
};

TEST(QtestSocket, ReadsWhatItWroteAtEachWidth) {
  Server server;
  QtestSocket socket;
  ASSERT_TRUE(socket.connect(server.path()).ok());
  uint64_t value = 0x8182838485868788;
  for (const unsigned bytes : {1u, 2u, 4u, 8u}) {
    const uint64_t expected = bytes == 8 ? value : value & ((uint64_t{1} << 8 * bytes) - 1);
    socket.write(0xFE000000 + bytes * 16, expected, bytes);
    EXPECT_EQ(socket.read(0xFE000000 + bytes * 16, bytes), expected) << bytes;
  }
  socket.out(0xCF8, 0x80002010);
  EXPECT_EQ(socket.in(0xCF8), 0x80002010u);
}

TEST(QtestSocket, BlocksOfAllLengthsComeBack) {
  Server server;
  QtestSocket socket;
  ASSERT_TRUE(socket.connect(server.path()).ok());
  for (const size_t bytes : {1, 2, 3, 4, 255, 4096, 49151, 49152, 49153, 200000}) {
    std::vector<uint8_t> sent(bytes), got(bytes + 1, 0xEE);
    for (size_t i = 0; i < bytes; ++i) sent[i] = static_cast<uint8_t>(i * 7 + (i >> 8));
    socket.writeBlock(0x1000, sent.data(), bytes);
    socket.readBlock(0x1000, got.data(), bytes);
    EXPECT_EQ(got.back(), 0xEE) << bytes;
    got.pop_back();
    EXPECT_EQ(got, sent) << bytes;
  }
}

TEST(QtestSocket, SeveralThreadsGetTheirOwnAnswersAmongReports) {
  Server server;
  QtestSocket socket;
  ASSERT_TRUE(socket.connect(server.path()).ok());
  socket.startWatching();
  server.reportsAlways = true;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < 500; ++i) {
        const uint64_t address = t * 0x10000 + (i % 16) * 8;
        socket.write(address, t * 1000 + i, 4);
        EXPECT_EQ(socket.read(address, 4), t * 1000 + i);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(socket.commands(), 4000u);
  server.reportsAlways = false;
  socket.read(0, 4);
  EXPECT_FALSE(socket.level(kLine));
  // Between commands the watching thread reads them.
  server.report("raise");
  EXPECT_TRUE(socket.waitLevel(kLine, kNever));
  server.report("lower");
  while (socket.level(kLine)) std::this_thread::yield();
  EXPECT_FALSE(socket.waitLevel(kLine, clockNow()));
}

TEST(QtestSocket, QemusClockIsBroughtUpBeforeACommand) {
  Server server;
  QtestSocket socket;
  ASSERT_TRUE(socket.connect(server.path()).ok());
  EXPECT_EQ(socket.clock(), 5000);
  clockTakeOver(server.clock);
  socket.followClock();
  const int64_t before = clockNow();
  while (clockNow() < before + 1'000'000) {
  }
  const int64_t written = socket.writeAtClock(0, 1, 4);
  EXPECT_GE(written, before + 1'000'000);
  EXPECT_EQ(written, server.clock) << "no step between what is said and the write";
  const unsigned steps = server.steps;
  socket.catchUp();
  EXPECT_EQ(server.steps, steps + 1);
  EXPECT_LE(server.clock, clockNow());
}

TEST(QtestSocket, GoesOnWithAnotherQemuAtTheSameTime) {
  auto first = std::make_unique<Server>();
  Server second;
  QtestSocket socket;
  ASSERT_TRUE(socket.connect(first->path()).ok());
  clockTakeOver(first->clock);
  socket.followClock();
  socket.startWatching();
  socket.write(0x40, 1, 4);
  second.clock = 0;
  std::thread other;
  {
    const auto held = socket.hold();
    clockStop();
    other = std::thread([&] { EXPECT_EQ(socket.read(0x40, 4), 2u) << "it waits for the second one"; });
    first.reset();
    ASSERT_TRUE(socket.reconnect(second.path()).ok());
    socket.write(0x40, 2, 4);
    EXPECT_EQ(second.clock, clockNow()) << "its clock is where the first one's was";
    clockGo();
  }
  other.join();
  second.report("raise");
  EXPECT_TRUE(socket.waitLevel(kLine, kNever)) << "the second one's reports are read";
}

}  // namespace
}  // namespace aerogpu::host
