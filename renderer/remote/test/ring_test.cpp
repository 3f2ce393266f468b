// SPDX-License-Identifier: MIT
// Rings and lines between two threads, and one side that writes nonsense.
#include "renderer/remote/ring.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "renderer/remote/line.h"

namespace aerogpu::remote {
namespace {

using Bytes = std::vector<uint8_t>;

/// The two ends of what wakes a side. Nothing makes them non-blocking: the other side could undo that.
struct Wakes {
  Descriptor ends[2];

  Wakes() {
    int made[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, made), 0);
    for (int side : {0, 1}) ends[side] = Descriptor(made[side]);
  }
};

/// Two ends that live; one can hang up.
struct Ends {
  int sockets[2] = {-1, -1};
  Wakes more, room;

  Ends() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0); }
  ~Ends() {
    hangUp(0);
    hangUp(1);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  void hangUp(int side) {
    if (sockets[side] >= 0) close(sockets[side]);
    sockets[side] = -1;
  }
  Doorbell bell(const Wakes& wakes, std::atomic<uint32_t>& asleep, int side) const {
    return {asleep, Descriptor(dup(wakes.ends[side].get())), sockets[side],
            Descriptor(dup(wakes.ends[1 - side].get()))};
  }
};

class Ring : public testing::Test {
protected:
  static constexpr uint64_t kSize = 4096;

  void SetUp() override {
    writer = RingWriter(words, bytes.data(), kSize, ends.bell(ends.room, words.writerSleeps, 0),
                        ends.bell(ends.more, words.readerSleeps, 0));
    reader = RingReader(words, bytes.data(), kSize, ends.bell(ends.more, words.readerSleeps, 1),
                        ends.bell(ends.room, words.writerSleeps, 1));
  }
  static uint64_t soon() { return nowNs() + 20'000'000; }
  static uint64_t late() { return nowNs() + 60'000'000'000; }

  Ends ends;
  RingWords words{};
  Bytes bytes = Bytes(kSize);
  RingWriter writer;
  RingReader reader;
};

TEST_F(Ring, MessagesOfAllSizesComeInTheirOrder) {
  constexpr int kMessages = 20'000;
  std::thread sends([&] {
    std::mt19937 random(1);
    for (int i = 0; i < kMessages; ++i) {
      Bytes message(random() % (writer.mostBytes() + 1));
      for (uint8_t& byte : message) byte = static_cast<uint8_t>(random());
      const size_t cut = message.empty() ? 0 : random() % message.size();
      const std::span<const uint8_t> all(message);
      ASSERT_EQ(writer.write(static_cast<uint32_t>(i), {all.first(cut), all.subspan(cut)}, late()),
                Sent::Yes);
    }
  });
  std::mt19937 random(1);
  Message message;
  for (int i = 0; i < kMessages; ++i) {
    ASSERT_EQ(reader.read(message, late()), Received::Yes);
    ASSERT_EQ(message.kind, static_cast<uint32_t>(i));
    ASSERT_EQ(message.bytes.size(), random() % (writer.mostBytes() + 1));
    for (const uint8_t byte : message.bytes) ASSERT_EQ(byte, static_cast<uint8_t>(random()));
    if (!message.bytes.empty()) random();  // the cut
  }
  sends.join();
  EXPECT_EQ(words.read, words.written);
}

TEST_F(Ring, ShortMessagesThatAreReadAtOnceStayInFront) {
  const uint64_t longest = 200;
  Message message;
  for (uint32_t i = 0; i < 1000; ++i) {
    const Bytes sent(i % (longest + 1), static_cast<uint8_t>(i | 1));
    ASSERT_EQ(writer.write(i, {sent}, late()), Sent::Yes);
    ASSERT_EQ(reader.read(message, late()), Received::Yes);
    ASSERT_EQ(message.kind, i);
    ASSERT_TRUE(std::ranges::equal(message.bytes, sent));
  }
  // What begins before the limit may end after it, and a gap's header follows.
  const uint64_t end = writer.nearBytes() + 2 * sizeof(MessageHeader) + longest;
  ASSERT_LT(end, kSize);
  for (uint64_t i = end; i < kSize; ++i) ASSERT_EQ(bytes[i], 0) << i;
}

TEST_F(Ring, AGapEndsAtTheEndAndAMessageFollows) {
  const auto tell = [this](uint64_t at, MessageHeader header) {
    std::memcpy(bytes.data() + at, &header, sizeof header);
  };
  const auto readGap = [&](uint64_t size, MessageHeader next, uint64_t more) {
    constexpr uint64_t kBegin = 1024;
    RingReader other(words, bytes.data(), kSize, ends.bell(ends.more, words.readerSleeps, 1),
                     ends.bell(ends.room, words.writerSleeps, 1));
    Message message;
    const Bytes first(kBegin - sizeof(MessageHeader));
    words.written = words.read = 0;
    RingWriter before(words, bytes.data(), kSize, ends.bell(ends.room, words.writerSleeps, 0),
                      ends.bell(ends.more, words.readerSleeps, 0));
    EXPECT_EQ(before.write(1, {first}, late()), Sent::Yes);
    EXPECT_EQ(other.readNow(message), Received::Yes);
    tell(kBegin, {kGap, static_cast<uint32_t>(size)});
    tell((kBegin + sizeof(MessageHeader) + size) % kSize, next);
    words.written = kBegin + sizeof(MessageHeader) + size + more;
    const Received received = other.readNow(message);
    if (received == Received::Yes) {
      EXPECT_EQ(message.kind, next.kind);
    }
    return received;
  };
  constexpr uint64_t kHeader = sizeof(MessageHeader), kToEnd = kSize - 1024 - kHeader;
  EXPECT_EQ(readGap(kToEnd, {7, 0}, kHeader), Received::Yes);
  EXPECT_EQ(readGap(kToEnd, {7, 8}, kHeader + 8), Received::Yes);
  EXPECT_EQ(readGap(kToEnd - 8, {7, 0}, kHeader), Received::Broken);  // not to the end
  EXPECT_EQ(readGap(kToEnd + 8, {7, 0}, kHeader), Received::Broken);
  EXPECT_EQ(readGap(kToEnd, {7, 0}, 0), Received::Broken);  // nothing follows
  EXPECT_EQ(readGap(kToEnd, {7, 8}, kHeader), Received::Broken);
  EXPECT_EQ(readGap(kToEnd, {kGap, 0}, kHeader), Received::Broken);
}

TEST_F(Ring, AWriterWaitsForRoomUntilItsLimit) {
  const Bytes big(writer.mostBytes());
  EXPECT_EQ(writer.write(1, {big}, late()), Sent::Yes);
  EXPECT_EQ(writer.write(2, {big}, late()), Sent::Yes);
  EXPECT_EQ(writer.write(3, {big}, soon()), Sent::Late);
  Message message;
  EXPECT_EQ(reader.read(message, late()), Received::Yes);
  EXPECT_EQ(writer.write(3, {big}, late()), Sent::Yes);
  for (const uint32_t kind : {2u, 3u}) {
    EXPECT_EQ(reader.read(message, late()), Received::Yes);
    EXPECT_EQ(message.kind, kind);
  }
  EXPECT_EQ(reader.read(message, soon()), Received::Late);
}

TEST_F(Ring, OneThatPollsIsNotWoken) {
  const auto rung = [this] {
    uint8_t bytes[8];
    return std::max<ssize_t>(recv(ends.more.ends[1].get(), bytes, sizeof bytes, MSG_DONTWAIT), 0);
  };
  const auto send = [this](uint32_t kind) { return writer.write(kind, {}, late()); };
  Message message;
  words.readerSleeps = 1;  // another thread waits
  reader.beginPolling();
  EXPECT_EQ(send(1), Sent::Yes);
  EXPECT_EQ(rung(), 0);
  EXPECT_TRUE(reader.pollForMore(late()));
  EXPECT_EQ(reader.readNow(message), Received::Yes);
  EXPECT_EQ(message.kind, 1u);
  EXPECT_EQ(reader.readNow(message), Received::Late);
  words.readerSleeps = 1;  // it waits again
  EXPECT_FALSE(reader.pollForMore(soon()));
  EXPECT_EQ(send(2), Sent::Yes);
  EXPECT_EQ(rung(), 0);
  EXPECT_EQ(reader.readNow(message), Received::Yes);
  reader.endPolling();
  EXPECT_EQ(rung(), 0);
  EXPECT_EQ(send(3), Sent::Yes);
  EXPECT_EQ(rung(), 1);
  reader.beginPolling();
  EXPECT_EQ(send(4), Sent::Yes);
  EXPECT_EQ(rung(), 0);
  reader.endPolling();  // what is left is for the one that waits
  EXPECT_EQ(rung(), 1);
}

TEST_F(Ring, AWriterKnowsWhetherItWouldWait) {
  const Bytes big(writer.mostBytes());
  EXPECT_FALSE(writer.hasRoom(big.size() + 1));
  EXPECT_TRUE(writer.hasRoom(big.size()));
  EXPECT_EQ(writer.write(1, {big}, late()), Sent::Yes);
  EXPECT_TRUE(writer.hasRoom(big.size()));
  EXPECT_EQ(writer.write(2, {big}, late()), Sent::Yes);
  EXPECT_FALSE(writer.hasRoom(0));
  words.read = UINT64_MAX / 2;  // nonsense
  EXPECT_FALSE(writer.hasRoom(0));
}

TEST_F(Ring, WhatWasSentBeforeAnEndIsRead) {
  const Bytes bytes{1, 2, 3};
  EXPECT_EQ(writer.write(7, {bytes}, late()), Sent::Yes);
  ends.hangUp(0);
  Message message;
  EXPECT_EQ(reader.read(message, late()), Received::Yes);
  EXPECT_TRUE(std::ranges::equal(message.bytes, bytes));
  EXPECT_EQ(reader.read(message, kForever), Received::Gone);
}

TEST_F(Ring, AWriterThatWaitsSeesTheReadersEnd) {
  const Bytes big(writer.mostBytes());
  while (writer.write(1, {big}, soon()) == Sent::Yes) {
  }
  std::thread ending([&] { ends.hangUp(1); });
  EXPECT_EQ(writer.write(1, {big}, kForever), Sent::Gone);
  ending.join();
}

TEST_F(Ring, NonsenseOfTheWriterIsSeen) {
  struct Nonsense {
    uint64_t written;
    MessageHeader header;
  };
  for (const Nonsense& n :
       {Nonsense{kSize + 8, {1, 0}}, Nonsense{UINT64_MAX, {1, 0}}, Nonsense{4, {1, 0}}, Nonsense{16, {1, 9}},
        Nonsense{16, {1, UINT32_MAX}}, Nonsense{kSize, {1, kSize}}}) {
    SetUp();
    std::memcpy(bytes.data(), &n.header, sizeof n.header);
    words.written = n.written;
    Message message;
    EXPECT_EQ(reader.read(message, soon()), Received::Broken) << n.written << " " << n.header.bytes;
    EXPECT_TRUE(message.bytes.empty());
  }
}

TEST_F(Ring, NonsenseOfTheReaderIsSeen) {
  for (const uint64_t read : {uint64_t{8}, UINT64_MAX - kSize, uint64_t{1} << 40}) {
    words.read = read;
    EXPECT_EQ(writer.write(1, {}, soon()), Sent::Broken) << read;
  }
}

/// Whatever it does with what it has of it, neither a wake nor a sleep waits for the other side.
TEST_F(Ring, NobodyIsKeptByWhatWakes) {
  const int readers = ends.more.ends[1].get(), writers = ends.more.ends[0].get();
  words.readerSleeps = 1;
  for (int i = 0; i < 100'000; ++i)
    words.written = 0, writer.write(1, {}, soon()), words.read = words.written.load();
  pollfd full{writers, POLLOUT, 0};
  EXPECT_EQ(poll(&full, 1, 0), 0);  // nobody has taken what woke
  const uint64_t begin = nowNs();
  words.written = 0;
  Message message;
  reader = RingReader(words, bytes.data(), kSize, ends.bell(ends.more, words.readerSleeps, 1),
                      ends.bell(ends.room, words.writerSleeps, 1));
  EXPECT_EQ(reader.read(message, soon()), Received::Late);
  EXPECT_LT(nowNs() - begin, 10'000'000'000u);
  // The other side takes all that it can; what this side sends to itself is not for it.
  uint8_t taken[64];
  while (recv(writers, taken, sizeof taken, MSG_DONTWAIT) > 0) {
  }
  while (recv(readers, taken, sizeof taken, MSG_DONTWAIT) > 0) {
  }
  std::atomic<bool> nudged{true};
  reader.wakeReader();
  EXPECT_LT(recv(writers, taken, sizeof taken, MSG_DONTWAIT), 0);
  EXPECT_EQ(recv(readers, taken, sizeof taken, MSG_DONTWAIT), 1);
  EXPECT_EQ(reader.waitForMore(soon(), nudged), Received::Yes);
}

class Line : public testing::Test {
protected:
  static constexpr uint32_t kArea = 256;
  Ends ends;
  LineWords words{};
  Bytes area = Bytes(kArea);
  LineCaller caller{words, area.data(), kArea, ends.bell(ends.room, words.callerSleeps, 0),
                    ends.bell(ends.more, words.serverSleeps, 0)};
  LineServer server{words, area.data(), kArea, ends.bell(ends.more, words.serverSleeps, 1),
                    ends.bell(ends.room, words.callerSleeps, 1)};
};

TEST_F(Line, EachCallerHasItsOwnAnswer) {
  std::thread serves([this] {
    LineServer::Asked asked;
    while (server.wait(asked, kForever) == Woken::Ready) {
      Bytes doubled = asked.bytes;
      doubled.insert(doubled.end(), asked.bytes.begin(), asked.bytes.end());
      server.answer(asked.values[0] + asked.kind, doubled);
    }
  });
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      for (uint64_t i = 0; i < 500; ++i) {
        const Bytes mine(i % 100, static_cast<uint8_t>(t + i));
        uint64_t result = 0;
        Bytes answer;
        ASSERT_TRUE(caller.call({t, {i}, mine}, result, &answer, kForever));
        ASSERT_EQ(result, i + t);
        ASSERT_EQ(answer, Bytes(i % 100 * 2, static_cast<uint8_t>(t + i)));
      }
    });
  for (std::thread& thread : threads) thread.join();
  ends.hangUp(0);
  serves.join();
}

TEST_F(Line, ACallThatIsNotAnsweredIsTheLast) {
  uint64_t result = 0;
  EXPECT_FALSE(caller.call({1}, result, nullptr, 20'000'000));
  LineServer::Asked asked;
  ASSERT_EQ(server.wait(asked, kForever), Woken::Ready);
  server.answer(5);  // too late: it must not be taken for the next one's
  EXPECT_FALSE(caller.call({2}, result, nullptr, 20'000'000));
}

TEST_F(Line, AnAnswerIsCutToTheArea) {
  words.answerBytes = UINT32_MAX;
  std::thread serves([this] {
    LineServer::Asked asked;
    ASSERT_EQ(server.wait(asked, kForever), Woken::Ready);
    server.answer(1, Bytes(kArea * 2, 7));
    ASSERT_EQ(server.wait(asked, kForever), Woken::Ready);
    words.answerBytes = UINT32_MAX;  // as a spoilt server says
    words.answered = 2;
    (void)send(ends.room.ends[1].get(), "", 1, 0);
  });
  uint64_t result = 0;
  Bytes answer;
  EXPECT_TRUE(caller.call({1}, result, &answer, kForever));
  EXPECT_EQ(answer, Bytes(kArea, 7));
  EXPECT_TRUE(caller.call({1}, result, &answer, kForever));
  EXPECT_EQ(answer.size(), kArea);
  EXPECT_FALSE(caller.call({1, {}, Bytes(kArea + 1)}, result, nullptr, kForever));
  serves.join();
}

TEST(Memory, IsTakenOnlySealedAndOfItsSize) {
  std::string error;
  const SharedMemory made = SharedMemory::make("test", 8192, error);
  ASSERT_TRUE(made) << error;
  EXPECT_NE(ftruncate(made.fd(), 4096), 0);
  EXPECT_NE(ftruncate(made.fd(), 16384), 0);
  made.bytes()[5000] = 9;
  const SharedMemory taken = SharedMemory::take(Descriptor(dup(made.fd())), 8192, false, error);
  ASSERT_TRUE(taken) << error;
  EXPECT_EQ(taken.bytes()[5000], 9);
  EXPECT_FALSE(SharedMemory::take(Descriptor(dup(made.fd())), 4096, false, error));
  const Descriptor bare(memfd_create("bare", MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(bare.get(), 8192), 0);
  EXPECT_FALSE(SharedMemory::take(Descriptor(dup(bare.get())), 8192, false, error));
}

}  // namespace
}  // namespace aerogpu::remote
