// SPDX-License-Identifier: MIT
// The ends of a stream: all bytes or a reason, and never past the deadline.
#include "renderer/process/stream.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <numeric>
#include <thread>
#include <vector>

namespace aerogpu::process {
namespace {

using namespace std::chrono_literals;
using Bytes = std::vector<uint8_t>;
using Clock = Stream::Clock;

class StreamTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, m_ends), 0); }
  void TearDown() override { hangUp(); }
  /// Closes the other end of the stream. The first end belongs to the stream under test.
  void hangUp() {
    if (m_ends[1] >= 0) close(m_ends[1]);
    m_ends[1] = -1;
  }

  int m_ends[2] = {-1, -1};
};

TEST_F(StreamTest, MoreBytesThanTheSocketHoldsGoBothWays) {
  Bytes bytes(8 << 20), back(bytes.size());
  std::iota(bytes.begin(), bytes.end(), uint8_t{3});
  std::thread other([&] {
    Stream echo(std::exchange(m_ends[1], -1), Clock::now() + 60s, nullptr);
    Bytes got(bytes.size());
    ASSERT_TRUE(echo.receive(got));
    ASSERT_TRUE(echo.send(got));
  });
  Stream stream(m_ends[0], Clock::now() + 60s, nullptr);
  EXPECT_TRUE(stream.send(bytes));
  EXPECT_TRUE(stream.receive(back));
  other.join();
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(stream.end(), Stream::End::None);
}

TEST_F(StreamTest, ValuesAreWhole) {
  Stream stream(m_ends[0], Clock::now() + 60s, nullptr);
  EXPECT_TRUE(stream.sendValue(uint32_t{0x11223344}));
  uint32_t value = 0;
  ASSERT_EQ(read(m_ends[1], &value, sizeof value), ssize_t{sizeof value});
  EXPECT_EQ(value, 0x11223344u);
  ASSERT_EQ(write(m_ends[1], &value, 3), 3);
  hangUp();
  EXPECT_FALSE(stream.receiveValue(value)) << "one byte is missing";
  EXPECT_EQ(stream.end(), Stream::End::Closed);
}

TEST_F(StreamTest, TheOtherSideGoingAwayEndsBothDirections) {
  hangUp();
  Stream stream(m_ends[0], Clock::now() + 60s, nullptr);
  Bytes bytes(1);
  EXPECT_FALSE(stream.receive(bytes));
  EXPECT_EQ(stream.end(), Stream::End::Closed);
  EXPECT_FALSE(stream.send(bytes));
  EXPECT_EQ(stream.end(), Stream::End::Closed);
}

TEST_F(StreamTest, NothingIsWaitedForPastTheDeadline) {
  const auto begin = Clock::now();
  Stream stream(m_ends[0], begin + 50ms, nullptr);
  Bytes bytes(1);
  EXPECT_FALSE(stream.receive(bytes)) << "nobody sends";
  EXPECT_EQ(stream.end(), Stream::End::Late);
  EXPECT_GE(Clock::now() - begin, 50ms);
  EXPECT_FALSE(stream.send(Bytes(64 << 20))) << "nobody reads";
  EXPECT_EQ(stream.end(), Stream::End::Late);
  EXPECT_FALSE(stream.wait(m_ends[1], POLLOUT)) << "late, even though this one is full too";
}

TEST_F(StreamTest, ACancelledWaitEndsLongBeforeTheDeadline) {
  std::atomic<bool> cancelled{false};
  Stream stream(m_ends[0], Clock::now() + 600s, &cancelled);
  std::thread canceller([&] { cancelled = true; });
  Bytes bytes(1);
  EXPECT_FALSE(stream.receive(bytes));
  EXPECT_EQ(stream.end(), Stream::End::Cancelled);
  canceller.join();
}

}  // namespace
}  // namespace aerogpu::process
